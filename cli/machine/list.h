/* `lanescope list`: the bundled workloads, as text or as JSON; `lanescope glossary`: the terms. */
#ifndef CLI_MACHINE_LIST_H
#define CLI_MACHINE_LIST_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdio.h>

void list_workloads(FILE *out, bool json);
/* The terms that have the word, in the term or in its meaning; "": all. STATUS_USAGE: none has it. */
enum status list_terms(FILE *out, const char *word, struct error *error);

#endif
