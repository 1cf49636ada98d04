/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tex, tld4, suld and sust: fetches through texture objects, and surfaces. The texels of all lanes go through
 * L1 as the words of a load do, each sector once; they are counted separately from loads, as on a GPU. Writes
 * of sust are counted the same way, but are not simulated in the caches.
 */
#include "simt/check/shadow.h"
#include "simt/engine/warp_memory.h"
#include "simt/memory/texture.h"

#include <string.h>

/* The sectors of the fetched texels, each once. */
struct touched {
    uint64_t *sectors;
    uint32_t count;
    uint32_t texels;
};

static void touch_texel(struct touched *touched, uint64_t address)
{
    uint64_t sector = address / 32;
    uint32_t i = 0;

    touched->texels++;
    while (i < touched->count && touched->sectors[i] != sector)
        i++;
    if (i == touched->count)
        touched->sectors[touched->count++] = sector;
}

/* The texture or surface of the current lane. */
struct bound {
    const struct memory_range *object, *texels;
    struct texture_view view;
};

static bool bound_take(struct worker *worker, const struct warp *warp, uint32_t pc, struct bound *bound,
                       uint64_t handle, uint32_t lane)
{
    if (bound->object && bound->object->address == handle)
        return true;
    bound->object = texture_find(worker->run->memory, handle);
    if (!bound->object) {
        worker->fault = worker_report(worker, warp, CHECK_NO_TEXTURE, pc, lane);
        worker->fault.address = handle;
        return false;
    }
    bound->view = texture_view_of(bound->object);
    bound->texels = memory_reach(worker->run->memory, bound->view.texels);
    return true;
}

static uint32_t lane_word(const struct warp *warp, uint32_t slot, uint32_t lane)
{
    return slot == PROGRAM_NO_SLOT ? 0 : ((const uint32_t *)(const void *)(warp->frame + slot))[lane];
}

static double read_coordinate(const struct warp *warp, const struct program_instruction *instruction,
                              uint32_t axis, uint32_t lane)
{
    uint32_t bits = lane_word(warp, instruction->source[1 + axis], lane);
    float value;

    memcpy(&value, &bits, sizeof value);
    return instruction->type == PTX_S32 ? (double)(int32_t)bits : (double)value;
}

static void touched_count(struct worker *worker, uint32_t pc, const struct touched *touched, bool play)
{
    if (worker->run->uncounted)
        return;
    count_texture(&worker->counter, pc, touched->texels, touched->count);
    if (worker->l1 && touched->count && play)
        cache_l1_access(worker->l1, CACHE_LOAD, CACHE_ALL, touched->sectors, touched->count, worker->log,
                        &worker->caches);
}

/* A fetch need not see what its own launch has written. Else it is a read, for a write that follows and for
 * other launches. */
static void texel_check(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lane,
                        const struct texture_shape *shape, uint64_t address)
{
    const struct grid_launch *launch = worker->run->launch;
    const struct shadow_now now = {.address = address,
                                   .size_bytes = shape->channels * shape->channel_bytes,
                                   .thread = warp->index * WARP_LANES + lane,
                                   .instruction = pc};
    const struct shadow_access last = shadow_last_write(worker->run->races->shadow, address);

    if (!last.run_kind || shadow_run(&last) != worker->order->launch->run) {
        warp_race(worker, warp, worker->run->races->shadow, &now);
        return;
    }
    struct check_report report = worker_report(worker, warp, CHECK_STALE_TEXEL, pc, lane);
    report.space = PTX_GLOBAL;
    report.address = address;
    report.width_bytes = now.size_bytes;
    race_describe(worker->order, &now, false, &last, worker->run->program, launch->grid, launch->block,
                  &report);
    report.kind = CHECK_STALE_TEXEL;
    check_add(&worker->checks, &report);
}

bool warp_texture(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const uint64_t *handles = (const void *)(warp->frame + instruction->source[0]);
    struct touched touched = {.sectors = worker->sectors};
    struct bound bound = {0};

    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct texture_at at = {.layer = lane_word(warp, instruction->source[4], lane),
                                .kind = instruction->sub & 15u,
                                .gather = instruction->sub >> 4,
                                .whole = instruction->type == PTX_S32};

        if (!bound_take(worker, warp, pc, &bound, handles[lane], lane))
            return false;
        for (uint32_t axis = 0; axis < 3; axis++)
            at.axis[axis] = read_coordinate(warp, instruction, axis, lane);
        struct texture_texels texels = texture_fetch(&bound.view, bound.texels, &at);
        if (texels.missing != TEXTURE_OUTSIDE) {
            struct warp_access access = {.width_bytes =
                                             bound.view.shape.channels * bound.view.shape.channel_bytes};
            access.address[lane] = texels.missing;
            warp_fault_outside(worker, warp, pc, PTX_GLOBAL, &access, lane, bound.texels);
            return false;
        }
        for (uint32_t i = 0; i < instruction->vector; i++)
            if (instruction->destination[i] != PROGRAM_NO_SLOT)
                ((uint32_t *)(void *)(warp->frame + instruction->destination[i]))[lane] = texels.bits[i];
        for (uint32_t corner = 0; corner < texels.count; corner++) {
            if (texels.address[corner] == TEXTURE_OUTSIDE)
                continue;
            if (!worker->run->uncounted)
                touch_texel(&touched, texels.address[corner]);
            if (worker->run->races)
                texel_check(worker, warp, pc, lane, &bound.view.shape, texels.address[corner]);
        }
    }
    touched_count(worker, pc, &touched, true);
    return true;
}

