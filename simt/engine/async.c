/* SPDX-License-Identifier: Apache-2.0 */
/* What blocks of a cluster share, work that completes later than its instruction, and mbarriers. Lanes are
 * executed one after the other, in the order of lanes, as atomics are. */
#include "simt/engine/async.h"

#include "core/base/array.h"
#include "simt/engine/warp_memory.h"
#include "simt/engine/worker.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *slot_32(const struct warp *warp, uint32_t slot)
{
    return (uint32_t *)(void *)(warp->frame + slot);
}

static uint64_t *slot_64(const struct warp *warp, uint32_t slot)
{
    return (uint64_t *)(void *)(warp->frame + slot);
}

/* Sets the worker's fault, unless the result is OK. */
static bool mbarrier_allow(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lane,
                           uint64_t address, enum mbarrier_result result)
{
    if (result == MBARRIER_OK)
        return true;
    worker->fault = worker_report(worker, warp, CHECK_MBARRIER, pc, lane);
    worker->fault.space = PTX_SHARED;
    worker->fault.address = address;
    worker->fault.mbarrier_fault = result;
    return false;
}

/* ---- clusters ---- */

/*
 * Each warp remembers which of its lanes have arrived, and in which phase: lanes that arrived in an earlier
 * one have been met.
 */

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

/* For the checks for races: lanes arrive at a barrier at this address of .shared::cluster, or pass it after
 * all that have arrived. */
static void cluster_order_arrival(struct worker *worker, uint32_t warp, uint64_t address)
{
    if (!worker->order)
        return;
    bool own = order_place(worker, &address);
    order_publish(worker->order, warp, own, address, SYNC_STRONG | SYNC_RELEASE | (own ? 0 : SYNC_WIDE),
                  true);
}

static void cluster_order_wait(struct worker *worker, const struct warp *warp, uint32_t lanes,
                               uint64_t address)
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

/* ---- copies in bulk ---- */

/* The items of a cluster's queue, in the order of issue; those that are done are removed. */

#define BULK_UNIT 16 /* sizes and addresses of bulk copies are multiples of it */
#define STORE_BYTES_MAX 16

struct bulk_place { /* bytes in a range of memory */
    struct memory_range range;
    uint64_t at; /* from its start */
};

struct bulk_item {
    uint64_t block; /* that issued it */
    uint32_t pc, warp, lane;
    uint32_t group;   /* of the lane, if it completes as part of one */
    uint64_t *word;   /* the mbarrier at which it arrives; NULL: it is part of a group */
    uint64_t address; /* of the mbarrier */
    bool arrival;     /* of cp.async: moves nothing itself */
    bool moved; /* its source has been read; what it writes is not there for threads before its group is */
    uint64_t bytes;
    struct bulk_place to, from;
    uint8_t value[STORE_BYTES_MAX]; /* st.async: what is stored */
    bool done;
};

static void queue_trim(struct bulk_queue *queue)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->count; i++)
        if (!queue->items[i].done)
            queue->items[kept++] = queue->items[i];
    queue->count = kept;
}

static struct bulk_item *queue_add(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lane)
{
    struct bulk_queue *queue = &worker->cluster->queue;
    if (queue->count == queue->capacity && !array_grow(queue->items, queue->capacity, queue->count, 1))
        return NULL;
    struct bulk_item *item = &queue->items[queue->count++];
    *item = (struct bulk_item){.block = worker->block.number, .pc = pc, .warp = warp->index, .lane = lane};
    return item;
}

/* ---- what an item does ---- */
static uint8_t *place_bytes(const struct bulk_place *place)
{
    return place->range.bytes + place->at;
}

static void item_reduce(const struct worker *worker, const struct bulk_item *item, const uint8_t *from,
                        const struct program_instruction *instruction)
{
    uint32_t size_bytes = ptx_type_bytes((enum ptx_type)instruction->type);
    bool global = instruction->bulk->way == BULK_TO_GLOBAL;
    for (uint64_t at = 0; at < item->bytes; at += size_bytes) {
        uint64_t operand = 0;
        memcpy(&operand, from + at, size_bytes);
        warp_atomic_combine(worker, global, instruction->bulk->operation, (enum ptx_type)instruction->type,
                            place_bytes(&item->to) + at, operand);
    }
}

