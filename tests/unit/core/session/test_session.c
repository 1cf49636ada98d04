/* SPDX-License-Identifier: Apache-2.0 */
/* The session: rows found and added, lanes, engines, what is counted and what is refused. */
#include "core/session/session.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct session *session_open(void)
{
    struct session *session;
    struct error error;
    cr_assert_eq(session_create(&session, 1000, &error), STATUS_OK);
    return session;
}

static uint32_t add_stream(struct session *session, uint32_t stream)
{
    struct track_row row = {.kind = TRACK_STREAM, .stream = stream, .thread = NONE, .context = 1};
    return session_add_track(session, &row);
}

static const struct item set_item = {.kind = ITEM_SET};

Test(session, interns_strings)
{
    struct session *session = session_open();
    cr_assert_str_eq(session_string(session, 0), "");
    cr_assert_str_eq(session_string(session, 12345), "");
    uint32_t one = session_add_string(session, "one", 3), two = session_add_string(session, "two", 3);
    const char *text = session_string(session, one);
    cr_assert_eq(one, 1);
    cr_assert_neq(one, two);
    char name[32];
    for (int i = 0; i < 50000; i++) { /* grows hash, rows and text several times */
        snprintf(name, sizeof name, "name %d", i);
        session_add_string(session, name, strlen(name));
    }
    cr_assert_eq(session_add_string(session, "one", 3), one);
    cr_assert_eq(session_find_string(session, "two"), two);
    cr_assert_eq(session_find_string(session, "three"), 0);
    cr_assert_eq(session_add_string(session, "one\0 more", 9), one, "a text ends at its first NUL");
    cr_assert_eq(session_add_string(session, "onetwo", 3), one);
    cr_assert_eq(session_add_string(session, "", 0), 0);
    cr_assert_eq(session_string(session, one), text, "texts never move");
    cr_assert_str_eq(session_string(session, session_find_string(session, "name 49999")), "name 49999");
    char *large = malloc(300000);
    memset(large, 'x', 300000);
    uint32_t long_one = session_add_string(session, large, 300000);
    cr_assert_eq(strlen(session_string(session, long_one)), 300000);
    free(large);
    session_destroy(session);
}

Test(session, finds_equal_shapes_kernels_and_tracks)
{
    struct session *session = session_open();
    struct shape_row shape = {.name = 3, .grid = {1, 2, 3}, .block = {32, 1, 1}};
    uint32_t first = session_add_shape(session, &shape);
    cr_assert_eq(session_add_shape(session, &shape), first);
    shape.dynamic_shared_bytes = 4;
    cr_assert_neq(session_add_shape(session, &shape), first);
    uint32_t kernel = session_add_kernel(session, 0, first, 0);
    cr_assert_eq(session_add_kernel(session, 0, first, 0), kernel);
    cr_assert_neq(session_add_kernel(session, 1, first, 0), kernel);
    cr_assert_neq(session_add_kernel(session, 0, first, NONE), kernel);
    cr_assert_eq(session_kernel_count(session), 3);
    struct track_row track = {.kind = TRACK_CALLS, .process = 1, .device = NONE, .thread = 5};
    uint32_t calls = session_add_track(session, &track);
    track.priority = 3; /* not part of what it is */
    cr_assert_eq(session_add_track(session, &track), calls);
    track.thread = 6;
    cr_assert_neq(session_add_track(session, &track), calls);
    track.kind = TRACK_RANGES;
    cr_assert_eq(session_add_track(session, &track), 2);
    cr_assert_eq(session_track_count(session), 3);
    cr_assert_null(session_track(session, 3));
    for (uint32_t i = 0; i < 5000; i++) {
        track.thread = 100 + i;
        cr_assert_eq(session_add_track(session, &track), 3 + i);
    }
    track.thread = 100;
    cr_assert_eq(session_add_track(session, &track), 3);
    session_destroy(session);
}

