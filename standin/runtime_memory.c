/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: the device's memory, pinned and managed memory of the host, copies and sets. All of it is in the
 * model's range of addresses, where host and device can access it; a copy's kind is taken from the call, or
 * for cudaMemcpyDefault from the ranges of the two addresses.
 */
#include "standin/graph/graph.h"

#include "core/base/array.h"
#include "simt/memory/memory.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PITCH_BYTES 512u /* the pitch of cudaMallocPitch on every GPU since 2.0 */

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* ---- what the program has allocated, and by which function ---- */
enum block_kind { BLOCK_DEVICE, BLOCK_MANAGED, BLOCK_CAPTURED, BLOCK_PINNED, BLOCK_REGISTERED };

static struct block {
    uint64_t address, size_bytes;
    enum block_kind kind;
    unsigned flags; /* of memory of the host */
} * blocks;         /* ascending */
static size_t block_count, block_capacity;

/* The index of the first one at or above the address. */
static size_t block_at(uint64_t address)
{
    size_t low = 0, high = block_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (blocks[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Without memory for the row, its allocation cannot be freed. */
static void block_add(uint64_t address, size_t bytes, enum block_kind kind, unsigned flags)
{
    const size_t at = block_at(address);

    if (!array_grow(blocks, block_capacity, block_count, 1))
        return;
    memmove(&blocks[at + 1], &blocks[at], (block_count - at) * sizeof *blocks);
    blocks[at] = (struct block){address, bytes, kind, flags};
    block_count++;
}

static void block_remove(uint64_t address)
{
    const size_t at = block_at(address);

    if (at < block_count && blocks[at].address == address) {
        block_count--;
        memmove(&blocks[at], &blocks[at + 1], (block_count - at) * sizeof *blocks);
    }
}

/* The one that contains the address; NULL: none. */
static const struct block *block_find(const void *pointer)
{
    const uint64_t address = address_of(pointer);
    const size_t at = block_at(address);

    if (at < block_count && blocks[at].address == address)
        return &blocks[at];
    return at > 0 && address - blocks[at - 1].address < blocks[at - 1].size_bytes ? &blocks[at - 1] : NULL;
}

/* The one that begins there. */
static const struct block *block_find_begin(const void *pointer)
{
    const struct block *block = block_find(pointer);

    return block && block->address == address_of(pointer) ? block : NULL;
}

static bool block_of_host(const struct block *block)
{
    return block && (block->kind == BLOCK_PINNED || block->kind == BLOCK_REGISTERED);
}

void standin_free_all(void)
{
    const bool all = standin_gpus() == 1;
    struct simt_allocation allocation;
    size_t kept = 0;

    for (size_t i = 0; i < block_count; i++) {
        const struct block block = blocks[i];
        void *pointer = (void *)(uintptr_t)block.address;
        const bool own = simt_device_allocation(standin_device(), block.address, &allocation) &&
                         (int)allocation.gpu == standin_gpu();
        if (!all && (block_of_host(&block) || !own))
            blocks[kept++] = block;
        else if (block.kind == BLOCK_REGISTERED)
            simt_device_unregister(standin_device(), pointer, NULL);
        else if (block.kind == BLOCK_PINNED)
            simt_device_host_free(standin_device(), HOST_MAPPED, pointer, NULL);
        else
            simt_device_memory_free(standin_device(), block.address, NULL);
    }
    block_count = kept;
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
    enum status status = simt_device_memory_alloc(standin_device(), bytes, &address, &error);
    *pointer = (void *)(uintptr_t)address; /* an H200 writes a null pointer where there is no memory */
    if (status == STATUS_OK)
        block_add(address, bytes, safe ? BLOCK_CAPTURED : BLOCK_DEVICE, 0);
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
        return standin_leave(lost || !pointer ? lost : graph_frees(address_of(pointer)));
    const struct block *block = block_find_begin(pointer);
    if (!block || block_of_host(block))
        return standin_leave(cudaErrorInvalidValue);
    block_remove(address_of(pointer));
    return standin_leave_status(simt_device_memory_free(standin_device(), address_of(pointer), &error),
                                &error);
}

STANDIN_API cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    if (!pointer)
        return standin_null();
    cudaError_t lost = standin_enter();
    device_pointer address = 0;
    struct error error;

    if (lost == cudaSuccess && graph_origin(address_of(stream))) /* as long as the program runs */
        lost = graph_takes_nothing(address_of(stream));
    else if (lost == cudaSuccess)
        lost = graph_forbids();
    if (lost || bytes == 0 || graph_origin(address_of(stream))) {
        standin_leave(lost);
        return lost ? lost : allocate_memory(pointer, bytes, true);
    }
    enum status status =
        simt_device_memory_alloc_async(standin_device(), bytes, standin_stream(stream), &address, &error);
    if (status == STATUS_OK) {
        *pointer = (void *)(uintptr_t)address;
        block_add(address, bytes, BLOCK_DEVICE, 0);
    }
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    cudaError_t lost = standin_enter();
    struct error error;

    const struct block *block = block_find_begin(pointer);
    if (lost || !pointer || graph_has_memory(address_of(pointer)))
        return standin_leave(lost || !pointer ? lost : graph_frees(address_of(pointer)));
    if (graph_origin(address_of(stream))) /* the graph needs it at each launch */
        return standin_leave(block && block->kind == BLOCK_CAPTURED ? graph_takes_nothing(address_of(stream))
                                                                    : cudaErrorInvalidValue);
    if (!block || block_of_host(block))
        return standin_leave(cudaErrorInvalidValue);
    block_remove(address_of(pointer));
    return standin_leave_status(
        simt_device_memory_free_async(standin_device(), address_of(pointer), standin_stream(stream), &error),
        &error);
}

STANDIN_API cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (!pointer || !pitch)
        return standin_null();
    const size_t row = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    size_t bytes;

    if (row < width || __builtin_mul_overflow(row, height, &bytes))
        return standin_null();
    cudaError_t code = cudaMalloc(pointer, bytes);
    if (code == cudaSuccess)
        *pitch = bytes ? row : 0;
    return code;
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

    if (lost == cudaSuccess)
        lost = graph_forbids();
    if (lost || bytes == 0 || flags > (cudaMemAttachGlobal | cudaMemAttachHost | cudaMemAttachSingle))
        return standin_leave(lost ? lost : cudaErrorInvalidValue);
    enum status status = simt_device_managed_alloc(standin_device(), bytes, &address, &error);
    if (status == STATUS_OK) {
        *pointer = (void *)(uintptr_t)address;
        block_add(address, bytes, BLOCK_MANAGED, 0);
    }
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    if (!pointer)
        return standin_null();
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess &&
        flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess)
        lost = graph_forbids();
    if (lost == cudaSuccess && bytes == 0)
        *pointer = NULL;
    if (lost || bytes == 0)
        return standin_leave(lost);
    enum status status = simt_device_host_alloc(standin_device(), bytes, HOST_MAPPED, pointer, &error);
    if (status == STATUS_OK)
        block_add(address_of(*pointer), bytes, BLOCK_PINNED, flags);
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

STANDIN_API cudaError_t cudaFreeHost(void *pointer)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess)
        lost = graph_forbids();
    if (lost || !pointer)
        return standin_leave(lost);
    const struct block *block = block_find_begin(pointer);
    if (!block || block->kind != BLOCK_PINNED)
        return standin_leave(cudaErrorInvalidValue);
    block_remove(address_of(pointer));
    return standin_leave_status(simt_device_host_free(standin_device(), HOST_MAPPED, pointer, &error),
                                &error);
}