static struct undefined_side side_of(const struct bulk_place *place, uint64_t block)
{
    uint64_t address = place->range.address + place->at;
    enum ptx_space space = address < MEMORY_CLUSTER_WINDOW_BYTES ? PTX_SHARED : PTX_GLOBAL;
    return (struct undefined_side){&place->range, place->at, undefined_key(space, block, 0, address)};
}

/* The bytes that it writes are as undefined as those that it reads. */
static void item_check(struct worker *worker, const struct bulk_item *item, bool copies)
{
    if (item->to.range.initialised)
        memory_mark(&item->to.range, item->to.at, item->bytes);
    if (!copies)
        return;
    const struct undefined_side from = side_of(&item->from, item->block),
                                to = side_of(&item->to, item->block);
    undefined_copy(worker->run->undefined, &from, &to, item->bytes);
}

/* Bytes of the block's own shared memory, or of global memory. */
static bool is_watched(const struct worker *worker, const struct bulk_place *place)
{
    return place->range.bytes == worker->block.shared.bytes ||
           (place->range.bytes && place->range.address >= MEMORY_CLUSTER_WINDOW_BYTES);
}

#define PIECE_BYTES 128

/* The checks of one side of a copy that begins or has ended, for one lane that has issued it. */
static void side_touch(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lane,
                       const struct bulk_place *place, uint64_t bytes, enum warp_touch touch)
{
    bool own = place->range.bytes == worker->block.shared.bytes;
    const struct memory_range *range = own ? &worker->block.shared : &place->range;
    uint64_t address = range->address + place->at;
    for (uint64_t done = 0, piece; is_watched(worker, place) && done < bytes; done += piece) {
        piece = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
        warp_touch(worker, warp, pc, own ? PTX_SHARED : PTX_GLOBAL, range, address + done, (uint32_t)piece,
                   lane, touch, NULL);
    }
}

/* What threads have written goes to a copy in bulk only across a fence of the proxies. */
static void proxy_check(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lane,
                        const struct bulk_place *from, uint64_t bytes)
{
    const struct order *order = worker->order;
    if (!order || !worker->shadow || from->range.bytes != worker->block.shared.bytes)
        return;
    for (uint64_t at = from->at; at < from->at + bytes; at += 4) {
        const struct shadow_access last = shadow_last_write(worker->shadow, at);
        uint32_t thread = shadow_thread(&last), written = shadow_instruction(&last);
        if (!last.run_kind || shadow_run(&last) != order->launch->run || last.block != order->block ||
            worker->run->program->instructions[written].op == PROGRAM_BULK ||
            last.clock <= order->proxied[thread / 32])
            continue;
        struct check_report report = worker_report(worker, warp, CHECK_PROXY, pc, lane);
        report.space = PTX_SHARED;
        report.address = at;
        report.width_bytes = 4;
        report.has_other = true;
        report.other_program = worker->run->program;
        report.other_instruction = written;
        worker_thread(worker->run, thread, report.other_thread);
        check_add(&worker->checks, &report);
        return;
    }
}

/* A copy begins. */
static void item_watch(struct worker *worker, const struct warp *warp, const struct bulk_item *item)
{
    const struct program_bulk *bulk = worker->run->program->instructions[item->pc].bulk;
    if (bulk->way != BULK_STORE) {
        proxy_check(worker, warp, item->pc, item->lane, &item->from, item->bytes);
        side_touch(worker, warp, item->pc, item->lane, &item->from, item->bytes, WARP_STARTS_READING);
    }
    if (!bulk->reduces)
        side_touch(worker, warp, item->pc, item->lane, &item->to, item->bytes, WARP_STARTS);
}

/* Its source has been read. */
static void item_release(struct worker *worker, const struct bulk_item *item)
{
    if (worker->run->program->instructions[item->pc].bulk->way != BULK_STORE &&
        item->block == worker->block.number)
        side_touch(worker, &worker->warps[item->warp], item->pc, item->lane, &item->from, item->bytes,
                   WARP_HAS_READ);
}

/* It has ended: what waits at its mbarrier comes after it. */
static void item_unwatch(struct worker *worker, const struct bulk_item *item)
{
    const struct program_bulk *bulk = worker->run->program->instructions[item->pc].bulk;
    struct bulk_place to = item->to;
    if (item->block != worker->block.number)
        return;
    if (item->moved)
        to.range.initialised = NULL; /* known since it was moved */
    side_touch(worker, &worker->warps[item->warp], item->pc, item->lane, &to, item->bytes,
               bulk->reduces ? WARP_REDUCES : WARP_ARRIVES);
    if (item->word)
        cluster_order_arrival(worker, item->warp, item->address);
}

