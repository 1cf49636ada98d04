/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the session costs: events per second taken in (intake to session, and the session alone), bytes per
 * event held, and the time of a frame of level of detail. Usage: bench_session [EVENTS] (default 10,000,000).
 * Run on an idle machine; the figures are of one core.
 */
#include "core/intake/intake.h"
#include "core/session/lod.h"
#include "tests/bench/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STREAMS 40u
#define COLUMNS 180u
#define FRAMES 400u
#define SHAPES 50u
#define ZERO_NS 1700000000000000000

/* CPU time: one thread, and other programs do not count. */
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

static struct session *session_make(uint32_t *process)
{
    struct session *session;
    struct error error;
    if (session_create(&session, ZERO_NS, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(EXIT_FAILURE);
    }
    struct process_row row = {.pid = 1, .rank = -1, .end_ns = INT64_MIN};
    *process = session_add_process(session, &row);
    return session;
}

/* Events as a busy program's agent sends them: a call and its kernel, in batches whose two halves come one
 * after the other (CUPTI fills buffers of API calls and of kernels apart), a watermark after each batch. */
static size_t make_events(struct event *events, size_t most)
{
    enum { BATCH = 2000 };
    size_t count = 0;
    int64_t now_ns = ZERO_NS;
    uint32_t correlation = 1;
    while (count + 2 * BATCH + 1 <= most) {
        for (uint32_t i = 0; i < BATCH; i++) {
            int64_t at_ns = now_ns + (int64_t)i * 4000;
            events[count++] = (struct event){.kind = EVENT_CALL,
                                             .call = {.start_ns = at_ns,
                                                      .end_ns = at_ns + 3000,
                                                      .correlation = correlation + i,
                                                      .thread = 7 + i % 4,
                                                      .category = CALL_LAUNCH}};
        }
        for (uint32_t i = 0; i < BATCH; i++) {
            int64_t at_ns = now_ns + (int64_t)i * 4000 + 3500 + (int64_t)draw(500);
            events[count++] = (struct event){.kind = EVENT_KERNEL,
                                             .kernel = {.start_ns = at_ns,
                                                        .end_ns = at_ns + 2000 + (int64_t)draw(1500),
                                                        .correlation = correlation + i,
                                                        .shape = 1 + i % SHAPES,
                                                        .context = 1,
                                                        .stream = i % STREAMS}};
        }
        correlation += BATCH;
        now_ns += (int64_t)BATCH * 4000;
        events[count++] = (struct event){.kind = EVENT_WATERMARK, .watermark = {.time_ns = now_ns - 100000}};
    }
    return count;
}

static void bench_intake(size_t count)
{
    uint32_t process;
    struct session *session = session_make(&process);
    struct intake *intake;
    struct error error;
    size_t batch = count < 2000000 ? count : 2000000;
    struct event *events = malloc(batch * sizeof *events);
    if (events == NULL || intake_create(&intake, session, process, NONE, &error) != STATUS_OK)
        exit(EXIT_FAILURE);
    for (uint32_t i = 1; i <= SHAPES; i++) {
        struct event shape = {.kind = EVENT_SHAPE,
                              .shape = {.id = i, .grid = {i, 1, 1}, .block = {128, 1, 1}}};
        intake_event(intake, &shape, NULL);
    }
    size_t made = make_events(events, batch);
    double start = seconds_now();
    for (size_t i = 0; i < made; i++)
        intake_event(intake, &events[i], NULL);
    intake_finish(intake);
    double spent = seconds_now() - start;
    struct intake_stats stats;
    intake_stats(intake, &stats);
    uint64_t taken = session_event_count(session);
    printf("intake to session   %9zu events  %6.2f M events/s   (aim 2)   %lu taken, %lu malformed, %.1f "
           "B/event\n",
           made, (double)made / spent / 1e6, (unsigned long)taken, (unsigned long)stats.malformed,
           (double)session_memory_bytes(session) / (double)taken);
    figure_print((double)made / spent / 1e6, "M/s", FIGURE_AT_LEAST, 2,
                 "events from the wire into the session");
    figure_print((double)session_memory_bytes(session) / (double)taken, "bytes", FIGURE_AT_MOST, 48,
                 "an event in memory, as intake lays them, %lu", (unsigned long)taken);
    intake_destroy(intake);
    session_destroy(session);
    free(events);
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Frames of STREAMS rows at random zooms. */
static void bench_lod(const struct session *session, int64_t last_ns)
{
    static double frame_ms[FRAMES];
    static struct lod_column columns[COLUMNS];
    uint64_t sum = 0;
    for (size_t f = 0; f < FRAMES; f++) {
        int64_t span_ns = last_ns >> draw(24);
        span_ns = span_ns < 1000 ? 1000 : span_ns;
        int64_t start_ns = (int64_t)draw((uint64_t)last_ns);
        double start = seconds_now();
        for (uint32_t track = 0; track < STREAMS; track++) {
            lod_query(session, track, 0, start_ns, start_ns + span_ns, columns, COLUMNS);
            sum += columns[0].count;
        }
        frame_ms[f] = 1e3 * (seconds_now() - start);
    }
    qsort(frame_ms, FRAMES, sizeof frame_ms[0], compare);
    printf("level of detail     %u rows x %u columns: median %.2f ms, 99 %% %.2f ms (aim 2 and 8)   [%lu]\n",
           STREAMS, COLUMNS, frame_ms[FRAMES / 2], frame_ms[FRAMES * 99 / 100], (unsigned long)sum);
}

static void bench_session(size_t count)
{
    uint32_t process, tracks[STREAMS];
    struct session *session = session_make(&process);
    for (uint32_t i = 0; i < STREAMS; i++) {
        struct track_row row = {
            .kind = TRACK_STREAM, .process = process, .device = NONE, .stream = i, .thread = NONE};
        tracks[i] = session_add_track(session, &row);
    }
    uint32_t kernel = session_add_kernel(session, NONE, 0, NONE);
    struct item item = {.kind = ITEM_LAUNCH, .launch = {.kernel = kernel}};
    int64_t now_ns = 0;
    double start = seconds_now();
    for (size_t i = 0; i < count; i++) {
        now_ns += 100;
        session_add_event(session, tracks[i % STREAMS], now_ns, now_ns + 50 + (int64_t)(i * 7919 % 3900),
                          &item);
    }
    double spent = seconds_now() - start;
    printf("session             %9zu events  %6.2f M events/s   %.2f B/event (aim 48)\n", count,
           (double)count / spent / 1e6, (double)session_memory_bytes(session) / (double)count);
    figure_print((double)session_memory_bytes(session) / (double)count, "bytes", FIGURE_AT_MOST, 48,
                 "an event in memory, %zu events", count);
    bench_lod(session, now_ns);
    session_destroy(session);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 10000000;
    bench_intake(count);
    static const size_t sizes[] = {10000, 100000, 1000000};
    for (size_t i = 0; i < 3; i++)
        bench_session(sizes[i]);
    bench_session(count);
    return EXIT_SUCCESS;
}
