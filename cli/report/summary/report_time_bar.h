/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time went as one bar with its legend. Internal to cli/report.
 */
#ifndef CLI_REPORT_SUMMARY_REPORT_TIME_BAR_H
#define CLI_REPORT_SUMMARY_REPORT_TIME_BAR_H

#include "cli/report/report_runs.h"

struct report_look;

/* Prints all rows' runs together, each over its steps or over the whole run, on the device with the longest
 * span. In at most `lines` lines, at least 2; returns how many. */
size_t report_time_bar_print(const struct session *session, const struct report_row *rows, size_t count,
                             size_t lines, const struct report_look *look, FILE *out);

#endif