static void item_move(struct worker *worker, struct bulk_item *item)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[item->pc];
    const uint8_t *from = instruction->bulk->way == BULK_STORE ? item->value : place_bytes(&item->from);
    item->moved = true;
    if (worker->run->check)
        item_check(worker, item, instruction->bulk->way != BULK_STORE && !instruction->bulk->reduces);
    if (instruction->bulk->reduces)
        item_reduce(worker, item, from, instruction);
    else
        memmove(place_bytes(&item->to), from, item->bytes);
    worker->block.changes++;
}

/* Does what the item stands for, and arrives at its mbarrier. */
static bool item_complete(struct worker *worker, struct bulk_item *item)
{
    enum mbarrier_result result = MBARRIER_OK;
    struct warp *warp = &worker->warps[item->warp];
    item->done = true;
    if (item->arrival) {
        warp_copy_wait(worker, warp, 1u << item->lane, UINT32_MAX);
        cluster_order_arrival(worker, item->warp, item->address);
        result = mbarrier_arrive(item->word, 1, false);
    } else {
        if (worker->run->check && !item->moved)
            item_release(worker, item);
        if (worker->run->check)
            item_unwatch(worker, item);
        if (!item->moved)
            item_move(worker, item);
        if (item->word)
            result = mbarrier_add_bytes(item->word, -(int64_t)item->bytes);
    }
    return mbarrier_allow(worker, warp, item->pc, item->lane, item->address, result);
}

/* Completes what arrives at the mbarrier, in order, until a phase ends. False: the worker's fault says why.
 */
static bool bulk_complete(struct worker *worker, uint64_t *word)
{
    struct bulk_queue *queue = &worker->cluster->queue;
    bool phase = mbarrier_phase(*word), good = true;
    uint32_t completed = 0;
    for (uint32_t i = 0; i < queue->count && good && mbarrier_phase(*word) == phase; i++) {
        if (queue->items[i].word == word) {
            good = item_complete(worker, &queue->items[i]);
            completed++;
        }
    }
    if (completed)
        queue_trim(queue);
    return good;
}

bool bulk_end(struct worker *worker)
{
    struct bulk_queue *queue = &worker->cluster->queue;
    bool good = true;
    for (uint32_t i = 0; i < queue->count && good; i++)
        if (!queue->items[i].word && queue->items[i].block == worker->block.number)
            good = item_complete(worker, &queue->items[i]);
    queue_trim(queue);
    return good;
}

/* ---- groups, and the arrivals of cp.async ---- */
void warp_bulk_commit(struct warp *warp, uint32_t on)
{
    for (uint32_t left = on; left; left &= left - 1)
        warp->bulk_group[__builtin_ctz(left)]++;
}

bool warp_bulk_wait(struct worker *worker, struct warp *warp, uint32_t on, uint32_t open, bool read)
{
    struct bulk_queue *queue = &worker->cluster->queue;
    bool good = true;
    for (uint32_t i = 0; i < queue->count && good; i++) {
        struct bulk_item *item = &queue->items[i];
        bool mine = !item->word && item->block == worker->block.number && item->warp == warp->index;
        if (!mine || !(on >> item->lane & 1u) || item->group + open >= warp->bulk_group[item->lane])
            continue;
        if (!read) {
            good = item_complete(worker, item);
        } else if (!item->moved) {
            if (worker->run->check)
                item_release(worker, item);
            item_move(worker, item);
        }
    }
    queue_trim(queue);
    return good;
}

/* cp.async.mbarrier.arrive of a lane at the mbarrier `word`: it arrives when the lane's copies of cp.async
 * have completed. False: out of memory. */
static bool bulk_arrive_later(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lane,
                              uint64_t *word, uint64_t address)
{
    struct bulk_item *item = queue_add(worker, warp, pc, lane);
    if (!item)
        return false;
    item->word = word;
    item->address = address;
    item->arrival = true;
    return true;
}

/* ---- issue ---- */
struct bulk_addresses { /* of the lanes */
    struct warp_access to, from, mbarrier;
};

