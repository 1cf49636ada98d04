/*
 * The basis of a kernel's verdict: the numbers of the first advice as bars, actual above ideal; the source
 * line that it is about; and gauges of the units that limit kernels. The number of lines of each part is
 * requested before it is drawn. The tui's thread.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_CARD_H
#define TUI_VIEWS_PANEL_PANEL_CARD_H

#include "tui/terminal/canvas.h"

#include <stdbool.h>

struct panel;
struct run_verdict;
struct session;

/* One line for each number of the first advice; 0: there is no problem, or nothing was counted. */
int panel_card_why_lines(const struct panel *panel, int width);
void panel_card_draw_why(const struct panel *panel, struct canvas *canvas, struct rect lines);

/* Finds the text of the line that the first advice names. */
void panel_card_find_line(struct panel *panel, const struct session *session);
void panel_card_draw_line(const struct panel *panel, struct canvas *canvas, struct rect line);

/* The lines of the gauges that have a value, two gauges in a line if they fit. */
int panel_card_gauge_lines(const struct panel *panel, int width);
void panel_card_draw_gauges(const struct panel *panel, struct canvas *canvas, struct rect lines);

/* Draws only the gauge of a run's copies; false: the run has none. */
bool panel_card_draw_overlap(const struct run_verdict *verdict, struct canvas *canvas, int x, int y,
                             int cells);

#endif
