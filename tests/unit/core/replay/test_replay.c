/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of made sessions: a round of calls and operations, repeated, so that every delay is the same and the
 * time of each edit can be worked out by hand, as it is beside each row. Times in us.
 */
#include "core/replay/what_if.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 24
#define BYTES 1000000u /* of a copy: 20 us at the 50 bytes/ns that PCIe 5 reaches */

enum work { NOTHING, KERNEL, SET, IN, OUT, PAGEABLE_IN, SMALL_OUT };
enum sync { NO_SYNC, ALL, STREAM_1, STREAM_2, TOLD_2 }; /* TOLD_2: stream 2 is told to wait for an event */

struct row { /* a call, and the operation that it issues */
    double start, end;
    enum call_category category;
    enum sync sync;
    enum work work;
    uint32_t stream; /* 0: the legacy default stream */
    double work_start, work_end;
    uint32_t thread, graph;
    uint32_t bytes; /* of a copy; 0: BYTES */
};

struct made {
    const char *name;
    struct row rows[6];
    double round;       /* its length */
    uint32_t grid;      /* blocks of a kernel; 0: one */
    const char *kernel; /* its name; NULL: another */
    const char *edit;
    double edited, last; /* by hand: a round with the change, and the last end after the last round's start */
    double queued;       /* of work that is issued ahead: a round's part of the device's time; else 0 */
};

#define CALLED(from, to, what, waits) .start = from, .end = to, .category = what, .sync = waits
#define LAUNCH(from, to) CALLED(from, to, CALL_LAUNCH, NO_SYNC), KERNEL

