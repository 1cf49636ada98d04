/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slot is one buffer, which only grows, unless it has to be exact; a request that does not fit frees it and
 * makes a new one, and its content is lost.
 */
#include "workloads/frame/workbench.h"

#include <string.h>

void workbench_init(struct workbench *bench, struct device *device, uint32_t launches, uint32_t rounds)
{
    *bench = (struct workbench){
        .device = device, .launches = launches ? launches : 1, .rounds = rounds ? rounds : 1};
}

/* The actual kind of a slot's memory. Of the pinned kinds, kernels access only mapped memory. */
static enum host_memory kind_in(const struct workbench *bench, enum host_memory kind)
{
    return bench->replayed && kind != HOST_MAPPED ? HOST_PAGEABLE : kind;
}

static void host_slot_free(struct workbench *bench, struct workbench_host_slot *slot, enum host_memory kind)
{
    if (slot->pointer)
        bench->device->ops->host_free(bench->device, kind_in(bench, kind), slot->pointer, NULL);
    *slot = (struct workbench_host_slot){0};
}

void workbench_case_ended(struct workbench *bench)
{
    for (uint32_t slot = 0; slot < WORKBENCH_SLOTS && bench->replayed; slot++)
        host_slot_free(bench, &bench->host_slots[HOST_MAPPED][slot], HOST_MAPPED);
}

void workbench_fini(struct workbench *bench)
{
    struct device *device = bench->device;
    const struct device_ops *ops = device->ops;

    for (uint32_t i = 0; i < bench->stream_count; i++)
        ops->stream_destroy(device, bench->streams[i], NULL);
    for (uint32_t slot = 0; slot < WORKBENCH_SLOTS; slot++) {
        if (bench->device_slots[slot].pointer)
            ops->memory_free(device, bench->device_slots[slot].pointer, NULL);
        for (uint32_t kind = 0; kind < HOST_MEMORY_COUNT; kind++)
            host_slot_free(bench, &bench->host_slots[kind][slot], (enum host_memory)kind);
    }
    host_slot_free(bench, &bench->pattern, HOST_PINNED);
    memset(bench, 0, sizeof *bench);
}

enum status workbench_device_buffer(struct workbench *bench, uint32_t slot, size_t size_bytes,
                                    device_pointer *pointer, struct error *error)
{
    struct workbench_device_slot *buffer = &bench->device_slots[slot];
    const struct device_ops *ops = bench->device->ops;
    enum status status;

    if (buffer->size_bytes < size_bytes || (bench->exact && buffer->size_bytes > size_bytes)) {
        if (buffer->pointer) {
            status = ops->memory_free(bench->device, buffer->pointer, error);
            *buffer = (struct workbench_device_slot){0};
            if (status)
                return status;
        }
        status = ops->memory_alloc(bench->device, size_bytes, &buffer->pointer, error);
        if (status) {
            buffer->pointer = 0;
            return status;
        }
        buffer->size_bytes = size_bytes;
    }
    *pointer = buffer->pointer;
    return STATUS_OK;
}

static enum status host_slot_grow(struct workbench *bench, struct workbench_host_slot *slot,
                                  enum host_memory kind, size_t size_bytes, struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    enum status status;

    if (slot->size_bytes >= size_bytes)
        return STATUS_OK;
    if (slot->pointer) {
        status = ops->host_free(bench->device, kind_in(bench, kind), slot->pointer, error);
        *slot = (struct workbench_host_slot){0};
        if (status)
            return status;
    }
    status = ops->host_alloc(bench->device, size_bytes, kind_in(bench, kind), &slot->pointer, error);
    if (status) {
        slot->pointer = NULL;
        return status;
    }
    slot->size_bytes = size_bytes;
    return STATUS_OK;
}