/* ---- surfaces ---- */
/* Finds a lane's element. *address is TEXTURE_OUTSIDE if it is outside the surface, which is no error. */
static bool surface_place(struct worker *worker, const struct warp *warp, uint32_t pc,
                          const struct program_instruction *instruction, const struct bound *bound,
                          uint32_t lane, uint64_t *address)
{
    const struct texture_shape *shape = &bound->view.shape;
    int64_t sides[3] = {(int64_t)shape->width * shape->channels * shape->channel_bytes, shape->height,
                        shape->depth};
    int64_t bytes = instruction->width_bytes, at[3];

    at[0] = (int32_t)lane_word(warp, instruction->source[4], lane);
    at[1] = (int32_t)lane_word(warp, instruction->source[5], lane);
    at[2] = (int32_t)lane_word(warp, instruction->immediate, lane);
    *address = TEXTURE_OUTSIDE;
    for (int i = 0; i < 3; i++) {
        int64_t last = i == 0 ? sides[0] - bytes : sides[i] - 1;
        if (at[i] >= 0 && at[i] <= last)
            continue;
        if ((instruction->sub & SURFACE_MODE) == SURFACE_ZERO)
            return true;
        if ((instruction->sub & SURFACE_MODE) == SURFACE_TRAP || last < 0) {
            struct warp_access access = {.store = instruction->sub & SURFACE_STORE,
                                         .width_bytes = (uint32_t)bytes};
            access.address[lane] = bound->view.texels + (uint64_t)at[0];
            warp_fault_outside(worker, warp, pc, PTX_GLOBAL, &access, lane, bound->texels);
            return false;
        }
        at[i] = at[i] < 0 ? 0 : last;
    }
    if (at[0] % bytes != 0) {
        struct warp_access access = {.store = instruction->sub & SURFACE_STORE,
                                     .width_bytes = (uint32_t)bytes};
        access.address[lane] = bound->view.texels + (uint64_t)at[0];
        warp_fault_outside(worker, warp, pc, PTX_GLOBAL, &access, lane, NULL);
        worker->fault.kind = CHECK_MISALIGNED;
        return false;
    }
    *address = texture_place(&bound->view, (uint64_t)at[0], (uint64_t)at[1], (uint64_t)at[2]);
    return true;
}

/* Moves elements between their slots and the bytes of a surface; bytes NULL: reads zeros. */
static void surface_move(struct warp *warp, const struct program_instruction *instruction, uint32_t lane,
                         uint8_t *bytes)
{
    bool store = instruction->sub & SURFACE_STORE;
    size_t size = instruction->width_bytes / instruction->vector, lane_bytes = size == 8 ? 8 : 4;

    for (uint32_t i = 0; i < instruction->vector; i++) {
        uint32_t slot = store ? instruction->source[i] : instruction->destination[i];
        uint64_t value = 0;
        if (slot == PROGRAM_NO_SLOT)
            continue;
        uint8_t *there = warp->frame + slot + lane * lane_bytes;
        if (store && bytes) {
            memcpy(bytes + i * size, there, size);
        } else if (!store) {
            if (bytes)
                memcpy(&value, bytes + i * size, size);
            memcpy(there, &value, lane_bytes);
        }
    }
}

bool warp_surface(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const uint64_t *handles = (const void *)(warp->frame + instruction->offset2);
    bool store = instruction->sub & SURFACE_STORE;
    struct touched touched = {.sectors = worker->sectors};
    struct bound bound = {0};

    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t address;

        if (!bound_take(worker, warp, pc, &bound, handles[lane], lane) ||
            !surface_place(worker, warp, pc, instruction, &bound, lane, &address))
            return false;
        bool inside = address != TEXTURE_OUTSIDE;
        if (inside)
            warp_touch(worker, warp, pc, PTX_GLOBAL, bound.texels, address, instruction->width_bytes, lane,
                       store ? WARP_WRITES : WARP_READS, NULL);
        surface_move(warp, instruction, lane,
                     inside ? bound.texels->bytes + (address - bound.texels->address) : NULL);
        if (inside)
            touch_texel(&touched, address);
    }
    if (store) {
        worker->block.changes++;
        warp->polls = warp->yields = 0;
    }
    touched_count(worker, pc, &touched, !store);
    return true;
}
