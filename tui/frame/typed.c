/*
 * Handles a line that the user types: a filter is applied to the focused view at every key, other lines are
 * passed to the function that opened the prompt.
 */
#include "tui/frame/screen.h"

#include <stdio.h>

/* The view whose filter the keys change; NULL: there is none. In the panes this is the kernel list, whichever
 * pane has the focus, except the panel. */
static const struct view *filtered_view(const struct screen *screen)
{
    const struct view *view = screen_focused(screen);
    if (screen->stack_count == 0 && view->filter == NULL)
        view = screen->views[PANE_KERNELS];
    return view->filter != NULL ? view : NULL;
}

static void set_filter(struct screen *screen, const char *text)
{
    const struct view *view = filtered_view(screen);
    if (view == NULL)
        return;
    snprintf(view->filter(screen), FILTER_SIZE, "%s", text);
    if (view->filtered != NULL)
        view->filtered(screen);
}

static bool clear_filter_of(struct screen *screen, const struct view *view)
{
    if (view == NULL || view->filter == NULL || view->filter(screen)[0] == '\0')
        return false;
    view->filter(screen)[0] = '\0';
    if (view->filtered != NULL)
        view->filtered(screen);
    return true;
}

bool screen_clear_filter(struct screen *screen)
{
    if (screen->stack_count == 0 && screen->views[screen->focus]->act(screen, ACTION_CLOSE))
        return true;
    if (clear_filter_of(screen, filtered_view(screen)))
        return true;
    bool cleared = false;
    for (enum pane pane = 0; pane < PANE_COUNT && screen->stack_count == 0;
         pane++) /* beside the focused one */
        cleared = clear_filter_of(screen, screen->views[pane]) || cleared;
    return cleared;
}

void screen_take_typed(struct screen *screen, enum prompt_result result)
{
    struct prompt *prompt = &screen->prompt;
    enum prompt_purpose purpose = prompt->purpose;
    const char *text = result == PROMPT_CANCELLED ? "" : prompt->text;
    if (result == PROMPT_EDITING)
        return;
    if (purpose == PROMPT_FILTER)
        set_filter(screen, text);
    if (result == PROMPT_CHANGED)
        return;
    prompt->purpose = PROMPT_NONE;
    if (result == PROMPT_ACCEPTED && text[0] == '\0')
        text = prompt->usual;
    if (purpose == PROMPT_NARROW || (purpose == PROMPT_LINE && text[0] != '\0'))
        prompt->take(screen, text);
}
