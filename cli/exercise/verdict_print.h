/*
 * Verdicts as text: one hand-in in full, for the student; many as a table, for the teacher; and as JSON
 * (docs/grade.schema.json). File names are text from outside. Errors stay in the stream.
 */
#ifndef CLI_EXERCISE_VERDICT_PRINT_H
#define CLI_EXERCISE_VERDICT_PRINT_H

#include "cli/exercise/grade.h"

#include <stdio.h>

void verdict_print(const struct grade_job *job, int columns, FILE *out);
/* hints: below each row that is short. */
void verdicts_print_table(const struct grade_job *jobs, size_t count, enum confinement how, double seconds,
                          bool hints, int columns, FILE *out);
void verdicts_print_json(const struct grade_job *jobs, size_t count, enum confinement how, double seconds,
                         FILE *out);

/* The text in lines of at most `columns`, those after the first with `indent` blanks before them; the first
 * line has `indent` cells already. */
void print_wrapped_text(const char *text, int indent, int columns, FILE *out);

#endif
