/* SPDX-License-Identifier: Apache-2.0 */
/* What driver.c does not refuse. */
#include "core/hardware/device_info.h"
#include "workloads/cuda/cuda_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECLARED(name, arguments) int name arguments;
CUDA_DRIVER_FUNCTIONS(DECLARED)
#undef DECLARED

int cuInit(unsigned flags)
{
    return (int)flags;
}

int cuGetErrorName(int result, const char **text)
{
    *text = result == CUDA_RESULT_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "an error of the double";
    return CUDA_RESULT_SUCCESS;
}

int cuGetErrorString(int result, const char **text)
{
    return cuGetErrorName(result, text);
}

int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return CUDA_RESULT_SUCCESS;
}

int cuDeviceGetCount(int *count)
{
    const char *text = getenv("LANESCOPE_DOUBLE_GPUS");

    *count = text ? atoi(text) : 0;
    return CUDA_RESULT_SUCCESS;
}

int cuDeviceGet(cuda_device_ordinal *device, int ordinal)
{
    *device = ordinal;
    return CUDA_RESULT_SUCCESS;
}

int cuDeviceGetName(char *name, int size_bytes, cuda_device_ordinal device)
{
    snprintf(name, (size_t)size_bytes, "GPU %d of the double", device);
    return CUDA_RESULT_SUCCESS;
}

int cuDeviceGetUuid_v2(uint8_t uuid[16], cuda_device_ordinal device)
{
    memset(uuid, device, 16);
    return CUDA_RESULT_SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, cuda_device_ordinal device)
{
    *value = attribute == DEVICE_COMPUTE_CAPABILITY_MAJOR ? 9 : device;
    return CUDA_RESULT_SUCCESS;
}

/* Two and two stand on one bridge. */
int cuDeviceCanAccessPeer(int *can, cuda_device_ordinal device, cuda_device_ordinal peer)
{
    *can = device / 2 == peer / 2;
    return CUDA_RESULT_SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, cuda_device_ordinal device)
{
    *bytes = (size_t)(device + 1) << 30;
    return CUDA_RESULT_SUCCESS;
}

int cuDevicePrimaryCtxRetain(cuda_handle *context, cuda_device_ordinal device)
{
    static int made[16];
    const char *path = getenv("DRIVER_DOUBLE_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;

    if (log) {
        fprintf(log, "context %d\n", device);
        fclose(log);
    }
    *context = &made[device & 15];
    return CUDA_RESULT_SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(cuda_device_ordinal device)
{
    return device < 0;
}

int cuCtxSetCurrent(cuda_handle context)
{
    return context == NULL;
}

int cuCtxSynchronize(void)
{
    return CUDA_RESULT_SUCCESS;
}
