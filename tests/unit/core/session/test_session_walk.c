/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose events are whose, and what is said once some were evicted from memory: every sum over a run is that
 * of all its events, or it is not there. Judged against a list of what was put in.
 */
#include "core/session/session_walk.h"

#include "cli/report/data/report_data.h"
#include "cli/report/report.h"
#include "core/analysis/kernel_metrics.h"
#include "core/analysis/overlap/overlap.h"
#include "core/analysis/run_times.h"
#include "core/recording/recording.h"
#include "tests/shared/oracle/random_draws.h"
#include "tui/views/chart/chart.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES 2
#define RUNS 5 /* of each process, one after the other */
#define RUN_NS 1000000
#define STREAMS 2
#define EVENTS 6000 /* of each stream */
#define BYTES 4096  /* of a copy */

struct sums {
    uint64_t launches, copies, calls;
    int64_t ns;
};

struct made {
    struct session *session;
    uint32_t runs[PROCESSES][RUNS], kernels[PROCESSES][RUNS];
    struct sums truth[PROCESSES][RUNS];
    int64_t first_ns[PROCESSES][RUNS], last_ns[PROCESSES][RUNS]; /* starts of launches */
};

/* The last run of a process does not end. */
static void runs_make(struct made *made, int p)
{
    struct process_row process = {.pid = p + 1, .rank = -1};
    uint32_t index = session_add_process(made->session, &process);
    for (int r = 0; r < RUNS; r++) {
        struct run_row run = {.process = index,
                              .device = NONE,
                              .group = (uint32_t)(p * RUNS + r),
                              .program = session_add_string(made->session, "a.out", 5),
                              .start_ns = (int64_t)r * RUN_NS,
                              .end_ns = INT64_MIN,
                              .verified = -1};
        struct shape_row shape = {.name = session_add_string(made->session, "kernel", 6),
                                  .grid = {(uint32_t)r + 1, 1, 1},
                                  .block = {32, 1, 1}};
        made->runs[p][r] = session_add_run(made->session, &run);
        made->kernels[p][r] = session_add_kernel(made->session, made->runs[p][r],
                                                 session_add_shape(made->session, &shape), NONE);
        made->first_ns[p][r] = INT64_MAX;
        made->last_ns[p][r] = INT64_MIN;
        if (r < RUNS - 1)
            session_end_run(made->session, made->runs[p][r], (int64_t)(r + 1) * RUN_NS, 1, 0);
    }
}

static int run_at(int64_t time_ns)
{
    return time_ns >= RUNS * RUN_NS ? RUNS - 1 : (int)(time_ns / RUN_NS);
}

/* An event that starts at a time and where it belongs. A launch now and then runs in the time of a
 * neighbour of its run. */
static void event_make(struct made *made, int p, uint32_t track, enum track_kind kind, int64_t start_ns,
                       int64_t end_ns)
{
    struct item item = {.kind = ITEM_CALL, .call.name = session_add_string(made->session, "cuCall", 6)};
    int r = run_at(start_ns);
    if (kind == TRACK_STREAM && draw(3) > 0) {
        if (draw(40) == 0 && r > 0)
            r--;
        else if (draw(40) == 0 && r < RUNS - 1)
            r++;
        item = (struct item){.kind = ITEM_LAUNCH,
                             .launch = {.kernel = made->kernels[p][r], .call_start_ns = INT64_MIN}};
        made->first_ns[p][r] = start_ns < made->first_ns[p][r] ? start_ns : made->first_ns[p][r];
        made->last_ns[p][r] = start_ns > made->last_ns[p][r] ? start_ns : made->last_ns[p][r];
    } else if (kind == TRACK_STREAM) {
        item = (struct item){.kind = ITEM_COPY,
                             .a = COPY_HTOD,
                             .b = MEMORY_PINNED | MEMORY_DEVICE << 4,
                             .copy = {.call_start_ns = INT64_MIN, .size_bytes = BYTES}};
    }
    struct sums *sums = &made->truth[p][r];
    sums->launches += item.kind == ITEM_LAUNCH;
    sums->copies += item.kind == ITEM_COPY;
    sums->calls += item.kind == ITEM_CALL;
    sums->ns += end_ns - start_ns;
    cr_assert(session_add_event(made->session, track, start_ns, end_ns, &item));
}