Test(session, puts_overlapping_events_on_further_lanes)
{
    struct session *session = session_open();
    uint32_t track = add_stream(session, 7);
    cr_assert(session_add_event(session, track, 0, 100, &set_item));
    cr_assert(session_add_event(session, track, 50, 150, &set_item));  /* lane 1 */
    cr_assert(session_add_event(session, track, 100, 160, &set_item)); /* touches: lane 0 */
    cr_assert(session_add_event(session, track, 90, 170, &set_item));  /* lane 2 */
    cr_assert(session_add_event(session, track, 165, 180, &set_item)); /* 0 */
    cr_assert_eq(session_track(session, track)->lane_count, 3);
    cr_assert_eq(session_lane_count_events(session, track, 0), 3);
    cr_assert_eq(session_lane_count_events(session, track, 1), 1);
    cr_assert_eq(session_lane_count_events(session, track, 2), 1);
    cr_assert_eq(session_event_start_ns(session, (struct event_ref){track, 0, 2}), 165);
    cr_assert_eq(session_event_end_ns(session, (struct event_ref){track, 1, 0}), 150);
    cr_assert_eq(session_event_count(session), 5);
    cr_assert_eq(session_first_ns(session, CLOCK_WALL), 0);
    cr_assert_eq(session_now_ns(session, CLOCK_WALL), 180);
    session_destroy(session);
}

/* The model's clock starts at 0 while the wall's goes on: neither moves the other. */
Test(session, knows_how_far_each_clock_has_come)
{
    struct session *session = session_open();
    const struct track_row model = {.kind = TRACK_STREAM, .clock = CLOCK_MODEL, .stream = 7};
    uint32_t wall_track = add_stream(session, 7), model_track = session_add_track(session, &model);
    cr_assert_eq(session_first_ns(session, CLOCK_MODEL), 0);
    cr_assert(session_add_event(session, wall_track, 5000, 9000, &set_item));
    cr_assert(session_add_event(session, model_track, 20, 70, &set_item));
    session_set_now(session, CLOCK_MODEL, 80);
    cr_assert_eq(session_first_ns(session, CLOCK_WALL), 5000);
    cr_assert_eq(session_now_ns(session, CLOCK_WALL), 9000);
    cr_assert_eq(session_first_ns(session, CLOCK_MODEL), 20);
    cr_assert_eq(session_now_ns(session, CLOCK_MODEL), 80);
    session_destroy(session);
}

/* Whatever comes, no lane has an overlap, and each event lies in the first lane that was free. */
Test(session, lanes_never_overlap)
{
    struct session *session = session_open();
    uint32_t track = add_stream(session, 7);
    int64_t ends_ns[64];
    uint32_t lanes = 0;
    uint64_t state = 99;
    for (int i = 0; i < 20000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        int64_t end_ns = i * 10 + (int64_t)(state >> 60), start_ns = end_ns - (int64_t)((state >> 33) % 300);
        uint32_t lane = 0;
        while (lane < lanes && ends_ns[lane] > start_ns)
            lane++;
        cr_assert_lt(lane, 64);
        lanes = lane == lanes ? lanes + 1 : lanes;
        ends_ns[lane] = end_ns;
        uint64_t before = session_lane_count_events(session, track, lane);
        cr_assert(session_add_event(session, track, start_ns, end_ns, &set_item));
        cr_assert_eq(session_lane_count_events(session, track, lane), before + 1, "event %d", i);
        cr_assert_eq(session_event_start_ns(session, (struct event_ref){track, lane, before}), start_ns);
        cr_assert_eq(session_event_end_ns(session, (struct event_ref){track, lane, before}), end_ns);
    }
    cr_assert_eq(session_track(session, track)->lane_count, lanes);
    session_destroy(session);
}

Test(session, counts_late_and_refused_events)
{
    struct session *session = session_open();
    uint32_t track = add_stream(session, 7);
    struct session_lost lost;
    cr_assert(session_add_event(session, track, 100, 200, &set_item));
    cr_assert(session_add_event(session, track, 10, 20, &set_item));
    session_lost(session, &lost);
    cr_assert_eq(lost.late, 1);
    cr_assert_not(session_add_event(session, track, 300, 299, &set_item));
    cr_assert_not(session_add_event(session, track, INT64_MIN, 0, &set_item));
    cr_assert_not(session_add_event(session, track, 0, INT64_MAX, &set_item));
    cr_assert_not(session_add_event(session, 5, 0, 1, &set_item));
    session_lost(session, &lost);
    cr_assert_eq(lost.refused, 4);
    cr_assert_eq(session_event_count(session), 2);
    struct drop_row drop = {.count = 9};
    session_add_drop(session, &drop);
    session_add_drop(session, &drop);
    session_lost(session, &lost);
    cr_assert_eq(lost.dropped, 18);
    /* Ten thousand events at once fill the lanes a track may have. */
    uint32_t other = add_stream(session, 8);
    uint32_t taken = 0;
    for (int i = 0; i < 10000; i++)
        taken += session_add_event(session, other, 0, 1000 + i, &set_item);
    cr_assert_eq(taken, SESSION_TRACK_LANES_MAX);
    session_destroy(session);
}

