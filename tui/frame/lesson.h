/*
 * A lesson (Markdown of docs/lessons) laid out for a width: paragraphs are refilled, tables aligned, code
 * kept as it is. Pure; any thread.
 */
#ifndef TUI_FRAME_LESSON_H
#define TUI_FRAME_LESSON_H

#include "tui/terminal/canvas.h"

/* The number of lines of the text at this width. */
int lesson_lines(const char *text, int width);
/* Paints the lines from number `top` on into the area. */
void lesson_draw(struct canvas *canvas, struct rect area, const char *text, int top);

#endif
