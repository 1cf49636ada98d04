/* The driver's functions, and the facts of a device that they return; a fact that the driver does not know
 * stays 0. */
#include "cupti/load/driver.h"

#include "core/hardware/device_info.h"

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

struct attribute_source {
    const struct driver *driver;
    CUdevice device;
};

static uint32_t attribute_ask(void *user, int number)
{
    const struct attribute_source *source = user;
    int value = 0;
    CUresult result =
        source->driver->cuDeviceGetAttribute(&value, (CUdevice_attribute)number, source->device);
    return result == CUDA_SUCCESS && value > 0 ? (uint32_t)value : 0;
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
    device_info_ask(info, attribute_ask, &(struct attribute_source){driver, device});
    return true;
}
