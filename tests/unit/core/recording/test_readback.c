/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that have left memory come back from the recording, each to its place: what is then seen of the
 * range is what an unbounded session shows, and nothing else has changed. Sessions are random: lanes overlap,
 * events come late, calls lie in the rows of their work, copies on two tracks.
 */
#include "core/recording/readback/readback.h"
#include "core/session/lod.h"
#include "tests/shared/made/made_session.h"
#include "tests/shared/made/temporary_recording.h"
#include "tests/shared/oracle/random_draws.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(readback, .init = temporary_make, .fini = temporary_remove);

#define COLUMNS 61
#define MOST_BYTES ((size_t)4 << 20)

/* ---- sessions ---- */
/* The recording, with what leaves memory over a part of what it would take. */
static struct session *load_bounded(const struct session *whole, size_t part)
{
    struct session *session;
    struct loader *loader;
    struct error error = {0};
    cr_assert_eq(loader_open(&loader, &session, temporary_path, &error), STATUS_OK, "%s", error.text);
    session_set_memory_limit(session, session_memory_bytes(whole) / part, false);
    for (bool done = false; !done;)
        cr_assert_eq(loader_step(loader, 1000, &done, &error), STATUS_OK, "%s", error.text);
    loader_close(loader);
    return session;
}

static struct session *record_random(uint64_t seed, size_t rows)
{
    temporary_record(seed, rows);
    return temporary_load();
}

/* Looks at the range until it is there; what it then is. */
static struct readback_state look(struct readback *readback, const struct session *session,
                                  enum clock_kind clock, int64_t from_ns, int64_t to_ns)
{
    struct readback_range range = {.clock = clock, .start_ns = from_ns, .end_ns = to_ns};
    struct readback_state state;
    for (int frame = 0; frame < 2; frame++) {
        unsigned hold = session_hold(session);
        readback_look(readback, &range);
        session_let_go(session, hold);
        if (frame == 0)
            readback_wait(readback);
    }
    readback_state(readback, &state);
    return state;
}

static struct readback *begin(struct session *session, size_t most_bytes)
{
    struct readback *readback;
    struct error error = {0};
    cr_assert_eq(readback_start(&readback, session, temporary_path, most_bytes, &error), STATUS_OK, "%s",
                 error.text);
    return readback;
}

/* Folded chunks within the range: what there is to read. */
static uint64_t folded_events(const struct session *session, enum clock_kind clock, int64_t from_ns,
                              int64_t to_ns)
{
    uint64_t folded = 0;
    for (uint32_t track = 0; track < session_track_count(session); track++)
        for (uint32_t lane = 0; lane < session_track(session, track)->lane_count; lane++) {
            struct event_ref ref = {track, lane, session_lane_find(session, track, lane, from_ns)};
            if (session_track(session, track)->clock != clock)
                continue;
            for (; ref.index < session_lane_count_events(session, track, lane) &&
                   session_event_start_ns(session, ref) < to_ns;
                 ref.index++)
                folded += (session_event_item(session, ref).flags & ITEM_FOLDED) != 0;
        }
    return folded;
}

/* ---- comparing ---- */
static const char *events_differ(const struct session *a, const struct session *b, uint32_t track,
                                 uint32_t lane, int64_t from_ns, int64_t to_ns)
{
    uint64_t count = session_lane_count_events(a, track, lane);
    if (session_lane_count_events(b, track, lane) != count)
        return "number of events";
    for (uint64_t i = session_lane_find(a, track, lane, from_ns); i < count; i++) {
        struct event_ref ref = {track, lane, i};
        if (session_event_start_ns(a, ref) >= to_ns)
            break;
        struct item x = session_event_item(a, ref), y = session_event_item(b, ref);
        if (session_event_start_ns(a, ref) != session_event_start_ns(b, ref) ||
            session_event_end_ns(a, ref) != session_event_end_ns(b, ref))
            return "times of an event";
        if (memcmp(&x, &y, sizeof x) != 0)
            return "an event";
    }
    return NULL;
}

static const char *columns_differ(const struct session *a, const struct session *b, uint32_t track,
                                  uint32_t lane, int64_t from_ns, int64_t to_ns)
{
    struct lod_column x[COLUMNS], y[COLUMNS];
    lod_query(a, track, lane, from_ns, to_ns, x, COLUMNS);
    lod_query(b, track, lane, from_ns, to_ns, y, COLUMNS);
    return memcmp(x, y, sizeof x) == 0 ? NULL : "columns";
}

