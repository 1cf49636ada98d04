/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cli/collect_bench.h"

#include "cli/run/collect.h"
#include "core/wire/wire.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int64_t bench_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void bench_open(struct bench *bench)
{
    struct error error = {.text = ""};
    cr_assert_eq(session_create(&bench->session, bench_clock_ns(), &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(collector_start(&bench->collector, bench->session, &error), STATUS_OK, "%s", error.text);
}

void bench_close(struct bench *bench)
{
    if (bench->collector)
        collector_stop(bench->collector);
    session_destroy(bench->session);
}

void bench_nap_ms(long ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

pid_t bench_start(struct bench *bench, char *const *argv)
{
    pid_t child = fork();
    if (child == 0) {
        setenv(WIRE_SOCKET_VARIABLE, collector_socket_path(bench->collector), 1);
        execv(argv[0], argv);
        _exit(127);
    }
    cr_assert_gt(child, 0);
    return child;
}

/* Wait for a child as a launcher does, until all it sent is in the session. Its wait status. */
int bench_finish(struct bench *bench, pid_t child)
{
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    collector_child_exited(bench->collector, child, status);
    for (int waited = 0; collector_live_processes(bench->collector) > 0; waited++) {
        cr_assert_lt(waited, 100000, "the collector does not come to an end");
        bench_nap_ms(1);
    }
    return status;
}

/* Stop, so that rows have their ends and nobody writes any more. */
void bench_stop(struct bench *bench)
{
    collector_stop(bench->collector);
    bench->collector = NULL;
}

/* Launches of the stream tracks: how many, and the largest correlation. */
uint64_t bench_launches(const struct session *session, uint32_t *largest)
{
    uint64_t launches = 0;
    *largest = 0;
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        for (uint32_t lane = 0; row->kind == TRACK_STREAM && lane < row->lane_count; lane++) {
            for (uint64_t i = 0; i < session_lane_count_events(session, track, lane); i++) {
                struct item item = session_event_item(session, (struct event_ref){track, lane, i});
                launches += item.kind == ITEM_LAUNCH;
                if (item.kind == ITEM_LAUNCH && item.correlation > *largest)
                    *largest = item.correlation;
            }
        }
    }
    return launches;
}

bool bench_notice(const struct session *session, const char *words)
{
    for (uint32_t i = 0; i < session_notice_count(session); i++)
        if (strstr(session_string(session, session_notice(session, i)->text), words))
            return true;
    return false;
}