static void addresses_take(const struct worker *worker, const struct warp *warp, uint32_t pc,
                           const struct program_bulk_address *address, bool shared, uint32_t on, bool store,
                           uint32_t width_bytes, struct warp_access *access)
{
    warp_access_begin(access, &worker->run->program->instructions[pc], on, store);
    access->width_bytes = width_bytes;
    warp_addresses(worker, warp, address->slot, address->offset, address->is_32_bits, access);
    for (int lane = 0; shared && lane < WARP_LANES; lane++)
        access->address[lane] = warp_shared_address(access->address[lane]);
}

static void addresses_find(const struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t on,
                           struct bulk_addresses *all)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const struct program_bulk *bulk = instruction->bulk;
    bool to_shared = bulk->way != BULK_TO_GLOBAL;
    bool from_shared = bulk->way == BULK_TO_GLOBAL || bulk->way == BULK_TO_CLUSTER;
    uint32_t unit = bulk->way == BULK_STORE ? instruction->width_bytes : BULK_UNIT;
    if (bulk->way != BULK_PREFETCH)
        addresses_take(worker, warp, pc, &bulk->to, to_shared, on, true, unit, &all->to);
    if (bulk->way != BULK_STORE)
        addresses_take(worker, warp, pc, &bulk->from, from_shared, on, false, unit, &all->from);
    if (bulk->way != BULK_TO_GLOBAL && bulk->way != BULK_PREFETCH)
        addresses_take(worker, warp, pc, &bulk->mbarrier, true, on, true, MBARRIER_BYTES, &all->mbarrier);
}

/* The bytes of one lane; false: the worker's fault says why. */
static bool place_find(struct worker *worker, const struct warp *warp, uint32_t pc, bool shared,
                       const struct warp_access *access, uint32_t lane, uint64_t bytes,
                       struct bulk_place *place)
{
    const struct memory_range *range =
        warp_locate(worker, warp, pc, shared ? PTX_SHARED : PTX_GLOBAL, access, lane, 0, (uint32_t)bytes);
    if (!range) {
        worker->fault.width_bytes =
            worker->fault.kind == CHECK_OUT_OF_BOUNDS ? bytes : worker->fault.width_bytes;
        return false;
    }
    *place = (struct bulk_place){.range = *range, .at = access->address[lane] - range->address};
    return true;
}

static uint64_t *mbarrier_find(struct worker *worker, const struct warp *warp, uint32_t pc,
                               const struct warp_access *access, uint32_t lane)
{
    struct bulk_place place;
    return place_find(worker, warp, pc, true, access, lane, MBARRIER_BYTES, &place)
               ? (uint64_t *)(void *)place_bytes(&place)
               : NULL;
}

/* What st.async stores. */
static void value_take(const struct warp *warp, const struct program_instruction *instruction, uint32_t lane,
                       struct bulk_item *item)
{
    uint32_t size_bytes = warp_element_bytes(instruction);
    for (uint32_t k = 0; k < instruction->vector; k++) {
        const uint8_t *slot = warp->frame + instruction->source[1 + k];
        memcpy(item->value + k * size_bytes, slot + (size_t)lane * size_bytes, size_bytes);
    }
}

/* One copy of one lane, to addresses as they are in `all`. */
static enum warp_stop bulk_issue(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t lane,
                                 uint64_t bytes, const struct bulk_addresses *all)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    enum program_bulk_way way = instruction->bulk->way;
    struct bulk_place to = {0}, from = {0};
    uint64_t *word = NULL;
    if (way != BULK_STORE &&
        !place_find(worker, warp, pc, way != BULK_TO_SHARED, &all->from, lane, bytes, &from))
        return WARP_FAILS;
    if (!place_find(worker, warp, pc, way != BULK_TO_GLOBAL, &all->to, lane, bytes, &to))
        return WARP_FAILS;
    if (way != BULK_TO_GLOBAL && !(word = mbarrier_find(worker, warp, pc, &all->mbarrier, lane)))
        return WARP_FAILS;
    struct bulk_item *item = queue_add(worker, warp, pc, lane);
    if (!item)
        return WARP_NO_MEMORY;
    item->bytes = bytes;
    item->to = to;
    item->from = from;
    item->word = word;
    item->address = word ? all->mbarrier.address[lane] : 0;
    item->group = warp->bulk_group[lane];
    if (way == BULK_STORE)
        value_take(warp, instruction, lane, item);
    if (worker->run->check)
        item_watch(worker, warp, item);
    return WARP_GOES_ON;
}

