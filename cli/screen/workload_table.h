/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bundled workloads as the screen lists them, with their lessons. Made once; the caller's, freed by
 * workload_table_free.
 */
#ifndef CLI_SCREEN_WORKLOAD_TABLE_H
#define CLI_SCREEN_WORKLOAD_TABLE_H

#include "core/base/error.h"
#include "tui/frame/workload.h"

struct workload_table {
    struct tui_workload *rows;
    size_t count;
    struct tui_variant *variants; /* of all rows, one after the other; params likewise */
    struct tui_param *params;
    struct tui_exercise *exercises; /* their goals; texts: what they ask for, each on the heap */
    struct tui_goal *goals;
    char **texts;
    size_t text_count;
};

enum status workload_table_make(struct workload_table *table, struct error *error);
/* Adds the exercises that have a kernel, as a chapter of their own. */
enum status workload_table_add_exercises(struct workload_table *table, struct error *error);
void workload_table_free(struct workload_table *table);

/* What the documents publish for a workload, static; *count 0: nothing. */
const struct tui_figure *figures_of(const char *workload, size_t *count);

#endif
