/*
 * The bar is made anew for each frame and click, as a row of hints with their places: first those at the
 * right end, then the others from the left, the most important first. A hint that does not fit is left out;
 * shorter ones after it may still fit. No action is named twice.
 */
#include "tui/frame/key_bar.h"

#include "tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

#define GAP 2
#define FIND_FROM 24 /* cells; narrower bars have room only for the keys to go back and for help */

struct key_bar {
    struct key_hint {
        enum action action;
        char name[16];
        const char *hint;
        int x, width;
    } hints[ACTION_COUNT];
    int count, x, end; /* x...end: the free cells */
    char space[80];    /* what SPACE does in a lesson */
};

void key_name(const struct view_key *key, char *text, size_t size_bytes)
{
    if (key->name != NULL)
        snprintf(text, size_bytes, "%s", key->name);
    else
        key_text(action_info(key->action)->key[0], text, size_bytes);
}

bool key_is_possible(const struct screen *screen, enum action action)
{
    switch (action) {
    case ACTION_LANES: return screen->host->workload_count > 0 || session_access_count(screen->session) > 0;
    case ACTION_EDIT:
    case ACTION_WORKLOADS: return screen->host->workload_count > 0;
    case ACTION_OWN: return screen->host->own != NULL;
    case ACTION_STOP: return screen->host->stop != NULL && screen->state.live;
    case ACTION_KEEP:
        return screen->host->keep != NULL && !screen->kept && session_run_count(screen->session) > 0;
    case ACTION_FOLLOW: return screen->state.live;
    case ACTION_BURST: return screen->host->burst != NULL;
    default: return true;
    }
}

static const char *hint_of(const struct screen *screen, const struct view_key *key)
{
    if (key->hint != NULL)
        return key->hint;
    return key->action == ACTION_BACK && screen_is_outermost(screen) ? "quit"
                                                                     : action_info(key->action)->hint;
}

static bool is_named(const struct key_bar *bar, enum action action)
{
    for (int i = 0; i < bar->count; i++)
        if (bar->hints[i].action == action)
            return true;
    return false;
}

static void add_key(const struct screen *screen, struct key_bar *bar, const struct view_key *key, bool at_end)
{
    struct key_hint hint = {.action = key->action, .hint = hint_of(screen, key)};
    if (hint.hint[0] == '\0' || is_named(bar, key->action) ||
        !(key->when != NULL ? key->when(screen) : key_is_possible(screen, key->action)))
        return;
    key_name(key, hint.name, sizeof hint.name);
    hint.width = text_width(hint.name, sizeof hint.name) + 1 + text_width(hint.hint, 40);
    if (bar->x + hint.width + GAP > bar->end)
        return;
    if (at_end)
        bar->end -= hint.width + GAP;
    hint.x = at_end ? bar->end : bar->x;
    if (!at_end)
        bar->x += hint.width + GAP;
    bar->hints[bar->count++] = hint;
}

/* Keys about time belong to the timeline and keys about lists to the kernel list, whichever pane has the
 * focus. */
static void add_panes_keys(const struct screen *screen, struct key_bar *bar)
{
    static const struct {
        enum pane pane;
        enum action_section section;
    } others[] = {{PANE_KERNELS, SECTION_LIST}, {PANE_TIMELINE, SECTION_TIME}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const struct view_key *key = screen->views[others[i].pane]->keys;
        for (; rect_shown(screen->layout.pane[others[i].pane]) && key->action != ACTION_NONE; key++)
            if (action_info(key->action)->section == others[i].section)
                add_key(screen, bar, key, false);
    }
}

/* The keys that turn a lesson's steps come before those of the view. */
static void add_lesson_keys(const struct screen *screen, struct key_bar *bar)
{
    bool walks;
    present_space(screen, bar->space, sizeof bar->space, &walks);
    add_key(screen, bar, &(struct view_key){.action = ACTION_HELP}, true);
    add_key(screen, bar, &(struct view_key){.action = ACTION_QUIT, .hint = "ends"}, true);
    if (!screen_is_outermost(screen) && !present_is_text(screen))
        add_key(screen, bar, &(struct view_key){.action = ACTION_BACK}, true);
    add_key(screen, bar, &(struct view_key){.action = ACTION_FREEZE, .hint = bar->space}, false);
    if (walks)
        add_key(screen, bar, &(struct view_key){.action = ACTION_PAGE_DOWN, .hint = "next step"}, false);
}

static void add_end_keys(const struct screen *screen, struct key_bar *bar, int width)
{
    static const enum action at_end[] = {ACTION_HELP, ACTION_FIND, ACTION_BACK};
    for (size_t i = 0; i < sizeof at_end / sizeof at_end[0]; i++)
        if (at_end[i] != ACTION_FIND || width >= FIND_FROM)
            add_key(screen, bar, &(struct view_key){.action = at_end[i]}, true);
}

static void make_bar(const struct screen *screen, struct rect line, struct key_bar *bar)
{
    const struct view *view = screen_focused(screen);
    bool lesson = screen->present.script != NULL;
    *bar = (struct key_bar){.x = line.x + 1, .end = line.x + line.width + 1};
    if (lesson)
        add_lesson_keys(screen, bar);
    else
        add_end_keys(screen, bar, line.width);
    if (lesson && present_is_text(screen))
        return;
    for (const struct view_key *key = view->keys; key != NULL && key->action != ACTION_NONE; key++)
        if (!lesson || (key->action != ACTION_PAGE_DOWN && key->action != ACTION_FREEZE))
            add_key(screen, bar, key, false);
    for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT; action++)
        if (action_info(action)->section == SECTION_VIEW && action != view->opened_by &&
            (action == ACTION_KEEP || action == ACTION_STOP || screen_view_of(screen, action) != NULL))
            add_key(screen, bar, &(struct view_key){.action = action}, false);
    if (screen->stack_count == 0)
        add_panes_keys(screen, bar);
}

void key_bar_draw(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    struct key_bar bar;
    make_bar(screen, line, &bar);
    for (int i = 0; i < bar.count; i++) {
        const struct key_hint *hint = &bar.hints[i];
        int taken = canvas_text(canvas, hint->x, line.y, hint->width,
                                STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD), hint->name);
        canvas_text(canvas, hint->x + taken + 1, line.y, hint->width - taken - 1,
                    STYLE(COLOR_DIM, COLOR_NONE, 0), hint->hint);
    }
}

enum action key_bar_action_at(const struct screen *screen, struct rect line, int x)
{
    struct key_bar bar;
    make_bar(screen, line, &bar);
    for (int i = 0; i < bar.count; i++)
        if (x >= bar.hints[i].x && x < bar.hints[i].x + bar.hints[i].width)
            return bar.hints[i].action;
    return ACTION_NONE;
}
