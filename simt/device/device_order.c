/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which operations of a checked device are ordered before which: for each stream, for the host and for each
 * event, how many of each stream's operations are ordered before what comes next (vector clocks). Operations
 * that the host does not know to be over are kept, at most PAST_MAX; older ones count as over.
 *
 * A graph's nodes count as operations of the stream that it is launched in, in the order in which they run. A
 * function of the host in a stream tells the host that all before it is over: it may tell another thread.
 */
#include "simt/check/undefined.h"
#include "simt/device/device_internal.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

#define PAST_MAX 4096

struct order_operation {
    uint32_t stream, index; /* number in the stream, from 1 */
    struct order_past past;
    struct claim claims[2];
    uint32_t claim_count;
    bool returned; /* the call that issued it returned when it was over, as far as the host can see */
};

struct model_times { /* per stream: operations that are ordered before */
    uint32_t *of;
    uint32_t count, room;
};

struct model_order {
    struct model_times *streams; /* what is ordered before the next operation of each */
    uint32_t stream_count, stream_room;
    struct model_times host, *events;
    uint32_t event_count, event_room;
    struct order_operation *operations; /* the operations first, first + 1, ... */
    uint32_t operation_count, operation_room;
    uint32_t first;
    struct order_past *past; /* of a launch */
    struct claim *claims;
    uint32_t past_room, claim_room;
    bool failed; /* out of memory: nothing is compared between operations */
};

enum status model_order_create(struct model *model, struct error *error)
{
    model->order = calloc(1, sizeof *model->order);
    if (!model->order)
        return model_no_memory(error);
    model->order->first = 1;
    return STATUS_OK;
}

static void times_fini(struct model_times *times, uint32_t count)
{
    for (uint32_t i = 0; times && i < count; i++)
        free(times[i].of);
}

void model_order_destroy(struct model_order *order)
{
    if (!order)
        return;
    times_fini(order->streams, order->stream_count);
    times_fini(order->events, order->event_count);
    times_fini(&order->host, 1);
    free(order->streams);
    free(order->events);
    free(order->operations);
    free(order->past);
    free(order->claims);
    free(order);
}

/* ---- times ---- */
static bool times_reach(struct model_times *times, uint32_t count)
{
    if (times->count >= count)
        return true;
    if (count > times->room && !array_grow_zeroed(times->of, times->room, times->count, count - times->count))
        return false;
    memset(times->of + times->count, 0, (count - times->count) * sizeof *times->of);
    times->count = count;
    return true;
}

static bool times_add(struct model_times *to, const struct model_times *from)
{
    if (!times_reach(to, from->count))
        return false;
    for (uint32_t i = 0; i < from->count; i++)
        to->of[i] = from->of[i] > to->of[i] ? from->of[i] : to->of[i];
    return true;
}

static bool times_cover(const struct model_times *times, const struct order_operation *operation)
{
    return operation->stream < times->count && operation->index <= times->of[operation->stream];
}

static bool lists_reach(struct model_times **lists, uint32_t *count, uint32_t *room, uint32_t wanted)
{
    while (*count < wanted) {
        if (*count == *room && !array_grow_32(lists, room, *count, 1, sizeof **lists, false))
            return false;
        (*lists)[(*count)++] = (struct model_times){0};
    }
    return true;
}

static uint32_t stream_number(const struct model *model, const struct model_stream *stream)
{
    return (uint32_t)(stream - model->streams);
}

static bool stream_is_legacy(const struct model *model, uint32_t stream)
{
    return stream < 2 * model->gpus && stream % 2 == 0;
}

