/*
 * The panel of a run: what is wrong with it and what to do, where its time went, and how much of its copies
 * kernels hide. The tui's thread.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_RUN_H
#define TUI_VIEWS_PANEL_PANEL_RUN_H

#include "tui/terminal/canvas.h"

#include <stdbool.h>

struct screen;

/* Is the run to be shown: it was chosen, or none of its kernels can be? */
bool panel_shows_run(const struct screen *screen);
/* What the run's kernels have to gain. */
void panel_run_update(struct screen *screen);
void panel_run_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus);

#endif
