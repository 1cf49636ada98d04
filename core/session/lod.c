/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns are answered in order; the memory that later ones need is prefetched in two steps, FAR and NEAR
 * columns ahead.
 */
#include "core/session/lod.h"

#include "core/session/session_internal.h"

int64_t lod_column_start_ns(int64_t start_ns, int64_t end_ns, size_t count, size_t k)
{
    /* start + floor(k * span / count), without a product that could overflow: count and k are columns of a
     * screen. */
    uint64_t span_ns = (uint64_t)end_ns - (uint64_t)start_ns;
    uint64_t offset_ns = span_ns / count * k + span_ns % count * k / count;
    return (int64_t)((uint64_t)start_ns + offset_ns);
}

/* A column's memory is prefetched this many columns before it is read. */
#define FAR 32
#define NEAR 12
/* Columns whose longest events are searched together, one level at a time. */
#define BATCH 32

static void columns_expect(const struct lane *lane, uint64_t events, int64_t start_ns, int64_t end_ns,
                           size_t count, size_t k)
{
    if (k + FAR <= count)
        lane_expect_far(lane, lod_column_start_ns(start_ns, end_ns, count, k + FAR));
    if (k + NEAR <= count)
        lane_expect_near(lane, events, lod_column_start_ns(start_ns, end_ns, count, k + NEAR));
}

/* The columns; `longest` is the first event that touches each of them. */
static void find_longest(const struct lane *lane, struct lod_column *columns, size_t count)
{
    struct lane_longest longest[BATCH];
    uint32_t levels = 0;
    for (size_t k = 0; k < count; k++) {
        struct lod_column *column = &columns[k];
        longest[k] = (struct lane_longest){.index = UINT64_MAX};
        if (column->longest != UINT64_MAX)
            longest[k] = lane_longest_begin(lane, column->longest, column->count);
        levels = longest[k].level > levels ? longest[k].level : levels;
    }
    for (; levels > 0; levels--)
        for (size_t k = 0; k < count; k++)
            lane_longest_step(lane, &longest[k]);
    for (size_t k = 0; k < count; k++)
        columns[k].longest = longest[k].index;
}

void lod_query(const struct session *session, uint32_t track, uint32_t lane_index, int64_t start_ns,
               int64_t end_ns, struct lod_column *columns, size_t count)
{
    const struct lane *lane = session_lane(session, track, lane_index);
    uint64_t events = !lane ? 0 : lane_count(lane);
    if (events == 0 || end_ns <= start_ns) {
        for (size_t k = 0; k < count; k++)
            columns[k] = (struct lod_column){.longest = UINT64_MAX};
        return;
    }
    for (size_t k = 0; k < FAR && k <= count; k++)
        lane_expect_far(lane, lod_column_start_ns(start_ns, end_ns, count, k));
    for (size_t k = 0; k < NEAR && k <= count; k++)
        lane_expect_near(lane, events, lod_column_start_ns(start_ns, end_ns, count, k));
    struct lane_edge left = lane_edge_at(lane, events, start_ns);
    uint64_t started = left.started;
    for (size_t k = 0; k < count; k++) {
        columns_expect(lane, events, start_ns, end_ns, count, k);
        int64_t column_end_ns = lod_column_start_ns(start_ns, end_ns, count, k + 1);
        /* Nothing more starts before the column's end: the usual case in a deep zoom. */
        bool quiet =
            !left.inside && (left.started == events || lane_start_ns(lane, left.started) >= column_end_ns);
        struct lane_edge right = quiet ? left : lane_edge_at(lane, events, column_end_ns);
        uint64_t first = left.inside ? left.started - 1 : left.started;
        columns[k] = (struct lod_column){.busy_ns = right.busy_ns - left.busy_ns,
                                         .count = right.started,
                                         .longest = quiet || first == right.started ? UINT64_MAX : first};
        if (right.started - first > 1)
            lane_expect_longest(lane, right.started);
        left = right;
    }
    for (size_t k = 0; k < count; k += BATCH)
        find_longest(lane, columns + k, count - k < BATCH ? count - k : BATCH);
    for (size_t k = 0; k < count; k++) {
        uint64_t before = columns[k].count;
        columns[k].count -= started;
        started = before;
    }
}

void lod_query_where(const struct session *session, uint32_t track, uint32_t lane_index, int64_t start_ns,
                     int64_t end_ns, struct lod_column *columns, size_t count, int64_t least_ns,
                     bool (*keep)(void *context, const struct item *item), void *context)
{
    const struct lane *lane = session_lane(session, track, lane_index);
    lod_query(session, track, lane_index, start_ns, end_ns, columns, count);
    uint64_t events = !lane ? 0 : lane_count(lane);
    for (size_t k = 0; k < count; k++) {
        uint64_t longest = columns[k].longest;
        if (longest == UINT64_MAX)
            continue;
        columns[k] = (struct lod_column){.longest = UINT64_MAX};
        if (lane_duration_ns(lane, longest) < least_ns)
            continue;
        int64_t from_ns = lod_column_start_ns(start_ns, end_ns, count, k);
        int64_t to_ns = lod_column_start_ns(start_ns, end_ns, count, k + 1), longest_ns = -1;
        uint64_t i = lane_find_start(lane, events, from_ns);
        if (i > 0 && lane_start_ns(lane, i - 1) + lane_duration_ns(lane, i - 1) > from_ns)
            i--;
        for (; i < events && lane_start_ns(lane, i) < to_ns; i++) {
            int64_t start = lane_start_ns(lane, i), duration_ns = lane_duration_ns(lane, i);
            struct item item = lane_item(lane, i);
            if (duration_ns < least_ns || !keep(context, &item))
                continue;
            int64_t end = start + duration_ns < to_ns ? start + duration_ns : to_ns;
            columns[k].busy_ns += end - (start > from_ns ? start : from_ns);
            columns[k].count += start >= from_ns;
            if (duration_ns > longest_ns) {
                longest_ns = duration_ns;
                columns[k].longest = i;
            }
        }
    }
}

void lod_fetch_longest(const struct session *session, uint32_t track, uint32_t lane_index,
                       const struct lod_column *columns, size_t count)
{
    const struct lane *lane = session_lane(session, track, lane_index);
    uint64_t before = UINT64_MAX;
    for (size_t k = 0; k < count; k++) {
        if (columns[k].longest != UINT64_MAX && columns[k].longest != before)
            lane_expect_event(lane, columns[k].longest);
        before = columns[k].longest;
    }
}
