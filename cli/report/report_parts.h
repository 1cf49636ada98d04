/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the full report, each printed from a session that no longer changes: the cost of lines, where kernels and copies are called, counters over time, advice. Internal to cli/report, but for what export needs;
 * as report.h says of threads and text from outside.
 */
#ifndef CLI_REPORT_REPORT_PARTS_H
#define CLI_REPORT_REPORT_PARTS_H

#include "cli/output/json.h"
#include "cli/report/data/report_data.h"
#include "core/advice/advice.h"
#include "core/analysis/code_costs.h"
#include "tui/widgets/short_names.h"

#include <stdbool.h>
#include <stdio.h>

/* "instructions" of all kernels: docs/export.schema.json. */
void report_instructions_json(struct json *json, const struct session *session);

/* Each kernel's ten costliest lines (`wide`: all with a cost), measured; if nothing was measured, those of a
 * bundled workload's kernel are modelled, which takes a tenth of a second each. */
enum status report_lines_table(const struct session *session, struct short_names *names, const char *kernels,
                               FILE *out, bool wide, struct error *error);

/* The program's places where kernels, copies and sets are called, most device time first, with their callers; the
 * first fifteen, `wide`: all. */
void report_stacks_table(const struct report_data *data, FILE *out, bool wide);

/* Counters over time, a line per series for the first few runs that have samples, with `wide` for all; for a
 * session without runs over all samples. */
enum status report_samples_table(const struct report_data *data, FILE *out, bool wide, struct error *error);

/* The advice on a kernel, most to gain first, with its source line if known. It is made once, and kept while the
 * session has few kernels. */
void report_advice_of_kernel(const struct report_data *data, uint32_t kernel, struct advice_list *list);

/* Prints all advice of a session, under its kernels and runs; nothing if nothing is wrong. */
enum status report_advice_table(const struct report_data *data, FILE *out, bool wide, struct error *error);

#endif
