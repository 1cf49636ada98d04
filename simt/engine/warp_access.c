/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common parts of loads, stores, atomics and copies. One pass over 32 addresses checks whether all are
 * aligned and in one range.
 */
#include "simt/check/shadow.h"
#include "simt/engine/warp_memory.h"
#include "simt/engine/warp_undefined.h"
#include "simt/memory/heap.h"

#include <string.h>

void warp_addresses(const struct worker *worker, const struct warp *warp, uint32_t slot, int64_t offset,
                    bool is_32_bits, struct warp_access *access)
{
    const uint8_t *base = warp->frame + slot;
    if (slot == PROGRAM_NO_SLOT)
        worker->vector->spread_64(access->address, (uint64_t)offset, WARP_ALL_LANES);
    else if (is_32_bits)
        worker->vector->add_32(access, (const uint32_t *)(const void *)base, offset);
    else
        worker->vector->add_64(access, (const uint64_t *)(const void *)base, offset);
}

/* ---- spaces ---- */
enum ptx_space warp_space_of(uint64_t address, uint64_t *base)
{
    static const enum ptx_space spaces[] = {PTX_SHARED, PTX_LOCAL, PTX_CONST, PTX_PARAM};
    static const uint64_t windows[] = {MEMORY_SHARED_WINDOW, MEMORY_LOCAL_WINDOW, MEMORY_CONST_WINDOW,
                                       MEMORY_PARAM_WINDOW};
    for (int i = 0; i < 4; i++) {
        if (address - windows[i] < (i == 0 ? MEMORY_CLUSTER_WINDOW_BYTES : MEMORY_WINDOW_BYTES)) {
            *base = windows[i];
            return spaces[i];
        }
    }
    *base = 0;
    return PTX_GLOBAL;
}

bool warp_split_spaces(const struct worker *worker, const struct warp_access *access,
                       struct warp_spaces *spaces)
{
    uint64_t any = 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        any |= access->address[lane];
    if (any < MEMORY_SHARED_WINDOW)
        return false;
    spaces->count = 0;
    for (uint32_t rest = access->active; rest;) {
        uint64_t base, other;
        uint32_t lanes = 0;
        enum ptx_space space = warp_space_of(access->address[__builtin_ctz(rest)], &base);
        for (uint32_t left = rest; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            lanes |= (uint32_t)(warp_space_of(access->address[lane], &other) == space) << lane;
        }
        struct warp_access *part = &spaces->access[spaces->count];
        *part = *access;
        part->active = lanes;
        worker->vector->add_64(part, access->address, -(int64_t)base);
        spaces->space[spaces->count++] = space;
        rest &= ~lanes;
    }
    return true;
}

/* ---- ranges ---- */
const struct memory_range *warp_locate_all(struct worker *worker, uint32_t pc,
                                           const struct warp_access *access, enum warp_reach *reach)
{
    const struct memory_range *range = worker->last_range[pc];
    *reach = range ? worker->vector->reach(range, access) : WARP_OUTSIDE;
    if (*reach == WARP_OUTSIDE) {
        const struct memory_range *found =
            memory_reach(worker->run->memory, access->address[__builtin_ctz(access->active)]);
        if (found && found != range) {
            range = worker->last_range[pc] = found;
            *reach = worker->vector->reach(range, access);
        }
    }
    return *reach == WARP_OUTSIDE ? NULL : range;
}

static const struct memory_range *range_of_space(const struct worker *worker, enum ptx_space space,
                                                 uint64_t address)
{
    switch (space) {
    case PTX_SHARED:
        return address < MEMORY_WINDOW_BYTES ? &worker->block.shared
                                             : cluster_window(worker->cluster, address);
    case PTX_CONST: return &worker->run->constants;
    case PTX_PARAM: return &worker->run->parameters;
    default: {
        const struct memory_range *range = memory_find(worker->run->memory, address);
        return range ? range : memory_nearest(worker->run->memory, address);
    }
    }
}

