/*
 * The panel of a run: its problems and what to do about them, how its time was spent, and how much of its
 * copies is hidden by kernels. The tui's thread.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_RUN_H
#define TUI_VIEWS_PANEL_PANEL_RUN_H

#include "tui/terminal/canvas.h"

#include <stdbool.h>

struct screen;

/* Should the run be shown? Yes if it was selected, or if none of its kernels can be. */
bool panel_shows_run(const struct screen *screen);
/* Computes what the run's kernels could gain. */
void panel_run_update(struct screen *screen);
/* The lines of its content at this width. */
int panel_run_lines(const struct screen *screen, int width);
void panel_run_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus);

#endif
