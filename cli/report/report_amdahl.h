/*
 * Amdahl's law in the reports: the sheet, and a table below a program's times.
 * Internal to cli/report; as report.h says of threads and text from outside.
 */
#ifndef CLI_REPORT_REPORT_AMDAHL_H
#define CLI_REPORT_REPORT_AMDAHL_H

#include "cli/report/data/report_data.h"

#include <stdio.h>

/* For each program its kernels, those with most to gain first; nothing for a bundled workload, whose run is
 * mostly set-up and verification. */
enum status report_amdahl_table(const struct report_data *data, FILE *out, bool wide, struct error *error);

#endif
