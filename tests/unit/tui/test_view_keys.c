/*
 * The bar of keys: in every view its own keys come first, whole and none twice, whatever the width.
 */
#include "tests/shared/fixture/driven_screen.h"
#include "tui/frame/key_bar.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last line of the screen, from its first letter to its last; the caller frees it. */
static char *bar(void)
{
    char *text = screen_text(), *line = strrchr(text, '\n');
    if (line != NULL && line[1] == '\0') {
        *line = '\0';
        line = strrchr(text, '\n');
    }
    line += 1 + strspn(line + 1, " ");
    char *copy = strdup(line);
    free(text);
    return copy;
}

/* "ENTER run" of the first key that the view has now. */
static void first_key(const struct view *view, char *text, size_t size_bytes)
{
    const struct view_key *key = view->keys;
    cr_assert_not_null(key, "%s names no key of its own", view->title);
    while ((key->when != NULL && !key->when(&screen)) || !key_is_possible(&screen, key->action))
        key++;
    cr_assert_neq(key->action, ACTION_NONE, "%s has none now", view->title);
    char name[16];
    key_name(key, name, sizeof name);
    snprintf(text, size_bytes, "%s %s", name, key->hint != NULL ? key->hint : action_info(key->action)->hint);
}

static void judge_bar(const struct view *view, int width)
{
    char first[80], *line = bar();
    first_key(view, first, sizeof first);
    cr_assert_eq(strncmp(line, first, strlen(first)), 0, "%s at %d: '%s' is not first in '%s'", view->title,
                 width, first, line);
    cr_assert(strstr(line, ": all  ? help") != NULL && (int)strlen(line) < width, "%s", line);
    free(line);
}

Test(view_keys, own_keys_come_first)
{
    static const int widths[] = {60, 80, 120, 300};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        start(FIXTURE_WORKLOADS, widths[w], 40);
        for (int pane = 0; pane < PANE_COUNT; pane++) {
            judge_bar(screen.views[screen.focus], widths[w]);
            press("TAB");
        }
        for (enum view_id id = VIEW_PANEL + 1; id < VIEW_COUNT; id++) {
            if (screen.views[id]->opened_by == ACTION_NONE || id == VIEW_LANE_MAP)
                continue;
            screen_key(&screen, action_info(screen.views[id]->opened_by)->key[0]);
            screen_update(&screen, widths[w], 40);
            cr_assert_eq(screen_top(&screen), screen.views[id], "%s", screen.views[id]->title);
            judge_bar(screen.views[id], widths[w]);
            screen_show_panes(&screen);
        }
        stop();
        start(FIXTURE_EMPTY, widths[w], 40);
        judge_bar(screen.views[VIEW_WORKLOADS], widths[w]);
        press("e");
        judge_bar(screen.views[VIEW_LAB], widths[w]);
        press("A");
        judge_bar(screen.views[VIEW_LANE_MAP], widths[w]);
        stop();
        start(FIXTURE_WATCH, widths[w], 40);
        judge_bar(screen.views[VIEW_WATCH], widths[w]);
        stop();
    }
}

/* Each column of the bar belongs to at most one key, and none is named twice. */
Test(view_keys, a_key_is_named_once)
{
    start(FIXTURE_MODEL, 300, 40);
    for (int pane = 0; pane < PANE_COUNT; pane++) {
        bool seen[ACTION_COUNT] = {false};
        enum action before = ACTION_NONE;
        for (int x = 0; x < 300; x++) {
            enum action action = key_bar_action_at(&screen, screen.layout.keys, x);
            if (action != ACTION_NONE && action != before) {
                cr_assert_not(seen[action], "%s", action_info(action)->id);
                seen[action] = true;
            }
            before = action;
        }
        cr_assert(seen[ACTION_LANES] && seen[ACTION_ROOFLINE] && seen[ACTION_OCCUPANCY] &&
                  seen[ACTION_AMDAHL] && seen[ACTION_DEVICE] && seen[ACTION_STATISTICS] &&
                  seen[ACTION_OVERLAP] && seen[ACTION_COMPARE] && seen[ACTION_KEEP] && seen[ACTION_FIND]);
        press("TAB");
    }
    stop();
}

/* Where a number can be typed the bar says so, and what else can be. */
Test(view_keys, the_lab_says_where_numbers_are_typed)
{
    start(FIXTURE_EMPTY, 80, 24);
    press("j e g");
    cr_assert(shows("j row") && !shows("value or 1..32"));
    press("j");
    cr_assert(shows("0-9 value or 1..32  TAB pane"));
    type("1..32");
    press("ENTER");
    cr_assert(shows("0-9 value or 1..32  p plot"), "a sweep is looked at in the chart");
    stop();
}

Test(view_keys, the_narrowest_bar_names_the_way_out)
{
    start(FIXTURE_WORKLOADS, 20, 12);
    char *line = bar();
    cr_assert_str_eq(line, "q quit  ? help");
    free(line);
    stop();
}