static const struct made cases[] = {
    /* Kernels of two streams run side by side. Without waiting, a round is issued in 5 + 1 + 5 + 1 + 1 + 2 us, and
     * each stream has a kernel of 100 us every 101 us. */
    {.name = "two streams, no waits",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {LAUNCH(6, 11), 2, 13, 113}, {CALLED(12, 118, CALL_SYNC, ALL)}},
     .round = 120,
     .edit = "waits",
     .edited = 101,
     .last = 118},
    /* A kernel on the legacy stream waits for stream 1, and stream 2 for it. Without it they start at 7, 13, 19; the
     * synchronisation returns 5 us after 119, and the next round begins 5 us later. */
    {.name = "legacy stream",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {LAUNCH(6, 11), 0, 108.5, 208.5},
              {LAUNCH(12, 17), 2, 210, 310},
              {CALLED(18, 315, CALL_SYNC, ALL)}},
     .round = 320,
     .edit = "legacy",
     .edited = 129,
     .last = 124},
    /* Stream 2 waits for the kernel of stream 1. Without the wait its own starts 2 us after its launch, at 15; the
     * synchronisation returns at 115 + 5, the next round begins 6.5 us later. */
    {.name = "event",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {CALLED(6, 7, CALL_STREAM, TOLD_2)},
              {LAUNCH(8, 13), 2, 108.5, 208.5},
              {CALLED(14, 213.5, CALL_SYNC, ALL)}},
     .round = 220,
     .edit = "events",
     .edited = 126.5,
     .last = 120},
    /* A result of 4 bytes that the host reads after each kernel. If its call returned after 1 us the next round would begin
     * 6 us later, and the stream has a kernel of 100 us, a copy of 2 us and two delays of 1 us in each round. */
    {.name = "small read",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 115, CALL_COPY, NO_SYNC), SMALL_OUT, 1, 108, 110}},
     .round = 120,
     .edit = "waits",
     .edited = 104,
     .last = 115},
    /* A copy of pageable memory, which its call waits for. Pinned it starts 6 us after its call, takes 20 us and its
     * call returns 4 us later, at 30 in place of 120. */
    {.name = "blocking copy, pinned",
     .rows = {{CALLED(0, 120, CALL_COPY, NO_SYNC), PAGEABLE_IN, 1, 10, 110},
              {LAUNCH(121, 126), 1, 128, 228},
              {CALLED(127, 233, CALL_SYNC, ALL)}},
     .round = 240,
     .edit = "pinned",
     .edited = 150,
     .last = 143},
    /* An allocation waits for the kernel and takes 43 us more. Without it the stream has a kernel every 101 us. */
    {.name = "allocation that waits",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 150, CALL_ALLOC, NO_SYNC)}},
     .round = 160,
     .edit = "allocations",
     .edited = 101,
     .last = 107},
    /* The same, kernels of half the time: the allocation waits for the kernel until 57 and returns at 100. */
    {.name = "allocation that waits for a shorter kernel",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 150, CALL_ALLOC, NO_SYNC)}},
     .round = 160,
     .edit = "bounds",
     .edited = 110,
     .last = 100},
    /* Stream 2 had work before it was told to wait: its second kernel alone waits for stream 1. Without the wait it
     * begins 1 us after its first, at 58; the synchronisation returns at 158 + 5, the next round begins 6.5 us later. */
    {.name = "event behind earlier work",
     .rows = {{LAUNCH(0, 5), 2, 7, 57},
              {LAUNCH(6, 11), 1, 13, 113},
              {CALLED(12, 13, CALL_STREAM, TOLD_2)},
              {LAUNCH(14, 19), 2, 114.5, 214.5},
              {CALLED(20, 219.5, CALL_SYNC, ALL)}},
     .round = 226,
     .edit = "events",
     .edited = 169.5,
     .last = 163},
    /* Copies of two streams on one engine. Issued ahead they follow each other every 51 us, two a round. */
    {.name = "one engine, no waits",
     .rows = {{CALLED(0, 5, CALL_COPY, NO_SYNC), IN, 1, 7, 57},
              {CALLED(6, 11, CALL_COPY, NO_SYNC), IN, 2, 58, 108},
              {CALLED(12, 113, CALL_SYNC, ALL)}},
     .round = 120,
     .edit = "waits",
     .edited = 102,
     .last = 113},
    /* Two threads in turn: each begins 188 us after the other's synchronisation has returned. If that returns after 1
     * us, at 7, the other begins at 195, and the next round 188 us after its own has returned at 202. */
    {.name = "two threads in turn, no waits",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {CALLED(6, 112, CALL_SYNC, STREAM_1)},
              {LAUNCH(300, 305), 2, 307, 407, 1},
              {CALLED(306, 412, CALL_SYNC, STREAM_2), .thread = 1}},
     .round = 600,
     .edit = "waits",
     .edited = 390,
     .last = 307}, /* the last synchronisation waits: 195 + 7 + 100, and 5 */
    /* Launches of 10 us. At a tenth of that a kernel starts 3 us after its call began; the host comes round every 3
     * us, and the stream, 1 us after a kernel of 3 us, every 4. The first call stays, which is 9 us. */
    {.name = "launches",
     .rows = {{LAUNCH(0, 10), 1, 12, 15}},
     .round = 12,
     .edit = "launches",
     .edited = 4,
     .last = 6 + 9},
    /* Between the calls the host works for 80 us; a fiftieth of that is left: 1 + 0.02 us from the first call's return
     * to the second, and 80 from its return at 112. */
    {.name = "gaps",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 112, CALL_SYNC, ALL)}},
     .round = 192,
     .edit = "gaps",
     .edited = 113.6,
     .last = 112},
    /* The set of 20 us and its call go: the launch begins 1 us after the round, its kernel 7 us later. */
    {.name = "sets",
     .rows = {{CALLED(0, 5, CALL_SET, NO_SYNC), SET, 1, 7, 27},
              {LAUNCH(6, 11), 1, 28, 128},
              {CALLED(12, 133, CALL_SYNC, ALL)}},
     .round = 140,
     .edit = "sets",
     .edited = 120,
     .last = 113},
    /* Two small copies of 20 us each. The second is part of the first, 1 us longer at 50 bytes/ns, and has no call: the
     * synchronisation begins at 7 and returns 5 us after 28; the next round begins 7 us later. A copy before a
     * synchronisation is no part of one after it. */
    {.name = "merged copies",
     .rows = {{CALLED(0, 5, CALL_COPY, NO_SYNC), IN, 1, 7, 27, .bytes = 50000},
              {CALLED(6, 11, CALL_COPY, NO_SYNC), IN, 1, 28, 48, .bytes = 50000},
              {CALLED(12, 53, CALL_SYNC, ALL)}},
     .round = 60,
     .edit = "merged",
     .edited = 40,
     .last = 33},
    /* 33 blocks on 132 multiprocessors: 25 us in place of 100. */
    {.name = "multiprocessors",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 112, CALL_SYNC, ALL)}},
     .round = 120,
     .grid = 33,
     .edit = "multiprocessors",
     .edited = 45,
     .last = 37},
    /* A collective waits for other devices: more blocks would not help it. */
    {.name = "a collective on few multiprocessors",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 112, CALL_SYNC, ALL)}},
     .round = 120,
     .grid = 33,
     .kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
     .edit = "multiprocessors",
     .edited = 120,
     .last = 112},
    /* Half of each kernel's time (replay_set_bounds below). */
    {.name = "bounds",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 112, CALL_SYNC, ALL)}},
     .round = 120,
     .edit = "bounds",
     .edited = 70,
     .last = 62},
    /* Copy in 50, kernel 100, copy out 50 in one stream, issued ahead: 203 us a round. With two buffers the kernels
     * follow each other every 101 us; before the first there is a copy in, after the last a copy out. */
    {.name = "copies beside kernels",
     .rows = {{CALLED(0, 5, CALL_COPY, NO_SYNC), IN, 1, 0, 50},
              {LAUNCH(6, 11), 1, 51, 151},
              {CALLED(12, 17, CALL_COPY, NO_SYNC), OUT, 1, 152, 202}},
     .round = 18,
     .queued = 203,
     .edit = "beside",
     .edited = 101,
     .last = 202 + 7},
    /* A graph of two nodes in each round; the second follows the first 1 us later. The launch is the first call after
     * a wait, and a graph already: nothing is gained. */
    {.name = "graph",
     .rows = {{LAUNCH(0, 5), 1, 15, 65, .graph = 7}, {CALLED(6, 121, CALL_SYNC, ALL)}},
     .round = 130,
     .edit = "launches",
     .edited = 130,
     .last = 121},
    /* Three launches and a wait: the first stays, the others return after 0.5 us, at 6.5 and 8. The kernels of 1 us
     * start at 7, 9 and 11, 1 us after each other; the wait returns 5 us after 12, the next round begins 4 us later. */
    {.name = "launches between waits",
     .rows = {{LAUNCH(0, 5), 1, 7, 8},
              {LAUNCH(6, 11), 1, 13, 14},
              {LAUNCH(12, 17), 1, 19, 20},
              {CALLED(18, 25, CALL_SYNC, ALL)}},
     .round = 29,
     .edit = "launches",
     .edited = 21,
     .last = 17},
    /* The call that makes an event goes: the launch begins 2 us after the round. */
    {.name = "calls aside",
     .rows = {{CALLED(0, 20, CALL_OTHER, NO_SYNC)},
              {LAUNCH(21, 26), 1, 28, 128},
              {CALLED(27, 133, CALL_SYNC, ALL)}},
     .round = 140,
     .edit = "calls",
     .edited = 120,
     .last = 113},
};

