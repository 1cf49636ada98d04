/* SPDX-License-Identifier: Apache-2.0 */
/* The lab and the comparison: keys through the whole screen. */
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/fixture/fixture_accesses.h"
#include "tui/frame/lesson.h"
#include "tui/terminal/writer.h"
#include "tui/timeline/view_timeline.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(view_lab, the_lab_edits_and_runs)
{
    start(FIXTURE_EMPTY, 100, 30);
    press("j j j e");
    cr_assert(shows("Lab  Transpose a matrix") && shows("rows and columns"));
    press("UP e");
    type("tile\r");
    cr_assert(shows("through shared memory"));
    press("DOWN");
    type("1024\r");
    press("ENTER");
    cr_assert_str_eq(fixture.ran, "transpose:tile,n=1024");
    cr_assert(screen.stack[screen.stack_count - 1] == &view_lab);
    type("99\r");
    cr_assert(shows("transpose,n=99 is outside the range") && shows("tile,n=1024"));
    press("RIGHT UP RIGHT");
    press("ENTER");
    cr_assert_str_eq(fixture.ran, "transpose:pad,n=2048");
    press("LEFT LEFT LEFT LEFT ENTER");
    cr_assert_str_eq(fixture.ran, "transpose,n=2048");
    press("LEFT ENTER");
    cr_assert_str_eq(fixture.ran, "transpose:swizzle,n=2048");
    press("q");
    cr_assert(screen.stack[screen.stack_count - 1] == &view_workloads);
    stop();
}

/* What ENTER runs, with the session's options: whole, over several lines where it must be. */
Test(view_lab, the_command_can_be_copied)
{
    start(FIXTURE_EMPTY, 100, 30);
    fixture.host.run_options = " --device simt --model a100 --check";
    press("j j j e");
    cr_assert(shows("ENTER lanescope --device simt --model a100 ") && shows("      --check transpose:copy"));
    stop();
}

/* Beside the values stand those of the kernel shown before, where they differ. */
Test(view_lab, the_lab_shows_what_a_step_changed)
{
    start(FIXTURE_WORKLOADS, 140, 40);
    press("e");
    cr_assert_not(shows("before"));
    press("k l");
    cr_assert(shows("variant    tile") && shows("measured      before"));
    cr_assert(shows("168 us      412 us"));
    cr_assert(shows(" 8,388,608 = 8,388,608             ")); /* the load sectors are the same */
    press("l h");                                            /* to pad and back */
    cr_assert(shows("168 us      121 us"));
    press("q q");
    cr_assert_not(shows("before"));
    stop();
}

/* A recording runs nothing, but what it holds is shown for the values that are set. */
Test(view_lab, the_lab_shows_the_run_of_its_values)
{
    start(FIXTURE_BOTH, 140, 40);
    press("w j e");
    cr_assert(shows("stride     1 ") && shows("strided stride=1 verified") && shows("4.00"));
    type("8\r");
    cr_assert(shows("strided stride=8 verified") && shows("Global loads move 8x"));
    cr_assert_eq(screen.kernel, lab_state(&screen)->kernel);
    type("5\r");
    cr_assert(shows("stride     5 ") && shows("strided stride=8 verified"));
    type("08\r");
    cr_assert(shows("stride     8 "));
    press("DOWN");
    cr_assert(shows("n          auto ") && shows("(auto)"), "0 is left to the device");
    type("4096\r");
    cr_assert(shows("n          4096 "));
    lab_set(&screen, "auto");
    press("UP");
    cr_assert(shows("n          auto ") && !shows("n=auto"), "a run is given 0");
    press("ENTER");
    cr_assert(shows("Nothing can be run here"));
    press("q q /");
    type("histogram\r");
    press("e");
    cr_assert(shows("The lab shows a bundled workload"));
    stop();
}

Test(view_lab, a_lesson_is_laid_out_for_its_width)
{
    start(FIXTURE_EMPTY, 60, 20);
    press("w j e TAB");
    cr_assert(shows("Lesson") && shows("copy-stride: lanes that stand apart") && shows("8 and more  32") &&
              shows("Lane i of a warp takes word i x stride."));
    int lines = lesson_lines(lab_state(&screen)->workload->lesson, 58, false);
    cr_assert_gt(lesson_lines(lab_state(&screen)->workload->lesson, 30, false), lines);
    stop();
}

