/*
 * Device parts of the kernels' runtime: its limits, the heap of malloc in kernels (made by the first launch
 * that may use it), and sending printed text to the sink.
 */
#include "simt/device/device_internal.h"

#include "simt/memory/heap.h"

#define STACK_BYTES_MAX (512u << 10)

#define HEAP_CALLS                                                                         \
    (1u << PTX_RUNTIME_MALLOC | 1u << PTX_RUNTIME_FREE | 1u << PTX_RUNTIME_NESTED_MALLOC | \
     1u << PTX_RUNTIME_NESTED_FREE)

static const uint64_t defaults[SIMT_LIMIT_COUNT] = {
    [SIMT_LIMIT_HEAP] = HEAP_BYTES_DEFAULT, [SIMT_LIMIT_STACK] = GRID_STACK_BYTES};

uint64_t simt_device_limit(struct device *device, enum simt_limit limit)
{
    uint64_t set = model_of(device)->limits[limit];

    return set ? set : defaults[limit];
}

enum status simt_device_limit_set(struct device *device, enum simt_limit limit, uint64_t size_bytes,
                                  struct error *error)
{
    struct model *model = model_of(device);

    if (limit == SIMT_LIMIT_HEAP && model->heap)
        return error_set(error, STATUS_STATE,
                         "The heap of malloc in kernels is in use: set its size before the first launch of a "
                         "kernel that calls malloc or free.");
    if (!size_bytes || (limit == SIMT_LIMIT_STACK && size_bytes > STACK_BYTES_MAX))
        return error_set(error, STATUS_USAGE, "A %s of %llu bytes is not possible%s.",
                         limit == SIMT_LIMIT_HEAP ? "heap" : "stack", (unsigned long long)size_bytes,
                         size_bytes ? ": a thread has at most 512 KiB of local memory" : "");
    model->limits[limit] = size_bytes;
    return STATUS_OK;
}

enum status model_heap_make(struct model *model, const struct program *program, struct error *error)
{
    if (model->heap || !(program->uses_runtime & HEAP_CALLS))
        return STATUS_OK;
    return heap_create(&model->heap, model->memory, simt_device_limit(&model->device, SIMT_LIMIT_HEAP),
                       error);
}

void model_tell_printed(struct model *model, const struct grid_result *result)
{
    const struct simt_sink *sink = &model->options.sink;

    if (sink->printed && result->printed.size_bytes)
        sink->printed(sink->owner, false, result->printed.bytes, result->printed.size_bytes);
    if (sink->printed && result->asserted.size_bytes)
        sink->printed(sink->owner, true, result->asserted.bytes, result->asserted.size_bytes);
}
