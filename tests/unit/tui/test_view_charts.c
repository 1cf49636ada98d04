/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Charts of the timeline: what stands in which column, and what the user can do with them, judged by what is
 * drawn and by the screen's state.
 */
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/fixture/fixture_samples.h"

#include "core/session/lod.h"
#include "tui/timeline/timeline_charts.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* A line each, as somebody chose them; else they fill the pane. */
static void start_charts(int width, int height)
{
    start(FIXTURE_SAMPLED, width, height);
    for (uint32_t i = 0; i < timeline_state(&screen)->charts.count; i++)
        timeline_state(&screen)->charts.items[i].choice.fold = 1;
    press("S-TAB O");
}

static const struct timeline_chart *chart_at(int row)
{
    return timeline_state(&screen)->rows[row].chart == NONE
               ? NULL
               : &timeline_state(&screen)->charts.items[timeline_state(&screen)->rows[row].chart];
}

/* The first line of the chart of this title; -1: it has none. */
static int row_of(const char *title)
{
    for (int i = 0; i < timeline_state(&screen)->rows_list.count; i++)
        if (chart_at(i) != NULL && timeline_state(&screen)->rows[i].line == 0 &&
            strcmp(chart_at(i)->about.title, title) == 0)
            return i;
    return -1;
}

static void select_chart(const char *title)
{
    cr_assert_geq(row_of(title), 0, "there is no chart %s", title);
    list_select(&timeline_state(&screen)->rows_list, row_of(title));
    screen_update(&screen, canvas.width, canvas.height);
}

static const struct timeline_cell *cells_of(int row)
{
    return timeline_state(&screen)->cells +
           (size_t)(row - timeline_state(&screen)->rows_list.top) * (size_t)timeline_state(&screen)->columns;
}

/* The known step lies in its column and in no other, at any zoom. */
Test(charts, a_known_step_stands_at_its_column)
{
    start_charts(140, 40);
    for (int zoom = 0; zoom < 9; zoom++) {
        const struct timeline_cell *cells = cells_of(row_of("achieved occupancy"));
        int columns = timeline_state(&screen)->columns, seen = 0;
        for (int k = 0; k < columns; k++) {
            int64_t from =
                lod_column_start_ns(timeline_state(&screen)->window.start_ns,
                                    timeline_state(&screen)->window.end_ns, (size_t)columns, (size_t)k);
            int64_t to =
                lod_column_start_ns(timeline_state(&screen)->window.start_ns,
                                    timeline_state(&screen)->window.end_ns, (size_t)columns, (size_t)k + 1);
            bool sampled =
                from < 12500000 && to > 500000 && !(from >= FIXTURE_GAP_NS && to <= FIXTURE_GAP_END_NS);
            cr_assert_eq(cells[k].shape != CELL_EMPTY, sampled, "zoom %d, column %d", zoom, k);
            if (!sampled)
                continue;
            if (to <= FIXTURE_STEP_NS)
                cr_assert_eq(cells[k].eighths, 1, "zoom %d, column %d: %d", zoom, k, cells[k].eighths);
            else if (from >= FIXTURE_STEP_NS)
                cr_assert_eq(cells[k].eighths, 5, "zoom %d, column %d: %d", zoom, k, cells[k].eighths);
            seen++;
        }
        cr_assert_gt(seen, 0);
        timeline_cursor_to(&screen, FIXTURE_STEP_NS);
        press("+");
    }
    stop();
}

Test(charts, are_read_out_exactly)
{
    start_charts(160, 40);
    select_chart("achieved occupancy");
    timeline_cursor_to(&screen, FIXTURE_STEP_NS);
    press("+ + + + + + + + l l");
    cr_assert(shows("75 %"));
    cr_assert(shows("50,000 ns from +3,030,000 ns"));
    cr_assert(shows("measured"));
    press("h h h h");
    cr_assert(shows("12.5 %"));
    select_chart("shared wavefronts");
    cr_assert(shows(" in 50,000 ns from +2,980,000 ns")); /* a count, and its rate */
    cr_assert(shows("800 M/s  40,000 in"));
    stop();
}

