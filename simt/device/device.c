/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes the model's device; its streams, events and waits. */
#include "simt/device/device_internal.h"

#include "core/base/clock.h"
#include "simt/memory/heap.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_HANDLE 16 /* handle of the first created stream; smaller ones are in core/hardware/device.h */
#define FIRST_SHOWN 13  /* first number of created streams, as in CUPTI */
#define DEFAULT_SHOWN 7
#define PER_THREAD_SHOWN 8

void *model_grow(void *array, size_t count, size_t element_bytes)
{
    /* The capacity doubles at powers of two, so it need not be stored. */
    if (count && (count & (count - 1)))
        return array;
    return count <= SIZE_MAX / 2 / element_bytes ? realloc(array, (count ? count * 2 : 1) * element_bytes)
                                                 : NULL;
}

enum status model_no_memory(struct error *error)
{
    return error_no_memory(error, "for the device model");
}

/* --- several GPUs --------------------------------------------------------------------------------------- */

void model_act(struct model *model, uint32_t gpu)
{
    memory_select(model->memory, gpu);
}

void simt_device_select(struct device *device, uint32_t gpu)
{
    model_of(device)->selected = gpu;
    model_act(model_of(device), gpu);
}

void simt_device_allow(struct device *device, uint32_t gpu, uint32_t peer, bool allowed)
{
    memory_allow(model_of(device)->memory, gpu, peer, allowed);
}

bool simt_device_allowed(struct device *device, uint32_t gpu, uint32_t peer)
{
    return memory_allowed(model_of(device)->memory, gpu, peer);
}

/* --- streams and the clock ------------------------------------------------------------------------------ */

struct model_stream *model_stream_find(struct model *model, uint64_t handle, struct error *error)
{
    uint64_t at = handle == DEVICE_STREAM_DEFAULT      ? 2 * model->selected
                  : handle == DEVICE_STREAM_PER_THREAD ? 2 * model->selected + 1
                  : handle >= FIRST_HANDLE             ? handle - FIRST_HANDLE + 2 * model->gpus
                                                       : model->stream_count;

    if (at < model->stream_count && model->streams[at].used)
        return &model->streams[at];
    error_set(error, STATUS_STATE,
              "There is no stream %llu on the model: it was destroyed, or never created.",
              (unsigned long long)handle);
    return NULL;
}

/* A stream of the selected GPU. */
static enum status stream_make(struct model *model, size_t at, bool non_blocking, uint32_t shown,
                               struct error *error)
{
    struct model_stream stream = {.used = true,
                                  .non_blocking = non_blocking,
                                  .gpu = model->selected,
                                  .scheduled = model->selected,
                                  .shown = shown};
    enum status status = STATUS_OK;

    if (shown != DEFAULT_SHOWN)
        status = schedule_stream_add(model->schedule, stream.gpu, non_blocking, &stream.scheduled, error);
    if (status == STATUS_OK && at == model->stream_count) {
        struct model_stream *grown = model_grow(model->streams, model->stream_count, sizeof *grown);
        if (!grown)
            return model_no_memory(error);
        model->streams = grown;
        model->stream_count++;
    }
    if (status == STATUS_OK)
        model->streams[at] = stream;
    return status;
}

void model_host_reach(struct model *model, int64_t time_ns)
{
    if (time_ns > model->now)
        model->now = time_ns;
    model_tell_ended(model);
}

static uint32_t record_take(struct model *model)
{
    if (!model->record_free) {
        struct model_record *grown = model_grow(model->records, model->record_count, sizeof *grown);
        if (!grown)
            return 0;
        model->records = grown;
        model->records[model->record_count++] = (struct model_record){0};
        model->record_free = (uint32_t)model->record_count;
    }
    uint32_t taken = model->record_free;
    model->record_free = model->records[taken - 1].next_free;
    model->records_open++;
    return taken;
}

static void record_give_back(struct model *model, uint32_t taken)
{
    model->records[taken - 1] = (struct model_record){.next_free = model->record_free};
    model->record_free = taken;
    model->records_open--;
}

int64_t model_start_ns(const struct model *model, const struct model_stream *stream)
{
    const struct model_stream *legacy = &model->streams[2 * (size_t)stream->gpu];
    int64_t other_ns = stream->non_blocking ? 0 : legacy->free_ns;
    int64_t start_ns = model->now + model->gpu->host.submit_ns;

    if (stream == legacy)
        other_ns = model->blocking_free_ns[stream->gpu];
    start_ns = stream->free_ns > start_ns ? stream->free_ns : start_ns;
    return other_ns > start_ns ? other_ns : start_ns;
}

