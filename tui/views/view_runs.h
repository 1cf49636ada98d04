/*
 * The state of the list of runs. The tui's thread.
 */
#ifndef TUI_VIEWS_VIEW_RUNS_H
#define TUI_VIEWS_VIEW_RUNS_H

#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/widgets/list.h"

struct run_list {
    struct list list;
    struct run_names names;
    uint32_t *runs;
    size_t capacity;
};

static inline struct run_list *runs_state(const struct screen *screen)
{
    return screen->view_state[VIEW_RUNS];
}

#endif