/* What is ordered before the next operation of the stream; NULL: no memory. */
static struct model_times *stream_times(struct model *model, uint32_t stream)
{
    struct model_order *order = model->order;
    if (!lists_reach(&order->streams, &order->stream_count, &order->stream_room,
                     (uint32_t)model->stream_count))
        return NULL;
    struct model_times *times = &order->streams[stream];
    bool good = times_reach(times, stream + 1) && times_add(times, &order->host);
    /* The legacy default stream and the other blocking streams of a GPU wait for each other. */
    for (uint32_t i = 0; i < order->stream_count && good; i++) {
        const struct model_stream *a = &model->streams[i], *b = &model->streams[stream];
        bool legacy = stream_is_legacy(model, i) || stream_is_legacy(model, stream);
        if (i != stream && legacy && a->gpu == b->gpu && !a->non_blocking && !b->non_blocking)
            good = times_add(times, &order->streams[i]);
    }
    order->failed |= !good;
    return good ? times : NULL;
}

/* ---- the host ---- */
/* The host knows that these operations are over. */
static void host_learn(struct model_order *order, const struct model_times *times)
{
    uint32_t over = 0;
    order->failed |= !times_add(&order->host, times);
    while (over < order->operation_count && times_cover(&order->host, &order->operations[over]))
        over++;
    if (order->operation_count - over > PAST_MAX)
        over = order->operation_count - PAST_MAX;
    if (over == 0)
        return;
    memmove(order->operations, order->operations + over,
            (order->operation_count - over) * sizeof order->operations[0]);
    order->operation_count -= over;
    order->first += over;
}

void model_order_wait(struct model *model, const struct model_stream *stream)
{
    const struct model_times *times = model->order ? stream_times(model, stream_number(model, stream)) : NULL;
    if (times)
        host_learn(model->order, times);
}

void model_order_wait_all(struct model *model)
{
    for (size_t i = 0; model->order && i < model->stream_count; i++)
        if (model->streams[i].gpu == model->selected)
            model_order_wait(model, &model->streams[i]);
}

/* ---- events ---- */
void model_order_record(struct model *model, uint32_t event_slot, const struct model_stream *stream)
{
    struct model_order *order = model->order;
    const struct model_times *times = order ? stream_times(model, stream_number(model, stream)) : NULL;
    if (!times)
        return;
    if (!lists_reach(&order->events, &order->event_count, &order->event_room, event_slot)) {
        order->failed = true;
        return;
    }
    struct model_times *event = &order->events[event_slot - 1];
    event->count = 0;
    order->failed |= !times_add(event, times);
}

void model_order_wait_event(struct model *model, const struct model_stream *stream, uint32_t event_slot)
{
    struct model_order *order = model->order;
    if (!order || event_slot > order->event_count)
        return;
    struct model_times *times = stream ? stream_times(model, stream_number(model, stream)) : NULL;
    if (times)
        order->failed |= !times_add(times, &order->events[event_slot - 1]);
    else
        host_learn(order, &order->events[event_slot - 1]);
}

/* ---- operations ---- */
/* Adds an operation of the stream. NULL: no memory. */
static struct order_operation *operation_add(struct model *model, const struct model_stream *stream)
{
    struct model_order *order = model->order;
    uint32_t at = stream_number(model, stream);
    struct model_times *times = stream_times(model, at);
    if (!times || order->failed ||
        !array_grow(order->operations, order->operation_room, order->operation_count, 1)) {
        order->failed = true;
        return NULL;
    }
    struct order_operation *made = &order->operations[order->operation_count++];
    *made = (struct order_operation){.stream = at, .index = ++times->of[at]};
    return made;
}