enum status model_enqueue(struct model *model, struct model_stream *stream, struct schedule_work *work,
                          const struct model_record *record, uint64_t *id, struct error *error)
{
    uint64_t ignored;
    int64_t next;

    model_tell_ended(model);
    while (model->records_open >= MODEL_QUEUE && (next = schedule_wait_next(model->schedule)))
        model_host_reach(model, next);
    uint32_t taken = record_take(model);
    if (!taken)
        return model_no_memory(error);
    model->records[taken - 1] = *record;
    model->records[taken - 1].gpu = stream->gpu;
    work->stream = stream->scheduled;
    work->issued_ns = model->now;
    work->tag = taken - 1;
    if (record->event.kind != EVENT_NONE)
        model_tell_stream(model, stream);
    stream->free_ns = model_start_ns(model, stream) + work->alone_ns;
    if (!stream->non_blocking && stream->free_ns > model->blocking_free_ns[stream->gpu])
        model->blocking_free_ns[stream->gpu] = stream->free_ns;
    enum status status = schedule_add(model->schedule, work, id ? id : &ignored, error);
    if (status)
        record_give_back(model, taken);
    return status;
}

enum status simt_device_stream_create(struct device *device, bool non_blocking, uint64_t *stream,
                                      struct error *error)
{
    struct model *model = model_of(device);
    struct model_call call = model_call_begin(model, "cuStreamCreate", CALL_STREAM, NULL);
    const size_t at = model->stream_free ? model->stream_free : model->stream_count;
    const uint32_t next_free = model->stream_free ? model->streams[at].next_free : 0;
    enum status status = stream_make(model, at, non_blocking, model->next_stream, error);
    if (status == STATUS_OK) {
        model->stream_free = next_free;
        model->next_stream++;
        *stream = at - 2 * model->gpus + FIRST_HANDLE;
    }
    return model_call_end(model, &call, model->gpu->host.stream_ns, status);
}

enum status simt_device_stream_destroy(struct device *device, uint64_t handle, struct error *error)
{
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, handle, error);

    if (!stream)
        return STATUS_STATE;
    if (stream < model->streams + 2 * model->gpus)
        return error_set(error, STATUS_USAGE, "A default stream always exists: it cannot be destroyed.");
    struct model_call call = model_call_begin(model, "cuStreamDestroy", CALL_STREAM, stream);
    schedule_stream_remove(model->schedule, stream->scheduled);
    model_graph_free(model, stream->capture);
    *stream = (struct model_stream){.next_free = model->stream_free};
    model->stream_free = (uint32_t)(stream - model->streams);
    return model_call_end(model, &call, model->gpu->host.stream_ns, STATUS_OK);
}

enum status simt_device_stream_sync(struct device *device, uint64_t handle, struct error *error)
{
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, handle, error);

    if (!stream)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuStreamSynchronize", CALL_SYNC, stream);
    model_host_reach(model, schedule_wait_stream(model->schedule, stream->scheduled));
    model_order_wait(model, stream);
    model->now += model->gpu->host.sync_ns;
    model_tell_wait(model, &call, SYNC_STREAM, 0);
    return model_call_end(model, &call, 0, STATUS_OK);
}

enum status simt_device_sync(struct device *device, struct error *error)
{
    struct model *model = model_of(device);
    struct model_call call = model_call_begin(model, "cuCtxSynchronize", CALL_SYNC, NULL);

    (void)error;
    model_host_reach(model, schedule_wait_gpu(model->schedule, model->selected));
    model_order_wait_all(model);
    model->now += model->gpu->host.sync_ns;
    model_tell_wait(model, &call, SYNC_CONTEXT, 0);
    return model_call_end(model, &call, 0, STATUS_OK);
}

/* --- events --------------------------------------------------------------------------------------------- */

static struct model_event *event_find(struct model *model, uint64_t handle, struct error *error)
{
    if (handle && handle <= model->event_count && model->events[handle - 1].used)
        return &model->events[handle - 1];
    error_set(error, STATUS_STATE, "There is no event %llu on the model: it was destroyed, or never created.",
              (unsigned long long)handle);
    return NULL;
}

bool simt_device_event(struct device *device, uint64_t event)
{
    return event_find(model_of(device), event, NULL) != NULL;
}

