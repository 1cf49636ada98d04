/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events leave memory under a limit, a recorder writes them, and come back for whoever looks at old ranges,
 * while others read everything. Meant for the sanitizers; in any build it checks that what came back is what
 * was added.
 */
#include "core/recording/readback/readback.h"
#include "core/recording/recording.h"
#include "core/session/lod.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EVENTS 60000
#define STREAMS 3u
#define READERS 2
#define LIMIT 900000
#define BACK 300000
#define SPACE_NS INT64_C(10)

static struct session *session;
static struct recorder *recorder;
static _Atomic bool done;
static _Atomic int failures;

static void fail(const char *what)
{
    fprintf(stderr, "tsan_readback: %s\n", what);
    atomic_fetch_add(&failures, 1);
}

static void *read_all(void *unused)
{
    (void)unused;
    while (!atomic_load(&done)) {
        unsigned hold = session_hold(session);
        for (uint32_t track = 0; track < session_track_count(session); track++) {
            uint64_t count = session_lane_count_events(session, track, 0);
            for (uint64_t i = 0; i < count; i += 1 + i % 37) {
                struct item item = session_event_item(session, (struct event_ref){track, 0, i});
                if (item.kind != ITEM_LAUNCH || item.launch.kernel >= EVENTS)
                    fail("an event is not whole");
            }
        }
        session_let_go(session, hold);
    }
    return NULL;
}

/* Only what is recorded may leave. */
static void wait_for_recorder(void)
{
    struct recorder_state state = {.lag_rows = 1};
    while (state.lag_rows > 0 && !state.failed) {
        usleep(1000);
        recorder_state(recorder, &state);
    }
}

static void *write_all(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < EVENTS; i++) {
        struct track_row track = {
            .kind = TRACK_STREAM, .stream = i % STREAMS, .thread = NONE, .process = NONE, .device = NONE};
        struct item item = {.kind = ITEM_LAUNCH, .launch = {.kernel = i, .call_start_ns = INT64_MIN}};
        int64_t end_ns = (int64_t)(i + 1) * SPACE_NS;
        session_add_event(session, session_add_track(session, &track), end_ns - 7, end_ns, &item);
        if (i % 20000 == 19999)
            wait_for_recorder();
    }
    atomic_store(&done, true);
    return NULL;
}

/* Event n of a track is the n-th of every STREAMS-th. */
static uint64_t look(struct readback *readback, int64_t from_ns, int64_t to_ns)
{
    struct readback_range range = {.clock = CLOCK_WALL, .start_ns = from_ns, .end_ns = to_ns};
    struct readback_state state;
    uint64_t back = 0;
    unsigned hold = session_hold(session);
    readback_look(readback, &range);
    readback_state(readback, &state);
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        struct event_ref ref = {track, 0, session_lane_find(session, track, 0, from_ns)};
        for (; ref.index < session_lane_count_events(session, track, 0); ref.index++) {
            int64_t start_ns, end_ns;
            struct item item;
            session_event(session, ref, &start_ns, &end_ns, &item);
            if (start_ns >= to_ns)
                break;
            if (item.flags & ITEM_FOLDED)
                continue;
            if (item.launch.kernel != ref.index * STREAMS + track ||
                end_ns != (int64_t)(item.launch.kernel + 1) * SPACE_NS || start_ns != end_ns - 7)
                fail("an event is another one");
            back++;
        }
    }
    session_let_go(session, hold);
    if (state.kind == READBACK_FAILED)
        fail(state.error.text);
    return back;
}

int main(void)
{
    char path[64];
    struct error error = {0};
    struct recorder_options options = {.overwrite = true};
    struct readback *readback;
    pthread_t readers[READERS], writer;
    uint64_t back = 0, state = 7;
    snprintf(path, sizeof path, "/tmp/lanescope-readback-%ld.lsr", (long)getpid());
    if (session_create(&session, 0, &error) != STATUS_OK ||
        recorder_start(&recorder, session, path, &options, &error) != STATUS_OK) {
        fail(error.text);
        return EXIT_FAILURE;
    }
    session_set_memory_limit(session, LIMIT, true);
    if (readback_start(&readback, session, path, BACK, &error) != STATUS_OK)
        return EXIT_FAILURE;
    for (int i = 0; i < READERS; i++)
        if (pthread_create(&readers[i], NULL, read_all, NULL) != 0)
            return EXIT_FAILURE;
    if (pthread_create(&writer, NULL, write_all, NULL) != 0)
        return EXIT_FAILURE;
    for (int range = 0; !atomic_load(&done) || range < 20; range++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        int64_t from_ns = (int64_t)((state >> 33) % EVENTS) * SPACE_NS * 3 / 4;
        for (int frame = 0; frame < 5; frame++) {
            look(readback, from_ns, from_ns + 400 * SPACE_NS);
            usleep(500);
        }
        readback_wait(readback);
        back += look(readback, from_ns, from_ns + 400 * SPACE_NS);
    }
    pthread_join(writer, NULL);
    look(readback, 0, 400 * SPACE_NS);
    readback_wait(readback);
    back += look(readback, 0, 400 * SPACE_NS);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    if (session_folded_until_ns(session, CLOCK_WALL) == INT64_MIN)
        fail("nothing has left memory");
    if (back == 0)
        fail("nothing came back");
    readback_stop(readback);
    if (recorder_stop(recorder, &error) != STATUS_OK)
        fail(error.text);
    session_destroy(session);
    unlink(path);
    return atomic_load(&failures) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
