/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of operations, and the opening and closing of a device: driver, GPU, facts, primary context. A
 * device that is half open is closed by the same function as a whole one. A fact of a GPU that the driver
 * does not know is 0.
 */
#include "workloads/cuda/cuda.h"

#include "core/hardware/device_info.h"
#include "workloads/cuda/cuda_device.h"

#include <stdlib.h>

/* ---- facts ---- */

struct attribute_source {
    const struct cuda_driver *driver;
    cuda_device_ordinal ordinal;
};

static uint32_t attribute_ask(void *user, int number)
{
    const struct attribute_source *source = user;
    int value = 0;
    int result = source->driver->cuDeviceGetAttribute(&value, number, source->ordinal);

    return result == CUDA_RESULT_SUCCESS && value > 0 ? (uint32_t)value : 0;
}

static enum status cuda_info_read(const struct cuda_driver *driver, cuda_device_ordinal ordinal,
                                  struct device_info *info, struct error *error)
{
    size_t memory_bytes = 0;
    int version = 0;

    device_info_ask(info, attribute_ask, &(struct attribute_source){driver, ordinal});
    int result = driver->cuDeviceGetName(info->name, sizeof info->name, ordinal);
    if (result == CUDA_RESULT_SUCCESS)
        result = driver->cuDeviceGetUuid_v2(info->uuid, ordinal);
    if (result == CUDA_RESULT_SUCCESS)
        result = driver->cuDeviceTotalMem_v2(&memory_bytes, ordinal);
    if (result == CUDA_RESULT_SUCCESS)
        result = driver->cuDriverGetVersion(&version);
    if (result)
        return cuda_driver_refuse(driver, result, error, "Querying the properties of GPU %d", ordinal);
    info->name[sizeof info->name - 1] = 0;
    info->memory_bytes = memory_bytes;
    info->driver_version = (uint32_t)version;
    return STATUS_OK;
}

/* Finds the other GPUs of the host whose memory it can read directly. */
static void read_peers(const struct cuda_driver *driver, cuda_device_ordinal ordinal,
                       struct device_description *device)
{
    int count = 0;

    if (driver->cuDeviceGetCount(&count) != CUDA_RESULT_SUCCESS)
        return;
    for (int i = 0; i < count && i < 32; i++) {
        cuda_device_ordinal other;
        int can = 0;
        if (driver->cuDeviceGet(&other, i) != CUDA_RESULT_SUCCESS || other == ordinal)
            continue;
        device->others++;
        if (driver->cuDeviceCanAccessPeer(&can, ordinal, other) == CUDA_RESULT_SUCCESS && can)
            device->peers |= UINT32_C(1) << i;
    }
}

static void cuda_attributes_read(const struct cuda_driver *driver, cuda_device_ordinal ordinal,
                                 struct device_description *device)
{
    device->asked = true;
    for (int i = 0; i < DEVICE_ATTRIBUTE_COUNT; i++) {
        int value = 0, number = device_attribute_number((enum device_attribute)i);
        bool known = driver->cuDeviceGetAttribute(&value, number, ordinal) == CUDA_RESULT_SUCCESS;
        device->attribute[i] = known ? value : DEVICE_ATTRIBUTE_UNKNOWN;
    }
    read_peers(driver, ordinal, device);
}

/* ---- two devices ---- */

/* Two CUDA devices have the same ops. */
static struct cuda_device *peer_of(struct device *device)
{
    return (struct cuda_device *)device;
}

static enum status cuda_peer_access(struct device *device, struct device *other, bool *direct,
                                    struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    int can = 0, result = cuda->driver.cuDeviceCanAccessPeer(&can, cuda->ordinal, peer_of(other)->ordinal);

    *direct = can != 0;
    return result ? cuda_driver_refuse(&cuda->driver, result, error,
                                       "Querying whether GPU %d can access the memory of GPU %d",
                                       cuda->ordinal, peer_of(other)->ordinal)
                  : STATUS_OK;
}

static enum status cuda_peer_enable(struct device *device, struct device *other, bool enable,
                                    struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    int result = enable ? cuda->driver.cuCtxEnablePeerAccess(peer_of(other)->context, 0)
                        : cuda->driver.cuCtxDisablePeerAccess(peer_of(other)->context);

    return result
               ? cuda_driver_refuse(&cuda->driver, result, error,
                                    "%s access of GPU %d to the memory of GPU %d",
                                    enable ? "Enabling" : "Disabling", cuda->ordinal, peer_of(other)->ordinal)
               : STATUS_OK;
}

static enum status cuda_peer_copy(struct device *device, device_pointer destination, struct device *other,
                                  device_pointer source, size_t bytes, uint64_t stream, struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    int result = cuda->driver.cuMemcpyPeerAsync(destination, cuda->context, source, peer_of(other)->context,
                                                bytes, cuda_handle_of(stream));

    return result
               ? cuda_driver_refuse(&cuda->driver, result, error, "Copying %zu bytes from GPU %d to GPU %d",
                                    bytes, peer_of(other)->ordinal, cuda->ordinal)
               : STATUS_OK;
}