enum status workbench_host_buffer(struct workbench *bench, uint32_t slot, enum host_memory kind,
                                  size_t size_bytes, void **pointer, struct error *error)
{
    struct workbench_host_slot *buffer = &bench->host_slots[kind][slot];
    enum status status = host_slot_grow(bench, buffer, kind, size_bytes, error);

    if (status == STATUS_OK)
        *pointer = buffer->pointer;
    return status;
}

enum status workbench_pattern(struct workbench *bench, size_t words, const float **pattern,
                              struct error *error)
{
    bool filled = bench->pattern_words >= words && bench->pattern_seed == bench->seed;
    enum status status = host_slot_grow(bench, &bench->pattern, HOST_PINNED, words * sizeof(float), error);

    if (status)
        return status;
    float *values = bench->pattern.pointer;
    for (size_t i = 0; !filled && i < words; i++)
        values[i] = workbench_word_at(bench->seed, i);
    if (!filled) {
        bench->pattern_seed = bench->seed;
        bench->pattern_words = words;
    }
    *pattern = values;
    return STATUS_OK;
}

enum status workbench_input(struct workbench *bench, uint32_t slot, size_t words, device_pointer *pointer,
                            const float **input, struct error *error)
{
    enum status status = workbench_pattern(bench, words, input, error);

    if (status == STATUS_OK)
        status = workbench_device_buffer(bench, slot, words * sizeof(float), pointer, error);
    if (status == STATUS_OK)
        status =
            bench->device->ops->copy(bench->device, DEVICE_COPY_TO_DEVICE, *pointer,
                                     device_host_address(*input), words * sizeof(float), 0, false, error);
    return status;
}

enum status workbench_output(struct workbench *bench, uint32_t slot, size_t words, device_pointer *pointer,
                             struct error *error)
{
    enum status status = workbench_device_buffer(bench, slot, words * sizeof(float), pointer, error);

    if (status == STATUS_OK)
        status = bench->device->ops->set(bench->device, *pointer, WORKBENCH_POISON, words * sizeof(float), 0,
                                         error);
    return status;
}

enum status workbench_launch(struct workbench *bench, const struct device_launch *launch, struct error *error)
{
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < bench->launches && status == STATUS_OK; i++)
        status = bench->device->ops->launch(bench->device, launch, error);
    return status;
}

enum status workbench_fetch(struct workbench *bench, uint32_t slot, size_t words, const float **values,
                            struct error *error)
{
    void *host;
    enum status status = workbench_host_buffer(bench, slot, HOST_PINNED, words * sizeof(float), &host, error);

    /* Waits here, so that a failed kernel is reported with its own name, not as a failed copy. */
    if (status == STATUS_OK)
        status = bench->device->ops->sync(bench->device, error);
    if (status == STATUS_OK)
        status = bench->device->ops->copy(bench->device, DEVICE_COPY_TO_HOST, device_host_address(host),
                                          bench->device_slots[slot].pointer, words * sizeof(float), 0, false,
                                          error);
    if (status == STATUS_OK) {
        *values = host;
        workbench_digest(bench, host, words);
    }
    return status;
}

void workbench_digest(struct workbench *bench, const void *words, size_t count)
{
    const uint32_t *word = words;
    uint64_t digest = bench->digest ? bench->digest : UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < count; i++)
        digest = (digest ^ word[i]) * UINT64_C(0x100000001b3);
    bench->digest = digest ? digest : 1;
}

enum status workbench_streams(struct workbench *bench, uint32_t count, const uint64_t **streams,
                              struct error *error)
{
    if (count > WORKBENCH_STREAMS)
        return error_set(error, STATUS_STATE,
                         "A case needs %u streams, a bench has %u: raise WORKBENCH_STREAMS.", count,
                         WORKBENCH_STREAMS);
    while (bench->stream_count < count) {
        enum status status = bench->device->ops->stream_create(bench->device, true,
                                                               &bench->streams[bench->stream_count], error);
        if (status)
            return status;
        bench->stream_count++;
    }
    *streams = bench->streams;
    return STATUS_OK;
}
