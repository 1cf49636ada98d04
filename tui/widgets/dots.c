/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A braille cell has a bit per dot; a cell that already has dots keeps them, and takes the new style.
 */
#include "tui/widgets/dots.h"

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
    int dx = x1 - x0, dy = y1 - y0, wide = dx < 0 ? -dx : dx, high = dy < 0 ? -dy : dy;
    int steps = wide > high ? wide : high;
    for (int i = 0; i <= steps; i += step)
        dots_put(dots, x0 + (steps > 0 ? dx * i / steps : 0), y0 + (steps > 0 ? dy * i / steps : 0), style);
}
