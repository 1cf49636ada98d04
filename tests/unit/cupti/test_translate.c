/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-built CUPTI records through the real translation. */
#if LANESCOPE_CUDA
#include "cupti/agent/translate.h"
#endif

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if !LANESCOPE_CUDA
__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no CUPTI headers");
    fflush(stdout);
    _exit(77);
}
#else

#define TEXTS 16

/* Names as the agent gives them, remembered so that a test can look. */
struct remembered {
    char texts[TEXTS][128];
    uint32_t text_count;
    struct event shapes[4];
    uint32_t shape_count;
};

static uint32_t give_string(void *user, const char *text)
{
    struct remembered *r = user;
    for (uint32_t i = 0; i < r->text_count; i++)
        if (strcmp(r->texts[i], text) == 0)
            return i + 1;
    cr_assert_lt(r->text_count, TEXTS);
    snprintf(r->texts[r->text_count], sizeof r->texts[0], "%s", text);
    return ++r->text_count;
}

static uint32_t give_shape(void *user, const struct event *shape)
{
    struct remembered *r = user;
    cr_assert_eq(shape->shape.id, 0);
    r->shapes[r->shape_count] = *shape;
    return 100 + r->shape_count++;
}

static bool give_call(void *user, enum api_domain domain, uint32_t id, uint32_t *name, uint8_t *category)
{
    if (id == 9)
        return false;
    *name = give_string(user, domain == API_RUNTIME ? "cudaLaunchKernel" : "cuLaunchKernel");
    *category = CALL_LAUNCH;
    return true;
}

static struct remembered seen;
static const struct translate_names names = {&seen, give_string, give_shape, give_call};

static enum translate_result run(const void *record, struct event *events)
{
    memset(&seen, 0, sizeof seen);
    memset(events, 0xee, 2 * sizeof *events);
    return translate(record, &names, events);
}

Test(translate, kernel)
{
    struct event e[2];
    cupti_kernel_record k = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                             .start = 1795194780826949780u,
                             .end = 1795194780826950740u,
                             .deviceId = 3,
                             .contextId = 1,
                             .streamId = 7,
                             .correlationId = 128,
                             .gridX = 70000,
                             .gridY = 2,
                             .gridZ = 3,
                             .blockX = 32,
                             .blockY = 4,
                             .blockZ = 5,
                             .registersPerThread = 40,
                             .staticSharedMemory = 1024,
                             .dynamicSharedMemory = 2048,
                             .localMemoryPerThread = 16,
                             .sharedMemoryExecuted = 8192,
                             .clusterX = 2,
                             .clusterY = 1,
                             .clusterZ = 1,
                             .launchType = CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE,
                             .graphNodeId = 0x200000003u,
                             .graphId = 2,
                             .name = "_Z4unitPKfPf"};
    cr_assert_eq(run(&k, e), TRANSLATE_EVENT);
    cr_assert_eq(e[0].kind, EVENT_KERNEL);
    cr_assert_eq(e[0].flags, 0);
    cr_assert_eq(e[0].device, 3);
    cr_assert_eq(e[0].kernel.start_ns, 1795194780826949780);
    cr_assert_eq(e[0].kernel.end_ns - e[0].kernel.start_ns, 960);
    cr_assert_eq(e[0].kernel.correlation, 128);
    cr_assert_eq(e[0].kernel.shape, 100);
    cr_assert_eq(e[0].kernel.context, 1);
    cr_assert_eq(e[0].kernel.stream, 7);
    cr_assert_eq(e[0].kernel.graph_node, 0x200000003u);
    cr_assert_eq(e[0].kernel.graph, 2);

    const struct event *s = &seen.shapes[0];
    cr_assert_eq(seen.shape_count, 1);
    cr_assert_str_eq(seen.texts[s->shape.name - 1], "_Z4unitPKfPf");
    cr_assert_eq(s->kind, EVENT_SHAPE);
    cr_assert_eq(s->flags, SHAPE_COOPERATIVE);
    cr_assert(s->shape.grid[0] == 70000 && s->shape.grid[1] == 2 && s->shape.grid[2] == 3);
    cr_assert(s->shape.block[0] == 32 && s->shape.block[1] == 4 && s->shape.block[2] == 5);
    cr_assert(s->shape.cluster[0] == 2 && s->shape.cluster[1] == 1 && s->shape.cluster[2] == 1);
    cr_assert_eq(s->shape.registers_per_thread, 40);
    cr_assert_eq(s->shape.static_shared_bytes, 1024);
    cr_assert_eq(s->shape.dynamic_shared_bytes, 2048);
    cr_assert_eq(s->shape.local_bytes_per_thread, 16);
    cr_assert_eq(s->shape.shared_config_bytes, 8192);
}