void warp_fault_outside(struct worker *worker, const struct warp *warp, uint32_t pc, enum ptx_space space,
                        const struct warp_access *access, uint32_t lane, const struct memory_range *nearest)
{
    struct check_report report = worker_report(worker, warp, CHECK_OUT_OF_BOUNDS, pc, lane);
    report.space = space;
    report.address = access->address[lane];
    report.width_bytes = access->width_bytes;
    report.write = access->store;
    const struct memory_freed *freed =
        space == PTX_GLOBAL ? memory_freed(worker->run->memory, report.address) : NULL;
    if (freed) {
        report.freed = true;
        report.range_address = freed->address;
        report.range_bytes = freed->size_bytes;
    } else if (nearest) {
        report.owner = memory_owner(worker->run->memory, access->address[lane]);
        report.range_address = nearest->address;
        report.range_bytes = nearest->size_bytes;
    }
    report.host = space == PTX_GLOBAL && !freed && memory_is_hosts(worker->run->memory, report.address);
    worker->fault = report;
}

bool warp_is_aligned(struct worker *worker, const struct warp *warp, uint32_t pc, enum ptx_space space,
                     const struct warp_access *access, uint32_t lane)
{
    if ((access->address[lane] & (access->width_bytes - 1)) == 0)
        return true;
    warp_fault_outside(worker, warp, pc, space, access, lane, NULL);
    worker->fault.kind = CHECK_MISALIGNED;
    return false;
}

const struct memory_range *warp_locate(struct worker *worker, const struct warp *warp, uint32_t pc,
                                       enum ptx_space space, const struct warp_access *access, uint32_t lane,
                                       uint32_t from_byte, uint32_t size_bytes)
{
    uint64_t address = access->address[lane] + from_byte;
    const struct memory_range *range = range_of_space(worker, space, address);
    if (!range || memory_owner(worker->run->memory, address) ||
        address - range->address >= range->size_bytes ||
        range->size_bytes - (address - range->address) < size_bytes) {
        warp_fault_outside(worker, warp, pc, space, access, lane, range);
        return NULL;
    }
    return warp_is_aligned(worker, warp, pc, space, access, lane) ? range : NULL;
}

/* ---- counts and checks ---- */
static void count_one(struct worker *worker, uint32_t pc, enum ptx_space space,
                      const struct warp_access *access, enum access_shape shape, bool atomic,
                      uint32_t *sectors)
{
    if (atomic)
        count_atomic(&worker->counter, pc, space, access, worker->sectors, sectors);
    else
        count_access_shape(&worker->counter, pc, space, access, shape, worker->sectors, sectors);
}

static void count_captured(struct worker *worker, uint32_t pc, enum ptx_space space,
                           const struct warp_access *access, bool atomic, uint32_t *sectors)
{
    struct count_instruction before = *count_so_far(&worker->counter, pc, space);
    count_one(worker, pc, space, access, ACCESS_ANY, atomic, sectors);
    capture_add(worker->run->capture, pc, space, access, &before, count_so_far(&worker->counter, pc, space));
}

static void count_costliest(struct worker *worker, const struct warp *warp, uint32_t pc, enum ptx_space space,
                            const struct warp_access *access, enum access_shape shape, bool atomic,
                            uint32_t *sectors)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const struct count_instruction *const row = count_so_far(&worker->counter, pc, space);
    const uint64_t requests = row->requests, steps = count_steps(row), ideal = row->ideal_transfers;
    count_one(worker, pc, space, access, shape, atomic, sectors);
    const struct count_instruction cost = {.requests = row->requests - requests,
                                           .transfers = count_steps(row) - steps,
                                           .ideal_transfers = row->ideal_transfers - ideal};
    if (instruction->rewrite != REWRITE_FOLDED &&
        costliest_wants(&worker->costliest, pc, space, &cost, worker->block.number))
        costliest_add(&worker->costliest, &(struct costliest_access){.instruction = pc,
                                                                     .warp = warp->index,
                                                                     .block = worker->block.number,
                                                                     .space = space,
                                                                     .access = *access,
                                                                     .cost = cost});
}

