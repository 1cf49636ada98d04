/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector under the thread sanitizer: generators send, its thread writes the session, another one reads
 * it as a screen does, a third asks for figures and posts notices. Exit status 0: all events came in.
 */
#include "cli/run/collect.h"
#include "core/session/session.h"
#include "core/wire/wire.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GENERATORS 3
#define KERNELS 8000

static atomic_bool stop;

static void nap_ms(long ms)
{
    const struct timespec pause = {.tv_nsec = ms * 1000000};
    nanosleep(&pause, NULL);
}

/* Reads all there is, again and again; gives the number of launches seen in the lanes. */
static void *read_session(void *context)
{
    const struct session *session = context;
    volatile int64_t sink = 0;
    while (!atomic_load(&stop)) {
        for (uint32_t track = 0; track < session_track_count(session); track++) {
            const struct track_row *row = session_track(session, track);
            uint32_t lanes = atomic_load_explicit(&row->lane_count, memory_order_acquire);
            for (uint32_t lane = 0; lane < lanes; lane++) {
                uint64_t count = session_lane_count_events(session, track, lane);
                for (uint64_t i = count > 100 ? count - 100 : 0; i < count; i++) {
                    const struct event_ref ref = {track, lane, i};
                    struct item item = session_event_item(session, ref);
                    sink = session_event_end_ns(session, ref) + item.kind;
                }
            }
        }
        for (uint32_t i = 0; i < session_kernel_count(session); i++)
            sink = (int64_t)atomic_load_explicit(&session_kernel(session, i)->launches, memory_order_relaxed);
        for (uint32_t i = 0; i < session_process_count(session); i++)
            sink = atomic_load(&session_process(session, i)->end_ns);
        for (uint32_t i = 0; i < session_notice_count(session); i++)
            sink = session_string(session, session_notice(session, i)->text)[0];
        nap_ms(1);
    }
    (void)sink;
    return NULL;
}

static void *ask(void *context)
{
    struct collector *collector = context;
    while (!atomic_load(&stop)) {
        struct collector_stats stats;
        collector_stats(collector, &stats);
        collector_notice(collector, SEVERITY_INFO, "a word from elsewhere");
        nap_ms(2);
    }
    return NULL;
}

int main(void)
{
    struct error error;
    struct session *session;
    struct collector *collector;
    struct timespec now;
    pthread_t reader, asker;
    pid_t children[GENERATORS];
    clock_gettime(CLOCK_REALTIME, &now);
    if (session_create(&session, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec, &error) != STATUS_OK ||
        collector_start(&collector, session, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    setenv(WIRE_SOCKET_VARIABLE, collector_socket_path(collector), 1);
    for (int i = 0; i < GENERATORS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            char events[16];
            snprintf(events, sizeof events, "%d", KERNELS);
            execl(TEST_BUILD_DIR "/tests/lanescope-generator", "lanescope-generator", "--numbered", "--rate",
                  "20k", "--events", events, NULL);
            _exit(127);
        }
    }
    if (pthread_create(&reader, NULL, read_session, session) != 0 ||
        pthread_create(&asker, NULL, ask, collector) != 0)
        return 1;
    for (int i = 0; i < GENERATORS; i++) {
        int status;
        waitpid(children[i], &status, 0);
        if (status != 0)
            fprintf(stderr, "generator %d ended with status 0x%x\n", i, (unsigned)status);
        collector_child_exited(collector, children[i], status);
    }
    while (collector_live_processes(collector) > 0)
        nap_ms(1);
    atomic_store(&stop, true);
    pthread_join(reader, NULL);
    pthread_join(asker, NULL);
    collector_stop(collector);
    uint64_t launches = session_launch_count(session);
    session_destroy(session);
    printf("%llu of %d launches\n", (unsigned long long)launches, GENERATORS * KERNELS);
    return launches != (uint64_t)GENERATORS * KERNELS;
}
