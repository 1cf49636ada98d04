/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overlap of workloads as the device model runs them, from recordings: shares equal those worked out by hand
 * from start and end times, and the reasons are those that the variants were written to show; without the
 * names too.
 */
#include "core/analysis/overlap/overlap.h"
#include "core/recording/recording.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPERATIONS_MAX 4096

static char folder[] = "/tmp/lanescope-overlap-XXXXXX";
static char path[64];
static struct session *session;

/* In less than the small sizes, for the sanitizers' sake: tests/gpu/parity/overlap_shows.py looks at those.
 * In fewer rounds than n-way's 256, kernels that leave half the device to each other are over before the
 * first copy out begins. */
static void record(void)
{
    char command[8192];
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/model.lsr", folder);
    setenv("HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    snprintf(command, sizeof command,
             TEST_LANESCOPE
             " --device simt --record %s n-way,n=1048576,rounds=256 staged-overlap,n=1048576,rounds=128"
             " default-stream,rounds=64 issue-order,n=1048576,rounds=128 >/dev/null 2>&1 </dev/null",
             path);
    cr_assert_eq(system(command), 0);
    cr_assert_eq(recording_load(&session, path, NULL), STATUS_OK);
}

static void clean(void)
{
    char command[128];
    session_destroy(session);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(overlap_model, .init = record, .fini = clean, .timeout = 280);

static struct overlap overlap_of(const struct session *of, uint32_t run)
{
    struct overlap overlap;
    cr_assert_eq(overlap_compute(of, run, INT64_MIN, INT64_MAX, &overlap, NULL), STATUS_OK);
    return overlap;
}

static uint32_t run_of(const char *workload, const char *variant)
{
    for (uint32_t i = 0; i < session_run_count(session); i++) {
        const struct run_row *run = session_run(session, i);
        if (strcmp(session_string(session, run->workload), workload) == 0 &&
            strcmp(session_string(session, run->variant), variant) == 0)
            return i;
    }
    cr_assert_fail("%s:%s was not run", workload, variant);
    return NONE;
}

/* ---- by hand ---- */

struct interval {
    int64_t start_ns, end_ns;
    bool kernel;
};

static size_t operations_of(uint32_t index, struct interval *operations)
{
    const struct run_row *run = session_run(session, index);
    size_t count = 0;
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        if (row->kind != TRACK_STREAM || row->clock != run->clock || row->process != run->process)
            continue;
        for (uint32_t lane = 0; lane < atomic_load(&row->lane_count); lane++) {
            for (uint64_t i = 0; i < session_lane_count_events(session, track, lane); i++) {
                struct event_ref ref = {track, lane, i};
                struct item item = session_event_item(session, ref);
                int64_t start = session_event_start_ns(session, ref);
                bool own = item.kind == ITEM_LAUNCH
                               ? session_kernel(session, item.launch.kernel)->run == index
                               : start >= run->start_ns && start <= atomic_load(&run->end_ns);
                cr_assert_lt(count, OPERATIONS_MAX);
                if (own)
                    operations[count++] = (struct interval){start, session_event_end_ns(session, ref),
                                                            item.kind == ITEM_LAUNCH};
            }
        }
    }
    return count;
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Cut time at all starts and ends, and ask of each piece what runs in it. */
static void by_hand(const struct interval *operations, size_t count, int64_t *kernels, int64_t *copies,
                    int64_t *hidden)
{
    static int64_t times[2 * OPERATIONS_MAX];
    for (size_t i = 0; i < count; i++) {
        times[2 * i] = operations[i].start_ns;
        times[2 * i + 1] = operations[i].end_ns;
    }
    qsort(times, 2 * count, sizeof times[0], compare_times);
    for (size_t t = 0; t + 1 < 2 * count; t++) {
        bool kernel = false, copy = false;
        for (size_t i = 0; i < count; i++) {
            if (operations[i].start_ns > times[t] || operations[i].end_ns <= times[t])
                continue;
            kernel |= operations[i].kernel;
            copy |= !operations[i].kernel;
        }
        int64_t piece = times[t + 1] - times[t];
        *kernels += kernel ? piece : 0;
        *copies += copy ? piece : 0;
        *hidden += kernel && copy ? piece : 0;
    }
}

static void shares_equal_those_worked_out_from_start_and_end(void)
{
    static struct interval operations[OPERATIONS_MAX];
    int with_hidden = 0;
    cr_assert_geq(session_run_count(session), 16);
    for (uint32_t run = 0; run < session_run_count(session); run++) {
        int64_t kernels = 0, copies = 0, hidden = 0;
        size_t count = operations_of(run, operations);
        by_hand(operations, count, &kernels, &copies, &hidden);
        struct overlap overlap = overlap_of(session, run);
        cr_assert_eq(overlap.operations, count);
        cr_assert_eq(overlap.kernel_busy_ns, kernels);
        cr_assert_eq(overlap.copy_busy_ns, copies);
        cr_assert_eq(overlap.copy_hidden_ns, hidden);
        cr_assert(overlap.least_ns > 0 && overlap.least_ns <= overlap.any_busy_ns);
        with_hidden += hidden > 0;
    }
    cr_assert_geq(with_hidden, 4);
}

/* More ways, more of the copies under kernels, and nearer to what it would take at least. */
static void more_ways_hide_more(void)
{
    static const char *const ways[] = {"serial", "2-way", "3-way"};
    double before = -1;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct overlap overlap = overlap_of(session, run_of("n-way", ways[i]));
        double share = (double)overlap.copy_hidden_ns / (double)overlap.kernel_busy_ns;
        cr_assert_gt(share, before, "%s: %ld of %ld ns, before it %g", ways[i], (long)overlap.copy_hidden_ns,
                     (long)overlap.kernel_busy_ns, before);
        before = share;
    }
    cr_assert_gt(before, 0.9);
}

