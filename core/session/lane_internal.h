/* How a lane keeps times that have no room in 32 bits, for the files of core/session that read them one by
 * one. */
#ifndef CORE_SESSION_LANE_INTERNAL_H
#define CORE_SESSION_LANE_INTERNAL_H

#include "core/session/lane.h"

static inline const struct lane_long *lane_long_at(const struct lane *lane, uint32_t row)
{
    return table_at(lane_longs(lane), row);
}

/* The first row of `longs` at or after the event at index. */
static inline uint32_t lane_long_find(const struct lane *lane, uint64_t index)
{
    uint32_t low = 0, high = table_count(lane_longs(lane));
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lane_long_at(lane, middle)->index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline int64_t lane_start_in(const struct lane *lane, const struct lane_block *block, uint64_t index)
{
    uint32_t since_ns = block->starts_ns[index % LANE_BLOCK];
    return since_ns < UINT32_MAX ? block->start_ns + since_ns
                                 : lane_long_at(lane, lane_long_find(lane, index))->start_ns;
}

static inline int64_t lane_duration_in(const struct lane *lane, const struct lane_block *block,
                                       uint64_t index)
{
    uint32_t duration_ns = block->durations_ns[index % LANE_BLOCK];
    return duration_ns < UINT32_MAX ? duration_ns
                                    : lane_long_at(lane, lane_long_find(lane, index))->duration_ns;
}

#endif
