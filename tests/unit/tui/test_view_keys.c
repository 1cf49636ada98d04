/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bar of keys: in every view its own keys come first, whole and none twice, whatever the width.
 */
#include "tests/shared/fixture/driven_screen.h"
#include "tui/frame/bars.h"

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

/* ---- the mouse ---- */

static void click(int x, int y)
{
    screen_mouse(&screen, &(struct mouse){.kind = MOUSE_DOWN, .x = x, .y = y});
    screen_mouse(&screen, &(struct mouse){.kind = MOUSE_UP, .x = x, .y = y});
    screen_update(&screen, canvas.width, canvas.height);
}

/* Where a text begins on the screen, of letters alone; it must be there. */
static void find_text(const char *wanted, int *x, int *y)
{
    screen_draw(&screen, &canvas);
    for (*y = 0; *y < canvas.height; ++*y)
        for (*x = 0; *x < canvas.width; ++*x) {
            int i = 0;
            while (wanted[i] != '\0' && *x + i < canvas.width &&
                   canvas_cell(&canvas, *x + i, *y)->codepoint == (unsigned char)wanted[i])
                i++;
            if (wanted[i] == '\0')
                return;
        }
    cr_assert_fail("'%s' is not on the screen", wanted);
}

static void click_text(const char *wanted)
{
    int x, y;
    find_text(wanted, &x, &y);
    click(x, y);
}

Test(view_keys, a_click_on_the_bar_is_the_key)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    click_text("r runs");
    cr_assert_str_eq(screen_top(&screen)->title, "Runs");
    click_text("q back");
    cr_assert_null(screen_top(&screen));
    click_text(": all");
    cr_assert_eq(screen.prompt.purpose, PROMPT_FIND);
    press("ESC");
    int x, y;
    find_text("q quit", &x, &y);
    click(x - 1, y);
    cr_assert(!screen.quit && screen_top(&screen) == NULL, "between two keys there is none");
    press("/");
    click_text("r runs");
    cr_assert(screen.prompt.purpose == PROMPT_FILTER && screen_top(&screen) == NULL, "a line is being typed");
    stop();
}

Test(view_keys, a_click_takes_back_that_one_leaves)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("q");
    cr_assert(!screen.quit && shows("q again quits"));
    click_text("transpose_pad");
    cr_assert_str_eq(screen.message, "");
    press("q");
    cr_assert_not(screen.quit, "it is asked again");
    press("q");
    cr_assert(screen.quit);
    stop();
}

Test(view_keys, a_double_click_opens)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    screen.clock_ms = 5000;
    int x, y;
    find_text("transpose_pad", &x, &y);
    click(x, y);
    cr_assert(shows("Timeline  transpose:pad") && !screen.maximised, "one selects");
    screen.clock_ms += 1000;
    click(x, y);
    cr_assert(!screen.maximised, "too late for a double click");
    screen.clock_ms += 200;
    click(x + 1, y);
    cr_assert(!screen.maximised, "elsewhere");
    screen.clock_ms += 200;
    click(x + 1, y);
    cr_assert(screen.maximised && screen.focus == PANE_PANEL);
    press("q r");
    find_text("transpose:tile", &x, &y);
    click(x, y);
    click(x, y);
    cr_assert_null(screen_top(&screen));
    cr_assert(shows("Timeline  transpose:tile"));
    stop();
    start(FIXTURE_EMPTY, 120, 40);
    screen.clock_ms = 5000;
    find_text("transpose", &x, &y);
    click(x, y);
    click(x, y);
    cr_assert_str_eq(fixture.ran, "transpose", "as ENTER does");
    stop();
}

Test(view_keys, a_click_on_a_head_sorts)
{
    start(FIXTURE_WORKLOADS, 160, 40);
    press("g");
    click_text("median");
    cr_assert(kernels_state(&screen)->sort == SORT_MEDIAN && !kernels_state(&screen)->reverse);
    click_text("median");
    cr_assert(kernels_state(&screen)->sort == SORT_MEDIAN && kernels_state(&screen)->reverse);
    click_text("kern %");
    cr_assert(kernels_state(&screen)->sort == SORT_TOTAL && !kernels_state(&screen)->reverse);
    press("T");
    click_text(" mean");
    cr_assert(range_state(&screen)->table.sorted > 0 && !range_state(&screen)->table.reverse);
    int mean = range_state(&screen)->table.sorted;
    click_text("mean");
    cr_assert(range_state(&screen)->table.reverse);
    click_text(" share ");
    cr_assert(range_state(&screen)->table.sorted != mean && !range_state(&screen)->table.reverse);
    stop();
}

static void drag(int from, int to, int y, bool second)
{
    const struct mouse events[] = {{.kind = MOUSE_DOWN, .x = from, .y = y, .second = second},
                                   {.kind = MOUSE_DRAG, .x = (from + to) / 2, .y = y},
                                   {.kind = MOUSE_DRAG, .x = to, .y = y},
                                   {.kind = MOUSE_UP, .x = to, .y = y}};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        screen_mouse(&screen, &events[i]);
    screen_update(&screen, canvas.width, canvas.height);
}