static uint32_t string(struct session *session, const char *text)
{
    return session_add_string(session, text, strlen(text));
}

static int64_t ns(double us)
{
    return (int64_t)(us * 1000);
}

static void add_work(struct session *session, const struct made *made, const struct row *row, double at,
                     double work_at, double late)
{
    struct track_row stream = {.kind = TRACK_STREAM,
                               .context = 1,
                               .stream = 10 + row->stream,
                               .thread = NONE,
                               .flags = row->stream == 0 ? STREAM_DEFAULT : 0};
    struct item item = {.kind = row->work == KERNEL ? ITEM_LAUNCH : row->work == SET ? ITEM_SET : ITEM_COPY};
    /* All three have the call at the same place. */
    item.launch.call_start_ns = ns(at + row->start);
    item.launch.call_duration_ns = (uint32_t)ns(row->end - row->start);
    item.launch.call_thread = 100 + row->thread;
    if (row->work == KERNEL) {
        struct shape_row shape = {.name = string(session, made->kernel ? made->kernel : "kernel"),
                                  .grid = {made->grid ? made->grid : 1, 1, 1},
                                  .block = {256, 1, 1}};
        item.launch.kernel = session_add_kernel(session, 0, session_add_shape(session, &shape), 0);
        item.launch.graph = row->graph;
    } else if (row->work == SET) {
        item.set.size_bytes = BYTES;
    } else {
        uint8_t host = row->work == PAGEABLE_IN ? MEMORY_PAGEABLE : MEMORY_PINNED;
        bool out = row->work == OUT || row->work == SMALL_OUT;
        item.a = out ? COPY_DTOH : COPY_HTOD;
        item.b = out ? (uint8_t)(MEMORY_DEVICE | host << 4) : (uint8_t)(host | MEMORY_DEVICE << 4);
        item.flags = row->work == PAGEABLE_IN || row->work == SMALL_OUT ? 0 : ITEM_ASYNC;
        item.copy.size_bytes = row->work == SMALL_OUT ? 4 : row->bytes ? row->bytes : BYTES;
    }
    uint32_t track = session_add_track(session, &stream);
    cr_assert(session_add_event(session, track, ns(work_at + row->work_start + late),
                                ns(work_at + row->work_end + late), &item));
    if (row->graph)
        cr_assert(session_add_event(session, track, ns(work_at + row->work_end + late + 1),
                                    ns(work_at + 2 * row->work_end - row->work_start + late + 1), &item));
}