enum status simt_device_event_create(struct device *device, uint64_t *event, struct error *error)
{
    struct model *model = model_of(device);
    struct model_call call = model_call_begin(model, "cuEventCreate", CALL_OTHER, NULL);

    if (!model->event_free) {
        struct model_event *grown = model_grow(model->events, model->event_count, sizeof *grown);
        if (!grown)
            return model_no_memory(error);
        model->events = grown;
        model->events[model->event_count++] = (struct model_event){0};
        model->event_free = (uint32_t)model->event_count;
    }
    *event = model->event_free;
    model->event_free = model->events[*event - 1].next_free;
    model->events[*event - 1] = (struct model_event){.used = true};
    return model_call_end(model, &call, model->gpu->host.order_ns, STATUS_OK);
}

enum status simt_device_event_destroy(struct device *device, uint64_t handle, struct error *error)
{
    struct model *model = model_of(device);
    struct model_event *event = event_find(model, handle, error);

    if (!event)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuEventDestroy", CALL_OTHER, NULL);
    *event = (struct model_event){.next_free = model->event_free};
    model->event_free = (uint32_t)handle;
    return model_call_end(model, &call, model->gpu->host.order_ns, STATUS_OK);
}

static enum status model_mark(struct model *model, struct model_stream *stream, uint32_t event_slot,
                              uint64_t after, struct error *error)
{
    struct schedule_work work = {.kind = SCHEDULE_MARK, .after = after};
    uint64_t id;

    if (stream->capture)
        return error_set(error, STATUS_UNSUPPORTED,
                         "The device model does not capture events into graphs: end the capture first.");
    enum status status =
        model_enqueue(model, stream, &work, &(struct model_record){.event_slot = event_slot}, &id, error);

    if (status == STATUS_OK && event_slot)
        model_order_record(model, event_slot, stream);
    if (status == STATUS_OK && event_slot)
        model->events[event_slot - 1] =
            (struct model_event){.used = true, .recorded = true, .mark = id, .end_ns = -1};
    return status;
}

enum status simt_device_event_record(struct device *device, uint64_t handle, uint64_t stream_handle,
                                     struct error *error)
{
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, stream_handle, error);

    if (!stream || !event_find(model, handle, error))
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuEventRecord", CALL_STREAM, stream);
    enum status status = model_mark(model, stream, (uint32_t)handle, SCHEDULE_NONE, error);
    if (status == STATUS_OK) {
        model->events[handle - 1].record = ++model->event_records;
        model_tell_event_record(model, &call, handle);
    }
    return model_call_end(model, &call, model->gpu->host.order_ns, status);
}

enum status model_event_record(struct model *model, struct model_stream *stream, uint64_t event,
                               struct error *error)
{
    return event_find(model, event, error) ? model_mark(model, stream, (uint32_t)event, SCHEDULE_NONE, error)
                                           : STATUS_STATE;
}

enum status model_event_wait(struct model *model, struct model_stream *stream, uint64_t handle,
                             struct error *error)
{
    const struct model_event *event = event_find(model, handle, error);

    if (!event)
        return STATUS_STATE;
    if (!event->recorded) /* as in CUDA, the wait returns at once */
        return STATUS_OK;
    enum status status = model_mark(model, stream, 0, event->mark, error);
    model_order_wait_event(model, stream, (uint32_t)handle);
    return status;
}

enum status simt_device_event_wait(struct device *device, uint64_t stream_handle, uint64_t handle,
                                   struct error *error)
{
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, stream_handle, error);

    if (!stream || !event_find(model, handle, error))
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuStreamWaitEvent", CALL_STREAM, stream);
    enum status status = model_event_wait(model, stream, handle, error);
    model->now += model->gpu->host.order_ns;
    model_tell_stream_wait(model, &call, handle);
    return model_call_end(model, &call, 0, status);
}

enum status simt_device_event_elapsed(struct device *device, uint64_t start, uint64_t end, double *ns,
                                      struct error *error)
{
    struct model *model = model_of(device);
    struct model_event *from = event_find(model, start, error), *to = event_find(model, end, error);

