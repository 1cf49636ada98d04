/*
 * What the screen knows of a bundled workload: a table that the host fills, since tui knows no workloads. All
 * texts are the host's and constant.
 */
#ifndef TUI_WORKLOAD_H
#define TUI_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tui_variant {
    const char *name, *meaning;
};

struct tui_param {
    const char *name, *meaning, *unit;
    int64_t minimum, maximum, standard;
};

struct tui_workload {
    const char *name, *chapter, *title, *meaning;
    const struct tui_variant *variants;
    size_t variant_count;
    const struct tui_param *params;
    size_t param_count;
    const char *lesson; /* Markdown; NULL: none */
};

/* "offset=0..32 (1)  n=0..1024 (0)": all parameters with range and default. */
void workload_params_line(const struct tui_workload *workload, char *text, size_t size_bytes);
/* "naive, tile, pad" */
void workload_variants_line(const struct tui_workload *workload, char *text, size_t size_bytes);

#endif
