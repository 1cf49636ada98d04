/*
 * The lane map of the selected kernel in room that the panes leave: of a bundled workload what its table
 * states, of a program's kernel what was recorded. Nothing runs for it. Part of the lane map; the tui's
 * thread.
 */
#ifndef TUI_VIEWS_LANES_LANE_BESIDE_H
#define TUI_VIEWS_LANES_LANE_BESIDE_H

#include "tui/terminal/canvas.h"

#include <stdbool.h>

struct screen;

/* For the view's table: lines of the map at this width; 0: no addresses are known. */
int lane_beside_lines(struct screen *screen, int width);
void lane_beside_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus);

#endif
