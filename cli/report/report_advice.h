/*
 * Advice in the reports: of a run's kernels and of the run itself, most to gain first.
 */
#ifndef CLI_REPORT_REPORT_ADVICE_H
#define CLI_REPORT_REPORT_ADVICE_H

#include "cli/report/data/report_data.h"

#include "core/advice/advice.h"

#include <stdio.h>

/* Prints the advice on a kernel, most to gain first, with its source line if known. */
void report_advice_of_kernel(const struct report_data *data, uint32_t kernel, struct advice_list *list);

/* Prints all advice of a session, under its kernels and runs; nothing if nothing is wrong. */
enum status report_advice_table(const struct report_data *data, FILE *out, bool wide, struct error *error);

#endif
