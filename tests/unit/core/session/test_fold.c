/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events leave memory over a limit: sums over time stay what they were, from block to block (of what is
 * folded again from unit to unit) exactly, and within one to the block or unit; nothing leaves that no
 * recording has, nothing is freed under a reader.
 */
#include "core/session/lane.h"
#include "core/session/lod.h"
#include "core/session/session_internal.h"
#include "tests/shared/oracle/random_draws.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define BLOCK 16u /* events that are summed up together */
#define COLUMNS 97

struct trace {
    struct session *session;
    uint32_t track;
    uint64_t count;
    bool even; /* no pauses, and no events, of more than 32 bits of ns */
    int64_t *start_ns, *end_ns;
};

/* Now and then a pause, or an event, of more than 32 bits of ns. */
static void trace_add(struct trace *trace, uint64_t events, int64_t most_ns)
{
    int64_t now_ns = trace->count > 0 ? trace->end_ns[trace->count - 1] : -700;
    for (uint64_t end = trace->count + events; trace->count < end; trace->count++) {
        int64_t start_ns = now_ns + (draw(4) == 0 ? 0 : (int64_t)draw(100));
        now_ns = start_ns + (draw(10) == 0 ? 0 : (int64_t)draw((uint64_t)most_ns));
        if (!trace->even && draw(5000) == 0)
            now_ns += (int64_t)UINT32_MAX - 10 + (int64_t)draw(20);
        trace->start_ns[trace->count] = start_ns;
        trace->end_ns[trace->count] = now_ns;
        struct item item = {.kind = ITEM_LAUNCH, .launch.kernel = (uint32_t)trace->count};
        cr_assert(session_add_event(trace->session, trace->track, start_ns, now_ns, &item));
        if (!trace->even && draw(3000) == 0)
            now_ns += 9000000000;
    }
}

static struct trace trace_make(uint64_t room, size_t limit, bool recorded)
{
    struct trace trace = {.start_ns = malloc(room * sizeof(int64_t)),
                          .end_ns = malloc(room * sizeof(int64_t))};
    cr_assert_eq(session_create(&trace.session, 0, NULL), STATUS_OK);
    session_set_memory_limit(trace.session, limit, recorded);
    struct track_row row = {.kind = TRACK_STREAM, .stream = 1};
    trace.track = session_add_track(trace.session, &row);
    return trace;
}

static void trace_free(struct trace *trace)
{
    session_destroy(trace->session);
    free(trace->start_ns);
    free(trace->end_ns);
}

static struct event_ref ref_of(const struct trace *trace, uint64_t index)
{
    return (struct event_ref){.track = trace->track, .lane = 0, .index = index};
}

static bool is_folded(const struct trace *trace, uint64_t index)
{
    return (session_event_item(trace->session, ref_of(trace, index)).flags & ITEM_FOLDED) != 0;
}

struct sums {
    int64_t busy_ns;
    uint64_t count;
};

static struct sums brute_force(const struct trace *trace, int64_t from_ns, int64_t to_ns)
{
    struct sums sums = {0};
    for (uint64_t i = 0; i < trace->count; i++) {
        int64_t start = trace->start_ns[i] > from_ns ? trace->start_ns[i] : from_ns;
        int64_t end = trace->end_ns[i] < to_ns ? trace->end_ns[i] : to_ns;
        sums.busy_ns += end > start ? end - start : 0;
        sums.count += trace->start_ns[i] >= from_ns && trace->start_ns[i] < to_ns;
    }
    return sums;
}

static struct sums columns_sum(const struct trace *trace, int64_t from_ns, int64_t to_ns)
{
    static struct lod_column columns[COLUMNS];
    struct sums sums = {0};
    lod_query(trace->session, trace->track, 0, from_ns, to_ns, columns, COLUMNS);
    for (size_t k = 0; k < COLUMNS; k++) {
        int64_t left = lod_column_start_ns(from_ns, to_ns, COLUMNS, k);
        int64_t right = lod_column_start_ns(from_ns, to_ns, COLUMNS, k + 1);
        cr_assert(columns[k].busy_ns >= 0 && columns[k].busy_ns <= right - left);
        cr_assert(columns[k].longest != UINT64_MAX || columns[k].busy_ns == 0);
        sums.busy_ns += columns[k].busy_ns;
        sums.count += columns[k].count;
    }
    return sums;
}

static struct lane_unit unit_of(const struct trace *trace, uint64_t event)
{
    return lane_unit_at(session_lane(trace->session, trace->track, 0), event / BLOCK);
}

static int64_t unit_events(const struct trace *trace, int64_t time_ns)
{
    uint64_t at = 0;
    while (at + 1 < trace->count && trace->start_ns[at + 1] <= time_ns)
        at++;
    struct lane_unit unit = unit_of(trace, at);
    return (int64_t)((unit.end - unit.first) * BLOCK);
}

