/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical paths that are known by how the session was made. Each round of a case is written out in us, with the
 * parts of it that the end depends on; the rounds repeat, so that a path has ROUNDS times each of them.
 */
#include "core/replay/replay_path.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define ROUNDS 24
#define ROWS 6
#define PARTS 10

struct row { /* a call of the thread, and the kernel that it issues in a stream; stream NONE: none */
    double start, end;
    enum { LAUNCH, WAIT_ALL, TELL_2 } call; /* TELL_2: stream 2 waits for what stream 1 has by now */
    uint32_t stream;                        /* 0: the legacy default stream */
    double work_start, work_end;
};

struct part {
    double start, end;
    enum replay_part part;
    uint32_t stream; /* of a kernel */
};

struct made {
    const char *name;
    double round;
    struct row rows[ROWS];
    struct part parts[PARTS]; /* of a round in the middle; ends with end 0 */
};

#define KERNEL(from, to, in)             \
    {                                    \
        from, to, REPLAY_PART_KERNEL, in \
    }
#define PART(from, to, what)               \
    {                                      \
        from, to, REPLAY_PART_##what, NONE \
    }

static const struct made cases[] = {
    /* Kernels of one stream that are all issued ahead: one after the other, 1 us apart. */
    {.name = "chain",
     .round = 101,
     .rows = {{0, 5, LAUNCH, 1, 7, 107}},
     .parts = {PART(6, 7, DELAY), KERNEL(7, 107, 1)}},
    /* Stream 2 waits for stream 1, whose kernel is the longer one; the host waits for stream 2. */
    {.name = "join",
     .round = 240,
     .rows = {{0, 5, LAUNCH, 1, 7, 107},
              {6, 11, LAUNCH, 2, 13, 43},
              {12, 13, TELL_2, NONE, 0, 0},
              {14, 19, LAUNCH, 2, 108.5, 208.5},
              {20, 213.5, WAIT_ALL, NONE, 0, 0}},
     .parts = {PART(0, 5, CALL), PART(5, 7, DELAY), KERNEL(7, 107, 1), PART(107, 108.5, DELAY),
               KERNEL(108.5, 208.5, 2), PART(208.5, 213.5, RETURN), PART(213.5, 240, GAP)}},
    /* The host's work between calls is what it takes; kernels end long before. */
    {.name = "host bound",
     .round = 120,
     .rows = {{0, 5, LAUNCH, 1, 7, 17}},
     .parts = {PART(0, 5, CALL), PART(5, 120, GAP)}},
    /* The default stream's kernel waits for stream 1, and stream 2 for it. */
    {.name = "legacy stream",
     .round = 320,
     .rows = {{0, 5, LAUNCH, 1, 7, 107},
              {6, 11, LAUNCH, 0, 108.5, 208.5},
              {12, 17, LAUNCH, 2, 210, 310},
              {18, 315, WAIT_ALL, NONE, 0, 0}},
     .parts = {PART(0, 5, CALL), PART(5, 7, DELAY), KERNEL(7, 107, 1), PART(107, 108.5, DELAY),
               KERNEL(108.5, 208.5, 0), PART(208.5, 210, DELAY), KERNEL(210, 310, 2), PART(310, 315, RETURN),
               PART(315, 320, GAP)}},
};

static int64_t ns(double us)
{
    return (int64_t)(us * 1000);
}

static void add_row(struct session *session, const struct made *made, const struct row *row, int round)
{
    const struct track_row calls = {.kind = TRACK_CALLS, .device = NONE, .thread = 100};
    const struct track_row syncs = {.kind = TRACK_SYNCS, .device = NONE, .thread = 100};
    /* The chain's host issues a launch every 6 us, its device falls behind. */
    double at = round * made->round, host_at = strcmp(made->name, "chain") == 0 ? round * 6 : at;
    struct item call = {.kind = ITEM_CALL, .b = row->call == LAUNCH ? CALL_LAUNCH : CALL_SYNC};
    if (row->call == TELL_2)
        call.b = CALL_STREAM;
    call.call.name = session_add_string(session, "cuSomeCall", 10);
    cr_assert(session_add_event(session, session_add_track(session, &calls), ns(host_at + row->start),
                                ns(host_at + row->end), &call));
    if (row->call != LAUNCH) {
        struct item sync = {.kind = ITEM_SYNC,
                            .a = row->call == TELL_2 ? SYNC_STREAM_WAIT_EVENT : SYNC_CONTEXT};
        sync.sync.context = 1;
        sync.sync.stream = 12;
        sync.sync.thread = 100;
        cr_assert(session_add_event(session, session_add_track(session, &syncs), ns(host_at + row->start),
                                    ns(host_at + row->end), &sync));
        return;
    }
    const struct shape_row shape = {.name = call.call.name, .grid = {132, 1, 1}, .block = {256, 1, 1}};
    struct item item = {.kind = ITEM_LAUNCH};
    item.launch.call_start_ns = ns(host_at + row->start);
    item.launch.call_duration_ns = (uint32_t)ns(row->end - row->start);
    item.launch.call_thread = 100;
    item.launch.kernel = session_add_kernel(session, 0, session_add_shape(session, &shape), 0);
    const struct track_row stream = {.kind = TRACK_STREAM,
                                     .context = 1,
                                     .stream = 10 + row->stream,
                                     .thread = NONE,
                                     .flags = row->stream == 0 ? STREAM_DEFAULT : 0};
    cr_assert(session_add_event(session, session_add_track(session, &stream), ns(at + row->work_start),
                                ns(at + row->work_end), &item));
}

