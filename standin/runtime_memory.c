/*
 * Memory: the device's memory, pinned and managed memory of the host, copies and sets. All of it is in the
 * model's range of addresses, where host and device can access it; a copy's kind is taken from the call, or
 * for cudaMemcpyDefault from the ranges of the two addresses.
 */
#include "standin/graph/graph.h"

#include "simt/memory/memory.h"

#include <string.h>

#define PITCH_BYTES 512u /* the pitch of cudaMallocPitch on every GPU since 2.0 */

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* ---- allocations ---- */
static cudaError_t allocate_memory(void **pointer, size_t bytes, bool safe)
{
    cudaError_t lost = standin_enter();
    device_pointer address = 0;
    struct error error;

    if (lost == cudaSuccess && !safe)
        lost = graph_forbids();
    if (lost)
        return standin_leave(lost);
    if (bytes == 0) {
        *pointer = NULL;
        return standin_leave(cudaSuccess);
    }
    enum status status = standin_device()->ops->memory_alloc(standin_device(), bytes, &address, &error);
    if (status == STATUS_OK)
        *pointer = (void *)(uintptr_t)address;
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return pointer ? allocate_memory(pointer, bytes, false) : standin_null();
}

STANDIN_API cudaError_t cudaFree(void *pointer)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess)
        lost = graph_forbids();
    if (lost || !pointer || graph_has_memory(address_of(pointer)))
        return standin_leave(lost);
    return standin_leave_status(
        standin_device()->ops->memory_free(standin_device(), address_of(pointer), &error), &error);
}

STANDIN_API cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    if (!pointer)
        return standin_null();
    cudaError_t lost = standin_enter();
    device_pointer address = 0;
    struct error error;

    if (lost || bytes == 0 || graph_origin(address_of(stream))) { /* captured: as long as the program runs */
        standin_leave(lost);
        return lost ? lost : allocate_memory(pointer, bytes, true);
    }
    enum status status = standin_device()->ops->memory_alloc_async(standin_device(), bytes,
                                                                   standin_stream(stream), &address, &error);
    if (status == STATUS_OK)
        *pointer = (void *)(uintptr_t)address;
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    cudaError_t lost = standin_enter();
    struct error error;

    /* Captured: the graph needs it at each launch. */
    if (lost || !pointer || graph_origin(address_of(stream)) || graph_has_memory(address_of(pointer)))
        return standin_leave(lost);
    return standin_leave_status(standin_device()->ops->memory_free_async(
                                    standin_device(), address_of(pointer), standin_stream(stream), &error),
                                &error);
}

STANDIN_API cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (!pointer || !pitch)
        return standin_null();
    *pitch = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    return cudaMalloc(pointer, *pitch * height);
}

STANDIN_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
    if (!pointer)
        return standin_null();
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
}

STANDIN_API cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    if (!pointer)
        return standin_null();
    cudaError_t lost = standin_enter();
    device_pointer address = 0;
    struct error error;

    (void)flags;
    if (lost == cudaSuccess)
        lost = graph_forbids();
    if (lost || bytes == 0)
        return standin_leave(lost ? lost : cudaErrorInvalidValue);
    enum status status = simt_device_managed_alloc(standin_device(), bytes, &address, &error);
    if (status == STATUS_OK)
        *pointer = (void *)(uintptr_t)address;
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    if (!pointer)
        return standin_null();
    cudaError_t lost = standin_enter();
    struct error error;

    (void)flags;
    if (lost == cudaSuccess)
        lost = graph_forbids();
    if (lost)
        return standin_leave(lost);
    return standin_leave_status(
        standin_device()->ops->host_alloc(standin_device(), bytes, HOST_MAPPED, pointer, &error), &error);
}

STANDIN_API cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

STANDIN_API cudaError_t cudaFreeHost(void *pointer)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost || !pointer)
        return standin_leave(lost);
    return standin_leave_status(
        standin_device()->ops->host_free(standin_device(), HOST_MAPPED, pointer, &error), &error);
}