/* Where a block or unit begins, and no event before it does at the same time. */
static int64_t block_start(const struct trace *trace)
{
    for (;;) {
        uint64_t at = draw(trace->count / BLOCK) * BLOCK;
        if (unit_of(trace, at).first != at / BLOCK)
            continue;
        if (at == 0 || trace->start_ns[at] > trace->start_ns[at - 1])
            return trace->start_ns[at];
    }
}

static int64_t some_time(const struct trace *trace)
{
    return trace->start_ns[draw(trace->count)] + (int64_t)draw(300) - 150;
}

Test(fold, sums_over_time_stay)
{
    random_state = 20261121;
    for (int t = 0; t < 6; t++) {
        struct trace trace = trace_make(60000, 400000, false);
        trace_add(&trace, 20000 + draw(40000), t % 2 == 0 ? 40 : 3000);
        cr_assert(is_folded(&trace, 0) && !is_folded(&trace, trace.count - 1));
        struct sums all = columns_sum(&trace, trace.start_ns[0], trace.end_ns[trace.count - 1] + 1);
        cr_assert_eq(all.count, trace.count);
        for (int w = 0; w < 40; w++) {
            int64_t from = block_start(&trace), to = block_start(&trace);
            if (from >= to)
                continue;
            struct sums found = columns_sum(&trace, from, to), wanted = brute_force(&trace, from, to);
            cr_assert_eq(found.busy_ns, wanted.busy_ns, "%ld, not %ld", (long)found.busy_ns,
                         (long)wanted.busy_ns);
            cr_assert_eq(found.count, wanted.count);
        }
        for (int w = 0; w < 40; w++) { /* any window: the two blocks at its ends may be off */
            int64_t from = some_time(&trace), to = from + (int64_t)draw(3000000);
            struct sums found = columns_sum(&trace, from, to), wanted = brute_force(&trace, from, to);
            int64_t off = (int64_t)found.count - (int64_t)wanted.count;
            int64_t most = unit_events(&trace, from) + unit_events(&trace, to);
            cr_assert(off > -most && off < most, "%ld events off", (long)off);
        }
        trace_free(&trace);
    }
}

Test(fold, what_is_left_is_a_lane)
{
    random_state = 4;
    struct trace trace = trace_make(50000, 300000, false);
    trace_add(&trace, 50000, 900);
    int64_t before_ns = INT64_MIN, busy_ns = 0, wanted_ns = 0;
    uint64_t longest = 0, folded = 0;
    for (uint64_t i = 0; i < trace.count; i++) {
        int64_t start = session_event_start_ns(trace.session, ref_of(&trace, i));
        int64_t end = session_event_end_ns(trace.session, ref_of(&trace, i));
        cr_assert(start >= before_ns && end >= start, "event %lu", (unsigned long)i);
        before_ns = end;
        busy_ns += end - start;
        wanted_ns += trace.end_ns[i] - trace.start_ns[i];
        longest = trace.end_ns[i] - trace.start_ns[i] > trace.end_ns[longest] - trace.start_ns[longest]
                      ? i
                      : longest;
        folded += is_folded(&trace, i);
        if (!is_folded(&trace, i))
            cr_assert_eq(session_event_item(trace.session, ref_of(&trace, i)).launch.kernel, i);
    }
    cr_assert_eq(busy_ns, wanted_ns);
    cr_assert_gt(folded, trace.count / 2);
    struct lod_column column;
    lod_query(trace.session, trace.track, 0, trace.start_ns[0], before_ns, &column, 1);
    cr_assert_eq(unit_of(&trace, column.longest).first, unit_of(&trace, longest).first);
    cr_assert_eq(session_folded_until_ns(trace.session, CLOCK_MODEL), INT64_MIN);
    cr_assert_gt(session_folded_until_ns(trace.session, CLOCK_WALL), trace.start_ns[folded / 2]);
    trace_free(&trace);
}

/* Of the longest of a block, its kernel is kept. */
Test(fold, blocks_show_their_longest)
{
    random_state = 11;
    struct trace trace = trace_make(20000, 200000, false);
    trace_add(&trace, 20000, 900);
    for (uint64_t first = 0, end; is_folded(&trace, first); first = end) {
        uint64_t longest = first;
        end = unit_of(&trace, first).end * BLOCK;
        for (uint64_t i = first; i < end; i++)
            longest = trace.end_ns[i] - trace.start_ns[i] > trace.end_ns[longest] - trace.start_ns[longest]
                          ? i
                          : longest;
        struct item item = session_event_item(trace.session, ref_of(&trace, first + draw(end - first)));
        cr_assert(item.kind == ITEM_LAUNCH && item.launch.call_start_ns == INT64_MIN);
        cr_assert_eq(item.launch.kernel, longest);
    }
    trace_free(&trace);
}