static void add_row(struct session *session, const struct made *made, const struct row *row, int round,
                    double late)
{
    double at = round * made->round, work_at = at;
    if (made->queued > 0) /* the first starts when it is issued, the others 1 us after the one before */
        work_at = 7 + round * made->queued;
    struct track_row calls = {.kind = TRACK_CALLS, .device = NONE, .thread = 100 + row->thread};
    struct item item = {.kind = ITEM_CALL, .b = (uint8_t)row->category};
    item.call.name = string(session, row->category == CALL_SYNC    ? "cuSomeSync"
                                     : row->category == CALL_OTHER ? "cuEventCreate"
                                                                   : "cuSomeCall");
    cr_assert(session_add_event(session, session_add_track(session, &calls), ns(at + row->start),
                                ns(at + row->end), &item));
    if (row->work != NOTHING)
        add_work(session, made, row, at, work_at, late);
    if (row->sync == NO_SYNC)
        return;
    struct track_row syncs = {.kind = TRACK_SYNCS, .device = NONE, .thread = 100 + row->thread};
    struct item sync = {.kind = ITEM_SYNC,
                        .a = row->sync == ALL      ? SYNC_CONTEXT
                             : row->sync == TOLD_2 ? SYNC_STREAM_WAIT_EVENT
                                                   : SYNC_STREAM};
    sync.sync.context = 1;
    sync.sync.stream = row->sync == STREAM_1 ? 11 : 12;
    sync.sync.thread = 100 + row->thread;
    cr_assert(session_add_event(session, session_add_track(session, &syncs), ns(at + row->start),
                                ns(at + row->end), &sync));
}

static struct session *empty_session(void)
{
    struct session *session;
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    session_add_process(session, &(struct process_row){.rank = -1, .end_ns = INT64_MIN});
    session_add_device(session,
                       &(struct device_row){.info = {.compute_capability = 90, .multiprocessors = 132}});
    session_add_run(session,
                    &(struct run_row){.start_ns = INT64_MIN / 4, .end_ns = INT64_MIN, .verified = -1});
    return session;
}

/* late: from the middle on, operations start so much later than before. */
static struct session *make_session(const struct made *made, double late)
{
    struct session *session = empty_session();
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 6 && made->rows[i].end > 0; i++)
            add_row(session, made, &made->rows[i], round, round >= ROUNDS / 2 ? late : 0);
    return session;
}

static struct replay *open_replay(const struct session *session)
{
    struct replay *replay;
    struct error error = {0};
    cr_assert_eq(replay_open(&replay, session, 0, INT64_MIN, INT64_MAX, &error), STATUS_OK, "%s", error.text);
    return replay;
}

static const struct made *find_case(const char *name)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    cr_assert_fail("no case is called %s", name);
    return NULL;
}

Test(replay, takes_the_measured_time)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session *session = make_session(&cases[i], 0);
        struct replay *replay = open_replay(session);
        const struct replay_facts *facts = replay_facts(replay);
        double ratio = (double)facts->replayed_ns / (double)facts->measured_ns;
        cr_expect(fabs(ratio - 1) < 0.001, "%s: %.4f", cases[i].name, ratio);
        cr_expect(fabs(facts->error) < 0.001, "%s: error %.4f", cases[i].name, facts->error);
        cr_expect_eq(facts->why[0], '\0', "%s: %s", cases[i].name, facts->why);
        cr_expect_eq(facts->unexplained_ns, 0, "%s", cases[i].name);
        replay_close(replay);
        session_destroy(session);
    }
}

Test(replay, takes_the_time_of_an_edit_that_was_worked_out_by_hand)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct made *made = &cases[i];
        struct session *session = make_session(made, 0);
        struct replay *replay = open_replay(session);
        struct error error;
        cr_assert_eq(replay_set_bounds(replay, (const float[]){0.5F}, 1, &error), STATUS_OK);
        struct replay_change change = replay_as_measured;
        replay_edit_find(made->edit, strlen(made->edit))->apply(&change);
        double took = (double)replay_run(replay, &change) / 1000;
        double expected = (ROUNDS - 1) * made->edited + made->last;
        cr_expect(fabs(took - expected) < 0.005 * expected, "%s: %.1f us, by hand %.1f", made->name, took,
                  expected);
        replay_close(replay);
        session_destroy(session);
    }
}

/* From the words: four chunks of 12.5, 25 and 12.5 us. The kernels' chunks are the longest and follow each other: 100
 * us a round and a delay of 1 us for each. */
