/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the timeline does: its rows, its filter, its jumps and marks, judged by what is drawn and by its
 * state.
 */
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/fixture/fixture_timeline.h"
#include "tests/shared/made/made_session.h"
#include "tui/terminal/text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void start_timeline(void)
{
    start(FIXTURE_TIMELINE, 140, 40);
    press("S-TAB O");
}

/* A heading's is no track at all. */
static const struct track_row *track_of_row(int row)
{
    static const struct track_row heading = {.kind = TRACK_KIND_COUNT};
    return timeline_state(&screen)->rows[row].kind == ROW_TRACK
               ? session_track(fixture.session, timeline_state(&screen)->rows[row].track)
               : &heading;
}

static int row_of(enum track_kind kind, uint32_t stream)
{
    for (int i = 0; i < timeline_state(&screen)->rows_list.count; i++)
        if (track_of_row(i)->kind == kind && (kind != TRACK_STREAM || track_of_row(i)->stream == stream))
            return i;
    return -1;
}

static void select_row(enum track_kind kind, uint32_t stream)
{
    cr_assert_geq(row_of(kind, stream), 0);
    list_select(&timeline_state(&screen)->rows_list, row_of(kind, stream));
    screen_update(&screen, canvas.width, canvas.height);
}

Test(timeline, ranges_lie_in_each_other)
{
    start_timeline();
    for (int i = 0; i < 3; i++)
        cr_assert(track_of_row(i)->kind == TRACK_RANGES &&
                  timeline_state(&screen)->rows[i].lane == (uint32_t)i);
    cr_assert(shows("ranges of thread 900") && shows("  level 3"));
    select_row(TRACK_RANGES, 0);
    press("z");
    cr_assert_eq(timeline_state(&screen)->rows[0].lane, NONE);
    cr_assert_neq(track_of_row(1)->kind, TRACK_RANGES);
    cr_assert(shows("x3"));
    press("z");
    cr_assert_eq(timeline_state(&screen)->rows[2].lane, 2);
    stop();
}

/* The events of unfolded lanes are those of the folded row. */
Test(timeline, folding_loses_no_event)
{
    start_timeline();
    uint64_t unfolded = timeline_state(&screen)->rows[0].events + timeline_state(&screen)->rows[1].events +
                        timeline_state(&screen)->rows[2].events;
    select_row(TRACK_RANGES, 0);
    press("z");
    cr_assert_eq(timeline_state(&screen)->rows[0].events, unfolded);
    cr_assert_eq(unfolded, 20);
    stop();
}

Test(timeline, rows_are_hidden_and_shown)
{
    start_timeline();
    int count = timeline_state(&screen)->rows_list.count;
    select_row(TRACK_STREAM, 14);
    press("i");
    cr_assert_eq(row_of(TRACK_STREAM, 14), -1);
    cr_assert_eq(timeline_state(&screen)->rows_list.count, count - 1);
    press("j");
    cr_assert(shows("1 hidden"));
    press("I");
    cr_assert_eq(timeline_state(&screen)->rows_list.count, count);
    press("I");
    cr_assert(shows("No row is hidden"));
    for (int i = 0; i < count; i++)
        press("g i");
    press("j");
    cr_assert(shows("All rows are hidden"));
    press("i z P J M n # % I");
    cr_assert_eq(timeline_state(&screen)->rows_list.count, count);
    stop();
}

Test(timeline, rows_change_places)
{
    start_timeline();
    int first = row_of(TRACK_STREAM, 7), second = row_of(TRACK_STREAM, 13);
    cr_assert_eq(second, first + 1);
    select_row(TRACK_STREAM, 7);
    press("J");
    cr_assert_eq(row_of(TRACK_STREAM, 7), second);
    cr_assert_eq(row_of(TRACK_STREAM, 13), first);
    cr_assert_eq(timeline_state(&screen)->rows_list.selected, second);
    press("K K");
    cr_assert_eq(row_of(TRACK_STREAM, 7), first); /* its device's heading stays above it */
    cr_assert(shows("the first of its kind"));
    stop();
}

