/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The panel says why before what: the numbers of its verdict as bars, the line of source, gauges; then the
 * metrics that have values, and a line for each reason why others have none.
 */
#include "core/advice/advice.h"
#include "tests/shared/fixture/driven_screen.h"
#include "tui/timeline/view_timeline.h"
#include "tui/views/kernels/view_kernels.h"
#include "tui/views/panel/panel_rows.h"
#include "tui/widgets/number.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The cells of a row of the screen that hold a bar; -1: no row has the text. */
static int bar_cells(const char *text)
{
    char *all = screen_text(), *at = strstr(all, text);
    int cells = at == NULL ? -1 : 0;
    for (; at != NULL && *at != '\n' && *at != '\0'; at++)
        cells += strncmp(at, "█", strlen("█")) == 0;
    free(all);
    return cells;
}

Test(view_panel, at_80x24_shows_the_counter_of_the_verdict_without_a_key)
{
    start(FIXTURE_WORKLOADS, 80, 24);
    cr_assert(shows("Global stores move 8x the sectors they") && shows("67,108,864"));
    int actual = bar_cells("store sectors"), ideal = bar_cells("ideal  ");
    cr_assert(actual >= 8 && ideal == actual / 8, "bars of %d and %d cells", actual, ideal);
    cr_assert(shows("occupancy   93 %") && shows("do: transpose a tile in shared memory"));
    stop();
}

/* Of a rule at least what comes before the first semicolon is whole in a panel of 80x24. */
Test(view_panel, what_to_do_is_whole_at_80x24)
{
    const struct advice_rule *rule;
    for (size_t i = 0; (rule = advice_rule_at(i)) != NULL; i++) {
        char text[400];
        snprintf(text, sizeof text, "do: %s", rule->now);
        char *further = strstr(text, "; ");
        if (further)
            *further = '\0';
        cr_expect_leq(canvas_wrapped_lines(text, 36), 3, "%s", text);
    }
}

static int row_at(int x, int y)
{
    screen_mouse(&screen, &(struct mouse){.kind = MOUSE_DOWN, .x = x, .y = y});
    screen_update(&screen, canvas.width, canvas.height);
    screen_draw(&screen, &canvas);
    cr_assert_eq(canvas_cell(&canvas, x, y)->style.background, COLOR_SELECTED, "%d, %d", x, y);
    return panel_state(&screen)->list.selected;
}

/* One list, which goes on at the top of the next table; a click takes the metric that stands there. */
Test(view_panel, a_wide_panel_has_tables_side_by_side)
{
    start(FIXTURE_ROOFLINE, 300, 24);
    const struct panel *panel = panel_state(&screen);
    struct rect area = screen.layout.pane[PANE_PANEL];
    int y = area.y + area.height - 6, first = row_at(area.x + 10, y),
        second = row_at(area.x + area.width / 2 + 10, y);
    cr_assert_eq(panel->list.top, 0);
    cr_assert_leq(first + 1, second - first, "%d, %d", first, second);
    cr_assert_geq(panel->list.height, 2 * (second - first - 1));
    cr_assert(shows(metric_info(panel_row_metric(panel, first))->title));
    stop();
}

/* Rows that the advice is about are the first of the table. */
Test(view_panel, the_table_begins_with_what_the_advice_is_about)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    const struct panel *panel = panel_state(&screen);
    cr_assert_eq(metric_info(panel_row_metric(panel, 0))->group, METRIC_GROUP_GLOBAL);
    press("/");
    type("transpose_pad");
    press("ENTER");
    cr_assert_eq(panel->advice.count, 0);
    cr_assert_eq(metric_info(panel_row_metric(panel, 0))->group, METRIC_GROUP_TIME);
    stop();
}

Test(view_panel, metrics_without_a_value_are_one_line_for_each_reason)
{
    static const enum fixture_content fixtures[] = {FIXTURE_WORKLOADS, FIXTURE_PROGRAM, FIXTURE_MODEL};
    for (size_t f = 0; f < sizeof fixtures / sizeof *fixtures; f++) {
        start(fixtures[f], 120, 60);
        const struct panel *panel = panel_state(&screen);
        int listed = 0, missing = 0;
        for (int row = 0; row < panel->row_count; row++) {
            enum metric metric = panel_row_metric(panel, row);
            if (panel->rows[row] < METRIC_COUNT)
                cr_assert_null(panel_why_missing(panel, metric), "%s", metric_info(metric)->id);
            listed += panel->rows[row] < METRIC_COUNT && metric_info(metric)->group != METRIC_GROUP_OLD;
            missing += panel_row_reason(panel, row) != NULL ? panel_row_reason(panel, row)->count : 0;
        }
        int all = 0;
        for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
            all += metric_info(metric)->group != METRIC_GROUP_OLD;
        cr_assert_eq(listed + missing, all, "fixture %zu: %d listed, %d missing", f, listed, missing);
        stop();
    }
}