STANDIN_API cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    cudaError_t lost = standin_enter();
    struct simt_allocation allocation;
    struct error error;

    (void)flags;
    if (lost)
        return standin_leave(lost);
    if (!pointer || bytes == 0)
        return standin_leave(cudaErrorInvalidValue);
    if (simt_device_allocation(standin_device(), address_of(pointer), &allocation))
        return standin_leave(cudaErrorHostMemoryAlreadyRegistered);
    return standin_leave_status(simt_device_register(standin_device(), pointer, bytes, &error), &error);
}

STANDIN_API cudaError_t cudaHostUnregister(void *pointer)
{
    cudaError_t lost = standin_enter();
    struct simt_allocation allocation;
    struct error error;

    if (lost)
        return standin_leave(lost);
    if (!simt_device_allocation(standin_device(), address_of(pointer), &allocation) || !allocation.of_host)
        return standin_leave(cudaErrorHostMemoryNotRegistered);
    return standin_leave_status(simt_device_unregister(standin_device(), pointer, &error), &error);
}

STANDIN_API cudaError_t cudaHostGetFlags(unsigned *flags, void *pointer)
{
    if (!flags)
        return standin_null();
    cudaError_t lost = standin_enter();
    struct simt_allocation allocation;

    if (lost == cudaSuccess &&
        (!simt_device_allocation(standin_device(), address_of(pointer), &allocation) || !allocation.of_host))
        lost = cudaErrorInvalidValue;
    *flags = cudaHostAllocMapped | cudaHostAllocPortable;
    return standin_leave(lost);
}

/* ---- pools: one pool without a limit ---- */
static uint64_t pool_threshold; /* cudaMemPoolAttrReleaseThreshold */

uint64_t standin_pool_threshold(void)
{
    return pool_threshold;
}

/* A pool keeps no more than that when a stream, an event or a device is waited for, as CUDA documents it. */
void standin_pool_release(void)
{
    simt_device_pool_trim(standin_device(), pool_threshold);
}

STANDIN_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return cudaDeviceGetDefaultMemPool(pool, device);
}

STANDIN_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    (void)device, (void)pool;
    return standin_leave(standin_enter());
}

STANDIN_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    const bool of_gpu = properties->location.type == cudaMemLocationTypeDevice;

    return cudaDeviceGetDefaultMemPool(pool, of_gpu ? properties->location.id : 0);
}

STANDIN_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    (void)pool;
    return standin_leave(standin_enter());
}

STANDIN_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    cudaError_t lost = standin_enter();

    (void)pool;
    if (lost == cudaSuccess)
        simt_device_pool_trim(standin_device(), bytes);
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                                void *value)
{
    if (!value)
        return standin_null();
    cudaError_t lost = standin_enter();

    (void)pool;
    if (lost == cudaSuccess && attribute == cudaMemPoolAttrReleaseThreshold)
        memcpy(&pool_threshold, value, sizeof pool_threshold);
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                                cudaStream_t stream)
{
    (void)pool;
    return cudaMallocAsync(pointer, bytes, stream);
}

STANDIN_API cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    if (!device)
        return standin_null();
    cudaError_t lost = standin_enter();
    struct simt_allocation allocation;

    (void)flags;
    if (lost)
        return standin_leave(lost);
    if (!simt_device_allocation(standin_device(), address_of(host), &allocation))
        return standin_leave(cudaErrorInvalidValue);
    *device = host;
    return standin_leave(cudaSuccess);
}

STANDIN_API cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess) {
        if (total_bytes)
            *total_bytes = standin_info()->memory_bytes;
        if (free_bytes)
            *free_bytes = simt_device_free_bytes(standin_device());
    }
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                                 const void *pointer)
{
    if (!attributes)
        return standin_null();
    cudaError_t lost = standin_enter();
    struct simt_allocation allocation;

    attributes->type = cudaMemoryTypeUnregistered; /* each member: CUDA 12's structure ends with them */
    attributes->device = -1;
    attributes->devicePointer = attributes->hostPointer = NULL;
    if (lost == cudaSuccess && simt_device_allocation(standin_device(), address_of(pointer), &allocation)) {
        attributes->type = allocation.of_host   ? cudaMemoryTypeHost
                           : allocation.managed ? cudaMemoryTypeManaged
                                                : cudaMemoryTypeDevice;
        attributes->device = (int)allocation.gpu;
        attributes->devicePointer = (void *)(uintptr_t)pointer;
        attributes->hostPointer =
            allocation.of_host || allocation.managed ? (void *)(uintptr_t)pointer : NULL;
    }
    return standin_leave(lost);
}