Test(charts, say_why_there_is_nothing)
{
    start_charts(160, 40);
    select_chart("bank conflicts");
    timeline_cursor_to(&screen, 6000000);
    press("l h");
    cr_assert(shows("not sampled here: between bursts"));
    select_chart("achieved occupancy");
    timeline_cursor_to(&screen, (FIXTURE_GAP_NS + FIXTURE_GAP_END_NS) / 2);
    press("l h");
    cr_assert(shows("not sampled here"));
    select_chart("PCIe read");
    timeline_cursor_to(&screen, 5000000); /* the counter gave none there */
    press("+ + + + + + + + l l");
    cr_assert(shows("the counter gave no number"));
    stop();
}

/* Low until the step, high from there on: the mean between two marks. */
Test(charts, have_a_mean_between_marks)
{
    start_charts(160, 40);
    select_chart("achieved occupancy");
    timeline_cursor_to(&screen, FIXTURE_STEP_NS - 1000000);
    press("[");
    timeline_cursor_to(&screen, FIXTURE_STEP_NS + 1000000);
    press("]");
    cr_assert(shows("[ to ]: mean 43.8 %"));
    timeline_cursor_to(&screen, FIXTURE_GAP_NS + 500000);
    press("[");
    timeline_cursor_to(&screen, FIXTURE_GAP_NS + 700000);
    press("]");
    cr_assert(shows("[ to ]: not sampled"));
    timeline_cursor_to(&screen, FIXTURE_GAP_NS - 500000);
    press("[");
    cr_assert(shows("[ to ]: mean 75 %, 41.7 % of it sampled"));
    stop();
}

Test(charts, take_one_to_four_lines)
{
    start_charts(140, 50);
    select_chart("bank conflicts");
    int count = timeline_state(&screen)->rows_list.count;
    for (int lines = 2; lines <= 4; lines++) {
        press("z");
        cr_assert_eq(timeline_state(&screen)->rows_list.count, count + lines - 1);
        cr_assert_eq(timeline_state(&screen)->rows_list.selected, row_of("bank conflicts"));
    }
    cr_assert(shows("bursts, every 10.0 us"));
    press("j"); /* to the next chart, not to its second line */
    cr_assert_eq(timeline_state(&screen)->rows[timeline_state(&screen)->rows_list.selected].line, 0);
    cr_assert_eq(timeline_state(&screen)->rows_list.selected, row_of("bank conflicts") + 4);
    press("k");
    cr_assert_eq(timeline_state(&screen)->rows_list.selected, row_of("bank conflicts"));
    press("z");
    cr_assert_eq(timeline_state(&screen)->rows_list.count, count);
    stop();
}

/* More lines show the same: a column's filled eighths, over all lines, are its height. */
Test(charts, of_more_lines_have_the_same_shape)
{
    uint8_t low[200];
    start_charts(140, 50);
    int row = row_of("DRAM read"), columns = timeline_state(&screen)->columns;
    for (int k = 0; k < columns; k++)
        low[k] = cells_of(row)[k].eighths;
    select_chart("DRAM read");
    press("z z z");
    for (int k = 0; k < columns; k++) {
        int eighths = 0, above = 0;
        for (int line = 0; line < 4; line++) {
            int own = cells_of(row_of("DRAM read") + line)[k].eighths;
            cr_assert(above == 0 || own == 8, "column %d is not filled from below", k);
            above = own;
            eighths += own;
        }
        /* 31 eighths of four lines are what 7 of one are: the highest is blank, so that rows lie apart. */
        cr_assert(eighths <= 31 && abs(7 * eighths - 31 * low[k]) <= 31 / 2 + 9,
                  "column %d: %d of 31, %d of 7", k, eighths, low[k]);
    }
    stop();
}

