/*
 * The lines above a kernel's metrics: the advice on it and on its run, and its launch shape.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_HEAD_H
#define TUI_VIEWS_PANEL_PANEL_HEAD_H

#include "tui/terminal/canvas.h"

#include <stdbool.h>

struct panel;
struct screen;

/* The lines for the problem of the kernel's run; 0: no problem is known. */
int panel_head_run_lines(const struct panel *panel, int width);
void panel_head_draw_run(const struct panel *panel, struct canvas *canvas, struct rect lines);

/* The first advice, a sentence; 0: there is no advice. */
int panel_head_advice_lines(const struct panel *panel, int width);
void panel_head_draw_advice(const struct panel *panel, struct canvas *canvas, struct rect lines);

/* What to do about it. */
int panel_head_next_lines(const struct panel *panel, int width);
void panel_head_draw_next(const struct panel *panel, struct canvas *canvas, struct rect lines);

/* The other advice, a line each. */
int panel_head_more_lines(const struct panel *panel);
void panel_head_draw_more(const struct panel *panel, struct canvas *canvas, struct rect lines);

void panel_head_draw_shape(const struct screen *screen, struct canvas *canvas, struct rect line);

#endif
