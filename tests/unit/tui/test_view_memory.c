/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long live session on the screen: what has left memory is said to have, what is dropped or not on disk yet
 * is counted, and a screen that is held still goes on collecting.
 */
#include "tests/shared/fixture/driven_screen.h"

#include "core/session/samples.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static int64_t add_launches(uint32_t track, uint32_t events)
{
    int64_t at_ns = session_now_ns(fixture.session, CLOCK_WALL);
    for (uint32_t i = 0; i < events; i++) {
        struct item item = {.kind = ITEM_LAUNCH, .launch = {.call_start_ns = INT64_MIN}};
        cr_assert(session_add_event(fixture.session, track, at_ns + 100, at_ns + 1000, &item));
        at_ns += 1000;
    }
    return at_ns;
}

static uint32_t first_stream(void)
{
    uint32_t track = 0;
    while (session_track(fixture.session, track)->kind != TRACK_STREAM)
        track++;
    return track;
}

/* The cursor in the middle of so much time. */
static void look_at(int64_t from_ns, int64_t to_ns, uint32_t track)
{
    timeline_state(&screen)->follow = timeline_state(&screen)->follow_whole = false;
    timeline_state(&screen)->window = axis_make(from_ns, to_ns);
    timeline_state(&screen)->cursor_ns = (from_ns + to_ns) / 2;
    timeline_state(&screen)->select_track = track;
    screen_update(&screen, canvas.width, canvas.height);
}

static void look_at_chart(int64_t from_ns, int64_t to_ns, const char *title)
{
    look_at(from_ns, to_ns, NONE);
    for (int i = 0; i < timeline_state(&screen)->rows_list.count; i++) {
        const struct timeline_row *row = &timeline_state(&screen)->rows[i];
        if (row->chart != NONE && row->line == 0 &&
            strcmp(timeline_state(&screen)->charts.items[row->chart].about.title, title) == 0)
            list_select(&timeline_state(&screen)->rows_list, i);
    }
    timeline_state(&screen)->cursor_ns = (from_ns + to_ns) / 2;
    screen_update(&screen, canvas.width, canvas.height);
}

Test(view_memory, says_that_detail_is_in_the_recording)
{
    start(FIXTURE_PROGRAM, 200, 40);
    press("S-TAB O");
    uint32_t track = first_stream();
    int64_t from_ns = session_now_ns(fixture.session, CLOCK_WALL);
    session_set_memory_limit(fixture.session, session_memory_bytes(fixture.session) + 400000, false);
    int64_t to_ns = add_launches(track, 60000);
    look_at(from_ns + 3000000, from_ns + 3100000, track);
    cr_assert(shows("only sums"));
    cr_assert(shows("% busy; the single events are in the recording"));
    look_at(to_ns - 100000, to_ns, track);
    cr_assert(shows("900 ns  from "));
    cr_assert(shows("only sums"));
    stop();
}

/* A watch over night: what is old is summed up, and says so wherever it is looked at. */
Test(view_memory, says_of_samples_that_they_are_summed_up)
{
    start(FIXTURE_WATCH, 200, 40);
    session_set_memory_limit(fixture.session, session_memory_bytes(fixture.session) + 1000000, false);
    uint32_t sampling = sampling_count(fixture.session) - 1;
    int64_t from_ns = session_now_ns(fixture.session, CLOCK_WALL), at_ns = from_ns;
    for (int i = 0; i < 40000; i++, at_ns += 1000000) {
        const float numbers[10] = {50, (float)(i % 2 * 80), 3, 4, 5, 6, 7, 8, 9, 10};
        cr_assert_eq(sample_add(fixture.session, sampling, at_ns, 1000000, numbers), SAMPLE_ADDED);
    }
    uint64_t first = sample_find(fixture.session, sampling, from_ns + 5000000000);
    struct sample_span span = sample_span(fixture.session, sampling, first);
    cr_assert_gt(span.count, 1);
    look_at_chart(span.start_ns, span.start_ns + 3000000, "active SMs");
    cr_assert(shows("only as sums  "));
    cr_assert(shows("40 %  mean of "));
    cr_assert(shows(" samples, 0 % to 80 %, in "));
    cr_assert(shows("; the single samples are in the recording"));
    look_at_chart(from_ns, at_ns, "active SMs");
    cr_assert(shows(" samples, 0 % to 80 %, in sums of "));
    look_at_chart(at_ns - 50000000, at_ns, "active SMs");
    cr_assert(!shows("the single samples"));
    look_at_chart(span.start_ns, span.start_ns + 3000000, "active SMs");
    session_end_recording(fixture.session);
    screen_update(&screen, canvas.width, canvas.height);
    cr_assert(shows("; the single samples are lost"));
    stop();
}

