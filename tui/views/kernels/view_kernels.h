/*
 * The state of the kernel list: its items, their order, and what limits them. The selected kernel is in
 * struct screen. The tui's thread.
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
    uint32_t kernel, run,
        mark_run; /* kernel: NONE if part is set; mark_run: of a sweep, a run that failed, if there is one */
    uint64_t launches, total_ns, min_ns, max_ns;
    uint64_t share_ns; /* the part of total_ns that the share is of: in the steps of the run, if it has any */
    int64_t typical_ns; /* of a launch: the median; -1: not known */
    const char *name;   /* the session's string, or a constant */
    uint8_t part;       /* enum partition_class: copies or idle time (kernel_parts.h); 0: a kernel */
    double gain_ns;     /* of all launches, at most; only valid while the list is sorted by it */
    /* For a folded sweep; launches and times are then those of all its kernels, except typical_ns: */
    int sweep_first, sweep_count; /* into medians; count 0: the item is not a sweep */
    uint32_t first_run, last_run; /* by parameter */
};

struct kernel_sweep { /* the kernels with this name of a workload's variant, on a GPU or on the model */
    uint32_t workload, variant;
    enum clock_kind clock;
    const char *name;
};
#define SWEEPS_OPEN_MAX 16

struct kernel_list {
    struct list list;
    bool chosen;               /* the user has selected a row, or the run was selected at the start */
    int run_lines;             /* lines above the list's heading: 1 for the run, if it is known */
    struct kernel_item *items; /* the first list.count are listed; then members of folded sweeps */
    size_t capacity;
    bool *leads; /* by kernel: it represents its work; of the first lead_count kernels */
    uint32_t lead_count;
    size_t lead_capacity;
    int item_count;             /* number of items */
    int kernel_count;           /* kernels among them */
    int64_t run_ns;             /* time of the run that the items have their shares of; 0: of all kernels */
    bool steps;                 /* it is that of the run's steps */
    struct kernel_item *sorted; /* scratch of kernel_sweeps_fold */
    int64_t *medians;           /* of folded sweeps, ns; -1: not known */
    int median_count;
    size_t sorted_capacity, median_capacity;
    struct kernel_sweep open[SWEEPS_OPEN_MAX]; /* the unfolded sweeps */
    int open_count;
    uint64_t total_ns[CLOCK_COUNT]; /* of all items, by their clock */
    enum kernel_sort sort;
    bool reverse;
    char filter[FILTER_SIZE];
    uint32_t scope_group; /* only runs of this group; NONE: all */
    uint32_t hidden;      /* by the filter */
    bool one_run;         /* all items are of one run, so rows need not name it */
    struct run_names names;
    int name_cells;               /* of the widest kernel's name */
    int run_cells, variant_cells; /* for the essential parameters of a run, without and with its variant */
    uint32_t modelled;            /* items whose times come from the model */
    struct kernel_gains gains;
};

static inline struct kernel_list *kernels_state(const struct screen *screen)
{
    return screen->view_state[VIEW_KERNELS];
}

#endif
