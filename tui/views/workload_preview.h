/*
 * The preview of a workload: what it teaches, its variants and parameters, what to look at, and as much of
 * its lesson as there is room for. Part of the list of workloads; the tui's thread.
 */
#ifndef TUI_VIEWS_WORKLOAD_PREVIEW_H
#define TUI_VIEWS_WORKLOAD_PREVIEW_H

#include "tui/frame/workload.h"
#include "tui/terminal/canvas.h"

/* note: what the host says of all workloads; NULL: nothing. */
void workload_preview_draw(struct canvas *canvas, struct rect area, const struct tui_workload *workload,
                           const char *note);

#endif
