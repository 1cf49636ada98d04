/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many runs in few lines: a line for each workload (or program) with the range of its results, its worst case
 * and the reason for that, the costliest first. Internal to cli/report; one thread.
 */
#ifndef CLI_REPORT_SUMMARY_REPORT_SWEEPS_H
#define CLI_REPORT_SUMMARY_REPORT_SWEEPS_H

#include "cli/report/report_runs.h"

/* Prints at most `lines` lines of at most `columns` columns, with a heading; returns how many workloads are
 * left out. */
size_t report_sweeps_print(const struct report_data *data, const struct report_row *rows, size_t count,
                           size_t lines, int columns, FILE *out);
/* The most lines that it could print, with the heading. */
size_t report_sweeps_lines(const struct report_data *data, const struct report_row *rows, size_t count);

#endif
