/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree's leaves are the lanes' ends, an inner node the smaller of its children; it doubles with the
 * lanes, and a leaf without a lane is free since ever.
 */
#include "core/session/session_internal.h"

#include <stdlib.h>

void track_init(struct track *track, const struct track_row *row, struct lane_pool *pool)
{
    track->pool = pool;
    track->row = *row;
    atomic_store_explicit(&track->row.lane_count, 0, memory_order_relaxed);
    table_init(&track->lanes, sizeof(struct lane), 0);
    track->last_end_ns = INT64_MIN;
    track->ends_ns = NULL;
    track->tree_lanes = 0;
    for (size_t i = 0; i < COPY_KIND_COUNT; i++)
        track->engines[i] = NONE;
}

void track_fini(struct track *track)
{
    for (uint32_t i = 0; i < table_count(&track->lanes); i++)
        lane_fini(table_at(&track->lanes, i));
    table_fini(&track->lanes);
    free(track->ends_ns);
}

static int64_t smaller_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void tree_set(struct track *track, uint32_t lane, int64_t end_ns)
{
    uint32_t node = track->tree_lanes + lane;
    track->ends_ns[node] = end_ns;
    for (node /= 2; node > 0; node /= 2)
        track->ends_ns[node] = smaller_of(track->ends_ns[2 * node], track->ends_ns[2 * node + 1]);
}

static bool tree_grow(struct track *track, _Atomic size_t *memory_bytes)
{
    uint32_t lanes = track->tree_lanes == 0 ? 4 : track->tree_lanes * 2;
    int64_t *ends_ns = malloc((size_t)lanes * 2 * sizeof *ends_ns);
    if (!ends_ns)
        return false;
    for (uint32_t i = 0; i < lanes; i++)
        ends_ns[lanes + i] = i < track->tree_lanes ? track->ends_ns[track->tree_lanes + i] : INT64_MIN;
    for (uint32_t i = lanes - 1; i > 0; i--)
        ends_ns[i] = smaller_of(ends_ns[2 * i], ends_ns[2 * i + 1]);
    atomic_fetch_add_explicit(memory_bytes, (size_t)(lanes - track->tree_lanes) * 2 * sizeof *ends_ns,
                              memory_order_relaxed);
    free(track->ends_ns);
    track->ends_ns = ends_ns;
    track->tree_lanes = lanes;
    return true;
}

/* The first lane from first_lane on that is free at start_ns; it may be a new one. */
static uint32_t tree_find(const struct track *track, uint32_t first_lane, int64_t start_ns)
{
    if (first_lane >= track->tree_lanes)
        return first_lane;
    /* Go up until there is a free lane in the subtree to the right, then down to its first one. */
    uint32_t node = track->tree_lanes + first_lane;
    while (track->ends_ns[node] > start_ns) {
        while (node % 2 == 1)
            node /= 2;
        if (node == 0)
            return track->tree_lanes;
        node++;
    }
    while (node < track->tree_lanes)
        node = track->ends_ns[2 * node] <= start_ns ? 2 * node : 2 * node + 1;
    return node - track->tree_lanes;
}

static bool lanes_reach(struct track *track, uint32_t lane, _Atomic size_t *memory_bytes)
{
    while (table_count(&track->lanes) <= lane) {
        struct lane *row = table_next(&track->lanes, memory_bytes);
        if (!row)
            return false;
        lane_init(row, track->pool);
        uint32_t index = table_publish(&track->lanes);
        atomic_store_explicit(&track->row.lane_count, index + 1, memory_order_release);
    }
    return true;
}

enum track_result track_add(struct track *track, int64_t start_ns, int64_t end_ns, const struct item *item,
                            uint32_t first_lane, _Atomic size_t *memory_bytes)
{
    uint32_t lane = tree_find(track, first_lane, start_ns);
    if (lane >= SESSION_TRACK_LANES_MAX)
        return TRACK_TOO_MANY_LANES;
    while (lane >= track->tree_lanes)
        if (!tree_grow(track, memory_bytes))
            return TRACK_NO_MEMORY;
    if (!lanes_reach(track, lane, memory_bytes) ||
        !lane_append(table_at(&track->lanes, lane), start_ns, end_ns, item, memory_bytes))
        return TRACK_NO_MEMORY;
    tree_set(track, lane, end_ns);
    bool late = end_ns < track->last_end_ns;
    if (!late)
        track->last_end_ns = end_ns;
    return late ? TRACK_ADDED_LATE : TRACK_ADDED;
}