    if (!from || !to)
        return STATUS_STATE;
    if (!from->recorded || !to->recorded)
        return error_set(error, STATUS_STATE,
                         "The time between two events is known only after both were recorded in a stream.");
    struct model_call call = model_call_begin(model, "cuEventSynchronize", CALL_SYNC, NULL);
    if (to->end_ns < 0)
        model_host_reach(model, schedule_wait(model->schedule, to->mark));
    if (from->end_ns < 0)
        model_host_reach(model, schedule_wait(model->schedule, from->mark));
    model_order_wait_event(model, NULL, (uint32_t)start);
    model_order_wait_event(model, NULL, (uint32_t)end);
    model->now += model->gpu->host.sync_ns;
    model_tell_wait(model, &call, SYNC_EVENT, end);
    *ns = (double)(to->end_ns - from->end_ns);
    return model_call_end(model, &call, 0, STATUS_OK);
}

/* --- the host's functions ------------------------------------------------------------------------------- */

enum status model_host_function(struct model *model, void (*fn)(void *), void *argument,
                                const struct model_place *place, struct error *error)
{
    struct schedule_work work = {
        .kind = SCHEDULE_HOST, .alone_ns = model->gpu->host.function_ns, .after = SCHEDULE_NONE};
    const struct model_record record = {
        .event = {.kind = EVENT_RANGE_BEGIN,
                  .range = {.name = model_string(model, DEVICE_HOST_FUNCTION_TEXT),
                            .thread = MODEL_HOST_FUNCTION_THREAD}}};

    model_order_wait(model, place->stream);
    fn(argument); /* all work issued earlier has been executed */
    return model_enqueue(model, place->stream, &work, &record, NULL, error);
}

enum status simt_device_host_function(struct device *device, uint64_t handle, void (*fn)(void *),
                                      void *argument, struct error *error)
{
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, handle, error);

    if (!stream)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuLaunchHostFunc", CALL_LAUNCH, stream);
    const struct model_node node = {.kind = NODE_HOST, .host = {fn, argument}};
    const struct model_place place = {.stream = stream, .correlation = call.correlation};
    return model_call_end(model, &call, model->gpu->host.call_ns,
                          stream->capture ? model_capture(model, stream, &node, error)
                                          : model_host_function(model, fn, argument, &place, error));
}

/* --- open, close ---------------------------------------------------------------------------------------- */

const struct device_info *simt_device_info(struct device *device)
{
    return &model_of(device)->info;
}

void simt_device_run_begin(struct device *device)
{
    struct model *model = model_of(device);

    for (size_t i = 0; i < model->kernel_count; i++)
        model->kernels[i]->launches = 0;
}

void simt_device_caller(struct device *device, struct simt_caller caller)
{
    model_of(device)->caller = caller;
}

int64_t simt_device_now_ns(struct device *device)
{
    const struct model *model = model_of(device);

    return model->options.epoch_ns + model->now;
}

bool simt_device_stream(struct device *device, uint64_t handle, uint32_t *gpu, bool *non_blocking)
{
    const struct model_stream *stream = model_stream_find(model_of(device), handle, NULL);

    if (!stream)
        return false;
    *gpu = stream->gpu;
    *non_blocking = stream->non_blocking;
    return true;
}

void simt_device_close(struct device *device)
{
    struct model *model = model_of(device);

    if (model->schedule) {
        model_host_reach(model, schedule_wait_all(model->schedule));
        model_samples_tell(model);
    }
    for (uint32_t gpu = 0; gpu < model->gpus; gpu++)
        model_samples_fini(&model->samples[gpu]);
    for (size_t i = 0; i < model->image_count; i++) {
        module_unload(model->images[i].module);
        free(model->images[i].name);
    }
    for (size_t i = 0; i < model->graph_count; i++)
        model_graph_free(model, model->graphs[i]);
    for (size_t i = 0; i < model->host_count; i++)
        if (model->hosts[i].kind != HOST_MAPPED)
            free(model->hosts[i].pointer);
    free(model->streams);
    free(model->events);
    free(model->records);
    free(model->images);
    for (size_t i = 0; i < model->kernel_count; i++)
        free(model->kernels[i]);
    free(model->kernels);
    free(model->shapes);
    free(model->hosts);
    free(model->graphs);
    model_order_destroy(model->order);
    schedule_destroy(model->schedule);
    for (uint32_t gpu = 0; gpu < model->gpus; gpu++)
        cache_l2_destroy(model->l2[gpu]);
    grid_pool_destroy(model->pool);
    heap_destroy(model->heap);
    memory_destroy(model->memory);
    free(model);
}

