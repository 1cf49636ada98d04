/*
 * The blocks of a cluster, which are resident together: their shared memory, which each may access, the
 * cluster's barrier, and the copies that complete later. A block outside of clusters is one of a cluster of
 * its own. Owned and run by one worker, like its blocks.
 */
#ifndef SIMT_ENGINE_ASYNC_CLUSTER_H
#define SIMT_ENGINE_ASYNC_CLUSTER_H

#include "simt/engine/async/bulk.h"
#include "simt/engine/warp.h"
#include "simt/memory/memory.h"

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
void cluster_fini(struct cluster *cluster);

/* The window that contains an address of shared memory beyond the own block's; NULL: none. */
const struct memory_range *cluster_window(const struct cluster *cluster, uint64_t address);

/* For the checks for races: lanes arrive at a barrier at this address of .shared::cluster, or pass it after
 * all that have arrived. */
void cluster_order_arrival(struct worker *worker, uint32_t warp, uint64_t address);
void cluster_order_wait(struct worker *worker, const struct warp *warp, uint32_t lanes, uint64_t address);

/* barrier.cluster: the lanes arrive. PTX allows no second arrival before the wait. */
void cluster_arrive(struct worker *worker, struct warp *warp, uint32_t lanes);
/* Whether all threads have arrived in the phases in which these lanes did. */
bool cluster_has_met(struct worker *worker, const struct warp *warp, uint32_t lanes);
/* Threads have ended: the barrier does not wait for them. */
void cluster_threads_end(struct worker *worker, const struct warp *warp, uint32_t lanes);

#endif