/* Each counter has its hue wherever it stands; below the top of a chart of more lines the tone is dim. */
Test(charts, have_a_hue_each_and_a_bright_top)
{
    static const char *const titles[] = {"achieved occupancy", "DRAM read", "shared wavefronts",
                                         "bank conflicts"};
    start_charts(140, 50);
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        const struct timeline_cell *cells = cells_of(row_of(titles[i]));
        int drawn = 0;
        for (int k = 0; k < timeline_state(&screen)->columns; k++) {
            if (cells[k].eighths == 0)
                continue;
            cr_assert(cells[k].color == COLOR_COUNTER + chart_hue(titles[i]) ||
                          cells[k].color == COLOR_SOFT + chart_hue(titles[i]),
                      "%s, column %d", titles[i], k);
            drawn++;
        }
        cr_assert_gt(drawn, 0, "%s", titles[i]);
        for (size_t j = 0; j < i; j++)
            cr_assert_neq(chart_hue(titles[i]), chart_hue(titles[j]), "%s, %s", titles[i], titles[j]);
    }
    select_chart("achieved occupancy");
    press("z z z");
    int row = row_of("achieved occupancy"), dim = 0, bright = 0;
    for (int line = 0; line < 4; line++)
        for (int k = 0; k < timeline_state(&screen)->columns; k++) {
            const struct timeline_cell *cell = &cells_of(row + line)[k];
            bool fill = cell->color >= COLOR_FILL && cell->color < COLOR_INK;
            cr_assert(!fill || (cell->eighths == 8 && line > 0 && cells_of(row + line - 1)[k].eighths > 0));
            dim += fill;
            bright += cell->eighths > 0 && cell->color >= COLOR_COUNTER && cell->color < COLOR_SOFT;
        }
    cr_assert(dim > 0 && bright > 0, "%d dim, %d bright", dim, bright);
    stop();
}

/* Where samples are wider than columns a tick stands where each begins, and nowhere else. */
Test(charts, have_ticks_where_few_samples_begin)
{
    start_charts(140, 40);
    int row = row_of("achieved occupancy"), columns = timeline_state(&screen)->columns;
    for (int k = 0; k < columns; k++)
        cr_assert_neq(cells_of(row)[k].mark, '|', "many samples in a column, and a tick at %d", k);
    timeline_cursor_to(&screen, FIXTURE_STEP_NS);
    press("+ + + + + + +");
    struct window window = timeline_state(&screen)->window;
    int ticks = 0;
    for (int k = 1; k < columns; k++) {
        int64_t from = axis_column_start(window, columns, k), to = axis_column_start(window, columns, k + 1);
        bool begins = (from + 49999) / 50000 * 50000 < to; /* every 50 us */
        cr_assert_eq(cells_of(row)[k].mark == '|', begins, "column %d of %ld to %ld", k, (long)from,
                     (long)to);
        ticks += begins;
    }
    cr_assert(ticks > 0 && ticks < columns / 4, "%d ticks", ticks);
    stop();
}

/* What the samples of the chart's series say of a window, by a look at each of them. */
static double mean_apart(const struct timeline_chart *chart, struct window window, uint64_t *touching)
{
    double sum = 0, covered = 0;
    *touching = 0;
    for (uint32_t s = chart->first; s != NONE; s = timeline_state(&screen)->charts.next[s]) {
        uint32_t sampling = session_series(screen.session, s)->sampling;
        for (uint64_t i = 0; i < sample_count(screen.session, sampling); i++) {
            int64_t start_ns = sample_start_ns(screen.session, sampling, i),
                    end_ns = sample_end_ns(screen.session, sampling, i);
            start_ns = start_ns < window.start_ns ? window.start_ns : start_ns;
            end_ns = end_ns > window.end_ns ? window.end_ns : end_ns;
            *touching += start_ns < end_ns;
            if (start_ns < end_ns) {
                sum += (double)(end_ns - start_ns) * (double)sample_number(screen.session, s, i);
                covered += (double)(end_ns - start_ns);
            }
        }
    }
    return covered > 0 ? sum / covered : (double)NAN;
}