/* Short events from the first run's start on, with pauses; some start at the ns at which a run ends. */
static void track_make(struct made *made, int p, enum track_kind kind, uint32_t number, uint64_t events)
{
    struct track_row row = {.kind = (uint8_t)kind,
                            .process = (uint32_t)p,
                            .device = NONE,
                            .context = NONE,
                            .stream = kind == TRACK_STREAM ? number : NONE,
                            .thread = kind == TRACK_CALLS ? number : NONE};
    uint32_t track = session_add_track(made->session, &row);
    int64_t now_ns = 0;
    for (uint64_t i = 0; i < events; i++) {
        int64_t next_ns = now_ns + (int64_t)draw(RUNS * RUN_NS / events), edge_ns;
        next_ns += draw(300) == 0 ? RUN_NS / 20 : 0;
        edge_ns = next_ns / RUN_NS * RUN_NS;
        int64_t start_ns = edge_ns > now_ns ? edge_ns : next_ns;
        now_ns = start_ns + (int64_t)draw(400);
        event_make(made, p, track, kind, start_ns, now_ns);
    }
}

/* limit_bytes 0: nothing is evicted. */
static void made_open(struct made *made, uint64_t seed, size_t limit_bytes)
{
    *made = (struct made){0};
    random_state = seed;
    cr_assert_eq(session_create(&made->session, 0, NULL), STATUS_OK);
    session_set_memory_limit(made->session, limit_bytes, false);
    for (int p = 0; p < PROCESSES; p++)
        runs_make(made, p);
    for (int p = 0; p < PROCESSES; p++) {
        for (uint32_t stream = 0; stream < STREAMS; stream++)
            track_make(made, p, TRACK_STREAM, stream, EVENTS);
        track_make(made, p, TRACK_CALLS, 7, EVENTS / 4);
    }
}

static bool sums_add(void *context, const struct walk_event *event)
{
    struct sums *sums = context;
    sums->launches += event->item.kind == ITEM_LAUNCH;
    sums->copies += event->item.kind == ITEM_COPY;
    sums->calls += event->item.kind == ITEM_CALL;
    sums->ns += event->end_ns - event->start_ns;
    return true;
}

/* The run's copies, for the caller to free. */
static enum status copies_of(const struct session *session, uint32_t run, struct report_copy **copies,
                             size_t *count)
{
    struct report_times times[CLOCK_COUNT];
    enum status status = report_operations(session, run, times, NULL);
    *copies = times[CLOCK_WALL].copies;
    *count = times[CLOCK_WALL].copy_count;
    times[CLOCK_WALL].copies = NULL;
    for (int clock = 0; clock < CLOCK_COUNT; clock++)
        report_times_fini(&times[clock]);
    return status;
}

/* The walk's sums are the truth, or it says that they are not. */
static bool check_run(const struct made *made, int p, int r)
{
    const struct walk walk = {.run = made->runs[p][r], .tracks = WALK_TRACK(STREAM) | WALK_TRACK(CALLS)};
    const struct sums *truth = &made->truth[p][r];
    struct sums sums = {0};
    struct report_copy *copies;
    size_t count;
    bool whole = session_walk(made->session, &walk, sums_add, &sums);
    struct kernel_times times = kernel_times(made->session, made->kernels[p][r], true);
    double rate = chart_run_value(made->session, made->runs[p][r], CHART_RATE_IN);
    enum status status = copies_of(made->session, made->runs[p][r], &copies, &count);

    cr_assert(times.launches == truth->launches);
    if (whole) {
        cr_assert_eq(sums.launches, truth->launches);
        cr_assert_eq(sums.copies, truth->copies);
        cr_assert_eq(sums.calls, truth->calls);
        cr_assert_eq(sums.ns, truth->ns);
        cr_assert(times.median_ns > 0 && rate > 0);
    }
    cr_assert(status == STATUS_OK || (status == STATUS_STATE && copies == NULL && count == 0));
    if (status == STATUS_OK) {
        cr_assert(count == 1 && copies[0].sum.count == truth->copies &&
                  copies[0].sum.bytes == truth->copies * BYTES);
        cr_assert_float_eq(rate, 1e9 * (double)copies[0].sum.bytes / (double)copies[0].sum.total_ns, 1);
    } else {
        cr_assert(isnan(rate));
    }
    free(copies);
    return whole;
}

