#include "cupti/load/driver.h"

#include <dlfcn.h>
#include <string.h>

bool driver_find(struct driver *driver, bool load)
{
    memset(driver, 0, sizeof *driver);
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | (load ? 0 : RTLD_NOLOAD));
    bool whole = library != NULL;
#define DRIVER_LOOKUP(name, symbol)                           \
    if (library) {                                            \
        void *address = dlsym(library, symbol);               \
        memcpy(&driver->name, &address, sizeof driver->name); \
        whole &= address != NULL;                             \
    }
    DRIVER_FUNCTION_LIST(DRIVER_LOOKUP)
#undef DRIVER_LOOKUP
    return whole;
}

static uint32_t attribute(const struct driver *driver, CUdevice device, CUdevice_attribute which)
{
    int value = 0;
    return driver->cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS && value > 0 ? (uint32_t)value
                                                                                            : 0;
}

bool driver_describe(const struct driver *driver, int ordinal, struct device_info *info)
{
    CUdevice device;
    memset(info, 0, sizeof *info);
    if (driver->cuDeviceGet(&device, ordinal) != CUDA_SUCCESS)
        return false;
    if (driver->cuDeviceGetName(info->name, sizeof info->name, device) != CUDA_SUCCESS)
        info->name[0] = '\0';
    CUuuid uuid;
    if (driver->cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS)
        memcpy(info->uuid, uuid.bytes, sizeof info->uuid);
    size_t memory;
    if (driver->cuDeviceTotalMem(&memory, device) == CUDA_SUCCESS)
        info->memory_bytes = memory;
    int version = 0;
    if (driver->cuDriverGetVersion(&version) == CUDA_SUCCESS && version > 0)
        info->driver_version = (uint32_t)version;
    const struct {
        uint32_t *field;
        CUdevice_attribute which;
    } fields[] = {
        {&info->multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {&info->max_threads_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
        {&info->max_blocks_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
        {&info->max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
        {&info->registers_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
        {&info->registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
        {&info->shared_bytes_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
        {&info->shared_bytes_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
        {&info->shared_bytes_per_block_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
        {&info->shared_bytes_reserved_per_block, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK},
        {&info->l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
        {&info->memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
        {&info->memory_clock_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
        {&info->core_clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
        {&info->copy_engines, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT},
        {&info->concurrent_kernels, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS},
        {&info->ecc, CU_DEVICE_ATTRIBUTE_ECC_ENABLED},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i].field = attribute(driver, device, fields[i].which);
    info->compute_capability = 10 * attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                               attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return true;
}