/* ---- opening and closing ---- */

static void cuda_close(struct device *device)
{
    struct cuda_device *cuda = cuda_of(device);

    for (size_t i = 0; i < cuda->module_count; i++)
        cuda->driver.cuModuleUnload(cuda->modules[i].module);
    if (cuda->context)
        cuda->driver.cuDevicePrimaryCtxRelease_v2(cuda->ordinal);
    cuda_current_set(NULL);
    free(cuda);
}

static const struct device_info *cuda_info(struct device *device)
{
    return &cuda_of(device)->info;
}

static const struct device_ops ops = {
    .name = "cuda",
    .close = cuda_close,
    .info = cuda_info,
    .memory_alloc = cuda_memory_alloc,
    .memory_free = cuda_memory_free,
    .memory_alloc_async = cuda_memory_alloc_async,
    .memory_free_async = cuda_memory_free_async,
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
    .host_pointer = cuda_host_pointer,
    .symbol = cuda_symbol,
    .texture_create = cuda_texture_create,
    .texture_destroy = cuda_texture_destroy,
    .graph_begin = cuda_graph_begin,
    .graph_end = cuda_graph_end,
    .graph_launch = cuda_graph_launch,
    .graph_destroy = cuda_graph_destroy,
    .peer_access = cuda_peer_access,
    .peer_enable = cuda_peer_enable,
    .peer_copy = cuda_peer_copy,
};

/* Opens and starts the driver, and counts its GPUs. */
static enum status driver_start(struct cuda_driver *driver, const char *library, int *count,
                                struct error *error)
{
    enum status status = cuda_driver_open(library, driver, error);

    if (status)
        return status;
    int result = driver->cuInit(0);
    if (result)
        return cuda_driver_refuse(driver, result, error, "Starting the CUDA driver");
    result = driver->cuDeviceGetCount(count);
    return result ? cuda_driver_refuse(driver, result, error, "Counting the GPUs") : STATUS_OK;
}

enum status cuda_count_devices(const char *library, uint32_t *count, struct error *error)
{
    struct cuda_driver driver = {0};
    int found = 0;
    enum status status = driver_start(&driver, library, &found, error);

    *count = status == STATUS_OK && found > 0 ? (uint32_t)found : 0;
    return status;
}

/* Starts the driver and finds one of its GPUs. */
static enum status find_gpu(struct cuda_driver *driver, const char *library, uint32_t ordinal,
                            cuda_device_ordinal *gpu, struct error *error)
{
    int result, count = 0;
    enum status status = driver_start(driver, library, &count, error);

    if (status)
        return status;
    if (ordinal >= (uint32_t)count)
        return error_set(
            error, STATUS_NO_DEVICE,
            "There is no GPU %u: the CUDA driver sees %d, numbered from 0. Choose another with --gpu N.",
            ordinal, count);
    result = driver->cuDeviceGet(gpu, (int)ordinal);
    return result ? cuda_driver_refuse(driver, result, error, "Opening GPU %u", ordinal) : STATUS_OK;
}

enum status cuda_describe(const char *library, uint32_t ordinal, struct device_description *device,
                          struct error *error)
{
    struct cuda_driver driver = {0};
    cuda_device_ordinal gpu;
    enum status status = find_gpu(&driver, library, ordinal, &gpu, error);

    *device = (struct device_description){0};
    if (status)
        return status;
    cuda_attributes_read(&driver, gpu, device);
    return cuda_info_read(&driver, gpu, &device->info, error);
}

enum status cuda_device_open(const char *library, uint32_t ordinal, struct device **device,
                             struct error *error)
{
    struct cuda_device *cuda = calloc(1, sizeof *cuda);

    if (!cuda)
        return error_no_memory(error, "for a device");
    cuda->device.ops = &ops;
    enum status status = find_gpu(&cuda->driver, library, ordinal, &cuda->ordinal, error);
    if (status)
        goto fail;
    status = cuda_info_read(&cuda->driver, cuda->ordinal, &cuda->info, error);
    if (status)
        goto fail;
    int result = cuda->driver.cuDevicePrimaryCtxRetain(&cuda->context, cuda->ordinal);
    if (result == CUDA_RESULT_SUCCESS)
        result = cuda->driver.cuCtxSetCurrent(cuda->context);
    if (result) {
        status =
            cuda_driver_refuse(&cuda->driver, result, error, "Creating a context on %s", cuda->info.name);
        goto fail;
    }
    cuda_current_set(cuda);
    *device = &cuda->device;
    return STATUS_OK;

fail:
    cuda_close(&cuda->device);
    return status;
}
