/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rectangle of cells. A rectangle that is not shown has width or height 0. Plain numbers; any thread.
 */
#ifndef TUI_TERMINAL_RECT_H
#define TUI_TERMINAL_RECT_H

#include <stdbool.h>

struct rect {
    int x, y, width, height;
};

static inline bool rect_shown(struct rect r)
{
    return r.width > 0 && r.height > 0;
}

static inline bool rect_holds(struct rect r, int x, int y)
{
    return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height;
}

/* The rectangle without a border of one cell; not shown if nothing is left. */
static inline struct rect rect_inside(struct rect r)
{
    if (r.width <= 2 || r.height <= 2)
        return (struct rect){r.x, r.y, 0, 0};
    return (struct rect){r.x + 1, r.y + 1, r.width - 2, r.height - 2};
}

#endif
