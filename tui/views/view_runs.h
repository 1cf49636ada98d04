/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the list of runs. The tui's thread.
 */
#ifndef TUI_VIEWS_VIEW_RUNS_H
#define TUI_VIEWS_VIEW_RUNS_H

#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/views/kernels/kernel_sweeps.h"
#include "tui/widgets/sheet_table.h"

struct run_list {
    struct sheet_table table; /* its rows are the items, after the first row, which is all runs */
    struct run_names names;
    struct kernel_item *items, *shown; /* as they are now; as the table has them */
    size_t capacity, shown_capacity;
    int item_count, shown_count;
    uint32_t chosen; /* the run of the selected row; NONE: all runs */
    struct kernel_sweeps sweeps;
};

/* The item of a line of the table; NULL: all runs, or no run. */
const struct kernel_item *runs_item(const struct run_list *runs, int line);

static inline struct run_list *runs_state(const struct screen *screen)
{
    return screen->view_state[VIEW_RUNS];
}

#endif
