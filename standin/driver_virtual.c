/*
 * Virtual memory management: addresses are reserved, memory is created, mapped to them and unmapped. The
 * model's memory lies at its addresses from the mapping on, accessible to kernels from then on
 * (cuMemSetAccess changes nothing), and is gone with it: a handle is mapped once. Under the lock of
 * standin.c.
 */
#include "standin/driver.h"

#include "core/base/array.h"

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
        status = standin_device()->ops->memory_free(standin_device(), at, &error);
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
