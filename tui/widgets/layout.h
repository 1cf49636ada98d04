/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of a screen of a given size. Pure geometry: no session, no terminal. All units are cells. Any
 * thread.
 *
 * Rectangles that are shown are not empty, lie inside the screen and don't overlap; a rectangle that is not
 * shown has width 0.
 */
#ifndef TUI_WIDGETS_LAYOUT_H
#define TUI_WIDGETS_LAYOUT_H

#include "tui/terminal/canvas.h"

#include <stdbool.h>

/* A smaller screen shows only the message that it is too small. */
#define LAYOUT_WIDTH_MIN 20
#define LAYOUT_HEIGHT_MIN 5

enum pane { PANE_TIMELINE, PANE_KERNELS, PANE_PANEL, PANE_COUNT };

#define LAYOUT_ROOMS 2
#define LAYOUT_ROOM_LINES 8 /* lines that such a room has at least, with a frame */

struct layout {
    bool too_small;
    struct rect header; /* one line: the current subject */
    struct rect pane[PANE_COUNT];
    struct rect room[LAYOUT_ROOMS]; /* what the list does not need of a wide screen, and what the panel */
    struct rect status;             /* one line */
    struct rect keys;               /* one line of key hints */
    struct rect body;               /* all of the panes together: the place of a full view */
};

/* timeline_rows: lines that the timeline needs for its content (without axis and frame); list_rows: lines
 * that the list below it needs; panel_rows: those of the panel; 0: as many as there are. */
struct layout layout_compute(int width, int height, enum pane focus, int timeline_rows, int list_rows,
                             int panel_rows);

#endif
