/* SPDX-License-Identifier: Apache-2.0 */
/* Memory by the driver API: the runtime's functions with addresses that are numbers. */
#include "standin/driver.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- allocations ---- */
STANDIN_API CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    void *pointer = NULL;
    cudaError_t code = bytes && address ? cudaMalloc(&pointer, bytes) : cudaErrorInvalidValue;

    if (code == cudaSuccess)
        *address = (CUdeviceptr)(uintptr_t)pointer;
    return driver_result(code);
}

STANDIN_API CUresult cuMemFree(CUdeviceptr address)
{
    /* Nothing to free: no context is needed. */
    return driver_result(address ? cudaFree(driver_pointer(address)) : standin_leave(standin_enter_facts()));
}

STANDIN_API CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    void *pointer = NULL;
    cudaError_t code = address ? cudaMallocAsync(&pointer, bytes, stream) : cudaErrorInvalidValue;

    if (code == cudaSuccess)
        *address = (CUdeviceptr)(uintptr_t)pointer;
    return driver_result(code);
}

STANDIN_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    return driver_result(cudaFreeAsync(driver_pointer(address), stream));
}

STANDIN_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                             CUstream stream)
{
    (void)pool;
    return cuMemAllocAsync(address, bytes, stream);
}

STANDIN_API CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                                     unsigned element_bytes)
{
    void *pointer = NULL;
    cudaError_t code = width && height && (element_bytes == 4 || element_bytes == 8 || element_bytes == 16)
                           ? cudaMallocPitch(&pointer, pitch, width, height)
                           : cudaErrorInvalidValue;

    *address = (CUdeviceptr)(uintptr_t)pointer;
    return driver_result(code);
}

STANDIN_API CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags)
{
    void *pointer = NULL;
    cudaError_t code = cudaMallocManaged(&pointer, bytes, flags);

    *address = (CUdeviceptr)(uintptr_t)pointer;
    return driver_result(code);
}

STANDIN_API CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    return driver_result(cudaHostAlloc(pointer, bytes, flags));
}

STANDIN_API CUresult cuMemAllocHost(void **pointer, size_t bytes)
{
    return cuMemHostAlloc(pointer, bytes, 0);
}

STANDIN_API CUresult cuMemFreeHost(void *pointer)
{
    return driver_result(cudaFreeHost(pointer));
}

STANDIN_API CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    return driver_result(cudaHostRegister(pointer, bytes, flags));
}

STANDIN_API CUresult cuMemHostUnregister(void *pointer)
{
    return driver_result(cudaHostUnregister(pointer));
}

STANDIN_API CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *host, unsigned flags)
{
    void *pointer = NULL;
    cudaError_t code = address ? cudaHostGetDevicePointer(&pointer, host, flags) : cudaErrorInvalidValue;

    if (!address)
        return driver_result(code);
    *address = (CUdeviceptr)(uintptr_t)pointer;
    return driver_result(code);
}

STANDIN_API CUresult cuMemHostGetFlags(unsigned *flags, void *pointer)
{
    return driver_result(cudaHostGetFlags(flags, pointer));
}

STANDIN_API CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    return driver_result(cudaMemGetInfo(free_bytes, total_bytes));
}

STANDIN_API CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    cudaError_t lost = standin_enter();
    struct simt_allocation allocation;

    if (lost == cudaSuccess && !simt_device_allocation(standin_device(), address, &allocation)) {
        standin_leave(cudaSuccess);
        return CUDA_ERROR_NOT_FOUND;
    }
    if (lost == cudaSuccess && base)
        *base = allocation.address;
    if (lost == cudaSuccess && bytes)
        *bytes = allocation.size_bytes;
    return driver_result(standin_leave(lost));
}

/* ---- pools: one pool without a limit ---- */
STANDIN_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    return driver_result(cudaDeviceGetDefaultMemPool(pool, device));
}

STANDIN_API CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    return driver_result(cudaDeviceGetMemPool(pool, device));
}

STANDIN_API CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    return driver_result(cudaDeviceSetMemPool(device, pool));
}

STANDIN_API CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties)
{
    (void)properties;
    return cuDeviceGetDefaultMemPool(pool, 0);
}

STANDIN_API CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    return driver_result(cudaMemPoolDestroy(pool));
}

STANDIN_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes)
{
    return driver_result(cudaMemPoolTrimTo(pool, bytes));
}

STANDIN_API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    return driver_result(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}

/* The model has no pool's bookkeeping: all is 0, and memory is returned at once. */
STANDIN_API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    if (!pool || !value || (unsigned)attribute < CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES ||
        attribute > CU_MEMPOOL_ATTR_USED_MEM_HIGH)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES)
        *(int *)value = 1;
    else if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
        *(cuuint64_t *)value = standin_pool_threshold();
    else
        return driver_result(
            standin_refuse("The program asks how much memory a pool uses or keeps, which the device "
                           "model does not count."));
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)
{
    /* of the same layout */
    return driver_result(
        cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)(const void *)access, count));
}