/* At any zoom, and anywhere: the mean is of the samples shown, and fewer than five of them are no fill. */
Test(charts, say_the_mean_of_what_is_shown)
{
    static const int64_t places[] = {600000, FIXTURE_STEP_NS, 7990000, 8700000, 12000000};
    static const char *const titles[] = {"achieved occupancy", "DRAM read"};
    int dashed = 0, filled = 0, none = 0;
    for (size_t place = 0; place < sizeof places / sizeof places[0]; place++) {
        start_charts(200, 40);
        for (int zoom = 0; zoom < 11; zoom++) {
            timeline_cursor_to(&screen, places[place]);
            press("+");
            for (int i = 0; i < 2; i++) {
                const struct timeline_chart *chart = chart_at(row_of(titles[i]));
                uint64_t touching;
                double mean = mean_apart(chart, timeline_state(&screen)->window, &touching);
                char text[40] = "mean ", few[60];
                cr_assert(isnan(mean) ? isnan(chart->mean) : fabs(chart->mean - mean) < 1e-4 * (1 + mean),
                          "%s: mean %g, of the samples %g", titles[i], chart->mean, mean);
                series_format(SERIES_PERCENT, mean, text + 5, sizeof text - 5);
                cr_assert_eq(shows(text), !isnan(mean), "%s", text);
                snprintf(few, sizeof few, " %lu sample%s of 50.0 us ", (unsigned long)touching,
                         touching == 1 ? "" : "s");
                bool is_few = touching > 0 && touching < 5;
                cr_assert_eq(shows(few), is_few, "%s", few);
                for (int k = 0; k < timeline_state(&screen)->columns; k++) {
                    const struct timeline_cell *cell = &cells_of(row_of(titles[i]))[k];
                    cr_assert_neq(cell->shape, is_few && cell->eighths > 0 ? CELL_CHART : CELL_DASH);
                    dashed += cell->shape == CELL_DASH;
                    filled += cell->shape == CELL_CHART;
                }
                none += touching == 0;
            }
        }
        stop();
    }
    cr_assert(dashed > 0 && filled > 0 && none > 0);
}

Test(charts, say_their_mean_beside_their_name)
{
    start_charts(200, 40);
    cr_assert(shows("occupancy         mean 54.5 %"));
    cr_assert(shows("wavefronts      mean 3.87 G/s"));
    select_chart("shared wavefronts"); /* of more lines: what its top is, and the mean below */
    press("z");
    cr_assert(shows("shared wavefronts       8 G/s"));
    cr_assert(shows("mean 3.87 G/s               0"));
    stop();
    start_charts(78, 40); /* no room: the name goes first */
    cr_assert(shows(" occupancy "));
    cr_assert_not(shows("mean"));
    select_chart("shared wavefronts");
    press("z z");
    cr_assert(shows(" 3.87 G/s "));
    cr_assert_not(shows("mean 3.87"));
    stop();
}

Test(charts, are_hidden_pinned_moved_and_filtered)
{
    start_charts(140, 50);
    select_chart("DRAM read");
    int before = row_of("DRAM read");
    press("J");
    cr_assert_eq(row_of("DRAM read"), before + 1);
    cr_assert_eq(timeline_state(&screen)->rows_list.selected, before + 1);
    press("P");
    cr_assert_eq(row_of("DRAM read"), 0);
    press("P i");
    cr_assert_eq(row_of("DRAM read"), -1);
    cr_assert(shows("1 hidden"));
    press("I");
    cr_assert_geq(row_of("DRAM read"), 0);
    press("F");
    type("counter=wave");
    press("ENTER");
    cr_assert_geq(row_of("shared wavefronts"), 0);
    cr_assert_eq(row_of("DRAM read"), -1);
    stop();
}

Test(charts, go_by_sample_and_to_the_highest)
{
    start_charts(140, 50);
    select_chart("bank conflicts");
    timeline_cursor_to(&screen, 5000000);
    press("n");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, 8200000);
    press("N");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, 3390000);
    press("M");
    cr_assert(timeline_state(&screen)->cursor_ns >= 2200000 + 59 * 10000 &&
                  timeline_state(&screen)->cursor_ns <= 2200000 + 61 * 10000,
              "%ld", (long)timeline_state(&screen)->cursor_ns);
    press("%");
    cr_assert(shows("n and N move by sample"));
    stop();
}

/* ---- which rows are seen ---- */

