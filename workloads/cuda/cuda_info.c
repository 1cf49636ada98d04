/* What a GPU is, asked of the driver; a fact that the driver does not know is 0. */
#include "workloads/cuda/cuda_device.h"

#include "core/hardware/device_attribute.h"

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

enum status cuda_info_read(const struct cuda_driver *driver, cuda_device_ordinal ordinal,
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