Test(view_keys, a_drag_marks_a_range_and_another_button_pans)
{
    start(FIXTURE_PROGRAM, 120, 40);
    struct timeline *timeline = timeline_state(&screen);
    struct rect pane = screen.layout.pane[PANE_TIMELINE];
    int y = pane.y + 4, first = pane.x + 1 + timeline->label_width;
    press("TAB TAB f +");
    struct window before = timeline->window;
    drag(first + 30, first + 10, y, false);
    cr_assert(timeline->marked[0] && timeline->marked[1]);
    cr_assert_eq(timeline->mark_ns[0], axis_column_start(before, timeline->columns, 10));
    cr_assert_eq(timeline->mark_ns[1], axis_column_start(before, timeline->columns, 31));
    cr_assert(timeline->window.start_ns == before.start_ns && timeline->window.end_ns == before.end_ns);
    cr_assert(shows("are marked: T shows statistics"));
    press("T");
    cr_assert(range_state(&screen)->range.start_ns == timeline->mark_ns[0] &&
              range_state(&screen)->range.end_ns == timeline->mark_ns[1]);
    press("q ESC");
    cr_assert(!timeline->marked[0] && !timeline->marked[1], "ESC clears the marks");
    drag(first + 30, first + 10, y, true);
    cr_assert(!timeline->marked[0] && !timeline->marked[1]);
    cr_assert_gt(timeline->window.start_ns, before.start_ns, "what is under the pointer moves with it");
    drag(first + 5, first + 5, y, false);
    cr_assert(!timeline->marked[0], "a click marks nothing");
    drag(first + 30, first + 3000, y, false);
    cr_assert_eq(timeline->mark_ns[1],
                 axis_column_start(timeline->window, timeline->columns, timeline->columns));
    stop();
}

/* A key that changes nothing says so, but for moves at the end of a list and keys that act elsewhere: of each
 * view every key of the table. */
static bool may_be_silent(enum action action)
{
    static const enum action actions[] = {
        ACTION_UP,  ACTION_DOWN, ACTION_LEFT,   ACTION_RIGHT, ACTION_PAGE_UP, ACTION_PAGE_DOWN, ACTION_HOME,
        ACTION_END, ACTION_OPEN, ACTION_REDRAW, ACTION_CLOSE, ACTION_LARGE,   ACTION_HELP};
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (action == actions[i])
            return true;
    const struct view *view = screen_focused(&screen);
    bool step = action == ACTION_NEXT || action == ACTION_PREVIOUS; /* of a list they are as UP and DOWN */
    return (step && view != screen.views[VIEW_TIMELINE] && view != screen.views[VIEW_SOURCE]) ||
           (view->opened_by == action && action != ACTION_NONE); /* it is open */
}

static int count_silent_keys(const char *view)
{
    int silent = 0;
    for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
        screen_show_panes(&screen);
        if (view[0] != '\0')
            press(view);
        screen.message[0] = '\0';
        if (may_be_silent(action))
            continue;
        char *before = screen_text();
        screen_key(&screen, action_info(action)->key[0]);
        screen_update(&screen, 120, 40);
        char *after = screen_text();
        if (strcmp(before, after) == 0 && !screen.quit) {
            fprintf(stderr, "%s over '%s' is silent\n", action_info(action)->id, view);
            silent++;
        }
        free(before);
        free(after);
        if (screen.prompt.purpose != PROMPT_NONE)
            press("ESC");
        screen.quit = screen.frozen = screen.refused = screen.asked = false;
    }
    return silent;
}

Test(view_keys, no_key_is_silent)
{
    static const enum fixture_content contents[] = {FIXTURE_EMPTY, FIXTURE_WORKLOADS, FIXTURE_PROGRAM,
                                                    FIXTURE_WATCH, FIXTURE_LINES};
    static const char *const views[] = {"",  "TAB", "TAB TAB", "r", "T", "o", "d", "C", "R", "a",
                                        "m", "?",   "p",       "v", "w", "e", "X", "A", "Y"};
    int silent = 0;
    for (size_t c = 0; c < sizeof contents / sizeof contents[0]; c++) {
        start(contents[c], 120, 40);
        for (size_t v = 0; v < sizeof views / sizeof views[0]; v++) {
            int before = silent;
            silent += count_silent_keys(views[v]);
            if (silent > before)
                fprintf(stderr, "(in session %zu)\n", c);
        }
        stop();
    }
    cr_assert_eq(silent, 0);
}

