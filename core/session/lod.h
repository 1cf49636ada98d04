/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level of detail: what a lane looks like through columns. For each column of a time range: ns covered by
 * events (clipped to the column), how many events start in it, and the longest event that touches it.
 * Coverage is summed, never point-sampled: nothing small vanishes.
 *
 * Reader side, any thread. The cost follows the columns, not the lane's events.
 */
#ifndef CORE_SESSION_LOD_H
#define CORE_SESSION_LOD_H

#include "core/session/session.h"

struct lod_column {
    int64_t busy_ns;
    uint64_t count;   /* events that start in the column */
    uint64_t longest; /* index of the longest event that touches it, the first of equal ones; UINT64_MAX: none
                         touches it */
};

/* Fills columns[0..count) for [start_ns, end_ns) cut into `count` columns; column k covers [start +
 * k*(end-start)/count, start + (k+1)*(end-start)/count) in exact integer arithmetic. A column narrower than 1
 * ns has no time and no starts; its longest event is the one that it lies in. */
void lod_query(const struct session *session, uint32_t track, uint32_t lane, int64_t start_ns, int64_t end_ns,
               struct lod_column *columns, size_t count);

/* The same, but only with events of at least least_ns for which `keep` is true. The cost grows with the
 * events of those columns that have an event long enough. */
void lod_query_where(const struct session *session, uint32_t track, uint32_t lane, int64_t start_ns,
                     int64_t end_ns, struct lod_column *columns, size_t count, int64_t least_ns,
                     bool (*keep)(void *context, const struct item *item), void *context);

/* Prefetches the longest events of all columns together: with ten million events each of them is probably a
 * cache miss. */
void lod_fetch_longest(const struct session *session, uint32_t track, uint32_t lane,
                       const struct lod_column *columns, size_t count);

/* The bounds of column k in lod_query. */
int64_t lod_column_start_ns(int64_t start_ns, int64_t end_ns, size_t count, size_t k);

#endif