/* Counts the lanes whose addresses are in other blocks of the cluster; the others remain. */
static void count_other_blocks(struct worker *worker, uint32_t pc, struct warp_access *access)
{
    struct warp_access others = *access;
    others.active = 0;
    for (uint32_t left = access->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        others.active |= (uint32_t)(access->address[lane] >= MEMORY_WINDOW_BYTES) << lane;
    }
    access->active &= ~others.active;
    count_cluster(&worker->counter, pc, &others);
}

/* Under the rules of -dlcm=cg loads of global memory pass L1 by, as they are counted. */
static enum program_cache cache_policy(const struct worker *worker,
                                       const struct program_instruction *instruction,
                                       const struct warp_access *access)
{
    return worker->run->rules->global_l1_off && !access->local ? CACHE_GLOBAL
                                                               : (enum program_cache)instruction->cache;
}

void warp_count(struct worker *worker, const struct warp *warp, uint32_t pc, enum ptx_space space,
                const struct warp_access *access)
{
    warp_count_shape(worker, warp, pc, space, access, ACCESS_ANY);
}

void warp_count_shape(struct worker *worker, const struct warp *warp, uint32_t pc, enum ptx_space space,
                      const struct warp_access *access, enum access_shape shape)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    bool atomic = instruction->op == PROGRAM_ATOM;
    uint32_t sectors = 0;
    if (worker->run->uncounted)
        return;
    struct warp_access own;
    if (space == PTX_SHARED && worker->cluster->size > 1) {
        own = *access;
        count_other_blocks(worker, pc, &own);
        if (!own.active)
            return;
        access = &own;
    }
    if (capture_wants(worker->run->capture, worker->block.number, warp->index))
        count_captured(worker, pc, space, access, atomic, &sectors);
    else if (worker->costliest.accesses)
        count_costliest(worker, warp, pc, space, access, shape, atomic, &sectors);
    else
        count_one(worker, pc, space, access, shape, atomic, &sectors);
    if (worker->l1 && sectors) {
        enum cache_access what = atomic                                ? CACHE_ATOMIC
                                 : access->store && access->local      ? CACHE_STORE_LOCAL
                                 : access->store                       ? CACHE_STORE
                                 : instruction->op != PROGRAM_PREFETCH ? CACHE_LOAD
                                 : instruction->sub == 2               ? CACHE_PREFETCH_L2
                                                                       : CACHE_PREFETCH_L1;
        if (what == CACHE_STORE)
            cache_store_words(worker->l1, access, worker->sectors, sectors);
        if (worker->l1_lines)
            cache_l1_asks(worker->l1, worker->block.number, pc, warp->index);
        cache_l1_access(worker->l1, what, cache_policy(worker, instruction, access), worker->sectors, sectors,
                        worker->log, &worker->caches);
    }
}

/* ---- usual accesses ---- */
/* Their addresses, of which the layout is known. */
static void usual_access(const struct program_instruction *instruction, enum warp_reach reach, uint64_t first,
                         bool store, struct warp_access *access)
{
    const uint64_t step = reach == WARP_ROW ? instruction->width_bytes : 0;
    warp_access_begin(access, instruction, WARP_ALL_LANES, store);
    for (uint64_t lane = 0; lane < WARP_LANES; lane++)
        access->address[lane] = first + lane * step;
}

