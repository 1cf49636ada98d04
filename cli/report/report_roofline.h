/*
 * The roofline in the report: every kernel with floating-point operations, its operations per byte and per
 * second, its roof and the share of it that is reached. JSON and CSV have the same values as metrics.
 */
#ifndef CLI_REPORT_REPORT_ROOFLINE_H
#define CLI_REPORT_REPORT_ROOFLINE_H

#include "cli/report/data/report_data.h"

#include <stdio.h>

/* Prints nothing if no kernel's operations and bytes were counted. */
void report_roofline_table(const struct report_data *data, FILE *out, bool wide);

#endif
