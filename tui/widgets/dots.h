/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dots for charts: a grid of 2 x 4 dots per cell, in braille; in ASCII a dot is shown as a full stop for its
 * cell. Dots in the same cell are combined; other painting in the cell replaces them.
 */
#ifndef TUI_WIDGETS_DOTS_H
#define TUI_WIDGETS_DOTS_H

#include "tui/terminal/canvas.h"

struct dots {
    struct rect inside; /* cells */
    struct canvas *canvas;
};

/* x and y count from the upper left dot; a dot outside is not painted. */
void dots_put(const struct dots *dots, int x, int y, struct style style);
/* Paints every `step`-th dot of the line between two dots. */
void dots_join(const struct dots *dots, int x0, int y0, int x1, int y1, int step, struct style style);

#endif
