/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overlap on recordings of an H200: shares equal those worked out from the start and end of the rows in the
 * file, read with SQL; the reasons are those that the variants were written to show; and they stay when every
 * name in the file is another.
 */
#include "core/analysis/overlap/overlap.h"
#include "core/analysis/run_times.h"
#include "core/recording/recording.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER TEST_SOURCE_DIR "/tests/data/"
#define ROWS_MAX 4096

static struct session *session;
static sqlite3 *database;

static void open_recording(const char *path)
{
    cr_assert_eq(recording_load(&session, path, NULL), STATUS_OK);
    cr_assert_eq(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
}

static void close_recording(void)
{
    session_destroy(session);
    sqlite3_close(database);
}

static struct overlap overlap_of(const struct session *of, uint32_t run)
{
    const struct run_row *row = session_run(of, run);
    struct overlap overlap;
    cr_assert(row != NULL);
    cr_assert_eq(overlap_compute(of, run, row->start_ns, atomic_load(&row->end_ns) + 1, &overlap, NULL),
                 STATUS_OK);
    return overlap;
}

/* ---- by hand ---- */

struct row {
    int64_t start_ns, end_ns, track;
    bool kernel;
};

/* The device work of a trace run. */
static size_t rows_of(uint32_t run, struct row *rows)
{
    static const char sql[] =
        "SELECT l.start_ns, l.start_ns + l.duration_ns, l.track, 1 FROM launch l JOIN kernel k ON k.id = "
        "l.kernel WHERE k.run = ?1 UNION ALL SELECT w.start_ns, w.start_ns + w.duration_ns, w.track, 0 FROM "
        "(SELECT track, start_ns, duration_ns FROM copy UNION ALL SELECT track, start_ns, duration_ns FROM "
        "memset) w JOIN track t ON t.id = w.track JOIN run r ON r.id = ?1 WHERE t.process = r.process AND "
        "t.kind = 0 AND w.start_ns BETWEEN r.start_ns AND r.end_ns";
    sqlite3_stmt *statement;
    size_t count = 0;
    cr_assert_eq(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(database));
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)run);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        cr_assert_lt(count, ROWS_MAX);
        rows[count++] = (struct row){sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
                                     sqlite3_column_int64(statement, 2), sqlite3_column_int(statement, 3)};
    }
    sqlite3_finalize(statement);
    return count;
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

struct shares {
    int64_t kernels, copies, hidden, any, streams, span;
};

/* Cut time at all starts and ends, and ask of each piece which rows lie over it. */
static struct shares by_hand(const struct row *rows, size_t count, int64_t from, int64_t to)
{
    static int64_t times[2 * ROWS_MAX + 2];
    struct shares shares = {0};
    size_t cuts = 0;
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        times[cuts++] = rows[i].start_ns;
        times[cuts++] = rows[i].end_ns;
    }
    times[cuts++] = from;
    times[cuts++] = to;
    qsort(times, cuts, sizeof times[0], compare_times);
    for (size_t t = 0; t + 1 < cuts; t++) {
        int64_t piece = times[t + 1] - times[t], tracks[64];
        size_t busy = 0;
        bool kernel = false, copy = false;
        for (size_t i = 0; i < count && times[t] >= from && times[t + 1] <= to && piece > 0; i++) {
            if (rows[i].start_ns > times[t] || rows[i].end_ns < times[t + 1])
                continue;
            size_t at = 0;
            kernel |= rows[i].kernel;
            copy |= !rows[i].kernel;
            while (at < busy && tracks[at] != rows[i].track)
                at++;
            cr_assert_lt(at, sizeof tracks / sizeof tracks[0]);
            tracks[at] = rows[i].track;
            busy += at == busy;
        }
        shares.kernels += kernel ? piece : 0;
        shares.copies += copy ? piece : 0;
        shares.hidden += kernel && copy ? piece : 0;
        shares.any += busy > 0 ? piece : 0;
        shares.streams += (int64_t)busy * piece;
        if (busy > 0) {
            first = times[t] < first ? times[t] : first;
            last = times[t + 1];
        }
    }
    shares.span = last > first ? last - first : 0;
    return shares;
}