static bool hides(const char *text)
{
    char *all = screen_text();
    bool hidden = strstr(all, text) == NULL;
    free(all);
    return hidden;
}

/* The answer is hidden until it is asked for; then its page shows it, whichever part had the focus. */
Test(view_lab, the_answer_is_behind_a_key)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {60, 16}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        start(FIXTURE_EMPTY, sizes[i][0], sizes[i][1]);
        press("w j e");
        cr_assert(hides("From a stride of 8 on"));
        press("!");
        cr_assert(shows("From a stride of 8 on: p.") && hides("! shows it"));
        press("!");
        cr_assert(hides("From a stride of 8 on") && shows("! shows it"));
        press("! q j e");
        cr_assert(hides("From a stride of 8 on"), "another workload's lesson");
        stop();
    }
}

/* On the model a case is small at first, so that its counts come at once; for its time it is made full. */
Test(view_lab, a_case_is_small_or_full)
{
    bool full = false;
    start(FIXTURE_MODEL_LIST, 130, 40);
    fixture.host.full_size = &full;
    press("j e");
    cr_assert(shows("size       small         small, full") && !shows("--size default"));
    press("A G"); /* the lane map's cases are small: it has no row for it */
    cr_assert(shows("compute cap.") && !shows("size  ") && lane_map_state(&screen)->form.count == 9);
    press("q G");
    cr_assert(shows("counts are exact; the time is mostly that of"));
    press("RIGHT");
    cr_assert(full && shows("size       full") && shows("times are meaningful") && shows("--size default"));
    press("e");
    type("small\r");
    cr_assert(!full);
    press("e");
    type("huge\r");
    cr_assert(!full && shows("The size is small or full, not 'huge'."));
    press("3"); /* is no value of it */
    press("ENTER");
    cr_assert_str_eq(fixture.ran, "copy-stride:strided");
    stop();
}

/* A run has begun, and no kernel of it is there yet: a full one takes a second. The model is called one all
 * the same, and nobody is told that there will be none. */
Test(view_lab, a_run_that_has_just_begun)
{
    start(FIXTURE_MODEL_LIST, 100, 30);
    struct device_row device = {.info = {.is_model = true, .name = "NVIDIA H200", .multiprocessors = 132}};
    struct run_row run = {.mode = RUN_TRACE, .clock = CLOCK_MODEL};
    atomic_init(&run.end_ns, INT64_MIN);
    atomic_init(&run.verified, (int8_t)-1);
    run.workload = session_add_string(fixture.session, "copy-stride", 11);
    run.variant = session_add_string(fixture.session, "strided", 7);
    run.params = session_add_string(fixture.session, "stride=2", 8);
    run.device = session_add_device(fixture.session, &device);
    cr_assert_neq(session_add_run(fixture.session, &run), NONE);
    press("j e");
    cr_assert(shows("device model of NVIDIA H200, 132 multiprocessors"));
    cr_assert(shows("numbers are modelled"));
    cr_assert(shows("strided stride=2 runs") && shows("Running: values appear here"));
    stop();
}

/* For the last row of a class: one part of the lab fills the screen, and the key line names the keys. */
Test(view_lab, a_part_of_the_lab_fills_the_screen)
{
    start(FIXTURE_EMPTY, 80, 24);
    press("w j e");
    cr_assert(shows("ENTER run") && shows("TAB pane") && shows("Lane map") && shows("TAB"));
    press("TAB");
    cr_assert(shows("O: large"));
    press("O");
    cr_assert(shows("Lane i of a warp takes word i x stride. The words between are moved too, since") &&
              !shows("Lane map") && !shows("variant"));
    press("TAB");
    cr_assert(shows("Lane map") && !shows("Lesson"));
    press("TAB O");
    cr_assert(shows("variant") && shows("Lesson") && shows("Lane map"));
    stop();
}

static int asked; /* the model, for addresses */

static enum status counted_accesses(void *context, const struct tui_access_query *query,
                                    struct tui_accesses *accesses, struct error *error)
{
    asked += !query->stated; /* the preview of the list reads the table */
    return fixture_accesses(context, query, accesses, error);
}