static const struct device_ops ops = {
    .name = "simt",
    .close = simt_device_close,
    .info = simt_device_info,
    .memory_alloc = simt_device_memory_alloc,
    .memory_free = simt_device_memory_free,
    .memory_alloc_async = simt_device_memory_alloc_async,
    .memory_free_async = simt_device_memory_free_async,
    .host_alloc = simt_device_host_alloc,
    .host_free = simt_device_host_free,
    .copy = model_copy_op,
    .set = model_set_op,
    .launch = simt_device_launch,
    .stream_create = simt_device_stream_create,
    .stream_destroy = simt_device_stream_destroy,
    .stream_sync = simt_device_stream_sync,
    .event_create = simt_device_event_create,
    .event_destroy = simt_device_event_destroy,
    .event_record = simt_device_event_record,
    .event_wait = simt_device_event_wait,
    .event_elapsed = simt_device_event_elapsed,
    .sync = simt_device_sync,
    .host_function = simt_device_host_function,
    .host_pointer = model_host_pointer,
    .symbol = simt_device_symbol,
    .texture_create = model_texture_create,
    .texture_destroy = model_texture_destroy,
    .graph_begin = simt_device_graph_begin,
    .graph_end = simt_device_graph_end,
    .graph_launch = simt_device_graph_launch,
    .graph_destroy = simt_device_graph_destroy,
    .peer_access = model_peer_access,
    .peer_enable = model_peer_enable,
    .peer_copy = model_peer_copy,
};

static struct schedule_limits limits_of(const struct gpu *gpu, uint32_t gpus)
{
    const struct arch *arch = arch_find(gpu->info.compute_capability);

    return (struct schedule_limits){.gpus = gpus,
                                    .copy_engines = gpu->info.copy_engines,
                                    .kernels = arch->grids,
                                    .least_share = SCHEDULE_WHOLE / gpu->info.multiprocessors,
                                    .one_queue_per_engine = arch->one_queue_per_engine,
                                    .submit_ns = gpu->host.submit_ns,
                                    .handover_ns = gpu->handover_ns};
}

/* Makes what each GPU has of its own. */
static enum status gpus_make(struct model *model, struct error *error)
{
    enum status status = STATUS_OK;

    for (uint32_t gpu = 0; gpu < model->gpus && status == STATUS_OK; gpu++) {
        simt_device_select(&model->device, gpu);
        if ((status = cache_l2_create(&model->l2[gpu], model->info.l2_bytes, &model->gpu->l2, error)) ==
                STATUS_OK &&
            (status = stream_make(model, 2 * gpu, false, DEFAULT_SHOWN, error)) == STATUS_OK)
            status = stream_make(model, 2 * gpu + 1, false, PER_THREAD_SHOWN, error);
    }
    simt_device_select(&model->device, 0);
    return status;
}

enum status simt_device_open(const struct simt_options *options, struct device **device, struct error *error)
{
    struct model *model = calloc(1, sizeof *model);
    const uint32_t gpus = options->gpus ? options->gpus : 1;
    const struct schedule_limits limits = limits_of(options->gpu ? options->gpu : gpu_at(0), gpus);
    enum status status;

    if (!model)
        return model_no_memory(error);
    model->device.ops = &ops;
    model->options = *options;
    model->wall_ns = clock_real_ns();
    model->gpus = gpus < SIMT_GPUS_MAX ? gpus : SIMT_GPUS_MAX;
    model->gpu = options->gpu ? options->gpu : gpu_at(0);
    model->info = model->gpu->info;
    model->arch = arch_find(model->info.compute_capability);
    model->rules = options->rules ? options->rules : model->arch;
    model->next_stream = FIRST_SHOWN;
    model->watch = (struct grid_watch){
        .progress = model_tell_progress, .owner = model, .next_ns = clock_monotonic_ns() + GRID_WATCH_NS};
    if ((status = memory_create(&model->memory, model->info.memory_bytes, options->check, error)) ||
        (options->check && (status = model_order_create(model, error))) ||
        (options->unified && (status = memory_unify(model->memory, error))) ||
        (status = grid_pool_create(&model->pool, options->workers, error)) ||
        (status = schedule_create(&model->schedule, &limits, error)) || (status = gpus_make(model, error))) {
        simt_device_close(&model->device);
        return status;
    }
    for (uint32_t gpu = 0; gpu < model->gpus; gpu++)
        model_tell_context(model, gpu);
    *device = &model->device;
    return STATUS_OK;
}

/* ---- the kernels' runtime ---- */

/*
 * Device parts of the kernels' runtime: its limits, the heap of malloc in kernels (made by the first launch
 * that may use it), and sending printed text to the sink.
 */

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