Test(translate, kernel_without_times_or_name)
{
    struct event e[2];
    cupti_kernel_record k = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .correlationId = 5};
    cr_assert_eq(run(&k, e), TRANSLATE_NO_TIME);
    cr_assert_eq(e[0].kind, EVENT_KERNEL);
    cr_assert_eq(e[0].kernel.correlation, 5);
    cr_assert_str_eq(seen.texts[0], "(no name)");
    k.end = 5;
    cr_assert_eq(run(&k, e), TRANSLATE_NO_TIME);
    k.start = 4;
    cr_assert_eq(run(&k, e), TRANSLATE_EVENT);
}

Test(translate, negative_and_huge_numbers_do_not_wrap)
{
    struct event e[2];
    cupti_kernel_record k = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                             .start = 1,
                             .end = 2,
                             .deviceId = 70000,
                             .gridX = -1,
                             .blockX = 70000,
                             .dynamicSharedMemory = -5};
    cr_assert_eq(run(&k, e), TRANSLATE_EVENT);
    cr_assert_eq(e[0].device, UINT16_MAX);
    cr_assert_eq(seen.shapes[0].shape.grid[0], 0);
    cr_assert_eq(seen.shapes[0].shape.block[0], UINT16_MAX);
    cr_assert_eq(seen.shapes[0].shape.dynamic_shared_bytes, 0);
}

Test(translate, copy)
{
    static const struct {
        uint8_t cupti, ours;
    } kinds[] = {
        {CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN, COPY_OTHER}, {CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, COPY_HTOD},
        {CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, COPY_DTOH},     {CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, COPY_DTOD},
        {CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, COPY_HTOH},     {CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, COPY_PTOP},
        {CUPTI_ACTIVITY_MEMCPY_KIND_HTOA, COPY_HTOA},     {CUPTI_ACTIVITY_MEMCPY_KIND_ATOH, COPY_ATOH},
        {CUPTI_ACTIVITY_MEMCPY_KIND_ATOA, COPY_ATOA},     {CUPTI_ACTIVITY_MEMCPY_KIND_ATOD, COPY_ATOD},
        {CUPTI_ACTIVITY_MEMCPY_KIND_DTOA, COPY_DTOA},     {200, COPY_OTHER}};
    struct event e[2];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        cupti_copy_record c = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                               .copyKind = kinds[i].cupti,
                               .srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
                               .dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC,
                               .start = 1,
                               .end = 9,
                               .bytes = 5000000000u,
                               .deviceId = 1,
                               .contextId = 2,
                               .streamId = 3,
                               .correlationId = 4,
                               .graphId = 5,
                               .graphNodeId = 0x500000006u,
                               .channelID = 12,
                               .channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY,
                               .flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC};
        cr_assert_eq(run(&c, e), TRANSLATE_EVENT);
        cr_assert_eq(e[0].copy.copy_kind, kinds[i].ours, "CUPTI's kind %u", kinds[i].cupti);
        cr_assert(e[0].kind == EVENT_COPY && e[0].flags == COPY_ASYNC && e[0].device == 1);
        cr_assert(e[0].copy.start_ns == 1 && e[0].copy.end_ns == 9 && e[0].copy.size_bytes == 5000000000u);
        cr_assert(e[0].copy.context == 2 && e[0].copy.stream == 3 && e[0].copy.correlation == 4);
        cr_assert(e[0].copy.source_memory == MEMORY_PINNED && e[0].copy.destination_memory == MEMORY_DEVICE);
        cr_assert(e[0].copy.engine == 12 && e[0].copy.graph == 5 && e[0].copy.graph_node == 6);
        cr_assert(e[0].copy.source_device == 1 && e[0].copy.destination_device == 1);
        c.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
        c.flags = 0;
        cr_assert_eq(run(&c, e), TRANSLATE_EVENT);
        cr_assert(e[0].copy.engine == 0xff && e[0].flags == 0);
    }
}

