/*
 * Where kernels, copies and sets are called, in the reports of a session with call paths. Internal
 * to cli/report; as report.h says of threads and text from outside.
 */
#ifndef CLI_REPORT_REPORT_STACKS_H
#define CLI_REPORT_REPORT_STACKS_H

#include "cli/report/data/report_data.h"

#include <stdio.h>

/* The program's places, most device time first, with their callers; the first fifteen, `wide`: all. */
void report_stacks_table(const struct report_data *data, FILE *out, bool wide);

#endif
