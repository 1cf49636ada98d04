/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lesson (Markdown of docs/lessons) laid out for a width: paragraphs are refilled, tables aligned, code
 * kept as it is. Its parts begin with lines "## NAME" (CONTRIBUTING.md, "A lesson"); the part Answer is shown
 * only where the reader has asked for it. Pure; any thread.
 */
#ifndef TUI_FRAME_LESSON_H
#define TUI_FRAME_LESSON_H

#include "tui/terminal/canvas.h"

#include <stdbool.h>
#include <stddef.h>

#define LESSON_ANSWER "Answer" /* the part that is hidden unless `answered` */

/* The number of lines of the text at this width. */
int lesson_lines(const char *text, int width, bool answered);
/* The line on which a part's heading is; 0: the text has no such part. */
int lesson_part_line(const char *text, const char *part, int width, bool answered);
/* Paints the lines from number `top` on into the area. */
void lesson_draw(struct canvas *canvas, struct rect area, const char *text, int top, bool answered);
/* The sentences of a part as one line, without its commands and the marks of Markdown; "": there is none. */
void lesson_part_text(const char *text, const char *part, char *line, size_t size_bytes);

#endif