/* Describes the first `count` operations. */
static bool past_fill(struct model_order *order, const struct model_times *times, uint32_t count,
                      struct order_launch *launch)
{
    uint32_t claims = 0;
    if (!array_grow(order->past, order->past_room, 0, count) ||
        !array_grow(order->claims, order->claim_room, 0, 2 * (size_t)count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct order_operation *operation = &order->operations[i];
        order->past[i] = operation->past;
        order->past[i].before =
            times_cover(times, operation) || (times == &order->host && operation->returned);
        for (uint32_t j = 0; j < operation->claim_count && !order->past[i].before; j++) {
            order->claims[claims] = operation->claims[j];
            order->claims[claims++].run = order->first + i;
        }
    }
    launch->claims = order->claims;
    launch->claim_count = claims;
    return true;
}

/* The number of the last operation, and those before it. */
static void order_describe(struct model *model, const struct model_stream *stream,
                           struct order_launch *launch)
{
    struct model_order *order = model->order;
    launch->run = launch->first = order->first + order->operation_count - 1;
    if (!past_fill(order, &order->streams[stream_number(model, stream)], order->operation_count - 1,
                   launch)) {
        order->failed = true;
        return;
    }
    launch->first = order->first;
    launch->past = order->past;
}

void model_order_launch(struct model *model, const struct model_stream *stream, const struct program *program,
                        struct grid_launch *launch)
{
    struct order_operation *operation = model->order ? operation_add(model, stream) : NULL;
    struct order_launch place = {0};
    if (!operation)
        return;
    operation->past.program = program;
    memcpy(operation->past.grid, launch->grid, sizeof launch->grid);
    memcpy(operation->past.block, launch->block, sizeof launch->block);
    order_describe(model, stream, &place);
    launch->number = place.run;
    launch->first = place.first;
    launch->past = place.past;
    launch->claims = place.claims;
    launch->claim_count = place.claim_count;
}

static void order_report(const struct model *model, const struct program *program,
                         const struct check_report *report)
{
    if (model->options.sink.reported)
        model->options.sink.reported(model->options.sink.owner, program, report);
}

/* A kernel that may run at the same time has accessed the memory of a copy or a set. */
static void report_kernel(const struct model *model, const struct order_past *past,
                          const struct order_past *itself, const struct claim *claim, uint64_t address,
                          const struct shadow_access *access)
{
    const uint32_t *block = past->block, *grid = past->grid, thread = shadow_thread(access);
    order_report(model, past->program,
                 &(struct check_report){.kind = CHECK_GLOBAL_RACE,
                                        .space = PTX_GLOBAL,
                                        .instruction = shadow_instruction(access),
                                        .block = {access->block % grid[0], access->block / grid[0] % grid[1],
                                                  access->block / grid[0] / grid[1]},
                                        .thread = {thread % block[0], thread / block[0] % block[1],
                                                   thread / block[0] / block[1]},
                                        .write = shadow_kind(access) & SHADOW_WRITES,
                                        .address = address,
                                        .width_bytes = 4,
                                        .has_other = true,
                                        .other_write = claim->write,
                                        .other_copy = itself->copy,
                                        .other_stream = itself->stream,
                                        .missing = MISSING_LAUNCH_ORDER,
                                        .count = 1});
}

/* Compares with earlier copies and sets that may run at the same time. */
static void compare_claims(const struct model *model, const struct order_launch *place,
                           const struct order_past *itself, const struct claim *claim)
{
    for (uint32_t i = 0; i < place->claim_count; i++) {
        const struct claim *other = &place->claims[i];
        const struct order_past *past = &place->past[other->run - place->first];
        struct check_report report = {.kind = CHECK_GLOBAL_RACE,
                                      .space = PTX_GLOBAL,
                                      .copy = itself->copy,
                                      .stream = itself->stream,
                                      .write = claim->write,
                                      .has_other = true,
                                      .other_copy = past->copy,
                                      .other_stream = past->stream,
                                      .other_write = other->write,
                                      .missing = MISSING_LAUNCH_ORDER,
                                      .count = 1};
        if ((claim->write || other->write) &&
            claims_overlap(claim, other, &report.address, &report.width_bytes)) {
            order_report(model, NULL, &report);
            return;
        }
    }
}

void model_order_copy(struct model *model, const struct model_stream *stream, const char *what,
                      const struct claim *claims, uint32_t count)
{
    struct order_operation *operation = model->order ? operation_add(model, stream) : NULL;
    struct shadow *shadow = grid_pool_shadow(model->pool);
    struct order_launch place = {0};
    if (!operation)
        return;
    operation->past.copy = what;
    operation->past.stream = stream->shown;
    operation->claim_count = count;
    memcpy(operation->claims, claims, count * sizeof claims[0]);
    order_describe(model, stream, &place);
    for (uint32_t i = 0; i < count && place.run > place.first; i++) {
        struct shadow_access access;
        uint64_t at;
        if (shadow && shadow_compare_claim(shadow, &place, &claims[i], &at, &access))
            report_kernel(model, &place.past[shadow_run(&access) - place.first], &operation->past, &claims[i],
                          at, &access);
        compare_claims(model, &place, &operation->past, &claims[i]);
    }
}

static void tell_undefined(void *owner, const struct program *program, const struct check_report *report)
{
    const struct model *model = owner;

    if (model->options.sink.reported)
        model->options.sink.reported(model->options.sink.owner, program, report);
}

void model_undefined_copy(struct model *model, enum device_copy direction, uint64_t destination,
                          uint64_t source, size_t bytes)
{
    struct undefined *undefined = grid_pool_undefined(model->pool);
    const struct memory_range *from = memory_find(model->memory, source);
    const struct memory_range *to = memory_find(model->memory, destination);

    if (direction == DEVICE_COPY_TO_HOST && from) {
        const uint64_t at = source - from->address, there = from->size_bytes - at;
        const struct check_report report = {.kind = CHECK_UNINITIALISED,
                                            .use = CHECK_USE_HOST,
                                            .copy = "copy to the host",
                                            .space = PTX_GLOBAL,
                                            .address = source,
                                            .width_bytes = bytes < there ? bytes : there,
                                            .count = 1};
        if (undefined)
            undefined_to_host(undefined, from, at, report.width_bytes, tell_undefined, model);
        if (undefined_is_all(undefined, from, at, report.width_bytes))
            tell_undefined(model, NULL, &report);
    } else if (undefined && direction == DEVICE_COPY_ON_DEVICE && from && to) {
        const struct undefined_side sides[] = {{from, source - from->address, source >> 2},
                                               {to, destination - to->address, destination >> 2}};
        uint64_t there = from->size_bytes - sides[0].at, here = to->size_bytes - sides[1].at;
        here = here < there ? here : there;
        undefined_copy(undefined, &sides[0], &sides[1], bytes < here ? bytes : here);
    }
}

void model_order_free(struct model *model, const struct model_stream *stream, uint64_t address,
                      uint64_t size_bytes)
{
    const struct claim freed = {.address = address, .size_bytes = size_bytes, .write = true};
    struct shadow *shadow = grid_pool_shadow(model->pool);
    struct model_order *order = model->order;
    uint64_t at, bytes;
    if (!order)
        return;
    model_order_copy(model, stream, "free", &freed, 1);
    for (uint32_t i = 0; i < order->operation_count; i++)
        for (uint32_t j = 0; j < order->operations[i].claim_count; j++)
            if (claims_overlap(&order->operations[i].claims[j], &freed, &at, &bytes))
                order->operations[i].claims[j] = (struct claim){0};
    if (shadow)
        shadow_forget(shadow, address, size_bytes);
}

void model_order_returned(struct model *model)
{
    struct model_order *order = model->order;
    if (order && order->operation_count)
        order->operations[order->operation_count - 1].returned = true;
}

/* ---- for the stand-in ---- */
void simt_device_stream_over(struct device *device, uint64_t handle)
{
    struct model *model = model_of(device);
    const struct model_stream *stream = model_stream_find(model, handle, NULL);
    if (!stream)
        return;
    struct model_call call = model_call_begin(model, "cuStreamQuery", CALL_STREAM, stream);
    model_order_wait(model, stream);
    model->now += model->gpu->host.order_ns;
    model_tell_query(model, &call, SYNC_STREAM, 0);
    model_call_end(model, &call, 0, STATUS_OK);
}

void simt_device_event_over(struct device *device, uint64_t handle)
{
    struct model *model = model_of(device);
    if (!handle)
        return;
    struct model_call call = model_call_begin(model, "cuEventQuery", CALL_STREAM, NULL);
    model_order_wait_event(model, NULL, (uint32_t)handle);
    model->now += model->gpu->host.order_ns;
    model_tell_query(model, &call, SYNC_EVENT, handle);
    model_call_end(model, &call, 0, STATUS_OK);
}

/* ---- the host beside the device ---- */
/* The operations that the host does not know to be over; false: none. */
static bool host_describe(struct model *model, struct order_launch *launch)
{
    struct model_order *order = model->order;
    if (!order || order->failed || !past_fill(order, &order->host, order->operation_count, launch))
        return false;
    launch->run = order->first + order->operation_count;
    launch->first = order->first;
    launch->past = order->past;
    for (uint32_t i = 0; i < order->operation_count; i++)
        if (!order->past[i].before)
            return true;
    return false;
}

/* What they do in a part of memory: 0 nothing, 1 reads, 2 writes. */
static int part_state(const struct shadow *shadow, const struct order_launch *launch, uint64_t address,
                      uint64_t size_bytes)
{
    for (int write = 0; write < 2; write++) {
        const struct claim part = {.address = address, .size_bytes = size_bytes, .write = write};
        struct shadow_access access;
        uint64_t at, bytes;
        bool found = shadow && shadow_compare_claim(shadow, launch, &part, &at, &access);
        for (uint32_t i = 0; i < launch->claim_count && !found; i++)
            found =
                (launch->claims[i].write || write) && claims_overlap(&launch->claims[i], &part, &at, &bytes);
        if (found)
            return write ? 1 : 2;
    }
    return 0;
}

void simt_device_guard(struct device *device, simt_guard *guard, void *owner)
{
    struct model *model = model_of(device);
    const struct shadow *shadow = grid_pool_shadow(model->pool);
    struct order_launch launch = {0};
    if (!host_describe(model, &launch))
        return;
    for (const struct memory_range *range = NULL; (range = memory_next_open(model->memory, range));) {
        uint64_t end = range->address + range->size_bytes;
        for (uint64_t page = range->address / SIMT_GUARD_BYTES * SIMT_GUARD_BYTES; page < end;
             page += SIMT_GUARD_BYTES) {
            int does = part_state(shadow, &launch, page, SIMT_GUARD_BYTES);
            if (does)
                guard(owner, page, does == 2);
        }
    }
}

/* A kernel that tells the host in its memory how far it is: the host may read on. */
static bool tells_host(const struct program *program)
{
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *at = &program->instructions[i];
        bool writes = at->op == PROGRAM_ST || at->op == PROGRAM_ATOM || at->op == PROGRAM_FENCE;
        if (writes && at->sync & (SYNC_SYSTEM | SYNC_VOLATILE))
            return true;
    }
    return false;
}

