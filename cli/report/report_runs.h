/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs by their device time, how many times that is of the best run of the same workload and size, and how
 * much of the copies is hidden: what the sheet of runs and the first screen are made of. One thread.
 */
#ifndef CLI_REPORT_REPORT_RUNS_H
#define CLI_REPORT_REPORT_RUNS_H

#include "cli/report/data/report_facts.h"

#include "core/analysis/run_times.h"

struct report_row {
    const struct report_run *of, *best; /* best: the run with the shortest time for the same work */
    uint32_t run;                       /* the trace run */
    struct run_times times;
    double of_best; /* device time / that of the best run (core/analysis/run_times.h); 0: there is no other
                       run */
    double kernels_of_best; /* the same of its kernels' time; 0: not known, or no matter of kernels */
    bool bound;             /* a variant that does less than the others: it is never the best */
    const struct report_facts *facts;
};
/* The runs that did something on a device, the longest first; the caller frees them with free(). */
enum status report_rows(const struct report_data *data, struct report_row **rows, size_t *count,
                        struct error *error);

/* "staged-overlap:staged-pinned streams=2"; without `wide`, parameters that all runs of the workload share
 * are left out. Control characters are not made visible. */
void report_run_name(const struct session *session, const struct report_row *rows, size_t count,
                     uint32_t index, bool wide, char *name, size_t size_bytes);

#endif