static void expect_shares(uint32_t run, const struct row *rows, size_t count, int64_t from, int64_t to)
{
    struct shares shares = by_hand(rows, count, from, to);
    struct overlap overlap;
    cr_assert_eq(overlap_compute(session, run, from, to, &overlap, NULL), STATUS_OK);
    cr_assert_eq(overlap.kernel_busy_ns, shares.kernels, "run %u: %ld, not %ld", run,
                 (long)overlap.kernel_busy_ns, (long)shares.kernels);
    cr_assert_eq(overlap.copy_busy_ns, shares.copies, "run %u", run);
    cr_assert_eq(overlap.copy_hidden_ns, shares.hidden, "run %u", run);
    cr_assert_eq(overlap.any_busy_ns, shares.any, "run %u", run);
    cr_assert_eq(overlap.span_ns, shares.span, "run %u", run);
    if (shares.any > 0)
        cr_assert_float_eq(overlap.mean_active_streams, (double)shares.streams / (double)shares.any, 1e-9);
    cr_assert_leq(overlap.least_ns, overlap.any_busy_ns);
}

/* Every trace run, as a whole and in thirds. */
static uint32_t expect_all_shares(void)
{
    static struct row rows[ROWS_MAX];
    uint32_t compared = 0;
    for (uint32_t run = 0; run < session_run_count(session); run++) {
        const struct run_row *row = session_run(session, run);
        size_t count = row->mode == RUN_TRACE ? rows_of(run, rows) : 0;
        if (count == 0)
            continue;
        int64_t third = (atomic_load(&row->end_ns) - row->start_ns) / 3;
        expect_shares(run, rows, count, row->start_ns, atomic_load(&row->end_ns) + 1);
        struct run_times times;
        cr_assert_eq(run_times_of(session, run, &times, NULL), STATUS_OK);
        cr_assert_eq(times.ns[RUN_TIME_DEVICE],
                     by_hand(rows, count, row->start_ns, atomic_load(&row->end_ns) + 1).any, "run %u", run);
        for (int part = 0; part < 3; part++)
            expect_shares(run, rows, count, row->start_ns + part * third, row->start_ns + (part + 1) * third);
        compared++;
    }
    return compared;
}

Test(overlap_hardware, shares_equal_those_of_the_rows)
{
    open_recording(FOLDER "h200.lsr");
    cr_assert_geq(expect_all_shares(), 150);
    close_recording();
    open_recording(FOLDER "curriculum_h200.lsr");
    cr_assert_geq(expect_all_shares(), 300);
    close_recording();
}

/* ---- reasons ---- */

/* What each variant was written to show: the reason that has most of the serialised time, how much of the
 * busy time that is at least, and which reasons may have none. streams: or that parameter. */