/* Does each page of the range belong to the process? */
static bool pages_are_mapped(const void *pointer, size_t bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = address_of(pointer) / page * page;
    const uint64_t end = address_of(pointer) + bytes;

    return bytes <= UINT64_MAX - address_of(pointer) && end > begin &&
           msync((void *)(uintptr_t)begin, end - begin, MS_ASYNC) == 0;
}

STANDIN_API cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
    cudaError_t lost = standin_enter();
    struct simt_allocation allocation;
    struct error error;

    if (lost == cudaSuccess)
        lost = graph_forbids();
    if (lost)
        return standin_leave(lost);
    const struct block *block = block_find(pointer);
    if (block && block->kind == BLOCK_REGISTERED)
        return standin_leave(cudaErrorHostMemoryAlreadyRegistered);
    if (!pointer || bytes == 0 || flags & ~known || !pages_are_mapped(pointer, bytes) ||
        simt_device_allocation(standin_device(), address_of(pointer), &allocation))
        return standin_leave(cudaErrorInvalidValue);
    enum status status = simt_device_register(standin_device(), pointer, bytes, &error);
    if (status == STATUS_OK)
        block_add(address_of(pointer), bytes, BLOCK_REGISTERED, 0);
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaHostUnregister(void *pointer)
{
    cudaError_t lost = standin_enter();
    struct simt_allocation allocation;
    struct error error;

    if (lost == cudaSuccess)
        lost = graph_forbids();
    if (lost)
        return standin_leave(lost);
    const struct block *block = block_find(pointer);
    if (!block || block->kind != BLOCK_REGISTERED || block->address != address_of(pointer))
        return standin_leave(
            !pointer || simt_device_allocation(standin_device(), address_of(pointer), &allocation)
                ? cudaErrorInvalidValue
                : cudaErrorHostMemoryNotRegistered);
    block_remove(address_of(pointer));
    return standin_leave_status(simt_device_unregister(standin_device(), pointer, &error), &error);
}