/* On a tall screen charts grow, so that no line is left while one could be taller. */
Test(charts, grow_with_the_screen)
{
    static const int heights[] = {24, 40, 60, 80, 120};
    int before = 0;
    for (size_t i = 0; i < sizeof heights / sizeof heights[0]; i++) {
        start(FIXTURE_SAMPLED, 120, heights[i]);
        const struct timeline *timeline = timeline_state(&screen);
        int lines = 0, low = CHART_LINES_MAX;
        for (int r = 0; r < timeline->rows_list.count; r++)
            if (timeline->rows[r].kind == ROW_CHART && timeline->rows[r].line == 0) {
                lines += timeline->rows[r].lines;
                low = timeline->rows[r].lines < low ? timeline->rows[r].lines : low;
            }
        cr_assert(timeline->rows_list.count >= timeline->rows_list.height || low == CHART_LINES_MAX,
                  "height %d: %d rows in %d lines", heights[i], timeline->rows_list.count,
                  timeline->rows_list.height);
        cr_assert_geq(lines, before);
        before = lines;
        stop();
    }
    cr_assert_eq(before, 5 * CHART_LINES_MAX);
}

/* Where not all rows are seen, the charts that decide come before the streams, and the frame says how many
 * are not seen. */
Test(charts, that_decide_are_seen_and_the_rest_counted)
{
    char expected[40];
    start(FIXTURE_SAMPLED, 80, 24);
    const struct timeline *timeline = timeline_state(&screen);
    int occupancy = row_of("achieved occupancy"), hidden = 0;
    cr_assert(occupancy > 0 && occupancy < timeline->rows_list.height, "row %d", occupancy);
    cr_assert_eq(timeline->rows[occupancy - 1].kind, ROW_DEVICE);
    for (int r = timeline->rows_list.height; r < timeline->rows_list.count; r++)
        hidden += timeline->rows[r].line == 0;
    snprintf(expected, sizeof expected, "%d more rows below ", hidden);
    cr_assert(shows(expected));
    press("S-TAB j j j j j j j j j j j j j j j j j j j j j j j j");
    cr_assert(shows(" more above "));
    cr_assert_not(shows("below"));
    press("k k k k k k k k");
    cr_assert(shows("below and "));
    stop();
    start(FIXTURE_SAMPLED, 120, 80); /* all are seen */
    const struct list *rows = &timeline_state(&screen)->rows_list;
    cr_assert_leq(rows->count, rows->height);
    cr_assert_gt(row_of("achieved occupancy"), 5);
    stop();
    cr_assert_lt(chart_rank("PCIe read", "pageable_copies"),
                 chart_rank("achieved occupancy", "pageable_copies"));
    cr_assert_eq(chart_rank("PCIe read", ""), 0);
}

/* A chart that was 0 in all of the run comes after the others, and does not grow. */
Test(charts, of_nothing_come_last)
{
    start(FIXTURE_SAMPLED, 120, 80);
    uint32_t name =
        session_add_string(fixture.session, "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", 51);
    struct sampling_row row = {.process = 0, .device = 0, .interval_ns = 100000, .series = 1};
    uint32_t sampling = sampling_add(fixture.session, &row, &name);
    float number = 0;
    cr_assert_eq(sample_add(fixture.session, sampling, 5000000, 500000, &number), SAMPLE_ADDED);
    press("l");
    const struct timeline *timeline = timeline_state(&screen);
    cr_assert_eq(row_of("active SMs"), timeline->rows_list.count - 1);
    number = 24; /* low: one line would show no less */
    cr_assert_eq(sample_add(fixture.session, sampling, 5500000, 500000, &number), SAMPLE_ADDED);
    press("l");
    cr_assert_lt(row_of("active SMs"), row_of("DRAM read"));
    cr_assert_eq(timeline->rows[row_of("active SMs")].lines, 1);
    number = 26;
    cr_assert_eq(sample_add(fixture.session, sampling, 6000000, 500000, &number), SAMPLE_ADDED);
    press("l");
    cr_assert_gt(timeline->rows[row_of("active SMs")].lines, 1);
    stop();
}

