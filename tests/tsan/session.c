/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One writer fills a session, and the screen its bookmarks, while readers ask it everything: what they see
 * must be whole. Meant for the thread sanitizer; in any build it checks that published events are in order
 * and that snapshots of open launches are never torn.
 */
#include "core/session/session.h"
#include "core/session/lod.h"
#include "core/session/samples.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 150000
#define READERS 3

static struct session *session;
static _Atomic bool done;
static _Atomic int failures;

static void fail(const char *what)
{
    fprintf(stderr, "tsan_session: %s\n", what);
    atomic_fetch_add(&failures, 1);
}

static void read_lane(uint32_t track, uint32_t lane)
{
    uint64_t count = session_lane_count_events(session, track, lane);
    int64_t last_ns = INT64_MIN;
    for (uint64_t i = count > 500 ? count - 500 : 0; i < count; i++) {
        struct event_ref ref = {.track = track, .lane = lane, .index = i};
        int64_t start_ns = session_event_start_ns(session, ref), end_ns = session_event_end_ns(session, ref);
        struct item item = session_event_item(session, ref);
        if (start_ns < last_ns || end_ns < start_ns)
            fail("events of a lane overlap");
        last_ns = end_ns;
        if (item.kind == ITEM_LAUNCH) {
            const struct kernel_row *kernel = session_kernel(session, item.launch.kernel);
            const struct shape_row *shape = kernel == NULL ? NULL : session_shape(session, kernel->shape);
            if (shape == NULL || strncmp(session_string(session, shape->name), "kernel ", 7) != 0)
                fail("an event names a kernel that is not there");
        }
    }
    struct lod_column columns[50];
    int64_t now_ns = session_now_ns(session, CLOCK_WALL);
    lod_query(session, track, lane, -1000, EVENTS * 10 + 1000, columns, 50);
    uint64_t seen = 0;
    for (size_t i = 0; i < 50; i++)
        seen += columns[i].count;
    if (seen < count || seen > session_lane_count_events(session, track, lane))
        fail("columns do not hold what is published");
    session_lane_find(session, track, lane, now_ns / 2);
}

/* Sample i of a sampling lies at 10 i and is i, 10 long; every number of it is the same. */
static void read_samples(void)
{
    for (uint32_t series = 0; series < session_series_count(session); series++) {
        const struct series_row *row = session_series(session, series);
        uint64_t count = sample_count(session, row->sampling), edges[33];
        struct sample_column columns[32];
        if (sampling_at(session, row->sampling) == NULL)
            continue; /* its sampling is published after it */
        for (uint64_t i = count > 100 ? count - 100 : 0; i < count; i++)
            if (sample_start_ns(session, row->sampling, i) != (int64_t)i * 10 ||
                sample_number(session, series, i) != (float)i)
                fail("a sample is not whole");
        int64_t end_ns = (int64_t)count * 10;
        samples_cut(session, row->sampling, 0, end_ns, edges, 32);
        samples_columns(session, series, 0, end_ns, edges, columns, 32);
        int64_t covered_ns = 0;
        for (size_t k = 0; k < 32; k++)
            covered_ns += columns[k].covered_ns;
        if (covered_ns != end_ns)
            fail("columns do not hold the samples that are published");
    }
}

static void add_sample(uint32_t i)
{
    uint32_t names[3] = {0, 0, 0};
    struct sampling_row row = {.series = 3, .device = NONE};
    if (i % 50000 == 0)
        sampling_add(session, &row, names);
    uint32_t sampling = sampling_count(session) - 1;
    int64_t at = (int64_t)sample_count(session, sampling);
    const float numbers[3] = {(float)at, (float)at, (float)at};
    sample_add(session, sampling, at * 10, 10, numbers);
}

/* The screen's thread: bookmarks are not the writer's. */
static void add_bookmark(void)
{
    struct bookmark_row row = {.time_ns = session_bookmark_count(session)};
    snprintf(row.text, sizeof row.text, "%lld", (long long)row.time_ns);
    session_add_bookmark(session, &row);
}

static void read_bookmarks(void)
{
    uint32_t count = session_bookmark_count(session);
    for (uint32_t i = 0; i < count; i++) {
        const struct bookmark_row *row = session_bookmark(session, i);
        if (row->time_ns != i || strtoll(row->text, NULL, 10) != i)
            fail("a bookmark is not whole");
    }
}

/* adds: one of the readers is the screen's thread. */
static void *read_all(void *adds)
{
    struct open_launch open[100];
    while (!atomic_load(&done)) {
        if (adds != NULL)
            add_bookmark();
        read_bookmarks();
        read_samples();
        for (uint32_t track = 0; track < session_track_count(session); track++) {
            uint32_t lanes =
                atomic_load_explicit(&session_track(session, track)->lane_count, memory_order_acquire);
            for (uint32_t lane = 0; lane < lanes; lane++)
                read_lane(track, lane);
        }
        size_t count = session_open_launches(session, open, 100);
        for (size_t i = 1; i < count; i++)
            if (open[i].thread != open[0].thread ||
                open[i].call_start_ns != open[0].call_start_ns + (int64_t)i)
                fail("a snapshot of open launches is torn");
        for (uint32_t i = 0; i < session_kernel_count(session); i++) {
            const struct kernel_row *kernel = session_kernel(session, i);
            if (atomic_load_explicit(&kernel->launches, memory_order_relaxed) > EVENTS)
                fail("a kernel has more launches than there are");
        }
        struct session_lost lost;
        session_lost(session, &lost);
        if (session_memory_bytes(session) == 0 || session_event_count(session) > EVENTS)
            fail("a count makes no sense");
    }
    return NULL;
}

static void write_all(void)
{
    char name[32];
    struct open_launch open[80];
    for (uint32_t i = 0; i < EVENTS; i++) {
        int64_t end_ns = (int64_t)i * 10 + 10;
        add_sample(i);
        struct track_row track = {.kind = TRACK_STREAM, .stream = i % 5, .thread = NONE};
        snprintf(name, sizeof name, "kernel %u", i / 1000);
        struct shape_row shape = {.name = session_add_string(session, name, strlen(name)),
                                  .grid = {i / 500, 1, 1}};
        struct item item = {.kind = i % 4 == 0 ? ITEM_COPY : ITEM_LAUNCH};
        if (item.kind == ITEM_LAUNCH)
            item.launch.kernel = session_add_kernel(session, 0, session_add_shape(session, &shape), 0);
        session_add_event(session, session_add_track(session, &track), end_ns - (i % 7) * 20, end_ns, &item);
        if (i % 50 == 0) {
            size_t count = i / 50 % 80;
            for (size_t n = 0; n < count; n++)
                open[n] = (struct open_launch){.thread = i, .call_start_ns = (int64_t)i + (int64_t)n};
            session_set_open_launches(session, 0, open, count);
        }
    }
}

int main(void)
{
    struct error error;
    pthread_t readers[READERS];
    if (session_create(&session, 0, &error) != STATUS_OK) {
        fail(error.text);
        return EXIT_FAILURE;
    }
    int started = 0;
    while (started < READERS &&
           pthread_create(&readers[started], NULL, read_all, started == 0 ? &done : NULL) == 0)
        started++;
    write_all();
    atomic_store(&done, true);
    for (int i = 0; i < started; i++)
        pthread_join(readers[i], NULL);
    if (started < READERS || session_event_count(session) != EVENTS)
        fail("not all was written, or read");
    session_destroy(session);
    return atomic_load(&failures) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