STANDIN_API cudaError_t cudaHostGetFlags(unsigned *flags, void *pointer)
{
    if (!flags)
        return standin_null();
    cudaError_t lost = standin_enter();
    const struct block *block = block_find(pointer);

    if (lost == cudaSuccess && !block_of_host(block))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess)
        *flags = cudaHostAllocMapped | (block->flags & cudaHostAllocWriteCombined);
    return standin_leave(lost);
}

/* ---- pools: one pool without a limit, of which each handle is the number of its GPU, plus 1; those that the
 * program made have a number of their own above it ---- */
#define POOL_NUMBER_BITS 16
static bool *pools_live;
static size_t pool_count, pool_capacity;

bool standin_is_pool(cudaMemPool_t pool)
{
    const uint64_t handle = address_of(pool), made = handle >> POOL_NUMBER_BITS;
    const uint64_t gpu = handle & ((1u << POOL_NUMBER_BITS) - 1);

    return gpu > 0 && gpu <= (uint64_t)standin_gpus() &&
           (made == 0 || (made <= pool_count && pools_live[made - 1]));
}

static cudaError_t check_pool(cudaError_t lost, cudaMemPool_t pool)
{
    return lost ? lost : standin_is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue;
}

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
    return device < 0 ? standin_null() : cudaDeviceGetDefaultMemPool(pool, device);
}

STANDIN_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    cudaError_t lost = check_pool(standin_enter(), pool);

    return standin_leave(lost                                     ? lost
                         : device < 0 || device >= standin_gpus() ? cudaErrorInvalidValue
                                                                  : cudaSuccess);
}

STANDIN_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess &&
        (!pool || !properties || properties->allocType == cudaMemAllocationTypeInvalid ||
         properties->location.type == cudaMemLocationTypeInvalid ||
         properties->handleTypes & cudaMemHandleTypeWin32))
        lost = cudaErrorInvalidValue;
    const int gpu = lost == cudaSuccess && properties->location.type == cudaMemLocationTypeDevice
                        ? properties->location.id
                        : 0;
    if (lost == cudaSuccess && (gpu < 0 || gpu >= standin_gpus()))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess && !array_grow(pools_live, pool_capacity, pool_count, 1))
        lost = cudaErrorMemoryAllocation;
    if (lost)
        return standin_leave(lost);
    pools_live[pool_count++] = true;
    *pool = (cudaMemPool_t)(uintptr_t)((uint64_t)pool_count << POOL_NUMBER_BITS | ((uint64_t)gpu + 1));
    return standin_leave(cudaSuccess);
}

