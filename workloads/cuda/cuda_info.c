#include "workloads/cuda/cuda_device.h"

/* Facts that a driver does not know stay 0. */
enum status cuda_info_read(const struct cuda_driver *driver, cuda_device_ordinal ordinal,
                           struct device_info *info, struct error *error)
{
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
        if (driver->cuDeviceGetAttribute(&value, (int)facts[i].attribute, ordinal) == CUDA_RESULT_SUCCESS &&
            value > 0)
            *facts[i].value = (uint32_t)value;
    }
    info->compute_capability = major * 10 + minor;
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

/* Which of the other GPUs of the host it can read in place. */
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

void cuda_attributes_read(const struct cuda_driver *driver, cuda_device_ordinal ordinal,
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
