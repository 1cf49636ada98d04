/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places of the panes. The timeline gets no more lines than it can use, and at most half of the body, or
 * on a tall screen the lines that the lists do not need; below STACK_HEIGHT lines only the focused pane is
 * shown.
 */
#include "tui/widgets/layout.h"

/* The least sizes for which the pane is shown beside the others. */
#define STACK_HEIGHT 12 /* timeline above, one pane below */
#define SPLIT_WIDTH 76  /* two panes below, side by side */
#define PANEL_WIDTH_BEST 62
#define LIST_WIDTH_BEST 118
#define LIST_HEIGHT_LEAST 5
#define ROOM_PANE_LEAST 8   /* lines of a pane that leaves room */
#define ROOM_WIDTH 116      /* from this width on, room that panes leave is given to other views */
#define LISTS_HEIGHT 26     /* with this height the panel has room for its verdict and the related metrics */
#define TIMELINE_OVERHEAD 5 /* frame (2), axis, minimap, read-out */

static int clamp_cells(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* Takes from the pane the lines that it does not need, if there are enough. */
static struct rect cut_room(struct rect *pane, int rows)
{
    int lines = rows + 2 > ROOM_PANE_LEAST ? rows + 2 : ROOM_PANE_LEAST;
    if (rows <= 0 || pane->height - lines < LAYOUT_ROOM_LINES)
        return (struct rect){0};
    struct rect room = {pane->x, pane->y + lines, pane->width, pane->height - lines};
    pane->height = lines;
    return room;
}

struct layout layout_compute(int width, int height, enum pane focus, int timeline_rows, int list_rows,
                             int panel_rows)
{
    struct layout layout = {.too_small = width < LAYOUT_WIDTH_MIN || height < LAYOUT_HEIGHT_MIN};
    if (layout.too_small)
        return layout;

    int top = 0, bottom = height;
    if (height >= 8) {
        layout.header = (struct rect){0, top, width, 1};
        top++;
    }
    if (height >= 10) {
        bottom--;
        layout.keys = (struct rect){0, bottom, width, 1};
    }
    bottom--;
    layout.status = (struct rect){0, bottom, width, 1};
    layout.body = (struct rect){0, top, width, bottom - top};

    int body = bottom - top;
    if (body < STACK_HEIGHT) {
        layout.pane[focus] = layout.body;
        return layout;
    }
    int lists = clamp_cells(list_rows + 2, LISTS_HEIGHT, (body + 1) / 2);
    if (lists > (body + 1) / 2)
        lists = (body + 1) / 2;
    int timeline = clamp_cells(timeline_rows + TIMELINE_OVERHEAD, 6, body - lists);
    if (body - timeline < LIST_HEIGHT_LEAST)
        timeline = body - LIST_HEIGHT_LEAST;
    layout.pane[PANE_TIMELINE] = (struct rect){0, top, width, timeline};
    struct rect below = {0, top + timeline, width, body - timeline};
    if (width < SPLIT_WIDTH) {
        enum pane lower = focus == PANE_PANEL ? PANE_PANEL : PANE_KERNELS;
        layout.pane[lower] = below;
        return layout;
    }
    int panel = clamp_cells(width * 48 / 100, 42, PANEL_WIDTH_BEST);
    if (width - panel > LIST_WIDTH_BEST)
        panel = width - LIST_WIDTH_BEST;
    layout.pane[PANE_KERNELS] = (struct rect){0, below.y, width - panel, below.height};
    layout.pane[PANE_PANEL] = (struct rect){width - panel, below.y, panel, below.height};
    if (width >= ROOM_WIDTH) {
        layout.room[0] = cut_room(&layout.pane[PANE_KERNELS], list_rows);
        layout.room[1] = cut_room(&layout.pane[PANE_PANEL], panel_rows);
    }
    return layout;
}
