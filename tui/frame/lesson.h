/*
 * A lesson (Markdown of docs/lessons) laid out for a width: paragraphs are refilled, tables aligned, code
 * kept. Pure; any thread.
 */
#ifndef TUI_FRAME_LESSON_H
#define TUI_FRAME_LESSON_H

#include "tui/terminal/canvas.h"

/* Lines that the text takes at this width. */
int lesson_lines(const char *text, int width);
/* Paint the lines from `top` on into the area. */
void lesson_draw(struct canvas *canvas, struct rect area, const char *text, int top);

#endif
