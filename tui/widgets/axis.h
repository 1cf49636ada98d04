/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time axis: a range of session time divided into columns, and its ticks. Pure arithmetic, exact in ns.
 * Any thread.
 */
#ifndef TUI_WIDGETS_AXIS_H
#define TUI_WIDGETS_AXIS_H

#include "tui/terminal/canvas.h"

#include <stdint.h>

struct window { /* [start_ns, end_ns), at least AXIS_SPAN_MIN */
    int64_t start_ns, end_ns;
};

#define AXIS_SPAN_MIN 64

/* The step between ticks: 1, 2 or 5 times a power of ten, large enough for labels of `label_cells` cells. */
int64_t axis_step(struct window window, int columns, int label_cells);

/* The start of a column, as in core/session/lod; and the column of a time (may be outside 0...columns-1). */
int64_t axis_column_start(struct window window, int columns, int column);
int axis_column(struct window window, int columns, int64_t time_ns);

struct window axis_zoom(struct window window, int64_t about_ns, int numerator, int denominator);
struct window axis_pan(struct window window, int64_t by_ns);
/* value x numerator / denominator, without overflow of the product. */
int64_t axis_scale(int64_t value, int64_t numerator, int64_t denominator);

struct window axis_make(int64_t start_ns,
                        int64_t end_ns); /* widened to the least span, within the range of int64 */

/*
 * Dots for charts: a grid of 2 x 4 dots per cell, in braille; in ASCII a dot is shown as a full stop for its
 * cell. Dots in the same cell are combined; other painting in the cell replaces them.
 */

struct dots {
    struct rect inside; /* cells */
    struct canvas *canvas;
};

/* x and y count from the upper left dot; a dot outside is not painted. */
void dots_put(const struct dots *dots, int x, int y, struct style style);
/* Paints every `step`-th dot of the line between two dots. */
void dots_join(const struct dots *dots, int x0, int y0, int x1, int y1, int step, struct style style);

#endif