/* ---- attributes of pointers ---- */
static CUresult attribute_get(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
    struct simt_allocation allocation;

    if (!simt_device_allocation(standin_device(), address, &allocation))
        return CUDA_ERROR_INVALID_VALUE;
    void *pointer = driver_pointer(address);
    bool host = allocation.of_host || allocation.managed;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)data = driver_context((int)allocation.gpu); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data = allocation.of_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)data = address; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!host)
            return CUDA_ERROR_INVALID_VALUE;
        *(void **)data = pointer;
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned char *)data = allocation.managed; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = (int)allocation.gpu; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)data = allocation.address; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)data = allocation.size_bytes; break;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned char *)data = 1; break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: *(unsigned long long *)data = allocation.address; break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: *(unsigned char *)data = 0; break;
    default:
        return (unsigned)attribute > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE ? CUDA_ERROR_INVALID_VALUE
                                                                                   : CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
    cudaError_t lost = standin_enter_facts();
    CUresult result = lost || !data ? driver_result(lost ? lost : cudaErrorInvalidValue)
                                    : attribute_get(data, attribute, address);

    standin_leave(cudaSuccess);
    return result;
}

/* As CUDA documents it, an address that the driver does not know is no error: its attributes are 0. */
STANDIN_API CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data,
                                            CUdeviceptr address)
{
    cudaError_t lost = standin_enter_facts();
    struct simt_allocation allocation;

    if (lost == cudaSuccess && (count == 0 || !attributes || !data))
        lost = cudaErrorInvalidValue;
    for (unsigned i = 0; i < count && lost == cudaSuccess; i++) {
        CUpointer_attribute attribute = attributes[i];
        if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            *(int *)data[i] = -2; /* as CUDA documents it for an address that it does not know */
        else if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
            *(unsigned *)data[i] = 0;
        else if (attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED || attribute == CU_POINTER_ATTRIBUTE_MAPPED)
            *(unsigned char *)data[i] = 0;
        else if (attribute == CU_POINTER_ATTRIBUTE_CONTEXT ||
                 attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
                 attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
            *(void **)data[i] = NULL;
        if (simt_device_allocation(standin_device(), address, &allocation))
            attribute_get(data[i], attribute, address);
    }
    return driver_result(standin_leave(lost));
}

/* ---- copies ---- */
STANDIN_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return driver_result(cudaMemcpy(driver_pointer(to), driver_pointer(from), bytes, cudaMemcpyDefault));
}

STANDIN_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return driver_result(
        cudaMemcpyAsync(driver_pointer(to), driver_pointer(from), bytes, cudaMemcpyDefault, stream));
}

STANDIN_API CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    return driver_result(cudaMemcpy(driver_pointer(to), from, bytes, cudaMemcpyHostToDevice));
}

STANDIN_API CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    return driver_result(cudaMemcpyAsync(driver_pointer(to), from, bytes, cudaMemcpyHostToDevice, stream));
}

STANDIN_API CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    return driver_result(cudaMemcpy(to, driver_pointer(from), bytes, cudaMemcpyDeviceToHost));
}

STANDIN_API CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return driver_result(cudaMemcpyAsync(to, driver_pointer(from), bytes, cudaMemcpyDeviceToHost, stream));
}

STANDIN_API CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return driver_result(
        cudaMemcpy(driver_pointer(to), driver_pointer(from), bytes, cudaMemcpyDeviceToDevice));
}

STANDIN_API CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return driver_result(
        cudaMemcpyAsync(driver_pointer(to), driver_pointer(from), bytes, cudaMemcpyDeviceToDevice, stream));
}

/* ---- sets ---- */
STANDIN_API CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t count, CUstream stream)
{
    return driver_result(cudaMemsetAsync(driver_pointer(address), value, count, stream));
}

STANDIN_API CUresult cuMemsetD8(CUdeviceptr address, unsigned char value, size_t count)
{
    return cuMemsetD8Async(address, value, count, NULL);
}

static CUresult set_rows(const struct simt_fill *asked, CUstream stream)
{
    const struct simt_fill fill = *asked;
    cudaError_t lost = standin_enter();
    struct error error;

    if (!lost && (fill.destination % fill.value_bytes != 0 ||
                  (fill.rows > 1 && (fill.pitch % fill.value_bytes != 0 || fill.pitch < fill.row_bytes))))
        lost = cudaErrorInvalidValue;
    if (lost || fill.row_bytes == 0 || fill.rows == 0)
        return driver_result(standin_leave(lost));
    return driver_result(standin_leave_status(
        simt_device_fill(standin_device(), &fill, standin_stream(stream), &error), &error));
}