static __attribute__((noinline)) void usual_costliest(struct worker *worker, const struct warp *warp,
                                                      uint32_t pc, enum ptx_space space,
                                                      enum warp_reach reach, uint64_t first, bool store,
                                                      const struct count_instruction *cost)
{
    struct costliest_access made = {.instruction = pc,
                                    .warp = warp->index,
                                    .block = worker->block.number,
                                    .space = space,
                                    .cost = {.requests = cost->requests,
                                             .transfers = cost->transfers,
                                             .ideal_transfers = cost->ideal_transfers}};
    usual_access(&worker->run->program->instructions[pc], reach, first, store, &made.access);
    costliest_add(&worker->costliest, &made);
}

/* A row of stores that does not begin with a sector: its words are looked at. */
static __attribute__((noinline)) void usual_store_parts(struct worker *worker,
                                                        const struct program_instruction *instruction,
                                                        enum program_cache policy, uint64_t first,
                                                        uint32_t sectors)
{
    struct warp_access access;
    usual_access(instruction, WARP_ROW, first, true, &access);
    for (uint32_t i = 0; i < sectors; i++)
        worker->sectors[i] = first / 32 + i;
    cache_store_words(worker->l1, &access, worker->sectors, sectors);
    cache_l1_access(worker->l1, CACHE_STORE, policy, worker->sectors, sectors, worker->log, &worker->caches);
}

void warp_count_usual(struct worker *worker, const struct warp *warp, uint32_t pc, enum warp_reach reach,
                      uint64_t first, bool store)
{
    const struct program_instruction *const instruction = &worker->run->program->instructions[pc];
    const enum ptx_space space = (enum ptx_space)instruction->space;
    const enum count_layout layout = reach == WARP_SAME ? COUNT_SAME
                                     : first % 32       ? COUNT_ROW_BETWEEN
                                                        : COUNT_ROW;
    if (space == PTX_PARAM || instruction->rewrite == REWRITE_FOLDED)
        return;
    count_usual(&worker->counter, pc, layout);
    if (worker->costliest.accesses) {
        const struct count_instruction cost = count_usual_cost(&worker->counter, pc, layout);
        if (costliest_wants(&worker->costliest, pc, space, &cost, worker->block.number))
            usual_costliest(worker, warp, pc, space, reach, first, store, &cost);
    }
    if (!worker->l1 || space != PTX_GLOBAL)
        return;
    const enum program_cache policy =
        worker->run->rules->global_l1_off ? CACHE_GLOBAL : (enum program_cache)instruction->cache;
    const uint32_t sectors = count_layout_sectors(layout, instruction->width_bytes);
    if (layout == COUNT_ROW_BETWEEN && store)
        usual_store_parts(worker, instruction, policy, first, sectors);
    else
        cache_l1_row(worker->l1, store ? CACHE_STORE : CACHE_LOAD, policy, first / 32, sectors, worker->log,
                     &worker->caches);
}

/* ---- races ---- */
static uint32_t touch_kind(const struct program_instruction *instruction, enum warp_touch touch)
{
    static const uint32_t kinds[] = {[WARP_WRITES] = SHADOW_WRITES,
                                     [WARP_UPDATES] = SHADOW_WRITES | SHADOW_ATOMIC,
                                     [WARP_STARTS] = SHADOW_WRITES | SHADOW_COPY,
                                     [WARP_ARRIVES] = SHADOW_WRITES | SHADOW_ARRIVES,
                                     [WARP_STARTS_READING] = SHADOW_COPY,
                                     [WARP_HAS_READ] = SHADOW_ARRIVES,
                                     [WARP_REDUCES] = SHADOW_WRITES | SHADOW_ATOMIC | SHADOW_STRONG};
    uint32_t kind = kinds[touch];
    if (touch == WARP_UPDATES || instruction->sync & SYNC_STRONG) {
        kind |= SHADOW_STRONG;
        kind |= instruction->sync & SYNC_WIDE ? 0 : SHADOW_NARROW;
        kind |= instruction->sync & SYNC_VOLATILE ? SHADOW_VOLATILE : 0;
    }
    return kind;
}