/* Before a run the lane map stands in the place of its values, and follows what is set; the model is asked
 * once for each setting. After the run it gives place, or stands beside on a wide screen. */
Test(view_lab, the_lane_map_follows_what_is_set)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        start(FIXTURE_EMPTY, sizes[i][0], sizes[i][1]);
        fixture.host.accesses = counted_accesses;
        asked = 0;
        press("j e");
        cr_assert(shows("8 sectors of 32 bytes, ideal 4") && shows("lane 0-9 a-v; + several"));
        press("l");
        cr_assert(shows("12 sectors of 32 bytes, ideal 4"));
        press("TAB j TAB TAB j k");
        cr_assert_eq(asked, 2);
        press("h l h h l");
        cr_assert(shows("8 sectors of 32 bytes, ideal 4"));
        cr_assert_eq(asked, 3);
        type("32\r");
        cr_assert(shows("32 sectors of 32 bytes, ideal 4") && shows("Its values appear here after a run"));
        cr_assert_eq(asked, 4);
        press("j"); /* a size for which the model would take minutes */
        type("268435456\r");
        cr_assert(shows("268435456") && shows("32 sectors of 32 bytes, ideal 4"));
        cr_assert_eq(asked, 4);
        press("A");
        cr_assert(shows("small (268435456)"));
        stop();
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        start(FIXTURE_BOTH, sizes[i][0], sizes[i][1]);
        fixture.host.accesses = fixture_accesses;
        press("w j e");
        type("8\r");
        cr_assert(lab_state(&screen)->kernel != NONE && shows("time"));
        char *text = screen_text();
        cr_assert_eq(strstr(text, "32 sectors of 32 bytes, ideal 4") != NULL, sizes[i][0] == 200, "%s", text);
        free(text);
        stop();
    }
}

/* The timeline of the lab shows the run of what is set, not that of the list; it takes the keys as any part,
 * and leaves the list's run in the panes. */
Test(view_lab, the_lab_has_the_timeline_of_its_run)
{
    start(FIXTURE_BOTH, 120, 40);
    press("w j e");
    type("8\r");
    cr_assert(shows("Timeline  copy-stride:strided stride=8") && shows("copies to the host"));
    cr_assert_eq(screen.run, lab_state(&screen)->run);
    press("TAB TAB TAB");
    cr_assert(lab_state(&screen)->focus == LAB_TIMELINE && shows("+ - zoom"));
    int64_t span = timeline_state(&screen)->window.end_ns - timeline_state(&screen)->window.start_ns;
    press("+");
    cr_assert_lt(timeline_state(&screen)->window.end_ns - timeline_state(&screen)->window.start_ns, span);
    press("TAB j");
    cr_assert_eq(lab_state(&screen)->focus, LAB_FORM);
    stop();
    start(FIXTURE_BOTH, 80, 24); /* no room beside the other parts: the focus shows it */
    press("w j e");
    cr_assert(!shows("Timeline  "));
    press("TAB TAB TAB");
    cr_assert(shows("Timeline  copy-stride"));
    stop();
}

static struct canvas page;

/* Draw a lesson `width` wide; its lines are on the page. */
static int draw_page(const char *text, int width)
{
    cr_assert_eq(canvas_init(&page, width, 40, false, NULL), STATUS_OK);
    canvas_clear(&page);
    lesson_draw(&page, (struct rect){0, 0, width, 40}, text, 0, false);
    return lesson_lines(text, width, false);
}

static bool on_page(const char *wanted)
{
    char *text = NULL;
    size_t size_bytes;
    FILE *out = open_memstream(&text, &size_bytes);
    writer_text(&page, out);
    fclose(out);
    bool found = strstr(text, wanted) != NULL;
    if (!found)
        fputs(text, stderr);
    free(text);
    return found;
}

/* Nothing of a lesson is cut off at the edge of a narrow pane: not a table's last column, and not a command
 * that somebody is to type. */
