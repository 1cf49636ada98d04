/* SPDX-License-Identifier: Apache-2.0 */
/* The chart: keys through the whole screen, judged by its points and by what is drawn. */
#include "tests/shared/fixture/driven_screen.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const struct chart_point *chart_point(int series, uint32_t point)
{
    cr_assert_lt(series, chart_state(&screen)->series_count);
    cr_assert_lt(point, chart_state(&screen)->series[series].count);
    return &chart_state(&screen)->points[chart_state(&screen)->series[series].first + point];
}

/* A sweep is lines over the parameter that changed, with the document's figures; variants are bars. */
Test(view_chart, the_chart_is_of_the_workload_looked_at)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("/");
    type("copy\r");
    press("p");
    cr_assert(shows("copy-offset: median time over offset (words)") && shows("1 document, an old GPU") &&
              shows("2 bound, an old GPU"));
    cr_assert_eq(chart_state(&screen)->series_count, 3);
    cr_assert_eq(chart_state(&screen)->series[0].count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_eq(chart_point(0, i)->x, i);
        cr_assert_eq(chart_point(0, i)->y, i == 0 ? 141000 : 148000);
    }
    cr_assert(chart_point(2, 0)->x == 0 && chart_point(2, 1)->x == 4 && chart_point(2, 1)->y == 70500);
    press("l l");
    cr_assert(shows("A offset offset=2: 148 us, measured, NVIDIA H200"));
    press("n");
    cr_assert(shows("a guide: twice the time at 3") && shows("1 document offset=3: 282 us, an old GPU"));
    press("N");
    while (chart_state(&screen)->metric != METRIC_global_load_requests)
        press("j");
    cr_assert(shows("copy-offset: load requests over offset") && shows("; expected 2,097,152"));
    cr_assert_eq(chart_state(&screen)->series_count, 1); /* figures are of their metric only */
    while (chart_state(&screen)->metric != METRIC_time_ns)
        press("k");
    press("TAB");
    cr_assert(shows("transpose: speed-up over variant") && shows("1 pad an old GPU"));
    cr_assert(chart_state(&screen)->axis == CHART_VARIANTS && chart_point(0, 2)->x == 3);
    press("TAB s s");
    cr_assert(shows("copy-offset: median time over"));
    press("q");
    cr_assert_eq(screen.stack_count, 0);
    stop();
}

/* The same work on both devices: two series of one letter, and the expected value of both. */
Test(view_chart, the_chart_has_a_series_per_device)
{
    start(FIXTURE_BOTH, 120, 40);
    press("w j p");
    while (chart_state(&screen)->metric != METRIC_global_load_excess_sectors)
        press("j");
    cr_assert_eq(chart_state(&screen)->series_count, 2);
    cr_assert(chart_state(&screen)->series[0].mark == 'A' && chart_state(&screen)->series[1].mark == 'a');
    cr_assert(chart_state(&screen)->series[0].provenance == PROVENANCE_MEASURED &&
              chart_state(&screen)->series[1].provenance == PROVENANCE_MODELLED);
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < 2; i++)
            cr_assert_eq(chart_point(s, i)->x, i == 0 ? 1 : 8);
    press("l");
    cr_assert(shows("A strided stride=8: ") && shows("; expected "));
    stop();
}

Test(view_chart, the_charts_scales_keep_order)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("/");
    type("copy\r");
    press("p");
    struct chart *chart = chart_state(&screen);
    for (int scale = 0; scale < CHART_SCALE_COUNT; scale++) {
        chart->scale = (enum chart_scale)scale;
        for (int s = 0; s < chart->series_count; s++) {
            double before = -1;
            for (int step = 0; step <= 20; step++) {
                double y = chart->y_least + (chart->series[s].best - chart->y_least) * step / 20;
                double height = chart_height(chart, &chart->series[s], y);
                cr_assert(height >= 0 && height <= 1.0001 && (height > before || y <= chart->y_least),
                          "scale %d: %g lies at %g", scale, y, height);
                if (scale != CHART_SHARE)
                    cr_assert_float_eq(chart_value_at(chart, height), y, 1e-6 * y + 1e-9);
                before = height;
            }
        }
    }
    double before = -1;
    for (double x = chart->x_least; x <= chart->x_most; x += 0.25) {
        double place = chart_place(chart, x);
        cr_assert(place >= 0 && place <= 1 && place > before);
        before = place;
    }
    stop();
}

