/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The advice beside the times: for each kernel name in the table of times the advice with the largest gain,
 * over all launch shapes of this name; owned by the caller, who frees it with report_reasons_fini. And, for
 * the first screen, why a kernel takes its time, in a few words.
 */
#ifndef CLI_REPORT_REPORT_REASONS_H
#define CLI_REPORT_REPORT_REASONS_H

#include "cli/report/data/report_data.h"
#include "cli/report/report_runs.h"
#include "core/advice/advice.h"

struct report_main_kernels {
    const struct report_data *data;
    const struct report_reasons *reasons;
    const struct report_row *rows; /* the runs looked at */
    size_t row_count;
    enum clock_kind clock;
};

/* The advice on the kernels of the name, else what their launches show, else that they were not counted. */
void report_kernel_reason(const struct report_main_kernels *of, uint32_t name, char *text, size_t size_bytes);

/* Does it have a counted or modelled value? The times of a trace run do not count. */
bool report_has_counters(const struct report_data *data, uint32_t kernel);

struct report_reason {
    uint32_t name; /* string of the kernel's name */
    enum clock_kind clock;
    uint32_t rows, counted,
        judged;      /* rows of the name; rows with counts of their own; rows that rules could judge */
    uint32_t kernel; /* the row that the advice is about; NONE: there is none */
    const struct report_run *run;
    double gain_ns;          /* of all its launches, at most */
    int64_t main_ns;         /* of the row with the most time, whose state this is: */
    enum advice_state state; /* if no rule fires for any row */
    char said[240];
    struct advice advice;
};

struct report_reasons {
    struct report_reason *items;
    size_t count;
};

/* NULL: the name has no launches on that clock. */
struct report_reason *report_reason_find(const struct report_reasons *reasons, uint32_t name,
                                         enum clock_kind clock);
void report_reasons_make(struct report_reasons *reasons, const struct report_data *data);
void report_reasons_fini(struct report_reasons *reasons);

/* The line below a kernel's row, "why: ..."; "" if there is nothing to say. */
void report_reason_line(const struct report_reasons *reasons, const struct report_data *data, uint32_t name,
                        enum clock_kind clock, char *text, size_t size_bytes);

/* For how many kernels there is a reason, and why not for the others; "" without kernels. Returns whether none was
 * counted. */
bool report_reasons_sum(const struct report_reasons *reasons, enum clock_kind clock, char *text,
                        size_t size_bytes);

#endif
