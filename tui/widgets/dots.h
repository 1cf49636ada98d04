/*
 * Dots for charts: a grid of 2 x 4 dots per cell, braille; in ASCII a dot fills its cell as a full stop. Dots
 * of one cell join; what is painted there afterwards replaces them.
 */
#ifndef TUI_WIDGETS_DOTS_H
#define TUI_WIDGETS_DOTS_H

#include "tui/terminal/canvas.h"

struct dots {
    struct rect inside; /* cells */
    struct canvas *canvas;
};

/* From the upper left; one outside paints nothing. */
void dots_put(const struct dots *dots, int x, int y, struct style style);
/* Every `step`-th dot of the way between two. */
void dots_join(const struct dots *dots, int x0, int y0, int x1, int y1, int step, struct style style);

#endif
