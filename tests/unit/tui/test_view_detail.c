/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording larger than the memory it is given, on the screen: wherever it is zoomed into, the screen is
 * that of a session which has it all, once its detail has been read; until then, and where it cannot be, it
 * says so.
 */
#include "core/recording/readback/readback.h"
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/made/temporary_recording.h"
#include "tests/shared/oracle/random_draws.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAUNCHES 12000
#define RARE 1500 /* one launch of another kernel among them */

static struct session *made, *whole, *bounded;
static struct readback *readback;
static uint32_t track;
static int64_t from_ns, rare_ns;

static void add_launches(struct session *session)
{
    for (track = 0; session_track(session, track)->kind != TRACK_STREAM;)
        track++;
    from_ns = session_now_ns(session, CLOCK_WALL);
    int64_t at_ns = from_ns;
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        int64_t start_ns = at_ns + (int64_t)draw(1000), end_ns = start_ns + 1 + (int64_t)draw(1500);
        struct item item = {.kind = ITEM_LAUNCH,
                            .correlation = 100000 + i,
                            .launch = {.call_start_ns = start_ns - 500 - (int64_t)draw(500),
                                       .call_duration_ns = 200,
                                       .kernel = i == RARE ? 1 : 0}};
        cr_assert(session_add_event(session, track, start_ns, end_ns, &item));
        at_ns = end_ns;
        rare_ns = i == RARE ? start_ns : rare_ns;
    }
}

static struct session *load(size_t limit_bytes)
{
    struct session *session;
    struct loader *loader;
    struct error error = {0};
    cr_assert_eq(loader_open(&loader, &session, temporary_path, &error), STATUS_OK, "%s", error.text);
    session_set_memory_limit(session, limit_bytes, false);
    for (bool done = false; !done;)
        cr_assert_eq(loader_step(loader, 1000, &done, &error), STATUS_OK, "%s", error.text);
    loader_close(loader);
    return session;
}

static void begin(void)
{
    struct recorder *recorder;
    random_state = 5;
    temporary_make();
    start(FIXTURE_PROGRAM, 160, 40);
    made = fixture.session;
    add_launches(made);
    temporary_start(&recorder, made, 0);
    temporary_stop(recorder);
    whole = load(0);
    bounded = load(session_memory_bytes(whole) / 2);
    cr_assert_gt(session_folded_until_ns(bounded, CLOCK_WALL), rare_ns + 1000000);
    cr_assert_eq(readback_start(&readback, bounded, temporary_path, 4 << 20, NULL), STATUS_OK);
    press("S-TAB O");
}

static void end(void)
{
    fixture.host.readback = NULL;
    readback_stop(readback);
    fixture.session = made;
    stop();
    session_destroy(whole);
    session_destroy(bounded);
    temporary_remove();
}

TestSuite(view_detail, .init = begin, .fini = end);

static void settle(void)
{
    screen_update(&screen, canvas.width, canvas.height);
    if (timeline_state(&screen)->detail.state.kind == READBACK_READING) {
        readback_wait(readback);
        screen_update(&screen, canvas.width, canvas.height);
    }
}

/* With the cursor in its middle; reads detail back if `from` is not NULL. */
static void look_at(struct session *session, struct readback *from, int64_t start_ns, int64_t end_ns)
{
    fixture.session = session;
    fixture.host.readback = from;
    screen_update(&screen, canvas.width, canvas.height); /* another session is taken in */
    timeline_state(&screen)->follow = timeline_state(&screen)->follow_whole = false;
    timeline_state(&screen)->window = axis_make(start_ns, end_ns);
    timeline_state(&screen)->cursor_ns = (start_ns + end_ns) / 2;
    timeline_state(&screen)->select_track = track;
    settle();
}

/* What is drawn, but for the status line, and the minimap, which is of all there is. */
static char *picture(void)
{
    char *text = screen_text();
    char *status = text;
    for (int line = 0; line < screen.layout.status.y; line++)
        status = strchr(status, '\n') + 1;
    *status = '\0';
    char *minimap = strstr(text, "│ whole run");
    if (minimap != NULL)
        memmove(minimap, strchr(minimap, '\n'), strlen(strchr(minimap, '\n')) + 1);
    return text;
}

Test(view_detail, the_screen_is_that_of_a_session_that_has_it_all)
{
    int64_t folded_ns = session_folded_until_ns(bounded, CLOCK_WALL);
    for (int w = 0; w < 12; w++) {
        int64_t start_ns = from_ns + (int64_t)draw((uint64_t)(folded_ns - from_ns));
        int64_t end_ns = start_ns + 200 + (int64_t)draw(w % 2 == 0 ? 20000 : 400000);
        look_at(whole, NULL, start_ns, end_ns);
        char *wanted = picture();
        look_at(bounded, readback, start_ns, end_ns);
        cr_assert_eq(timeline_state(&screen)->detail.state.kind, READBACK_WHOLE);
        cr_assert(shows("detail from the recording"));
        char *found = picture();
        cr_assert_str_eq(found, wanted);
        free(found);
        free(wanted);
    }
}