Test(replay, cuts_operations_into_chunks)
{
    struct session *session = make_session(find_case("copies beside kernels"), 0);
    struct replay *replay = open_replay(session);
    const struct replay_change change = {.launch = 1, .gap = 1, .allocate = 1, .load = 1, .chunks = 4};
    double took = (double)replay_run(replay, &change) / 1000;
    cr_expect(took > ROUNDS * 100 && took < ROUNDS * 106 + 50, "%.1f us", took);
    replay_close(replay);
    session_destroy(session);
}

/* The second half has delays that the first one does not have. */
Test(replay, claims_nothing_above_its_error)
{
    const struct made *made = find_case("launches");
    for (int late = 0; late < 2; late++) {
        struct session *session = make_session(made, late ? 15 : 0);
        struct replay *replay = open_replay(session);
        struct what_if result;
        what_if_make(replay, NULL, 0, &result);
        cr_expect_eq(result.facts.why[0] != '\0', late, "%s", result.facts.why);
        cr_expect_eq(result.count > 0, !late);
        cr_expect(late ? result.facts.error < -REPLAY_ERROR_MOST / 2 : fabs(result.facts.error) < 0.001);
        replay_close(replay);
        session_destroy(session);
    }
}

Test(replay, takes_the_best_edit_first_and_assumptions_last)
{
    struct session *session = make_session(find_case("event"), 0);
    struct replay *replay = open_replay(session);
    struct what_if result;
    what_if_make(replay, NULL, 0, &result);
    cr_assert_geq(result.count, 2);
    cr_expect_str_eq(result.steps[0].edit->id, "waits");
    bool assumed = false;
    for (size_t i = 0; i < result.count; i++) {
        const struct what_if_step *step = &result.steps[i];
        cr_expect(!assumed || step->assumed, "%s", step->edit->id);
        cr_expect((double)(step->before_ns - step->after_ns) >= 0.02 * (double)result.facts.measured_ns - 2,
                  "%s", step->edit->id);
        cr_expect(i == 0 || step->before_ns ==
                                (assumed ? result.steps[i - 1].before_ns : result.steps[i - 1].after_ns));
        assumed = step->assumed;
    }
    cr_expect(assumed, "the events' edit has no sign in a run whose kernels never overlap");
    replay_close(replay);
    session_destroy(session);
}

/* The first launch of a kernel loads its code for 30 ms, or the tracing has it wait for that long. */
Test(replay, tells_loading_from_launching_and_from_tracing)
{
    const struct made loading = {.rows = {{LAUNCH(0, 30000), 1, 30002, 30012}}};
    const struct made *made = find_case("launches");
    const int first = (int)(30100 / made->round) + 1;
    for (int traced = 0; traced < 2; traced++) {
        struct session *session = empty_session();
        const struct track_row overhead = {.kind = TRACK_OVERHEAD, .device = NONE, .thread = 100};
        const struct item waiting = {
            .kind = ITEM_OVERHEAD,
            .overhead = {.name = string(session, "the first launch waits for the sampler")}};
        if (traced)
            cr_assert(session_add_event(session, session_add_track(session, &overhead), ns(-5), ns(29990),
                                        &waiting));
        add_row(session, &loading, &loading.rows[0], 0, 0);
        for (int round = first; round < first + ROUNDS; round++)
            for (int i = 0; i < 6 && made->rows[i].end > 0; i++)
                add_row(session, made, &made->rows[i], round, 0);
        struct replay *replay = open_replay(session);
        struct what_if result;
        what_if_make(replay, NULL, 0, &result);
        double gained_us = 0; /* by the first edit */
        if (result.count > 0)
            gained_us = (double)(result.steps[0].before_ns - result.steps[0].after_ns) / 1000;
        cr_expect(gained_us < ROUNDS * made->round, "%s gains %.0f us", result.steps[0].edit->id, gained_us);
        cr_expect_eq(result.facts.set_up_ns, traced ? 0 : ns(30000)); /* before the loop */
        replay_close(replay);
        /* Steps that begin with the kernel of such a launch begin after its call. */
        cr_assert_eq(replay_open(&replay, session, 0, ns(30001), INT64_MAX, NULL), STATUS_OK);
        cr_expect(replay_facts(replay)->measured_ns < ns(ROUNDS * made->round + 100), "%lld us",
                  (long long)replay_facts(replay)->measured_ns / 1000);
        replay_close(replay);
        session_destroy(session);
    }
}

