/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the list of bundled workloads. The tui's thread.
 */
#ifndef TUI_VIEWS_VIEW_WORKLOADS_H
#define TUI_VIEWS_VIEW_WORKLOADS_H

#include "tui/frame/screen.h"
#include "tui/frame/workload_search.h"
#include "tui/views/workloads/workload_pictures.h"
#include "tui/views/workloads/workload_states.h"
#include "tui/widgets/list.h"

#define WORKLOAD_PREVIEWS_MAX 8

struct workload_found {
    size_t workload; /* index in the host's table */
    enum workload_match match;
};

struct workload_list {
    struct list list;
    struct workload_found *shown; /* with a filter the best first */
    size_t capacity;
    bool searched;
    int top;       /* the first line on screen: a chapter's name is a line too */
    bool headings; /* the chapters' names have lines */
    struct workload_states states;
    struct rect frames[WORKLOAD_PREVIEWS_MAX]; /* of the previews of the selected workload and the next */
    int frame_count;
    struct workload_pictures pictures[WORKLOAD_PREVIEWS_MAX]; /* of the selected workload and the next */
    char filter[FILTER_SIZE];
    char looked_for[FILTER_SIZE]; /* the filter for which `shown` was made */
};

static inline struct workload_list *workloads_state(const struct screen *screen)
{
    return screen->view_state[VIEW_WORKLOADS];
}

#endif