/* ---- reasons ---- */

static int64_t reason_ns(const char *workload, const char *variant, enum serial_reason reason)
{
    return overlap_of(session, run_of(workload, variant)).serialised_ns[reason];
}

static enum serial_reason first_reason(const char *workload, const char *variant)
{
    struct overlap overlap = overlap_of(session, run_of(workload, variant));
    enum serial_reason first = SERIAL_SAME_STREAM;
    for (enum serial_reason reason = 0; reason < SERIAL_COUNT; reason++)
        if (overlap.serialised_ns[reason] > overlap.serialised_ns[first])
            first = reason;
    return first;
}

static void the_default_stream_is_blamed_where_it_waits(void)
{
    cr_assert_eq(first_reason("default-stream", "legacy"), SERIAL_DEFAULT_STREAM);
    static const char *const others[] = {"streams", "non-blocking", "per-thread", "allocation"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert_eq(reason_ns("default-stream", others[i], SERIAL_DEFAULT_STREAM), 0, "%s", others[i]);
    cr_assert_gt(reason_ns("default-stream", "allocation", SERIAL_IMPLICIT_SYNC), 0);
    static const char *const free_of_it[] = {"streams", "legacy", "non-blocking", "per-thread"};
    for (size_t i = 0; i < sizeof free_of_it / sizeof free_of_it[0]; i++)
        cr_assert_eq(reason_ns("default-stream", free_of_it[i], SERIAL_IMPLICIT_SYNC), 0);
}

static void the_order_leaves_only_the_engine(void)
{
    cr_assert_eq(first_reason("issue-order", "depth-first"), SERIAL_ONE_ENGINE);
    cr_assert_eq(first_reason("issue-order", "breadth-first"), SERIAL_ONE_ENGINE);
    cr_assert_eq(reason_ns("issue-order", "breadth-first", SERIAL_DEFAULT_STREAM), 0);
    cr_assert_eq(reason_ns("issue-order", "depth-first", SERIAL_DEFAULT_STREAM), 0);
    cr_assert_eq(reason_ns("issue-order", "breadth-first", SERIAL_SAME_STREAM), 0);
}

static void pageable_memory_is_blamed_where_it_is(void)
{
    static const char *const pageable[] = {"whole-pageable", "staged-pageable"}, *const pinned[] = {
                                                                                     "whole-pinned",
                                                                                     "staged-pinned"};
    for (int i = 0; i < 2; i++) {
        cr_assert_gt(reason_ns("staged-overlap", pageable[i], SERIAL_PAGEABLE), 0);
        cr_assert_eq(reason_ns("staged-overlap", pinned[i], SERIAL_PAGEABLE), 0);
    }
    cr_assert_eq(first_reason("staged-overlap", "whole-pageable"), SERIAL_PAGEABLE);
    /* Its pieces are small enough for the calls to return before they are copied. */
    cr_assert_eq(first_reason("staged-overlap", "staged-pageable"), SERIAL_ONE_ENGINE);
    cr_assert_eq(first_reason("staged-overlap", "staged-pinned"), SERIAL_ONE_ENGINE);
    cr_assert_eq(first_reason("n-way", "serial"), SERIAL_SAME_STREAM);
    cr_assert_eq(first_reason("staged-overlap", "whole-pinned"), SERIAL_SAME_STREAM);
}

static void an_event_is_blamed_where_streams_wait_for_it(void)
{
    cr_assert_eq(first_reason("n-way", "2-way"), SERIAL_EVENT_WAIT);
    static const char *const others[] = {"serial", "3-way"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert_eq(reason_ns("n-way", others[i], SERIAL_EVENT_WAIT), 0);
}

/* Every text of the recording becomes a number: what is said of the events stays. */
static void reasons_come_from_events_alone(void)
{
    sqlite3 *database;
    struct session *nameless;
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(database, "UPDATE string SET text = 'text ' || id", NULL, NULL, NULL),
                 SQLITE_OK);
    cr_assert_geq(sqlite3_changes(database), 20);
    sqlite3_close(database);
    cr_assert_eq(recording_load(&nameless, path, NULL), STATUS_OK);
    cr_assert_eq(session_run_count(nameless), session_run_count(session));
    cr_assert_eq(strncmp(session_string(nameless, session_run(nameless, 0)->workload), "text ", 5), 0);
    for (uint32_t run = 0; run < session_run_count(session); run++) {
        struct overlap with = overlap_of(session, run), without = overlap_of(nameless, run);
        for (int reason = 0; reason < SERIAL_COUNT; reason++)
            cr_assert_eq(with.serialised_ns[reason], without.serialised_ns[reason]);
        cr_assert_eq(with.wait_count, without.wait_count);
        cr_assert_eq(with.least_ns, without.least_ns);
        cr_assert_eq(with.copy_hidden_ns, without.copy_hidden_ns);
    }
    session_destroy(nameless);
}

/* Recorded once for all of them. */
Test(overlap_model, is_told_rightly)
{
    shares_equal_those_worked_out_from_start_and_end();
    more_ways_hide_more();
    the_default_stream_is_blamed_where_it_waits();
    the_order_leaves_only_the_engine();
    pageable_memory_is_blamed_where_it_is();
    an_event_is_blamed_where_streams_wait_for_it();
    reasons_come_from_events_alone();
}
