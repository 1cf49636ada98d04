/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text in large letters, made of blocks, for what is read from the back of a room. A letter is a picture of 5
 * x 7 points. Pure except for the canvas; the tui's thread.
 */
#ifndef TUI_WIDGETS_BIG_TEXT_H
#define TUI_WIDGETS_BIG_TEXT_H

#include "tui/terminal/canvas.h"

#define BIG_TEXT_MAX 200 /* characters of a text */

enum big_size {
    BIG_NORMAL, /* the terminal's letters */
    BIG_NARROW, /* 3 x 4 cells: a point is a quarter of a cell */
    BIG_WIDE,   /* 6 x 4 cells: a point is half of one */
    BIG_SIZE_COUNT
};

/* The lines of the canvas that the text takes, broken at blanks; 0: it cannot be drawn in this size, as a
 * word is wider than the line, or a character has no picture. */
int big_text_lines(const char *text, enum big_size size, int width);
/* Draws it, if it can be drawn and the area has the lines; the style's foreground is the letters' colour. */
void big_text_draw(struct canvas *canvas, struct rect area, struct style style, const char *text,
                   enum big_size size);

#endif
