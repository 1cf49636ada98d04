/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of paths of simt/engine/warp.h. Paths lie in an array, younger ones mostly after older ones. They
 * are referred to by index, because the array may move. */
#include "core/base/array.h"

#include "simt/engine/scalars.h"

#include <stdlib.h>
#include <string.h>

/* ---- frames of calls ---- */

/*
 * Frames of calls (simt/lanes/program.h). A frame belongs to the forked path of the caller and lives until
 * its lanes have returned or ended. It holds a copy of the caller's slots with all lanes, in the order of
 * program_call.saved. Each lane's values are restored when it returns, because lanes of other paths continue
 * to use the same slots.
 */

struct warp_frame {
    const struct program_call *call;
    const struct program_callable *callee;
    uint32_t stack_slot;
    bool undefined; /* `saved` has the undefined bits behind the values */
    uint32_t mark;  /* of one of them */
    uint8_t saved[];
};

/* A slot may have undefined bits from now on. */
static void undefined_mark_slot(struct warp *warp, uint32_t slot, uint32_t mark)
{
    uint32_t *place = &warp->undefined.marks[slot / 4];
    warp->undefined.slots += mark != 0 && *place == 0;
    *place = mark ? mark : *place;
}

static void areas_copy(uint8_t *frame, const struct program_area *to, const struct program_area *from,
                       uint32_t count, uint32_t lanes)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t bytes = to[i].size_bytes;
        for (uint32_t left = lanes; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            memmove(frame + to[i].slot + lane * bytes, frame + from[i].slot + lane * bytes, bytes);
        }
    }
}

static void stack_move(uint8_t *frame, uint32_t slot, uint64_t bytes, uint32_t lanes)
{
    for (uint32_t left = slot == PROGRAM_NO_SLOT ? 0 : lanes; left; left &= left - 1)
        ((uint64_t *)(void *)(frame + slot))[__builtin_ctz(left)] += bytes;
}

static void frame_save(const struct warp_frame *frame, uint8_t *to, const uint8_t *from)
{
    for (uint32_t i = 0; i < frame->call->saved_count; i++) {
        const struct program_area *area = &frame->call->saved[i];
        memcpy(to, from + area->slot, program_area_bytes(area));
        to += program_area_bytes(area);
    }
}

static void frame_restore(const struct warp_frame *frame, uint8_t *to, const uint8_t *from, uint32_t lanes)
{
    for (uint32_t i = 0; i < frame->call->saved_count; i++) {
        const struct program_area *area = &frame->call->saved[i];
        if (area->size_bytes == 0) {
            uint32_t now, then;
            memcpy(&now, to + area->slot, sizeof now);
            memcpy(&then, from, sizeof then);
            now = (now & ~lanes) | (then & lanes);
            memcpy(to + area->slot, &now, sizeof now);
        }
        for (uint32_t left = area->size_bytes ? lanes : 0; left; left &= left - 1) {
            size_t at = (size_t)__builtin_ctz(left) * area->size_bytes;
            memcpy(to + area->slot + at, from + at, area->size_bytes);
        }
        from += program_area_bytes(area);
    }
}

/* The undefined bits of the caller's slots, and of the results. */
static void undefined_leave(struct warp *warp, const struct warp_frame *frame, uint32_t lanes)
{
    const struct program_call *call = frame->call;
    const struct program_area *results = frame->callee->areas + frame->callee->parameter_count;
    if (frame->undefined)
        frame_restore(frame, warp->undefined.bits, frame->saved + call->saved_bytes, lanes);
    for (uint32_t i = 0; frame->undefined && i < call->saved_count; i++)
        undefined_mark_slot(warp, call->saved[i].slot, frame->mark);
    areas_copy(warp->undefined.bits, call->areas + call->parameter_count, results, call->result_count, lanes);
    for (uint32_t i = 0; i < call->result_count; i++)
        undefined_mark_slot(warp, call->areas[call->parameter_count + i].slot,
                            warp->undefined.marks[results[i].slot / 4]);
}

static void undefined_enter(struct warp *warp, struct warp_frame *frame, uint32_t lanes)
{
    const struct program_call *call = frame->call;
    frame->undefined = true;
    frame_save(frame, frame->saved + call->saved_bytes, warp->undefined.bits);
    for (uint32_t i = 0; !frame->mark && i < call->saved_count; i++)
        frame->mark = warp->undefined.marks[call->saved[i].slot / 4];
    areas_copy(warp->undefined.bits, frame->callee->areas, call->areas, call->parameter_count, lanes);
    for (uint32_t i = 0; i < call->parameter_count; i++)
        undefined_mark_slot(warp, frame->callee->areas[i].slot,
                            warp->undefined.marks[call->areas[i].slot / 4]);
}

