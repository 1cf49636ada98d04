/*
 * Counters over time in the reports: for each run, their values while its kernels ran; for a session without
 * runs, over all samples. Internal to cli/report; as report.h says of threads and text from outside.
 */
#ifndef CLI_REPORT_REPORT_SAMPLES_H
#define CLI_REPORT_REPORT_SAMPLES_H

#include "cli/report/data/report_data.h"

#include <stdio.h>

/* One line per series for the first few runs that have samples, with `wide` for all. */
enum status report_samples_table(const struct report_data *data, FILE *out, bool wide, struct error *error);

#endif