Test(view_panel, a_reason_names_its_metrics)
{
    start(FIXTURE_PROGRAM, 120, 60);
    press("ENTER");
    press("G");
    const struct panel_reason *reason =
        panel_row_reason(panel_state(&screen), panel_state(&screen)->list.selected);
    cr_assert_not_null(reason);
    cr_assert(shows("not available: ") && shows(metric_info(reason->first)->title));
    stop();
}

/* A filter shows what has no value, too. */
Test(view_panel, a_filter_finds_metrics_without_a_value)
{
    start(FIXTURE_PROGRAM, 120, 40);
    press("ENTER /");
    type("bank conflicts");
    press("ENTER");
    cr_assert(shows("shared load bank conflicts") && shows("n/a"));
    stop();
}

/* README, step 2 at 80x24: the metrics that were asked for come before all that is said of the kernel. */
Test(view_panel, a_filter_hides_what_is_said_above_its_metrics)
{
    start(FIXTURE_WORKLOADS, 80, 24);
    cr_assert(shows("Global stores move 8x the sectors they"));
    for (int i = 0; i < PANE_COUNT && screen.focus != PANE_PANEL; i++)
        press("TAB");
    press("/");
    type("store");
    press("ENTER");
    for (int i = 0; i < PANE_COUNT && screen.focus != PANE_KERNELS; i++)
        press("TAB");
    cr_assert(shows("st sec/req .......... 32.0") && shows("filter: store"));
    cr_assert_not(shows("Global stores move 8x the sectors they"));
    press("ESC"); /* in the kernels: the panel's filter, too */
    cr_assert_not(shows("filter: store"));
    cr_assert(shows("Global stores move 8x the sectors they"));
    stop();
}

/* Nothing that has no value takes a column. */
Test(view_panel, has_no_empty_columns)
{
    start(FIXTURE_WORKLOADS, 200, 60);
    press("ENTER");
    cr_assert(shows("expected") && shows("measured"));
    char *text = screen_text();
    cr_assert_null(strstr(text, "modelled   "));
    free(text);
    stop();
}

/* With the keys it is a table to move in, whatever there is to say above it. */
Test(view_panel, with_the_keys_shows_its_table)
{
    start(FIXTURE_WORKLOADS, 80, 24);
    char *text = screen_text();
    cr_assert_null(strstr(text, "expected"));
    free(text);
    for (int i = 0; i < PANE_COUNT && screen.focus != PANE_PANEL; i++)
        press("TAB");
    cr_assert(shows("expected") && shows("load requests"));
    press("j");
    cr_assert_gt(panel_state(&screen)->list.selected, 0);
    stop();
}

/* ---- the run ---- */

Test(view_panel, the_run_is_a_row_of_the_list)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        start(FIXTURE_WORKLOADS, sizes[i][0], sizes[i][1]);
        press("g");
        uint32_t kernel = screen.kernel;
        press("k");
        cr_assert(screen.on_run && shows("Run transpose:naive n=8192 "));
        cr_assert(shows("kernels"));
        cr_assert_eq(screen.kernel, kernel);
        press("j");
        cr_assert(!screen.on_run && screen.kernel == kernel, "back to the kernel it was on");
        press("k k ENTER");
        cr_assert(screen.on_run && screen.maximised && shows("Run transpose:naive n=8192 "));
        press("q j j");
        cr_assert(!screen.on_run && screen.kernel != kernel);
        stop();
    }
}

/* Every class that has time stands there, with the time that the partition gives it. */
Test(view_panel, a_run_says_where_its_time_went)
{
    start(FIXTURE_PROGRAM, 120, 60);
    press("g k ENTER");
    cr_assert(screen.on_run);
    const struct run_verdict *verdict = run_verdicts_of(&screen.verdicts, screen.run);
    int classes = 0;
    for (int part = 0; part < PARTITION_COUNT; part++) {
        if (verdict->time.ns[part] == 0)
            continue;
        cr_assert(shows(partition_class_brief((enum partition_class)part)));
        cr_assert(shows(number_time(verdict->time.ns[part]).text));
        classes++;
    }
    cr_assert_geq(classes, 3);
    stop();
}

