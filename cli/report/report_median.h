/*
 * The median launch of all kernels of a name, which may be several rows: of several runs, or shapes. One
 * thread.
 */
#ifndef CLI_REPORT_REPORT_MEDIAN_H
#define CLI_REPORT_REPORT_MEDIAN_H

#include "cli/report/report_data.h"

/* In ns, of the trace runs or those on the model; of two middle launches the shorter. -1: not all launches
 * are there to look at. */
int64_t report_median_ns(const struct report_data *data, uint32_t name, enum clock_kind clock);

#endif