/* The same place in the shared memory of each block of the mask. */
static enum warp_stop bulk_multicast(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t lane,
                                     uint64_t bytes, struct bulk_addresses all, uint32_t blocks)
{
    enum warp_stop stop = WARP_GOES_ON;
    uint64_t to = all.to.address[lane] % MEMORY_WINDOW_BYTES;
    uint64_t mbarrier = all.mbarrier.address[lane] % MEMORY_WINDOW_BYTES;
    for (uint32_t left = blocks; left && stop == WARP_GOES_ON; left &= left - 1) {
        uint64_t window = MEMORY_CLUSTER_ADDRESS(__builtin_ctz(left));
        all.to.address[lane] = window + to;
        all.mbarrier.address[lane] = window + mbarrier;
        stop = bulk_issue(worker, warp, pc, lane, bytes, &all);
    }
    return stop;
}

/* The way of a copy's bytes through the caches: past L1. A copy to several blocks is read once. */
static void bulk_count(struct worker *worker, uint32_t pc, const struct bulk_addresses *all, uint32_t lane,
                       uint64_t bytes, uint32_t blocks)
{
    const struct program_bulk *bulk = worker->run->program->instructions[pc].bulk;
    bool writes = bulk->way == BULK_TO_GLOBAL;
    enum cache_access what = bulk->way == BULK_PREFETCH ? CACHE_PREFETCH_L2
                             : !writes                  ? CACHE_LOAD
                             : bulk->reduces            ? CACHE_ATOMIC
                                                        : CACHE_STORE;
    if (worker->run->uncounted || bytes == 0 || bulk->way == BULK_TO_CLUSTER || bulk->way == BULK_STORE)
        return;
    uint64_t address = writes ? all->to.address[lane] : all->from.address[lane], piece;
    uint64_t shared = writes                        ? all->from.address[lane]
                      : bulk->way == BULK_TO_SHARED ? all->to.address[lane]
                                                    : address;
    if (bulk->way != BULK_PREFETCH)
        count_bulk(&worker->counter, pc, address, shared, bytes, blocks);
    for (uint64_t done = 0; worker->log && done < bytes; done += piece) {
        piece = count_bulk_piece(shared + done, bytes - done);
        cache_log_range(worker->log, what, address + done, piece);
    }
}

/* The size of a lane's copy; false: the worker's fault says why. */
static bool bulk_size(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lane,
                      uint64_t *bytes)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    *bytes = instruction->width_bytes;
    if (instruction->bulk->way == BULK_STORE)
        return true;
    *bytes = slot_32(warp, instruction->source[2])[lane];
    if (*bytes % BULK_UNIT == 0)
        return true;
    worker->fault = worker_report(worker, warp, CHECK_BULK_SIZE, pc, lane);
    worker->fault.width_bytes = *bytes;
    return false;
}

enum warp_stop warp_bulk(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    enum program_bulk_way way = instruction->bulk->way;
    bool multicast = way == BULK_TO_SHARED && instruction->source[4] != PROGRAM_NO_SLOT;
    enum warp_stop stop = WARP_GOES_ON;
    struct bulk_addresses all;
    addresses_find(worker, warp, pc, on, &all);
    for (uint32_t left = on; left && stop == WARP_GOES_ON; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t bytes;
        if (!bulk_size(worker, warp, pc, lane, &bytes))
            return WARP_FAILS;
        uint32_t blocks = multicast ? slot_32(warp, instruction->source[4])[lane] & 0xffff : 1;
        if (multicast)
            stop = bulk_multicast(worker, warp, pc, lane, bytes, all, blocks);
        else if (way != BULK_PREFETCH)
            stop = bulk_issue(worker, warp, pc, lane, bytes, &all);
        if (stop == WARP_GOES_ON)
            bulk_count(worker, pc, &all, lane, bytes, (uint32_t)__builtin_popcount(blocks));
    }
    if (way == BULK_STORE && !worker->run->uncounted)
        count_cluster(&worker->counter, pc, &all.to);
    return stop;
}

/* ---- mbarriers ---- */

/* The time after which a try_wait without a hint gives up, in cycles. A GPU's is not documented. */
#define WAIT_CYCLES 1000000