/* Keys go from sum to sum, and each is a step. */
Test(view_memory, jumps_from_sum_to_sum)
{
    start(FIXTURE_WATCH, 200, 40);
    session_set_memory_limit(fixture.session, session_memory_bytes(fixture.session) + 300000, false);
    uint32_t sampling = sampling_count(fixture.session) - 1;
    int64_t at_ns = session_now_ns(fixture.session, CLOCK_WALL);
    for (int i = 0; i < 20000; i++, at_ns += 1000000) {
        const float numbers[10] = {50};
        sample_add(fixture.session, sampling, at_ns, 1000000, numbers);
    }
    struct sample_span span = sample_span(fixture.session, sampling, 5000);
    struct sample_span next = sample_span(fixture.session, sampling, span.first + span.count);
    cr_assert_gt(span.count, 1);
    look_at_chart(span.start_ns - 100000000, span.end_ns + 100000000, "active SMs");
    timeline_state(&screen)->cursor_ns = span.start_ns;
    press("n");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, next.start_ns);
    press("N");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, span.start_ns);
    stop();
}

/* No overlap is worked out from what is no longer known. */
Test(view_memory, overlap_asks_for_a_later_time)
{
    start(FIXTURE_PROGRAM, 200, 40);
    press("S-TAB");
    uint32_t track = first_stream();
    int64_t from_ns = session_now_ns(fixture.session, CLOCK_WALL);
    session_set_memory_limit(fixture.session, session_memory_bytes(fixture.session) + 400000, false);
    int64_t to_ns = add_launches(track, 60000);
    look_at(from_ns, to_ns, track);
    press("o");
    cr_assert(shows("evicted from memory"));
    press("ESC");
    look_at(to_ns - 100000, to_ns, track);
    press("o");
    cr_assert(!shows("evicted from memory"));
    stop();
}

Test(view_memory, counts_what_is_dropped_and_what_lags)
{
    start(FIXTURE_PROGRAM, 200, 40);
    cr_assert(shows("1,234 dropped") && shows("310 rows not written yet"));
    fixture.state.lag_rows = 0;
    screen_update(&screen, canvas.width, canvas.height);
    cr_assert(!shows("not written yet"));
    stop();
}

Test(view_memory, collects_while_it_is_held_still)
{
    char events[80];
    start(FIXTURE_PROGRAM, 200, 40);
    press("S-TAB O SPACE");
    int64_t before_ns = screen.now_ns[CLOCK_WALL];
    struct window window = timeline_state(&screen)->window;
    add_launches(first_stream(), 20000);
    screen_update(&screen, canvas.width, canvas.height);
    cr_assert(shows("FROZEN"));
    cr_assert_eq(screen.now_ns[CLOCK_WALL], before_ns);
    cr_assert_eq(timeline_state(&screen)->window.end_ns, window.end_ns);
    snprintf(events, sizeof events, "%s events", number_short(session_event_count(fixture.session)).text);
    cr_assert(shows(events));
    press("SPACE");
    cr_assert_geq(screen.now_ns[CLOCK_WALL], before_ns + 20000000);
    cr_assert_gt(timeline_state(&screen)->window.end_ns, window.end_ns);
    stop();
}
