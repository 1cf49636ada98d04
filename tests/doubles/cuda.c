/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for libcuda: the few calls that the agent makes, on one GPU, or on LANESCOPE_DOUBLE_GPUS. */
#include "cupti/load/load.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#undef cuDeviceGetUuid
#undef cuDeviceTotalMem
#undef cuDevicePrimaryCtxRelease

/* As the driver does: whoever wants to be injected is. */
CUresult cuInit(unsigned flags)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *injected = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = injected ? dlsym(injected, "InitializeInjection") : NULL;
    int (*initialize)(void);
    (void)flags;
    memcpy(&initialize, &symbol, sizeof initialize);
    if (initialize)
        initialize();
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    const char *text = getenv("LANESCOPE_DOUBLE_GPUS");
    *count = text ? atoi(text) : 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    int count;
    cuDeviceGetCount(&count);
    *device = ordinal;
    return ordinal >= 0 && ordinal < count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    (void)device;
    strncpy(name, "GPU of the double", (size_t)size);
    return CUDA_SUCCESS;
}

/* Processes take turns at a GPU: each of the tests has its own. */
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    const char *text = getenv("CUDA_DOUBLE_UUID");
    memset(uuid, 0, sizeof *uuid);
    strncpy(uuid->bytes, text ? text : "double", sizeof uuid->bytes - 1);
    uuid->bytes[sizeof uuid->bytes - 1] = (char)device;
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    (void)device;
    *bytes = (size_t)1 << 30;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    (void)device;
    *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 1;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    (void)function;
    *value = attribute == CU_FUNC_ATTRIBUTE_NUM_REGS ? 24 : 0;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    *function = (CUfunction)kernel;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    (void)device;
    *context = (CUcontext)1;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    (void)device;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    (void)context;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    const char *text = getenv("CUDA_DOUBLE_SYNCHRONIZE");
    return text ? (CUresult)atoi(text) : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult result, const char **text)
{
    (void)result;
    *text = "an error of the double";
    return CUDA_SUCCESS;
}