Test(timeline, pinned_rows_stay_while_others_scroll)
{
    start(FIXTURE_TIMELINE, 140, 16);
    press("S-TAB c");
    int height = timeline_state(&screen)->rows_list.height;
    cr_assert_lt(height, timeline_state(&screen)->rows_list.count);
    select_row(TRACK_STREAM, 15);
    press("P");
    cr_assert_eq(row_of(TRACK_STREAM, 15), 0);
    for (int i = 0; i < timeline_state(&screen)->rows_list.count + 2; i++) {
        press("j");
        bool seen = false;
        for (int line = 0; line < height; line++)
            seen |= timeline_row_of_line(&screen, line) == timeline_state(&screen)->rows_list.selected;
        cr_assert(seen, "row %d is selected and not on the screen",
                  timeline_state(&screen)->rows_list.selected);
        cr_assert_eq(timeline_row_of_line(&screen, 0), 0);
    }
    cr_assert(shows("^stream 15"));
    stop();
}

Test(timeline, a_call_and_its_kernel_know_each_other)
{
    start_timeline();
    select_row(TRACK_STREAM, 13);
    press("g n + + + + n"); /* the copy, then the first kernel */
    cr_assert_eq(timeline_state(&screen)->readout.item.kind, ITEM_LAUNCH);
    cr_assert(timeline_state(&screen)->link.found);
    struct event_ref kernel = timeline_state(&screen)->readout.event;
    int64_t called = timeline_state(&screen)->readout.item.launch.call_start_ns;
    cr_assert_eq(row_of(TRACK_CALLS, 0), -1);
    press("%");
    cr_assert_eq(track_of_row(timeline_state(&screen)->rows_list.selected)->kind, TRACK_CALLS);
    cr_assert_eq(timeline_state(&screen)->cursor_ns, called);
    press("+ + + + + + + + + + + +");
    cr_assert_eq(timeline_state(&screen)->readout.start_ns, called);
    cr_assert(timeline_state(&screen)->link.found);
    cr_assert_eq(memcmp(&timeline_state(&screen)->link.work, &kernel, sizeof kernel), 0);
    cr_assert(shows("its work starts 1") && shows("ns later"));
    press("%");
    cr_assert_eq(track_of_row(timeline_state(&screen)->rows_list.selected)->stream, 13);
    cr_assert_eq(timeline_state(&screen)->cursor_ns, session_event_start_ns(fixture.session, kernel));
    stop();
}

/* c acts where it can be seen: its rows lie below all others. */
Test(timeline, rows_of_the_cpu_are_brought_on_screen)
{
    start(FIXTURE_TIMELINE, 80, 24);
    const struct list *list = &timeline_state(&screen)->rows_list;
    press("S-TAB c");
    cr_assert_eq(track_of_row(list->selected)->kind, TRACK_CALLS);
    cr_assert_lt(list->selected, list->top + list->height - 1, "nothing is seen below it");
    cr_assert(shows(" rows of the CPU: calls, waits, overhead; c hides them"));
    press("c");
    cr_assert_eq(track_of_row(list->selected)->kind, TRACK_STREAM);
    cr_assert(shows("The rows of the CPU are hidden"));
    stop();
    start(FIXTURE_WORKLOADS, 80, 24);
    press("S-TAB c");
    cr_assert(shows("was recorded in this run"));
    stop();
}

