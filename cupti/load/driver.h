/*
 * The few functions of the CUDA driver that the agent and the probe call, from libcuda, which is opened if it
 * is not loaded.
 */
#ifndef CUPTI_LOAD_DRIVER_H
#define CUPTI_LOAD_DRIVER_H

#include "core/hardware/device_info.h"

#include <cuda.h>
#include <stdbool.h>

#define DRIVER_FUNCTION_LIST(X)                                  \
    X(cuInit, "cuInit")                                          \
    X(cuDriverGetVersion, "cuDriverGetVersion")                  \
    X(cuDeviceGetCount, "cuDeviceGetCount")                      \
    X(cuDeviceGet, "cuDeviceGet")                                \
    X(cuDeviceGetName, "cuDeviceGetName")                        \
    X(cuDeviceGetUuid, "cuDeviceGetUuid_v2")                     \
    X(cuDeviceTotalMem, "cuDeviceTotalMem_v2")                   \
    X(cuDeviceGetAttribute, "cuDeviceGetAttribute")              \
    X(cuFuncGetAttribute, "cuFuncGetAttribute")                  \
    X(cuKernelGetFunction, "cuKernelGetFunction")                \
    X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")      \
    X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2") \
    X(cuCtxSetCurrent, "cuCtxSetCurrent")                        \
    X(cuCtxSynchronize, "cuCtxSynchronize")                      \
    X(cuGetErrorString, "cuGetErrorString")

struct driver {
#define DRIVER_MEMBER(name, symbol) __typeof__(&name) name;
    DRIVER_FUNCTION_LIST(DRIVER_MEMBER)
#undef DRIVER_MEMBER
};

/* load: open libcuda if it is not loaded yet. False if one of the functions is missing. */
bool driver_find(struct driver *driver, bool load);

/* Fills in what the driver reports about a device; chip stays empty. False: no such device. cuInit must be
 * done; needs no context. */
bool driver_describe(const struct driver *driver, int ordinal, struct device_info *info);

#endif
