/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations, copies and sets of the model's device: executed at once, and scheduled on its clock. */
#include "core/hardware/device_sheet.h"
#include "simt/check/undefined.h"
#include "simt/device/device_internal.h"
#include "simt/memory/heap.h"
#include "simt/memory/texture.h"

#include <stdlib.h>
#include <string.h>

#define ASYNC_BYTES (64u << 10) /* copies of pageable memory to the device up to this size never wait */

static void *host_of(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static int64_t ns_of(double bytes, double bytes_per_second)
{
    return (int64_t)(bytes * 1e9 / bytes_per_second);
}

static double dram_bytes_per_second(const struct model *model)
{
    return device_info_peak_bandwidth(&model->info) * model->gpu->dram_efficiency_pct / 100;
}

/* An allocation or a free waits for all work issued before it (CUDA C++ Programming Guide, implicit
 * synchronisation); on its GPU. */
static struct model_call wait_begin(struct model *model, const char *name, enum call_category category)
{
    struct model_call call = model_call_begin(model, name, category, NULL);

    model_host_reach(model, schedule_wait_gpu(model->schedule, model->selected));
    model_order_wait_all(model);
    return call;
}

/* The pieces of the driver that the small allocations need. */
static uint64_t small_pieces(const struct model *model)
{
    return (model->small_bytes + GPU_SMALL_PIECE_BYTES - 1) / GPU_SMALL_PIECE_BYTES;
}

/* What an allocation, or its free, costs the host. */
#define SMALL_UNIT_BYTES 512
static uint32_t allocation_ns(struct model *model, enum gpu_allocation what, uint64_t bytes)
{
    const uint64_t pieces = small_pieces(model);
    const uint64_t units = (bytes + SMALL_UNIT_BYTES - 1) / SMALL_UNIT_BYTES * SMALL_UNIT_BYTES;

    if (bytes < GPU_SMALL_BYTES && what == GPU_ALLOCATES)
        model->small_bytes += units;
    else if (bytes < GPU_SMALL_BYTES)
        model->small_bytes -= units < model->small_bytes ? units : model->small_bytes;
    return gpu_allocation_ns(what, bytes, small_pieces(model) != pieces);
}

/* The L2 cache of each GPU needs to know which addresses are behind the bus. */
static void bus_remove(struct model *model, uint64_t address)
{
    for (uint32_t gpu = 0; gpu < model->gpus; gpu++)
        cache_l2_host_remove(model->l2[gpu], address);
}

static enum status bus_add(struct model *model, uint64_t address, size_t bytes, uint32_t owner,
                           struct error *error)
{
    enum status status = STATUS_OK;

    for (uint32_t gpu = 0; gpu < model->gpus && status == STATUS_OK; gpu++)
        if (gpu != owner)
            status = cache_l2_host_add(model->l2[gpu], address, bytes, error);
    return status;
}

/* Memory of the device that the program has got: `open` to all GPUs, else of the one that is selected. */
static enum status live_alloc(struct model *model, size_t bytes, bool open, device_pointer *pointer,
                              struct error *error)
{
    enum status status = (open ? memory_alloc_open : memory_alloc)(model->memory, bytes, pointer, error);

    if (status == STATUS_OK && !open &&
        (status = bus_add(model, *pointer, bytes, memory_find(model->memory, *pointer)->gpu, error)) !=
            STATUS_OK) {
        bus_remove(model, *pointer);
        memory_free(model->memory, *pointer, NULL);
    }
    if (status == STATUS_OK) {
        model->live.count++;
        model->live.bytes += bytes;
    }
    return status;
}

static enum status device_alloc(struct device *device, size_t bytes, bool open, device_pointer *pointer,
                                struct error *error)
{
    struct model *model = model_of(device);
    struct model_call call = wait_begin(model, "cuMemAlloc", CALL_ALLOC);

    enum status status = live_alloc(model, bytes, open, pointer, error);
    return model_call_end(
        model, &call,
        status == STATUS_OK ? allocation_ns(model, GPU_ALLOCATES, bytes) : model->gpu->host.call_ns, status);
}

enum status simt_device_memory_alloc(struct device *device, size_t bytes, device_pointer *pointer,
                                     struct error *error)
{
    return device_alloc(device, bytes, false, pointer, error);
}

static enum status device_free(struct model *model, device_pointer pointer, struct error *error)
{
    const struct memory_range *range = memory_find(model->memory, pointer);
    uint64_t bytes = range ? range->size_bytes : 0;
    enum status status = memory_free(model->memory, pointer, error);
    if (status == STATUS_OK) {
        bus_remove(model, pointer);
        model->live.count--;
        model->live.bytes -= bytes;
        if (grid_pool_undefined(model->pool))
            undefined_forget(grid_pool_undefined(model->pool), pointer, bytes);
    }
    return status;
}

enum status simt_device_memory_free(struct device *device, device_pointer pointer, struct error *error)
{
    struct model *model = model_of(device);
    struct model_call call = wait_begin(model, "cuMemFree", CALL_FREE);

    const struct memory_range *range = memory_find(model->memory, pointer);
    uint32_t ns = range ? allocation_ns(model, GPU_FREES, range->size_bytes) : model->gpu->host.call_ns;
    return model_call_end(model, &call, ns, device_free(model, pointer, error));
}

/* From a pool: the first allocations get its memory from the driver, those after a free reuse it. Work is
 * executed when it is issued, so that memory can be freed at once. */
enum status simt_device_memory_alloc_async(struct device *device, size_t bytes, uint64_t handle,
                                           device_pointer *pointer, struct error *error)
{
    struct model *model = model_of(device);
    const struct model_stream *stream = model_stream_find(model, handle, error);

    if (!stream)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuMemAllocAsync", CALL_ALLOC, stream);
    const bool reuses = bytes <= model->pool_bytes;
    enum status status = live_alloc(model, bytes, false, pointer, error);
    if (status == STATUS_OK)
        model->pool_bytes -= reuses ? bytes : 0;
    return model_call_end(model, &call,
                          reuses ? model->gpu->host.call_ns : gpu_allocation_ns(GPU_ALLOCATES, bytes, true),
                          status);
}

enum status simt_device_memory_free_async(struct device *device, device_pointer pointer, uint64_t handle,
                                          struct error *error)
{
    struct model *model = model_of(device);
    const struct model_stream *stream = model_stream_find(model, handle, error);

    if (!stream)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuMemFreeAsync", CALL_FREE, stream);
    const struct memory_range *range = memory_find(model->memory, pointer);
    const uint64_t bytes = range ? range->size_bytes : 0;
    enum status status = device_free(model, pointer, error);
    if (status == STATUS_OK) {
        if (!stream->capture)
            model_order_free(model, stream, pointer, bytes);
        model->pool_bytes += bytes;
    }
    return model_call_end(model, &call, model->gpu->host.call_ns, status);
}

void simt_device_pool_trim(struct device *device, uint64_t bytes)
{
    struct model *model = model_of(device);

    model->pool_bytes = model->pool_bytes < bytes ? model->pool_bytes : bytes;
}

enum status simt_device_reserve(struct device *device, uint64_t size_bytes, uint64_t alignment,
                                uint64_t *address, struct error *error)
{
    struct model *model = model_of(device);
    struct model_call call = model_call_begin(model, "cuMemAddressReserve", CALL_ALLOC, NULL);
    enum status status = memory_reserve(model->memory, size_bytes, alignment, address, error);

    return model_call_end(model, &call, model->gpu->host.call_ns, status);
}

bool simt_device_unreserve(struct device *device, uint64_t address, uint64_t size_bytes)
{
    struct model *model = model_of(device);
    struct model_call call = model_call_begin(model, "cuMemAddressFree", CALL_FREE, NULL);
    bool done = memory_unreserve(model->memory, address, size_bytes);

    model_call_end(model, &call, model->gpu->host.call_ns, done ? STATUS_OK : STATUS_STATE);
    return done;
}

enum status simt_device_map(struct device *device, uint64_t address, uint64_t size_bytes, struct error *error)
{
    struct model *model = model_of(device);
    struct model_call call = wait_begin(model, "cuMemMap", CALL_ALLOC);
    enum status status = memory_map(model->memory, address, size_bytes, error);

    if (status == STATUS_OK) {
        model->live.count++;
        model->live.bytes += size_bytes;
    }
    return model_call_end(model, &call, gpu_allocation_ns(GPU_ALLOCATES, size_bytes, true), status);
}

struct simt_live simt_device_live(struct device *device)
{
    return model_of(device)->live;
}

enum status simt_device_managed_alloc(struct device *device, size_t bytes, device_pointer *pointer,
                                      struct error *error)
{
    enum status status = device_alloc(device, bytes, true, pointer, error);

    if (status == STATUS_OK)
        status = memory_reach_all(model_of(device)->memory, *pointer, error);
    return status ? status : memory_share(model_of(device)->memory, *pointer, error);
}

/* --- host memory ---------------------------------------------------------------------------------------- */

static const struct model_host *host_find(const struct model *model, const void *pointer)
{
    const uint8_t *at = pointer;

    for (size_t i = 0; i < model->host_count; i++) {
        const struct model_host *host = &model->hosts[i];
        if (at >= host->pointer && (size_t)(at - host->pointer) < host->size_bytes)
            return host;
    }
    return NULL;
}

static enum status host_make(struct model *model, size_t bytes, enum host_memory kind,
                             struct model_host *made, struct error *error)
{
    if (kind == HOST_MAPPED && !model->options.unified &&
        model->info.compute_capability < device_ability_since(DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY))
        return error_set(
            error, STATUS_UNSUPPORTED,
            "%s cannot map memory of the host: GPUs from compute capability 1.2 on can. Copy it.",
            model->info.name);
    *made = (struct model_host){.size_bytes = bytes, .kind = kind};
    if (kind == HOST_MAPPED) {
        /* Owned by the model, so that kernels can find it. */
        enum status status = memory_alloc_host(model->memory, bytes, &made->mapped, error);
        if (status == STATUS_OK)
            status = memory_access(model->memory, made->mapped, bytes, true, &made->pointer, error);
        if (status == STATUS_OK)
            status = bus_add(model, made->mapped, bytes, MEMORY_EVERY_GPU, error);
        return status;
    }
    made->pointer = malloc(bytes ? bytes : 1);
    return made->pointer
               ? STATUS_OK
               : error_set(error, STATUS_MEMORY,
                           "There is not enough host memory for %zu bytes: use a smaller size.", bytes);
}

enum status simt_device_host_alloc(struct device *device, size_t bytes, enum host_memory kind, void **pointer,
                                   struct error *error)
{
    struct model *model = model_of(device);
    struct model_host made, *grown = model_grow(model->hosts, model->host_count, sizeof *grown);
    enum status status;

    if (!grown)
        return model_no_memory(error);
    model->hosts = grown;
    if (kind == HOST_PAGEABLE) { /* malloc: the device does not know about it */
        status = host_make(model, bytes, kind, &made, error);
    } else {
        struct model_call call =
            wait_begin(model, kind == HOST_REGISTERED ? "cuMemHostRegister" : "cuMemHostAlloc", CALL_ALLOC);
        uint64_t pages = (bytes + 4095) / 4096, cost = pages * model->gpu->host.pin_ns_per_4_kib;
        status = host_make(model, bytes, kind, &made, error);
        model->now += (int64_t)cost;
        model_call_end(model, &call, model->gpu->host.call_ns, status);
    }
    if (status)
        return status;
    model->hosts[model->host_count++] = made;
    *pointer = made.pointer;
    return STATUS_OK;
}

enum status simt_device_host_free(struct device *device, enum host_memory kind, void *pointer,
                                  struct error *error)
{
    struct model *model = model_of(device);
    size_t at = 0;

    while (at < model->host_count && model->hosts[at].pointer != pointer)
        at++;
    if (at == model->host_count || model->hosts[at].kind != kind)
        return error_set(
            error, STATUS_STATE,
            "The host memory to free was not allocated by the model, or was allocated as another kind.");
    struct model_host host = model->hosts[at];
    enum status status = STATUS_OK;
    model->hosts[at] = model->hosts[--model->host_count];
    if (kind == HOST_PAGEABLE) {
        free(host.pointer);
        return STATUS_OK;
    }
    struct model_call call =
        wait_begin(model, kind == HOST_REGISTERED ? "cuMemHostUnregister" : "cuMemFreeHost", CALL_FREE);
    if (kind == HOST_MAPPED) {
        bus_remove(model, host.mapped);
        status = memory_free(model->memory, host.mapped, error);
    } else {
        free(host.pointer);
    }
    return model_call_end(model, &call, model->gpu->host.unpin_ns, status);
}

enum status model_host_pointer(struct device *device, void *host, device_pointer *pointer,
                               struct error *error)
{
    const struct model *model = model_of(device);
    const struct model_host *found = host_find(model, host);

    if (!found || found->kind != HOST_MAPPED)
        return error_set(
            error, STATUS_STATE,
            "The device can access only host memory that was allocated as mapped; this memory was not.");
    *pointer = found->mapped + (uint64_t)((uint8_t *)host - found->pointer);
    return STATUS_OK;
}

/* --- copies and sets ------------------------------------------------------------------------------------ */

static uint8_t shown_memory(enum host_memory kind)
{
    return kind == HOST_PAGEABLE ? MEMORY_PAGEABLE : MEMORY_PINNED;
}

/* The GPU that an address belongs to; the GPU itself for what all reach. */
static uint32_t gpu_of(const struct model *model, uint64_t address, uint32_t itself)
{
    const struct memory_range *range = memory_find(model->memory, address);

    return range && range->gpu != MEMORY_EVERY_GPU ? range->gpu : itself;
}

/* A program that names the wrong direction gives an address of the device for the host's. */
enum status model_host_bytes(struct model *model, uint64_t address, size_t bytes, bool write, uint8_t **at,
                             struct error *error)
{
    *at = host_of(address);
    return model->options.unified && memory_hides(address)
               ? memory_access(model->memory, address, bytes, write, at, error)
               : STATUS_OK;
}

static enum status copy_row(struct model *model, uint32_t gpu, enum device_copy direction,
                            uint64_t destination, uint64_t source, size_t bytes, struct error *error)
{
    uint8_t *to, *from;
    enum status status = direction != DEVICE_COPY_TO_DEVICE
                             ? memory_access(model->memory, source, bytes, false, &from, error)
                             : model_host_bytes(model, source, bytes, false, &from, error);

    if (status == STATUS_OK)
        status = direction != DEVICE_COPY_TO_HOST
                     ? memory_access(model->memory, destination, bytes, true, &to, error)
                     : model_host_bytes(model, destination, bytes, true, &to, error);
    if (status)
        return status;
    if (model->options.check)
        model_undefined_copy(model, direction, destination, source, bytes);
    memmove(to, from, bytes);
    if (direction != DEVICE_COPY_TO_DEVICE)
        cache_l2_range(model->l2[gpu_of(model, source, gpu)], CACHE_RANGE_READ, source, bytes);
    if (direction == DEVICE_COPY_TO_DEVICE)
        cache_l2_range(model->l2[gpu_of(model, destination, gpu)], CACHE_RANGE_COPIED, destination, bytes);
    if (direction == DEVICE_COPY_ON_DEVICE)
        cache_l2_range(model->l2[gpu_of(model, destination, gpu)], CACHE_RANGE_SET, destination, bytes);
    return STATUS_OK;
}

/* Copies the bytes. */
/* A copy does not reach the heap of malloc in kernels; a set does, on an H200. */
static enum status heap_avoid(const struct model *model, uint64_t address, struct error *error)
{
    const struct memory_range *heap = model->heap ? heap_range(model->heap) : NULL;

    if (!heap || address - heap->address >= heap->size_bytes)
        return STATUS_OK;
    return error_set(error, STATUS_CHECK,
                     "0x%llx is memory of malloc or new in a kernel: copies do not reach it; a kernel can "
                     "store it to memory of cudaMalloc.",
                     (unsigned long long)address);
}

static enum status copy_bytes(struct model *model, uint32_t gpu, const struct model_copy *copy,
                              struct error *error)
{
    size_t rows = copy->rows ? copy->rows : 1;
    enum status status = STATUS_OK;

    if (copy->direction != DEVICE_COPY_TO_DEVICE)
        status = heap_avoid(model, copy->source, error);
    if (status == STATUS_OK && copy->direction != DEVICE_COPY_TO_HOST)
        status = heap_avoid(model, copy->destination, error);

    for (size_t row = 0; row < rows && status == STATUS_OK; row++)
        status = copy_row(model, gpu, copy->direction, copy->destination + row * copy->destination_pitch,
                          copy->source + row * copy->source_pitch, copy->bytes / rows, error);
    return status;
}

/* A copy from GPU to GPU, `between`, occupies the engine for copies from the device. */
static struct schedule_work copy_work(const struct model *model, const struct model_copy *copy, bool between,
                                      struct event *event)
{
    bool in = copy->direction == DEVICE_COPY_TO_DEVICE, on = copy->direction == DEVICE_COPY_ON_DEVICE;
    struct schedule_work work = {.kind = on && !between ? SCHEDULE_ON_DEVICE
                                         : in           ? SCHEDULE_TO_DEVICE
                                                        : SCHEDULE_TO_HOST,
                                 .after = SCHEDULE_NONE};

    event->copy.copy_kind = on && between ? COPY_PTOP : on ? COPY_DTOD : in ? COPY_HTOD : COPY_DTOH;
    event->copy.source_memory = in ? shown_memory(copy->memory) : MEMORY_DEVICE;
    event->copy.destination_memory = in || on ? MEMORY_DEVICE : shown_memory(copy->memory);
    event->copy.engine = on && !between ? 0xff : !in && model->info.copy_engines > 1;
    if (on && !between)
        work.alone_ns = model->gpu->set_ns + ns_of(2 * (double)copy->bytes, dram_bytes_per_second(model));
    else
        work.alone_ns = model->gpu->copy_ns +
                        ns_of((double)copy->bytes,
                              (double)model->gpu->host_link_bytes_per_second[copy->memory != HOST_PAGEABLE]);
    return work;
}

struct claim model_claim_rows(uint64_t address, size_t row_bytes, size_t rows, size_t pitch, bool write)
{
    struct claim claim = {.address = address, .size_bytes = row_bytes, .write = write};
    if (rows > 1 && pitch > row_bytes) {
        claim.rows = rows;
        claim.pitch = pitch;
    } else if (rows > 1) {
        claim.size_bytes += (rows - 1) * pitch;
    }
    return claim;
}

/* The memory that a copy reads or writes; of the host's, where one address names the same in both. */
static void copy_order(struct model *model, const struct model_copy *copy, const struct model_stream *stream)
{
    static const char *const names[] = {"copy to the device", "copy to the host", "copy on the device"};
    const bool host = model->options.unified && copy->memory != HOST_PAGEABLE;
    const size_t rows = copy->rows ? copy->rows : 1;
    struct claim claims[2] = {{0}};
    uint32_t count = 0;

    if (host || copy->direction != DEVICE_COPY_TO_HOST)
        claims[count++] =
            model_claim_rows(copy->destination, copy->bytes / rows, rows, copy->destination_pitch, true);
    if (host || copy->direction != DEVICE_COPY_TO_DEVICE)
        claims[count++] = model_claim_rows(copy->source, copy->bytes / rows, rows, copy->source_pitch, false);
    model_order_copy(model, stream, names[copy->direction], copy->claims ? copy->claims : claims,
                     copy->claims ? 2 : count);
    if (!copy->async)
        model_order_returned(model);
}

enum status model_copy(struct model *model, const struct model_copy *copy, const struct model_place *place,
                       uint64_t *id, struct error *error)
{
    const uint32_t gpu = place->stream->gpu;
    const uint32_t from = gpu_of(model, copy->source, gpu), to = gpu_of(model, copy->destination, gpu);
    struct model_record record = {
        .event = {.kind = EVENT_COPY,
                  .flags = copy->async ? COPY_ASYNC : 0,
                  .copy = {.size_bytes = copy->bytes,
                           .correlation = place->correlation,
                           .context = model_context(gpu),
                           .stream = place->stream->shown,
                           .graph = place->graph,
                           .source_device = (uint16_t)(model->options.ordinal + from),
                           .destination_device = (uint16_t)(model->options.ordinal + to)}}};
    struct schedule_work work = copy_work(model, copy, from != to, &record.event);
    enum status status = copy_bytes(model, gpu, copy, error);

    if (status)
        return status;
    copy_order(model, copy, place->stream);
    if (copy->memory == HOST_PAGEABLE && !place->graph) {
        /* The driver copies through a pinned buffer, piece by piece: the host fills the buffer once before
         * the copy starts. */
        const struct gpu_host_calls *host = &model->gpu->host;
        double first = copy->bytes < host->staging_bytes ? (double)copy->bytes / host->staging_bytes : 1;
        model->now += (int64_t)(first * host->staging_ns);
    }
    return model_enqueue(model, place->stream, &work, &record, id, error);
}

enum host_memory model_host_kind(const struct model *model, uint64_t address)
{
    const struct model_host *host = host_find(model, host_of(address));

    return host ? host->kind : HOST_PAGEABLE; /* memory of the program */
}

static struct model_copy copy_asked(const struct model *model, enum device_copy direction,
                                    uint64_t destination, uint64_t source, size_t bytes, bool async)
{
    struct model_copy copy = {.direction = direction,
                              .memory = HOST_PINNED,
                              .destination = destination,
                              .source = source,
                              .bytes = bytes,
                              .async = async};

    if (direction != DEVICE_COPY_ON_DEVICE)
        copy.memory = model_host_kind(model, direction == DEVICE_COPY_TO_DEVICE ? source : destination);
    return copy;
}

/* Of pageable memory to the device, a copy that fits into the driver's buffer returns when its words are
 * there: before the copy began on an H200 up to 1 MiB (tests/data/curriculum_h200.lsr, host-copy). Up to 64
 * KB it does not wait for earlier work either (CUDA C++ Programming Guide, Concurrent Execution between Host
 * and Device); above, it first waits for the stream (CUDA Driver API, API synchronization behavior). */
static enum status copy_issue(struct model *model, struct model_copy copy, uint64_t handle,
                              struct error *error)
{
    static const char *const names[][2] = {{"cuMemcpyHtoD", "cuMemcpyHtoDAsync"},
                                           {"cuMemcpyDtoH", "cuMemcpyDtoHAsync"},
                                           {"cuMemcpyDtoD", "cuMemcpyDtoDAsync"}};
    struct model_stream *stream = model_stream_find(model, handle, error);
    uint64_t id;

    if (!stream)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, names[copy.direction][copy.async], CALL_COPY, stream);
    const struct model_place place = {.stream = stream, .correlation = call.correlation};
    model->now += model->gpu->host.call_ns;
    if (stream->capture)
        return model_call_end(
            model, &call, 0,
            model_capture(model, stream, &(struct model_node){.kind = NODE_COPY, .copy = copy}, error));
    const bool staged = copy.memory == HOST_PAGEABLE && copy.direction == DEVICE_COPY_TO_DEVICE &&
                        copy.bytes <= model->gpu->host.staging_bytes;
    if (staged && copy.bytes > ASYNC_BYTES)
        model_host_reach(model, schedule_wait_stream(model->schedule, stream->scheduled));
    enum status status = model_copy(model, &copy, &place, &id, error);
    if (status == STATUS_OK && !staged && (copy.memory == HOST_PAGEABLE || !copy.async)) {
        model_host_reach(model, schedule_wait(model->schedule, id));
        model_order_wait(model, stream);
        model->now += model->gpu->host.sync_ns;
    }
    return model_call_end(model, &call, 0, status);
}

