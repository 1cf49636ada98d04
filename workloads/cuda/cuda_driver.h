/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the CUDA driver API that lanescope's own host code calls, declared here so that it compiles
 * without CUDA's headers, and opened at run time. Names, numbers and signatures are the CUDA Driver API
 * reference's; a build with cuda.h checks the numbers (tests/unit/workloads/test_workload_cuda.c). Filled
 * once per process by cuda_driver_open; read-only after; any thread.
 */
#ifndef WORKLOADS_CUDA_CUDA_DRIVER_H
#define WORKLOADS_CUDA_CUDA_DRIVER_H

#include "core/base/error.h"

#include <stddef.h>
#include <stdint.h>

enum cuda_result {
    CUDA_RESULT_SUCCESS = 0,
    CUDA_RESULT_OUT_OF_MEMORY = 2,
    CUDA_RESULT_STUB_LIBRARY = 34,
    CUDA_RESULT_NO_DEVICE = 100,
    CUDA_RESULT_SYSTEM_NOT_READY = 802,
    CUDA_RESULT_SYSTEM_DRIVER_MISMATCH = 803,
    CUDA_RESULT_COMPAT_NOT_SUPPORTED = 804
};

enum cuda_jit_option { CUDA_JIT_ERROR_LOG_BUFFER = 5, CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6 };

enum {
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_EVENT_DEFAULT = 0,
    CUDA_HOST_MAPPED = 2,
    CUDA_CAPTURE_THREAD_LOCAL = 1
};
enum {
    CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8,
    CUDA_FUNCTION_SHARED_CARVEOUT = 9,
    CUDA_FUNCTION_CLUSTER_WIDTH = 11, /* 12: height, 13: depth */
    CUDA_FUNCTION_CLUSTER_NON_PORTABLE = 14
};
enum { CUDA_MEMORY_HOST = 1, CUDA_MEMORY_ARRAY = 3, CUDA_ARRAY_SURFACE = 2 };
enum { CUDA_RESOURCE_ARRAY = 0, CUDA_RESOURCE_LINEAR = 2, CUDA_FORMAT_BYTE = 1, CUDA_FORMAT_FLOAT = 0x20 };
enum { CUDA_ADDRESS_WRAP, CUDA_ADDRESS_CLAMP, CUDA_ADDRESS_MIRROR, CUDA_ADDRESS_BORDER };
enum { CUDA_FILTER_POINT, CUDA_FILTER_LINEAR, CUDA_TEXTURE_NORMALISED = 2 };

typedef void *cuda_handle; /* CUcontext, CUmodule, CUfunction, CUstream, CUevent */
typedef int cuda_device_ordinal;
typedef unsigned long long cuda_address; /* CUdeviceptr */

struct cuda_array {              /* CUDA_ARRAY3D_DESCRIPTOR */
    size_t width, height, depth; /* depth 0: two dimensions */
    int format;
    unsigned channels, flags;
};

struct cuda_copy_end { /* the half of CUDA_MEMCPY3D that says from where, or to where */
    size_t x_bytes, y, z, level;
    int type;
    const void *host;
    cuda_address device;
    cuda_handle array;
    void *reserved;
    size_t pitch, height;
};

struct cuda_copy_3d { /* CUDA_MEMCPY3D */
    struct cuda_copy_end source, destination;
    size_t width_bytes, height, depth;
};

struct cuda_resource { /* CUDA_RESOURCE_DESC, of an array or of linear memory */
    int type;
    union {
        cuda_handle array;
        struct {
            cuda_address pointer;
            int format;
            unsigned channels;
            size_t size_bytes;
        } linear;
        int reserved[32];
    };
    unsigned flags;
};

struct cuda_texture { /* CUDA_TEXTURE_DESC */
    int address[3], filter;
    unsigned flags, most_anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most, border[4];
    int reserved[12];
};

