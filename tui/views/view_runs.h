/*
 * The state of the list of runs. The tui's thread.
 */
#ifndef TUI_VIEWS_VIEW_RUNS_H
#define TUI_VIEWS_VIEW_RUNS_H

#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/views/kernels/kernel_sweeps.h"
#include "tui/widgets/list.h"

enum run_sort { RUN_SORT_START, RUN_SORT_DEVICE, RUN_SORT_SPAN, RUN_SORT_NAME, RUN_SORT_COUNT };

struct run_list {
    struct list list;
    struct run_names names;
    struct kernel_item *items; /* by row, without the first row, which is all runs; then members of sweeps */
    size_t capacity;
    int item_count;
    uint32_t chosen; /* the run of the selected row; NONE: all runs, or the first that matches the filter */
    enum run_sort sort;
    bool reverse;
    struct kernel_sweeps sweeps;
    char filter[FILTER_SIZE];
};

/* The item of a row; NULL: the row of all runs, which is not there while a filter is. */
const struct kernel_item *runs_item(const struct run_list *runs, int row);

static inline struct run_list *runs_state(const struct screen *screen)
{
    return screen->view_state[VIEW_RUNS];
}

#endif