enum status model_copy_op(struct device *device, enum device_copy direction, uint64_t destination,
                          uint64_t source, size_t bytes, uint64_t handle, bool async, struct error *error)
{
    struct model *model = model_of(device);

    return copy_issue(model, copy_asked(model, direction, destination, source, bytes, async), handle, error);
}

struct model_copy model_copy_of_rows(const struct model *model, const struct simt_rows *rows, bool async)
{
    struct model_copy copy = copy_asked(model, rows->direction, rows->destination, rows->source,
                                        rows->row_bytes * rows->rows, async);

    copy.rows = rows->rows;
    copy.destination_pitch = rows->destination_pitch;
    copy.source_pitch = rows->source_pitch;
    return copy;
}

enum status simt_device_copy_rows(struct device *device, const struct simt_rows *rows, uint64_t stream,
                                  bool async, struct error *error)
{
    struct model *model = model_of(device);

    return copy_issue(model, model_copy_of_rows(model, rows, async), stream, error);
}

enum status simt_device_register(struct device *device, void *bytes, size_t size_bytes, struct error *error)
{
    struct model *model = model_of(device);
    struct model_host *grown = model_grow(model->hosts, model->host_count, sizeof *grown);

    if (!grown)
        return model_no_memory(error);
    model->hosts = grown;
    struct model_call call = wait_begin(model, "cuMemHostRegister", CALL_ALLOC);
    enum status status = memory_adopt(model->memory, bytes, size_bytes, error);
    if (status == STATUS_OK)
        status = bus_add(model, device_host_address(bytes), size_bytes, MEMORY_EVERY_GPU, error);
    if (status == STATUS_OK)
        model->hosts[model->host_count++] = (struct model_host){.pointer = bytes,
                                                                .size_bytes = size_bytes,
                                                                .kind = HOST_MAPPED,
                                                                .mapped = device_host_address(bytes)};
    model->now += (int64_t)((size_bytes + 4095) / 4096 * model->gpu->host.pin_ns_per_4_kib);
    return model_call_end(model, &call, model->gpu->host.call_ns, status);
}

