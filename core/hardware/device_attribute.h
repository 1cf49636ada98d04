/*
 * What the driver can be asked of a GPU beyond struct device_info: limits and abilities that no rule or
 * metric needs, and that a sheet shows. Asked when a GPU is looked at, not kept in recordings. Plain data,
 * any thread.
 */
#ifndef CORE_HARDWARE_DEVICE_ATTRIBUTE_H
#define CORE_HARDWARE_DEVICE_ATTRIBUTE_H

#include "core/hardware/device_info.h"

#include <stdbool.h>
#include <stdint.h>

/* id, CUdevice_attribute's number (the CUDA driver API reference; tests/unit/workloads/test_workload_cuda.c
 * checks them against cuda.h) */
#define DEVICE_ATTRIBUTE_LIST(X)                 \
    X(MAX_BLOCK_DIM_X, 2)                        \
    X(MAX_BLOCK_DIM_Y, 3)                        \
    X(MAX_BLOCK_DIM_Z, 4)                        \
    X(MAX_GRID_DIM_X, 5)                         \
    X(MAX_GRID_DIM_Y, 6)                         \
    X(MAX_GRID_DIM_Z, 7)                         \
    X(TOTAL_CONSTANT_MEMORY, 9)                  \
    X(MAX_PITCH, 11)                             \
    X(TEXTURE_ALIGNMENT, 14)                     \
    X(KERNEL_EXEC_TIMEOUT, 17)                   \
    X(INTEGRATED, 18)                            \
    X(CAN_MAP_HOST_MEMORY, 19)                   \
    X(COMPUTE_MODE, 20)                          \
    X(MAXIMUM_TEXTURE1D_WIDTH, 21)               \
    X(MAXIMUM_TEXTURE2D_WIDTH, 22)               \
    X(MAXIMUM_TEXTURE2D_HEIGHT, 23)              \
    X(MAXIMUM_TEXTURE3D_WIDTH, 24)               \
    X(MAXIMUM_TEXTURE3D_HEIGHT, 25)              \
    X(MAXIMUM_TEXTURE3D_DEPTH, 26)               \
    X(MAXIMUM_TEXTURE2D_LAYERED_WIDTH, 27)       \
    X(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, 28)      \
    X(MAXIMUM_TEXTURE2D_LAYERED_LAYERS, 29)      \
    X(SURFACE_ALIGNMENT, 30)                     \
    X(PCI_BUS_ID, 33)                            \
    X(PCI_DEVICE_ID, 34)                         \
    X(UNIFIED_ADDRESSING, 41)                    \
    X(MAXIMUM_TEXTURE1D_LAYERED_WIDTH, 42)       \
    X(MAXIMUM_TEXTURE1D_LAYERED_LAYERS, 43)      \
    X(PCI_DOMAIN_ID, 50)                         \
    X(STREAM_PRIORITIES_SUPPORTED, 78)           \
    X(MANAGED_MEMORY, 83)                        \
    X(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 87) \
    X(PAGEABLE_MEMORY_ACCESS, 88)                \
    X(CONCURRENT_MANAGED_ACCESS, 89)             \
    X(COMPUTE_PREEMPTION_SUPPORTED, 90)          \
    X(COOPERATIVE_LAUNCH, 95)                    \
    X(COOPERATIVE_MULTI_DEVICE_LAUNCH, 96)       \
    X(MAX_PERSISTING_L2_CACHE_SIZE, 108)         \
    X(MEMORY_POOLS_SUPPORTED, 115)               \
    X(CLUSTER_LAUNCH, 120)

#define DEVICE_ATTRIBUTE_ENUM(id, number) DEVICE_ATTRIBUTE_##id,
enum device_attribute { DEVICE_ATTRIBUTE_LIST(DEVICE_ATTRIBUTE_ENUM) DEVICE_ATTRIBUTE_COUNT };
#undef DEVICE_ATTRIBUTE_ENUM

#define DEVICE_ATTRIBUTE_UNKNOWN INT32_MIN

struct device_description {
    struct device_info info;
    bool asked;                                /* the attributes were asked for; else none is known */
    int32_t attribute[DEVICE_ATTRIBUTE_COUNT]; /* DEVICE_ATTRIBUTE_UNKNOWN: the driver does not know it */
    uint32_t others;                           /* GPUs beside this one; not asked: 0 */
    uint32_t peers;                            /* bit i: it can read the memory of GPU i in place; i < 32 */
};

int device_attribute_number(enum device_attribute attribute); /* the driver's */

#endif
