/*
 * The cost of lines and instructions in the reports: a table of each kernel's costliest lines (`lanescope
 * report
 * --lines`), and JSON for report and export. Reads a session that no longer changes. One thread.
 */
#ifndef CLI_REPORT_REPORT_LINES_H
#define CLI_REPORT_REPORT_LINES_H

#include "cli/output/json.h"
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

#endif
