/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No data but tables from CUPTI's enums to ours. Numbers that do not fit an event's field are clamped; a
 * record without times makes no event.
 */
#include "cupti/agent/translate.h"

#include <string.h>

static uint16_t clamp_16_bits(int64_t value)
{
    return value < 0 ? 0 : value > UINT16_MAX ? UINT16_MAX : (uint16_t)value;
}

static uint32_t clamp_32_bits(int64_t value)
{
    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static enum translate_result check_times(uint64_t start, uint64_t end)
{
    return start == 0 || end == 0 ? TRANSLATE_NO_TIME : TRANSLATE_EVENT;
}

static enum translate_result translate_kernel(const cupti_kernel_record *k,
                                              const struct translate_names *names, struct event *event)
{
    struct event shape = {.kind = EVENT_SHAPE};
    if (k->launchType == CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE ||
        k->launchType == CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE)
        shape.flags = SHAPE_COOPERATIVE;
    shape.shape.name = names->string(names->user, k->name ? k->name : "(no name)");
    shape.shape.grid[0] = clamp_32_bits(k->gridX);
    shape.shape.grid[1] = clamp_32_bits(k->gridY);
    shape.shape.grid[2] = clamp_32_bits(k->gridZ);
    shape.shape.block[0] = clamp_16_bits(k->blockX);
    shape.shape.block[1] = clamp_16_bits(k->blockY);
    shape.shape.block[2] = clamp_16_bits(k->blockZ);
    shape.shape.registers_per_thread = k->registersPerThread;
    shape.shape.static_shared_bytes = clamp_32_bits(k->staticSharedMemory);
    shape.shape.dynamic_shared_bytes = clamp_32_bits(k->dynamicSharedMemory);
    shape.shape.local_bytes_per_thread = k->localMemoryPerThread;
    shape.shape.shared_config_bytes = k->sharedMemoryExecuted;
    shape.shape.cluster[0] = clamp_16_bits(k->clusterX);
    shape.shape.cluster[1] = clamp_16_bits(k->clusterY);
    shape.shape.cluster[2] = clamp_16_bits(k->clusterZ);

    *event = (struct event){.kind = EVENT_KERNEL, .device = clamp_16_bits(k->deviceId)};
    event->kernel.start_ns = (int64_t)k->start;
    event->kernel.end_ns = (int64_t)k->end;
    event->kernel.correlation = k->correlationId;
    event->kernel.shape = names->shape(names->user, &shape);
    event->kernel.context = k->contextId;
    event->kernel.stream = k->streamId;
    event->kernel.graph_node = k->graphNodeId;
    event->kernel.graph = k->graphId;
    return check_times(k->start, k->end);
}

static uint8_t copy_kind(uint8_t kind)
{
    static const uint8_t kinds[] = {
        [CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN] = COPY_OTHER, [CUPTI_ACTIVITY_MEMCPY_KIND_HTOD] = COPY_HTOD,
        [CUPTI_ACTIVITY_MEMCPY_KIND_DTOH] = COPY_DTOH,     [CUPTI_ACTIVITY_MEMCPY_KIND_HTOA] = COPY_HTOA,
        [CUPTI_ACTIVITY_MEMCPY_KIND_ATOH] = COPY_ATOH,     [CUPTI_ACTIVITY_MEMCPY_KIND_ATOA] = COPY_ATOA,
        [CUPTI_ACTIVITY_MEMCPY_KIND_ATOD] = COPY_ATOD,     [CUPTI_ACTIVITY_MEMCPY_KIND_DTOA] = COPY_DTOA,
        [CUPTI_ACTIVITY_MEMCPY_KIND_DTOD] = COPY_DTOD,     [CUPTI_ACTIVITY_MEMCPY_KIND_HTOH] = COPY_HTOH,
        [CUPTI_ACTIVITY_MEMCPY_KIND_PTOP] = COPY_PTOP};
    return kind < sizeof kinds ? kinds[kind] : COPY_OTHER;
}

static uint8_t memory_kind(uint32_t kind)
{
    static const uint8_t kinds[] = {[CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN] = MEMORY_UNKNOWN,
                                    [CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE] = MEMORY_PAGEABLE,
                                    [CUPTI_ACTIVITY_MEMORY_KIND_PINNED] = MEMORY_PINNED,
                                    [CUPTI_ACTIVITY_MEMORY_KIND_DEVICE] = MEMORY_DEVICE,
                                    [CUPTI_ACTIVITY_MEMORY_KIND_ARRAY] = MEMORY_ARRAY,
                                    [CUPTI_ACTIVITY_MEMORY_KIND_MANAGED] = MEMORY_MANAGED,
                                    [CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC] = MEMORY_DEVICE,
                                    [CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC] = MEMORY_MANAGED};
    return kind < sizeof kinds ? kinds[kind] : MEMORY_UNKNOWN;
}

static uint8_t engine_number(CUpti_ChannelType type, uint32_t channel)
{
    return type == CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY && channel < 0xff ? (uint8_t)channel : 0xff;
}

static enum translate_result translate_copy(const cupti_copy_record *c, struct event *event)
{
    *event = (struct event){.kind = EVENT_COPY, .device = clamp_16_bits(c->deviceId)};
    event->flags = c->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC ? COPY_ASYNC : 0;
    event->copy.start_ns = (int64_t)c->start;
    event->copy.end_ns = (int64_t)c->end;
    event->copy.size_bytes = c->bytes;
    event->copy.correlation = c->correlationId;
    event->copy.context = c->contextId;
    event->copy.stream = c->streamId;
    event->copy.copy_kind = copy_kind(c->copyKind);
    event->copy.source_memory = memory_kind(c->srcKind);
    event->copy.destination_memory = memory_kind(c->dstKind);
    event->copy.engine = engine_number(c->channelType, c->channelID);
    event->copy.source_device = event->copy.destination_device = event->device;
    event->copy.graph = c->graphId;
    event->copy.graph_node = (uint32_t)c->graphNodeId;
    return check_times(c->start, c->end);
}

static enum translate_result peer_copy(const cupti_peer_copy_record *c, struct event *event)
{
    *event = (struct event){.kind = EVENT_COPY, .device = clamp_16_bits(c->deviceId)};
    event->flags = c->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC ? COPY_ASYNC : 0;
    event->copy.start_ns = (int64_t)c->start;
    event->copy.end_ns = (int64_t)c->end;
    event->copy.size_bytes = c->bytes;
    event->copy.correlation = c->correlationId;
    event->copy.context = c->contextId;
    event->copy.stream = c->streamId;
    event->copy.copy_kind = COPY_PTOP;
    event->copy.source_memory = memory_kind(c->srcKind);
    event->copy.destination_memory = memory_kind(c->dstKind);
    event->copy.engine = engine_number(c->channelType, c->channelID);
    event->copy.source_device = clamp_16_bits(c->srcDeviceId);
    event->copy.destination_device = clamp_16_bits(c->dstDeviceId);
    event->copy.graph = c->graphId;
    event->copy.graph_node = (uint32_t)c->graphNodeId;
    return check_times(c->start, c->end);
}

static enum translate_result translate_set(const cupti_set_record *s, struct event *event)
{
    *event = (struct event){.kind = EVENT_SET, .device = clamp_16_bits(s->deviceId)};
    event->set.start_ns = (int64_t)s->start;
    event->set.end_ns = (int64_t)s->end;
    event->set.size_bytes = s->bytes;
    event->set.correlation = s->correlationId;
    event->set.context = s->contextId;
    event->set.stream = s->streamId;
    event->set.value = s->value;
    event->set.memory = memory_kind(s->memoryKind);
    event->set.graph = s->graphId;
    event->set.graph_node = (uint32_t)s->graphNodeId;
    return check_times(s->start, s->end);
}

static enum translate_result translate_call(const CUpti_ActivityAPI *a, const struct translate_names *names,
                                            struct event *event)
{
    enum api_domain domain = a->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? API_RUNTIME : API_DRIVER;
    *event = (struct event){.kind = EVENT_CALL};
    if (!names->call(names->user, domain, a->cbid, &event->call.name, &event->call.category))
        return TRANSLATE_NOTHING;
    event->call.start_ns = (int64_t)a->start;
    event->call.end_ns = (int64_t)a->end;
    event->call.correlation = a->correlationId;
    event->call.thread = a->threadId;
    event->call.result = (int32_t)a->returnValue;
    event->call.domain = (uint8_t)domain;
    return check_times(a->start, a->end);
}

static enum translate_result translate_sync(const cupti_sync_record *s, struct event *event)
{
    static const uint8_t kinds[] = {[CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN] = SYNC_OTHER,
                                    [CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE] = SYNC_EVENT,
                                    [CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT] =
                                        SYNC_STREAM_WAIT_EVENT,
                                    [CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE] = SYNC_STREAM,
                                    [CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE] = SYNC_CONTEXT};
    *event = (struct event){.kind = EVENT_SYNC};
    event->sync.start_ns = (int64_t)s->start;
    event->sync.end_ns = (int64_t)s->end;
    event->sync.correlation = s->correlationId;
    event->sync.context = s->contextId;
    event->sync.stream = s->streamId == CUPTI_SYNCHRONIZATION_INVALID_VALUE ? 0 : s->streamId;
    event->sync.sync_kind = (uint32_t)s->type < sizeof kinds ? kinds[s->type] : SYNC_OTHER;
    if (s->cudaEventId != CUPTI_SYNCHRONIZATION_INVALID_VALUE &&
        (uint32_t)s->cudaEventSyncId != CUPTI_SYNCHRONIZATION_INVALID_VALUE) {
        event->sync.event = s->cudaEventId;
        event->sync.record = s->cudaEventSyncId;
    }
    return check_times(s->start, s->end);
}

/* Has no times: its call has. */
static enum translate_result translate_event_record(const cupti_event_record *c, struct event *event)
{
    *event = (struct event){.kind = EVENT_EVENT_RECORD, .device = clamp_16_bits(c->deviceId)};
    event->event_record.correlation = c->correlationId;
    event->event_record.context = c->contextId;
    event->event_record.stream = c->streamId;
    event->event_record.event = c->eventId;
    event->event_record.record = c->cudaEventSyncId;
    return c->correlationId != 0 && c->cudaEventSyncId != 0 ? TRANSLATE_EVENT : TRANSLATE_NOTHING;
}

static enum translate_result translate_marker(const cupti_marker_record *m,
                                              const struct translate_names *names, struct event *event)
{
    uint8_t kind = EVENT_NONE;
    if (m->flags & CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS)
        kind = EVENT_MARK;
    else if (m->flags & CUPTI_ACTIVITY_FLAG_MARKER_START)
        kind = EVENT_RANGE_BEGIN;
    else if (m->flags & CUPTI_ACTIVITY_FLAG_MARKER_END)
        kind = EVENT_RANGE_END;
    if (kind == EVENT_NONE)
        return TRANSLATE_NOTHING;
    *event = (struct event){.kind = kind};
    event->range.time_ns = (int64_t)m->timestamp;
    event->range.id = m->id;
    event->range.name = m->name ? names->string(names->user, m->name) : 0;
    event->range.domain = m->domain ? names->string(names->user, m->domain) : 0;
    if (m->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD)
        event->range.thread = m->objectId.pt.threadId;
    return m->timestamp ? TRANSLATE_EVENT : TRANSLATE_NO_TIME;
}

static const char *overhead_text(CUpti_ActivityOverheadKind kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER: return "driver compiles";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH: return "CUPTI flushes a buffer";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION: return "CUPTI instruments";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE: return "CUPTI sets up";
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING: return "runtime loads a module";
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING: return "driver loads a function";
    case CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL: return "command buffer full";
    case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST: return "CUPTI asks for a buffer";
    default: return "other overhead";
    }
}