static int whole_runs(const struct made *made)
{
    int whole = 0;
    for (int p = 0; p < PROCESSES; p++)
        for (int r = 0; r < RUNS; r++)
            whole += check_run(made, p, r);
    return whole;
}

Test(session_walk, finds_the_events_of_each_run)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct made made;
        made_open(&made, seed, 0);
        cr_assert_eq(whole_runs(&made), PROCESSES * RUNS);
        session_destroy(made.session);
    }
}

/* At the ns at which one run ends the next begins: what starts then is the next one's for whoever asks; a
 * launch is its kernel's run's, wherever it started. */
Test(session_walk, an_event_at_the_very_edge_of_a_run)
{
    enum { FROM_NS = 100, EDGE_NS = 200, UNTIL_NS = 300 };
    static const struct {
        int64_t start_ns;
        int run; /* whose copy: 0, 1, -1 nobody's */
    } copies[] = {{FROM_NS - 1, -1}, {FROM_NS, 0},      {EDGE_NS - 1, 0}, {EDGE_NS, 1},
                  {EDGE_NS + 1, 1},  {UNTIL_NS - 1, 1}, {UNTIL_NS, -1}};
    struct session *session;
    uint32_t runs[2], kernels[2];
    uint64_t expected[2] = {0, 0};
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    uint32_t process = session_add_process(session, &(struct process_row){.pid = 1, .rank = -1});
    for (int r = 0; r < 2; r++) {
        struct run_row run = {.process = process,
                              .device = NONE,
                              .start_ns = r == 0 ? FROM_NS : EDGE_NS,
                              .end_ns = INT64_MIN,
                              .verified = -1};
        struct shape_row shape = {.name = session_add_string(session, "kernel", 6),
                                  .grid = {(uint32_t)r + 1, 1, 1},
                                  .block = {32, 1, 1}};
        runs[r] = session_add_run(session, &run);
        kernels[r] = session_add_kernel(session, runs[r], session_add_shape(session, &shape), NONE);
        session_end_run(session, runs[r], r == 0 ? EDGE_NS : UNTIL_NS, 1, 0);
    }
    uint32_t track = session_add_track(
        session,
        &(struct track_row){
            .kind = TRACK_STREAM, .process = process, .device = NONE, .context = NONE, .thread = NONE});
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        struct item item = {.kind = ITEM_COPY,
                            .a = COPY_HTOD,
                            .b = MEMORY_PINNED | MEMORY_DEVICE << 4,
                            .copy = {.call_start_ns = INT64_MIN, .size_bytes = BYTES}};
        cr_assert(session_add_event(session, track, copies[i].start_ns, copies[i].start_ns + 1, &item));
        if (copies[i].run >= 0)
            expected[copies[i].run]++;
    }
    struct item late = {.kind = ITEM_LAUNCH, .launch = {.kernel = kernels[0], .call_start_ns = INT64_MIN}};
    cr_assert(session_add_event(session, track, UNTIL_NS + 50, UNTIL_NS + 60, &late));

    for (int r = 0; r < 2; r++) {
        const struct walk walk = {.run = runs[r], .tracks = WALK_TRACK(STREAM)};
        struct sums sums = {0};
        struct overlap overlap;
        struct report_copy *rows;
        size_t count;
        struct run_times times;
        cr_assert(session_walk(session, &walk, sums_add, &sums));
        cr_assert_eq(sums.copies, expected[r], "run %d has %lu copies", r, (unsigned long)sums.copies);
        cr_assert_eq(sums.launches, r == 0);
        cr_assert_geq(session_walk_events(session, &walk), sums.copies + sums.launches);
        cr_assert_eq(overlap_compute(session, runs[r], INT64_MIN, INT64_MAX, &overlap, NULL), STATUS_OK);
        cr_assert_eq(overlap.copy_busy_ns, (int64_t)expected[r]);
        cr_assert_eq(overlap.kernel_busy_ns, r == 0 ? 10 : 0);
        cr_assert_eq(run_times_of(session, runs[r], &times, NULL), STATUS_OK);
        cr_assert_eq(times.ns[RUN_TIME_DEVICE], overlap.any_busy_ns);
        cr_assert_eq(copies_of(session, runs[r], &rows, &count), STATUS_OK);
        cr_assert(count == 1 && rows[0].sum.count == expected[r]);
        cr_assert_eq(kernel_times(session, kernels[r], true).median_ns, r == 0 ? 10 : 0);
        cr_assert_float_eq(chart_run_value(session, runs[r], CHART_RATE_IN), 1e9 * BYTES, 1);
        free(rows);
    }
    session_destroy(session);
}

