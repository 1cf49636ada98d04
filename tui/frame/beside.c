/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rooms are filled from the top, views are taken in the order of their tables; the last one in a room gets
 * what is left of it. A room for which no view is left goes back to the pane that left it.
 */
#include "tui/frame/beside.h"

#include "tui/frame/screen.h"

#define FRAME_LINES 2
#define EVENTS_MAX UINT64_C(1000000) /* views of a range read all its events again after each move */

static bool has_too_many_events(const struct screen *screen, const struct view *view)
{
    return (view->flags & VIEW_OF_RANGE) != 0 && session_event_count(screen->session) > EVENTS_MAX;
}

/* The next view after this order that has something to show, and the lines that it would use, with its frame;
 * NULL: there is none. */
static const struct view *next_view(struct screen *screen, int after, int width, int *lines)
{
    for (;;) {
        const struct view *next = NULL;
        for (enum view_id id = 0; id < VIEW_COUNT; id++) {
            const struct view *view = screen->views[id];
            if (view->beside.lines && view->beside.order > after &&
                (!next || view->beside.order < next->beside.order))
                next = view;
        }
        if (!next)
            return NULL;
        *lines = has_too_many_events(screen, next) ? 0 : next->beside.lines(screen, width - FRAME_LINES);
        if (*lines > 0) {
            *lines += FRAME_LINES;
            return next;
        }
        after = next->beside.order;
    }
}

/* Gives a room to views, the first after *order; `shares`: the last one is left to another room. False: there
 * is none. */
static bool fill_room(struct screen *screen, struct rect room, bool shares, int *order)
{
    struct beside *beside = &screen->beside;
    const struct view *view;
    int before = beside->count, lines, next;
    while (room.height >= LAYOUT_ROOM_LINES && beside->count < BESIDE_MAX &&
           (view = next_view(screen, *order, room.width, &lines))) {
        if (shares && beside->count > before && !next_view(screen, view->beside.order, room.width, &next))
            break;
        *order = view->beside.order;
        lines = lines < LAYOUT_ROOM_LINES ? LAYOUT_ROOM_LINES : lines > room.height ? room.height : lines;
        beside->view[beside->count] = view;
        beside->area[beside->count++] = (struct rect){room.x, room.y, room.width, lines};
        room.y += lines;
        room.height -= lines;
    }
    if (beside->count > before)
        beside->area[beside->count - 1].height += room.height;
    return beside->count > before;
}

void beside_update(struct screen *screen)
{
    static const enum pane left_by[LAYOUT_ROOMS] = {PANE_KERNELS, PANE_PANEL};
    struct layout *layout = &screen->layout;
    struct beside *beside = &screen->beside;
    int order = 0;
    beside->count = 0;
    if (screen->stack_count > 0)
        return;
    for (int i = 0; i < LAYOUT_ROOMS; i++) {
        struct rect *pane = &layout->pane[left_by[i]];
        bool shares = i + 1 < LAYOUT_ROOMS && rect_shown(layout->room[i + 1]);
        if (!rect_shown(layout->room[i]) || fill_room(screen, layout->room[i], shares, &order))
            continue;
        pane->height += layout->room[i].height; /* the pane has it back */
        layout->room[i] = (struct rect){0};
        screen->views[left_by[i]]->update(screen, *pane);
    }
    for (int i = 0; i < beside->count; i++)
        if (!beside->view[i]->beside.draw)
            beside->view[i]->update(screen, beside->area[i]);
}

void beside_draw(const struct screen *screen, struct canvas *canvas)
{
    const struct beside *beside = &screen->beside;
    for (int i = 0; i < beside->count; i++) {
        const struct view *view = beside->view[i];
        (view->beside.draw ? view->beside.draw : view->draw)(screen, canvas, beside->area[i], false);
    }
}

bool beside_work(struct screen *screen)
{
    for (int i = 0; i < screen->beside.count; i++)
        if (screen->beside.view[i]->work && screen->beside.view[i]->work(screen))
            return true;
    return false;
}

bool beside_mouse(struct screen *screen, const struct mouse *mouse)
{
    for (int i = 0; i < screen->beside.count; i++) {
        if (!rect_holds(screen->beside.area[i], mouse->x, mouse->y))
            continue;
        if (mouse->kind == MOUSE_DOWN)
            screen_key(screen, action_info(screen->beside.view[i]->opened_by)->key[0]);
        return true;
    }
    return false;
}
