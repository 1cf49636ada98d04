/*
 * The lines above a kernel's metrics: the advice on it and on its run, and its launch shape.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_HEAD_H
#define TUI_VIEWS_PANEL_PANEL_HEAD_H

#include "tui/terminal/canvas.h"

#include <stdbool.h>

struct panel;
struct screen;

/* Does the first advice need a second line? */
bool panel_head_wraps(const struct panel *panel, int width);
/* Lines that the advice would fill beyond the first. */
int panel_head_further_lines(const struct panel *panel, int width);

/* The number of lines of advice on the kernel's run; 0: none is known. */
int panel_head_run_lines(const struct panel *panel, int width);

void panel_head_draw_run(const struct panel *panel, struct canvas *canvas, struct rect lines);
void panel_head_draw_advice(const struct panel *panel, struct canvas *canvas, struct rect lines);
void panel_head_draw_shape(const struct screen *screen, struct canvas *canvas, struct rect line);

#endif