/* Advice on the kernels stands beside that on the run: nothing is green while one of them could gain. */
Test(view_panel, a_run_says_what_its_kernels_could_gain)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("g k");
    cr_assert(shows("transpose_naive: Global stores move 8x the sectors") && shows("of the run at most"));
    cr_assert_eq(panel_state(&screen)->finding_count, 1);
    press("j /");
    type("transpose_pad");
    press("ENTER k");
    cr_assert(screen.on_run && shows("? No rule finds 5 % of the run's time to gain; 49 % of "));
    cr_assert(shows("it is copies, not hidden"), "kernels ran for less than half of it: not green");
    stop();
    start(FIXTURE_PROGRAM, 120, 40); /* not counted */
    press("g k");
    cr_assert(screen.on_run && shows("running: ") && !shows("No rule finds"));
    fixture.state.live = false;
    press("k");
    cr_assert(screen.on_run && shows("No rule finds 5 % of the run's time to gain; not all"));
    stop();
}

/* A list too low for the run's line has no row for it. */
Test(view_panel, a_low_list_has_no_run)
{
    start(FIXTURE_WORKLOADS, 40, 10);
    press("g k k");
    cr_assert(!screen.on_run);
    stop();
}

/* ---- copies and idle time ---- */

/* The item of the class; -1: the list has none. */
static int part_at(enum partition_class part)
{
    const struct kernel_list *kernels = kernels_state(&screen);
    for (int i = 0; i < kernels->list.count; i++)
        if (kernels->items[i].part == part)
            return i;
    return -1;
}

static void choose_part(enum partition_class part)
{
    int at = part_at(part);
    cr_assert_geq(at, 0);
    press("g");
    for (int i = 0; i < at; i++)
        press("j");
    cr_assert_eq(screen.part, part);
    cr_assert(!screen.on_run && screen.kernel == NONE);
}

/* Every class of 5 % or more is a row beside the kernels, with its time and in the order of time and gain. */
Test(view_panel, copies_and_idle_time_are_rows_of_the_list)
{
    start(FIXTURE_PROGRAM, 120, 40);
    const struct kernel_list *kernels = kernels_state(&screen);
    const struct partition *whole = run_verdict_time(run_verdicts_of(&screen.verdicts, screen.run));
    cr_assert_eq(kernels->run_ns, partition_sum_ns(whole));
    cr_assert_eq(screen.part, 0, "a kernel is chosen at first");
    int rows = 0;
    for (enum partition_class part = PARTITION_COPY; part < PARTITION_COUNT; part++) {
        int64_t ns = whole->ns[part] + (part == PARTITION_COPY ? whole->copy_hidden_ns : 0);
        int at = part_at(part);
        cr_assert_eq(at >= 0, ns > 0 && 20 * ns >= kernels->run_ns);
        rows += at >= 0;
        if (at >= 0)
            cr_assert_eq((int64_t)kernels->items[at].total_ns, ns);
    }
    cr_assert_geq(rows, 3);
    cr_assert_eq(kernels->list.count, kernels->kernel_count + rows);
    for (int i = 1; i < kernels->list.count; i++)
        cr_assert_geq(kernels->items[i - 1].total_ns, kernels->items[i].total_ns);
    press("s"); /* by gain */
    cr_assert_eq(kernels->sort, SORT_GAIN);
    for (int i = 1; i < kernels->list.count; i++)
        cr_assert_geq(kernels->items[i - 1].gain_ns, kernels->items[i].gain_ns);
    cr_assert_eq(kernels->items[part_at(PARTITION_COPY)].gain_ns, (double)whole->ns[PARTITION_COPY]);
    press("/");
    type("in launch");
    cr_assert(kernels->list.count == 1 && kernels->items[0].part == PARTITION_LAUNCH);
    stop();
}

/* Launches of the first kernel, 10 us each, every 100 us, behind all that the session has. */
static void launch_often(struct session *session, int times)
{
    uint32_t stream = 0;
    while (session_track(session, stream)->kind != TRACK_STREAM)
        stream++;
    const int64_t first_ns = session_now_ns(session, CLOCK_WALL) + 100000;
    for (int i = 0; i < times; i++) {
        struct item item = {.kind = ITEM_LAUNCH};
        item.launch.kernel = 0;
        item.launch.call_start_ns = first_ns + i * INT64_C(100000) - 5000;
        item.launch.call_duration_ns = 3000;
        cr_assert(session_add_event(session, stream, first_ns + i * INT64_C(100000),
                                    first_ns + i * INT64_C(100000) + 10000, &item));
    }
}