enum status simt_device_unregister(struct device *device, void *bytes, struct error *error)
{
    return simt_device_host_free(device, HOST_MAPPED, bytes, error);
}

size_t simt_device_free_bytes(struct device *device)
{
    return memory_free_bytes(model_of(device)->memory);
}

bool simt_device_allocation(struct device *device, uint64_t address, struct simt_allocation *allocation)
{
    const struct model *model = model_of(device);
    const struct model_host *host = host_find(model, host_of(address));
    const struct memory_range *range = memory_find(model->memory, address);

    if (host)
        *allocation =
            (struct simt_allocation){device_host_address(host->pointer), host->size_bytes, true, false, 0};
    else if (range)
        *allocation = (struct simt_allocation){range->address, range->size_bytes, false, range->shared,
                                               gpu_of(model, address, 0)};
    return host || range;
}

static void fill_row(uint8_t *to, const struct simt_fill *fill)
{
    if (fill->value_bytes == 1)
        memset(to, (int)(fill->value & 0xff), fill->row_bytes);
    else
        for (size_t at = 0; at < fill->row_bytes; at += fill->value_bytes)
            memcpy(to + at, &fill->value, fill->value_bytes);
}

enum status model_set(struct model *model, const struct simt_fill *fill, const struct model_place *place,
                      struct error *error)
{
    size_t bytes = fill->row_bytes * fill->rows, reach = (fill->rows - 1) * fill->pitch + fill->row_bytes;
    struct model_record record = {.event = {.kind = EVENT_SET,
                                            .set = {.size_bytes = bytes,
                                                    .correlation = place->correlation,
                                                    .context = model_context(place->stream->gpu),
                                                    .stream = place->stream->shown,
                                                    .value = fill->value,
                                                    .memory = MEMORY_DEVICE,
                                                    .graph = place->graph}}};
    struct schedule_work work = {.kind = SCHEDULE_ON_DEVICE,
                                 .alone_ns =
                                     model->gpu->set_ns + ns_of((double)bytes, dram_bytes_per_second(model)),
                                 .after = SCHEDULE_NONE};
    uint8_t *to;
    enum status status = memory_access(model->memory, fill->destination, reach, true, &to, error);

