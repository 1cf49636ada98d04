/*
 * The state of the kernel list: its items, how they are sorted, and what narrows them. Which kernel is
 * selected is the screen's. The tui's thread.
 */
#ifndef TUI_VIEWS_VIEW_KERNELS_H
#define TUI_VIEWS_VIEW_KERNELS_H

#include "core/session/session.h"

#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/views/kernels/kernel_gains.h"
#include "tui/widgets/list.h"

enum kernel_sort {
    SORT_TOTAL,
    SORT_GAIN,
    SORT_CALLS,
    SORT_MEDIAN,
    SORT_MIN,
    SORT_MAX,
    SORT_NAME,
    SORT_RUN,
    SORT_COUNT
};

struct kernel_item {
    uint32_t kernel, run, mark_run; /* mark_run: of a sweep one that failed, if one did */
    uint64_t launches, total_ns, min_ns, max_ns;
    int64_t typical_ns; /* of a launch: the median; -1: not known */
    const char *name;   /* the session's string */
    double gain_ns;     /* of all launches, at most; only while the list is sorted by it */
    /* Of a sweep that is folded; launches and times are then those of all its kernels, but for typical_ns: */
    int sweep_first, sweep_count; /* of medians; count 0: it is no sweep */
    uint32_t first_run, last_run; /* by parameter */
};

struct kernel_sweep { /* the kernels of that name of a workload's variant, on a GPU or on the model */
    uint32_t workload, variant;
    enum clock_kind clock;
    const char *name;
};
#define SWEEPS_OPEN_MAX 16

struct kernel_list {
    struct list list;
    bool chosen;               /* the user has chosen a row, or the run was shown first */
    int run_lines;             /* above the list's head: the run and where its time went */
    struct kernel_item *items; /* list.count of them are listed; behind them the members of folded sweeps */
    size_t capacity;
    int kernel_count;           /* in items */
    struct kernel_item *sorted; /* kernel_sweeps_fold's */
    int64_t *medians;           /* of folded sweeps, ns; -1: not known */
    int median_count;
    size_t sorted_capacity, median_capacity;
    struct kernel_sweep open[SWEEPS_OPEN_MAX]; /* unfolded ones */
    int open_count;
    uint64_t total_ns[CLOCK_COUNT]; /* of all items, by their clock */
    enum kernel_sort sort;
    bool reverse;
    char filter[FILTER_SIZE];
    uint32_t scope_group; /* only runs of this group; NONE: all */
    uint32_t hidden;      /* by the filter */
    bool one_run;         /* all items are of one run, which need not be named */
    struct run_names names;
    int name_cells;               /* of the widest kernel's name */
    int run_cells, variant_cells; /* of what is essential of a run, and with its variant */
    uint32_t modelled;            /* items whose times are the model's */
    struct kernel_gains gains;
};

static inline struct kernel_list *kernels_state(const struct screen *screen)
{
    return screen->view_state[VIEW_KERNELS];
}

#endif
