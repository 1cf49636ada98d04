/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads wait for besides barriers: the blocks of a cluster, copies and arrivals that complete later
 * than their instruction, and mbarriers. For simt/engine.
 */
#ifndef SIMT_ENGINE_ASYNC_H
#define SIMT_ENGINE_ASYNC_H

#include "simt/check/check.h"
#include "simt/engine/warp.h"
#include "simt/memory/mbarrier.h"
#include "simt/memory/memory.h"

#include <stdlib.h>

/* ---- work that completes later ---- */

/*
 * Copies in bulk (cp.async.bulk and the like), and the arrivals of cp.async.mbarrier.arrive: work that
 * completes later than its instruction. It is done when a thread looks at the mbarrier that it arrives at, or
 * waits for its group, and not before: where the wait is missing, the destination still has its old content.
 * What is in no waited group is done when its block ends.
 *
 * The source is read when it is done; PTX does not say when in between.
 */

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
/* Completes all but the last `open` committed groups of each lane; `read`: as far as their sources are read. */
bool warp_bulk_wait(struct worker *worker, struct warp *warp, uint32_t on, uint32_t open, bool read);

/* The block ends. */
bool bulk_end(struct worker *worker);

/* ---- clusters ---- */

/*
 * The blocks of a cluster, which are resident together: their shared memory, which each may access, the
 * cluster's barrier, and the copies that complete later. A block outside of clusters is one of a cluster of
 * its own. Owned and run by one worker, like its blocks.
 */

struct cluster {
    uint64_t number;  /* among those of the launch */
    uint32_t size;    /* blocks */
    uint32_t alive;   /* threads that have not ended, of all blocks */
    uint32_t arrived; /* at the barrier, in this phase */
    uint32_t phase;
    struct memory_range shared[MEMORY_CLUSTER_BLOCKS]; /* by rank, at MEMORY_CLUSTER_ADDRESS */
    struct bulk_queue queue;
};

/* A cluster of so many blocks and threads begins; then each block is added with its shared memory. */
void cluster_begin(struct cluster *cluster, uint64_t number, uint32_t size, uint32_t threads);
void cluster_add(struct cluster *cluster, uint32_t rank, const struct memory_range *shared);
static inline void cluster_fini(struct cluster *cluster)
{
    bulk_queue_fini(&cluster->queue);
}

/* The window that contains an address of shared memory beyond the own block's; NULL: none. */
static inline const struct memory_range *cluster_window(const struct cluster *cluster, uint64_t address)
{
    uint64_t rank = address / MEMORY_WINDOW_BYTES - 1;
    return rank < cluster->size ? &cluster->shared[rank] : NULL;
}

/* barrier.cluster: the lanes arrive. PTX allows no second arrival before the wait. */
void cluster_arrive(struct worker *worker, struct warp *warp, uint32_t lanes);
/* Whether all threads have arrived in the phases in which these lanes did. */
bool cluster_has_met(struct worker *worker, const struct warp *warp, uint32_t lanes);
/* Threads have ended: the barrier does not wait for them. */
void cluster_threads_end(struct worker *worker, const struct warp *warp, uint32_t lanes);

/* ---- mbarriers ---- */

/*
 * mbarrier instructions: barriers in shared memory (simt/memory/mbarrier.h). A test of a phase that has not
 * ended waits until it has: test_wait and try_wait are the same, since a GPU may run a thread as late as it
 * likes. When no other thread can run, the test returns false, as when the time of a try_wait is over
 * (mbarrier_expire).
 */

/* Executes one that does not wait, for the lanes `on`. */
enum warp_stop warp_mbarrier(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
/* Tests the phases that the lanes `on` name. If the phase of any lane has ended, all get their results, and
 * *passed is set. False: the worker's fault says why. */
bool warp_mbarrier_test(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on, bool *passed);
/* The time of a test is over: false for the lanes `on`. Returns the cycles that it took. */
uint64_t warp_mbarrier_expire(const struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
/* Fills in what the mbarrier of the first of these lanes waits for. */
void warp_mbarrier_describe(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t on,
                            struct check_report *report);

#endif