    if (status)
        return status;
    for (size_t row = 0; row < fill->rows; row++) {
        fill_row(to + row * fill->pitch, fill);
        cache_l2_range(model->l2[place->stream->gpu], CACHE_RANGE_SET, fill->destination + row * fill->pitch,
                       fill->row_bytes);
    }
    const struct claim written =
        model_claim_rows(fill->destination, fill->row_bytes, fill->rows, fill->pitch, true);
    model_order_copy(model, place->stream, "set", &written, 1);
    return model_enqueue(model, place->stream, &work, &record, NULL, error);
}

enum status simt_device_fill(struct device *device, const struct simt_fill *fill, uint64_t handle,
                             struct error *error)
{
    static const char *const names[] = {
        [1] = "cuMemsetD8Async", [2] = "cuMemsetD16Async", [4] = "cuMemsetD32Async"};
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, handle, error);

    if (!stream)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, names[fill->value_bytes], CALL_SET, stream);
    const struct model_place place = {.stream = stream, .correlation = call.correlation};
    const struct model_node node = {.kind = NODE_SET, .set = *fill};
    model->now += model->gpu->host.call_ns;
    return model_call_end(model, &call, 0,
                          stream->capture ? model_capture(model, stream, &node, error)
                                          : model_set(model, fill, &place, error));
}