/* ---- copies ---- */
bool standin_of_device(uint64_t address)
{
    struct simt_allocation allocation;

    return simt_device_allocation(standin_device(), address, &allocation) && !allocation.of_host;
}

static bool of_device(const void *pointer)
{
    return standin_of_device(address_of(pointer));
}

struct rows {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, bytes, count;
};

static cudaError_t copy_rows(const struct rows *rows, enum cudaMemcpyKind kind, cudaStream_t stream,
                             bool async)
{
    struct simt_rows asked = {.destination = address_of(rows->to),
                              .source = address_of(rows->from),
                              .row_bytes = rows->bytes,
                              .rows = rows->count,
                              .destination_pitch = rows->to_pitch,
                              .source_pitch = rows->from_pitch};
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost || rows->bytes == 0 || rows->count == 0)
        return standin_leave(lost);
    if (!rows->to || !rows->from)
        return standin_leave(cudaErrorInvalidValue);
    lost = graph_forbids_work(standin_number(stream));
    if (lost)
        return standin_leave(lost);
    if (kind == cudaMemcpyDefault)
        kind = of_device(rows->to) ? of_device(rows->from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice
               : of_device(rows->from) ? cudaMemcpyDeviceToHost
                                       : cudaMemcpyHostToHost;
    switch (kind) {
    case cudaMemcpyHostToHost:
        if (memory_hides(address_of(rows->to)) || memory_hides(address_of(rows->from)))
            return standin_leave(cudaErrorInvalidValue);
        for (size_t row = 0; row < rows->count; row++)
            memcpy((char *)rows->to + row * rows->to_pitch, (const char *)rows->from + row * rows->from_pitch,
                   rows->bytes);
        return standin_leave(cudaSuccess);
    case cudaMemcpyHostToDevice: asked.direction = DEVICE_COPY_TO_DEVICE; break;
    case cudaMemcpyDeviceToHost: asked.direction = DEVICE_COPY_TO_HOST; break;
    case cudaMemcpyDeviceToDevice: asked.direction = DEVICE_COPY_ON_DEVICE; break;
    case cudaMemcpyDefault:
    default: return standin_leave(cudaErrorInvalidMemcpyDirection);
    }
    return standin_leave_status(
        simt_device_copy_rows(standin_device(), &asked, standin_stream(stream), async, &error), &error);
}

static cudaError_t copy_piece(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                              cudaStream_t stream, bool async)
{
    return copy_rows(&(struct rows){to, from, bytes, bytes, bytes, 1}, kind, stream, async);
}

STANDIN_API cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy_piece(to, from, bytes, kind, NULL, false);
}

STANDIN_API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                        cudaStream_t stream)
{
    return copy_piece(to, from, bytes, kind, stream, true);
}

STANDIN_API cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    if (width > to_pitch || width > from_pitch)
        return cudaErrorInvalidPitchValue;
    return copy_rows(&(struct rows){to, from, to_pitch, from_pitch, width, height}, kind, NULL, false);
}

STANDIN_API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                          size_t width, size_t height, enum cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    if (width > to_pitch || width > from_pitch)
        return cudaErrorInvalidPitchValue;
    return copy_rows(&(struct rows){to, from, to_pitch, from_pitch, width, height}, kind, stream, true);
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *what, cudaStream_t stream, bool async)
{
    const struct cudaPitchedPtr *to = &what->dstPtr, *from = &what->srcPtr;
    cudaError_t code = cudaSuccess;

    if (what->srcArray || what->dstArray)
        return standin_copy_3d_array(what, stream, async);
    for (size_t z = 0; z < what->extent.depth && code == cudaSuccess; z++)
        code = copy_rows(
            &(struct rows){
                .to = (char *)to->ptr + ((what->dstPos.z + z) * to->ysize + what->dstPos.y) * to->pitch +
                      what->dstPos.x,
                .from = (const char *)from->ptr +
                        ((what->srcPos.z + z) * from->ysize + what->srcPos.y) * from->pitch + what->srcPos.x,
                .to_pitch = to->pitch,
                .from_pitch = from->pitch,
                .bytes = what->extent.width,
                .count = what->extent.height},
            what->kind, stream, async);
    return code;
}