static const char *range_differs(const struct session *a, const struct session *b, enum clock_kind clock,
                                 int64_t from_ns, int64_t to_ns)
{
    for (uint32_t track = 0; track < session_track_count(a); track++)
        for (uint32_t lane = 0; lane < session_track(a, track)->lane_count; lane++) {
            if (session_track(a, track)->clock != clock)
                continue;
            const char *differ = events_differ(a, b, track, lane, from_ns, to_ns);
            if (differ == NULL)
                differ = columns_differ(a, b, track, lane, from_ns, to_ns);
            if (differ != NULL)
                return differ;
        }
    return NULL;
}

Test(readback, a_range_is_what_an_unbounded_session_shows)
{
    uint64_t folded = 0;
    random_state = 20261122;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct session *whole = record_random(seed, 6000 + seed * 500);
        struct session *bounded = load_bounded(whole, 2 + seed % 3);
        struct readback *readback = begin(bounded, MOST_BYTES);
        for (int w = 0; w < 9; w++) {
            enum clock_kind clock = w % 4 == 3 ? CLOCK_MODEL : CLOCK_WALL;
            int64_t first_ns = session_first_ns(whole, clock), now_ns = session_now_ns(whole, clock);
            uint64_t span_ns = (uint64_t)(now_ns - first_ns) + 1;
            int64_t from_ns = first_ns + (int64_t)draw(span_ns);
            int64_t to_ns = from_ns + 1 + (int64_t)draw(span_ns / (w % 3 == 0 ? 8 : 200) + 1);
            folded += folded_events(bounded, clock, from_ns, to_ns);
            struct readback_state state = look(readback, bounded, clock, from_ns, to_ns);
            cr_assert_eq(state.kind, READBACK_WHOLE, "seed %" PRIu64 ", range %d: kind %d %s", seed, w,
                         state.kind, state.error.text);
            const char *differ = range_differs(whole, bounded, clock, from_ns, to_ns);
            cr_assert_null(differ, "seed %" PRIu64 ", range %d: %s", seed, w, differ);
        }
        readback_stop(readback);
        session_destroy(whole);
        session_destroy(bounded);
    }
    cr_assert_gt(folded, 250);
}

/* ---- a recording that is much longer than what is read before a range ---- */
#define STEP_NS 1000000 /* between calls */
#define STREAMS 3

struct long_event {
    uint32_t track, number;
    int64_t start_ns, end_ns;
    struct item item;
};

struct long_trace {
    struct session *session;
    uint32_t streams[STREAMS], calls, ranges, name;
    int64_t now_ns, free_ns[STREAMS];
    int64_t begun_ns[3]; /* the open ranges */
    struct long_event *events;
    uint32_t count;
};

static void add(struct long_trace *trace, uint32_t track, int64_t start_ns, int64_t end_ns,
                const struct item *item)
{
    trace->events[trace->count] = (struct long_event){track, trace->count, start_ns, end_ns, *item};
    trace->count++;
}

/* A call and what it asked for: on the last stream work overlaps, up to six pieces at once. */
static void add_work(struct long_trace *trace, uint32_t i)
{
    uint32_t stream = (uint32_t)draw(STREAMS);
    int64_t call_ns = trace->now_ns, call_end_ns = call_ns + 1 + (int64_t)draw(20000);
    int64_t start_ns = call_end_ns + (int64_t)draw(5 * STEP_NS);
    if (stream + 1 < STREAMS && start_ns < trace->free_ns[stream])
        start_ns = trace->free_ns[stream];
    int64_t end_ns = start_ns + (draw(8) == 0 ? 0 : (int64_t)draw(2 * STEP_NS));
    if (draw(3000) == 0)
        end_ns += INT64_C(5000000000); /* more than 32 bits */
    struct item call = {.kind = ITEM_CALL, .b = CALL_LAUNCH, .correlation = i + 1, .call.name = trace->name};
    struct item work = {.kind = ITEM_LAUNCH,
                        .correlation = i + 1,
                        .launch = {.call_start_ns = call_ns,
                                   .call_duration_ns = (uint32_t)(call_end_ns - call_ns),
                                   .kernel = NONE}};
    if (draw(4) == 0) {
        work = (struct item){.kind = ITEM_COPY, .a = COPY_HTOD, .copy = {.call_start_ns = INT64_MIN}};
        call.b = CALL_OTHER;
    }
    trace->free_ns[stream] = end_ns;
    add(trace, trace->calls, call_ns, call_end_ns, &call);
    add(trace, trace->streams[stream], start_ns, end_ns, &work);
}