enum status model_set_op(struct device *device, device_pointer destination, uint8_t byte, size_t bytes,
                         uint64_t handle, struct error *error)
{
    const struct simt_fill fill = {
        .destination = destination, .value = byte, .value_bytes = 1, .row_bytes = bytes, .rows = 1};

    return simt_device_fill(device, &fill, handle, error);
}

/* --- textures ------------------------------------------------------------------------------------------- */

/* The texels are already in place: this adds their copy to the clock. */
static enum status texels_copy(struct model *model, const struct device_texture *what, uint64_t texture,
                               struct error *error)
{
    struct model_stream *stream = model_stream_default(model);
    struct model_call call = model_call_begin(model, "cuMemcpy3D", CALL_COPY, stream);
    const struct model_place place = {.stream = stream, .correlation = call.correlation};
    const size_t slices = what->depth ? what->depth : 1,
                 bytes = slices * what->width * what->height * device_texel_bytes(what);
    struct model_copy copy =
        copy_asked(model, DEVICE_COPY_TO_DEVICE, texture, device_host_address(what->values), bytes, false);
    const struct claim none[2] = {{0}}; /* nothing has accessed the new texels, and the host waits */
    uint8_t *texels;
    uint64_t id;
    enum status status = memory_access(model->memory, texture, bytes, true, &texels, error);