static CUresult set_words(CUdeviceptr address, uint32_t value, uint32_t value_bytes, size_t count,
                          CUstream stream)
{
    return set_rows(&(struct simt_fill){.destination = address,
                                        .value = value,
                                        .value_bytes = value_bytes,
                                        .row_bytes = count * value_bytes,
                                        .rows = 1},
                    stream);
}

STANDIN_API CUresult cuMemsetD16Async(CUdeviceptr address, unsigned short value, size_t count,
                                      CUstream stream)
{
    return set_words(address, value, sizeof value, count, stream);
}

STANDIN_API CUresult cuMemsetD16(CUdeviceptr address, unsigned short value, size_t count)
{
    return cuMemsetD16Async(address, value, count, NULL);
}

STANDIN_API CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count, CUstream stream)
{
    return set_words(address, value, sizeof value, count, stream);
}

STANDIN_API CUresult cuMemsetD32(CUdeviceptr address, unsigned value, size_t count)
{
    return cuMemsetD32Async(address, value, count, NULL);
}

static CUresult set_matrix(CUdeviceptr address, size_t pitch, uint32_t value, uint32_t value_bytes,
                           size_t width, size_t height, CUstream stream)
{
    return set_rows(&(struct simt_fill){.destination = address,
                                        .value = value,
                                        .value_bytes = value_bytes,
                                        .row_bytes = width * value_bytes,
                                        .rows = height,
                                        .pitch = pitch},
                    stream);
}

#define SET_MATRIX(name, type)                                                                            \
    STANDIN_API CUresult name##Async(CUdeviceptr address, size_t pitch, type value, size_t width,         \
                                     size_t height, CUstream stream)                                      \
    {                                                                                                     \
        return set_matrix(address, pitch, value, sizeof value, width, height, stream);                    \
    }                                                                                                     \
    STANDIN_API CUresult name(CUdeviceptr address, size_t pitch, type value, size_t width, size_t height) \
    {                                                                                                     \
        return set_matrix(address, pitch, value, sizeof value, width, height, NULL);                      \
    }
SET_MATRIX(cuMemsetD2D8, unsigned char)
SET_MATRIX(cuMemsetD2D16, unsigned short)
SET_MATRIX(cuMemsetD2D32, unsigned)

/* ---- virtual memory ---- */

/*
 * Virtual memory management: addresses are reserved, memory is created, mapped to them and unmapped. The
 * model's memory lies at its addresses from the mapping on, accessible to kernels from then on
 * (cuMemSetAccess changes nothing), and is gone with it: a handle is mapped once. Under the lock of
 * standin.c.
 */

#define GRANULARITY_BYTES (UINT64_C(2) << 20) /* as on every GPU of 7.0 and later */

struct piece { /* created memory; its handle is its number, from 1 */
    size_t bytes;
    CUmemAllocationProp properties;
    uint64_t address; /* 0: not mapped yet */
    bool released;
};

static struct piece *pieces;
static size_t piece_count, piece_capacity;

static struct piece *piece_find(CUmemGenericAllocationHandle handle)
{
    return handle > 0 && handle <= piece_count && !pieces[handle - 1].released ? &pieces[handle - 1] : NULL;
}

static bool is_whole(uint64_t number)
{
    return number > 0 && number % GRANULARITY_BYTES == 0;
}

STANDIN_API CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                                   CUmemAllocationGranularity_flags option)
{
    if (!granularity || !properties || (unsigned)option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULARITY_BYTES;
    return CUDA_SUCCESS;
}

/* ---- addresses ---- */
STANDIN_API CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment,
                                         CUdeviceptr wanted, unsigned long long flags)
{
    cudaError_t lost = standin_enter_facts();
    uint64_t reserved = 0;
    struct error error;

    (void)wanted; /* an address is only a hint */
    if (lost == cudaSuccess && (!address || flags || !is_whole(bytes) || (alignment & (alignment - 1))))
        lost = cudaErrorInvalidValue;
    if (lost != cudaSuccess)
        return driver_result(standin_leave(lost));
    enum status status =
        simt_device_reserve(standin_device(), bytes,
                            alignment > GRANULARITY_BYTES ? alignment : GRANULARITY_BYTES, &reserved, &error);
    *address = reserved;
    return driver_result(standin_leave_status(status, &error));
}

STANDIN_API CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    cudaError_t lost = standin_enter_facts();

    if (lost == cudaSuccess && !is_whole(bytes))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess && !simt_device_unreserve(standin_device(), address, bytes))
        lost = cudaErrorInvalidValue;
    return driver_result(standin_leave(lost));
}

