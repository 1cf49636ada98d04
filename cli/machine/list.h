/* SPDX-License-Identifier: Apache-2.0 */
/* `lanescope list`: the bundled workloads, as text or as JSON; `lanescope glossary`: the terms. */
#ifndef CLI_MACHINE_LIST_H
#define CLI_MACHINE_LIST_H

#include "cli/output/sheet_print.h"

#include <stdbool.h>
#include <stdio.h>

/* What is there without a recording: workloads, variants, parameters, models, metrics, terms, syllabi. None
 * reads `from`. Past the end NULL. */
const struct sheet *list_sheet_at(size_t index);

extern const struct sheet_document list_document; /* list --json: docs/list.schema.json */

/* From now on the sheet of syllabi has this document alone. STATUS_USAGE: there is none of this name. */
enum status list_document_choose(const char *name, struct error *error);
enum status list_workloads(FILE *out, bool json, struct error *error);
/* The terms that have the word, in the term or in its meaning; "": all. STATUS_USAGE: none has it. */
enum status list_terms(FILE *out, const char *word, struct error *error);

#endif