    copy.source = device_host_address(texels);
    copy.claims = none;
    model->now += model->gpu->host.call_ns;
    if (status == STATUS_OK && (status = model_copy(model, &copy, &place, &id, error)) == STATUS_OK) {
        model_host_reach(model, schedule_wait(model->schedule, id));
        model_order_wait(model, stream);
        model->now += model->gpu->host.sync_ns;
    }
    return model_call_end(model, &call, 0, status);
}

enum status model_texture_create(struct device *device, const struct device_texture *what, uint64_t *texture,
                                 struct error *error)
{
    struct model *model = model_of(device);

    if (what->linear_memory)
        return texture_picture_make(model->memory, what, texture, error);
    struct model_call call = wait_begin(model, "cuArray3DCreate", CALL_ALLOC);
    enum status status = texture_picture_make(model->memory, what, texture, error);
    const struct memory_range *made = status == STATUS_OK ? texture_find(model->memory, *texture) : NULL;

    model_call_end(model, &call, gpu_allocation_ns(GPU_ALLOCATES, made ? made->size_bytes : 0, true), status);

    if (status == STATUS_OK && what->values && (status = texels_copy(model, what, *texture, error)))
        memory_free(model->memory, *texture, NULL);
    return status;
}

enum status model_texture_destroy(struct device *device, uint64_t texture, struct error *error)
{
    struct model *model = model_of(device);
    const struct memory_range *found = texture_find(model->memory, texture);