static const struct {
    const char *recording, *workload, *variant;
    enum serial_reason first;
    double share;
    uint32_t none; /* bits by reason */
} cases[] = {
#define NOT(reason) (1u << SERIAL_##reason)
    {"curriculum_h200.lsr", "default-stream", "streams", SERIAL_COUNT, 0.1,
     NOT(DEFAULT_STREAM) | NOT(IMPLICIT_SYNC) | NOT(EXPLICIT_SYNC) | NOT(PAGEABLE)},
    {"curriculum_h200.lsr", "default-stream", "legacy", SERIAL_DEFAULT_STREAM, 0.6, NOT(IMPLICIT_SYNC)},
    {"curriculum_h200.lsr", "default-stream", "non-blocking", SERIAL_COUNT, 0.1,
     NOT(DEFAULT_STREAM) | NOT(IMPLICIT_SYNC)},
    {"curriculum_h200.lsr", "default-stream", "per-thread", SERIAL_COUNT, 0.1,
     NOT(DEFAULT_STREAM) | NOT(IMPLICIT_SYNC)},
    {"curriculum_h200.lsr", "default-stream", "allocation", SERIAL_IMPLICIT_SYNC, 0.55,
     NOT(DEFAULT_STREAM) | NOT(EXPLICIT_SYNC)},
    {"curriculum_h200.lsr", "issue-order", "depth-first", SERIAL_ONE_ENGINE, 0.1,
     NOT(DEFAULT_STREAM) | NOT(PAGEABLE) | NOT(IMPLICIT_SYNC)},
    {"curriculum_h200.lsr", "issue-order", "breadth-first", SERIAL_ONE_ENGINE, 0.1,
     NOT(DEFAULT_STREAM) | NOT(PAGEABLE) | NOT(IMPLICIT_SYNC)},
    {"curriculum_h200.lsr", "staged-overlap", "whole-pageable", SERIAL_PAGEABLE, 0.7,
     NOT(DEFAULT_STREAM) | NOT(ONE_ENGINE) | NOT(IMPLICIT_SYNC)},
    {"curriculum_h200.lsr", "staged-overlap", "staged-pageable", SERIAL_PAGEABLE, 0.7,
     NOT(DEFAULT_STREAM) | NOT(ONE_ENGINE) | NOT(IMPLICIT_SYNC)},
    {"curriculum_h200.lsr", "staged-overlap", "whole-pinned", SERIAL_SAME_STREAM, 0.4,
     NOT(DEFAULT_STREAM) | NOT(PAGEABLE) | NOT(IMPLICIT_SYNC)},
    {"curriculum_h200.lsr", "staged-overlap", "staged-pinned", SERIAL_COUNT, 1,
     NOT(DEFAULT_STREAM) | NOT(PAGEABLE) | NOT(IMPLICIT_SYNC)},
    {"curriculum_h200.lsr", "n-way", "serial", SERIAL_SAME_STREAM, 0.5,
     NOT(DEFAULT_STREAM) | NOT(PAGEABLE) | NOT(ONE_ENGINE) | NOT(EVENT_WAIT)},
    {"curriculum_h200.lsr", "n-way", "2-way", SERIAL_EVENT_WAIT, 0.3, NOT(PAGEABLE)},
    {"curriculum_h200.lsr", "n-way", "3-way", SERIAL_ONE_ENGINE, 0.05, NOT(PAGEABLE) | NOT(EVENT_WAIT)},
    {"curriculum_h200.lsr", "n-way", "4-way", SERIAL_ONE_ENGINE, 0.05, NOT(PAGEABLE)},
    {"h200.lsr", "staged-overlap", "whole-pageable", SERIAL_PAGEABLE, 0.7, NOT(DEFAULT_STREAM)},
    {"h200.lsr", "staged-overlap", "staged-pageable", SERIAL_PAGEABLE, 0.7, NOT(DEFAULT_STREAM)},
    {"h200.lsr", "n-way", "serial", SERIAL_SAME_STREAM, 0.5, NOT(PAGEABLE) | NOT(ONE_ENGINE)},
    {"h200.lsr", "n-way", "2-way", SERIAL_EVENT_WAIT, 0.3, NOT(PAGEABLE)},
#undef NOT
};

static enum serial_reason first_of(const struct overlap *overlap)
{
    enum serial_reason first = SERIAL_SAME_STREAM;
    for (enum serial_reason reason = 0; reason < SERIAL_COUNT; reason++)
        if (overlap->serialised_ns[reason] > overlap->serialised_ns[first])
            first = reason;
    return first;
}