/* The first launch of a kernel of that name loads its code, that of another grid does not. */
Test(replay, takes_one_launch_of_a_name_for_loading)
{
    const struct made made[] = {{.rows = {{LAUNCH(0, 30000), 1, 30002, 30012}}, .round = 30100, .grid = 1},
                                {.rows = {{LAUNCH(0, 30000), 1, 30002, 30012}}, .round = 30100, .grid = 2},
                                {.rows = {{LAUNCH(0, 5), 1, 7, 17}}, .round = 30100, .grid = 1}};
    struct session *session = empty_session();
    for (int round = 0; round < ROUNDS; round++) {
        const struct made *of = &made[round < 2 ? round : 2];
        add_row(session, of, &of->rows[0], round, 0);
    }
    struct replay *replay = open_replay(session);
    cr_expect_eq(replay_facts(replay)->set_up_ns, ns(30000));
    cr_expect_eq(replay_facts(replay)->has & REPLAY_HAS_LOADING, 0);
    replay_close(replay);
    session_destroy(session);
}

/* Code that is loaded in every round is no set-up; a run of which loading is most, and little else, is nothing but it. */
Test(replay, tells_set_up_from_a_loop_that_loads)
{
    const struct made loads = {
        .rows = {{CALLED(0, 30000, CALL_MODULE, NO_SYNC)}, {LAUNCH(30001, 30006), 1, 30008, 30018}},
        .round = 30100};
    for (int rounds = 3; rounds <= ROUNDS; rounds += ROUNDS - 3) {
        struct session *session = empty_session();
        for (int round = 0; round < rounds; round++)
            for (int i = 0; i < 2; i++)
                add_row(session, &loads, &loads.rows[i], round, 0);
        struct replay *replay = open_replay(session);
        cr_expect_eq(replay_facts(replay)->set_up_ns, 0);
        cr_expect_eq(strstr(replay_facts(replay)->why, "is all set-up: code is loaded during 100 %") != NULL,
                     rounds < ROUNDS, "%s", replay_facts(replay)->why);
        replay_close(replay);
        session_destroy(session);
    }
}

/* The program joins its threads before it synchronises: that is no time of the loop. */
Test(replay, ends_the_loop_with_its_work)
{
    const struct made made = {.rows = {{LAUNCH(0, 5), 1, 7, 107}}, .round = 110};
    const struct row waits[] = {{CALLED(100, 112, CALL_SYNC, ALL)}, {CALLED(5000, 5010, CALL_SYNC, ALL)}};
    const double lasts[] = {112, 107}; /* since the last round began */
    for (int i = 0; i < 2; i++) {
        struct session *session = make_session(&made, 0);
        add_row(session, &made, &waits[i], ROUNDS - 1, 0);
        struct replay *replay = open_replay(session);
        cr_expect_eq(replay_facts(replay)->measured_ns, ns((ROUNDS - 1) * made.round + lasts[i]), "%d: %lld",
                     i, (long long)replay_facts(replay)->measured_ns);
        replay_close(replay);
        session_destroy(session);
    }
}

/* What launches graphs already is told to make them larger. */
Test(replay, does_not_tell_a_loop_of_graphs_to_capture_one)
{
    for (uint32_t graph = 0; graph < 2; graph++) {
        struct made made = *find_case("launches");
        for (int i = 0; i < 6; i++)
            made.rows[i].graph = graph;
        struct session *session = make_session(&made, 0);
        struct replay *replay = open_replay(session);
        const char *now =
            replay_edit_now(replay_edit_find("launches", strlen("launches")), replay_facts(replay));
        cr_expect_eq(strstr(now, "make the graphs larger") != NULL, graph == 1, "%s", now);
        cr_expect_eq(strstr(now, "capture the calls of a step") != NULL, graph == 0, "%s", now);
        replay_close(replay);
        session_destroy(session);
    }
}

Test(replay, puts_chosen_edits_on_top_of_each_other)
{
    struct session *session = make_session(find_case("sets"), 0);
    struct replay *replay = open_replay(session);
    const struct replay_edit *chosen[] = {replay_edit_find("gaps", 4), replay_edit_find("sets", 4)};
    struct what_if result;
    what_if_make(replay, chosen, 2, &result);
    cr_assert_eq(result.count, 2);
    cr_expect_eq(result.steps[0].edit, chosen[0]);
    cr_expect_eq(result.steps[1].edit, chosen[1]);
    cr_expect_lt(result.steps[1].after_ns, result.steps[0].after_ns);
    replay_close(replay);
    session_destroy(session);
}

