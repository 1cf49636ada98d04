/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of a device that never change during a session. The agent announces them (BLOB_DEVICE: this
 * struct's bytes, little-endian); they are kept in the recording and shown in the header and the device
 * sheet. Zero: not known.
 *
 * The attributes of a GPU that the driver provides, by the numbers of CUdevice_attribute (the CUDA driver API
 * reference; tests/unit/workloads/test_workload_cuda.c checks them against cuda.h): the fields of struct
 * device_info, and further limits and abilities that only the device sheet shows. The latter are read when
 * the sheet is shown, and are not kept in recordings. Plain data, any thread.
 */
#ifndef CORE_HARDWARE_DEVICE_INFO_H
#define CORE_HARDWARE_DEVICE_INFO_H

#include <stdbool.h>
#include <stdint.h>

struct device_info {
    char name[96]; /* terminated */
    char chip[16]; /* CUPTI's chip name, "GH100"; empty: not known */
    uint8_t uuid[16];
    uint32_t is_model;           /* 1: the device model, not a GPU */
    uint32_t compute_capability; /* 90 for 9.0 */
    uint32_t multiprocessors;
    uint32_t max_threads_per_multiprocessor, max_blocks_per_multiprocessor, max_threads_per_block;
    uint32_t registers_per_multiprocessor, registers_per_block;
    uint32_t shared_bytes_per_multiprocessor, shared_bytes_per_block, shared_bytes_per_block_optin,
        shared_bytes_reserved_per_block;
    uint32_t l2_bytes, memory_bus_bits;
    uint32_t memory_clock_khz, core_clock_khz;
    uint32_t copy_engines, concurrent_kernels, ecc;
    uint32_t driver_version, reserved; /* 13000 */
    uint64_t memory_bytes;
};

#define CAPABILITY_BYTES 16
/* The usual form of a compute capability: "9.0" for 90. Returned by value, for use within one expression. */
struct capability_text {
    char text[CAPABILITY_BYTES];
};
struct capability_text capability_text(uint32_t compute_capability);

/* Theoretical bandwidth in bytes per second: memory clock x 2 x bus width / 8; 0 if one of them is not known.
 */
double device_info_peak_bandwidth(const struct device_info *info);

/* field of struct device_info, attribute, number */
#define DEVICE_INFO_ATTRIBUTE_LIST(X)                                            \
    X(max_threads_per_block, MAX_THREADS_PER_BLOCK, 1)                           \
    X(shared_bytes_per_block, MAX_SHARED_MEMORY_PER_BLOCK, 8)                    \
    X(registers_per_block, MAX_REGISTERS_PER_BLOCK, 12)                          \
    X(core_clock_khz, CLOCK_RATE, 13)                                            \
    X(multiprocessors, MULTIPROCESSOR_COUNT, 16)                                 \
    X(concurrent_kernels, CONCURRENT_KERNELS, 31)                                \
    X(ecc, ECC_ENABLED, 32)                                                      \
    X(memory_clock_khz, MEMORY_CLOCK_RATE, 36)                                   \
    X(memory_bus_bits, GLOBAL_MEMORY_BUS_WIDTH, 37)                              \
    X(l2_bytes, L2_CACHE_SIZE, 38)                                               \
    X(max_threads_per_multiprocessor, MAX_THREADS_PER_MULTIPROCESSOR, 39)        \
    X(copy_engines, ASYNC_ENGINE_COUNT, 40)                                      \
    X(shared_bytes_per_multiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81) \
    X(registers_per_multiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR, 82)        \
    X(shared_bytes_per_block_optin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)       \
    X(max_blocks_per_multiprocessor, MAX_BLOCKS_PER_MULTIPROCESSOR, 106)         \
    X(shared_bytes_reserved_per_block, RESERVED_SHARED_MEMORY_PER_BLOCK, 111)
/* and the compute capability, which has two attributes */
#define DEVICE_COMPUTE_CAPABILITY_MAJOR 75
#define DEVICE_COMPUTE_CAPABILITY_MINOR 76

/* id, number */
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
    bool asked;                                /* the attributes were read; else none of them is known */
    int32_t attribute[DEVICE_ATTRIBUTE_COUNT]; /* DEVICE_ATTRIBUTE_UNKNOWN: the driver does not know the
                                                  attribute */
    uint32_t others;                           /* GPUs beside this one; not asked: 0 */
    uint32_t peers;                            /* bit i: it can access the memory of GPU i directly; i < 32 */
};

int device_attribute_number(enum device_attribute attribute); /* the driver's */

/* Fills the fields of the first list and the compute capability; an attribute that the driver does not know
 * becomes 0. */
void device_info_ask(struct device_info *info, uint32_t (*ask)(void *source, int number), void *source);

#endif