Test(session, sums_launches_and_doubles_copies)
{
    struct session *session = session_open();
    uint32_t track = add_stream(session, 7), other = add_stream(session, 8);
    uint32_t kernel = session_add_kernel(session, 0, 0, 0);
    static const int64_t durations_ns[] = {50, 20, 90};
    for (int64_t i = 0; i < 3; i++) {
        struct item launch = {.kind = ITEM_LAUNCH, .launch = {.kernel = kernel}};
        session_add_event(session, track, i * 100, i * 100 + durations_ns[i], &launch);
    }
    const struct kernel_row *row = session_kernel(session, kernel);
    cr_assert_eq(row->launches, 3);
    cr_assert_eq(row->total_ns, 160);
    cr_assert_eq(row->min_ns, 20);
    cr_assert_eq(row->max_ns, 90);
    cr_assert_eq(session_launch_count(session), 3);
    struct item copy = {.kind = ITEM_COPY, .a = COPY_HTOD, .copy = {.size_bytes = 64}};
    session_add_event(session, track, 300, 400, &copy);
    session_add_event(session, other, 350, 450, &copy);
    copy.a = COPY_DTOH;
    session_add_event(session, track, 400, 500, &copy);
    cr_assert_eq(session_event_count(session), 6, "doubled ones are not counted");
    cr_assert_eq(session_track_count(session), 4);
    const struct track_row *engine = session_track(session, 2);
    cr_assert_eq(engine->kind, TRACK_COPY_ENGINE);
    cr_assert_eq(engine->copy_kind, COPY_HTOD);
    cr_assert_eq(engine->lane_count, 2, "two copies at once on one engine's track");
    cr_assert_eq(session_event_item(session, (struct event_ref){2, 0, 0}).copy.size_bytes, 64);
    char name[64];
    session_track_name(session, 2, name, sizeof name);
    cr_assert_str_eq(name, "copies to the device");
    session_track_name(session, track, name, sizeof name);
    cr_assert_str_eq(name, "stream 7");
    session_destroy(session);
}

Test(session, keeps_an_outer_range_above_its_inner_ones)
{
    struct session *session = session_open();
    struct track_row row = {.kind = TRACK_RANGES, .thread = 1};
    uint32_t track = session_add_track(session, &row);
    struct item inner = {.kind = ITEM_RANGE, .range = {.depth = 1}},
                outer = {.kind = ITEM_RANGE, .range = {.depth = 0}};
    session_add_event(session, track, 10, 20, &inner);
    session_add_event(session, track, 30, 40, &inner);
    session_add_event(session, track, 0, 50, &outer);
    session_add_event(session, track, 60, 70, &outer);
    cr_assert_eq(session_lane_count_events(session, track, 0), 2);
    cr_assert_eq(session_lane_count_events(session, track, 1), 2);
    cr_assert_eq(session_event_end_ns(session, (struct event_ref){track, 0, 0}), 50);
    struct item deep = {.kind = ITEM_RANGE, .range = {.depth = UINT32_MAX}};
    cr_assert(session_add_event(session, track, 80, 90, &deep));
    cr_assert_leq(session_track(session, track)->lane_count, SESSION_TRACK_LANES_MAX);
    session_destroy(session);
}

