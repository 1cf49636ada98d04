/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the kernel list: its items, their order, and what limits them. The selected kernel is in
 * struct screen.
 *
 * The upper bound of each listed kernel's gain by the rules of advice is shown as the mark beside the
 * kernel's letter, and as a column if it fits. It is computed from a snapshot of the session's values, which
 * is renewed when these change; a kernel is evaluated when it is first needed. The tui's thread.
 */
#ifndef TUI_VIEWS_VIEW_KERNELS_H
#define TUI_VIEWS_VIEW_KERNELS_H

#include "core/analysis/kernel_index.h"
#include "core/session/session.h"
#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/views/kernels/kernel_sweeps.h"
#include "tui/widgets/list.h"

/* A snapshot walks all launches: the most launches for which one is made. While values still arrive and it is
 * renewed often, the limit is a tenth. */
#define KERNEL_GAINS_LAUNCHES_MAX 1000000u

struct kernel_gain {
    enum kernel_gain_state {
        GAIN_NOT_ASKED,
        GAIN_UNKNOWN, /* the rules have no values for it */
        GAIN_NOTHING, /* the rules find no problem */
        GAIN_SOME
    } state;
    float share; /* of the kernel's time, at most */
};

struct kernel_gains {
    struct kernel_index *index; /* NULL: it could not be made, or there are too many launches */
    struct kernel_gain *kernels;
    uint32_t count;
    bool known;       /* the rules could evaluate at least one kernel so far */
    bool coming;      /* they will, when the recording has been read */
    uint64_t made_of; /* number of values in the session */
    int64_t made_ms;
};

/* Renews the snapshot if it is due; soon: values still arrive. */
void kernel_gains_update(struct kernel_gains *gains, const struct session *session, bool soon,
                         int64_t clock_ms);
void kernel_gains_fini(struct kernel_gains *gains);

/* Evaluates the kernel now if that has not been done yet. */
struct kernel_gain kernel_gains_judge(struct kernel_gains *gains, uint32_t kernel);
/* The gain if the kernel has been evaluated. */
struct kernel_gain kernel_gains_of(const struct kernel_gains *gains, uint32_t kernel);

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

#define NAMES_MOST 60 /* cells of a name or a run that are told apart */

struct kernel_list {
    struct list list;
    bool chosen;               /* the user has selected a row; until then the top is shown */
    int run_lines;             /* lines above the list's heading: 1 for the run, if it is known */
    struct kernel_item *items; /* the first list.count are listed; then members of folded sweeps */
    size_t capacity;
    bool *leads; /* by kernel: it represents its work; of the first lead_count kernels */
    uint32_t lead_count;
    size_t lead_capacity;
    int item_count;   /* number of items */
    int kernel_count; /* kernels among them */
    int64_t run_ns;   /* time of the run that the items have their shares of; 0: of all kernels */
    bool steps;       /* it is that of the run's steps */
    struct kernel_sweeps sweeps;
    uint64_t total_ns[CLOCK_COUNT]; /* of all items, by their clock */
    enum kernel_sort sort;
    bool reverse;
    char filter[FILTER_SIZE];
    uint32_t scope_group; /* only runs of this group; NONE: all */
    uint32_t hidden;      /* by the filter */
    bool one_run;         /* all items are of one run, so rows need not name it */
    struct run_names names;
    int name_cells;    /* of the widest kernel's name */
    int run_cells;     /* for the essential parameters of a run, without its variant */
    uint32_t modelled; /* items whose times come from the model */
    int *rows_of_name; /* by the number of the kernel's name */
    size_t name_capacity;
    int names_of_cells[NAMES_MOST + 1], runs_of_cells[NAMES_MOST + 1]; /* rows by their cells, and longer */
    struct kernel_gains gains;
};

static inline struct kernel_list *kernels_state(const struct screen *screen)
{
    return screen->view_state[VIEW_KERNELS];
}

#endif
