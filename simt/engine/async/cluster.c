/* Each warp remembers which of its lanes have arrived, and in which phase: lanes that arrived in an earlier
 * one have been met. */
#include "simt/engine/async/cluster.h"

#include "simt/engine/worker.h"

void cluster_begin(struct cluster *cluster, uint32_t size, uint32_t threads)
{
    cluster->size = size;
    cluster->alive = threads;
    cluster->arrived = cluster->phase = 0;
    cluster->queue.count = 0;
    for (uint32_t rank = 0; rank < MEMORY_CLUSTER_BLOCKS; rank++)
        cluster->shared[rank] = (struct memory_range){.address = MEMORY_CLUSTER_ADDRESS(rank)};
}

void cluster_add(struct cluster *cluster, uint32_t rank, const struct memory_range *shared)
{
    cluster->shared[rank] = *shared;
    cluster->shared[rank].address = MEMORY_CLUSTER_ADDRESS(rank);
}

void cluster_fini(struct cluster *cluster)
{
    bulk_queue_fini(&cluster->queue);
}

const struct memory_range *cluster_window(const struct cluster *cluster, uint64_t address)
{
    uint64_t rank = address / MEMORY_WINDOW_BYTES - 1;
    return rank < cluster->size ? &cluster->shared[rank] : NULL;
}

static void cluster_meet(struct worker *worker)
{
    struct cluster *cluster = worker->cluster;
    if (cluster->arrived == 0 || cluster->arrived < cluster->alive)
        return;
    cluster->arrived = 0;
    cluster->phase++;
    worker->block.changes++;
}

/* A key of no mbarrier, which is at a multiple of 8. */
#define BARRIER_KEY 1

void cluster_arrive(struct worker *worker, struct warp *warp, uint32_t lanes)
{
    struct cluster *cluster = worker->cluster;
    if (warp->cluster_phase != cluster->phase)
        warp->cluster_came = 0;
    warp->cluster_phase = cluster->phase;
    cluster->arrived += (uint32_t)__builtin_popcount(lanes & ~warp->cluster_came);
    warp->cluster_came |= lanes;
    if (worker->shadow)
        shadow_release(worker->shadow, warp->index, BARRIER_KEY);
    cluster_meet(worker);
}

bool cluster_has_met(struct worker *worker, const struct warp *warp, uint32_t lanes)
{
    if (warp->cluster_phase == worker->cluster->phase && warp->cluster_came & lanes)
        return false;
    if (worker->shadow)
        shadow_acquire(worker->shadow, warp->index, BARRIER_KEY);
    return true;
}

void cluster_threads_end(struct worker *worker, const struct warp *warp, uint32_t lanes)
{
    struct cluster *cluster = worker->cluster;
    cluster->alive -= (uint32_t)__builtin_popcount(lanes);
    if (warp->cluster_phase == cluster->phase)
        cluster->arrived -= (uint32_t)__builtin_popcount(lanes & warp->cluster_came);
    cluster_meet(worker);
}