/* The addresses of the lanes, in the space .shared::cluster. */
static void mbarrier_addresses(const struct worker *worker, const struct warp *warp,
                               const struct program_instruction *instruction, uint32_t on,
                               struct warp_access *access)
{
    warp_access_begin(access, instruction, on, true);
    warp_addresses(worker, warp, instruction->source[0], instruction->offset, instruction->address_is_32_bits,
                   access);
    for (int lane = 0; lane < WARP_LANES; lane++)
        access->address[lane] = warp_shared_address(access->address[lane]);
}

static uint64_t *mbarrier_word(struct worker *worker, const struct warp *warp, uint32_t pc,
                               const struct warp_access *access, uint32_t lane)
{
    const struct memory_range *range =
        warp_locate(worker, warp, pc, PTX_SHARED, access, lane, 0, MBARRIER_BYTES);
    return range ? (uint64_t *)(void *)(range->bytes + (access->address[lane] - range->address)) : NULL;
}

/* For the check for races: a thread that uses an mbarrier of its block comes after the one that makes it. */
static void word_touch(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lane,
                       const uint64_t *word, bool makes)
{
    const struct memory_range *own = &worker->block.shared;
    uint64_t at = (uintptr_t)word - (uintptr_t)own->bytes;
    if (worker->run->check && at < own->size_bytes)
        warp_touch(worker, warp, pc, PTX_SHARED, own, own->address + at, MBARRIER_BYTES, lane,
                   makes ? WARP_WRITES : WARP_UPDATES, NULL);
}

/* cp.async.mbarrier.arrive. */
static enum mbarrier_result arrive_after_copies(struct worker *worker, const struct warp *warp, uint32_t pc,
                                                uint32_t lane, uint64_t *word, uint64_t address, bool *memory)
{
    bool counted = worker->run->program->instructions[pc].sub == MBARRIER_DO_COPIES_NOINC;
    enum mbarrier_result result = counted ? MBARRIER_OK : mbarrier_expect_one(word);
    *memory = bulk_arrive_later(worker, warp, pc, lane, word, address);
    return result;
}

static enum mbarrier_result expect_and_arrive(uint64_t *word, uint32_t bytes, bool drop)
{
    enum mbarrier_result result = mbarrier_add_bytes(word, bytes);
    return result == MBARRIER_OK ? mbarrier_arrive(word, 1, drop) : result;
}

static enum mbarrier_result mbarrier_do(uint32_t sub, uint64_t *word, uint32_t count)
{
    struct mbarrier barrier;
    switch ((enum program_mbarrier)sub) {
    case MBARRIER_DO_INIT: return mbarrier_init(word, count);
    case MBARRIER_DO_INVAL:
        if (!mbarrier_read(*word, &barrier))
            return MBARRIER_IS_NONE;
        *word = 0;
        return MBARRIER_OK;
    case MBARRIER_DO_EXPECT: return mbarrier_add_bytes(word, count);
    case MBARRIER_DO_COMPLETE: return mbarrier_add_bytes(word, -(int64_t)count);
    case MBARRIER_DO_ARRIVE: return mbarrier_arrive(word, count, false);
    case MBARRIER_DO_DROP: return mbarrier_arrive(word, count, true);
    case MBARRIER_DO_EXPECT_ARRIVE: return expect_and_arrive(word, count, false);
    default: return expect_and_arrive(word, count, true);
    }
}

/* The number of a token's pending arrivals. */
static void pending_count(struct warp *warp, const struct program_instruction *instruction, uint32_t on)
{
    const uint64_t *tokens = slot_64(warp, instruction->source[1]);
    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct mbarrier barrier = {0};
        mbarrier_read(tokens[lane], &barrier);
        slot_32(warp, instruction->destination[0])[lane] = barrier.pending;
    }
}

