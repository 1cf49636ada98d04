/*
 * The panel says why before what: the numbers of its verdict as bars, the line of source, gauges; then the
 * metrics that have values, and a line for each reason why others have none.
 */
#include "tests/shared/fixture/driven_screen.h"
#include "tui/views/panel/panel_rows.h"
#include "tui/widgets/number.h"

#include <criterion/criterion.h>
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
    int actual = bar_cells("store sectors"), ideal = bar_cells("st ideal");
    cr_assert(actual >= 8 && ideal == actual / 8, "bars of %d and %d cells", actual, ideal);
    cr_assert(shows("occupancy   93 %") && shows("do: let neighbouring lanes write"));
    stop();
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
    cr_assert(shows("transpose_naive: Global stores move 8x the sectors they") &&
              shows("of the run at most"));
    cr_assert_eq(panel_state(&screen)->finding_count, 1);
    press("j /");
    type("transpose_pad");
    press("ENTER k");
    cr_assert(screen.on_run && shows("No rule finds a problem with the run or its kernels"));
    stop();
    start(FIXTURE_PROGRAM, 120, 40); /* not counted */
    press("g k");
    cr_assert(screen.on_run && shows("No rule finds a problem with the run; not all"));
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