/* Of whole runs: work that overlaps counts once, and a rate is bytes over the time of the copies. */
Test(view_chart, runs_are_plotted_as_wholes)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("p");
    for (uint32_t run = 0; run < session_run_count(fixture.session); run++) {
        const struct run_row *row = session_run(fixture.session, run);
        double in = chart_run_value(fixture.session, run, CHART_RATE_IN);
        double busy = chart_run_value(fixture.session, run, CHART_BUSY);
        if (row->mode != RUN_TRACE)
            continue;
        cr_assert_float_eq(in, 50e9, 1e5, "%g", in); /* the fixture copies 50 bytes in a nanosecond */
        cr_assert_float_eq(chart_run_value(fixture.session, run, CHART_RATE_OUT), 50e9, 1e5);
        cr_assert_eq(chart_run_value(fixture.session, run, CHART_HIDDEN), 0);
        cr_assert(busy > 2.0 * (64 << 20) / 50 && busy < (double)(row->end_ns - row->start_ns));
    }
    while (chart_state(&screen)->metric != CHART_HIDDEN)
        press("j");
    cr_assert(shows("transpose: copies hidden by kernels over variant") && shows("0.0 %"));
    while (chart_state(&screen)->metric != CHART_BUSY)
        press("k");
    cr_assert_eq(chart_point(0, 1)->y, chart_run_value(fixture.session, 2, CHART_BUSY));
    stop();
}

/* Each bar says how many times the best it is, where one value is better than another. */
Test(view_chart, bars_have_their_ratio_to_the_best)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("p");
    cr_assert(!shows(" best "), "a speed-up is a ratio already");
    while (chart_state(&screen)->metric != CHART_BUSY)
        press("j");
    char ratio[20];
    snprintf(ratio, sizeof ratio, "%.2fx ", chart_point(0, 0)->y / chart_state(&screen)->series[0].least);
    cr_assert(shows(" best ") && shows(ratio));
    stop();
}

/* From a point to its run: lab, comparison and source are of what the cursor is on. */
Test(view_chart, the_cursor_is_what_is_looked_at)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("/");
    type("copy\r");
    press("p l l l x e");
    cr_assert(shows("Lab  Copy with an offset") && shows("offset offset=3,n=67108864 verified"));
    press("q h v");
    cr_assert(screen.stack[screen.stack_count - 1] == &view_source);
    press("q X");
    cr_assert(shows("A \xe2\x9c\x93 copy-offset:offset offset=3") &&
              shows("B \xe2\x9c\x93 copy-offset:offset offset=2"));
    stop();
}

/* The same variant and offset under other rules, or run again: other rules are another series, a repeated run
 * takes the place of the older one. */
static void run_offset_2_again(const char *params, int64_t duration_ns)
{
    struct session *session = fixture.session;
    uint32_t old = 0, track = 0;
    while (strcmp(session_string(session, session_run(session, old)->params), "offset=2,n=67108864") != 0)
        old++;
    uint32_t shape = 0;
    while (strcmp(session_string(session, session_shape(session, shape)->name), "copy_offset") != 0)
        shape++;
    struct run_row row = *session_run(session, old);
    row.params = session_add_string(session, params, strlen(params));
    row.group = session_run_count(session);
    row.start_ns = session_now_ns(session, CLOCK_WALL) + 1000;
    uint32_t run = session_add_run(session, &row),
             kernel = session_add_kernel(session, run, shape, row.device);
    const struct item item = {.kind = ITEM_LAUNCH, .launch = {.kernel = kernel}};
    while (session_track(session, track)->kind != TRACK_STREAM)
        track++;
    cr_assert(session_add_event(session, track, row.start_ns, row.start_ns + duration_ns, &item));
    session_end_run(session, run, row.start_ns + duration_ns, 1, 0);
    session_set_now(session, CLOCK_WALL, row.start_ns + duration_ns);
}

/* No point, and never a wrong one, for a run whose launches are not known one by one any more; it says so. */
Test(view_chart, runs_whose_events_were_evicted_have_no_point)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    session_set_memory_limit(fixture.session, 1, false);
    press("/");
    type("copy\r");
    run_offset_2_again("offset=2,n=67108864", 100000);
    press("p");
    while (chart_state(&screen)->metric != METRIC_time_ns)
        press("j");
    cr_assert(shows("copy-offset: median time over offset") && shows(", without 5 evicted runs"));
    cr_assert(chart_state(&screen)->series[0].count == 1 && chart_point(0, 0)->y == 100000);
    for (uint32_t run = 0; run < session_run_count(fixture.session) - 1; run++)
        cr_assert(isnan(chart_run_value(fixture.session, run, CHART_RATE_IN)) &&
                  isnan(chart_run_value(fixture.session, run, CHART_BUSY)));
    stop();
}

