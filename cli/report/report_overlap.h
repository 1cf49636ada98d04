/*
 * The line of the table that shows how much of the runs' work overlapped. Internal to cli/report; as report.h
 * says of threads.
 */
#ifndef CLI_REPORT_REPORT_OVERLAP_H
#define CLI_REPORT_REPORT_OVERLAP_H

#include "cli/report/data/report_data.h"

#include <stdio.h>

/* Over all trace runs on one clock; prints nothing if there was no work, or if it cannot be computed. */
enum status report_overlap_table(const struct report_data *data, enum clock_kind clock, FILE *out,
                                 struct error *error);

#endif
