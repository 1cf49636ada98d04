/*
 * Which metrics the panel lists, and in which order: what says something first, or what passes its filter.
 * The tui's thread.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_ROWS_H
#define TUI_VIEWS_PANEL_PANEL_ROWS_H

#include "tui/frame/screen.h"

/* rows and row_count, from the lines and the filter. */
void panel_rows_make(struct panel *panel);

#endif