static enum translate_result translate_overhead(const cupti_overhead_record *o,
                                                const struct translate_names *names, struct event *event)
{
    *event = (struct event){.kind = EVENT_OVERHEAD};
    event->overhead.start_ns = (int64_t)o->start;
    event->overhead.end_ns = (int64_t)o->end;
    event->overhead.name = names->string(names->user, overhead_text(o->overheadKind));
    if (o->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD)
        event->overhead.thread = o->objectId.pt.threadId;
    return check_times(o->start, o->end);
}

/* A context and its default stream, which no stream record announces. */
static enum translate_result translate_context(const cupti_context_record *c, struct event *events)
{
    events[0] = (struct event){.kind = EVENT_CONTEXT, .device = clamp_16_bits(c->deviceId)};
    events[0].context.context = c->contextId;
    events[1] =
        (struct event){.kind = EVENT_STREAM, .flags = STREAM_DEFAULT, .device = clamp_16_bits(c->deviceId)};
    events[1].stream.context = c->contextId;
    events[1].stream.stream = c->nullStreamId;
    return TRANSLATE_TWO;
}

static enum translate_result translate_stream(const CUpti_ActivityStream *s, struct event *event)
{
    *event = (struct event){.kind = EVENT_STREAM};
    if (s->flag == CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING)
        event->flags = STREAM_NON_BLOCKING;
    else if (s->flag == CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL)
        event->flags = STREAM_DEFAULT;
    event->stream.context = s->contextId;
    event->stream.stream = s->streamId;
    event->stream.priority = (int32_t)s->priority;
    return TRANSLATE_EVENT;
}

