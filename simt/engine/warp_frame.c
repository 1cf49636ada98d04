/*
 * Frames of calls (simt/lanes/program.h). A frame belongs to the forked path of the caller and lives until
 * its lanes have returned or ended. It holds a copy of the caller's slots with all lanes, in the order of
 * program_call.saved. Each lane's values are restored when it returns, because lanes of other paths continue
 * to use the same slots.
 */
#include "simt/engine/warp.h"

#include <stdlib.h>
#include <string.h>

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

void warp_frame_leave(struct warp *warp, const struct warp_frame *frame, uint32_t lanes)
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