Test(session, finds_the_event_that_ends_after_a_time)
{
    struct session *session = session_open();
    uint32_t track = add_stream(session, 7);
    static const int64_t events_ns[][2] = {{0, 10}, {10, 10}, {10, 10}, {10, 20}, {30, 30}, {40, 50}};
    for (size_t i = 0; i < 6; i++)
        session_add_event(session, track, events_ns[i][0], events_ns[i][1], &set_item);
    cr_assert_eq(session_track(session, track)->lane_count, 1);
    for (int64_t time_ns = -2; time_ns < 55; time_ns++) {
        uint64_t wanted = 0;
        while (wanted < 6 && events_ns[wanted][1] <= time_ns)
            wanted++;
        cr_assert_eq(session_lane_find(session, track, 0, time_ns), wanted, "at %d", (int)time_ns);
    }
    cr_assert_eq(session_lane_find(session, track, 0, INT64_MAX), 6);
    cr_assert_eq(session_lane_find(session, track, 0, INT64_MIN), 0);
    cr_assert_eq(session_lane_find(session, track, 9, 0), 0);
    session_destroy(session);
}

Test(session, keeps_the_longest_open_launches_of_all_processes)
{
    struct session *session = session_open();
    static struct open_launch launches[1000], seen[2000];
    for (uint32_t i = 0; i < 1000; i++)
        launches[i] = (struct open_launch){.correlation = i, .call_start_ns = 5000 - i};
    session_set_open_launches(session, 1, launches, 1000);
    cr_assert_eq(session_open_launches(session, seen, 2000), 1000);
    cr_assert_eq(seen[0].correlation, 999);
    launches[0].call_start_ns = 1;
    session_set_open_launches(session, 2, launches, 1000);
    cr_assert_eq(session_open_launches(session, seen, 2000), SESSION_OPEN_LAUNCHES_MAX);
    cr_assert_eq(seen[0].process, 2);
    cr_assert_eq(seen[0].call_start_ns, 1);
    session_set_open_launches(session, 2, NULL, 0);
    size_t left = session_open_launches(session, seen, 2000);
    cr_assert_lt(left, 1000); /* those of 1 that made room are gone until 1 sets its own again */
    for (size_t i = 0; i < left; i++)
        cr_assert_eq(seen[i].process, 1);
    cr_assert_eq(session_open_launches(session, seen, 3), 3);
    session_destroy(session);
}

Test(session, adds_measurements_with_their_values)
{
    struct session *session = session_open();
    uint32_t kernel = session_add_kernel(session, 0, 0, 0);
    struct value_row values[3] = {
        {.counter = 1, .number = 1}, {.counter = 2, .number = 2}, {.counter = 3, .number = 3}};
    struct measurement_row row = {.kernel = kernel, .values = 3};
    cr_assert_eq(session_add_measurement(session, &row, values), 0);
    row.values = 2;
    cr_assert_eq(session_add_measurement(session, &row, values + 1), 1);
    const struct measurement_row *second = session_measurement(session, 1);
    cr_assert_eq(second->first_value, 3);
    cr_assert_eq(second->values, 2);
    cr_assert_eq(session_value(session, second->first_value)->number, 2);
    cr_assert_eq(session_kernel(session, kernel)->measured_launches, 2);
    session_destroy(session);
}

/* A session's fixed costs, and those of a lane, are what an event takes of a small one. */
Test(session, of_few_events_is_small)
{
    static const struct {
        uint32_t streams, events;
        size_t most_bytes; /* of each event */
    } sizes[] = {{40, 10000, 48}, {8, 10000, 45},   {40, 10600, 55},
                 {40, 20000, 46}, {40, 100000, 45}, {1, 100, 150}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct session *session = session_open();
        for (uint32_t s = 0; s < sizes[i].streams; s++)
            add_stream(session, s);
        struct item item = {.kind = ITEM_LAUNCH,
                            .launch = {.kernel = session_add_kernel(session, NONE, 0, NONE)}};
        for (uint32_t e = 0; e < sizes[i].events; e++)
            session_add_event(session, e % sizes[i].streams, 100 * (int64_t)e, 100 * (int64_t)e + 50, &item);
        size_t bytes = session_memory_bytes(session);
        cr_assert_leq(bytes, sizes[i].most_bytes * sizes[i].events, "%u events on %u streams: %zu bytes",
                      sizes[i].events, sizes[i].streams, bytes);
        session_destroy(session);
    }
}