/* No run is walked that far that all runs together pass an event more often than its neighbours' launches
 * ask for. */
Test(session_walk, looks_no_further_than_a_runs_launches)
{
    struct made made;
    made_open(&made, 3, 0);
    for (int p = 0; p < PROCESSES; p++) {
        for (int r = 0; r < RUNS; r++) {
            struct run_scope scope = run_scope_of(made.session, made.runs[p][r]);
            int64_t start_ns = (int64_t)r * RUN_NS, end_ns = r < RUNS - 1 ? start_ns + RUN_NS : INT64_MAX;
            cr_assert(scope.start_ns == start_ns && scope.end_ns == end_ns);
            cr_assert_eq(scope.from_ns, made.first_ns[p][r] < start_ns ? made.first_ns[p][r] : start_ns);
            cr_assert_eq(scope.until_ns, made.last_ns[p][r] >= end_ns ? made.last_ns[p][r] + 1 : end_ns);
        }
    }
    session_destroy(made.session);
}

Test(session_walk, sums_are_whole_or_absent_once_events_were_evicted)
{
    int whole = 0, all = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct made made;
        made_open(&made, seed, 200000 + 30000 * (size_t)seed);
        whole += whole_runs(&made);
        all += PROCESSES * RUNS;
        session_destroy(made.session);
    }
    cr_assert(whole > all / 10 && whole < all * 9 / 10, "%d of %d runs are whole", whole, all);
}

/* Of the last evicted block one event starts in the run, after all that the block's even times tell of. */
Test(session_walk, a_run_that_begins_at_the_end_of_an_evicted_block)
{
    enum { BLOCKS = 400, BLOCK_NS = 1000, LAST_NS = 970, RUN_FROM_NS = 960 };
    struct session *session;
    int whole = 0;
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    session_set_memory_limit(session, 1, false);
    uint32_t track = session_add_track(session, &(struct track_row){.kind = TRACK_STREAM, .device = NONE});
    for (uint32_t block = 0; block < BLOCKS; block++) {
        struct run_row run = {
            .device = NONE, .start_ns = block * BLOCK_NS + RUN_FROM_NS, .end_ns = INT64_MIN};
        session_end_run(session, session_add_run(session, &run), run.start_ns + BLOCK_NS, 1, 0);
        for (uint32_t i = 0; i < SESSION_FOLD_EVENTS; i++) {
            int64_t start_ns = block * BLOCK_NS + (i < SESSION_FOLD_EVENTS - 1 ? i : LAST_NS);
            struct item item = {.kind = ITEM_COPY, .copy.call_start_ns = INT64_MIN};
            cr_assert(session_add_event(session, track, start_ns, start_ns + 1, &item));
        }
    }
    for (uint32_t run = 0; run < BLOCKS - 1; run++) {
        struct sums sums = {0};
        if (session_walk(session, &(struct walk){.run = run, .tracks = WALK_TRACK(STREAM)}, sums_add,
                         &sums)) {
            cr_assert_eq(sums.copies, SESSION_FOLD_EVENTS, "run %u", run);
            whole++;
        }
    }
    cr_assert(whole > 0 && whole < BLOCKS - 1, "%d runs are whole", whole);
    session_destroy(session);
}

static char *table_of(const struct session *session)
{
    char *text = NULL;
    size_t bytes;
    struct error error = {0};
    FILE *out = open_memstream(&text, &bytes);
    cr_assert_eq(report_table(session, NULL, out, 0, &error), STATUS_OK, "%s", error.text);
    fclose(out);
    return text;
}

