/*
 * The metrics that the panel lists, and their order: those with values first, or those that pass its filter.
 * The tui's thread.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_ROWS_H
#define TUI_VIEWS_PANEL_PANEL_ROWS_H

#include "tui/views/panel/view_panel.h"

/* rows and row_count, from the lines and the filter. */
void panel_rows_make(struct panel *panel);

/* Is the row a heading with its metrics below it? One without stands for them. */
bool panel_row_is_open_heading(const struct panel *panel, int row);
/* The metric that a row is, or for which its heading stands. */
enum metric panel_row_metric(const struct panel *panel, int row);
/* The row of a metric, or the heading that stands for it. */
int panel_row_of(const struct panel *panel, enum metric metric);
/* An open heading is not selected: go on in the direction of the move from row `before`. */
void panel_leave_heading(struct panel *panel, int before);

#endif
