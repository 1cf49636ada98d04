/*
 * Copies in bulk (cp.async.bulk and the like), and the arrivals of cp.async.mbarrier.arrive: work that
 * completes later than its instruction. It is done when a thread looks at the mbarrier that it arrives at, or
 * waits for its group, and not before: where the wait is missing, the destination still has its old content.
 * What is in no waited group is done when its block ends.
 *
 * The source is read when it is done; PTX does not say when in between.
 */
#ifndef SIMT_ENGINE_ASYNC_BULK_H
#define SIMT_ENGINE_ASYNC_BULK_H

#include "simt/engine/warp.h"

#include <stdlib.h>

struct bulk_item; /* in the order of issue */
struct bulk_queue {
    struct bulk_item *items;
    uint32_t count, capacity;
};
static inline void bulk_queue_fini(struct bulk_queue *queue)
{
    free(queue->items);
    *queue = (struct bulk_queue){0};
}

/* Executes cp.async.bulk, cp.reduce.async.bulk, st.async and red.async for the lanes `on`. */
enum warp_stop warp_bulk(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
void warp_bulk_commit(struct warp *warp, uint32_t on);
/* Completes all but the last `open` committed groups of each lane. */
bool warp_bulk_wait(struct worker *worker, struct warp *warp, uint32_t on, uint32_t open);

/* cp.async.mbarrier.arrive of a lane at the mbarrier `word`: it arrives when the lane's copies of cp.async
 * have completed. False: out of memory. */
bool bulk_arrive_later(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lane,
                       uint64_t *word, uint64_t address);
/* Completes what arrives at the mbarrier, in order, until a phase ends. False: the worker's fault says why.
 */
bool bulk_complete(struct worker *worker, uint64_t *word);
/* The block ends. */
bool bulk_end(struct worker *worker);

#endif