/* Lanes return from the call: stores their results and restores their saved slots. */
static void warp_frame_leave(struct warp *warp, const struct warp_frame *frame, uint32_t lanes)
{
    const struct program_call *call = frame->call;
    frame_restore(frame, warp->frame, frame->saved, lanes);
    if (warp->undefined.slots)
        undefined_leave(warp, frame, lanes);
    areas_copy(warp->frame, call->areas + call->parameter_count, frame->callee->areas + call->parameter_count,
               call->result_count, lanes);
    stack_move(warp->frame, frame->stack_slot, (uint64_t)0 - call->local_bytes, lanes);
}

struct warp_frame *warp_frame_enter(struct warp *warp, const struct program_call *call,
                                    const struct program_callable *callee, uint32_t stack_slot,
                                    uint32_t lanes)
{
    const bool undefined = warp->undefined.slots != 0;
    struct warp_frame *frame = malloc(sizeof *frame + (undefined ? 2 : 1) * call->saved_bytes);
    if (!frame)
        return NULL;
    *frame = (struct warp_frame){.call = call, .callee = callee, .stack_slot = stack_slot};
    frame_save(frame, frame->saved, warp->frame);
    if (undefined)
        undefined_enter(warp, frame, lanes);
    areas_copy(warp->frame, callee->areas, call->areas, call->parameter_count, lanes);
    stack_move(warp->frame, stack_slot, call->local_bytes, lanes);
    return frame;
}

/* ---- paths ---- */

/* Without calls there can be 32 leaves and as many forks; a call adds one path. */
#define PATHS_AT_FIRST 96

static uint32_t path_make(struct warp *warp, struct warp_path path)
{
    uint32_t at = warp->path_count;
    if (at >= PATHS_AT_FIRST) {
        at = 0;
        while (at < warp->path_count && warp->paths[at].state != WARP_PATH_FREE)
            at++;
    }
    if (at == warp->path_capacity && !array_grow(warp->paths, warp->path_capacity, at, 1))
        return WARP_NO_PATH;
    warp->path_count += at == warp->path_count;
    path.state = WARP_PATH_READY;
    warp->paths[at] = path;
    return at;
}

static void path_drop_frame(struct warp_path *path)
{
    free(path->frame);
    path->frame = NULL;
}

/* For a warp that was stopped. */
static void warp_drop_frames(struct warp *warp)
{
    for (uint32_t at = 0; at < warp->path_count; at++)
        path_drop_frame(&warp->paths[at]);
}

bool warp_start(struct warp *warp, uint32_t lanes)
{
    warp_drop_frames(warp);
    warp->alive = lanes;
    warp->path_count = 0;
    warp->executed = 0;
    scalars_forget(warp);
    warp->waits = false;
    warp->polls = 0;
    warp->yields = 0;
    warp->seen = 0;
    warp->turn = (struct warp_turn){.waited = UINT64_MAX};
    warp->still = false;
    warp->copy_count = 0;
    memset(warp->copy_group, 0, sizeof warp->copy_group);
    memset(warp->bulk_group, 0, sizeof warp->bulk_group);
    memset(warp->last_error, 0, sizeof warp->last_error);
    warp->cluster_came = warp->cluster_phase = 0;
    warp->next_path =
        path_make(warp, (struct warp_path){.mask = lanes, .meet = PROGRAM_END, .parent = WARP_NO_PATH});
    return warp->next_path != WARP_NO_PATH;
}

void warp_fini(struct warp *warp)
{
    warp_drop_frames(warp);
    free(warp->paths);
    free(warp->copies);
}

/* Removes a leaf; forked paths that waited only for it continue, or end with it. */
static void path_end(struct warp *warp, uint32_t at)
{
    bool last = true;
    while (last && at != WARP_NO_PATH) {
        struct warp_path *path = &warp->paths[at];
        path->state = WARP_PATH_FREE;
        path_drop_frame(path);
        at = path->parent;
        last = at != WARP_NO_PATH && --warp->paths[at].children == 0 && warp->paths[at].mask == 0;
    }
    if (at != WARP_NO_PATH && warp->paths[at].children == 0) {
        warp->paths[at].state = WARP_PATH_READY;
        path_drop_frame(&warp->paths[at]);
        warp->next_path = at;
    }
    while (warp->path_count > 0 && warp->paths[warp->path_count - 1].state == WARP_PATH_FREE)
        warp->path_count--;
}

void warp_arrive(struct warp *warp, uint32_t path)
{
    path_end(warp, path);
}

