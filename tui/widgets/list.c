/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After list_update and list_select, `selected` is in 0...count - 1 (0 in an empty list) and within the
 * `height` lines from `top` on.
 */
#include "tui/widgets/list.h"

static int clamp_row(int value, int low, int high)
{
    return value > high ? (high < low ? low : high) : value < low ? low : value;
}

void list_update(struct list *list, int count, int height)
{
    list->count = count;
    list->height = height < 1 ? 1 : height;
    list_select(list, list->selected);
}

void list_select(struct list *list, int selected)
{
    list->selected = clamp_row(selected, 0, list->count - 1);
    list->top = clamp_row(list->top, list->selected - list->height + 1, list->selected);
    list->top = clamp_row(list->top, 0, list->count - list->height);
}

bool list_act(struct list *list, enum action action)
{
    int page = list->height > 1 ? list->height - 1 : 1, count = list->count < 1 ? 1 : list->count;
    switch (action) {
    case ACTION_UP: list_select(list, list->selected - 1); return true;
    case ACTION_DOWN: list_select(list, list->selected + 1); return true;
    case ACTION_PAGE_UP: list_select(list, list->selected - page); return true;
    case ACTION_PAGE_DOWN: list_select(list, list->selected + page); return true;
    case ACTION_HOME: list_select(list, 0); return true;
    case ACTION_END: list_select(list, list->count - 1); return true;
    case ACTION_NEXT: list_select(list, (list->selected + 1) % count); return true;
    case ACTION_PREVIOUS: list_select(list, (list->selected + count - 1) % count); return true;
    default: return false;
    }
}

bool list_mouse(struct list *list, const struct mouse *mouse, int line)
{
    int before = list->selected;
    if (mouse->kind == MOUSE_WHEEL_UP)
        list_select(list, list->selected - 3);
    else if (mouse->kind == MOUSE_WHEEL_DOWN)
        list_select(list, list->selected + 3);
    else if (mouse->kind == MOUSE_DOWN && line >= 0 && list->top + line < list->count)
        list_select(list, list->top + line);
    return list->selected != before;
}
