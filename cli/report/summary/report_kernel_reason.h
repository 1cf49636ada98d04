/*
 * Why a kernel of the first screen takes its time, in a few words. Internal to cli/report.
 */
#ifndef CLI_REPORT_SUMMARY_REPORT_KERNEL_REASON_H
#define CLI_REPORT_SUMMARY_REPORT_KERNEL_REASON_H

#include "cli/report/report_reasons.h"
#include "cli/report/report_runs.h"

struct report_main_kernels {
    const struct report_data *data;
    const struct report_reasons *reasons;
    const struct report_row *rows; /* the runs looked at */
    size_t row_count;
    enum clock_kind clock;
};

/* The advice on the kernels of the name, else what their launches show, else that they were not counted. */
void report_kernel_reason(const struct report_main_kernels *of, uint32_t name, char *text, size_t size_bytes);

#endif
