/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views in the room that the panes leave on a wide screen: under the list and under the panel. Which views
 * can be there, and how many lines each would use for what is selected, is in their table; the keys stay with
 * the panes, a click opens the view. Part of the screen; the tui's thread.
 */
#ifndef TUI_FRAME_BESIDE_H
#define TUI_FRAME_BESIDE_H

#include "tui/frame/view.h"

#define BESIDE_MAX 4

struct beside {
    const struct view *view[BESIDE_MAX];
    struct rect area[BESIDE_MAX];
    int count;
};

/* Gives the layout's room to views, and updates them. */
void beside_update(struct screen *screen);
void beside_draw(const struct screen *screen, struct canvas *canvas);
/* A slice of the work of one of them; false: there was none. */
bool beside_work(struct screen *screen);
/* False: the mouse is not on one of them. */
bool beside_mouse(struct screen *screen, const struct mouse *mouse);

#endif
