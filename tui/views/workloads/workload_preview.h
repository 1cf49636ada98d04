/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preview of a workload: what it teaches, its variants and parameters, the results of its runs, the lane
 * map of its most expensive accesses, what to look at, and as much of its lesson as fits. Part of the list of
 * workloads; the tui's thread.
 */
#ifndef TUI_VIEWS_WORKLOAD_PREVIEW_H
#define TUI_VIEWS_WORKLOAD_PREVIEW_H

#include "tui/frame/screen.h"
#include "tui/views/workloads/workload_pictures.h"
#include "tui/views/workloads/workload_states.h"

/* workload: a row of the host's table. note: the host's note on all of them, or NULL. Returns the lines used.
 */
int workload_preview_draw(const struct screen *screen, struct canvas *canvas, struct rect area,
                          const struct workload_states *states, const struct workload_pictures *pictures,
                          const struct tui_workload *workload, const char *note);

#endif