static void expect_reasons(uint32_t run, size_t i)
{
    struct overlap overlap = overlap_of(session, run);
    enum serial_reason first = first_of(&overlap);
    const char *params = session_string(session, session_run(session, run)->params);
    bool none = cases[i].first == SERIAL_COUNT;
    int64_t serialised_ns = none ? 0 : overlap.serialised_ns[first];
    for (enum serial_reason reason = 0; none && reason < SERIAL_COUNT; reason++)
        serialised_ns += overlap.serialised_ns[reason];
    double share = (double)serialised_ns / (double)overlap.any_busy_ns;
    cr_assert(none || first == cases[i].first, "%s:%s %s: %s comes first", cases[i].workload,
              cases[i].variant, params, serial_reason_id(first));
    cr_assert(none ? share <= cases[i].share : share >= cases[i].share, "%s:%s %s: %s has %.3f",
              cases[i].workload, cases[i].variant, params, none ? "all" : serial_reason_id(first), share);
    for (enum serial_reason reason = 0; reason < SERIAL_COUNT; reason++)
        cr_assert((cases[i].none >> reason & 1) == 0 || overlap.serialised_ns[reason] == 0,
                  "%s:%s %s: %s is blamed", cases[i].workload, cases[i].variant, params,
                  serial_reason_id(reason));
}

Test(overlap_hardware, the_reason_of_a_variant_is_the_one_it_shows)
{
    const char *opened = "";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[256];
        if (strcmp(opened, cases[i].recording) != 0) {
            if (opened[0] != '\0')
                close_recording();
            opened = cases[i].recording;
            snprintf(path, sizeof path, FOLDER "%s", opened);
            open_recording(path);
        }
        int found = 0;
        for (uint32_t run = 0; run < session_run_count(session); run++) {
            const struct run_row *row = session_run(session, run);
            if (row->mode != RUN_TRACE ||
                strcmp(session_string(session, row->workload), cases[i].workload) != 0 ||
                strcmp(session_string(session, row->variant), cases[i].variant) != 0)
                continue;
            expect_reasons(run, i);
            found++;
        }
        cr_assert_geq(found, 1, "%s has no %s:%s", opened, cases[i].workload, cases[i].variant);
    }
    close_recording();
}

/* ---- from events alone ---- */

static void copy_file(const char *from, const char *to)
{
    char command[600];
    snprintf(command, sizeof command, "cp -- '%s' '%s' && chmod u+w -- '%s'", from, to, to);
    cr_assert_eq(system(command), 0);
}

/* Every text of the file becomes a number. */
Test(overlap_hardware, names_do_not_matter)
{
    char path[] = "/tmp/lanescope-names-XXXXXX";
    sqlite3 *nameless_file;
    struct session *nameless;
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
    copy_file(FOLDER "curriculum_h200.lsr", path);
    cr_assert_eq(sqlite3_open(path, &nameless_file), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(nameless_file, "UPDATE string SET text = 'text ' || id", NULL, NULL, NULL),
                 SQLITE_OK);
    cr_assert_geq(sqlite3_changes(nameless_file), 100);
    sqlite3_close(nameless_file);
    cr_assert_eq(recording_load(&nameless, path, NULL), STATUS_OK);
    open_recording(FOLDER "curriculum_h200.lsr");
    cr_assert_eq(session_run_count(nameless), session_run_count(session));
    cr_assert_eq(strncmp(session_string(nameless, session_run(nameless, 0)->workload), "text ", 5), 0);
    int serialised = 0;
    for (uint32_t run = 0; run < session_run_count(session); run++) {
        if (session_run(session, run)->mode != RUN_TRACE)
            continue;
        struct overlap with = overlap_of(session, run), without = overlap_of(nameless, run);
        serialised += with.wait_count > 0;
        cr_assert_eq(memcmp(with.serialised_ns, without.serialised_ns, sizeof with.serialised_ns), 0);
        cr_assert_eq(memcmp(with.waited, without.waited, sizeof with.waited), 0);
        cr_assert_eq(with.wait_count, without.wait_count);
        for (uint32_t i = 0; i < with.wait_count; i++)
            cr_assert(with.waits[i].reason == without.waits[i].reason &&
                      with.waits[i].serialised_ns == without.waits[i].serialised_ns);
        cr_assert_eq(with.least_ns, without.least_ns);
    }
    cr_assert_geq(serialised, 30);
    session_destroy(nameless);
    close_recording();
    cr_assert_eq(unlink(path), 0);
}
