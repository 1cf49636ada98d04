/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it costs to say where the time of a long run went: seconds and memory of the overlap, of the partition
 * of the device time, and of a replay and its edits, over a made session of kernels and copies on eight streams, with their calls, a
 * synchronisation every 64 operations and a wait for an event every 16. Beside the overlap in batches stands
 * that of all operations at once, which must say the same. Usage: bench_overlap [OPERATIONS] (default
 * 10,000,000). The figures are of one core.
 */
#include "core/analysis/overlap/overlap_internal.h"
#include "core/analysis/partition.h"
#include "core/analysis/run_times.h"
#include "core/replay/replay_picture.h"
#include "core/replay/what_if.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STREAMS 8u
#define EVERYTHING INT64_MIN, INT64_MAX

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t draw(uint64_t below)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* A line of /proc/self/status, in MB. */
static double status_mb(const char *field)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    double mb = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, field, strlen(field)) == 0)
            mb = (double)strtoul(line + strlen(field) + 1, NULL, 10) / 1e3;
    if (file != NULL)
        fclose(file);
    return mb;
}

/* From now on VmHWM is the most that is held. */
static void forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file != NULL) {
        fputs("5", file);
        fclose(file);
    }
}

static struct session *session_make(uint64_t operations)
{
    struct session *session;
    uint32_t streams[STREAMS], calls, syncs, correlation = 0;
    int64_t host_ns = 0, free_ns[STREAMS] = {0};
    if (session_create(&session, 1000, NULL) != STATUS_OK)
        exit(EXIT_FAILURE);
    session_add_process(session, &(struct process_row){.pid = 1, .rank = -1, .end_ns = INT64_MIN});
    session_add_device(session,
                       &(struct device_row){.info = {.compute_capability = 90, .multiprocessors = 132}});
    session_add_run(session, &(struct run_row){.end_ns = INT64_MIN, .verified = -1});
    uint32_t shape = session_add_shape(
        session, &(struct shape_row){.grid = {64, 1, 1}, .block = {256, 1, 1}, .registers_per_thread = 32});
    uint32_t kernel = session_add_kernel(session, 0, shape, 0);
    for (uint32_t i = 0; i < STREAMS; i++)
        streams[i] = session_add_track(
            session,
            &(struct track_row){.kind = TRACK_STREAM, .context = 1, .stream = i + 1, .thread = NONE});
    calls = session_add_track(session, &(struct track_row){.kind = TRACK_CALLS, .device = NONE, .thread = 7});
    syncs = session_add_track(
        session, &(struct track_row){.kind = TRACK_SYNCS, .device = NONE, .context = 1, .thread = NONE});
    for (uint64_t i = 0; i < operations; i++) {
        uint32_t stream = (uint32_t)draw(STREAMS);
        struct item item = {.kind = ITEM_LAUNCH, .correlation = ++correlation};
        int64_t call_ns = host_ns + 500 + (int64_t)draw(1000);
        host_ns = call_ns + 2000;
        item.launch.call_start_ns = call_ns;
        item.launch.call_duration_ns = 2000;
        item.launch.call_thread = 7;
        item.launch.kernel = kernel;
        if (i % 8 == 7) {
            item.kind = ITEM_COPY;
            item.flags = ITEM_ASYNC;
            item.a = COPY_HTOD;
            item.b = MEMORY_PINNED | MEMORY_DEVICE << 4;
            item.copy.size_bytes = 65536;
        }
        struct item call = {.kind = ITEM_CALL, .b = CALL_LAUNCH, .correlation = correlation};
        session_add_event(session, calls, call_ns, host_ns, &call);
        int64_t start_ns = host_ns > free_ns[stream] ? host_ns : free_ns[stream];
        free_ns[stream] = start_ns + 3000 + (int64_t)draw(12000);
        session_add_event(session, streams[stream], start_ns, free_ns[stream], &item);
        if (i % 16 == 15) {
            struct item wait = {.kind = ITEM_SYNC, .a = SYNC_STREAM_WAIT_EVENT, .correlation = ++correlation};
            wait.sync.context = 1;
            wait.sync.stream = 1 + (uint32_t)draw(STREAMS);
            session_add_event(session, syncs, host_ns, host_ns + 1, &wait);
        }
        if (i % 64 == 63) {
            struct item sync = {.kind = ITEM_CALL, .b = CALL_SYNC, .correlation = ++correlation};
            int64_t from_ns = host_ns + 1;
            for (uint32_t s = 0; s < STREAMS; s++)
                host_ns = free_ns[s] > host_ns ? free_ns[s] : host_ns;
            host_ns = host_ns > from_ns ? host_ns : from_ns + 1;
            session_add_event(session, calls, from_ns, host_ns, &sync);
        }
    }
    return session;
}

