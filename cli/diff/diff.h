/*
 * `lanescope diff A B`: two recordings, or two selections of one, compared kernel by kernel; limits for CI.
 * The rules for pairs and differences are in core/analysis/compare_match.h and core/analysis/compare.h. The
 * output is a table or JSON with a schema (docs/diff.schema.json). One thread.
 */
#ifndef CLI_DIFF_DIFF_H
#define CLI_DIFF_DIFF_H

#include "cli/diff/diff_result.h"
#include "cli/options/options.h"

/* Compares and writes to `out`. EXIT_CHECK: nothing was compared, a limit was exceeded, or a limit could be
 * checked nowhere. STATUS_USAGE: a limit, a selection or a file is not valid. */
enum status diff_command(const struct options *options, FILE *out, int *exit_status, struct error *error);

enum status diff_table(const struct diff *diff, FILE *out, struct error *error);
enum status diff_json(const struct diff *diff, FILE *out, struct error *error);

#endif
