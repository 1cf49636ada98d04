/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges (NVTX) of the traced runs, folded: those of the same names, but for numbers in them, inside the same
 * outer ranges are one row. The time on the device is that of the operations that the range's thread issued
 * in it, wherever they ran. Owned by the caller, who frees it with report_ranges_fini; one thread.
 */
#ifndef CLI_REPORT_DATA_REPORT_RANGES_H
#define CLI_REPORT_DATA_REPORT_RANGES_H

#include "cli/report/data/report_data.h"

struct report_range {
    char *name;            /* folded, "step #"; from outside */
    uint32_t parent;       /* row; NONE: none is around it */
    uint32_t depth;        /* 0: none is around it */
    struct report_sum sum; /* of the ranges on the host */
    uint64_t operations;
    int64_t device_ns;    /* sum of the operations' times */
    int64_t projected_ns; /* sum over the ranges: from the first operation's start to the last one's end */
};

struct report_ranges {
    struct report_range *items; /* a row comes after its parent and before its children */
    size_t count;
};

/* For one run, or for all traced ones (NONE). STATUS_STATE: events were evicted from memory. */
enum status report_ranges_make(struct report_ranges *ranges, const struct session *session, uint32_t run,
                               struct error *error);
void report_ranges_fini(struct report_ranges *ranges);

#endif
