/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metrics that the panel lists, and their order: those with values, then a row for each reason why others
 * have no value; or those that match its filter. The tui's thread.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_ROWS_H
#define TUI_VIEWS_PANEL_PANEL_ROWS_H

#include "tui/views/panel/view_panel.h"

/* Sets rows, row_count and reasons from the lines, the advice and the filter. */
void panel_rows_make(struct panel *panel);

/* Is the row a heading with its metrics below it? A heading without metrics below represents them. */
bool panel_row_is_open_heading(const struct panel *panel, int row);
/* The reason that a row shows; NULL: the row is not a reason. */
const struct panel_reason *panel_row_reason(const struct panel *panel, int row);
/* The metric of a row, or a metric that its heading or reason represents. */
enum metric panel_row_metric(const struct panel *panel, int row);
/* The row of a metric, or the heading that represents it. */
int panel_row_of(const struct panel *panel, enum metric metric);
/* An open heading cannot be selected: moves on in the direction of the move from row `before`. */
void panel_leave_heading(struct panel *panel, int before);
/* Why the metric has no value on the kernel's own device; NULL: it has one there or elsewhere. */
const char *panel_why_missing(const struct panel *panel, enum metric metric);

#endif
