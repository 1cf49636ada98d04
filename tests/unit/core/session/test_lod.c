/* SPDX-License-Identifier: Apache-2.0 */
/* Level of detail: over random traces and windows its columns equal a brute-force walk, one by one and in
 * sum. */
#include "core/session/lod.h"
#include "tests/shared/oracle/random_draws.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define COLUMNS_MAX 300

struct trace {
    struct session *session;
    uint32_t track;
    uint64_t count;
    int64_t *start_ns, *end_ns;
};

/* After every pause_every events nothing happens for a while. */
static uint64_t pause_every = UINT64_MAX;
static int64_t pause_ns, pause_growth = 1;

static struct trace trace_make(uint64_t count, int64_t duration_most_ns)
{
    struct trace trace = {.count = count,
                          .start_ns = malloc(count * sizeof(int64_t)),
                          .end_ns = malloc(count * sizeof(int64_t))};
    struct error error;
    cr_assert_eq(session_create(&trace.session, 0, &error), STATUS_OK);
    struct track_row row = {.kind = TRACK_OVERHEAD, .thread = 1};
    trace.track = session_add_track(trace.session, &row);
    int64_t now_ns = (int64_t)draw(1000) - 500;
    for (uint64_t i = 0; i < count; i++) {
        trace.start_ns[i] = now_ns + (draw(4) == 0 ? 0 : (int64_t)draw(100));
        trace.end_ns[i] = trace.start_ns[i] + (draw(10) == 0 ? 0 : (int64_t)draw((uint64_t)duration_most_ns));
        now_ns = trace.end_ns[i];
        if ((i + 1) % pause_every == 0) {
            now_ns += pause_ns;
            pause_ns *= pause_growth;
        }
        struct item item = {.kind = ITEM_OVERHEAD};
        cr_assert(session_add_event(trace.session, trace.track, trace.start_ns[i], trace.end_ns[i], &item));
    }
    cr_assert_eq(session_track(trace.session, trace.track)->lane_count, 1);
    return trace;
}

static void trace_free(struct trace *trace)
{
    session_destroy(trace->session);
    free(trace->start_ns);
    free(trace->end_ns);
}

static struct lod_column brute_force(const struct trace *trace, int64_t start_ns, int64_t end_ns)
{
    struct lod_column column = {.longest = UINT64_MAX};
    for (uint64_t i = 0; i < trace->count; i++) {
        int64_t from_ns = trace->start_ns[i] > start_ns ? trace->start_ns[i] : start_ns;
        int64_t to_ns = trace->end_ns[i] < end_ns ? trace->end_ns[i] : end_ns;
        bool starts = trace->start_ns[i] >= start_ns && trace->start_ns[i] < end_ns;
        column.busy_ns += to_ns > from_ns ? to_ns - from_ns : 0;
        column.count += starts;
        if ((starts || to_ns > from_ns) &&
            (column.longest == UINT64_MAX ||
             trace->end_ns[i] - trace->start_ns[i] >
                 trace->end_ns[column.longest] - trace->start_ns[column.longest]))
            column.longest = i;
    }
    return column;
}

static void check(const struct trace *trace, int64_t start_ns, int64_t end_ns, size_t count)
{
    struct lod_column columns[COLUMNS_MAX], all = {0};
    lod_query(trace->session, trace->track, 0, start_ns, end_ns, columns, count);
    for (size_t k = 0; k < count; k++) {
        int64_t from_ns = lod_column_start_ns(start_ns, end_ns, count, k);
        int64_t to_ns = lod_column_start_ns(start_ns, end_ns, count, k + 1);
        struct lod_column wanted = brute_force(trace, from_ns, to_ns);
        cr_assert_eq(columns[k].busy_ns, wanted.busy_ns, "column %d of %d: %ld, not %ld", (int)k, (int)count,
                     (long)columns[k].busy_ns, (long)wanted.busy_ns);
        cr_assert_eq(columns[k].count, wanted.count);
        if (to_ns > from_ns) { /* a column without width shows nothing */
            cr_assert_eq(columns[k].longest, wanted.longest, "column %d of %d: %ld, not %ld", (int)k,
                         (int)count, (long)columns[k].longest, (long)wanted.longest);
        }
        all.busy_ns += columns[k].busy_ns;
        all.count += columns[k].count;
    }
    struct lod_column whole = brute_force(trace, start_ns, end_ns);
    cr_assert_eq(all.busy_ns, whole.busy_ns);
    cr_assert_eq(all.count, whole.count);
}

Test(lod, equals_brute_force_for_random_traces_and_windows)
{
    random_state = 42;
    for (int t = 0; t < 60; t++) {
        struct trace trace = trace_make(1 + draw(1500), t % 3 == 0 ? 3 : t % 3 == 1 ? 500 : 20000);
        int64_t last_ns = trace.end_ns[trace.count - 1];
        for (int w = 0; w < 6; w++) {
            int64_t start_ns = (int64_t)draw((uint64_t)last_ns + 2000) - 1000;
            check(&trace, start_ns, start_ns + 1 + (int64_t)draw((uint64_t)last_ns + 2000), 1 + draw(40));
            check(&trace, start_ns, start_ns + 1 + (int64_t)draw(300), 1 + draw(COLUMNS_MAX));
        }
        check(&trace, trace.start_ns[0], last_ns, 180);
        trace_free(&trace);
    }
}

