/*
 * The metrics that the panel lists, and their order: those with values, then a row for each reason why others
 * have none; or those that pass its filter. The tui's thread.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_ROWS_H
#define TUI_VIEWS_PANEL_PANEL_ROWS_H

#include "tui/views/panel/view_panel.h"

/* rows, row_count and reasons, from the lines, the advice and the filter. */
void panel_rows_make(struct panel *panel);

/* Is the row a heading with its metrics below it? One without stands for them. */
bool panel_row_is_open_heading(const struct panel *panel, int row);
/* The reason that a row is; NULL: it is another row. */
const struct panel_reason *panel_row_reason(const struct panel *panel, int row);
/* The metric that a row is, or for which its heading or reason stands. */
enum metric panel_row_metric(const struct panel *panel, int row);
/* The row of a metric, or the heading that stands for it. */
int panel_row_of(const struct panel *panel, enum metric metric);
/* An open heading is not selected: go on in the direction of the move from row `before`. */
void panel_leave_heading(struct panel *panel, int before);
/* Why the metric has no value, on the kernel's own device; NULL: it has one there or elsewhere. */
const char *panel_why_missing(const struct panel *panel, enum metric metric);

#endif
