/*
 * What there is to say of one metric of a kernel: what it means, what is good, where it is taught, how it is
 * computed from which counters, over how many launches, and why a column has no value. As much as the area
 * has room for, what matters most first.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_DETAIL_H
#define TUI_VIEWS_PANEL_PANEL_DETAIL_H

#include "tui/terminal/canvas.h"

#include "core/metric/metric.h"

struct screen;

/* cut: its row has no room for its whole name. */
void panel_detail_draw(const struct screen *screen, struct canvas *canvas, struct rect area,
                       enum metric metric, bool cut);

#endif