/* Ranges of 10, 100 and 1000 steps, each within the next. */
static void add_ranges(struct long_trace *trace, uint32_t i)
{
    static const uint32_t steps[] = {1000, 100, 10};
    for (uint32_t depth = 3; depth-- > 0;) {
        if (i % steps[depth] != 0)
            continue;
        struct item range = {.kind = ITEM_RANGE, .range = {.name = trace->name, .depth = depth}};
        add(trace, trace->ranges, trace->begun_ns[depth], trace->now_ns, &range);
        trace->begun_ns[depth] = trace->now_ns;
    }
}

static int by_end(const void *a, const void *b)
{
    const struct long_event *x = a, *y = b;
    return x->end_ns != y->end_ns ? (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns)
                                  : (x->number > y->number) - (x->number < y->number);
}

static void make_tracks(struct long_trace *trace)
{
    struct track_row row = {.kind = TRACK_STREAM, .device = NONE, .process = NONE, .thread = NONE};
    for (row.stream = 0; row.stream < STREAMS; row.stream++)
        trace->streams[row.stream] = session_add_track(trace->session, &row);
    row = (struct track_row){.kind = TRACK_CALLS, .device = NONE, .process = NONE, .thread = 1};
    trace->calls = session_add_track(trace->session, &row);
    row.kind = TRACK_RANGES;
    trace->ranges = session_add_track(trace->session, &row);
}

/* As intake publishes them: what has ended, in the order of ends. */
static struct session *record_long(uint32_t steps)
{
    struct long_trace trace = {.events = calloc(6 * (size_t)steps, sizeof *trace.events)};
    struct recorder *recorder;
    cr_assert_eq(session_create(&trace.session, 5, NULL), STATUS_OK);
    temporary_start(&recorder, trace.session, 0);
    trace.name = session_add_string(trace.session, "step", 4);
    make_tracks(&trace);
    for (uint32_t i = 1; i <= steps; i++, trace.now_ns += STEP_NS) {
        add_work(&trace, i);
        add_ranges(&trace, i);
    }
    qsort(trace.events, trace.count, sizeof *trace.events, by_end);
    for (uint32_t i = 0; i < trace.count; i++)
        session_add_event(trace.session, trace.events[i].track, trace.events[i].start_ns,
                          trace.events[i].end_ns, &trace.events[i].item);
    free(trace.events);
    temporary_stop(recorder);
    session_destroy(trace.session);
    return temporary_load();
}

Test(readback, enters_a_long_recording_in_the_middle)
{
    random_state = 3;
    struct session *whole = record_long(24000);
    struct session *bounded = load_bounded(whole, 6);
    struct readback *readback = begin(bounded, MOST_BYTES);
    int64_t end_ns = session_folded_until_ns(bounded, CLOCK_WALL);
    cr_assert_gt(end_ns, INT64_C(15) * 1000 * STEP_NS);
    for (int w = 0; w < 9; w++) {
        int64_t from_ns = (int64_t)draw((uint64_t)end_ns), to_ns = from_ns + 1 + (int64_t)draw(500 * STEP_NS);
        struct readback_state state = look(readback, bounded, CLOCK_WALL, from_ns, to_ns);
        cr_assert_eq(state.kind, READBACK_WHOLE, "range %d: kind %d %s", w, state.kind, state.error.text);
        const char *differ = range_differs(whole, bounded, CLOCK_WALL, from_ns, to_ns);
        cr_assert_null(differ, "range %d: %s", w, differ);
    }
    readback_stop(readback);
    session_destroy(whole);
    session_destroy(bounded);
}

/* ---- what does not come back ---- */
Test(readback, what_takes_too_much_is_not_read)
{
    struct session *whole = record_random(7, 9000);
    struct session *bounded = load_bounded(whole, 3);
    struct readback *readback = begin(bounded, 100000);
    int64_t now_ns = session_now_ns(bounded, CLOCK_WALL);
    size_t before = session_memory_bytes(bounded);
    struct readback_state state = look(readback, bounded, CLOCK_WALL, -1000, now_ns);
    cr_assert_eq(state.kind, READBACK_TOO_MUCH);
    cr_assert_gt(state.events, state.most);
    cr_assert_eq(session_memory_bytes(bounded), before);
    for (int w = 0; w < 15; w++) { /* narrower ones are, and make room for each other */
        int64_t from_ns = (int64_t)draw((uint64_t)now_ns), to_ns = from_ns + now_ns / 1000;
        state = look(readback, bounded, CLOCK_WALL, from_ns, to_ns);
        cr_assert_leq(session_memory_bytes(bounded), before + 100000);
        if (state.kind == READBACK_WHOLE)
            cr_assert_null(range_differs(whole, bounded, CLOCK_WALL, from_ns, to_ns));
        else
            cr_assert_eq(state.kind, READBACK_TOO_MUCH);
    }
    readback_stop(readback);
    cr_assert_eq(session_memory_bytes(bounded), before);
    session_destroy(whole);
    session_destroy(bounded);
}