Test(view_lab, a_wide_table_is_broken_into_lines)
{
    static const char text[] = "    lanescope prefetch:smem-rolling-async-pad,distance=1..6\n\n"
                               "| variant | what happens |\n|---|---|\n"
                               "| legacy | the second waits for the first, and the third for the second |\n"
                               "| smem-rolling-async-columns-and-more-of-it | side by side |\n";
    cr_assert_eq(draw_page(text, 120), 5);
    cr_assert(on_page("legacy                                     the second waits for the first, and"));
    canvas_fini(&page);
    cr_assert_eq(draw_page(text, 40), 12);
    cr_assert(on_page("    prefetch:smem-rolling-async-\n    pad,distance=1..6"));
    cr_assert(on_page("variant              what happens\nlegacy               the second waits\n"));
    cr_assert(on_page("                     second\nsmem-rolling"));
    cr_assert(on_page("smem-rolling-async-  side by side\ncolumns-and-more-"));
    canvas_fini(&page);
}

Test(view_lab, two_runs_are_compared)
{
    start(FIXTURE_WORKLOADS, 130, 40);
    press("r g j X");
    cr_assert(screen.stack[screen.stack_count - 1] == &view_compare);
    cr_assert(shows("A \xe2\x9c\x93 transpose:tile n=8192") &&
              shows("B \xe2\x9c\x93 transpose:naive n=8192"));
    press("q j j j j x j j j j x");
    cr_assert(shows("X compares A and B"));
    press("X");
    cr_assert(shows("A \xe2\x9c\x93 transpose:pad") && shows("B \xe2\x9c\x93 copy-offset:offset offset=1"));
    cr_assert(shows("not the same work: n=8192, n=67108864") && shows("+1.00    +25 %"));
    cr_assert(!shows("worse") && !shows("better"), "of another amount of work");
    press("S");
    cr_assert(shows("not the same work: n=67108864, n=8192") && shows("-1.00    -20 %"));
    press("q j x j x"); /* of three the oldest goes, and then the next */
    cr_assert(screen.marked[0] == screen.marked[1] - 1 && screen.marked[1] == 10);
    press("x k x g X");
    cr_assert(screen.marked[0] == NONE && screen.marked[1] == NONE && shows("A comparison needs two runs"));
    stop();
}

/* Another offset is the same copy: how it is done is no amount of work. */
Test(view_lab, runs_of_the_same_work_are_better_or_worse)
{
    start(FIXTURE_WORKLOADS, 130, 40);
    press("r g j j j j j j j x j j x X");
    cr_assert(shows("copy-offset:offset offset=0") && shows("copy-offset:offset offset=1"));
    cr_assert(shows("the run's device time: ") && !shows("not the same work"));
    cr_assert(shows("+1.00    +25 % worse"));
    stop();
}

/* How sure it is stands in the word. */
Test(view_lab, a_difference_says_whether_it_is_more_than_the_spread)
{
    static const struct {
        enum compare_weight weight;
        const char *shown;
    } rows[] = {{COMPARE_BEYOND, "2.45x worse "},
                {COMPARE_CERTAIN, "2.45x worse "},
                {COMPARE_TOO_FEW, "2.45x worse?"},
                {COMPARE_WITHIN, "2.45x spread"}};
    start(FIXTURE_WORKLOADS, 130, 40);
    press("r g j X");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        compare_state(&screen)->metrics[METRIC_time_ns].weight = rows[i].weight;
        press(i % 2 ? "k" : "j");
        cr_assert(shows(rows[i].shown), "row %zu", i);
    }
    stop();
}

Test(view_lab, the_line_that_costs_most_is_marked)
{
    start(FIXTURE_BOTH, 120, 40);
    press("w j e v");
    cr_assert(screen.stack[screen.stack_count - 1] == &view_source);
    cr_assert(shows("    5 \xe2\x96\xb8     out[i * 8] = tile[i];") && shows("95.2 %") &&
              shows("line 5 costs most: 5,120 of 5,376 sectors and wavefronts"));
    press("s");
    cr_assert(shows("    4 \xe2\x96\xb8     unsigned i") &&
              shows("line 4 costs most: 640 of 1,000 warp instructions"));
    press("q q q /");
    type("histogram\r");
    press("v");
    cr_assert(shows("The source of histogram is not kept."));
    stop();
    start(FIXTURE_PROGRAM, 120, 40);
    press("v");
    cr_assert(shows("No instruction of this kernel was sampled or counted"));
    stop();
}
