/*
 * A bundled workload as the screen sees it: a table that the host fills, since tui knows no workloads. All
 * texts are the host's and constant.
 */
#ifndef TUI_FRAME_WORKLOAD_H
#define TUI_FRAME_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tui_variant {
    const char *name, *meaning;
};

struct tui_param {
    const char *name, *meaning, *unit;
    int64_t minimum, maximum, standard;
    int64_t step; /* of workload_param_step; 0: by ones where the range is short, else doubling */
    bool doubles;
};

/* A size; 0 means that the device chooses it, and its number then replaces the 0. */
static inline bool param_is_size(const struct tui_param *param)
{
    return param->standard == 0 && param->maximum > 1024;
}

/* A number that a document gives for this workload. */
struct tui_figure_point {
    double x;            /* of the parameter; NaN: the document gives none, so it is drawn as a level */
    const char *variant; /* where x is the variants; else NULL */
    double y;            /* in the metric's unit */
};
struct tui_figure {
    const char *name;   /* "smem rolling async and padding" */
    const char *gpu;    /* it was measured on */
    const char *source; /* the document, and how it says it */
    const char *param;  /* over which the figure goes; NULL: the variants */
    const char *metric; /* its id, or TUI_FIGURE_SPEEDUP */
    const struct tui_figure_point *points;
    size_t point_count; /* 0: it names none; what it shows is what the chart shows first */
};
#define TUI_FIGURE_SPEEDUP "speedup" /* over the first variant */

#define CHAPTER_TRANSFERS "C" /* copies, streams, overlap: it is the time of the run that counts */

struct tui_workload {
    const char *name;
    const char *chapter, *chapter_name; /* "B", "Shared memory"; rows of a chapter follow each other */
    const char *title, *meaning;        /* what one will see, in a line; what it teaches */
    const char *words;                  /* others that are used for it: only the search shows them */
    const struct tui_variant *variants;
    size_t variant_count;
    const struct tui_param *params;
    size_t param_count;
    const char *lesson; /* Markdown; NULL: none */
    const char *source; /* of its kernels, if it has a file of its own; else NULL */
    const struct tui_figure *figures;
    size_t figure_count;
    /* What its chart needs, "copy-stride,stride=1..32", ended by NULL; none: the workload itself. */
    const char *const *sweeps;
};

/* "offset=0..32 (1)  n=0..1024 (0)": all parameters with range and default. */
void workload_params_line(const struct tui_workload *workload, char *text, size_t size_bytes);
/* The value one key press from `number` on: by > 0 the next larger one, else the next smaller one. A multiple
 * of the step, or, doubling, the step times a power of two, or an end of the range. */
int64_t workload_param_step(const struct tui_param *param, int64_t number, int by);
/* "naive, tile, pad" */
void workload_variants_line(const struct tui_workload *workload, char *text, size_t size_bytes);

#endif