Test(readback, of_tracks_that_are_named_where_there_is_no_room_for_all)
{
    struct session *whole = record_random(9, 9000);
    struct session *bounded = load_bounded(whole, 3);
    struct readback *readback = begin(bounded, 20000);
    const uint32_t tracks[] = {1, 2};
    int64_t now_ns = session_now_ns(bounded, CLOCK_WALL);
    struct readback_range range = {CLOCK_WALL, now_ns / 4, now_ns / 4 + now_ns / 50, tracks, 2};
    struct readback_state state;
    readback_look(readback, &range);
    readback_wait(readback);
    readback_look(readback, &range);
    readback_state(readback, &state);
    cr_assert_eq(state.kind, READBACK_TRACKS, "%d", state.kind);
    for (size_t t = 0; t < 2; t++)
        for (uint32_t lane = 0; lane < session_track(whole, tracks[t])->lane_count; lane++)
            cr_assert_null(events_differ(whole, bounded, tracks[t], lane, range.start_ns, range.end_ns));
    readback_stop(readback);
    session_destroy(whole);
    session_destroy(bounded);
}

Test(readback, a_recording_that_is_gone_or_another_one_is_told)
{
    struct session *whole = record_random(7, 6000);
    struct session *bounded = load_bounded(whole, 3);
    struct readback *readback = begin(bounded, MOST_BYTES);
    int64_t folded_ns = session_folded_until_ns(bounded, CLOCK_WALL);
    struct readback_state state = look(readback, bounded, CLOCK_WALL, folded_ns + 1, folded_ns + 2);
    cr_assert_eq(state.kind, READBACK_WHOLE);
    cr_assert_eq(rename(temporary_path, "away.lsr"), 0);
    state = look(readback, bounded, CLOCK_WALL, 0, 1000000);
    cr_assert_eq(state.kind, READBACK_FAILED);
    cr_assert_not_null(strstr(state.error.text, temporary_path), "%s", state.error.text);
    cr_assert_gt(folded_events(bounded, CLOCK_WALL, 0, 1000000), 0);
    temporary_record(8, 2000);
    temporary_change("UPDATE meta SET value = value + 1 WHERE key = 'start_ns'");
    state = look(readback, bounded, CLOCK_WALL, -5, 2000000);
    cr_assert_eq(state.kind, READBACK_FAILED);
    cr_assert_not_null(strstr(state.error.text, "another recording"), "%s", state.error.text);
    cr_assert_eq(rename("away.lsr", temporary_path), 0);
    state = look(readback, bounded, CLOCK_WALL, -10, 3000000);
    cr_assert_eq(state.kind, READBACK_WHOLE);
    readback_stop(readback);
    session_destroy(whole);
    session_destroy(bounded);
}

/* What is found is compared with what was kept: a row that was changed is not shown. */
Test(readback, changed_rows_are_not_taken)
{
    struct session *whole = record_random(7, 6000);
    struct session *bounded = load_bounded(whole, 3);
    struct readback *readback = begin(bounded, MOST_BYTES);
    int64_t to_ns = session_folded_until_ns(bounded, CLOCK_WALL) / 2;
    temporary_change("UPDATE launch SET duration_ns = duration_ns + 1 WHERE id % 50 = 0");
    temporary_change("DELETE FROM call WHERE id % 100 = 0");
    struct readback_state state = look(readback, bounded, CLOCK_WALL, 0, to_ns);
    cr_assert_eq(state.kind, READBACK_PART);
    uint64_t folded = folded_events(bounded, CLOCK_WALL, 0, to_ns);
    cr_assert_gt(folded, 0);
    for (uint32_t track = 0; track < session_track_count(whole); track++)
        for (uint32_t lane = 0; lane < session_track(whole, track)->lane_count; lane++)
            for (struct event_ref ref = {track, lane, 0};
                 ref.index < session_lane_count_events(whole, track, lane); ref.index++) {
                struct item x = session_event_item(whole, ref), y = session_event_item(bounded, ref);
                cr_assert((y.flags & ITEM_FOLDED) || memcmp(&x, &y, sizeof x) == 0);
            }
    readback_stop(readback);
    session_destroy(whole);
    session_destroy(bounded);
}
