/*
 * cp.async: copies from global to shared memory that complete later. Data arrive only when the warp waits for
 * their group, so that a missing wait shows: a read then gets the old data. Each lane counts the groups that
 * it has committed.
 *
 * The source is read when the data arrive; PTX does not say when between the two it is read.
 */
#include "core/base/array.h"

#include "simt/engine/warp_memory.h"

#include <stdlib.h>
#include <string.h>

struct warp_copy {
    uint32_t lanes; /* lanes whose data have not arrived */
    uint32_t pc;
    uint32_t width_bytes;
    uint32_t group[WARP_LANES];
    uint64_t to[WARP_LANES]; /* in shared memory */
    const uint8_t *from[WARP_LANES];
    const struct memory_range *source[WARP_LANES]; /* NULL: nothing is read */
    uint8_t from_bytes[WARP_LANES];                /* the rest of the width is filled with zeros */
};

/* Removes completed copies. */
static void copies_trim(struct warp *warp)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < warp->copy_count; i++) {
        if (warp->copies[i].lanes) {
            if (kept != i)
                warp->copies[kept] = warp->copies[i];
            kept++;
        }
    }
    warp->copy_count = kept;
}

static struct warp_copy *copy_make(struct warp *warp)
{
    if (warp->copy_count == warp->copy_capacity &&
        !array_grow(warp->copies, warp->copy_capacity, warp->copy_count, 1))
        return NULL;
    return &warp->copies[warp->copy_count++];
}

/* The global address is a generic address, the shared one an address of its space. */
static void copy_addresses(const struct worker *worker, const struct warp *warp,
                           const struct program_instruction *instruction, struct warp_access *to,
                           struct warp_access *from)
{
    warp_addresses(worker, warp, instruction->source[0], instruction->offset, instruction->address_is_32_bits,
                   to);
    warp_addresses(worker, warp, instruction->source[1], instruction->offset2, false, from);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        uint64_t *address = &to->address[lane];
        *address = warp_shared_address(*address);
    }
}

static uint32_t copy_source_bytes(const struct warp *warp, const struct program_instruction *instruction,
                                  uint32_t lane)
{
    if (instruction->source[2] == PROGRAM_NO_SLOT)
        return instruction->width_bytes;
    uint32_t bytes = ((const uint32_t *)(const void *)(warp->frame + instruction->source[2]))[lane];
    return bytes < instruction->width_bytes ? bytes : instruction->width_bytes;
}

enum warp_stop warp_copy_start(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct warp_access to, from;
    struct warp_copy *copy = copy_make(warp);
    if (!copy)
        return WARP_NO_MEMORY;
    copy->lanes = on;
    copy->pc = pc;
    copy->width_bytes = instruction->width_bytes;
    warp_access_begin(&to, instruction, on, true);
    warp_access_begin(&from, instruction, on, false);
    copy_addresses(worker, warp, instruction, &to, &from);
    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t bytes = copy_source_bytes(warp, instruction, lane);
        const struct memory_range *range = NULL;
        if (bytes)
            range = warp_locate(worker, warp, pc, PTX_GLOBAL, &from, lane, 0, bytes);
        else
            from.active &= ~(1u << lane); /* nothing is read from the source */
        if ((bytes && !range) ||
            !warp_locate(worker, warp, pc, PTX_SHARED, &to, lane, 0, instruction->width_bytes))
            return WARP_FAILS;
        if (range && worker->run->check)
            warp_touch(worker, warp, pc, PTX_GLOBAL, range, from.address[lane], bytes, lane,
                       WARP_STARTS_READING, NULL);
        if (worker->run->check)
            warp_touch(worker, warp, pc, PTX_SHARED, &worker->block.shared, to.address[lane],
                       instruction->width_bytes, lane, WARP_STARTS, NULL);
        copy->source[lane] = range;
        copy->from[lane] = range ? range->bytes + (from.address[lane] - range->address) : NULL;
        copy->to[lane] = to.address[lane];
        copy->group[lane] = warp->copy_group[lane];
        copy->from_bytes[lane] = (uint8_t)bytes;
    }
    warp_count(worker, warp, pc, PTX_GLOBAL, &from);
    warp_count(worker, warp, pc, PTX_SHARED, &to);
    return WARP_GOES_ON;
}

void warp_copy_commit(struct warp *warp, uint32_t on)
{
    for (uint32_t left = on; left; left &= left - 1)
        warp->copy_group[__builtin_ctz(left)]++;
}

/* The bytes that arrive are as undefined as those of the source. */
static void copy_follow(struct worker *worker, const struct warp_copy *copy, uint32_t lane)
{
    const struct memory_range *source = copy->source[lane], *shared = &worker->block.shared;
    uint64_t at = (uint64_t)(copy->from[lane] - source->bytes), to = copy->to[lane];
    const struct undefined_side from_side = {source, at,
                                             undefined_key(PTX_GLOBAL, 0, 0, source->address + at)};
    const struct undefined_side to_side = {shared, to - shared->address,
                                           undefined_key(PTX_SHARED, worker->block.number, 0, to)};
    undefined_copy(worker->run->undefined, &from_side, &to_side, copy->from_bytes[lane]);
}

static void copy_arrive(struct worker *worker, const struct warp *warp, struct warp_copy *copy, uint32_t lane)
{
    uint8_t *to = worker->block.shared.bytes + copy->to[lane];
    uint32_t bytes = copy->from_bytes[lane];
    if (worker->run->check) {
        warp_touch(worker, warp, copy->pc, PTX_SHARED, &worker->block.shared, copy->to[lane],
                   copy->width_bytes, lane, WARP_ARRIVES, NULL);
    }
    if (worker->run->check && bytes) {
        const struct memory_range *source = copy->source[lane];
        warp_touch(worker, warp, copy->pc, PTX_GLOBAL, source,
                   source->address + (uint64_t)(copy->from[lane] - source->bytes), bytes, lane, WARP_HAS_READ,
                   NULL);
        copy_follow(worker, copy, lane);
    }
    if (bytes)
        memcpy(to, copy->from[lane], bytes);
    memset(to + bytes, 0, copy->width_bytes - bytes);
    copy->lanes &= ~(1u << lane);
    worker->block.changes++;
}

void warp_copy_wait(struct worker *worker, struct warp *warp, uint32_t on, uint32_t open)
{
    for (uint32_t i = 0; i < warp->copy_count; i++) {
        struct warp_copy *copy = &warp->copies[i];
        for (uint32_t left = copy->lanes & on; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            /* The last `open` committed groups may remain pending. UINT32_MAX: none may, committed or not. */
            if (open == UINT32_MAX || copy->group[lane] + open < warp->copy_group[lane])
                copy_arrive(worker, warp, copy, lane);
        }
    }
    copies_trim(warp);
}