static struct overlap measure_overlap(const struct session *session, const char *name, size_t batch,
                                      size_t ahead)
{
    struct overlap overlap = {0};
    struct overlap_job *job;
    bool done = false;
    forget_peak();
    double before_mb = status_mb("VmRSS"), begin = seconds_now();
    if (overlap_begin_batches(&job, session, NONE, EVERYTHING, batch, ahead, false, NULL) != STATUS_OK ||
        overlap_step(job, SIZE_MAX, &overlap, &done, NULL) != STATUS_OK)
        exit(EXIT_FAILURE);
    overlap_end(job);
    printf("%-22s %8.2f s %9.1f MB\n", name, seconds_now() - begin, status_mb("VmHWM") - before_mb);
    return overlap;
}

/* The graph with its learning and judging, which replay twice; one replay; and all edits in order of gain. */
static void measure_replay(const struct session *session)
{
    struct replay *replay;
    struct what_if result;
    forget_peak();
    double before_mb = status_mb("VmRSS"), begin = seconds_now();
    if (replay_open(&replay, session, NONE, EVERYTHING, NULL) != STATUS_OK)
        exit(EXIT_FAILURE);
    printf("%-22s %8.2f s %9.1f MB\n", "replay: the graph", seconds_now() - begin,
           status_mb("VmHWM") - before_mb);
    begin = seconds_now();
    replay_run(replay, &replay_as_measured);
    printf("%-22s %8.2f s %9.1f MB, %llu operations, %llu calls\n", "replay: once", seconds_now() - begin,
           status_mb("VmHWM") - before_mb, (unsigned long long)replay_facts(replay)->operations,
           (unsigned long long)replay_facts(replay)->calls);
    begin = seconds_now();
    what_if_make(replay, NULL, 0, &result);
    printf("%-22s %8.2f s, %zu edits, error %.3f %%\n", "replay: the best edits", seconds_now() - begin,
           result.count, 100 * result.facts.error);
    begin = seconds_now();
    static struct replay_picture picture;
    int64_t after_ns;
    for (uint64_t i = 0; i < 3; i++) { /* stretches that were not drawn before */
        begin = seconds_now();
        if (replay_picture_make(replay, (struct replay_stretch){1000 * i, 1000 * i + 5000, 120}, &result,
                                (struct what_if_set){.steps = 1}, &picture, &after_ns, NULL) != STATUS_OK)
            exit(EXIT_FAILURE);
        printf("%-22s %8.3f s\n", "replay: a picture", seconds_now() - begin);
    }
    static struct replay_line line = {.columns = 120};
    for (int i = 0; i < 2; i++) {
        line.start_ns = 0, line.end_ns = result.facts.measured_ns / (i + 1);
        begin = seconds_now();
        if (replay_line_make(replay, &line, NULL) != STATUS_OK)
            exit(EXIT_FAILURE);
        printf("%-22s %8.3f s\n", "replay: the path", seconds_now() - begin);
    }
    replay_close(replay);
}

int main(int count, char **arguments)
{
    uint64_t operations = count > 1 ? strtoull(arguments[1], NULL, 10) : 10000000;
    struct session *session = session_make(operations);
    struct partition_list list;
    struct run_times times;
    printf("%llu operations, session %.0f MB\n", (unsigned long long)operations, status_mb("VmRSS"));
    struct overlap batches = measure_overlap(session, "overlap, batches", BATCH_OPERATIONS, BATCH_AHEAD);
    forget_peak();
    double before_mb = status_mb("VmRSS"), begin = seconds_now();
    if (partition_compute(session, NONE, EVERYTHING, &list, NULL) != STATUS_OK)
        return EXIT_FAILURE;
    partition_free(&list);
    printf("%-22s %8.2f s %9.1f MB\n", "partition", seconds_now() - begin, status_mb("VmHWM") - before_mb);
    forget_peak();
    before_mb = status_mb("VmRSS"), begin = seconds_now();
    if (run_times_of(session, NONE, &times, NULL) != STATUS_OK)
        return EXIT_FAILURE;
    printf("%-22s %8.2f s %9.1f MB\n", "device time", seconds_now() - begin, status_mb("VmHWM") - before_mb);
    measure_replay(session);
    struct overlap whole = measure_overlap(session, "overlap, all at once", SIZE_MAX / 4, 0);
    bool same = memcmp(whole.serialised_ns, batches.serialised_ns, sizeof whole.serialised_ns) == 0 &&
                memcmp(whole.waited, batches.waited, sizeof whole.waited) == 0 &&
                whole.any_busy_ns == batches.any_busy_ns && whole.least_ns == batches.least_ns &&
                times.ns[RUN_TIME_DEVICE] == whole.any_busy_ns;
    for (int reason = 0; reason < SERIAL_COUNT; reason++)
        printf("  %-20s %12lld ns, %llu waited\n", serial_reason_id((enum serial_reason)reason),
               (long long)batches.serialised_ns[reason], (unsigned long long)batches.waited[reason]);
    printf("batches say %s\n", same ? "the same" : "SOMETHING ELSE");
    session_destroy(session);
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
