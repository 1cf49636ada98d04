/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The finder: every view, action, metric, workload, run and kernel is found by its name, and what is chosen
 * is what its key does.
 */
#include "tests/shared/fixture/driven_screen.h"

#include "core/metric/metric.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void find(const char *text)
{
    press(":");
    type(text);
}

static const struct finder_match *selected_match(void)
{
    const struct list *list = &screen.finder.list;
    return list->count > 0 ? &screen.finder.matches[list->selected] : NULL;
}

static bool is_found(enum found kind, uint32_t index)
{
    for (int i = 0; i < screen.finder.list.count; i++)
        if (screen.finder.matches[i].kind == kind && screen.finder.matches[i].index == index)
            return true;
    return false;
}

Test(view_finder, shows_keys_beside_names)
{
    start(FIXTURE_WORKLOADS, 80, 24);
    cr_assert(shows(": all"), "its key is named");
    find("lane map");
    char *text = screen_text();
    char *row = strstr(text, "Lane map ");
    cr_assert_not_null(row);
    row[strcspn(row, "\n")] = '\0';
    size_t length = strlen(row);
    while (length > 0 && row[length - 1] == ' ')
        row[--length] = '\0';
    cr_assert_str_eq(row + length - 2, " A", "'%s'", row);
    free(text);
    stop();
}

/* The column of names is as wide as those shown, so that what they are about is not cut beside blanks. */
Test(view_finder, names_take_no_room_from_what_they_are_about)
{
    start(FIXTURE_WORKLOADS, 80, 24);
    find("roofline");
    cr_assert(shows("how close each kernel is to the limits of the device"));
    stop();
}

/* No table has a row that cannot be reached. */
Test(view_finder, finds_all_of_the_tables)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
        const char *help = action_info(action)->help, *name_ends = strstr(help, ": ");
        if (action == ACTION_FIND)
            continue;
        find(name_ends != NULL ? name_ends + 2 : help);
        cr_assert(is_found(FOUND_VIEW, action) || is_found(FOUND_ACTION, action), "%s is not found",
                  action_info(action)->id);
        press("ESC");
    }
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        find(metric_info(metric)->title);
        cr_assert(is_found(FOUND_METRIC, metric), "%s", metric_info(metric)->id);
        press("ESC");
    }
    for (size_t i = 0; i < screen.host->workload_count; i++) {
        find(screen.host->workloads[i].name);
        cr_assert_eq(selected_match()->kind, FOUND_WORKLOAD);
        cr_assert_eq(selected_match()->index, i);
        press("ESC");
    }
    stop();
}

Test(view_finder, opens_every_view_that_a_key_opens)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    for (enum view_id id = 0; id < VIEW_COUNT; id++) {
        enum action action = view_table[id]->opened_by;
        char key[16];
        if (action == ACTION_NONE)
            continue;
        screen_show_panes(&screen);
        key_text(action_info(action)->key[0], key, sizeof key);
        press(key);
        const struct view *by_key = screen_top(&screen);
        char message[sizeof screen.message];
        memcpy(message, screen.message, sizeof message);
        screen_show_panes(&screen);
        find(view_table[id]->title);
        cr_assert_eq(selected_match()->kind, FOUND_VIEW, "%s", view_table[id]->title);
        cr_assert_eq(selected_match()->index, action, "%s", view_table[id]->title);
        press("ENTER");
        cr_assert_eq(screen_top(&screen), by_key, "%s", view_table[id]->title);
        cr_assert_str_eq(screen.message, message);
        if (by_key != NULL)
            press("q");
    }
    stop();
}

Test(view_finder, what_cannot_act_says_why)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    find("burst");
    press("ENTER");
    cr_assert(shows("Bursts are not enabled: start lanescope with --burst 10us."));
    stop();
}