static void race_report(struct worker *worker, const struct warp *warp, bool shared,
                        const struct shadow_now *now, const struct shadow_access *other, bool same)
{
    const struct grid_launch *launch = worker->run->launch;
    struct check_report report =
        worker_report(worker, warp, CHECK_RACE, now->instruction, now->thread % WARP_LANES);
    report.space = shared ? PTX_SHARED : PTX_GLOBAL;
    report.address = now->address;
    report.width_bytes = now->size_bytes;
    report.write = now->kind & SHADOW_WRITES;
    race_describe(worker->order, now, shared, other, worker->run->program, launch->grid, launch->block,
                  &report);
    report.same = same;
    check_add(&worker->checks, &report);
}

/* A strong access takes part in the order: it observes what the word's last writer released, and releases. */
static void race_synchronise(struct worker *worker, const struct warp *warp, bool shared,
                             const struct shadow_now *now, const struct shadow_access *last)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[now->instruction];
    uint32_t thread = shadow_thread(last);
    if (instruction->op == PROGRAM_MBARRIER || instruction->op == PROGRAM_MBARRIER_WAIT)
        return; /* simt/engine/async.c: by the phases */
    bool observes = instruction->op == PROGRAM_LD || instruction->destination[0] != PROGRAM_NO_SLOT;
    if (instruction->op != PROGRAM_ST && observes) {
        const struct order_seen seen = {last->block, thread / WARP_LANES, last->clock,
                                        shadow_instruction(last)};
        if (shadow_kind(last) & SHADOW_STRONG && shadow_run(last) == worker->order->launch->run)
            order_see(worker->order, &seen);
        order_observe(worker->order, warp->index, 1u << now->thread % WARP_LANES, shared, now->address,
                      instruction->sync);
    }
    if (instruction->op != PROGRAM_LD)
        order_publish(worker->order, warp->index, shared, now->address, instruction->sync,
                      instruction->op == PROGRAM_ATOM);
}

/* Threads that all store one value to a word, by one instruction, and then read it without a barrier: each
 * reads what it has stored. Notes that the warp has; returns whether the two accesses are of this kind. */
static bool race_is_same(struct worker *worker, const struct warp *warp, const struct shadow_now *now,
                         const struct shadow_access *last, const struct shadow_access *other)
{
    struct order_warp *order = &worker->order->warps[warp->index];
    bool of_launch = shadow_run(last) == worker->order->launch->run && last->block == worker->order->block;
    if (now->kind == SHADOW_WRITES) {
        bool again = now->new && last->run_kind &&of_launch &&shadow_instruction(last) ==
                                     now->instruction &&shadow_kind(last) ==
                                     SHADOW_WRITES &&memcmp(now->old, now->new, now->size_bytes) == 0;
        if (again)
            order->same[order->same_count++ % ORDER_SAME] =
                (struct order_same){now->address, now->instruction};
        return again && other && !(shadow_kind(other) & (SHADOW_WRITES | SHADOW_STRONG | SHADOW_COPY));
    }
    for (uint32_t i = 0; now->kind == 0 && other && i < ORDER_SAME && i < order->same_count; i++)
        if (shadow_kind(other) == SHADOW_WRITES && order->same[i].address == now->address &&
            order->same[i].instruction == shadow_instruction(other))
            return true;
    return false;
}

void warp_race(struct worker *worker, const struct warp *warp, struct shadow *shadow,
               const struct shadow_now *now)
{
    bool shared = shadow == worker->shadow;
    struct shadow_access other, last = {0};
    if (now->kind & SHADOW_STRONG || now->new)
        last = shadow_last_write(shadow, now->address);
    bool found = shadow_touch(shadow, worker->order, now, &other);
    bool same = race_is_same(worker, warp, now, &last, found ? &other : NULL);
    if (found)
        race_report(worker, warp, shared, now, &other, same);
    if (now->kind & SHADOW_STRONG)
        race_synchronise(worker, warp, shared, now, &last);
}

