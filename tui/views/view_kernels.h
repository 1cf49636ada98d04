/*
 * The state of the kernel list: its items, how they are sorted, and what narrows them. Which kernel is
 * selected is the screen's. The tui's thread.
 */
#ifndef TUI_VIEWS_VIEW_KERNELS_H
#define TUI_VIEWS_VIEW_KERNELS_H

#include "core/session/session.h"

#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/views/kernel_gains.h"
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
    uint32_t kernel, run;
    uint64_t launches, total_ns, min_ns, max_ns;
    int64_t typical_ns; /* of a launch: the median; -1: not known */
    const char *name;   /* the session's string */
    double gain_ns;     /* of all launches, at most; only while the list is sorted by it */
};

struct kernel_list {
    struct list list;
    int run_lines; /* above the list's head: the run and where its time went */
    struct kernel_item *items;
    size_t capacity;
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
