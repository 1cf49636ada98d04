/*
 * The first lines of a comparison: how many kernels became slower or faster, which, by how much, and which of
 * their counts changed too. A time has changed if the difference is certain or beyond the spread of the
 * launches.
 */
#ifndef CLI_DIFF_DIFF_SUMMARY_H
#define CLI_DIFF_DIFF_SUMMARY_H

#include "cli/diff/diff.h"

/* Prints nothing if nothing was matched. STATUS_STATE: as diff_runs_make. */
enum status diff_summary(const struct diff *diff, FILE *out, struct error *error);

#endif