/* A label that has no room is shorter by words, not cut within one. */
Test(timeline, labels_are_whole)
{
    static const enum fixture_content contents[] = {FIXTURE_WORKLOADS, FIXTURE_MODEL, FIXTURE_TIMELINE,
                                                    FIXTURE_SAMPLED,   FIXTURE_WATCH, FIXTURE_BOTH};
    const struct track_row thread = {
        .kind = TRACK_OVERHEAD, .device = NONE, .context = NONE, .stream = NONE, .thread = 1177};
    const struct item overhead = {.kind = ITEM_OVERHEAD};
    for (size_t i = 0; i < 2 * sizeof contents / sizeof contents[0]; i++) {
        start(contents[i / 2], i % 2 == 0 ? 80 : 120, i % 2 == 0 ? 24 : 40);
        session_add_event(fixture.session, session_add_track(fixture.session, &thread), 3000000, 3100000,
                          &overhead);
        press("S-TAB O c");
        const struct timeline *t = timeline_state(&screen);
        struct timeline_parts parts = timeline_parts_of(t, screen.layout.pane[PANE_TIMELINE]);
        cr_assert(shows(contents[i / 2] == FIXTURE_WATCH ? "Watch" : "Timeline"));
        for (int y = 0; y < t->cell_rows; y++)
            for (int x = parts.inside.x; x + 1 < parts.inside.x + t->label_width; x++)
                cr_assert(canvas_cell(&canvas, x, parts.rows + y)->codepoint != '.' ||
                              canvas_cell(&canvas, x + 1, parts.rows + y)->codepoint != '.',
                          "fixture %d, width %d, row %d", contents[i / 2], canvas.width, y);
        stop();
    }
}

/* The exact times have room, and what follows is whole or not there. */
Test(timeline, the_readout_keeps_exact_times)
{
    start(FIXTURE_TIMELINE, 80, 24);
    press("S-TAB j n");
    cr_assert(shows("copy H2D, 7.50 MB, 50.0 GB/s  150,000 ns  from +50,000 ns "));
    cr_assert_not(shows("call"));
    stop();
    start(FIXTURE_TIMELINE, 140, 40);
    press("S-TAB j n");
    cr_assert(shows("copy host to device, 7.50 MB, 50.0 GB/s  150,000 ns  from +50,000 ns  called "));
    stop();
}

/* The text of the timeline's line, without its label. */
static const char *line_of(int row)
{
    static char text[1600];
    struct timeline_parts parts =
        timeline_parts_of(timeline_state(&screen), screen.layout.pane[PANE_TIMELINE]);
    size_t used = 0;
    for (int k = 0; k < timeline_state(&screen)->columns; k++)
        used += (size_t)text_encode(
            canvas_cell(&canvas, parts.inside.x + timeline_state(&screen)->label_width + k, parts.rows + row)
                ->codepoint,
            text + used);
    text[used] = '\0';
    return text;
}

static bool lost; /* events */

/* Of every two operations that are far enough apart; elsewhere there is no line. */
static int count_gaps(void)
{
    const struct timeline *timeline = timeline_state(&screen);
    int found = 0;
    cr_assert(shows("Timeline"));
    for (int row = 0; row < timeline->cell_rows; row++) {
        uint32_t track = timeline->rows[row].track;
        uint64_t count = track_of_row(row)->kind == TRACK_STREAM
                             ? session_lane_count_events(fixture.session, track, 0)
                             : 0;
        for (uint64_t i = 0; i + 1 < count; i++) {
            struct event_ref before = {track, 0, i}, after = {track, 0, i + 1};
            int64_t from = session_event_end_ns(fixture.session, before),
                    to = session_event_start_ns(fixture.session, after);
            int cells = axis_column(timeline->window, timeline->columns, to) -
                        axis_column(timeline->window, timeline->columns, from);
            char label[80];
            snprintf(label, sizeof label, "\u2500 %s \u2500", number_time(to - from).text);
            bool wide = !lost && cells >= 16 && timeline->columns >= 90 && timeline->filter.text[0] == '\0';
            cr_assert(!wide || strstr(line_of(row), label) != NULL, "%s is not in %s", label, line_of(row));
            found += strstr(line_of(row), label) != NULL;
        }
        cr_assert(count > 0 || strstr(line_of(row), "\u2500 ") == NULL, "%s", line_of(row));
    }
    return found;
}

