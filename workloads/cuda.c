#include "workloads/cuda.h"
#include "workloads/cuda_driver.h"
#include "workloads/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULES_MAX 64
#define LOG_BYTES 512 /* of the compiler inside the driver: the sentence holds no more */

struct cuda_device {
    struct device device; /* first: the ops get this address */
    struct cuda_driver driver;
    cuda_device_ordinal ordinal;
    cuda_handle context;
    struct device_info info;
    struct {
        const struct kernel_image *image;
        cuda_handle module;
    } modules[MODULES_MAX];
    size_t module_count;
};

static struct cuda_device *of(struct device *device)
{
    return (struct cuda_device *)device;
}

/* Handles of core/device.h are the driver's, as numbers. */
static cuda_handle handle_of(uint64_t number)
{
    return (cuda_handle)(uintptr_t)number;
}

static uint64_t number_of(cuda_handle handle)
{
    return (uint64_t)(uintptr_t)handle;
}

static void *pointer_of(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static void cuda_close(struct device *device)
{
    struct cuda_device *cuda = of(device);

    for (size_t i = 0; i < cuda->module_count; i++)
        cuda->driver.cuModuleUnload(cuda->modules[i].module);
    if (cuda->context)
        cuda->driver.cuDevicePrimaryCtxRelease_v2(cuda->ordinal);
    free(cuda);
}

static const struct device_info *cuda_info(struct device *device)
{
    return &of(device)->info;
}

static enum status cuda_memory_alloc(struct device *device, size_t bytes, device_pointer *pointer,
                                     struct error *error)
{
    cuda_address address = 0;
    int result = of(device)->driver.cuMemAlloc_v2(&address, bytes);

    if (result)
        return cuda_driver_refuse(&of(device)->driver, result, error, "Allocating %zu bytes of device memory",
                                  bytes);
    *pointer = address;
    return STATUS_OK;
}

static enum status cuda_memory_free(struct device *device, device_pointer pointer, struct error *error)
{
    int result = of(device)->driver.cuMemFree_v2(pointer);

    return result ? cuda_driver_refuse(&of(device)->driver, result, error, "Freeing device memory")
                  : STATUS_OK;
}

static enum status cuda_host_alloc(struct device *device, size_t bytes, enum host_memory kind, void **pointer,
                                   struct error *error)
{
    if (kind == HOST_PAGEABLE) {
        *pointer = malloc(bytes);
        return *pointer ? STATUS_OK
                        : error_set(error, STATUS_MEMORY, "No %zu bytes of host memory. Give a smaller size.",
                                    bytes);
    }
    int result = of(device)->driver.cuMemHostAlloc(pointer, bytes, 0);
    return result ? cuda_driver_refuse(&of(device)->driver, result, error,
                                       "Allocating %zu bytes of pinned host memory", bytes)
                  : STATUS_OK;
}

static enum status cuda_host_free(struct device *device, enum host_memory kind, void *pointer,
                                  struct error *error)
{
    if (kind == HOST_PAGEABLE) {
        free(pointer);
        return STATUS_OK;
    }
    int result = of(device)->driver.cuMemFreeHost(pointer);
    return result ? cuda_driver_refuse(&of(device)->driver, result, error, "Freeing pinned host memory")
                  : STATUS_OK;
}

static enum status cuda_stream_sync(struct device *device, uint64_t stream, struct error *error)
{
    int result = of(device)->driver.cuStreamSynchronize(handle_of(stream));

    return result ? cuda_driver_refuse(&of(device)->driver, result, error, "Waiting for a stream")
                  : STATUS_OK;
}

static enum status cuda_copy(struct device *device, enum device_copy direction, uint64_t destination,
                             uint64_t source, size_t bytes, uint64_t stream, bool async, struct error *error)
{
    static const char *const direction_text[] = {"to the device", "to the host", "on the device"};
    const struct cuda_driver *driver = &of(device)->driver;
    bool call_async = async || stream; /* the calls without Async know only the default stream */
    int result = 0;

    switch (direction) {
    case DEVICE_COPY_TO_DEVICE:
        result = call_async
                     ? driver->cuMemcpyHtoDAsync_v2(destination, pointer_of(source), bytes, handle_of(stream))
                     : driver->cuMemcpyHtoD_v2(destination, pointer_of(source), bytes);
        break;
    case DEVICE_COPY_TO_HOST:
        result = call_async
                     ? driver->cuMemcpyDtoHAsync_v2(pointer_of(destination), source, bytes, handle_of(stream))
                     : driver->cuMemcpyDtoH_v2(pointer_of(destination), source, bytes);
        break;
    case DEVICE_COPY_ON_DEVICE:
        result = call_async ? driver->cuMemcpyDtoDAsync_v2(destination, source, bytes, handle_of(stream))
                            : driver->cuMemcpyDtoD_v2(destination, source, bytes);
        break;
    }
    if (result)
        return cuda_driver_refuse(driver, result, error, "Copying %zu bytes %s", bytes,
                                  direction_text[direction]);
    return stream && !async ? cuda_stream_sync(device, stream, error) : STATUS_OK;
}

static enum status cuda_set(struct device *device, device_pointer destination, uint8_t byte, size_t bytes,
                            uint64_t stream, struct error *error)
{
    int result = of(device)->driver.cuMemsetD8Async(destination, byte, bytes, handle_of(stream));

    return result ? cuda_driver_refuse(&of(device)->driver, result, error,
                                       "Setting %zu bytes of device memory", bytes)
                  : STATUS_OK;
}

static enum status module_load(struct cuda_device *cuda, const char *name, cuda_handle *module,
                               struct error *error)
{
    char log[LOG_BYTES] = "";
    int options[] = {CUDA_JIT_ERROR_LOG_BUFFER, CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    const struct kernel_image *image = kernel_image_find(name);

    if (!image)
        return error_set(error, STATUS_STATE,
                         "There is no kernel image '%s' in this program: workloads/kernels/%s.cu is missing.",
                         name, name);
    for (size_t i = 0; i < cuda->module_count; i++) {
        if (cuda->modules[i].image == image) {
            *module = cuda->modules[i].module;
            return STATUS_OK;
        }
    }
    if (cuda->module_count == MODULES_MAX)
        return error_set(error, STATUS_STATE, "More than %d kernel images at once: raise MODULES_MAX.",
                         MODULES_MAX);

    int result = cuda->driver.cuModuleLoadDataEx(module, image->data, 2, options, values);
    if (result) {
        for (char *at = log; *at; at++)
            *at = *at == '\n' ? ' ' : *at;
        return cuda_driver_refuse(
            &cuda->driver, result, error, "Loading the kernels of %s (%s) for compute capability %u.%u%s%s%s",
            name, image->format, cuda->info.compute_capability / 10, cuda->info.compute_capability % 10,
            log[0] ? " (the driver's compiler says: " : "", log, log[0] ? ")" : "");
    }
    cuda->modules[cuda->module_count].image = image;
    cuda->modules[cuda->module_count++].module = *module;
    return STATUS_OK;
}

static enum status cuda_launch(struct device *device, const struct device_launch *launch, struct error *error)
{
    struct cuda_device *cuda = of(device);
    const uint32_t *grid = launch->grid, *block = launch->block;
    cuda_handle module, function;
    enum status status = module_load(cuda, launch->image, &module, error);

    if (status)
        return status;
    int result = cuda->driver.cuModuleGetFunction(&function, module, launch->kernel);
    if (result)
        return cuda_driver_refuse(&cuda->driver, result, error, "Finding the kernel %s in %s", launch->kernel,
                                  launch->image);
    result = cuda->driver.cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                         launch->dynamic_shared_bytes, handle_of(launch->stream),
                                         launch->arguments, NULL);
    if (result)
        return cuda_driver_refuse(
            &cuda->driver, result, error, "Launching %s<<<(%u, %u, %u), (%u, %u, %u), %u>>>", launch->kernel,
            grid[0], grid[1], grid[2], block[0], block[1], block[2], launch->dynamic_shared_bytes);
    return STATUS_OK;
}

static enum status cuda_stream_create(struct device *device, bool non_blocking, uint64_t *stream,
                                      struct error *error)
{
    cuda_handle handle;
    int result = of(device)->driver.cuStreamCreate(&handle, non_blocking ? CUDA_STREAM_NON_BLOCKING : 0);

    if (result)
        return cuda_driver_refuse(&of(device)->driver, result, error, "Creating a stream");
    *stream = number_of(handle);
    return STATUS_OK;
}

static enum status cuda_stream_destroy(struct device *device, uint64_t stream, struct error *error)
{
    int result = of(device)->driver.cuStreamDestroy_v2(handle_of(stream));

    return result ? cuda_driver_refuse(&of(device)->driver, result, error, "Destroying a stream") : STATUS_OK;
}

static enum status cuda_event_create(struct device *device, uint64_t *event, struct error *error)
{
    cuda_handle handle;
    int result = of(device)->driver.cuEventCreate(&handle, CUDA_EVENT_DEFAULT);

    if (result)
        return cuda_driver_refuse(&of(device)->driver, result, error, "Creating an event");
    *event = number_of(handle);
    return STATUS_OK;
}

static enum status cuda_event_destroy(struct device *device, uint64_t event, struct error *error)
{
    int result = of(device)->driver.cuEventDestroy_v2(handle_of(event));

    return result ? cuda_driver_refuse(&of(device)->driver, result, error, "Destroying an event") : STATUS_OK;
}

static enum status cuda_event_record(struct device *device, uint64_t event, uint64_t stream,
                                     struct error *error)
{
    int result = of(device)->driver.cuEventRecord(handle_of(event), handle_of(stream));

    return result ? cuda_driver_refuse(&of(device)->driver, result, error, "Recording an event") : STATUS_OK;
}

static enum status cuda_event_wait(struct device *device, uint64_t stream, uint64_t event,
                                   struct error *error)
{
    int result = of(device)->driver.cuStreamWaitEvent(handle_of(stream), handle_of(event), 0);

    return result
               ? cuda_driver_refuse(&of(device)->driver, result, error, "Making a stream wait for an event")
               : STATUS_OK;
}

static enum status cuda_event_elapsed(struct device *device, uint64_t start, uint64_t end, double *ns,
                                      struct error *error)
{
    float milliseconds = 0;
    int result = of(device)->driver.cuEventSynchronize(handle_of(end));

    if (result == CUDA_RESULT_SUCCESS)
        result = of(device)->driver.cuEventElapsedTime(&milliseconds, handle_of(start), handle_of(end));
    if (result)
        return cuda_driver_refuse(&of(device)->driver, result, error, "Taking the time between two events");
    *ns = (double)milliseconds * 1e6;
    return STATUS_OK;
}

static enum status cuda_sync(struct device *device, struct error *error)
{
    int result = of(device)->driver.cuCtxSynchronize();

    return result ? cuda_driver_refuse(&of(device)->driver, result, error, "Waiting for the device")
                  : STATUS_OK;
}

static enum status cuda_host_function(struct device *device, uint64_t stream, void (*fn)(void *),
                                      void *argument, struct error *error)
{
    int result = of(device)->driver.cuLaunchHostFunc(handle_of(stream), fn, argument);

    return result ? cuda_driver_refuse(&of(device)->driver, result, error, "Enqueueing a host function")
                  : STATUS_OK;
}

static const struct device_ops ops = {
    .name = "cuda",
    .close = cuda_close,
    .info = cuda_info,
    .memory_alloc = cuda_memory_alloc,
    .memory_free = cuda_memory_free,
    .host_alloc = cuda_host_alloc,
    .host_free = cuda_host_free,
    .copy = cuda_copy,
    .set = cuda_set,
    .launch = cuda_launch,
    .stream_create = cuda_stream_create,
    .stream_destroy = cuda_stream_destroy,
    .stream_sync = cuda_stream_sync,
    .event_create = cuda_event_create,
    .event_destroy = cuda_event_destroy,
    .event_record = cuda_event_record,
    .event_wait = cuda_event_wait,
    .event_elapsed = cuda_event_elapsed,
    .sync = cuda_sync,
    .host_function = cuda_host_function,
};

/* Facts that a driver does not know stay 0. */
static enum status info_read(struct cuda_device *cuda, struct error *error)
{
    const struct cuda_driver *driver = &cuda->driver;
    struct device_info *info = &cuda->info;
    uint32_t major = 0, minor = 0;
    const struct {
        enum cuda_attribute attribute;
        uint32_t *value;
    } facts[] = {
        {CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &info->max_threads_per_block},
        {CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &info->shared_bytes_per_block},
        {CUDA_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, &info->registers_per_block},
        {CUDA_ATTRIBUTE_CLOCK_RATE, &info->core_clock_khz},
        {CUDA_ATTRIBUTE_MULTIPROCESSOR_COUNT, &info->multiprocessors},
        {CUDA_ATTRIBUTE_CONCURRENT_KERNELS, &info->concurrent_kernels},
        {CUDA_ATTRIBUTE_ECC_ENABLED, &info->ecc},
        {CUDA_ATTRIBUTE_MEMORY_CLOCK_RATE, &info->memory_clock_khz},
        {CUDA_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &info->memory_bus_bits},
        {CUDA_ATTRIBUTE_L2_CACHE_SIZE, &info->l2_bytes},
        {CUDA_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &info->max_threads_per_multiprocessor},
        {CUDA_ATTRIBUTE_ASYNC_ENGINE_COUNT, &info->copy_engines},
        {CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
        {CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
        {CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &info->shared_bytes_per_multiprocessor},
        {CUDA_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, &info->registers_per_multiprocessor},
        {CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &info->shared_bytes_per_block_optin},
        {CUDA_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, &info->max_blocks_per_multiprocessor},
        {CUDA_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, &info->shared_bytes_reserved_per_block},
    };
    size_t memory_bytes = 0;
    int version = 0;

    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        int value = 0;
        if (driver->cuDeviceGetAttribute(&value, (int)facts[i].attribute, cuda->ordinal) ==
                CUDA_RESULT_SUCCESS &&
            value > 0)
            *facts[i].value = (uint32_t)value;
    }
    info->compute_capability = major * 10 + minor;
    int result = driver->cuDeviceGetName(info->name, sizeof info->name, cuda->ordinal);
    if (result == CUDA_RESULT_SUCCESS)
        result = driver->cuDeviceGetUuid_v2(info->uuid, cuda->ordinal);
    if (result == CUDA_RESULT_SUCCESS)
        result = driver->cuDeviceTotalMem_v2(&memory_bytes, cuda->ordinal);
    if (result == CUDA_RESULT_SUCCESS)
        result = driver->cuDriverGetVersion(&version);
    if (result)
        return cuda_driver_refuse(driver, result, error, "Asking GPU %d what it is", cuda->ordinal);
    info->name[sizeof info->name - 1] = 0;
    info->memory_bytes = memory_bytes;
    info->driver_version = (uint32_t)version;
    return STATUS_OK;
}

enum status cuda_device_open(const char *library, uint32_t ordinal, struct device **device,
                             struct error *error)
{
    struct cuda_device *cuda = calloc(1, sizeof *cuda);
    int result, count = 0;
    enum status status;

    if (!cuda)
        return error_set(error, STATUS_MEMORY, "No memory for a device. Close other programs.");
    cuda->device.ops = &ops;
    status = cuda_driver_open(library, &cuda->driver, error);
    if (status)
        goto fail;
    result = cuda->driver.cuInit(0);
    if (result) {
        status = cuda_driver_refuse(&cuda->driver, result, error, "Starting the CUDA driver");
        goto fail;
    }
    result = cuda->driver.cuDeviceGetCount(&count);
    if (result) {
        status = cuda_driver_refuse(&cuda->driver, result, error, "Counting the GPUs");
        goto fail;
    }
    if (ordinal >= (uint32_t)count) {
        status = error_set(
            error, STATUS_NO_DEVICE,
            "There is no GPU %u: the CUDA driver sees %d, numbered from 0. Choose another with --gpu N.",
            ordinal, count);
        goto fail;
    }
    result = cuda->driver.cuDeviceGet(&cuda->ordinal, (int)ordinal);
    if (result) {
        status = cuda_driver_refuse(&cuda->driver, result, error, "Opening GPU %u", ordinal);
        goto fail;
    }
    status = info_read(cuda, error);
    if (status)
        goto fail;
    result = cuda->driver.cuDevicePrimaryCtxRetain(&cuda->context, cuda->ordinal);
    if (result == CUDA_RESULT_SUCCESS)
        result = cuda->driver.cuCtxSetCurrent(cuda->context);
    if (result) {
        status = cuda_driver_refuse(&cuda->driver, result, error, "Making a context on %s", cuda->info.name);
        goto fail;
    }
    *device = &cuda->device;
    return STATUS_OK;

fail:
    cuda_close(&cuda->device);
    return status;
}
