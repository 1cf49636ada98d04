/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The column of a time is the last one that does not start after it, so axis_column is the inverse of
 * axis_column_start. Products of a span and a column need 128 bits. All times are within AXIS_LIMIT.
 */
#include "tui/widgets/axis.h"

__extension__ typedef __int128 wide; /* a span times a number of columns */

#define AXIS_LIMIT (INT64_C(1) << 60) /* about 36 years */

static int64_t clamp_time(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

struct window axis_make(int64_t start_ns, int64_t end_ns)
{
    start_ns = clamp_time(start_ns, -AXIS_LIMIT, AXIS_LIMIT - AXIS_SPAN_MIN);
    end_ns = clamp_time(end_ns, start_ns + AXIS_SPAN_MIN, AXIS_LIMIT);
    return (struct window){start_ns, end_ns};
}

int64_t axis_step(struct window window, int columns, int label_cells)
{
    int64_t span = window.end_ns - window.start_ns;
    int labels = columns / (label_cells < 1 ? 1 : label_cells);
    int64_t least = span / (labels < 1 ? 1 : labels);
    int64_t step = 1;
    for (;;) {
        if (step >= least)
            return step;
        if (2 * step >= least)
            return 2 * step;
        if (5 * step >= least)
            return 5 * step;
        step *= 10;
    }
}

int64_t axis_column_start(struct window window, int columns, int column)
{
    return window.start_ns +
           (int64_t)((wide)(window.end_ns - window.start_ns) * column / (columns < 1 ? 1 : columns));
}

int axis_column(struct window window, int columns, int64_t time_ns)
{
    wide span = window.end_ns - window.start_ns;
    wide at = (wide)(time_ns - window.start_ns) * columns;
    /* The last column whose start is not after the time: the ceiling is the inverse of axis_column_start's
     * floor. */
    wide column = at >= 0 ? at / span : -((-at + span - 1) / span);
    if (column < -1)
        return -1;
    if (column >= columns)
        return columns;
    int found = (int)column;
    while (found + 1 < columns && axis_column_start(window, columns, found + 1) <= time_ns)
        found++;
    return found;
}

struct window axis_pan(struct window window, int64_t by_ns)
{
    int64_t span = window.end_ns - window.start_ns;
    int64_t start = clamp_time(window.start_ns + by_ns, -AXIS_LIMIT, AXIS_LIMIT - span);
    return axis_make(start, start + span);
}

struct window axis_zoom(struct window window, int64_t about_ns, int numerator, int denominator)
{
    wide span = window.end_ns - window.start_ns;
    wide wanted = span * numerator / denominator;
    wanted = wanted < AXIS_SPAN_MIN ? AXIS_SPAN_MIN : wanted > AXIS_LIMIT / 4 ? AXIS_LIMIT / 4 : wanted;
    int64_t about = clamp_time(about_ns, window.start_ns, window.end_ns);
    int64_t start = about - (int64_t)((wide)(about - window.start_ns) * wanted / span);
    return axis_make(start, start + (int64_t)wanted);
}

int64_t axis_scale(int64_t value, int64_t numerator, int64_t denominator)
{
    return (int64_t)((wide)value * numerator / denominator);
}

/*
 * A braille cell has a bit per dot; a cell that already has dots keeps them, and takes the new style.
 */

#define BRAILLE 0x2800u

void dots_put(const struct dots *dots, int x, int y, struct style style)
{
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int column = dots->inside.x + x / 2, row = dots->inside.y + y / 4;
    if (x < 0 || y < 0 || !rect_holds(dots->inside, column, row))
        return;
    if (dots->canvas->ascii) {
        canvas_put(dots->canvas, column, row, '.', style);
        return;
    }
    const struct cell *cell = canvas_cell(dots->canvas, column, row);
    uint32_t codepoint = cell && (cell->codepoint & ~0xffu) == BRAILLE ? cell->codepoint : BRAILLE;
    canvas_put(dots->canvas, column, row, codepoint | bits[y % 4][x % 2], style);
}

void dots_join(const struct dots *dots, int x0, int y0, int x1, int y1, int step, struct style style)
{
    int dx = x1 - x0, dy = y1 - y0, across = dx < 0 ? -dx : dx, high = dy < 0 ? -dy : dy;
    int steps = across > high ? across : high;
    for (int i = 0; i <= steps; i += step)
        dots_put(dots, x0 + (steps > 0 ? dx * i / steps : 0), y0 + (steps > 0 ? dy * i / steps : 0), style);
}
