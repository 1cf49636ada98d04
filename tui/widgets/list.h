/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state common to all lists: the selected row, the first row on screen, and how actions and the mouse
 * move them. Plain numbers; the rows belong to the view.
 */
#ifndef TUI_WIDGETS_LIST_H
#define TUI_WIDGETS_LIST_H

#include "tui/widgets/action.h"

#include <stdbool.h>

struct list {
    int count, selected, top, height; /* height: rows on screen at the last list_update */
};

/* Sets the number of rows and of lines; keeps the selected row on screen. */
void list_update(struct list *list, int count, int height);
void list_select(struct list *list, int selected);
/* Handles UP, DOWN, PAGE_UP, PAGE_DOWN, HOME, END, NEXT, PREVIOUS (the last two wrap around); false: another
 * action. */
bool list_act(struct list *list, enum action action);
/* `line` counts from the first row on screen; the wheel scrolls. True if the selection changed. */
bool list_mouse(struct list *list, const struct mouse *mouse, int line);

#endif