Test(translate, peer_copy)
{
    struct event e[2];
    cupti_peer_copy_record c = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY2,
                                .start = 1,
                                .end = 9,
                                .bytes = 7,
                                .deviceId = 2,
                                .srcDeviceId = 1,
                                .dstDeviceId = 2,
                                .streamId = 3,
                                .srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                                .dstKind = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED};
    cr_assert_eq(run(&c, e), TRANSLATE_EVENT);
    cr_assert(e[0].kind == EVENT_COPY && e[0].copy.copy_kind == COPY_PTOP && e[0].copy.size_bytes == 7);
    cr_assert(e[0].copy.source_device == 1 && e[0].copy.destination_device == 2 && e[0].device == 2);
    cr_assert(e[0].copy.source_memory == MEMORY_DEVICE && e[0].copy.destination_memory == MEMORY_MANAGED);
}

Test(translate, set)
{
    struct event e[2];
    cupti_set_record s = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
                          .value = 0xab,
                          .bytes = 77,
                          .start = 3,
                          .end = 4,
                          .deviceId = 1,
                          .contextId = 2,
                          .streamId = 5,
                          .correlationId = 6,
                          .memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
                          .graphNodeId = 0x800000009u,
                          .graphId = 8};
    cr_assert_eq(run(&s, e), TRANSLATE_EVENT);
    cr_assert(e[0].kind == EVENT_SET && e[0].set.value == 0xab && e[0].set.size_bytes == 77);
    cr_assert(e[0].set.memory == MEMORY_PAGEABLE && e[0].set.graph == 8 && e[0].set.stream == 5);
    cr_assert(e[0].set.graph_node == 9 && e[0].set.context == 2 && e[0].set.correlation == 6 &&
              e[0].set.start_ns == 3 && e[0].set.end_ns == 4);
}

Test(translate, call)
{
    struct event e[2];
    CUpti_ActivityAPI a = {.kind = CUPTI_ACTIVITY_KIND_RUNTIME,
                           .cbid = 211,
                           .start = 3,
                           .end = 8,
                           .threadId = 671,
                           .correlationId = 128,
                           .returnValue = 700};
    cr_assert_eq(run(&a, e), TRANSLATE_EVENT);
    cr_assert(e[0].kind == EVENT_CALL && e[0].call.domain == API_RUNTIME &&
              e[0].call.category == CALL_LAUNCH);
    cr_assert_str_eq(seen.texts[e[0].call.name - 1], "cudaLaunchKernel");
    cr_assert(e[0].call.thread == 671 && e[0].call.correlation == 128 && e[0].call.result == 700);
    cr_assert(e[0].call.start_ns == 3 && e[0].call.end_ns == 8);
    a.kind = CUPTI_ACTIVITY_KIND_DRIVER;
    cr_assert_eq(run(&a, e), TRANSLATE_EVENT);
    cr_assert_eq(e[0].call.domain, API_DRIVER);
    a.cbid = 9;
    cr_assert_eq(run(&a, e), TRANSLATE_NOTHING);
}

Test(translate, sync)
{
    static const struct {
        CUpti_ActivitySynchronizationType cupti;
        uint8_t ours;
    } kinds[] = {{CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE, SYNC_EVENT},
                 {CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT, SYNC_STREAM_WAIT_EVENT},
                 {CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, SYNC_STREAM},
                 {CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE, SYNC_CONTEXT},
                 {CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN, SYNC_OTHER}};
    struct event e[2];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        cupti_sync_record s = {.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                               .type = kinds[i].cupti,
                               .start = 1,
                               .end = 2,
                               .contextId = 3,
                               .correlationId = 4,
                               .streamId = CUPTI_SYNCHRONIZATION_INVALID_VALUE};
        cr_assert_eq(run(&s, e), TRANSLATE_EVENT);
        cr_assert_eq(e[0].sync.sync_kind, kinds[i].ours);
        cr_assert(e[0].kind == EVENT_SYNC && e[0].sync.stream == 0 && e[0].sync.context == 3);
    }
}

/* Without its event a wait names none. */
Test(translate, cuda_events)
{
    struct event e[2];
    cupti_event_record c = {.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT,
                            .correlationId = 4,
                            .contextId = 1,
                            .streamId = 7,
                            .eventId = 9,
                            .cudaEventSyncId = 33};
    cr_assert_eq(run(&c, e), TRANSLATE_EVENT);
    cr_assert(e[0].kind == EVENT_EVENT_RECORD && e[0].event_record.correlation == 4 &&
              e[0].event_record.context == 1 && e[0].event_record.stream == 7 &&
              e[0].event_record.event == 9 && e[0].event_record.record == 33);
    c.correlationId = 0;
    cr_assert_eq(run(&c, e), TRANSLATE_NOTHING);
    cupti_sync_record s = {.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                           .type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT,
                           .start = 1,
                           .end = 2,
                           .correlationId = 5,
                           .streamId = 8,
                           .cudaEventId = 9,
                           .cudaEventSyncId = 33};
    cr_assert_eq(run(&s, e), TRANSLATE_EVENT);
    cr_assert(e[0].sync.event == 9 && e[0].sync.record == 33 && e[0].sync.stream == 8);
    s.cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
    s.cudaEventSyncId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
    cr_assert_eq(run(&s, e), TRANSLATE_EVENT);
    cr_assert(e[0].sync.event == 0 && e[0].sync.record == 0);
}

