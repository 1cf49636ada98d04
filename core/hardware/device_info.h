/*
 * The facts of a device that never change during a session. The agent announces them (BLOB_DEVICE: this
 * struct's bytes, little-endian); they are kept in the recording and shown in the header and the device
 * sheet. Zero: not known.
 */
#ifndef CORE_HARDWARE_DEVICE_INFO_H
#define CORE_HARDWARE_DEVICE_INFO_H

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

#endif