/* Long lanes have an index by time: even, in bursts far apart, and with pauses that outgrow every width. */
Test(lod, equals_brute_force_in_long_lanes)
{
    static const struct {
        uint64_t burst;   /* events between two pauses */
        int64_t pause_ns; /* the first; each is `growth` times as long as the one before */
        int64_t growth;
    } shapes[] = {{UINT64_MAX, 0, 1}, {3000, 50000000, 1}, {900, 1000, 8}, {1, 700, 1}};

    random_state = 77;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        pause_every = shapes[i].burst;
        pause_ns = shapes[i].pause_ns;
        pause_growth = shapes[i].growth;
        struct trace trace = trace_make(12000, 500);
        int64_t first_ns = trace.start_ns[0], last_ns = trace.end_ns[trace.count - 1];
        check(&trace, first_ns - 10, last_ns + 10, 50);
        for (int w = 0; w < 20; w++) {
            uint64_t at = draw(trace.count);
            int64_t start_ns = trace.start_ns[at] + (int64_t)draw(3) - 1;
            check(&trace, start_ns, start_ns + 1 + (int64_t)draw(UINT64_C(1) << (5 + draw(30))),
                  1 + draw(30));
        }
        trace_free(&trace);
    }
}

struct taken {
    uint32_t modulus;
};

static bool takes(void *context, const struct item *item)
{
    return item->correlation % ((const struct taken *)context)->modulus == 0;
}

/* Some events of a trace are the same as a trace of these events alone. */
Test(lod, some_events_equal_a_lane_of_their_own)
{
    static struct lod_column some[COLUMNS_MAX], alone[COLUMNS_MAX];
    random_state = 5;
    for (int t = 0; t < 40; t++) {
        struct session *session;
        cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
        const struct track_row all_row = {.kind = TRACK_STREAM, .stream = 1},
                               some_row = {.kind = TRACK_STREAM, .stream = 2};
        uint32_t all = session_add_track(session, &all_row), own = session_add_track(session, &some_row);
        struct taken taken = {.modulus = (uint32_t)(1 + draw(4))};
        int64_t least_ns = t % 2 == 0 ? 0 : (int64_t)draw(400), at = 0;
        uint64_t indices[2000], count = 0;
        for (uint32_t i = 0; i < 2000; i++) {
            struct item item = {.kind = ITEM_SET, .correlation = i};
            int64_t start_ns = at + (int64_t)draw(200), end_ns = start_ns + (int64_t)draw(500);
            at = end_ns;
            cr_assert(session_add_event(session, all, start_ns, end_ns, &item));
            if (!takes(&taken, &item) || end_ns - start_ns < least_ns)
                continue;
            cr_assert(session_add_event(session, own, start_ns, end_ns, &item));
            indices[count++] = i;
        }
        for (int w = 0; w < 20; w++) {
            int64_t start_ns = (int64_t)draw((uint64_t)at),
                    end_ns = start_ns + 64 + (int64_t)draw((uint64_t)at);
            size_t columns = 1 + draw(COLUMNS_MAX - 1);
            lod_query_where(session, all, 0, start_ns, end_ns, some, columns, least_ns, takes, &taken);
            lod_query(session, own, 0, start_ns, end_ns, alone, columns);
            for (size_t k = 0; k < columns; k++) {
                cr_assert_eq(some[k].busy_ns, alone[k].busy_ns);
                cr_assert_eq(some[k].count, alone[k].count);
                if (alone[k].longest != UINT64_MAX)
                    alone[k].longest = indices[alone[k].longest];
                cr_assert_eq(some[k].longest, alone[k].longest);
            }
        }
        session_destroy(session);
    }
}

Test(lod, is_empty_where_nothing_is)
{
    struct lod_column column;
    random_state = 1;
    struct trace trace = trace_make(10, 100);
    lod_query(trace.session, 99, 0, 0, 100, &column, 1);
    cr_assert(column.busy_ns == 0 && column.count == 0 && column.longest == UINT64_MAX);
    lod_query(trace.session, trace.track, 7, 0, 100, &column, 1);
    cr_assert_eq(column.longest, UINT64_MAX);
    lod_query(trace.session, trace.track, 0, 100, 100, &column, 1);
    cr_assert_eq(column.longest, UINT64_MAX);
    trace_free(&trace);
}

Test(lod, cuts_columns_exactly)
{
    random_state = 9;
    for (int trial = 0; trial < 20000; trial++) {
        int64_t start_ns = (int64_t)(draw(UINT64_MAX) >> 3) - ((int64_t)1 << 60);
        uint64_t span_ns = draw(UINT64_MAX) >> (3 + draw(60));
        size_t count = 1 + draw(2000), k = draw(count + 1);
        uint64_t offset_ns = (uint64_t)lod_column_start_ns(start_ns, start_ns + (int64_t)span_ns, count, k) -
                             (uint64_t)start_ns;
        __extension__ typedef unsigned __int128 wide;
        cr_assert((wide)offset_ns * count <= (wide)k * span_ns);
        cr_assert((wide)(offset_ns + 1) * count > (wide)k * span_ns);
    }
}
