/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lanescope exercise`: lists the exercises, writes one to the current folder, or checks a student's file.
 * `lanescope grade`: checks many, for the teacher. The main thread.
 */
#ifndef CLI_EXERCISE_EXERCISE_H
#define CLI_EXERCISE_EXERCISE_H

#include "cli/options/options.h"
#include "cli/output/sheet_print.h"

/* *exit_status: EXIT_CHECK if a hand-in did not pass. */
enum status exercise_command(const struct options *options, int *exit_status, struct error *error);
enum status grade_command(const struct options *options, int *exit_status, struct error *error);

/* The table of exercises; `from` is NULL. Past the end NULL. */
const struct sheet *exercise_sheet_at(size_t index);

extern const struct sheet_document grade_document; /* grade --json: docs/grade.schema.json */

#endif