Test(timeline, says_how_long_a_stream_was_idle)
{
    start_timeline();
    cr_assert_gt(count_gaps(), 0);
    press("F > 1 u s ENTER");
    cr_assert_eq(count_gaps(), 0, "what the filter hides is no idle time");
    stop();
    start_timeline();
    session_add_drop(fixture.session,
                     &(struct drop_row){.count = 1, .process = NONE, .reason = DROP_NO_ROOM});
    press("k");
    lost = true;
    cr_assert_eq(count_gaps(), 0, "what was lost may have been there");
    lost = false;
    stop();
    start(FIXTURE_TIMELINE, 80, 24);
    cr_assert_eq(count_gaps(), 0);
    stop();
}

/* Where all of the run is shown, the overview's line is the rows'. */
Test(timeline, the_overview_is_of_a_part)
{
    start(FIXTURE_TIMELINE, 80, 24);
    int height = timeline_state(&screen)->rows_list.height;
    cr_assert_not(shows("whole run"));
    press("S-TAB +");
    cr_assert(shows("whole run"));
    cr_assert_eq(timeline_state(&screen)->rows_list.height, height - 1);
    press("0");
    cr_assert_not(shows("whole run"));
    stop();
}

/* Every call that asks for work finds the one that names it, and the other way round. */
Test(timeline, every_link_has_two_ends)
{
    start_timeline();
    press("c");
    int links = 0, calls = 0;
    for (int r = 0; r < timeline_state(&screen)->rows_list.count; r++) {
        uint32_t track = timeline_state(&screen)->rows[r].track;
        if (track_of_row(r)->kind != TRACK_CALLS)
            continue;
        for (uint64_t i = 0; i < session_lane_count_events(fixture.session, track, 0); i++) {
            struct event_ref ref = {track, 0, i};
            timeline_state(&screen)->readout =
                (struct timeline_readout){.found = true,
                                          .track = track,
                                          .event = ref,
                                          .start_ns = session_event_start_ns(fixture.session, ref),
                                          .end_ns = session_event_end_ns(fixture.session, ref),
                                          .item = session_event_item(fixture.session, ref)};
            struct timeline_link link = timeline_link_of(&screen);
            bool asks = timeline_state(&screen)->readout.item.b != CALL_SYNC;
            cr_assert_eq(link.found, asks);
            calls++;
            if (!asks)
                continue;
            links++;
            struct item item = session_event_item(fixture.session, link.work);
            cr_assert_eq(item.correlation, timeline_state(&screen)->readout.item.correlation);
            timeline_state(&screen)->readout.item = item;
            timeline_state(&screen)->readout.track = link.work.track;
            timeline_state(&screen)->readout.event = link.work;
            link = timeline_link_of(&screen);
            cr_assert(link.found && link.call_track == track &&
                      link.call_start_ns == timeline_state(&screen)->readout.start_ns);
        }
    }
    cr_assert_eq(calls, links + 4);
    cr_assert_eq(links, 4 * (3 * FIXTURE_TIMELINE_CHUNKS + 1 + 8 + 1));
    stop();
}

Test(timeline, jumps_to_the_longest_and_to_the_same_name)
{
    start_timeline();
    select_row(TRACK_STREAM, 14);
    press("g M");
    cr_assert_eq(timeline_state(&screen)->readout.end_ns - timeline_state(&screen)->readout.start_ns,
                 200000); /* the pageable upload */
    select_row(TRACK_STREAM, 7);
    press("g n");
    int64_t first = timeline_state(&screen)->cursor_ns, at = first;
    for (int i = 1; i < 4; i++) {
        press("*");
        cr_assert_gt(timeline_state(&screen)->cursor_ns, at);
        at = timeline_state(&screen)->cursor_ns;
        cr_assert_eq(track_of_row(timeline_state(&screen)->rows_list.selected)->stream, 7);
    }
    press("*");
    cr_assert(shows("This is the last event of its name"));
    press("# # #");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, first);
    press("#");
    cr_assert(shows("This is the first event of its name"));
    stop();
}

