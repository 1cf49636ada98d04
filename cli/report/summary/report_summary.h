/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first screen of a report: what ran, where the time went, what to do first, and the kernels that matter,
 * in at most SUMMARY_LINES lines. Only reads the session; as report.h says of threads and text from outside.
 */
#ifndef CLI_REPORT_SUMMARY_REPORT_SUMMARY_H
#define CLI_REPORT_SUMMARY_REPORT_SUMMARY_H

#include "cli/options/options.h"
#include "cli/report/report.h"

#define SUMMARY_LINES 25

/* STATUS_IO when writing failed. */
enum status report_summary(const struct session *session, const struct report_look *look, FILE *out,
                           struct error *error);

/* The same for programs, in JSON of at most so many bytes, unless one row of each of its sheets is longer; and its schema. */
#define BRIEF_BYTES_MAX 8000
enum status report_brief(const struct session *session, const char *file, FILE *out, struct error *error);
void report_brief_schema(FILE *out);

/* ---- the command, and the end of --record; standard output, the main thread ---- */

/* lanescope report FILE. */
enum status report_command(const struct options *options, struct error *error);
/* `lanescope export FILE --tables DIR`. */
enum status report_tables(const struct options *options, struct error *error);

/* Prints the first screen, or with --full, --wide, --lines or --kernel the tables; `file`: the recording's
 * name. */
enum status report_print(const struct session *session, const struct options *options, const char *file,
                         struct error *error);

#endif
