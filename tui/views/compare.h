/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs side by side: each metric of their kernels, expected beside modelled or measured, the difference
 * and the ratio. Part of the screen; the tui's thread.
 */
#ifndef TUI_VIEWS_COMPARE_H
#define TUI_VIEWS_COMPARE_H

#include "core/analysis/compare.h"

#include "tui/frame/screen.h"
#include "tui/widgets/sheet_table.h"

struct compare_side {
    uint32_t run, kernel; /* kernel NONE: the run has none */
    enum provenance own;  /* the provenance of values from the kernel's device */
    struct kernel_statistic expected[METRIC_COUNT], value[METRIC_COUNT];
};

struct compare {
    struct compare_side side[2];
    struct sheet_table table; /* its rows are `rows`: those that differ, and a group of the rest */
    struct compare_metric metrics[METRIC_COUNT]; /* valid if both have a kernel */
    struct compare_run runs;                     /* by device time; valid if both have a kernel */
    char work[200];                              /* the differences between the kernels' work; "": none */
    bool same_clock;
    enum metric rows[METRIC_COUNT]; /* those that differ, then the rest */
    int differing, rest;            /* how many of each */
    bool first[METRIC_COUNT];       /* what the verdict of either side rests on */
    uint64_t made_of;               /* the number of the session's rows that the values come from */
    int64_t made_ms;
    bool made;
};

static inline struct compare *compare_state(const struct screen *screen)
{
    return screen->view_state[VIEW_COMPARE];
}

/* Marks the current run for a comparison, or removes its mark; a third mark removes the oldest. */
void compare_mark(struct screen *screen);
/* Compares the two marked runs; with one mark, the marked and the current run; without marks, the current run
 * and the previous one of its workload. */
void compare_open(struct screen *screen);
/* 'A' or 'B' for a marked run, else a blank. */
char compare_mark_of(const struct screen *screen, uint32_t run);

#endif