Test(replay, needs_calls)
{
    struct session *session;
    struct replay *replay;
    struct error error;
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    cr_expect_eq(replay_open(&replay, session, NONE, INT64_MIN, INT64_MAX, &error), STATUS_STATE);
    session_add_process(session, &(struct process_row){.rank = -1, .end_ns = INT64_MIN});
    struct track_row stream = {.kind = TRACK_STREAM, .context = 1, .stream = 7, .thread = NONE};
    struct item item = {.kind = ITEM_SET};
    item.set.call_start_ns = INT64_MIN;
    cr_assert(session_add_event(session, session_add_track(session, &stream), 0, 10, &item));
    cr_expect_eq(replay_open(&replay, session, NONE, INT64_MIN, INT64_MAX, &error), STATUS_STATE);
    cr_expect(strstr(error.text, "no calls"), "%s", error.text);
    session_destroy(session);
}

/* Every edit has words, is found by its id, and changes something. */
Test(replay, has_a_table_of_edits)
{
    const struct replay_edit *edit;
    size_t count = 0;
    for (; (edit = replay_edit_at(count)); count++) {
        struct replay_change change = replay_as_measured;
        edit->apply(&change);
        cr_expect(memcmp(&change, &replay_as_measured, sizeof change) != 0, "%s", edit->id);
        cr_expect_eq(replay_edit_find(edit->id, strlen(edit->id)), edit);
        cr_expect(strlen(edit->title) > 10 && edit->assumes[strlen(edit->assumes) - 1] == '.', "%s",
                  edit->id);
        cr_expect(edit->changes != 0 && (edit->assumption || edit->sign == 0), "%s", edit->id);
    }
    cr_expect_geq(count, 12);
    cr_expect_eq(replay_edit_find("waitss", 6), NULL);
    cr_expect_eq(replay_edit_find("wait", 4), NULL);
}

