/*
 * The roofline on paper: every kernel that computes in floating point, with its operations per byte and per
 * second, the roof above it and how near it is. The JSON and the CSV have the same among the metrics.
 */
#ifndef CLI_REPORT_REPORT_ROOFLINE_H
#define CLI_REPORT_REPORT_ROOFLINE_H

#include "cli/report/report_data.h"

#include <stdio.h>

/* Nothing where no kernel's operations and bytes were counted. */
void report_roofline_table(const struct report_data *data, FILE *out, bool wide);

#endif