/* Of a run with steps, which its verdict speaks of, shares are of the steps: what lies before and after them
 * is not in the list. */
Test(view_panel, shares_are_of_the_steps_of_a_run)
{
    start(FIXTURE_PROGRAM, 120, 40);
    launch_often(fixture.session, 1500);
    screen.clock_ms += 5000;
    press("j k");
    const struct kernel_list *kernels = kernels_state(&screen);
    const struct run_verdict *verdict = run_verdicts_of(&screen.verdicts, screen.run);
    uint64_t kernels_ns = 0;
    cr_assert_gt(verdict->steps, 0);
    cr_assert(kernels->steps && shows("step %"));
    cr_assert_eq(kernels->run_ns, partition_sum_ns(&verdict->time));
    cr_assert_lt(kernels->run_ns, partition_sum_ns(&verdict->whole));
    for (int i = 0; i < kernels->list.count; i++) {
        const struct kernel_item *item = &kernels->items[i];
        cr_assert_leq(item->share_ns, item->total_ns);
        kernels_ns += item->part == 0 ? item->share_ns : 0;
        if (item->part > PARTITION_COPY)
            cr_assert_eq((int64_t)item->share_ns, verdict->time.ns[item->part]);
    }
    cr_assert(kernels_ns > 0 && (int64_t)kernels_ns >= verdict->time.ns[PARTITION_KERNEL]);
    stop();
}

Test(view_panel, copies_say_kind_memory_bytes_and_rate)
{
    start(FIXTURE_PROGRAM, 120, 40);
    choose_part(PARTITION_COPY);
    struct copy_times times;
    copy_times_make(screen.session, screen.run, &times);
    cr_assert(times.complete && times.count >= 2);
    press("ENTER");
    cr_assert(screen.maximised && shows("hidden by kernels") && shows("host to device, pinned"));
    for (size_t i = 0; i < times.count; i++) {
        const struct copy_time *row = &times.rows[i];
        cr_assert(shows(number_bytes(row->bytes).text) && shows(number_time(row->total_ns).text));
        cr_assert(shows(number_rate(1e9 * (double)row->bytes / (double)row->total_ns).text));
    }
    press("j ENTER");
    cr_assert(screen.focus == PANE_TIMELINE && !screen.maximised);
    const struct timeline *timeline = timeline_state(&screen);
    cr_assert_eq(timeline->cursor_ns, session_event_start_ns(screen.session, times.rows[1].longest));
    cr_assert_leq(timeline->window.end_ns - timeline->window.start_ns,
                  2 * times.rows[1].longest_ns + timeline->columns);
    stop();
}

Test(view_panel, idle_time_says_whose_call_and_goes_to_the_longest)
{
    start(FIXTURE_PROGRAM, 120, 40);
    choose_part(PARTITION_LAUNCH);
    const struct partition *whole = &run_verdicts_of(&screen.verdicts, screen.run)->whole;
    const struct partition_gap *gaps = whole->gaps[PARTITION_LAUNCH];
    cr_assert(shows("the host was in a launch call, in"));
    press("ENTER");
    for (size_t i = 0; i < PARTITION_GAPS_MAX && gaps[i].ns > 0; i++)
        cr_assert(shows(number_time(gaps[i].ns).text));
    cr_assert(shows("thread"));
    cr_assert(gaps[0].ns > 0 && gaps[0].ns >= gaps[1].ns);
    press("ENTER");
    const struct timeline *timeline = timeline_state(&screen);
    cr_assert(screen.focus == PANE_TIMELINE && timeline->cpu_rows);
    cr_assert_eq(timeline->cursor_ns, gaps[0].start_ns);
    cr_assert(timeline->window.start_ns <= gaps[0].start_ns && timeline->window.end_ns >= gaps[0].end_ns);
    press("TAB");
    for (int i = 0; i < PANE_COUNT && screen.focus != PANE_KERNELS; i++)
        press("TAB");
    press("g k");
    cr_assert(screen.on_run, "the run stays the first row");
    stop();
}

/* A wide panel of a run has its copies by kind, its kernels and its longest idle times beside the verdict. */
Test(view_panel, a_wide_panel_of_a_run_has_tables)
{
    start(FIXTURE_WORKLOADS, 300, 80);
    press("g k");
    cr_assert(screen.on_run && shows("kind and host memory") && shows("host to device"));
    cr_assert(shows("412 us        20 A transpose_naive"), "the median and the calls, as in the list");
    stop();
    start(FIXTURE_WORKLOADS, 120, 40);
    press("g k");
    cr_assert(screen.on_run && shows("copies, not hidden"));
    stop();
}