enum warp_stop warp_mbarrier(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct warp_access access;
    uint64_t ordered = UINT64_MAX; /* the mbarrier of the lane before: one order for all lanes at it */
    if (instruction->sub == MBARRIER_DO_PENDING) {
        pending_count(warp, instruction, on);
        return WARP_GOES_ON;
    }
    mbarrier_addresses(worker, warp, instruction, on, &access);
    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t *word = mbarrier_word(worker, warp, pc, &access, lane);
        bool copies = instruction->sub >= MBARRIER_DO_COPIES, memory = true;
        if (!word)
            return WARP_FAILS;
        if (instruction->sub !=
            MBARRIER_DO_INVAL) /* a library's destructor gives its mbarriers up without an order */
            word_touch(worker, warp, pc, lane, word, instruction->sub == MBARRIER_DO_INIT);
        uint64_t before = *word;
        uint32_t count =
            instruction->source[1] == PROGRAM_NO_SLOT ? 1 : slot_32(warp, instruction->source[1])[lane];
        if (instruction->sub >= MBARRIER_DO_COMPLETE && !copies && access.address[lane] != ordered)
            cluster_order_arrival(worker, warp->index, ordered = access.address[lane]);
        enum mbarrier_result result =
            copies ? arrive_after_copies(worker, warp, pc, lane, word, access.address[lane], &memory)
                   : mbarrier_do(instruction->sub, word, count);
        if (!memory)
            return WARP_NO_MEMORY;
        if (!mbarrier_allow(worker, warp, pc, lane, access.address[lane], result))
            return WARP_FAILS;
        if (instruction->destination[0] != PROGRAM_NO_SLOT)
            slot_64(warp, instruction->destination[0])[lane] = before;
    }
    warp->polls = warp->yields = 0;
    worker->block.changes++;
    return WARP_GOES_ON;
}

/* ---- tests ---- */
static void results_set(struct warp *warp, const struct program_instruction *instruction, uint32_t on,
                        uint32_t passed)
{
    uint32_t *predicate = slot_32(warp, instruction->destination[0]);
    *predicate = (*predicate & ~on) | (passed & on);
}

/* The phase that the lane waits for has ended. Each lane may name another mbarrier. */
static bool phase_has_ended(const struct warp *warp, const struct program_instruction *instruction,
                            uint32_t lane, uint64_t word)
{
    bool waited = instruction->sub ? slot_32(warp, instruction->source[1])[lane] & 1u
                                   : mbarrier_phase(slot_64(warp, instruction->source[1])[lane]);
    return mbarrier_phase(word) != waited;
}

/* Lanes have passed: an mbarrier counts once for neighbouring lanes that name it. */
static void order_wait(struct worker *worker, const struct warp *warp, const struct warp_access *access,
                       uint32_t lanes)
{
    uint64_t before = UINT64_MAX;
    for (uint32_t left = worker->order ? lanes : 0; left; left &= left - 1) {
        uint64_t address = access->address[__builtin_ctz(left)];
        if (address != before)
            cluster_order_wait(worker, warp, lanes, address);
        before = address;
    }
}

bool warp_mbarrier_test(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on, bool *passed)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct warp_access access;
    struct mbarrier barrier;
    uint32_t ended = 0;
    mbarrier_addresses(worker, warp, instruction, on, &access);
    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t *word = mbarrier_word(worker, warp, pc, &access, lane);
        if (!word)
            return false;
        if (!mbarrier_allow(worker, warp, pc, lane, access.address[lane],
                            mbarrier_read(*word, &barrier) ? MBARRIER_OK : MBARRIER_IS_NONE))
            return false;
        if (!phase_has_ended(warp, instruction, lane, *word) && !bulk_complete(worker, word))
            return false;
        if (!phase_has_ended(warp, instruction, lane, *word))
            continue;
        word_touch(worker, warp, pc, lane, word, false);
        ended |= 1u << lane;
    }
    *passed = ended != 0;
    order_wait(worker, warp, &access, ended);
    if (ended)
        results_set(warp, instruction, on, ended);
    return true;
}

uint64_t warp_mbarrier_expire(const struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    results_set(warp, instruction, on, 0);
    return instruction->source[2] == PROGRAM_NO_SLOT
               ? WAIT_CYCLES
               : slot_32(warp, instruction->source[2])[__builtin_ctz(on)];
}

void warp_mbarrier_describe(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t on,
                            struct check_report *report)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    uint32_t lane = (uint32_t)__builtin_ctz(on);
    struct warp_access access;
    struct mbarrier barrier = {0};
    mbarrier_addresses(worker, warp, instruction, on, &access);
    const uint64_t *word = mbarrier_word(worker, warp, pc, &access, lane);
    if (word)
        mbarrier_read(*word, &barrier);
    report->space = PTX_SHARED;
    report->address = access.address[lane];
    report->at_mbarrier = true;
    report->mbarrier_arrivals = barrier.pending;
    report->mbarrier_bytes = barrier.bytes;
}