static struct session *make_session(const struct made *made)
{
    struct session *session;
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    session_add_process(session, &(struct process_row){.rank = -1, .end_ns = INT64_MIN});
    session_add_device(session,
                       &(struct device_row){.info = {.compute_capability = 90, .multiprocessors = 132}});
    session_add_run(session,
                    &(struct run_row){.start_ns = INT64_MIN / 4, .end_ns = INT64_MIN, .verified = -1});
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < ROWS && made->rows[i].end > 0; i++)
            add_row(session, made, &made->rows[i], round);
    return session;
}

static void expect_tiles(const struct made *made, const struct replay *replay, const struct replay_path *path,
                         int64_t whole_ns)
{
    int64_t sum_ns = 0;
    for (size_t i = 1; i < path->count; i++)
        cr_expect_eq(path->segments[i].start_ns, path->segments[i - 1].end_ns, "%s: part %zu", made->name, i);
    for (int part = 0; part < REPLAY_PARTS; part++)
        sum_ns += path->ns[part];
    cr_expect_eq(sum_ns, whole_ns, "%s: the parts are %lld of %lld ns", made->name, (long long)sum_ns,
                 (long long)whole_ns);
    (void)replay;
}

static bool is_part(const struct session *session, const struct replay_segment *segment,
                    const struct part *part, double at)
{
    return segment->part == part->part && llabs(segment->start_ns - ns(at + part->start)) <= 1 &&
           llabs(segment->end_ns - ns(at + part->end)) <= 1 &&
           (part->part != REPLAY_PART_KERNEL ||
            session_track(session, segment->track)->stream == 10 + part->stream);
}

/* The parts of a round in the middle, one after the other. */
static void expect_round(const struct made *made, const struct session *session,
                         const struct replay_path *path)
{
    double at = ROUNDS / 2 * made->round;
    size_t i = 0;
    while (i < path->count && path->segments[i].start_ns < ns(at + made->parts[0].start) - 1)
        i++;
    for (size_t k = 0; k < PARTS && made->parts[k].end > 0; k++, i++) {
        cr_assert(i < path->count, "%s", made->name);
        cr_expect(is_part(session, &path->segments[i], &made->parts[k], at),
                  "%s, part %zu: %s from %.1f to %.1f us of the round", made->name, k,
                  replay_part_text((enum replay_part)path->segments[i].part),
                  (double)path->segments[i].start_ns / 1000 - at,
                  (double)path->segments[i].end_ns / 1000 - at);
    }
}

Test(replay_path, is_what_the_session_was_made_of)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session *session = make_session(&cases[i]);
        struct replay *replay;
        struct replay_path path;
        struct error error = {0};
        cr_assert_eq(replay_open(&replay, session, 0, INT64_MIN, INT64_MAX, &error), STATUS_OK, "%s",
                     error.text);
        cr_assert_eq(replay_keep_trace(replay, &error), STATUS_OK, "%s", error.text);
        replay_run_measured(replay);
        cr_assert_eq(replay_path_make(replay, &path, &error), STATUS_OK, "%s", error.text);
        expect_tiles(&cases[i], replay, &path, replay_facts(replay)->measured_ns);
        expect_round(&cases[i], session, &path);
        replay_path_fini(&path);
        replay_close(replay);
        session_destroy(session);
    }
}

/* With an edit the path is another one: what the host did before, or what it waited for, is no part of it. */
Test(replay_path, follows_an_edit)
{
    struct session *session = make_session(&cases[3]);
    struct replay *replay;
    struct replay_path path;
    struct error error = {0};
    struct replay_change change = replay_as_measured;
    change.no_legacy = true;
    cr_assert_eq(replay_open(&replay, session, 0, INT64_MIN, INT64_MAX, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(replay_keep_trace(replay, &error), STATUS_OK);
    int64_t took_ns = replay_run(replay, &change);
    cr_assert_eq(replay_path_make(replay, &path, &error), STATUS_OK);
    expect_tiles(&cases[3], replay, &path, took_ns);
    /* Of three kernels the last to be issued is left; each takes the whole device, so they run one by one. */
    cr_expect_lt(path.ns[REPLAY_PART_KERNEL], ROUNDS * 301000LL);
    cr_expect_lt(took_ns, replay_facts(replay)->measured_ns);
    replay_path_fini(&path);
    replay_close(replay);
    session_destroy(session);
}

Test(replay_path, needs_a_trace)
{
    struct session *session = make_session(&cases[0]);
    struct replay *replay;
    struct replay_path path;
    struct error error = {0};
    cr_assert_eq(replay_open(&replay, session, 0, INT64_MIN, INT64_MAX, &error), STATUS_OK);
    cr_expect_eq(replay_path_make(replay, &path, &error), STATUS_STATE);
    replay_close(replay);
    session_destroy(session);
}
