/*
 * The description of one metric of a kernel: its meaning, which direction is better, its lesson, its formula
 * and counters, the number of launches, and why a column has no value. The most important parts come first,
 * as many as fit the area.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_DETAIL_H
#define TUI_VIEWS_PANEL_PANEL_DETAIL_H

#include "tui/terminal/canvas.h"

#include "core/metric/metric.h"

struct panel;
struct panel_reason;
struct screen;

/* cut: the metric's row does not show its whole name. */
void panel_detail_draw(const struct screen *screen, struct canvas *canvas, struct rect area,
                       enum metric metric, bool cut);

/* Lists the metrics that have no value for this reason. */
void panel_detail_draw_reason(const struct panel *panel, struct canvas *canvas, struct rect area,
                              const struct panel_reason *reason);

#endif