/* The place that has most of a gain is named, and its edit is made there alone. */
Test(replay, names_the_place_of_an_edit)
{
    static const struct {
        const char *made, *edit, *where;
    } rows[] = {{"gaps", "gaps", "before cuSomeCall of kernel"},
                {"two streams, no waits", "waits", "cuSomeSync"},
                {"blocking copy, pinned", "pinned", "cuSomeCall to the device"},
                {"bounds", "bounds", "kernel"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct session *session = make_session(find_case(rows[i].made), 0);
        struct replay *replay = open_replay(session);
        struct what_if result;
        const struct what_if_step *found = NULL;
        if (strcmp(rows[i].edit, "bounds") == 0)
            cr_assert_eq(replay_set_bounds(replay, (const float[]){0.1F}, 1, NULL), STATUS_OK);
        what_if_make(replay, NULL, 0, &result);
        for (size_t k = 0; k < result.count && !found; k++)
            if (strcmp(result.steps[k].edit->id, rows[i].edit) == 0)
                found = &result.steps[k];
        cr_assert(found, "%s", rows[i].made);
        cr_expect(found->at_place && strcmp(found->where, rows[i].where) == 0, "%s: '%s'", rows[i].made,
                  found->where);
        cr_expect_eq(found->kernel != NONE, strcmp(rows[i].edit, "bounds") == 0);
        replay_close(replay);
        session_destroy(session);
    }
}

/* A chunk that waits for another one of its own operation does not hold it: the path comes to its begin. */
Test(replay, walks_the_path_of_chunks, .timeout = 30)
{
    struct session *session = make_session(find_case("copies beside kernels"), 0);
    struct replay *replay = open_replay(session);
    const struct replay_change change = {.launch = 1, .gap = 1, .allocate = 1, .load = 1, .chunks = 4};
    struct replay_weights weights;
    cr_assert_eq(replay_weigh(replay, &change, &weights, NULL), STATUS_OK);
    cr_expect_gt(weights.kernels[0], 0);
    replay_weights_fini(&weights);
    replay_close(replay);
    session_destroy(session);
}

/* Three kernels of one grid, 40, 20 and 60 us, and a copy, in a round: fused, the launch of the first at 7 us, the longest
 * takes 60 us, the copy 1 us later 20 us, and the round ends 5 us and a gap of 5 us after it. Kernels that are not at DRAM's
 * limit stay, and so does one kernel three times, which may be three steps. */
Test(replay, fuses_kernels_at_drams_limit)
{
    static const char *const names[] = {"scale", "add", "clip"};
    struct made made = {.rows = {{LAUNCH(0, 5), 1, 7, 47},
                                 {LAUNCH(6, 11), 1, 48, 68},
                                 {LAUNCH(12, 17), 1, 69, 129},
                                 {CALLED(18, 23, CALL_COPY, NO_SYNC), OUT, 1, 130, 150},
                                 {CALLED(24, 155, CALL_SYNC, ALL)}},
                        .round = 160,
                        .grid = 4096};
    for (int kind = 0; kind < 3; kind++) { /* at DRAM's limit; not; one kernel */
        struct session *session = empty_session();
        for (int round = 0; round < ROUNDS; round++)
            for (int i = 0; i < 5; i++) {
                made.kernel = kind == 2 || i > 2 ? names[0] : names[i];
                add_row(session, &made, &made.rows[i], round, 0);
            }
        struct replay *replay = open_replay(session);
        const uint8_t at_dram = kind != 1, kernels[] = {at_dram, at_dram, at_dram};
        struct replay_change change = replay_as_measured;
        replay_set_at_dram(replay, kernels, 3);
        cr_expect_eq((replay_facts(replay)->has & REPLAY_HAS_FUSIBLE) != 0, kind == 0);
        const double measured_us = (double)replay_run(replay, &change) / 1000;
        change.fused = true;
        const double saved_us = measured_us - (double)replay_run(replay, &change) / 1000;
        cr_expect(fabs(saved_us - (kind == 0 ? ROUNDS * 62.0 : 0)) < ROUNDS * 0.2, "%d: %g us", kind,
                  saved_us / ROUNDS);
        replay_close(replay);
        session_destroy(session);
    }
}

/* Of a round of 160 us a kernel that converts takes 40 us, and its launch 5 with a gap of 1. */
Test(replay, leaves_out_kernels_that_convert)
{
    struct made made = {
        .rows = {{LAUNCH(0, 5), 1, 7, 47}, {LAUNCH(6, 11), 1, 48, 108}, {CALLED(12, 113, CALL_SYNC, ALL)}},
        .round = 120};
    static const struct {
        const char *name;
        bool is;
    } names[] = {
        {"to_half(float const*, __half*)", true}, {"wrapped_convert", true}, {"broadcast_add", false}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct session *session = empty_session();
        for (int round = 0; round < ROUNDS; round++)
            for (int i = 0; i < 3; i++) {
                made.kernel = i == 0 ? names[k].name : "product";
                add_row(session, &made, &made.rows[i], round, 0);
            }
        struct replay *replay = open_replay(session);
        struct replay_change change = replay_as_measured;
        cr_expect_eq((replay_facts(replay)->has & REPLAY_HAS_CASTS) != 0, names[k].is, "%s", names[k].name);
        const double measured_us = (double)replay_run(replay, &change) / 1000;
        change.no_casts = true;
        const double saved_us = measured_us - (double)replay_run(replay, &change) / 1000;
        cr_expect(fabs(saved_us - (names[k].is ? ROUNDS * 40.0 : 0)) < ROUNDS * 1.0, "%s: %g us",
                  names[k].name, saved_us / ROUNDS);
        replay_close(replay);
        session_destroy(session);
    }
}

/* Two threads, each with a stream: one holds a lock from its launch to its synchronisation, so that the other's launch
 * begins 1 us after the first one's synchronisation has ended. Without the lock both kernels run at once. */
Test(replay, lets_threads_go_without_turns)
{
    const struct made made = {
        .rows = {{.start = 0,
                  .end = 5,
                  .category = CALL_LAUNCH,
                  .work = KERNEL,
                  .stream = 1,
                  .work_start = 7,
                  .work_end = 307},
                 {.start = 6, .end = 315, .category = CALL_SYNC, .sync = STREAM_1},
                 {.start = 316,
                  .end = 321,
                  .category = CALL_LAUNCH,
                  .work = KERNEL,
                  .stream = 2,
                  .work_start = 323,
                  .work_end = 623,
                  .thread = 1},
                 {.start = 322, .end = 631, .category = CALL_SYNC, .sync = STREAM_2, .thread = 1}},
        .round = 632};
    struct session *session = make_session(&made, 0);
    struct replay *replay = open_replay(session);
    struct replay_change change = replay_as_measured;
    cr_expect((replay_facts(replay)->has & REPLAY_HAS_HANDS) != 0);
    const double measured_us = (double)replay_run(replay, &change) / 1000;
    cr_expect(fabs(measured_us - ROUNDS * 632.0) < ROUNDS * 5.0, "%g us", measured_us);
    change.no_hands = true;
    const double left_us = (double)replay_run(replay, &change) / 1000;
    /* The second thread begins when it did: after the first one's first turn. */
    cr_expect(fabs(left_us - 316 * (ROUNDS + 1)) < 8 * ROUNDS, "%g us", left_us);
    replay_close(replay);
    session_destroy(session);
}
