/* The items of a cluster's queue, in the order of issue; those that are done are removed. */
#include "simt/engine/async/bulk.h"

#include "core/base/array.h"
#include "simt/engine/async/mbarrier.h"
#include "simt/engine/warp_memory.h"

#include <stdlib.h>
#include <string.h>

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
    if (bulk->way != BULK_TO_GLOBAL && !bulk->reduces)
        side_touch(worker, warp, item->pc, item->lane, &item->to, item->bytes, WARP_STARTS);
}

/* It has ended: what waits at its mbarrier comes after it. */
static void item_unwatch(struct worker *worker, const struct bulk_item *item)
{
    const struct program_bulk *bulk = worker->run->program->instructions[item->pc].bulk;
    const struct warp *warp = &worker->warps[item->warp];
    if (item->block != worker->block.number)
        return;
    if (bulk->way != BULK_STORE)
        side_touch(worker, warp, item->pc, item->lane, &item->from, item->bytes, WARP_HAS_READ);
    side_touch(worker, warp, item->pc, item->lane, &item->to, item->bytes,
               bulk->reduces                 ? WARP_REDUCES
               : bulk->way == BULK_TO_GLOBAL ? WARP_WRITES
                                             : WARP_ARRIVES);
    if (item->word)
        cluster_order_arrival(worker, item->warp, item->address);
}

static void item_move(struct worker *worker, const struct bulk_item *item)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[item->pc];
    const uint8_t *from = instruction->bulk->way == BULK_STORE ? item->value : place_bytes(&item->from);
    if (worker->run->check) {
        item_unwatch(worker, item);
        item_check(worker, item, instruction->bulk->way != BULK_STORE && !instruction->bulk->reduces);
    }
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
        item_move(worker, item);
        if (item->word)
            result = mbarrier_add_bytes(item->word, -(int64_t)item->bytes);
    }
    return mbarrier_allow(worker, warp, item->pc, item->lane, item->address, result);
}

bool bulk_complete(struct worker *worker, uint64_t *word)
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

bool warp_bulk_wait(struct worker *worker, struct warp *warp, uint32_t on, uint32_t open)
{
    struct bulk_queue *queue = &worker->cluster->queue;
    bool good = true;
    for (uint32_t i = 0; i < queue->count && good; i++) {
        struct bulk_item *item = &queue->items[i];
        bool mine = !item->word && item->block == worker->block.number && item->warp == warp->index;
        if (mine && on >> item->lane & 1u && item->group + open < warp->bulk_group[item->lane])
            good = item_complete(worker, item);
    }
    queue_trim(queue);
    return good;
}

bool bulk_arrive_later(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lane,
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

static const uint32_t *slot_32(const struct warp *warp, uint32_t slot)
{
    return (const uint32_t *)(const void *)(warp->frame + slot);
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
