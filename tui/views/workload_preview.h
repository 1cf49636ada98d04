/*
 * The preview of a workload: what it teaches, its variants and parameters, what was
 * run of them, the lane map of what costs most, what to look at, and as much of its lesson as there is room
 * for. Part of the list of workloads; the tui's thread.
 */
#ifndef TUI_VIEWS_WORKLOAD_PREVIEW_H
#define TUI_VIEWS_WORKLOAD_PREVIEW_H

#include "tui/frame/screen.h"
#include "tui/views/view_workloads.h"

/* workload: its index in the host's table. */
void workload_preview_draw(const struct screen *screen, struct canvas *canvas, struct rect area,
                           const struct workload_list *workloads, size_t workload);

#endif
