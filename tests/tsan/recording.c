/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session's writer, its recorder and a follower of the recording, each on its thread.
 */
#include "core/recording/recording.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char path[] = "/tmp/lanescope-tsan-XXXXXX/a.lsr";

static void must(enum status status, const struct error *error)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

/* Ends when the recording does; returns how many events it saw. */
static void *follow(void *argument)
{
    uint64_t *events = argument;
    struct loader *loader;
    struct session *session;
    struct error error = {0};
    bool done = false;
    must(loader_open(&loader, &session, path, &error), &error);
    while (!done || loader_growing(loader)) {
        must(loader_step(loader, 500, &done, &error), &error);
        usleep(10000);
    }
    *events = session_event_count(session);
    loader_close(loader);
    session_destroy(session);
    return NULL;
}

static void write_events(struct session *session, uint32_t round)
{
    char name[32];
    int length = snprintf(name, sizeof name, "kernel %u", round);
    struct shape_row shape = {.name = session_add_string(session, name, (size_t)length)};
    uint32_t kernel = session_add_kernel(session, 0, session_add_shape(session, &shape), NONE);
    struct track_row row = {
        .kind = TRACK_STREAM, .device = NONE, .context = 1, .stream = round % 50, .thread = NONE};
    uint32_t track = session_add_track(session, &row);
    for (int64_t i = 0; i < 40; i++) {
        int64_t start_ns = 1000000 * (int64_t)round + 1000 * i;
        struct item item = {.kind = i % 4 ? ITEM_LAUNCH : ITEM_COPY, .correlation = round};
        if (i % 4)
            item.launch.kernel = kernel;
        session_add_event(session, track, start_ns, start_ns + 1500, &item);
    }
    struct open_launch open = {.track = track, .shape = 0, .correlation = round, .call_start_ns = round};
    session_set_open_launches(session, 0, &open, 1);
    session_set_process_command(session, 0, session_add_string(session, name, (size_t)length));
    session_end_run(session, 0, round, (int8_t)(round % 2), 0);
    session_set_now(session, CLOCK_WALL, 1000000 * (int64_t)round + 50000);
}

int main(void)
{
    pthread_t follower;
    struct session *session;
    struct recorder *recorder;
    struct recorder_state state;
    struct error error = {0};
    uint64_t seen = 0;
    char *name = strrchr(path, '/');
    *name = '\0';
    if (!mkdtemp(path))
        return 1;
    *name = '/';
    must(session_create(&session, 1, &error), &error);
    session_add_process(session, &(struct process_row){.rank = -1, .end_ns = INT64_MIN, .exit_status = -1});
    session_add_run(session, &(struct run_row){.device = NONE, .end_ns = INT64_MIN, .verified = -1});
    must(recorder_start(&recorder, session, path, &(struct recorder_options){.command = "tsan"}, &error),
         &error);
    if (pthread_create(&follower, NULL, follow, &seen))
        return 1;
    for (uint32_t round = 0; round < 1000; round++) {
        write_events(session, round);
        recorder_state(recorder, &state);
        usleep(1000);
    }
    session_end_process(session, 0, 1000000000, 0);
    must(recorder_stop(recorder, &error), &error);
    pthread_join(follower, NULL);
    printf("%llu of %llu events followed\n", (unsigned long long)seen,
           (unsigned long long)session_event_count(session));
    bool whole = seen == session_event_count(session);
    session_destroy(session);
    unlink(path);
    *name = '\0';
    rmdir(path);
    return whole ? 0 : 1;
}
