/*
 * The first table of the report: the runs by their device time, how many times that is of the best run of the
 * same workload and size, how much of the copies is hidden, and below each run the advice on the run itself.
 * One thread.
 */
#ifndef CLI_REPORT_REPORT_RUNS_H
#define CLI_REPORT_REPORT_RUNS_H

#include "cli/report/report_data.h"

#include <stdio.h>

/* The trace runs and those on the model; without `wide` the longest of many. Nothing where no work was
 * traced. */
enum status report_runs_table(const struct report_data *data, FILE *out, bool wide, struct error *error);

#endif
