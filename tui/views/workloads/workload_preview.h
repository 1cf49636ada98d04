/*
 * The preview of a workload: what it teaches, its variants and parameters, what was
 * run of them, the lane map of what costs most, what to look at, and as much of its lesson as there is room
 * for. Part of the list of workloads; the tui's thread.
 */
#ifndef TUI_VIEWS_WORKLOAD_PREVIEW_H
#define TUI_VIEWS_WORKLOAD_PREVIEW_H

#include "tui/frame/screen.h"
#include "tui/views/workloads/workload_pictures.h"
#include "tui/views/workloads/workload_states.h"

/* workload: of the host's table. note: the host's on all of them, or NULL. */
void workload_preview_draw(const struct screen *screen, struct canvas *canvas, struct rect area,
                           const struct workload_states *states, const struct workload_pictures *pictures,
                           const struct tui_workload *workload, const char *note);

#endif