Test(timeline, measures_between_two_marks)
{
    start_timeline();
    select_row(TRACK_STREAM, 7);
    press("g n [ *");
    press("]");
    cr_assert(timeline_state(&screen)->marked[0] && timeline_state(&screen)->marked[1]);
    cr_assert_eq(timeline_state(&screen)->mark_ns[1] - timeline_state(&screen)->mark_ns[0], 3000000);
    cr_assert(shows("[ to ]: 3,000,000 ns"));
    press("]");
    cr_assert(!timeline_state(&screen)->marked[1]);
    stop();
}

static uint64_t events_of(enum track_kind kind)
{
    uint64_t events = 0;
    for (int i = 0; i < timeline_state(&screen)->rows_list.count; i++)
        if (track_of_row(i)->kind == kind)
            events += timeline_state(&screen)->rows[i].events;
    return events;
}

Test(timeline, shows_only_what_fits)
{
    start_timeline();
    press("0 F");
    type("scale_chunk\r");
    cr_assert_eq(events_of(TRACK_STREAM), 4 * FIXTURE_TIMELINE_CHUNKS);
    cr_assert_eq(events_of(TRACK_RANGES), 0);
    cr_assert(shows("only: scale_chunk"));
    press("F C-u");
    type(">141us\r"); /* copies in, sums, and uploads */
    cr_assert_eq(events_of(TRACK_STREAM), 4 * (FIXTURE_TIMELINE_CHUNKS + 1 + 1));
    press("F C-u");
    type("copy host >10us stream=14\r");
    cr_assert_eq(row_of(TRACK_STREAM, 13), -1);
    cr_assert_eq(events_of(TRACK_STREAM), 4 * (2 + 1));
    select_row(TRACK_STREAM, 14);
    press("g");
    for (int i = 0; i < 4 * 3; i++) { /* jumps keep to them too */
        press("n");
        cr_assert_eq(timeline_state(&screen)->readout.item.kind, ITEM_COPY);
    }
    int64_t last = timeline_state(&screen)->cursor_ns;
    press("n");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, last);
    press("F C-u");
    type(">many\r");
    cr_assert(shows("'>many' is not a duration"));
    cr_assert_eq(timeline_state(&screen)->filter.stream, 14);
    press("F ESC");
    cr_assert_eq(timeline_state(&screen)->filter.text[0], '\0');
    press("0");
    cr_assert_eq(events_of(TRACK_STREAM), 4 * (3 * FIXTURE_TIMELINE_CHUNKS + 1 + 8 + 1));
    stop();
}

Test(timeline, nudges_by_whole_columns)
{
    start_timeline();
    struct window before = timeline_state(&screen)->window;
    press(">");
    cr_assert_eq(
        axis_column(before, timeline_state(&screen)->columns, timeline_state(&screen)->window.start_ns),
        8 - 1 +
            (axis_column_start(before, timeline_state(&screen)->columns, 8) <=
             timeline_state(&screen)->window.start_ns));
    press("<");
    cr_assert_eq(timeline_state(&screen)->window.start_ns, before.start_ns);
    stop();
}

/* ---- overlap ---- */

Test(timeline, overlap_is_of_what_is_shown_or_marked)
{
    start_timeline();
    press("0 o");
    cr_assert(shows("shown, ") && shows("What waited longest"));
    struct overlap all;
    cr_assert_eq(overlap_compute(fixture.session, NONE, timeline_state(&screen)->window.start_ns,
                                 timeline_state(&screen)->window.end_ns, &all, NULL),
                 STATUS_OK);
    cr_assert_eq(overlap_state(&screen)->overlap.copy_hidden_ns, all.copy_hidden_ns);
    cr_assert_eq(overlap_state(&screen)->overlap.operations, 4 * (3 * FIXTURE_TIMELINE_CHUNKS + 1 + 8 + 1));
    press("q");
    select_row(TRACK_STREAM, 7);
    press("g n ] * [ o"); /* in whatever order the marks were set */
    cr_assert(shows("marked, ") && shows("3.00 ms"));
    cr_assert_eq(overlap_state(&screen)->overlap.operations, 3 * FIXTURE_TIMELINE_CHUNKS + 1 + 8 + 1);
    stop();
}

