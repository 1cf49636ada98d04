/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sweeps in a list, of kernels or of runs: rows of one workload and variant whose runs differ in their
 * parameters are one row, until the user unfolds it. The tui's thread.
 */
#ifndef TUI_VIEWS_KERNEL_SWEEPS_H
#define TUI_VIEWS_KERNEL_SWEEPS_H

#include "core/session/session.h"

#include "tui/terminal/canvas.h"

#define SWEEP_LEAST 6      /* chosen: fewer rows are easy to survey */
#define SWEEP_LEAST_LONG 4 /* in a list of LONG_LIST rows, which has no room for them */
#define LONG_LIST 40

struct kernel_item {
    uint32_t kernel, run, mark_run; /* kernel: NONE if part is set, in the list of runs the run; mark_run: of
                                       a sweep, a run that failed, if there is one */
    uint64_t launches, total_ns, min_ns, max_ns;
    uint64_t share_ns; /* the part of total_ns that the share is of: in the steps of the run, if it has any */
    int64_t typical_ns; /* of a launch: the median; -1: not known */
    const char *name;   /* the session's string, or a constant; in the list of runs the mode */
    uint8_t part;       /* enum partition_class: copies or idle time (kernel_rows.h); 0: a kernel */
    double gain_ns;     /* of all launches, at most; only valid while the list is sorted by it */
    /* For a folded sweep; launches and times are then those of all its kernels, except typical_ns: */
    int sweep_first, sweep_count; /* into medians; count 0: the item is not a sweep */
    uint32_t first_run, last_run; /* by parameter */
    bool names_differ;            /* in the number at their end, a value of the parameter */
};

/* The kernels with this name, but for a number at its end, of a workload's variant, on a GPU or on the model. */
struct kernel_sweep {
    uint32_t workload, variant;
    enum clock_kind clock;
    const char *name;
};
#define SWEEPS_OPEN_MAX 16

struct kernel_sweeps {          /* all zeros: empty */
    struct kernel_item *sorted; /* scratch of kernel_sweeps_fold */
    int64_t *medians;           /* of folded sweeps, ns; -1: not known */
    int median_count;
    size_t sorted_capacity, median_capacity;
    struct kernel_sweep open[SWEEPS_OPEN_MAX]; /* the unfolded sweeps */
    int open_count;
};
void kernel_sweeps_fini(struct kernel_sweeps *sweeps);

/* Folds the sweeps among `count` items. Afterwards the first items are those to list, whose number is
 * returned; the others are members. `wanted` (a kernel; NONE: none) represents its sweep; in other sweeps it
 * is the one that takes the most time. */
int kernel_sweeps_fold(struct kernel_sweeps *sweeps, const struct session *session, struct kernel_item *items,
                       uint32_t wanted, int count);

/* Unfolds the sweep that the item represents, or folds the sweep that it belongs to; false: it belongs to
 * none. */
bool kernel_sweeps_toggle(struct kernel_sweeps *sweeps, const struct session *session,
                          const struct kernel_item *item);

/* Draws the medians of the sweep over its parameter, each bar from 0 to the largest median; a line, if they
 * hardly differ. */
void kernel_sweeps_draw(const struct kernel_sweeps *sweeps, const struct kernel_item *item,
                        struct canvas *canvas, int x, int y, int cells, struct style style);

#endif