Test(translate, ranges)
{
    struct event e[2];
    cupti_marker_record m = {.kind = CUPTI_ACTIVITY_KIND_MARKER,
                             .flags = CUPTI_ACTIVITY_FLAG_MARKER_START,
                             .timestamp = 55,
                             .id = 4,
                             .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
                             .objectId = {.pt = {.processId = 1, .threadId = 99}},
                             .name = "step",
                             .domain = "train"};
    cr_assert_eq(run(&m, e), TRANSLATE_EVENT);
    cr_assert(e[0].kind == EVENT_RANGE_BEGIN && e[0].range.time_ns == 55 && e[0].range.id == 4);
    cr_assert_eq(e[0].range.thread, 99);
    cr_assert_str_eq(seen.texts[e[0].range.name - 1], "step");
    cr_assert_str_eq(seen.texts[e[0].range.domain - 1], "train");
    m.flags = CUPTI_ACTIVITY_FLAG_MARKER_END;
    m.name = m.domain = NULL;
    cr_assert_eq(run(&m, e), TRANSLATE_EVENT);
    cr_assert(e[0].kind == EVENT_RANGE_END && e[0].range.name == 0 && e[0].range.domain == 0);
    m.flags = CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS;
    cr_assert_eq(run(&m, e), TRANSLATE_EVENT);
    cr_assert_eq(e[0].kind, EVENT_MARK);
    m.flags = CUPTI_ACTIVITY_FLAG_MARKER_SYNC_ACQUIRE;
    cr_assert_eq(run(&m, e), TRANSLATE_NOTHING);
}

Test(translate, context_brings_its_default_stream)
{
    struct event e[2];
    cupti_context_record c = {
        .kind = CUPTI_ACTIVITY_KIND_CONTEXT, .contextId = 2, .deviceId = 1, .nullStreamId = 7};
    cr_assert_eq(run(&c, e), TRANSLATE_TWO);
    cr_assert(e[0].kind == EVENT_CONTEXT && e[0].context.context == 2 && e[0].device == 1);
    cr_assert(e[1].kind == EVENT_STREAM && e[1].flags == STREAM_DEFAULT && e[1].stream.stream == 7);
    cr_assert_eq(e[1].stream.context, 2);
}

Test(translate, stream_and_overhead)
{
    struct event e[2];
    CUpti_ActivityStream s = {.kind = CUPTI_ACTIVITY_KIND_STREAM,
                              .contextId = 1,
                              .streamId = 13,
                              .priority = (uint32_t)-5,
                              .flag = CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING};
    cr_assert_eq(run(&s, e), TRANSLATE_EVENT);
    cr_assert(e[0].kind == EVENT_STREAM && e[0].flags == STREAM_NON_BLOCKING && e[0].stream.priority == -5);
    cupti_overhead_record o = {.kind = CUPTI_ACTIVITY_KIND_OVERHEAD,
                               .start = 1,
                               .end = 5,
                               .overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH,
                               .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
                               .objectId = {.pt = {.threadId = 8}}};
    cr_assert_eq(run(&o, e), TRANSLATE_EVENT);
    cr_assert(e[0].kind == EVENT_OVERHEAD && e[0].overhead.thread == 8);
    cr_assert_str_eq(seen.texts[e[0].overhead.name - 1], "CUPTI flushes a buffer");
}

Test(translate, what_was_not_asked_for)
{
    struct event e[2];
    CUpti_Activity a = {.kind = CUPTI_ACTIVITY_KIND_NVLINK};
    cr_assert_eq(run(&a, e), TRANSLATE_UNKNOWN);
    a.kind = (CUpti_ActivityKind)12345;
    cr_assert_eq(run(&a, e), TRANSLATE_UNKNOWN);
    cr_assert_eq(translate_kind(CUPTI_ACTIVITY_KIND_MEMCPY2), EVENT_COPY);
    cr_assert_eq(translate_kind(CUPTI_ACTIVITY_KIND_NVLINK), EVENT_NONE);
}
#endif
