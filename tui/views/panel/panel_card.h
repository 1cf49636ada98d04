/*
 * What a kernel's verdict rests on: the numbers of the first advice as bars, actual above ideal; the line of
 * source it is about; and gauges of the units that limit kernels. How many lines each takes is asked before
 * it is drawn. The tui's thread.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_CARD_H
#define TUI_VIEWS_PANEL_PANEL_CARD_H

#include "tui/terminal/canvas.h"

#include <stdbool.h>

struct panel;
struct run_verdict;
struct session;

/* One line for each number of the first advice; 0: nothing is wrong, or nothing was counted. */
int panel_card_why_lines(const struct panel *panel, int width);
void panel_card_draw_why(const struct panel *panel, struct canvas *canvas, struct rect lines);

/* Takes the text of the line that the first advice names. */
void panel_card_find_line(struct panel *panel, const struct session *session);
void panel_card_draw_line(const struct panel *panel, struct canvas *canvas, struct rect line);

/* Of the gauges that have a value, two to a line where that fits. */
int panel_card_gauge_lines(const struct panel *panel, int width);
void panel_card_draw_gauges(const struct panel *panel, struct canvas *canvas, struct rect lines);

/* The gauge of a run's copies alone; false: it has none. */
bool panel_card_draw_overlap(const struct run_verdict *verdict, struct canvas *canvas, int x, int y,
                             int cells);

#endif
