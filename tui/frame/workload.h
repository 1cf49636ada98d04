/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bundled workload as the screen sees it: a table that the host fills, since tui does not know the
 * workloads. All texts belong to the host and are constant.
 */
#ifndef TUI_FRAME_WORKLOAD_H
#define TUI_FRAME_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tui_variant {
    const char *name, *meaning;
    bool bound; /* it does less than the others: never the best of them */
};

struct tui_param {
    const char *name, *meaning, *unit;
    int64_t minimum, maximum, standard;
    int64_t step; /* for workload_param_step; 0: steps of 1 if the range is short, else doubling */
    bool doubles;
};

/* Is the parameter a size for which 0 means that the device chooses? The chosen number then replaces the 0.
 */
static inline bool param_is_size(const struct tui_param *param)
{
    return param->standard == 0 && param->maximum > 1024;
}

#define PARAM_AUTO "auto" /* is shown, and may be typed, for that 0 */

/* "offset=0..32 (1)": the default as it is shown. */
struct param_text {
    char text[24];
};
struct param_text param_standard(const struct tui_param *param);

/* A number that a document gives for this workload. */
struct tui_figure_point {
    double x; /* value of the parameter; NaN: the document gives none, so the number is drawn as a level */
    const char *variant; /* if the x axis is the variants; else NULL */
    double y;            /* in the metric's unit */
};
struct tui_figure {
    const char *name;   /* "smem rolling async and padding" */
    const char *gpu;    /* the GPU that it was measured on */
    const char *source; /* the document, and its words */
    const char *param;  /* the parameter on the x axis; NULL: the variants */
    const char *metric; /* its id, or TUI_FIGURE_SPEEDUP */
    const struct tui_figure_point *points;
    size_t point_count; /* 0: none are given; the figure then shows what the chart shows first */
};
#define TUI_FIGURE_SPEEDUP "speedup" /* over the first variant */

/* What an exercise's kernel has to reach. */
struct tui_goal {
    int metric; /* enum metric; METRIC_COUNT: a share of the run, in per cent, that the host computes */
    const char *title;
    bool at_least; /* else at most */
    double limit;
};

/* A row that is an exercise: a broken kernel for the user to mend, run in a case of a workload. Its `name` is
 * "exercise:NAME", its lesson says what to reach, and it has no variants and parameters. */
struct tui_exercise {
    const char *name, *spec; /* "coalesce"; the case, "copy-offset,offset=0" */
    const struct tui_goal *goals;
    size_t goal_count;
};

#define CHAPTER_TRANSFERS "C" /* copies, streams, overlap: the time of the whole run matters */

struct tui_workload {
    const char *name;
    const char *chapter, *chapter_name; /* "B", "Shared memory"; the rows of a chapter follow each other */
    const char *title, *meaning;        /* what one will see, in one line; what it teaches */
    const char *words;                  /* other words for it: used only by the search */
    const struct tui_variant *variants;
    size_t variant_count;
    const struct tui_param *params;
    size_t param_count;
    const char *lesson; /* Markdown; NULL: none */
    const char *source; /* source file of its kernels; NULL: it has none of its own */
    const struct tui_figure *figures;
    size_t figure_count;
    /* The cases that its chart needs, "copy-stride,stride=1..32", terminated by NULL; empty: the workload
     * itself. */
    const char *const *sweeps;
    unsigned minutes;                    /* that its lesson takes; 0: not known */
    const struct tui_exercise *exercise; /* NULL: it is a workload */
};

/* "offset=0..32 (1)  n=0..1048576 (auto)": all parameters with range and default. */
void workload_params_line(const struct tui_workload *workload, char *text, size_t size_bytes);
/* The value one key press from `number`: by > 0 the next larger one, else the next smaller one. It is a
 * multiple of the step, or when doubling the step times a power of two, or an end of the range. */
int64_t workload_param_step(const struct tui_param *param, int64_t number, int by);
/* "naive, tile, pad" */
void workload_variants_line(const struct tui_workload *workload, char *text, size_t size_bytes);

#endif
