/*
 * The line of the table that shows how much of the runs' work overlapped. Internal to cli/report; as report.h
 * says of threads.
 */
#ifndef CLI_REPORT_REPORT_OVERLAP_H
#define CLI_REPORT_REPORT_OVERLAP_H

#include "cli/report/data/report_data.h"

#include <stdio.h>

/* Over all trace runs on one clock; nothing where none worked. Left out where it cannot be known. */
enum status report_overlap_table(const struct report_data *data, enum clock_kind clock, FILE *out,
                                 struct error *error);

#endif