Test(view_detail, statistics_are_of_what_is_back)
{
    look_at(whole, NULL, rare_ns - 100000, rare_ns + 100000);
    press("T");
    char *wanted = picture();
    press("ESC");
    look_at(bounded, readback, rare_ns - 100000, rare_ns + 100000);
    press("T");
    settle();
    char *found = picture();
    cr_assert_str_eq(found, wanted);
    free(found);
    free(wanted);
}

Test(view_detail, says_what_was_not_looked_at_one_by_one)
{
    look_at(bounded, NULL, rare_ns - 100000, rare_ns + 100000);
    press("T");
    cr_assert(
        shows("events are sums of 16, named after the longest; the single events are in the recording"));
    press("ESC /");
    type("no such name");
    press("ENTER");
    cr_assert(shows("events were skipped: the single events are in the recording"));
}

/* What is folded goes by the longest of it, forward and back; once its detail is there, one by one. */
Test(view_detail, finds_a_name_among_sums)
{
    uint64_t index = session_lane_find(whole, track, 0, rare_ns - 5000);
    struct event_ref block = {track, 0, index - index % SESSION_FOLD_EVENTS};
    int64_t block_ns = session_event_start_ns(whole, block);
    look_at(bounded, NULL, rare_ns - 50000, rare_ns + 50000);
    cr_assert_eq(session_event_start_ns(bounded, block), block_ns);
    snprintf(timeline_state(&screen)->find.text, sizeof timeline_state(&screen)->find.text, "gemm");
    snprintf(timeline_state(&screen)->find.name, sizeof timeline_state(&screen)->find.name, "gemm");
    timeline_state(&screen)->find.stream = NONE;
    timeline_state(&screen)->cursor_ns = block_ns - 1;
    press("n");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, block_ns);
    press("n");
    block.index += SESSION_FOLD_EVENTS;
    cr_assert_eq(timeline_state(&screen)->cursor_ns, session_event_start_ns(whole, block));
    press("N");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, block_ns);
    fixture.host.readback = readback;
    settle();
    press("n");
    block.index -= SESSION_FOLD_EVENTS - 1;
    cr_assert_eq(timeline_state(&screen)->cursor_ns, session_event_start_ns(whole, block));
}

Test(view_detail, finds_a_name_where_detail_is_back)
{
    const struct shape_row *shape = session_shape(bounded, session_kernel(bounded, 1)->shape);
    char name[64];
    look_at(bounded, readback, rare_ns - 50000, rare_ns + 50000);
    timeline_state(&screen)->cursor_ns = rare_ns - 40000;
    snprintf(name, sizeof name, "%.8s", session_string(bounded, shape->name));
    press("/");
    type(name);
    press("ENTER");
    cr_assert_eq(timeline_state(&screen)->cursor_ns, rare_ns);
}

Test(view_detail, says_why_it_cannot_be_read)
{
    cr_assert_eq(unlink(temporary_path), 0);
    look_at(bounded, readback, rare_ns - 100000, rare_ns + 100000);
    cr_assert_eq(timeline_state(&screen)->detail.state.kind, READBACK_FAILED);
    cr_assert(shows("Detail could not be read back: "));
    press("l");
    settle();
    cr_assert(shows("detail is not readable"));
    cr_assert(shows("the single events are not readable from the recording"));
}

Test(view_detail, says_that_a_range_is_too_long)
{
    readback_stop(readback);
    cr_assert_eq(readback_start(&readback, bounded, temporary_path, 350000, NULL), STATUS_OK);
    look_at(bounded, readback, -1000, session_folded_until_ns(bounded, CLOCK_WALL));
    cr_assert_eq(timeline_state(&screen)->detail.state.kind, READBACK_TOO_MUCH);
    cr_assert(shows("only sums"));
    cr_assert(shows("the single events are in the recording: zoom in to see them"));
    look_at(bounded, readback, rare_ns - 1000, rare_ns + 1000);
    cr_assert_eq(timeline_state(&screen)->detail.state.kind, READBACK_WHOLE);
}

/* Where merged sums are all that is left, the recording has the events nevertheless. */
Test(view_detail, says_where_the_events_of_merged_sums_are)
{
    struct recorder *recorder;
    int64_t first_ns = from_ns;
    readback_stop(readback);
    for (int more = 0; more < 4; more++)
        add_launches(made);
    temporary_remove();
    temporary_make();
    temporary_start(&recorder, made, 0);
    temporary_stop(recorder);
    struct session *smaller = load(session_memory_bytes(made) / 20);
    cr_assert_eq(readback_start(&readback, smaller, temporary_path, 4 << 20, NULL), STATUS_OK);
    int64_t middle_ns = first_ns + (session_folded_until_ns(smaller, CLOCK_WALL) - first_ns) / 2;
    look_at(smaller, readback, middle_ns - 100000, middle_ns + 100000);
    cr_assert_eq(timeline_state(&screen)->detail.state.kind, READBACK_MERGED, "%d",
                 timeline_state(&screen)->detail.state.kind);
    cr_assert(shows("only sums"));
    cr_assert(shows("the single events are in the recording: lanescope export reads them"));
    readback_stop(readback);
    cr_assert_eq(readback_start(&readback, bounded, temporary_path, 4 << 20, NULL), STATUS_OK);
    session_destroy(smaller);
}
