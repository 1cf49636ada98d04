/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The block of the first screen that says what would help a run, the best first: each edit of the replay with what
 * is gained and left, what is assumed, why, what to do, and the command to type next. One thread.
 */
#ifndef CLI_REPORT_SUMMARY_REPORT_HELP_H
#define CLI_REPORT_SUMMARY_REPORT_HELP_H

#include "cli/report/report.h"
#include "cli/report/summary/report_findings.h"

#define HELP_COLUMN 10 /* in which sentences begin */

/* A sentence in at most `most` lines that begin in HELP_COLUMN, the last one cut; the first line has its first
 * columns already. Returns the lines. */
size_t report_help_words(FILE *out, int columns, const char *text, size_t most);

/* The block for a run that the replay ranks, in at most `lines` lines. *more: steps that it does not show.
 * Returns the lines. */
size_t report_help_print(const struct report_data *data, const struct report_row *row,
                         const struct report_look *look, size_t lines, size_t *more, FILE *out);

#endif