STANDIN_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    cudaError_t lost = check_pool(standin_enter(), pool);
    const uint64_t made = address_of(pool) >> POOL_NUMBER_BITS;

    if (lost == cudaSuccess && made == 0)
        lost = cudaErrorInvalidValue; /* the default one */
    if (lost == cudaSuccess)
        pools_live[made - 1] = false;
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    cudaError_t lost = check_pool(standin_enter(), pool);

    if (lost == cudaSuccess)
        simt_device_pool_trim(standin_device(), bytes);
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                                void *value)
{
    cudaError_t lost = check_pool(standin_enter(), pool);
    uint64_t high = 0;

    if (lost == cudaSuccess && !value)
        standin_crash("a null pointer for the attribute's value");
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
    case cudaMemPoolAttrReleaseThreshold: break;
    case cudaMemPoolAttrReservedMemHigh: /* can be set to 0 alone */
    case cudaMemPoolAttrUsedMemHigh:
        if (lost == cudaSuccess)
            memcpy(&high, value, sizeof high);
        lost = lost ? lost : high ? cudaErrorInvalidValue : cudaSuccess;
        break;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
    default: lost = lost ? lost : cudaErrorInvalidValue;
    }
    if (lost == cudaSuccess && attribute == cudaMemPoolAttrReleaseThreshold)
        memcpy(&pool_threshold, value, sizeof pool_threshold);
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                                cudaStream_t stream)
{
    cudaError_t lost = standin_leave(check_pool(standin_enter(), pool));

    return lost ? lost : cudaMallocAsync(pointer, bytes, stream);
}

STANDIN_API cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    if (!device)
        return standin_null();
    cudaError_t lost = standin_enter();
    const struct block *block = block_find(host);

    if (lost == cudaSuccess && (flags || !(block_of_host(block) || (block && block->kind == BLOCK_MANAGED))))
        lost = cudaErrorInvalidValue;
    *device = lost ? NULL : host;
    return standin_leave(lost);
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
    cudaError_t lost = standin_enter_facts();
    struct simt_allocation allocation;

    attributes->type = cudaMemoryTypeUnregistered; /* each member: CUDA 12's structure ends with them */
    attributes->device = cudaInvalidDeviceId;
    attributes->devicePointer = NULL;
    attributes->hostPointer = (void *)(uintptr_t)pointer;
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
static bool of_device(const void *pointer)
{
    return standin_of_device(address_of(pointer));
}

struct rows {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, bytes, count;
};

/* Does a copy begin in pinned or registered memory, or in any that is the program's, and end outside of it?
 */
static bool leaves_block(const void *pointer, size_t bytes, bool any)
{
    const struct block *block = block_find(pointer);

    return block && (any || block_of_host(block)) &&
           bytes > block->address + block->size_bytes - address_of(pointer);
}

/* Entered; leaves. */
static cudaError_t copy_entered(const struct rows *rows, enum cudaMemcpyKind kind, cudaStream_t stream,
                                bool async, cudaError_t lost)
{
    struct simt_rows asked = {.destination = address_of(rows->to),
                              .source = address_of(rows->from),
                              .row_bytes = rows->bytes,
                              .rows = rows->count,
                              .destination_pitch = rows->to_pitch,
                              .source_pitch = rows->from_pitch};
    struct error error;

    if (lost || rows->bytes == 0 || rows->count == 0)
        return standin_leave(lost);
    const bool captured = graph_origin(standin_number(stream)) != 0;
    if (!rows->to || !rows->from || array_is(rows->to) || array_is(rows->from) ||
        (rows->count == 1 &&
         (leaves_block(rows->to, rows->bytes, captured) || leaves_block(rows->from, rows->bytes, captured))))
        return standin_leave(cudaErrorInvalidValue);
    lost = graph_forbids_work(standin_number(stream));
    if (lost)
        return standin_leave(lost);
    if (kind == cudaMemcpyDefault || kind == cudaMemcpyHostToHost)
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

static cudaError_t copy_rows(const struct rows *rows, enum cudaMemcpyKind kind, cudaStream_t stream,
                             bool async)
{
    return copy_entered(rows, kind, stream, async,
                        rows->bytes == 0 || rows->count == 0 ? standin_enter_facts() : standin_enter());
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

static cudaError_t code_alone(cudaError_t code)
{
    cudaError_t lost = standin_enter();

    return standin_leave(lost ? lost : code);
}

STANDIN_API cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    if (height > 1 && (width > to_pitch || width > from_pitch))
        return code_alone(cudaErrorInvalidPitchValue);
    return copy_rows(&(struct rows){to, from, to_pitch, from_pitch, width, height}, kind, NULL, false);
}

STANDIN_API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                          size_t width, size_t height, enum cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    if (height > 1 && (width > to_pitch || width > from_pitch))
        return code_alone(cudaErrorInvalidPitchValue);
    return copy_rows(&(struct rows){to, from, to_pitch, from_pitch, width, height}, kind, stream, true);
}