bool warp_is_written(const uint8_t *bits, uint64_t from, uint32_t size_bytes)
{
    uint64_t first = from / 8, last = (from + size_bytes - 1) / 8;
    uint8_t head = (uint8_t)(0xff << from % 8), tail = (uint8_t)(0xff >> (7 - (from + size_bytes - 1) % 8));
    if (first == last)
        return (bits[first] & head & tail) == (head & tail);
    if ((bits[first] & head) != head || (bits[last] & tail) != tail)
        return false;
    while (++first < last)
        if (bits[first] != 0xff)
            return false;
    return true;
}

void warp_follow(struct worker *worker, struct warp *warp, uint32_t pc, enum ptx_space space,
                 const struct memory_range *range, uint64_t address, uint32_t lane, uint32_t k, bool store)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    if (!range->initialised)
        return;
    const struct undefined_element element = {.space = space,
                                              .bits = range->initialised,
                                              .at = address - range->address,
                                              .address = address,
                                              .key = undefined_key(space, worker->block.number, 0, address),
                                              .size_bytes = warp_element_bytes(instruction),
                                              .lane = lane,
                                              .k = k};
    if (store)
        undefined_store(worker, warp, pc, &element);
    else if (warp_is_written(range->initialised, element.at, element.size_bytes))
        worker->defined[pc] |= (uint8_t)(1u << k);
    else
        undefined_load(worker, warp, pc, &element);
}

/* Only the block's own shared memory is watched, not that of other blocks of its cluster. */
static struct shadow *shadow_of(const struct worker *worker, enum ptx_space space,
                                const struct memory_range *range)
{
    return range == &worker->block.shared              ? worker->shadow
           : space == PTX_GLOBAL && worker->run->races ? worker->run->races->shadow
                                                       : NULL;
}

/* The heap of malloc is one allocation: its blocks are looked at here. */
static void heap_check(struct worker *worker, const struct warp *warp, uint32_t pc, uint64_t address,
                       uint32_t size_bytes, uint32_t lane, bool write)
{
    struct heap_block block;
    if (heap_holds(worker->run->heap, address, size_bytes, &block))
        return;
    struct check_report report = worker_report(worker, warp, CHECK_HEAP, pc, lane);
    report.space = PTX_GLOBAL;
    report.address = address;
    report.width_bytes = size_bytes;
    report.write = write;
    report.range_address = block.address;
    report.range_bytes = block.size_bytes;
    report.freed = block.freed;
    check_add(&worker->checks, &report);
}

void warp_touch(struct worker *worker, const struct warp *warp, uint32_t pc, enum ptx_space space,
                const struct memory_range *range, uint64_t address, uint32_t size_bytes, uint32_t lane,
                enum warp_touch touch, const uint8_t *new)
{
    uint64_t from = address - range->address;
    if (range == worker->run->heap_range)
        heap_check(worker, warp, pc, address, size_bytes, lane,
                   touch == WARP_WRITES || touch == WARP_UPDATES);
    if (range->initialised &&
        (touch == WARP_WRITES || touch == WARP_UPDATES || touch == WARP_ARRIVES || touch == WARP_REDUCES))
        memory_mark(range, from, size_bytes);
    struct shadow *shadow = shadow_of(worker, space, range);
    if (shadow) {
        const struct shadow_now now = {.address = address,
                                       .size_bytes = size_bytes,
                                       .thread = warp->index * WARP_LANES + lane,
                                       .kind = touch_kind(&worker->run->program->instructions[pc], touch),
                                       .instruction = pc,
                                       .old = range->bytes + from,
                                       .new = new};
        warp_race(worker, warp, shadow, &now);
    }
}