enum event_kind translate_kind(CUpti_ActivityKind kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: return EVENT_KERNEL;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
    case CUPTI_ACTIVITY_KIND_MEMCPY2: return EVENT_COPY;
    case CUPTI_ACTIVITY_KIND_MEMSET: return EVENT_SET;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: return EVENT_CALL;
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return EVENT_SYNC;
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT: return EVENT_EVENT_RECORD;
    case CUPTI_ACTIVITY_KIND_MARKER: return EVENT_RANGE_BEGIN;
    case CUPTI_ACTIVITY_KIND_OVERHEAD: return EVENT_OVERHEAD;
    case CUPTI_ACTIVITY_KIND_CONTEXT: return EVENT_CONTEXT;
    case CUPTI_ACTIVITY_KIND_STREAM: return EVENT_STREAM;
    default: return EVENT_NONE;
    }
}

enum translate_result translate(const CUpti_Activity *record, const struct translate_names *names,
                                struct event *events)
{
    const void *r = record;
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: return translate_kernel(r, names, events);
    case CUPTI_ACTIVITY_KIND_MEMCPY: return translate_copy(r, events);
    case CUPTI_ACTIVITY_KIND_MEMCPY2: return peer_copy(r, events);
    case CUPTI_ACTIVITY_KIND_MEMSET: return translate_set(r, events);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: return translate_call(r, names, events);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return translate_sync(r, events);
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT: return translate_event_record(r, events);
    case CUPTI_ACTIVITY_KIND_MARKER: return translate_marker(r, names, events);
    case CUPTI_ACTIVITY_KIND_OVERHEAD: return translate_overhead(r, names, events);
    case CUPTI_ACTIVITY_KIND_CONTEXT: return translate_context(r, events);
    case CUPTI_ACTIVITY_KIND_STREAM: return translate_stream(r, events);
    default: return TRANSLATE_UNKNOWN;
    }
}