Test(view_chart, other_rules_are_another_series)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("/");
    type("copy\r");
    run_offset_2_again("offset=2,n=67108864", 100000);
    press("p");
    cr_assert(chart_point(0, 2)->x == 2 && chart_point(0, 2)->y == 100000);
    cr_assert_eq(chart_state(&screen)->series[1].mark, '1');
    run_offset_2_again("offset=2,n=67108864,cc=2.0", 300000);
    screen_update(&screen, 120, 40);
    cr_assert(shows("A offset, measured, NVIDIA H200") && shows("B offset cc=2.0, measured, NVIDIA H200"));
    cr_assert(chart_point(0, 2)->y == 100000 && chart_point(1, 0)->x == 2 && chart_point(1, 0)->y == 300000);
    stop();
}

/* More series than lines for them: they stand side by side, none left out. */
Test(view_chart, many_series_are_named_side_by_side)
{
    start(FIXTURE_WORKLOADS, 80, 19);
    press("/");
    type("copy\r");
    run_offset_2_again("offset=2,n=67108864,cc=2.0", 300000);
    run_offset_2_again("offset=2,n=67108864,cc=1.3", 300000);
    press("p");
    cr_assert(shows("A offset  B offset cc=2.0  C offset cc=1.3  1 document  2 bound"));
    cr_assert(shows("j metric  l point"));
    stop();
}

/* The filter takes variants and figures by name; what is compared with stays the same. */
Test(view_chart, only_some_variants_are_shown)
{
    static const struct {
        const char *filter, *name;
        bool kept;
    } table[] = {
        {"", "smem-batched", true},       {"pad", "smem-batched-pad", true}, {"pad", "smem-batched", false},
        {"-pad", "smem-batched", true},   {"-pad", "smem-pad", false},       {"pad loop", "loop", true},
        {"loop -pad", "unrolled", false}, {"l -roll", "unrolled", false},    {" -pad  ", "loop", true},
        {"PAD", "smem-pad", true},        {"-", "smem-pad", true},           {"-", "loop", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        cr_assert_eq(chart_keeps(table[i].filter, table[i].name), table[i].kept, "'%s' of '%s'",
                     table[i].filter, table[i].name);
    start(FIXTURE_WORKLOADS, 120, 40);
    press("p");
    cr_assert(shows("transpose: speed-up over variant") && chart_state(&screen)->series[0].count == 3);
    double pad = chart_point(0, 2)->y;
    press("/");
    type("pad\r");
    cr_assert(shows("transpose, only pad: speed-up over variant") &&
              chart_state(&screen)->series[0].count == 1);
    cr_assert(chart_point(0, 0)->x == 3 && chart_point(0, 0)->y == pad);
    press("/");
    type("pad -pad\r");
    cr_assert(shows("No variant matches the filter"));
    press("/ ESC");
    cr_assert(shows("transpose: speed-up over variant") && chart_state(&screen)->series[0].count == 3);
    press("TAB");
    cr_assert(shows("copy-offset: median time over offset") && chart_state(&screen)->series_count == 3);
    press("/");
    type("-bound\r");
    cr_assert(shows("1 document, an old GPU") && chart_state(&screen)->series_count == 2);
    press("TAB TAB");
    cr_assert(shows("copy-offset: median time over offset") && chart_state(&screen)->series_count == 3);
    stop();
}

/* More bars than lines: the one under the cursor is on the screen. */
Test(view_chart, bars_follow_the_cursor)
{
    start(FIXTURE_WORKLOADS, 80, 8);
    press("p");
    cr_assert(shows("B naive") && chart_state(&screen)->bars.count == 5);
    press("END");
    cr_assert(shows("D pad") && chart_state(&screen)->bars.selected == 3);
    press("n");
    cr_assert(shows("1 pad an old GPU") && chart_state(&screen)->bars.selected == 4);
    press("HOME");
    cr_assert_eq(chart_state(&screen)->bars.selected, 1);
    stop();
}

/* A run in progress is a hatched bar that says so, has no ratio, and is no longer hatched once it has ended.
 */
Test(view_chart, a_run_in_progress_is_no_result)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    uint32_t run = 0;
    while (strcmp(session_string(fixture.session, session_run(fixture.session, run)->workload),
                  "transpose") != 0)
        run++;
    struct run_row *row = (struct run_row *)session_run(fixture.session, run);
    int64_t end_ns = atomic_exchange(&row->end_ns, INT64_MIN);
    press("p");
    for (int i = 0; i < 5 && strcmp(chart_state(&screen)->name, "transpose") != 0; i++)
        press("TAB");
    cr_assert_eq(chart_state(&screen)->axis, CHART_VARIANTS);
    cr_assert(shows("naive so far") && chart_point(0, 0)->open && shows("\u2591\u2591"));
    cr_assert(chart_state(&screen)->series[0].least != chart_point(0, 0)->y);
    atomic_store(&row->end_ns, end_ns);
    screen.clock_ms += 1000;
    screen_update(&screen, 120, 40);
    cr_assert(!shows("so far") && !chart_point(0, 0)->open);
    stop();
}
