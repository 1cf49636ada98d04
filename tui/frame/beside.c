/*
 * Rooms are filled from the top, views are taken in the order of their tables; the last one in a room gets
 * what is left of it.
 */
#include "tui/frame/beside.h"

#include "tui/frame/screen.h"

#define FRAME_LINES 2
#define EVENTS_MAX UINT64_C(1000000) /* views of a range read all its events again after each move */

/* The view with the lowest order above `after`; NULL: there is none. */
static const struct view *next_view(const struct screen *screen, int after)
{
    const struct view *next = NULL;
    for (enum view_id id = 0; id < VIEW_COUNT; id++) {
        const struct view *view = screen->views[id];
        if (view->beside.lines != NULL && view->beside.order > after &&
            (next == NULL || view->beside.order < next->beside.order))
            next = view;
    }
    return next;
}

static bool has_too_many_events(const struct screen *screen, const struct view *view)
{
    return (view->flags & VIEW_OF_RANGE) != 0 && session_event_count(screen->session) > EVENTS_MAX;
}

/* Gives a room to views, the first from `*view` on. */
static void fill_room(struct screen *screen, struct rect room, const struct view **view)
{
    struct beside *beside = &screen->beside;
    int before = beside->count;
    while (room.height >= LAYOUT_ROOM_LINES && *view != NULL && beside->count < BESIDE_MAX) {
        const struct view *one = *view;
        int lines =
            has_too_many_events(screen, one) ? 0 : one->beside.lines(screen, room.width - FRAME_LINES);
        *view = next_view(screen, one->beside.order);
        if (lines <= 0)
            continue;
        lines += FRAME_LINES;
        lines = lines < LAYOUT_ROOM_LINES ? LAYOUT_ROOM_LINES : lines > room.height ? room.height : lines;
        beside->view[beside->count] = one;
        beside->area[beside->count++] = (struct rect){room.x, room.y, room.width, lines};
        room.y += lines;
        room.height -= lines;
    }
    if (beside->count > before)
        beside->area[beside->count - 1].height += room.height;
}

void beside_update(struct screen *screen)
{
    struct beside *beside = &screen->beside;
    beside->count = 0;
    if (screen->stack_count > 0)
        return;
    const struct view *view = next_view(screen, 0);
    for (int i = 0; i < LAYOUT_ROOMS; i++)
        if (rect_shown(screen->layout.room[i]))
            fill_room(screen, screen->layout.room[i], &view);
    for (int i = 0; i < beside->count; i++)
        if (beside->view[i]->beside.draw == NULL)
            beside->view[i]->update(screen, beside->area[i]);
}

void beside_draw(const struct screen *screen, struct canvas *canvas)
{
    const struct beside *beside = &screen->beside;
    for (int i = 0; i < beside->count; i++) {
        const struct view *view = beside->view[i];
        (view->beside.draw != NULL ? view->beside.draw : view->draw)(screen, canvas, beside->area[i], false);
    }
}

bool beside_work(struct screen *screen)
{
    for (int i = 0; i < screen->beside.count; i++)
        if (screen->beside.view[i]->work != NULL && screen->beside.view[i]->work(screen))
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
