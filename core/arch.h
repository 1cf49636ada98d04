/*
 * One table: what each compute capability allows, and by which rules its memory accesses are counted.
 * Static data, any thread. Sources: CUDA C++ Programming Guide (technical specifications per compute capability); the course for 1.x.
 */
#ifndef CORE_ARCH_H
#define CORE_ARCH_H

#include <stddef.h>
#include <stdint.h>

struct arch {
    uint32_t compute_capability; /* 90 for 9.0 */
    const char *name;            /* "Hopper" */
    uint32_t warp_lanes;
    uint32_t max_threads_per_block, max_blocks_per_multiprocessor, max_warps_per_multiprocessor, max_threads_per_multiprocessor;
    uint32_t registers_per_multiprocessor, max_registers_per_block, max_registers_per_thread;
    uint32_t register_unit, warp_allocation_unit; /* registers are given per warp in this unit; warps per block rounded up to this */
    uint32_t shared_bytes_per_multiprocessor, shared_bytes_per_block, shared_bytes_per_block_optin;
    uint32_t shared_unit_bytes, shared_reserved_bytes_per_block;
    uint32_t banks, bank_bytes;
    uint32_t sector_bytes, line_bytes;
};

/* The row for a compute capability (90), or the newest older one of the same major; NULL when there is none at all. */
const struct arch *arch_find(uint32_t compute_capability);
const struct arch *arch_at(size_t index); /* NULL past the end; ascending */

#endif
