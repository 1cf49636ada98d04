/*
 * One table: what each compute capability allows, and by which rules its memory accesses are counted.
 * Static data, any thread. Sources: CUDA C++ Programming Guide, technical specifications per compute capability (5.0 and later), and
 * cuda_occupancy.h for the units of allocation; the course and the occupancy calculator's tables for 1.x to 3.x.
 */
#ifndef CORE_ARCH_H
#define CORE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_SHARED_CONFIGURATIONS 10

/* How warp instructions become requests, sectors and wavefronts (core/coalesce, core/bank). */
enum access_rules {
    ACCESS_RULES_UNKNOWN, /* no rules here yet: nothing is counted */
    ACCESS_RULES_SECTORS  /* 5.0 and later: whole warps, 32-byte sectors, 32 banks of 4 bytes */
};

struct arch {
    uint32_t compute_capability; /* 90 for 9.0 */
    const char *name;            /* "Hopper" */
    enum access_rules rules;
    uint32_t warp_lanes;
    uint32_t max_threads_per_block, max_blocks_per_multiprocessor, max_warps_per_multiprocessor, max_threads_per_multiprocessor;
    uint32_t registers_per_multiprocessor, max_registers_per_block, max_registers_per_thread;
    uint32_t register_unit, warp_allocation_unit; /* registers are given per warp in this unit; warps per block rounded up to this */
    bool registers_by_block;                      /* 1.x: register_unit counts for the whole block, not for each warp */
    uint32_t shared_bytes_per_multiprocessor, shared_bytes_per_block, shared_bytes_per_block_optin;
    uint32_t shared_unit_bytes, shared_reserved_bytes_per_block;
    /* KiB of shared memory the driver can set aside per multiprocessor, ascending, 0-terminated; empty: fixed */
    uint16_t shared_configurations_kib[ARCH_SHARED_CONFIGURATIONS];
    uint32_t banks, bank_bytes;
    uint32_t sector_bytes, line_bytes;
};

/* The row for a compute capability (90), or the newest older one of the same major; NULL when there is none at all. */
const struct arch *arch_find(uint32_t compute_capability);
const struct arch *arch_at(size_t index); /* NULL past the end; ascending */

#endif
