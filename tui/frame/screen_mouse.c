/*
 * Who receives the mouse: the finder while it is open, else the bar of keys, the top view, or the pane under
 * the pointer; during a drag the timeline, until the button is released. The newest click is kept to detect a
 * double click.
 */
#include "tui/frame/key_bar.h"
#include "tui/frame/screen.h"

#define DOUBLE_CLICK_MS 400

void screen_list_mouse(struct screen *screen, struct list *list, const struct mouse *mouse, int line)
{
    list_mouse(list, mouse, line);
    if (mouse->kind == MOUSE_DOWN && mouse->again && line >= 0 && list->top + line < list->count)
        screen_key(screen, KEY_RETURN);
}

static void give_mouse(struct screen *screen, const struct mouse *mouse)
{
    if (screen->stack_count > 0) {
        const struct view *top = screen_top(screen);
        if (top->mouse != NULL)
            top->mouse(screen, mouse, screen->layout.body);
        return;
    }
    if (!screen->dragging && beside_mouse(screen, mouse))
        return;
    for (enum pane pane = 0; pane < PANE_COUNT; pane++) {
        bool dragged = pane == PANE_TIMELINE && screen->dragging && mouse->kind != MOUSE_DOWN;
        if (!dragged && !rect_holds(screen->layout.pane[pane], mouse->x, mouse->y))
            continue;
        if (mouse->kind == MOUSE_DOWN)
            screen->focus = pane;
        screen->views[pane]->mouse(screen, mouse, screen->layout.pane[pane]);
        return;
    }
}

/* Is it the second click of two on one cell? A third click counts as a first one again. */
static bool clicks_again(struct screen *screen, const struct mouse *mouse)
{
    bool again = mouse->again || (!screen->clicked.again && !mouse->second && mouse->x == screen->clicked.x &&
                                  mouse->y == screen->clicked.y && screen->clicked_ms > 0 &&
                                  screen->clock_ms - screen->clicked_ms <= DOUBLE_CLICK_MS);
    screen->clicked = *mouse;
    screen->clicked.again = again;
    screen->clicked_ms = screen->clock_ms;
    return again;
}

void screen_mouse(struct screen *screen, const struct mouse *mouse)
{
    struct mouse event = *mouse;
    if (screen->prompt.purpose == PROMPT_FIND) {
        finder_mouse(screen, mouse);
        return;
    }
    if (mouse->kind == MOUSE_DOWN) {
        if (screen->asked) /* as for any key except q */
            screen->message[0] = '\0';
        screen->asked = false;
        event.again = clicks_again(screen, mouse);
    }
    if (mouse->kind != MOUSE_DOWN || screen->prompt.purpose != PROMPT_NONE ||
        !rect_holds(screen->layout.keys, mouse->x, mouse->y)) {
        give_mouse(screen, &event);
        return;
    }
    enum action action = key_bar_action_at(screen, screen->layout.keys, mouse->x);
    if (action != ACTION_NONE && !present_key(screen, action_info(action)->key[0]))
        screen_key(screen, action_info(action)->key[0]);
}