Test(view_keys, a_key_that_does_nothing_says_why)
{
    static const struct {
        const char *keys, *message;
    } cases[] = {
        {"0", "All of the run is shown already."},
        {"u", "There is no time range before this one."},
        {"U", "There is no next time range: U only undoes u."},
        {"V", "V does nothing here (source: switch between measured and modelled counts)."},
        {"y", "y does nothing here (chart: linear, logarithmic"},
        {"~", "~ is not a key: ? lists the keys, : finds actions by name."},
        {"t", "Theme colorblind, "},
        {"t t", "Theme projector, "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(FIXTURE_WORKLOADS, 120, 40);
        press(cases[i].keys);
        cr_assert(shows(cases[i].message));
        stop();
    }
}

/* ---- lists ---- */

static uint32_t run_listed(int row)
{
    const struct kernel_item *item = runs_item(runs_state(&screen), row);
    return item != NULL ? item->run : NONE;
}

Test(view_keys, the_runs_have_filter_order_and_sweeps)
{
    start(FIXTURE_EXTREMES, 120, 40);
    const struct run_list *runs = runs_state(&screen);
    press("j j j");
    uint32_t shown = screen.run;
    press("r");
    cr_assert_eq(run_listed(runs->table.list.selected), shown, "it begins at the run shown");
    press("g j");
    int folded = runs->table.list.count;
    cr_assert(shows("z unfolds") && shows("32 runs"));
    press("z");
    cr_assert_gt(runs->table.list.count, folded);
    press("z");
    cr_assert_eq(runs->table.list.count, folded);
    press("s"); /* by the device time, which is the chosen column */
    for (int row = 2; row < runs->table.list.count; row++) {
        const struct kernel_item *above = runs_item(runs, row - 1), *below = runs_item(runs, row);
        cr_assert(below->typical_ns < 0 || above->total_ns >= below->total_ns, "row %d", row);
    }
    press("l s S"); /* by the whole run, the shortest first */
    for (int row = 2; row < runs->table.list.count; row++)
        cr_assert_leq(runs_item(runs, row - 1)->max_ns, runs_item(runs, row)->max_ns, "row %d", row);
    cr_assert_null(runs_item(runs, 0), "all runs stay the first row");
    press("/");
    type("stride=7");
    press("ENTER");
    cr_assert_gt(runs->table.list.count, 0);
    for (int row = 0; row < runs->table.list.count; row++) {
        char name[300];
        screen_run_name(&screen, run_listed(row), name, sizeof name);
        cr_assert(strstr(name, "stride=7") != NULL, "%s", name);
    }
    press("/");
    type("no such run");
    press("ENTER");
    cr_assert(shows("No run matches the filter"));
    press("ENTER"); /* nothing is selected, and nothing happens */
    cr_assert(screen_has_open(&screen, VIEW_RUNS));
    press("ESC g");
    cr_assert_eq(runs->table.list.count, folded);
    stop();
}

/* A word typed for a filter that the view does not have is no command: in each view without one. */
static void type_refused(const char *view)
{
    char before[sizeof screen.message];
    const struct view *top = screen_top(&screen);
    const struct screen was = screen;
    press("/");
    if (screen.prompt.purpose != PROMPT_NONE) { /* it has one */
        press("ESC");
        return;
    }
    snprintf(before, sizeof before, "%s", screen.message);
    cr_assert_neq(before[0], '\0', "/ over '%s' is silent", view);
    for (const char *at = "n-way qQrXdiaE2Wx:?!\b%t "; *at != '\0'; at++) {
        screen.clock_ms += 1500; /* as a slow hand types */
        screen_key(&screen, *at == '\b' ? KEY_RUBOUT : (unsigned char)*at);
        screen_key(&screen, 0xe9); /* a letter that is no key */
        screen_update(&screen, 120, 40);
        cr_assert(screen_top(&screen) == top && screen.prompt.purpose == PROMPT_NONE && !screen.quit &&
                      screen.theme == was.theme && screen.kernel == was.kernel && screen.run == was.run &&
                      screen.frozen == was.frozen && strcmp(screen.message, before) == 0,
                  "'%c' after / over '%s' acts: %s", *at, view, screen.message);
    }
}

Test(view_keys, a_refused_filter_swallows_its_word)
{
    static const enum fixture_content contents[] = {FIXTURE_EMPTY, FIXTURE_WORKLOADS, FIXTURE_PROGRAM,
                                                    FIXTURE_WATCH, FIXTURE_LINES};
    static const char *const views[] = {"r", "T", "o", "d", "C", "R", "a", "m",     "?",
                                        "p", "v", "w", "e", "X", "A", "Y", "e TAB", "e TAB TAB"};
    for (size_t c = 0; c < sizeof contents / sizeof contents[0]; c++) {
        for (size_t v = 0; v < sizeof views / sizeof views[0]; v++) {
            start(contents[c], 120, 40);
            screen.clock_ms = 1000;
            press(views[v]);
            type_refused(views[v]);
            stop();
        }
    }
    start(FIXTURE_WORKLOADS, 120, 40);
    press("C");
    screen.clock_ms = 1000;
    press("/");
    cr_assert(shows("/ does nothing here"));
    type("n-way");
    cr_assert(screen_has_open(&screen, VIEW_OCCUPANCY) && shows("/ does nothing here"));
    press("ENTER");
    press("a"); /* ENTER has ended the word */
    cr_assert(screen_has_open(&screen, VIEW_AMDAHL));
    press("q /");
    screen.clock_ms += 2500;
    press("a");
    cr_assert(screen_has_open(&screen, VIEW_AMDAHL), "after a pause it is a key again");
    stop();
}