bool warp_part(struct warp *warp, uint32_t path, uint32_t there, uint32_t target, uint32_t after,
               uint32_t meet)
{
    struct warp_path *from = &warp->paths[path];
    uint32_t here = from->mask & ~there;
    struct warp_path child = {.meet = meet, .depth = from->depth, .stack_bytes = from->stack_bytes};
    uint32_t leaf = path;
    if (from->meet == meet) {
        /* The parent has the same meeting point: this path becomes one of the two parts, without the lanes
         * that are already there. */
        child.parent = from->parent;
    } else {
        from->pc = meet;
        from->state = WARP_PATH_FORKED;
        from->children = 0;
        child.parent = path;
        leaf = WARP_NO_PATH;
    }
    uint32_t lanes[2] = {target == meet ? 0 : there, after == meet ? 0 : here}, pcs[2] = {target, after};
    for (int i = 0; i < 2; i++) {
        if (lanes[i] == 0)
            continue;
        child.pc = pcs[i];
        child.mask = lanes[i];
        if (leaf != WARP_NO_PATH) {
            warp->paths[leaf].pc = child.pc;
            warp->paths[leaf].mask = child.mask;
            warp->next_path = leaf;
            leaf = WARP_NO_PATH;
            continue;
        }
        uint32_t made = path_make(warp, child);
        if (made == WARP_NO_PATH)
            return false;
        warp->next_path = made;
        if (child.parent != WARP_NO_PATH)
            warp->paths[child.parent].children++;
    }
    if (leaf != WARP_NO_PATH)
        path_end(warp, leaf);
    return true;
}

bool warp_call(struct warp *warp, uint32_t path, uint32_t there, uint32_t target, uint32_t after)
{
    struct warp_path *from = &warp->paths[path];
    struct warp_path child = {.pc = target,
                              .mask = there,
                              .meet = PROGRAM_END,
                              .parent = path,
                              .depth = from->depth + 1,
                              .stack_bytes = from->stack_bytes};
    from->pc = after;
    from->state = WARP_PATH_FORKED;
    from->children = 1;
    warp->next_path = path_make(warp, child);
    return warp->next_path != WARP_NO_PATH;
}

void warp_return(struct warp *warp, uint32_t path, uint32_t lanes)
{
    uint32_t depth = warp->paths[path].depth, at;
    for (at = path; at != WARP_NO_PATH && warp->paths[at].depth == depth; at = warp->paths[at].parent)
        warp->paths[at].mask &= ~lanes;
    if (at != WARP_NO_PATH && warp->paths[at].frame)
        warp_frame_leave(warp, warp->paths[at].frame, lanes);
    if (warp->paths[path].mask == 0)
        path_end(warp, path);
}

void warp_exit(struct warp *warp, uint32_t path, uint32_t lanes)
{
    for (uint32_t at = path; at != WARP_NO_PATH; at = warp->paths[at].parent)
        warp->paths[at].mask &= ~lanes;
    warp->alive &= ~lanes;
    if (warp->paths[path].mask == 0)
        path_end(warp, path);
}

uint32_t warp_choose(struct warp *warp)
{
    uint32_t first = warp->next_path;
    if (first < warp->path_count && warp->paths[first].state == WARP_PATH_READY)
        return first;
    for (uint32_t at = warp->path_count; at-- > 0;)
        if (warp->paths[at].state == WARP_PATH_READY)
            return at;
    return WARP_NO_PATH;
}

uint32_t warp_leaf(const struct warp *warp, uint32_t lanes)
{
    uint32_t lane = (uint32_t)__builtin_ctz(lanes), at = 0;
    while (warp->paths[at].state == WARP_PATH_FREE || warp->paths[at].state == WARP_PATH_FORKED ||
           !(warp->paths[at].mask >> lane & 1u))
        at++;
    return at;
}

uint32_t warp_waiting_lanes(const struct warp *warp, uint32_t forked)
{
    uint32_t lanes = warp->paths[forked].mask;
    for (uint32_t at = 0; at < warp->path_count; at++)
        if (warp->paths[at].state != WARP_PATH_FREE && warp->paths[at].parent == forked)
            lanes &= ~warp->paths[at].mask;
    return lanes;
}

bool warp_go_ahead(struct warp *warp, uint32_t forked)
{
    struct warp_path ahead = warp->paths[forked];
    ahead.mask = warp_waiting_lanes(warp, forked);
    ahead.children = 0;
    ahead.frame = NULL;
    if (ahead.mask == 0)
        return true;
    warp->paths[forked].mask &= ~ahead.mask;
    if (ahead.parent != WARP_NO_PATH)
        warp->paths[ahead.parent].children++;
    return path_make(warp, ahead) != WARP_NO_PATH;
}

bool warp_yield(struct warp *warp, uint32_t path, bool alone)
{
    warp->apart |= alone;
    for (uint32_t at = warp->paths[path].parent; alone && at != WARP_NO_PATH; at = warp->paths[at].parent)
        if (!warp_go_ahead(warp, at))
            return false;
    /* Chooses the next path below it, so that each path gets its turn. */
    warp->next_path = path;
    for (uint32_t step = 1; step < warp->path_count; step++) {
        uint32_t at = (path + warp->path_count - step) % warp->path_count;
        if (warp->paths[at].state == WARP_PATH_READY) {
            warp->next_path = at;
            break;
        }
    }
    return true;
}

void warp_join(struct warp *warp, uint32_t path, uint32_t other)
{
    struct warp_path *a = &warp->paths[path], *b = &warp->paths[other];
    if (a->pc == b->pc && a->meet == b->meet && a->parent == b->parent && a->depth == b->depth) {
        a->mask |= b->mask;
        path_end(warp, other);
    }
}