/* Cells of the line that begins with these words which show this glyph. */
static int glyphs_after(const char *words, uint32_t glyph)
{
    int count = 0;
    screen_draw(&screen, &canvas);
    for (int y = 0; y < canvas.height; y++) {
        int at = 0, x = 0;
        for (; x < canvas.width && words[at] != '\0'; x++)
            at = canvas_cell(&canvas, x, y)->codepoint == (unsigned char)words[at] ? at + 1 : 0;
        for (; x < canvas.width && words[at] == '\0'; x++)
            count += canvas_cell(&canvas, x, y)->codepoint == glyph;
    }
    return count;
}

/* The time from first to last is the whole bar; what of it the device was busy is filled. */
Test(timeline, overlap_draws_the_device_time_in_the_whole_time)
{
    start_timeline();
    press("0 o");
    const struct overlap *overlap = &overlap_state(&screen)->overlap;
    int filled = glyphs_after("first to last", glyph_codepoint(GLYPH_FULL, false));
    int rest = glyphs_after("first to last", glyph_codepoint(GLYPH_REST, false));
    double share = (double)overlap->any_busy_ns / (double)overlap->span_ns;
    cr_assert_gt(rest, 1);
    cr_assert_float_eq(filled, share * (filled + rest), 1.01, "%d of %d cells, %g of the time", filled,
                       filled + rest, share);
    cr_assert_eq(glyphs_after("kernels ", glyph_codepoint(GLYPH_REST, false)), 0);
    stop();
}

Test(timeline, what_waited_is_shown_on_the_timeline)
{
    start_timeline();
    press("0 o G");
    const struct overlap_wait *wait =
        &overlap_state(&screen)->overlap.waits[overlap_state(&screen)->overlap.wait_count - 1];
    int64_t start = session_event_start_ns(fixture.session, wait->event);
    uint32_t track = wait->event.track;
    press("ENTER");
    cr_assert_eq(screen.stack_count, 0);
    cr_assert_eq(timeline_state(&screen)->cursor_ns, start);
    cr_assert_eq(timeline_state(&screen)->rows[timeline_state(&screen)->rows_list.selected].track, track);
    stop();
}

Test(timeline, overlap_says_why_there_is_none)
{
    start(FIXTURE_EMPTY, 100, 30);
    fixture.host.run = NULL; /* a recording */
    press("q o");
    cr_assert(shows("Nothing ran on the device in this range."));
    press("j G ENTER q");
    stop();
}

/* ---- the first window ---- */

#define MS INT64_C(1000000)

/* Two launches of the first kernel, `length_ns` apart, on the row's stream. */
static void add_late_work(int64_t at_ns, int64_t length_ns)
{
    const struct item item = {.kind = ITEM_LAUNCH, .launch = {.call_start_ns = INT64_MIN}};
    uint32_t track = timeline_state(&screen)->rows[row_of(TRACK_STREAM, 7)].track;
    cr_assert(session_add_event(fixture.session, track, at_ns, at_ns + MS, &item));
    cr_assert(session_add_event(fixture.session, track, at_ns + length_ns, at_ns + length_ns + MS, &item));
    session_set_now(fixture.session, CLOCK_WALL, at_ns + length_ns + MS);
    screen.clock_ms += 2000;                 /* the verdict is made again */
    timeline_state(&screen)->fitted = false; /* as when the recording is opened */
    screen_update(&screen, canvas.width, canvas.height);
}

