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

/* Is it folded, and not refilled now? */
static inline bool lane_chunk_is_folded(const struct lane *lane, uint32_t chunk)
{
    return lane_chunk_whole(lane_chunk_at(lane, chunk)) == NULL;
}

/* Memory for the chunk's events, lane_chunk_bytes of it, to be freed with free; NULL: there is none. */
struct lane_block *lane_refill_begin(uint32_t chunk);
/* The event at index, one of the chunk, ascending. False: none such was in the lane. */
bool lane_refill_put(const struct lane *lane, struct lane_block *blocks, uint64_t index, int64_t start_ns,
                     int64_t end_ns, const struct item *item);
/* All are put: are they what left? Compares each block's beginning, its sum and its longest event, and
 * completes it. The caller holds the session. */
bool lane_refill_fits(const struct lane *lane, uint32_t chunk, struct lane_block *blocks);

void lane_refill_lay(struct lane *lane, uint32_t chunk, struct lane_block *blocks);
/* Its memory, in which readers may still be. */
struct lane_block *lane_refill_lift(struct lane *lane, uint32_t chunk);

#endif