/* Every function returns CUresult, an int-sized enum. Name, arguments. */
#define CUDA_DRIVER_FUNCTIONS(X)                                                                            \
    X(cuInit, (unsigned flags))                                                                             \
    X(cuGetErrorName, (int result, const char **text))                                                      \
    X(cuGetErrorString, (int result, const char **text))                                                    \
    X(cuDriverGetVersion, (int *version))                                                                   \
    X(cuDeviceGetCount, (int *count))                                                                       \
    X(cuDeviceGet, (cuda_device_ordinal * device, int ordinal))                                             \
    X(cuDeviceGetName, (char *name, int size_bytes, cuda_device_ordinal device))                            \
    X(cuDeviceGetUuid_v2, (uint8_t uuid[16], cuda_device_ordinal device))                                   \
    X(cuDeviceGetAttribute, (int *value, int attribute, cuda_device_ordinal device))                        \
    X(cuDeviceTotalMem_v2, (size_t * bytes, cuda_device_ordinal device))                                    \
    X(cuDevicePrimaryCtxRetain, (cuda_handle * context, cuda_device_ordinal device))                        \
    X(cuDevicePrimaryCtxRelease_v2, (cuda_device_ordinal device))                                           \
    X(cuCtxSetCurrent, (cuda_handle context))                                                               \
    X(cuCtxSynchronize, (void))                                                                             \
    X(cuModuleLoadDataEx,                                                                                   \
      (cuda_handle * module, const void *image, unsigned count, int *options, void **values))               \
    X(cuModuleUnload, (cuda_handle module))                                                                 \
    X(cuModuleGetFunction, (cuda_handle * function, cuda_handle module, const char *name))                  \
    X(cuLaunchKernel, (cuda_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,             \
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,         \
                       cuda_handle stream, void **arguments, void **extra))                                 \
    X(cuLaunchHostFunc, (cuda_handle stream, void (*function)(void *), void *argument))                     \
    X(cuMemAlloc_v2, (cuda_address * pointer, size_t bytes))                                                \
    X(cuMemFree_v2, (cuda_address pointer))                                                                 \
    X(cuMemAllocAsync, (cuda_address * pointer, size_t bytes, cuda_handle stream))                          \
    X(cuMemFreeAsync, (cuda_address pointer, cuda_handle stream))                                           \
    X(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))                                       \
    X(cuMemFreeHost, (void *pointer))                                                                       \
    X(cuMemHostRegister_v2, (void *pointer, size_t bytes, unsigned flags))                                  \
    X(cuMemHostUnregister, (void *pointer))                                                                 \
    X(cuMemHostGetDevicePointer_v2, (cuda_address * pointer, void *host, unsigned flags))                   \
    X(cuModuleGetGlobal_v2, (cuda_address * pointer, size_t * bytes, cuda_handle module, const char *name)) \
    X(cuFuncSetAttribute, (cuda_handle function, int attribute, int value))                                 \
    X(cuArray3DCreate_v2, (cuda_handle * array, const struct cuda_array *what))                             \
    X(cuArrayDestroy, (cuda_handle array))                                                                  \
    X(cuMemcpy3D_v2, (const struct cuda_copy_3d *copy))                                                     \
    X(cuTexObjectCreate, (unsigned long long *texture, const struct cuda_resource *resource,                \
                          const struct cuda_texture *texture_of, const void *view))                         \
    X(cuTexObjectDestroy, (unsigned long long texture))                                                     \
    X(cuSurfObjectCreate, (unsigned long long *surface, const struct cuda_resource *resource))              \
    X(cuSurfObjectDestroy, (unsigned long long surface))                                                    \
    X(cuStreamBeginCapture_v2, (cuda_handle stream, int mode))                                              \
    X(cuStreamEndCapture, (cuda_handle stream, cuda_handle * graph))                                        \
    X(cuGraphInstantiateWithFlags, (cuda_handle * executable, cuda_handle graph, unsigned long long flags)) \
    X(cuGraphLaunch, (cuda_handle executable, cuda_handle stream))                                          \
    X(cuGraphExecDestroy, (cuda_handle executable))                                                         \
    X(cuGraphDestroy, (cuda_handle graph))                                                                  \
    X(cuDeviceCanAccessPeer, (int *can, cuda_device_ordinal device, cuda_device_ordinal peer))              \
    X(cuCtxEnablePeerAccess, (cuda_handle peer, unsigned flags))                                            \
    X(cuCtxDisablePeerAccess, (cuda_handle peer))                                                           \
    X(cuMemcpyPeerAsync, (cuda_address destination, cuda_handle destination_context, cuda_address source,   \
                          cuda_handle source_context, size_t bytes, cuda_handle stream))                    \
    X(cuMemcpyHtoD_v2, (cuda_address destination, const void *source, size_t bytes))                        \
    X(cuMemcpyDtoH_v2, (void *destination, cuda_address source, size_t bytes))                              \
    X(cuMemcpyDtoD_v2, (cuda_address destination, cuda_address source, size_t bytes))                       \
    X(cuMemcpyHtoDAsync_v2,                                                                                 \
      (cuda_address destination, const void *source, size_t bytes, cuda_handle stream))                     \
    X(cuMemcpyDtoHAsync_v2, (void *destination, cuda_address source, size_t bytes, cuda_handle stream))     \
    X(cuMemcpyDtoDAsync_v2,                                                                                 \
      (cuda_address destination, cuda_address source, size_t bytes, cuda_handle stream))                    \
    X(cuMemsetD8Async, (cuda_address destination, unsigned char byte, size_t bytes, cuda_handle stream))    \
    X(cuStreamCreate, (cuda_handle * stream, unsigned flags))                                               \
    X(cuStreamDestroy_v2, (cuda_handle stream))                                                             \
    X(cuStreamSynchronize, (cuda_handle stream))                                                            \
    X(cuStreamWaitEvent, (cuda_handle stream, cuda_handle event, unsigned flags))                           \
    X(cuEventCreate, (cuda_handle * event, unsigned flags))                                                 \
    X(cuEventDestroy_v2, (cuda_handle event))                                                               \
    X(cuEventRecord, (cuda_handle event, cuda_handle stream))                                               \
    X(cuEventSynchronize, (cuda_handle event))                                                              \
    X(cuEventElapsedTime, (float *milliseconds, cuda_handle start, cuda_handle end))

#define CUDA_DRIVER_MEMBER(name, arguments) int(*name) arguments;
struct cuda_driver {
    CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_MEMBER)
};
#undef CUDA_DRIVER_MEMBER

/* Opens `library` ("libcuda.so.1") and finds all functions. The library stays loaded. STATUS_NO_DEVICE with a
 * sentence if there is no driver. */
enum status cuda_driver_open(const char *library, struct cuda_driver *driver, struct error *error);

/* error_set with ": CUDA_ERROR_NAME (what it means)" appended; `doing` says which action failed, on what. */
enum status cuda_driver_refuse(const struct cuda_driver *driver, int result, struct error *error,
                               const char *doing, ...) __attribute__((format(printf, 4, 5)));

#endif