Test(view_finder, goes_to_a_metric)
{
    start(FIXTURE_WORKLOADS, 80, 24);
    find("store bank confl");
    press("ENTER");
    const struct panel *panel = panel_state(&screen);
    cr_assert(screen.maximised && screen.focus == PANE_PANEL);
    cr_assert_eq(panel->rows[panel->list.selected], (int)METRIC_shared_store_conflicts);
    cr_assert(shows("▸") && shows("shared store bank conflicts"));
    press("q");
    cr_assert(screen.focus == PANE_KERNELS && !screen.maximised);
    press("g k");
    cr_assert(screen.on_run, "above the kernels stands the run, which has no metrics");
    find("store bank confl");
    press("ENTER");
    cr_assert(shows("shared store bank conflicts"));
    stop();
    start(FIXTURE_EMPTY, 80, 24);
    find("store bank confl");
    press("ENTER");
    cr_assert(shows("shared store bank conflicts: "), "its definition, where nothing has run");
    stop();
}

Test(view_finder, goes_to_workloads_runs_and_kernels)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    find("transpose");
    press("ENTER");
    cr_assert_str_eq(screen_top(&screen)->title, "Lab");
    cr_assert_str_eq(lab_state(&screen)->workload->name, "transpose");
    find("transpose:pad");
    cr_assert_eq(selected_match()->kind, FOUND_RUN);
    press("ENTER");
    cr_assert_null(screen_top(&screen));
    cr_assert(shows("Timeline  transpose:pad") && shows("Kernels  1"));
    find("transpose_naive");
    cr_assert_eq(selected_match()->kind, FOUND_KERNEL);
    press("ENTER");
    cr_assert(shows("Timeline  transpose:naive") && shows("A transpose_naive"));
    stop();
}

Test(view_finder, words_come_in_any_order_and_letters_may_be_left_out)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    find("map lan");
    cr_assert_eq(selected_match()->index, ACTION_LANES);
    press("ESC");
    find("rfln");
    cr_assert_eq(selected_match()->index, ACTION_ROOFLINE);
    press("ESC");
    find("zzzz");
    cr_assert_null(selected_match());
    cr_assert(shows("nothing matches"));
    press("ENTER");
    cr_assert_eq(screen.prompt.purpose, PROMPT_NONE);
    stop();
}

Test(view_finder, moves_and_leaves)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press(": DOWN TAB");
    cr_assert_eq(screen.finder.list.selected, 2);
    press("UP S-TAB UP");
    cr_assert_eq(screen.finder.list.selected, 0);
    press("S-TAB");
    cr_assert_eq(screen.finder.list.selected, screen.finder.list.count - 1);
    type("q");
    cr_assert(!screen.quit && screen.prompt.purpose == PROMPT_FIND, "what is typed is no key");
    press("ESC");
    cr_assert(screen.prompt.purpose == PROMPT_NONE && screen.stack_count == 0);
    press(": R U N S");
    int y = screen.layout.status.y - screen.finder.list.count;
    y = y < screen.layout.status.y - screen.finder.list.height
            ? screen.layout.status.y - screen.finder.list.height
            : y;
    screen_mouse(&screen, &(struct mouse){.kind = MOUSE_DOWN, .x = 10, .y = y});
    cr_assert_str_eq(screen_top(&screen)->title, "Runs");
    press(":");
    screen_mouse(&screen, &(struct mouse){.kind = MOUSE_DOWN, .x = 10, .y = 1});
    cr_assert_eq(screen.prompt.purpose, PROMPT_NONE, "a click elsewhere leaves");
    stop();
}

/* Every size has room for one candidate at least. */
Test(view_finder, fits_every_screen)
{
    static const int sizes[][2] = {{20, 5}, {40, 12}, {80, 24}, {300, 80}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        start(FIXTURE_WORKLOADS, sizes[i][0], sizes[i][1]);
        press(": r o o f");
        cr_assert(shows(sizes[i][0] > 20 ? "Roofline" : "Roof"));
        stop();
    }
}