Test(timeline, a_long_idle_time_is_left_out_at_first)
{
    start_timeline();
    add_late_work(100 * MS, 40 * MS); /* after 13 ms of work, 87 of 140 ms are idle */
    struct window window = timeline_state(&screen)->window;
    cr_assert(window.start_ns > 90 * MS && window.start_ns < 100 * MS && window.end_ns > 141 * MS);
    cr_assert_eq(timeline_state(&screen)->cursor_ns, 100 * MS);
    cr_assert(shows("whole run"));
    press("0");
    window = timeline_state(&screen)->window;
    cr_assert(window.start_ns <= 1 * MS && window.end_ns > 141 * MS);
    add_late_work(1000 * MS, 2 * MS); /* now more is left before the idle time */
    window = timeline_state(&screen)->window;
    cr_assert(window.start_ns <= 1 * MS && window.end_ns > 141 * MS && window.end_ns < 150 * MS);
    stop();
}

/* ---- bookmarks ---- */

static enum status refuse(void *context, const struct bookmark_row *row, struct error *error)
{
    (void)context;
    return error_set(error, STATUS_PERMISSION, "The bookmark %s is not kept: nobody may write here.",
                     row->text);
}

Test(timeline, bookmarks_are_made_and_found)
{
    start_timeline();
    select_row(TRACK_STREAM, 7);
    press("g n B");
    type("first sum\r");
    int64_t first = timeline_state(&screen)->cursor_ns;
    cr_assert(shows("Bookmark saved in the recording: first sum at"));
    press("* * B");
    type("third\r");
    int64_t third = timeline_state(&screen)->cursor_ns;
    press("G \"");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, third);
    cr_assert(shows("* third"));
    press("\"");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, first);
    press("\"");
    cr_assert(shows("There is no bookmark before it"));
    press("'");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, third);
    fixture.host.bookmark = refuse;
    press("B");
    type("more\r");
    cr_assert(shows("The bookmark more is not kept: nobody may write here."));
    cr_assert_eq(session_bookmark_count(fixture.session), 3);
    press("B ESC B");
    type("\r");
    cr_assert_eq(session_bookmark_count(fixture.session), 3);
    press("B");
    for (int i = 0; i < 60; i++)
        type("\xc3\xa9"); /* two bytes each, as the prompt takes them */
    type("\r");
    cr_assert_leq(strlen(session_bookmark(fixture.session, 3)->text), 70);
    stop();
}

/* ---- any session ---- */

static struct session *made_session(void *context)
{
    return ((struct maker *)context)->session;
}

static void made_state(void *context, struct tui_host_state *state)
{
    (void)context;
    *state = (struct tui_host_state){.overhead_pct = -1};
}

/* Kernels without a run, calls without work, times far apart: what a stranger's recording may hold. */
Test(timeline, any_session_can_be_shown)
{
    static const char keys[] = "\t\tOc0zzn*#%M[>>]o\rqBmark\rJKPijjj%z++n%"
                               "F >1us\r0nnMo\033F\025\r--";
    const struct tui_options options = {.color = true};
    cr_assert_eq(canvas_init(&canvas, 120, 40, false, NULL), STATUS_OK);
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct maker maker;
        maker_init(&maker, seed);
        maker_grow(&maker, 100 * seed);
        struct tui_host host = {
            .context = &maker, .session = made_session, .state = made_state, .title = "made"};
        cr_assert_eq(screen_init(&screen, view_table, &host, &options, NULL), STATUS_OK);
        screen_update(&screen, 120, 40);
        for (const char *key = keys; *key != '\0'; key++) {
            screen_key(&screen, (unsigned char)*key);
            screen_update(&screen, 120, 40);
            screen_draw(&screen, &canvas);
        }
        screen_fini(&screen);
        session_destroy(maker.session);
    }
    canvas_fini(&canvas);
}