bool simt_device_races_host(struct device *device, uint64_t address, bool write, struct simt_host_race *race)
{
    struct model *model = model_of(device);
    const struct shadow *shadow = grid_pool_shadow(model->pool);
    const struct claim byte = {.address = address, .size_bytes = 1, .write = write};
    struct order_launch launch = {0};
    struct shadow_access access;
    uint64_t at;
    if (!host_describe(model, &launch))
        return false;
    for (uint32_t i = 0; i < launch.claim_count; i++) {
        const struct claim *claim = &launch.claims[i];
        if (!(claim->write || write) || !claim_touches(claim, address, 1))
            continue;
        const struct order_past *past = &launch.past[claim->run - launch.first];
        *race = (struct simt_host_race){.copy = past->copy, .stream = past->stream, .writes = claim->write};
        return true;
    }
    if (!shadow || !shadow_compare_claim(shadow, &launch, &byte, &at, &access))
        return false;
    const struct order_past *past = &launch.past[shadow_run(&access) - launch.first];
    *race = (struct simt_host_race){.program = past->program,
                                    .instruction = shadow_instruction(&access),
                                    .writes = shadow_kind(&access) & SHADOW_WRITES};
    return past->program && !(shadow_kind(&access) & SHADOW_STRONG) && !tells_host(past->program);
}