/* The pitch separates rows, the number of rows slices. */
static bool pitched_contains(const struct cudaPitchedPtr *pointer, const struct cudaExtent *extent)
{
    const bool rows = extent->height > 1 || extent->depth > 1;

    return !(rows && extent->width > pointer->pitch) &&
           !(extent->depth > 1 && extent->height > pointer->ysize);
}

static bool pitched_ends_before(const struct cudaPitchedPtr *pointer, const struct cudaPos *at,
                                const struct cudaExtent *extent)
{
    return (at->x > 0 && at->x + extent->width > pointer->pitch) ||
           (at->y > 0 && at->y + extent->height > pointer->ysize);
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *what, cudaStream_t stream, bool async)
{
    const struct cudaPitchedPtr *to = &what->dstPtr, *from = &what->srcPtr;
    cudaError_t code = cudaSuccess;

    if ((what->srcArray && from->ptr) || (what->dstArray && to->ptr))
        return standin_null();
    if (what->srcArray || what->dstArray)
        return standin_copy_3d_array(what, stream, async);
    if (!from->ptr || !to->ptr)
        return standin_null();
    if (!pitched_contains(from, &what->extent) || !pitched_contains(to, &what->extent))
        return code_alone(cudaErrorInvalidPitchValue);
    if (pitched_ends_before(from, &what->srcPos, &what->extent) ||
        pitched_ends_before(to, &what->dstPos, &what->extent))
        return standin_null();
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
    if (!host && !into)
        return standin_leave(cudaErrorInvalidValue);
    if (kind == (into ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost) || kind == cudaMemcpyHostToHost)
        return standin_leave(cudaErrorInvalidMemcpyDirection);
    if (offset > size_bytes || bytes > size_bytes - offset)
        return standin_leave(cudaErrorInvalidValue);
    void *there = (void *)(uintptr_t)(address + offset);
    return copy_entered(&(struct rows){into ? into : there, into ? there : host, bytes, bytes, bytes, 1},
                        kind, stream, async, cudaSuccess);
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

    if (!bytes)
        standin_crash("a null pointer for the size");
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
    if (array_is(pointer))
        return standin_leave(cudaErrorInvalidValue);
    if (height > 1 && width > pitch)
        return standin_leave(cudaErrorInvalidValue);
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

STANDIN_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                                          cudaStream_t stream)
{
    if (extent.depth > 1 && extent.height > to.ysize)
        return standin_null();
    for (size_t z = 0; z < extent.depth; z++) {
        char *slice = (char *)to.ptr + z * to.pitch * to.ysize;
        cudaError_t code = cudaMemset2DAsync(slice, to.pitch, value, extent.width, extent.height, stream);
        if (code != cudaSuccess)
            return code;
    }
    return cudaSuccess;
}

STANDIN_API cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return cudaMemset3DAsync(to, value, extent, NULL);
}

static cudaError_t check_managed(cudaError_t lost, const void *pointer, size_t bytes,
                                 struct cudaMemLocation location)
{
    const struct block *block = block_find(pointer);

    if (lost == cudaSuccess && location.type == cudaMemLocationTypeDevice &&
        (location.id < 0 || location.id >= standin_gpus()))
        lost = cudaErrorInvalidDevice;
    if (lost == cudaSuccess && (bytes == 0 || !block || block->kind != BLOCK_MANAGED ||
                                bytes > block->address + block->size_bytes - address_of(pointer)))
        lost = cudaErrorInvalidValue;
    return lost;
}

/* Nothing moves: both host and device access managed memory in place. */
STANDIN_API cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                             struct cudaMemLocation location, unsigned flags,
                                             cudaStream_t stream)
{
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess && graph_origin(standin_stream(stream)))
        lost = graph_forbids_callback(standin_number(stream));
    lost = check_managed(lost, pointer, bytes, location);
    return standin_leave(lost ? lost : flags ? cudaErrorInvalidValue : cudaSuccess);
}

STANDIN_API cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                                      struct cudaMemLocation location)
{
    const bool known = advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy;
    cudaError_t lost = check_managed(standin_enter(), pointer, bytes, location);

    return standin_leave(lost ? lost : known ? cudaSuccess : cudaErrorInvalidValue);
}