Test(fold, memory_stays_below_the_limit)
{
    random_state = 8;
    struct trace trace = trace_make(400000, 2000000, false);
    for (int part = 0; part < 20; part++) {
        trace_add(&trace, 20000, 900);
        cr_assert_lt(session_memory_bytes(trace.session), 2000000 * 17 / 16);
    }
    cr_assert(!is_folded(&trace, trace.count - 10000), "more left than had to");
    trace_free(&trace);
}

/* Over a hundred times more events than the limit has room for: what is left of them is folded again and
 * again, so the part of the limit that it takes does not grow, and its sums stay exact from unit to unit. */
Test(fold, is_folded_again_without_end)
{
    random_state = 21;
    size_t limit = 1000000;
    struct trace trace = trace_make(3000000, limit, false);
    trace.even = true;
    uint64_t newest = 0;
    for (int part = 0; part < 30; part++) {
        trace_add(&trace, 100000, 40);
        cr_assert_lt(session_memory_bytes(trace.session), limit * 17 / 16, "after %d", part);
        newest = trace.count;
        while (newest > 0 && !is_folded(&trace, newest - 1))
            newest--;
        cr_assert_gt(trace.count - newest, part < 3 ? 0 : limit / 2 / 41,
                     "only %lu events left whole after %d", (unsigned long)(trace.count - newest), part);
    }
    struct lane_unit oldest = unit_of(&trace, 0x2000);
    cr_assert_gt(oldest.end - oldest.first, 128, "units of %lu blocks",
                 (unsigned long)(oldest.end - oldest.first));
    cr_assert_eq(unit_of(&trace, newest).end - unit_of(&trace, newest).first, 1);
    struct sums all = columns_sum(&trace, trace.start_ns[0], trace.end_ns[trace.count - 1] + 1);
    cr_assert_eq(all.count, trace.count);
    for (int w = 0; w < 20; w++) {
        int64_t from = block_start(&trace), to = block_start(&trace);
        if (from >= to)
            continue;
        struct sums found = columns_sum(&trace, from, to), wanted = brute_force(&trace, from, to);
        cr_assert_eq(found.busy_ns, wanted.busy_ns, "%ld, not %ld", (long)found.busy_ns,
                     (long)wanted.busy_ns);
        cr_assert_eq(found.count, wanted.count);
    }
    trace_free(&trace);
}

/* What others hold for the session is part of its memory: it displaces events. */
Test(fold, makes_room_for_what_others_hold)
{
    random_state = 8;
    struct trace trace = trace_make(60000, 2000000, false);
    trace_add(&trace, 40000, 900);
    cr_assert(!is_folded(&trace, 0));
    cr_assert(session_has_room_beside(trace.session, 1000000) &&
              !session_has_room_beside(trace.session, 1000001));
    size_t before = session_memory_bytes(trace.session);
    session_count_memory(trace.session, 900000);
    cr_assert_eq(session_memory_bytes(trace.session), before + 900000);
    cr_assert(session_has_room_beside(trace.session, 100000) &&
              !session_has_room_beside(trace.session, 100001));
    trace_add(&trace, 2000, 900);
    cr_assert(is_folded(&trace, 0));
    cr_assert_leq(session_memory_bytes(trace.session), 2000000);
    session_count_memory(trace.session, -900000);
    trace_free(&trace);
}

Test(fold, waits_for_the_recording)
{
    random_state = 8;
    struct trace trace = trace_make(60000, 500000, true);
    trace_add(&trace, 30000, 900);
    cr_assert(!is_folded(&trace, 0));
    session_set_recorded(trace.session, trace.track, 0, 10000);
    trace_add(&trace, 1000, 900);
    cr_assert(is_folded(&trace, 0) && is_folded(&trace, 8000) && !is_folded(&trace, 10000));
    trace_free(&trace);
}

Test(fold, frees_nothing_that_is_held)
{
    random_state = 8;
    struct trace trace = trace_make(90000, 500000, false);
    unsigned hold = session_hold(trace.session), other = session_hold(trace.session);
    cr_assert_neq(hold, other);
    session_let_go(trace.session, other);
    trace_add(&trace, 40000, 900);
    cr_assert(is_folded(&trace, 0));
    cr_assert_gt(session_memory_bytes(trace.session), 40000 * 40);
    session_let_go(trace.session, hold);
    trace_add(&trace, 1000, 900);
    cr_assert_lt(session_memory_bytes(trace.session), 600000);
    trace_free(&trace);
}
