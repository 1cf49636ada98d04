/*
 * The state of the list of bundled workloads. The tui's thread.
 */
#ifndef TUI_VIEWS_VIEW_WORKLOADS_H
#define TUI_VIEWS_VIEW_WORKLOADS_H

#include "tui/frame/screen.h"
#include "tui/widgets/list.h"

struct workload_list {
    struct list list;
    size_t *shown; /* indices that pass the filter */
    size_t capacity;
    int top;       /* the first line on screen: a chapter's name is a line too */
    bool headings; /* the chapters' names are lines */
    char filter[FILTER_SIZE];
    char looked_for[FILTER_SIZE]; /* the filter that the selected one was chosen for */
};

static inline struct workload_list *workloads_state(const struct screen *screen)
{
    return screen->view_state[VIEW_WORKLOADS];
}

#endif
