/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory, and the kinds of host memory: pageable memory is registered where it is to be pinned
 * afterwards, and is unregistered before it is freed. Copies and sets go into a stream; a copy that is not
 * asynchronous waits for it.
 */
#include "workloads/cuda/cuda_device.h"

#include <stdlib.h>

#define HOST_PAGE_BYTES 4096

enum status cuda_memory_alloc(struct device *device, size_t bytes, device_pointer *pointer,
                              struct error *error)
{
    cuda_address address = 0;
    int result = cuda_of(device)->driver.cuMemAlloc_v2(&address, bytes);

    if (result)
        return cuda_driver_refuse(&cuda_of(device)->driver, result, error,
                                  "Allocating %zu bytes of device memory", bytes);
    *pointer = address;
    return STATUS_OK;
}

enum status cuda_memory_free(struct device *device, device_pointer pointer, struct error *error)
{
    int result = cuda_of(device)->driver.cuMemFree_v2(pointer);

    return result ? cuda_driver_refuse(&cuda_of(device)->driver, result, error, "Freeing device memory")
                  : STATUS_OK;
}

enum status cuda_memory_alloc_async(struct device *device, size_t bytes, uint64_t stream,
                                    device_pointer *pointer, struct error *error)
{
    cuda_address address = 0;
    int result = cuda_of(device)->driver.cuMemAllocAsync(&address, bytes, cuda_handle_of(stream));

    if (result)
        return cuda_driver_refuse(&cuda_of(device)->driver, result, error,
                                  "Allocating %zu bytes of device memory in a stream", bytes);
    *pointer = address;
    return STATUS_OK;
}

enum status cuda_memory_free_async(struct device *device, device_pointer pointer, uint64_t stream,
                                   struct error *error)
{
    int result = cuda_of(device)->driver.cuMemFreeAsync(pointer, cuda_handle_of(stream));

    return result ? cuda_driver_refuse(&cuda_of(device)->driver, result, error,
                                       "Freeing device memory in a stream")
                  : STATUS_OK;
}

/* Pageable memory that is pinned after its allocation. */
static enum status host_register(struct cuda_device *cuda, size_t bytes, void **pointer, struct error *error)
{
    void *memory =
        aligned_alloc(HOST_PAGE_BYTES, (bytes + HOST_PAGE_BYTES - 1) / HOST_PAGE_BYTES * HOST_PAGE_BYTES);

    if (!memory)
        return error_set(error, STATUS_MEMORY,
                         "There is not enough host memory for %zu bytes: use a smaller size.", bytes);
    int result = cuda->driver.cuMemHostRegister_v2(memory, bytes, 0);
    if (result) {
        free(memory);
        return cuda_driver_refuse(&cuda->driver, result, error, "Pinning %zu bytes of host memory", bytes);
    }
    *pointer = memory;
    return STATUS_OK;
}

enum status cuda_host_alloc(struct device *device, size_t bytes, enum host_memory kind, void **pointer,
                            struct error *error)
{
    if (kind == HOST_PAGEABLE) {
        *pointer = malloc(bytes);
        return *pointer
                   ? STATUS_OK
                   : error_set(error, STATUS_MEMORY,
                               "There is not enough host memory for %zu bytes: use a smaller size.", bytes);
    }
    if (kind == HOST_REGISTERED)
        return host_register(cuda_of(device), bytes, pointer, error);
    int result =
        cuda_of(device)->driver.cuMemHostAlloc(pointer, bytes, kind == HOST_MAPPED ? CUDA_HOST_MAPPED : 0);
    return result ? cuda_driver_refuse(&cuda_of(device)->driver, result, error,
                                       "Allocating %zu bytes of pinned host memory", bytes)
                  : STATUS_OK;
}

enum status cuda_host_free(struct device *device, enum host_memory kind, void *pointer, struct error *error)
{
    if (kind == HOST_PAGEABLE) {
        free(pointer);
        return STATUS_OK;
    }
    if (kind == HOST_REGISTERED) {
        int unregistered = cuda_of(device)->driver.cuMemHostUnregister(pointer);

        free(pointer);
        return unregistered ? cuda_driver_refuse(&cuda_of(device)->driver, unregistered, error,
                                                 "Unpinning host memory")
                            : STATUS_OK;
    }
    int result = cuda_of(device)->driver.cuMemFreeHost(pointer);
    return result ? cuda_driver_refuse(&cuda_of(device)->driver, result, error, "Freeing pinned host memory")
                  : STATUS_OK;
}

enum status cuda_host_pointer(struct device *device, void *host, device_pointer *pointer, struct error *error)
{
    cuda_address address = 0;
    int result = cuda_of(device)->driver.cuMemHostGetDevicePointer_v2(&address, host, 0);

    if (result)
        return cuda_driver_refuse(&cuda_of(device)->driver, result, error, "Finding mapped host memory");
    *pointer = address;
    return STATUS_OK;
}

enum status cuda_copy(struct device *device, enum device_copy direction, uint64_t destination,
                      uint64_t source, size_t bytes, uint64_t stream, bool async, struct error *error)
{
    static const char *const direction_text[] = {"to the device", "to the host", "on the device"};
    const struct cuda_driver *driver = &cuda_of(device)->driver;
    bool call_async = async || stream; /* the calls without Async use only the default stream */
    int result = 0;

    switch (direction) {
    case DEVICE_COPY_TO_DEVICE:
        result = call_async ? driver->cuMemcpyHtoDAsync_v2(destination, cuda_pointer_of(source), bytes,
                                                           cuda_handle_of(stream))
                            : driver->cuMemcpyHtoD_v2(destination, cuda_pointer_of(source), bytes);
        break;
    case DEVICE_COPY_TO_HOST:
        result = call_async ? driver->cuMemcpyDtoHAsync_v2(cuda_pointer_of(destination), source, bytes,
                                                           cuda_handle_of(stream))
                            : driver->cuMemcpyDtoH_v2(cuda_pointer_of(destination), source, bytes);
        break;
    case DEVICE_COPY_ON_DEVICE:
        result = call_async ? driver->cuMemcpyDtoDAsync_v2(destination, source, bytes, cuda_handle_of(stream))
                            : driver->cuMemcpyDtoD_v2(destination, source, bytes);
        break;
    }
    if (result)
        return cuda_driver_refuse(driver, result, error, "Copying %zu bytes %s", bytes,
                                  direction_text[direction]);
    return stream && !async ? cuda_stream_sync(device, stream, error) : STATUS_OK;
}

enum status cuda_set(struct device *device, device_pointer destination, uint8_t byte, size_t bytes,
                     uint64_t stream, struct error *error)
{
    int result = cuda_of(device)->driver.cuMemsetD8Async(destination, byte, bytes, cuda_handle_of(stream));

    return result ? cuda_driver_refuse(&cuda_of(device)->driver, result, error,
                                       "Setting %zu bytes of device memory", bytes)
                  : STATUS_OK;
}