/* Sampling that began anew goes on in the same chart. */
Test(charts, of_one_name_and_device_are_one)
{
    start_charts(140, 50);
    uint32_t count = timeline_state(&screen)->charts.count;
    uint32_t name = session_series(fixture.session, 0)->name;
    struct sampling_row row = {.process = 0, .device = 0, .interval_ns = 100000, .series = 1};
    uint32_t sampling = sampling_add(fixture.session, &row, &name);
    const float number = 20;
    cr_assert_eq(sample_add(fixture.session, sampling, FIXTURE_GAP_NS, 500000, &number), SAMPLE_ADDED);
    press("l");
    cr_assert_eq(timeline_state(&screen)->charts.count, count);
    select_chart("achieved occupancy");
    timeline_cursor_to(&screen, FIXTURE_GAP_NS + 100000);
    press("l h");
    cr_assert(shows("20 %"));
    stop();
}

/* ---- watching ---- */
Test(charts, fill_the_screen_of_watching)
{
    start(FIXTURE_WATCH, 120, 50);
    screen_update(&screen, 120, 50);
    screen_update(&screen, 120, 50);
    cr_assert_eq(screen.stack_count, 1);
    cr_assert(timeline_follows(&screen));
    cr_assert_geq(timeline_state(&screen)->rows[0].lines, 2);
    press("j");
    cr_assert(shows("2 processes on the device"));
    cr_assert(shows("97 % used"));
    cr_assert_eq(timeline_state(&screen)->rows[timeline_state(&screen)->rows_list.selected].line, 0);
    press("q");
    cr_assert(screen.quit);
    stop();
}

Test(charts, no_time_is_shown_before_the_first_sample)
{
    start(FIXTURE_WATCH, 120, 50);
    cr_assert(shows("  shows "));
    timeline_state(&screen)->rows_list.count = 0;
    screen_draw(&screen, &canvas);
    char *text = screen_text();
    cr_assert_null(strstr(text, "  shows "));
    free(text);
    stop();
}

Test(charts, a_reason_why_nothing_is_watched_is_said_once)
{
    static const char why[] = "GPU 0 cannot be watched: it does not exist.";
    start(FIXTURE_WATCH, 120, 50);
    const struct notice_row notice = {.text = session_add_string(fixture.session, why, strlen(why)),
                                      .severity = SEVERITY_ERROR};
    session_add_notice(fixture.session, &notice);
    screen_message(&screen, SEVERITY_ERROR, "%s", why); /* as for a notice that comes live */
    timeline_state(&screen)->rows_list.count = 0;
    char *text = screen_text(), *first = strstr(text, why);
    cr_assert(first != NULL && strstr(first + 1, why) == NULL, "%s", text);
    free(text);
    screen_message(&screen, SEVERITY_ERROR, "Something else.");
    cr_assert(shows("Something else."));
    stop();
}

Test(charts, no_burst_where_none_is_ready)
{
    start(FIXTURE_WATCH, 120, 50);
    press("b");
    cr_assert(shows("start lanescope with --burst 10us"));
    stop();
}

/* ---- what cannot be sampled ---- */
Test(charts, a_device_that_cannot_be_sampled_says_why)
{
    start(FIXTURE_UNSAMPLED, 200, 40);
    press("S-TAB O");
    int row = row_of("counters over time");
    cr_assert(row >= 0 && timeline_state(&screen)->rows[row].depth > 0, "below its device");
    cr_assert(shows("not sampled. Chip GA100 samples its counters by its own clock"));
    select_chart("counters over time");
    cr_assert(shows("counters over time  not sampled. Chip GA100"));
    press("z z n M");
    cr_assert_eq(timeline_state(&screen)->rows[row].lines, 1);
    cr_assert(shows("no samples to move to"));
    /* Another reason takes the place of the first. */
    fixture_unsampled_fill(fixture.session, "You may not read the GPU's counters.");
    press("l");
    cr_assert(shows("not sampled. You may not") && !shows("Chip GA100"));
    /* It was sampled all the same. */
    fixture_samples_fill(fixture.session);
    press("l");
    cr_assert_geq(row_of("achieved occupancy"), 0);
    cr_assert_eq(row_of("counters over time"), -1);
    stop();
}

/* Of another device it says nothing. */
Test(charts, a_reason_is_of_its_device_alone)
{
    start(FIXTURE_SAMPLED, 200, 40);
    fixture_unsampled_fill(fixture.session, "You may not read the GPU's counters.");
    press("S-TAB O");
    cr_assert_geq(row_of("achieved occupancy"), 0);
    cr_assert(!shows("You may not"));
    stop();
}