Test(session_walk, the_table_leaves_out_what_it_cannot_sum)
{
    static const char *const parts[] = {"copies and sets\n", "max call\n", "\noverlap: what ran",
                                        "\nthe device time of"};
    static const char *const left_out[] = {"\ncopies: left out. ", "\ncalls: left out. ",
                                           "\noverlap: left out. ", "\namdahl: left out. ",
                                           "\nadvice: left out. "};
    struct made made;
    made_open(&made, 1, 0);
    char *text = table_of(made.session);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert(strstr(text, parts[i]), "%s%s", parts[i], text);
    cr_assert_not(strstr(text, "left out"), "%s", text);
    free(text);
    session_destroy(made.session);

    made_open(&made, 1, 400000);
    text = table_of(made.session);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert_not(strstr(text, parts[i]), "%s%s", parts[i], text);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        cr_assert(strstr(text, left_out[i]), "%s%s", left_out[i], text);
    cr_assert(strstr(text, "\n       - "), "a share of what is not known:%s", text);
    free(text);
    session_destroy(made.session);
}

/* A recording that is larger than memory: what is loaded keeps to the limit, and the table says what is
 * missing. */
Test(session_walk, a_recording_larger_than_memory)
{
    enum { LIMIT_BYTES = 700000 };
    char folder[] = "/tmp/lanescope-walk-XXXXXX", path[64], command[64];
    struct recorder *recorder;
    struct session *loaded;
    struct error error = {0};
    struct made made;
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/a.lsr", folder);
    made_open(&made, 1, 0);
    cr_assert_eq(recorder_start(&recorder, made.session, path, &(struct recorder_options){0}, &error),
                 STATUS_OK, "%s", error.text);
    cr_assert_eq(recorder_stop(recorder, &error), STATUS_OK, "%s", error.text);
    cr_assert_gt(session_memory_bytes(made.session), 2 * LIMIT_BYTES);

    cr_assert_eq(recording_load(&loaded, path, &error), STATUS_OK, "%s", error.text);
    char *whole = table_of(loaded);
    cr_assert_not(strstr(whole, "left out"), "%s", whole);
    session_destroy(loaded);
    cr_assert_eq(recording_load_within(&loaded, path, LIMIT_BYTES, &error), STATUS_OK, "%s", error.text);
    char *part = table_of(loaded);
    cr_assert_lt(session_memory_bytes(loaded), LIMIT_BYTES * 11 / 10);
    cr_assert(strstr(part, "\ncopies: left out. ") && strstr(part, "\noverlap: left out. "), "%s", part);
    free(whole);
    free(part);
    session_destroy(loaded);
    session_destroy(made.session);
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

/* Kernels that a stranger says ran for 292 years, and copies that did. */
Test(session_walk, shares_of_more_time_than_there_is)
{
    struct made made = {0};
    cr_assert_eq(session_create(&made.session, 0, NULL), STATUS_OK);
    runs_make(&made, 0);
    for (uint32_t stream = 0; stream < 9; stream++) {
        struct track_row row = {.kind = TRACK_STREAM, .device = NONE, .context = NONE, .stream = stream};
        struct item item = {.kind = ITEM_COPY,
                            .a = COPY_HTOD,
                            .b = MEMORY_PINNED | MEMORY_DEVICE << 4,
                            .copy = {.call_start_ns = INT64_MIN, .size_bytes = UINT64_MAX / 2}};
        cr_assert(session_add_event(made.session, session_add_track(made.session, &row), -SESSION_TIME_MAX_NS,
                                    SESSION_TIME_MAX_NS, &item));
    }
    for (int r = 0; r < RUNS; r++)
        session_set_kernel_sums(made.session, made.kernels[0][r], 10, INT64_MAX, 1, INT64_MAX);
    char *text = table_of(made.session);
    int shares = 0;
    for (const char *at = strstr(text, " %"); at; at = strstr(at + 1, " %"), shares++) {
        const char *number = at;
        while (number > text && strchr("0123456789.-", number[-1]))
            number--;
        cr_assert(strtod(number, NULL) >= 0 && strtod(number, NULL) <= 100, "%s", text);
    }
    cr_assert_geq(shares, 2, "%s", text);
    free(text);
    session_destroy(made.session);
}