STANDIN_API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *what)
{
    if (!what)
        return standin_null();
    return copy_3d(what, NULL, false);
}

STANDIN_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *what, cudaStream_t stream)
{
    if (!what)
        return standin_null();
    return copy_3d(what, stream, true);
}

static cudaError_t copy_symbol(const void *symbol, size_t offset, const void *host, void *into, size_t bytes,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
    cudaError_t lost = standin_enter();
    device_pointer address;
    size_t size_bytes;
    struct error error;

    if (lost)
        return standin_leave(lost);
    enum status status = binary_symbol(symbol, &address, &size_bytes, &error);
    if (status == STATUS_STATE)
        return standin_leave(cudaErrorInvalidSymbol);
    if (status != STATUS_OK)
        return standin_leave_status(status, &error);
    if (offset > size_bytes || bytes > size_bytes - offset)
        return standin_leave(cudaErrorInvalidValue);
    void *there = (void *)(uintptr_t)(address + offset);
    cudaError_t code = into ? copy_piece(into, there, bytes, kind, stream, async)
                            : copy_piece(there, host, bytes, kind, stream, async);
    return standin_leave(code);
}

STANDIN_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind)
{
    return copy_symbol(symbol, offset, from, NULL, bytes, kind, NULL, false);
}

STANDIN_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                                size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_symbol(symbol, offset, from, NULL, bytes, kind, stream, true);
}

STANDIN_API cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    return copy_symbol(symbol, offset, NULL, to, bytes, kind, NULL, false);
}

STANDIN_API cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                                  enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_symbol(symbol, offset, NULL, to, bytes, kind, stream, true);
}

static cudaError_t symbol_facts(const void *symbol, device_pointer *address, size_t *bytes)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost)
        return standin_leave(lost);
    enum status status = binary_symbol(symbol, address, bytes, &error);
    return status == STATUS_STATE ? standin_leave(cudaErrorInvalidSymbol)
                                  : standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    device_pointer address = 0;
    cudaError_t code = symbol_facts(symbol, &address, NULL);

    if (code == cudaSuccess)
        *pointer = (void *)(uintptr_t)address;
    return code;
}

STANDIN_API cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    device_pointer address;

    return symbol_facts(symbol, &address, bytes);
}

/* ---- sets ---- */
static cudaError_t set_rows(void *pointer, size_t pitch, int value, size_t width, size_t height,
                            cudaStream_t stream)
{
    const struct simt_fill fill = {.destination = address_of(pointer),
                                   .value = (uint8_t)value,
                                   .value_bytes = 1,
                                   .row_bytes = width,
                                   .rows = height,
                                   .pitch = pitch};
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost || width == 0 || height == 0)
        return standin_leave(lost);
    lost = graph_forbids_work(standin_number(stream));
    if (lost)
        return standin_leave(lost);
    return standin_leave_status(simt_device_fill(standin_device(), &fill, standin_stream(stream), &error),
                                &error);
}

STANDIN_API cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
    return set_rows(pointer, bytes, value, bytes, 1, NULL);
}

STANDIN_API cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream)
{
    return set_rows(pointer, bytes, value, bytes, 1, stream);
}

STANDIN_API cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    return set_rows(pointer, pitch, value, width, height, NULL);
}

STANDIN_API cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                                          cudaStream_t stream)
{
    return set_rows(pointer, pitch, value, width, height, stream);
}

/* Nothing moves: both host and device access managed memory in place. */
STANDIN_API cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                             struct cudaMemLocation location, unsigned flags,
                                             cudaStream_t stream)
{
    (void)pointer, (void)bytes, (void)location, (void)flags, (void)stream;
    return standin_leave(standin_enter());
}

STANDIN_API cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                                      struct cudaMemLocation location)
{
    (void)pointer, (void)bytes, (void)advice, (void)location;
    return standin_leave(standin_enter());
}