    if (found && texture_view_of(found).pitch_bytes) /* linear memory: there is no array to free */
        return texture_free(model->memory, texture, error);
    struct model_call call = wait_begin(model, "cuArrayDestroy", CALL_FREE);

    return model_call_end(model, &call, gpu_allocation_ns(GPU_FREES, found ? found->size_bytes : 0, true),
                          texture_free(model->memory, texture, error));
}

/* --- other devices -------------------------------------------------------------------------------------- */

/* A device of the model may have several GPUs, of which one is current: the others are its peers, given as `device` itself.
 * Between two devices there are no links. */
enum status model_peer_access(struct device *device, struct device *other, bool *direct, struct error *error)
{
    (void)error;
    *direct = device == other && model_of(device)->gpus > 1;
    return STATUS_OK;
}

enum status model_peer_enable(struct device *device, struct device *other, bool enable, struct error *error)
{
    struct model *model = model_of(device);

    if (device != other || model->gpus < 2)
        return error_set(
            error, STATUS_UNSUPPORTED,
            "The device model has no links between its devices: peer_copy goes through the host.");
    for (uint32_t gpu = 0; gpu < model->gpus; gpu++)
        if (gpu != model->selected)
            simt_device_allow(device, model->selected, gpu, enable);
    return STATUS_OK;
}

