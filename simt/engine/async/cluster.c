/* Each warp remembers which of its lanes have arrived, and in which phase: lanes that arrived in an earlier
 * one have been met. */
#include "simt/engine/async/cluster.h"

#include "simt/engine/worker.h"

void cluster_begin(struct cluster *cluster, uint64_t number, uint32_t size, uint32_t threads)
{
    cluster->number = number;
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

/* ---- order ---- */
/* Of the cluster's barrier: no mbarrier is there. */
#define BARRIER_ADDRESS (MEMORY_WINDOW_BYTES - 1)
/* Addresses of all clusters' barriers beside those of global memory. */
#define ORDER_BASE (UINT64_C(1) << 63)
#define ORDER_CLUSTER_BYTES (UINT64_C(1) << 28)

/* Barriers of a block alone are among its own flags. Returns whether this is one. */
static bool order_place(const struct worker *worker, uint64_t *address)
{
    const struct cluster *cluster = worker->cluster;
    bool common = *address == BARRIER_ADDRESS;
    if (cluster->size == 1) {
        *address %= MEMORY_WINDOW_BYTES;
        return true;
    }
    if (*address < MEMORY_WINDOW_BYTES && !common)
        *address += MEMORY_CLUSTER_ADDRESS(worker->block.rank);
    *address += ORDER_BASE + cluster->number * ORDER_CLUSTER_BYTES;
    return false;
}

void cluster_order_arrival(struct worker *worker, uint32_t warp, uint64_t address)
{
    if (!worker->order)
        return;
    bool own = order_place(worker, &address);
    order_publish(worker->order, warp, own, address, SYNC_STRONG | SYNC_RELEASE | (own ? 0 : SYNC_WIDE),
                  true);
}

void cluster_order_wait(struct worker *worker, const struct warp *warp, uint32_t lanes, uint64_t address)
{
    if (!worker->order)
        return;
    bool own = order_place(worker, &address);
    order_observe(worker->order, warp->index, lanes, own, address,
                  SYNC_STRONG | SYNC_ACQUIRE | (own ? 0 : SYNC_WIDE));
    order_meet_warp(worker->order, warp->index, lanes, warp->alive);
}

/* ---- the barrier ---- */
static void cluster_meet(struct worker *worker)
{
    struct cluster *cluster = worker->cluster;
    if (cluster->arrived == 0 || cluster->arrived < cluster->alive)
        return;
    cluster->arrived = 0;
    cluster->phase++;
    worker->block.changes++;
}

void cluster_arrive(struct worker *worker, struct warp *warp, uint32_t lanes)
{
    struct cluster *cluster = worker->cluster;
    if (warp->cluster_phase != cluster->phase)
        warp->cluster_came = 0;
    warp->cluster_phase = cluster->phase;
    cluster->arrived += (uint32_t)__builtin_popcount(lanes & ~warp->cluster_came);
    warp->cluster_came |= lanes;
    cluster_order_arrival(worker, warp->index, BARRIER_ADDRESS);
    cluster_meet(worker);
}

bool cluster_has_met(struct worker *worker, const struct warp *warp, uint32_t lanes)
{
    if (warp->cluster_phase == worker->cluster->phase && warp->cluster_came & lanes)
        return false;
    cluster_order_wait(worker, warp, lanes, BARRIER_ADDRESS);
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