/* The bits of the bytes of an aligned access, of at most 16 bytes. */
static uint32_t bits_of(const uint8_t *bits, uint64_t from, uint32_t size_bytes)
{
    uint32_t all = (1u << size_bytes) - 1u, word = bits[from / 8];
    return size_bytes <= 8 ? word >> from % 8 & all : (word | (uint32_t)bits[from / 8 + 1] << 8) & all;
}

static void touch_initialised(struct worker *worker, struct warp *warp, uint32_t pc, enum ptx_space space,
                              const struct memory_range *range, const struct warp_access *access,
                              uint32_t lanes, bool row, bool same)
{
    uint32_t size_bytes = access->width_bytes, all = (1u << size_bytes) - 1u;
    uint64_t first = access->address[0] - range->address;
    if (row && warp_is_written(range->initialised, first, WARP_LANES * size_bytes)) {
        worker->defined[pc] = UINT8_MAX;
        return;
    }
    if (row && access->store) {
        memory_mark(range, first, WARP_LANES * size_bytes);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t from = access->address[lane] - range->address;
        if (bits_of(range->initialised, from, size_bytes) == all) {
            worker->defined[pc] = UINT8_MAX;
            if (same)
                return;
            continue;
        }
        if (access->store) {
            memory_mark(range, from, size_bytes);
            continue;
        }
        const struct program_instruction *instruction = &worker->run->program->instructions[pc];
        for (uint32_t k = 0; k < instruction->vector; k++)
            warp_follow(worker, warp, pc, space, range,
                        access->address[lane] + (uint64_t)k * warp_element_bytes(instruction), lane, k,
                        false);
    }
}

/* The lanes whose access is recorded. Of lanes that read the same word, one after the other, two are enough:
 * any other thread that writes it races with one of them. */
static uint32_t lanes_to_record(const struct warp_access *access, enum warp_reach reach)
{
    uint32_t lanes = access->active, recorded = 0, readers = 0;
    uint64_t before = 0;
    if (access->store || reach == WARP_ROW)
        return lanes;
    if (reach == WARP_SAME) {
        uint32_t rest = lanes & (lanes - 1);
        return lanes & ~(rest & (rest - 1));
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        readers = access->address[lane] == before ? readers + 1 : 1;
        before = access->address[lane];
        recorded |= (uint32_t)(readers <= 2) << lane;
    }
    return recorded;
}

bool warp_touch_lanes(struct worker *worker, struct warp *warp, uint32_t pc, enum ptx_space space,
                      const struct memory_range *range, const struct warp_access *access,
                      enum warp_reach reach)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    uint32_t lanes = access->active, size_bytes = access->width_bytes;
    bool same = reach == WARP_SAME, row = reach == WARP_ROW && lanes == WARP_ALL_LANES;
    struct shadow *shadow = shadow_of(worker, space, range);
    if (instruction->strong || (shadow && size_bytes & 3) || size_bytes > 16)
        return false;
    for (uint32_t left = range == worker->run->heap_range ? lanes : 0; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        heap_check(worker, warp, pc, access->address[lane], size_bytes, lane, access->store);
    }
    if (range->initialised)
        touch_initialised(worker, warp, pc, space, range, access, lanes, row, same);
    if (!shadow)
        return true;
    uint8_t new[16];
    struct shadow_now now = {.size_bytes = size_bytes,
                             .kind = access->store ? SHADOW_WRITES : 0,
                             .instruction = pc,
                             .new = access->store ? new : NULL};
    uint32_t rest = shadow_touch_lanes(shadow, worker->order, warp->index, &now, access->address,
                                       lanes_to_record(access, reach), row);
    for (; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        now.address = access->address[lane];
        now.thread = warp->index * WARP_LANES + lane;
        now.old = range->bytes + (now.address - range->address);
        for (uint32_t k = 0; access->store && k < instruction->vector; k++)
            warp_store_element(instruction, warp->frame, k, (uintptr_t) new - now.address, access->address,
                               1u << lane);
        warp_race(worker, warp, shadow, &now);
    }
    return true;
}