/* Two copies through pinned memory of the driver: from the other device to the host, then to this device. */
static enum status peer_copy_through(struct model *to, const struct model_place *above,
                                     device_pointer destination, struct model *from, device_pointer source,
                                     void *between, size_t bytes, struct error *error)
{
    struct model_copy down =
        copy_asked(from, DEVICE_COPY_TO_HOST, device_host_address(between), source, bytes, true);
    struct model_copy up =
        copy_asked(to, DEVICE_COPY_TO_DEVICE, destination, device_host_address(between), bytes, true);
    down.memory = up.memory = HOST_PINNED;
    const struct model_place below = {.stream = &from->streams[0], .correlation = above->correlation};
    uint64_t id;

    model_host_reach(from, to->now);
    enum status status = model_copy(from, &down, &below, &id, error);
    if (status)
        return status;
    model_host_reach(from, schedule_wait(from->schedule, id));
    model_host_reach(to, from->now);
    return model_copy(to, &up, above, &id, error);
}

enum status model_peer_copy(struct device *device, device_pointer destination, struct device *other,
                            device_pointer source, size_t bytes, uint64_t handle, struct error *error)
{
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, handle, error);

    if (!stream)
        return STATUS_STATE;
    if (device->ops != other->ops)
        return error_set(error, STATUS_USAGE, "Peers must be two devices of one kind: both on the model.");
    if (device == other &&
        simt_device_allowed(device, model->selected, gpu_of(model, source, model->selected)))
        return copy_issue(model, copy_asked(model, DEVICE_COPY_ON_DEVICE, destination, source, bytes, true),
                          handle, error);
    void *between = malloc(bytes ? bytes : 1);
    if (!between)
        return model_no_memory(error);
    struct model_call call = model_call_begin(model, "cuMemcpyPeerAsync", CALL_COPY, stream);
    const struct model_place place = {.stream = stream, .correlation = call.correlation};
    model->now += model->gpu->host.call_ns;
    enum status status =
        peer_copy_through(model, &place, destination, model_of(other), source, between, bytes, error);
    free(between); /* copies are executed when they are issued */
    return model_call_end(model, &call, 0, status);
}
