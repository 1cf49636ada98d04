/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folded chunk that gets the events again which had left memory: laid where they were, readers find them
 * there with nothing else changed, since all that was kept of them (where blocks begin, what is busy before
 * them, long events, the longest of all) still holds. They are made on any one thread, in memory of its own,
 * while readers see the folds; one thread lays them and lifts them again, and frees them as the memory limit
 * does: when all who held the session then have let go. Inside core only.
 */
#ifndef CORE_SESSION_LANE_REFILL_H
#define CORE_SESSION_LANE_REFILL_H

#include "core/session/lane.h"

/* Is the chunk folded, and not refilled now? */
static inline bool lane_chunk_is_folded(const struct lane *lane, uint32_t chunk)
{
    return !lane_chunk_whole(lane_chunk_at(lane, chunk));
}

/* Was it merged with others, so that what is left does not tell whether events are its own? */
static inline bool lane_chunk_is_merged(const struct lane *lane, uint32_t chunk)
{
    const struct lane_folds *folds = lane_chunk_folds(lane_chunk_at(lane, chunk));
    return folds && atomic_load_explicit(&folds->refilled, memory_order_acquire) == LANE_MERGED;
}

/* Memory for the chunk's events, lane_chunk_bytes of it, to be freed with free; NULL: no memory. */
struct lane_block *lane_refill_begin(uint32_t chunk);
/* Adds the event at index of the chunk, in ascending order. False: the lane had no such event. */
bool lane_refill_put(const struct lane *lane, struct lane_block *blocks, uint64_t index, int64_t start_ns,
                     int64_t end_ns, const struct item *item);
/* After all events were added: are they the evicted ones? Compares each block's start, sum and longest event,
 * and completes the block. The caller holds the session. */
bool lane_refill_fits(const struct lane *lane, uint32_t chunk, struct lane_block *blocks);

/* False: it is refilled already, or was merged with others meanwhile. */
bool lane_refill_lay(struct lane *lane, uint32_t chunk, struct lane_block *blocks);
/* Takes its memory away again; readers may still use it. */
struct lane_block *lane_refill_lift(struct lane *lane, uint32_t chunk);

#endif
