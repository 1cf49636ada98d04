/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events and samples leave memory under a limit while readers are in them: what readers hold stays, sums
 * stay. Meant for the sanitizers; in any build it checks that lanes and samples stay in order and that
 * columns hold what is published.
 */
#include "core/session/lod.h"
#include "core/session/samples.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define EVENTS 120000
#define STREAMS 5u
#define READERS 3
#define LIMIT 1000000
#define WAIT_EVERY 5000 /* events: how often the writer waits for the recorder */

static struct session *session;
static _Atomic bool done;
static _Atomic int failures;
static _Atomic unsigned passes; /* of the recorder over everything */

static void fail(const char *what)
{
    fprintf(stderr, "tsan_fold: %s\n", what);
    atomic_fetch_add(&failures, 1);
}

static void read_lane(uint32_t track, uint32_t lane)
{
    struct lod_column columns[40];
    uint64_t count = session_lane_count_events(session, track, lane), seen = 0;
    int64_t last_ns = INT64_MIN;
    lod_query(session, track, lane, -1000, EVENTS * INT64_C(10) + 1000, columns, 40);
    for (size_t i = 0; i < 40; i++)
        seen += columns[i].count;
    if (seen < count || seen > session_lane_count_events(session, track, lane))
        fail("columns do not hold what is published");
    for (uint64_t i = 0; i < count; i += 1 + i % 37) { /* old ones and new ones */
        struct event_ref ref = {.track = track, .lane = lane, .index = i};
        int64_t start_ns = session_event_start_ns(session, ref);
        struct item item = session_event_item(session, ref);
        if (start_ns < last_ns || item.kind != ITEM_LAUNCH || item.launch.kernel >= EVENTS)
            fail("an event is not whole");
        last_ns = start_ns;
    }
}

#define SAMPLE_NS 10
#define GAP_EVERY 1000 /* samples: before one of so many half of one is missing */

static int64_t sample_at(uint64_t index)
{
    return (int64_t)index * SAMPLE_NS + (int64_t)(index / GAP_EVERY) * SAMPLE_NS / 2;
}

/* All numbers are the same, so that any sum of them is known. */
static void read_samples(void)
{
    struct sample_column columns[40];
    uint64_t count = sample_count(session, 0), edges[41];
    int64_t covered_ns = 0, last_ns = INT64_MIN;
    if (count == 0)
        return;
    int64_t end_ns = sample_end_ns(session, 0, count - 1);
    samples_cut(session, 0, 0, end_ns, edges, 40);
    samples_columns(session, 1, 0, end_ns, edges, columns, 40);
    for (size_t k = 0; k < 40; k++) {
        covered_ns += columns[k].covered_ns;
        if (columns[k].covered_ns > 0 && (columns[k].least != 7 || columns[k].most != 7))
            fail("a column is not what was sampled");
    }
    if (covered_ns != (int64_t)count * SAMPLE_NS)
        fail("columns do not hold the samples that are published");
    for (uint64_t i = 0; i < count; i += 1 + i % 37) {
        struct sample_span span = sample_span(session, 0, i);
        if (sample_start_ns(session, 0, i) < last_ns || sample_number(session, 1, i) != 7 ||
            span.start_ns != sample_at(span.first) ||
            span.end_ns != sample_at(span.first + span.count - 1) + SAMPLE_NS)
            fail("a sample is not whole");
        last_ns = sample_end_ns(session, 0, i);
    }
}

static void *read_all(void *unused)
{
    (void)unused;
    while (!atomic_load(&done)) {
        unsigned hold = session_hold(session);
        for (uint32_t track = 0; track < session_track_count(session); track++) {
            uint32_t lanes =
                atomic_load_explicit(&session_track(session, track)->lane_count, memory_order_acquire);
            for (uint32_t lane = 0; lane < lanes; lane++)
                read_lane(track, lane);
        }
        read_samples();
        session_let_go(session, hold);
    }
    return NULL;
}

/* Says, as a recorder does, that what there is has been written. */
static void *record(void *unused)
{
    (void)unused;
    while (!atomic_load(&done)) {
        for (uint32_t track = 0; track < session_track_count(session); track++)
            session_set_recorded(session, track, 0, session_lane_count_events(session, track, 0));
        session_set_samples_recorded(session, 0, sample_count(session, 0));
        atomic_fetch_add(&passes, 1);
    }
    return NULL;
}

/* Only what was recorded leaves memory: without this the writer may be done before the recorder had a turn.
 * Two passes: the first may have begun earlier. */
static void wait_for_recorder(void)
{
    for (unsigned before = atomic_load(&passes); atomic_load(&passes) - before < 2;)
        sched_yield();
}

static void write_all(void)
{
    const float numbers[2] = {3, 7};
    for (uint32_t i = 0; i < EVENTS; i++) {
        struct track_row track = {.kind = TRACK_STREAM, .stream = i % STREAMS, .thread = NONE};
        struct item item = {.kind = ITEM_LAUNCH, .launch.kernel = i};
        int64_t end_ns = (int64_t)i * 10 + 10;
        session_add_event(session, session_add_track(session, &track), end_ns - 7, end_ns, &item);
        sample_add(session, 0, sample_at(i), SAMPLE_NS, numbers);
        if (i % WAIT_EVERY == 0)
            wait_for_recorder();
    }
}

int main(void)
{
    struct error error;
    pthread_t readers[READERS], recorder;
    if (session_create(&session, 0, &error) != STATUS_OK) {
        fail(error.text);
        return EXIT_FAILURE;
    }
    session_set_memory_limit(session, LIMIT, true);
    const uint32_t names[2] = {0, 0};
    if (sampling_add(session, &(struct sampling_row){.series = 2, .device = NONE}, names) == NONE)
        fail("no memory");
    for (int i = 0; i < READERS; i++)
        if (pthread_create(&readers[i], NULL, read_all, NULL) != 0)
            return EXIT_FAILURE;
    if (pthread_create(&recorder, NULL, record, NULL) != 0)
        return EXIT_FAILURE;
    write_all();
    atomic_store(&done, true);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    pthread_join(recorder, NULL);
    if (session_folded_until_ns(session, CLOCK_WALL) == INT64_MIN)
        fail("no event has left memory");
    if (session_samples_folded_until_ns(session, CLOCK_WALL) == INT64_MIN)
        fail("no sample has left memory");
    if (session_event_count(session) != EVENTS)
        fail("not all was written");
    session_destroy(session);
    return atomic_load(&failures) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