/* ---- memory ---- */
STANDIN_API CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                                 const CUmemAllocationProp *properties, unsigned long long flags)
{
    cudaError_t lost = standin_enter_facts();

    (void)flags;
    if (lost == cudaSuccess && (!handle || !properties || !is_whole(bytes)))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess && (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
                                properties->type != CU_MEM_ALLOCATION_TYPE_PINNED))
        lost = standin_refuse(
            "The program creates memory (cuMemCreate) that is not of a device, which the device "
            "model does not support.");
    if (lost == cudaSuccess && (properties->location.id < 0 || properties->location.id >= standin_gpus()))
        lost = cudaErrorInvalidDevice;
    if (lost == cudaSuccess && properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
        lost = standin_refuse(
            "The program creates memory (cuMemCreate) to share with other processes, which the "
            "device model does not support.");
    if (lost == cudaSuccess && bytes > simt_device_free_bytes(standin_device()))
        lost = cudaErrorMemoryAllocation;
    if (lost == cudaSuccess && !array_grow(pieces, piece_capacity, piece_count, 1))
        lost = cudaErrorMemoryAllocation;
    if (lost != cudaSuccess)
        return driver_result(standin_leave(lost));
    pieces[piece_count++] = (struct piece){.bytes = bytes, .properties = *properties};
    *handle = piece_count;
    return driver_result(standin_leave(cudaSuccess));
}

STANDIN_API CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    cudaError_t lost = standin_enter_facts();
    struct piece *piece = piece_find(handle);

    if (piece)
        piece->released = true;
    return driver_result(standin_leave(lost ? lost : piece ? cudaSuccess : cudaErrorInvalidValue));
}

STANDIN_API CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                              CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    cudaError_t lost = standin_enter_facts();
    struct piece *piece = piece_find(handle);
    struct error error;

    struct simt_allocation there;

    if (lost == cudaSuccess && piece && offset == 0 && bytes != piece->bytes)
        lost = cudaErrorNotSupported; /* as an H200 says it */
    if (lost == cudaSuccess && (!piece || flags || offset != 0 || address % GRANULARITY_BYTES ||
                                simt_device_allocation(standin_device(), address, &there)))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess && piece->address)
        lost = standin_refuse(
            "The program maps memory a second time (cuMemMap), which the device model does not "
            "support.");
    if (lost != cudaSuccess)
        return driver_result(standin_leave(lost));
    simt_device_select(standin_device(), (uint32_t)piece->properties.location.id);
    enum status status = simt_device_map(standin_device(), address, bytes, &error);
    simt_device_select(standin_device(), (uint32_t)standin_gpu());
    if (status == STATUS_OK)
        piece->address = address;
    return driver_result(standin_leave_status(status, &error));
}

STANDIN_API CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    cudaError_t lost = standin_enter_facts();
    enum status status = STATUS_OK;
    struct error error;

    for (uint64_t at = address; lost == cudaSuccess && status == STATUS_OK && at < address + bytes;) {
        struct simt_allocation allocation;
        if (!simt_device_allocation(standin_device(), at, &allocation) || allocation.address != at ||
            allocation.size_bytes > address + bytes - at) {
            lost = cudaErrorInvalidValue;
            break;
        }
        status = simt_device_memory_free(standin_device(), at, &error);
        at += allocation.size_bytes;
    }
    return driver_result(lost ? standin_leave(lost) : standin_leave_status(status, &error));
}

/* ---- access ---- */
STANDIN_API CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
                                    size_t count)
{
    cudaError_t lost = standin_enter_facts();
    struct simt_allocation allocation;

    if (lost == cudaSuccess && (!access || !is_whole(bytes) || address % GRANULARITY_BYTES ||
                                !simt_device_allocation(standin_device(), address, &allocation)))
        lost = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && lost == cudaSuccess; i++)
        if (access[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
            (access[i].location.id < 0 || access[i].location.id >= standin_gpus()))
            lost = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && lost == cudaSuccess; i++)
        if (access[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE && access[i].location.id >= 0 &&
            access[i].location.id < standin_gpus() && (uint32_t)access[i].location.id != allocation.gpu)
            simt_device_allow(standin_device(), (uint32_t)access[i].location.id, allocation.gpu, true);
    return driver_result(standin_leave(lost));
}

STANDIN_API CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                                    CUdeviceptr address)
{
    cudaError_t lost = standin_enter_facts();
    struct simt_allocation allocation;
    bool there = lost == cudaSuccess && simt_device_allocation(standin_device(), address, &allocation);

    if (!flags || !location)
        return driver_result(standin_leave(lost ? lost : cudaErrorInvalidValue));
    *flags = there ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return driver_result(standin_leave(lost));
}

STANDIN_API CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                            CUmemGenericAllocationHandle handle)
{
    cudaError_t lost = standin_enter_facts();
    const struct piece *piece = piece_find(handle);

    if (lost == cudaSuccess && (!properties || !piece))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess)
        *properties = piece->properties;
    return driver_result(standin_leave(lost));
}
