/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theoretical occupancy of a launch shape, and what limits it. Pure, any thread.
 * Equals cuda_occupancy.h's cudaOccMaxActiveBlocksPerMultiprocessor for the compute capabilities that one
 * covers (a block barrier or none per block, shared memory opted in to):
 * tests/unit/core/hardware/test_occupancy.c asks both for 124,740 launches of each. For the older ones it
 * equals the examples of the guides.
 */
#ifndef CORE_HARDWARE_OCCUPANCY_H
#define CORE_HARDWARE_OCCUPANCY_H

#include "core/hardware/arch.h"

#include <stdbool.h>

enum occupancy_limiter {
    OCCUPANCY_NONE_FITS, /* not even one block fits */
    OCCUPANCY_BLOCKS,    /* blocks per multiprocessor */
    OCCUPANCY_WARPS,     /* warps per multiprocessor */
    OCCUPANCY_REGISTERS,
    OCCUPANCY_SHARED
};

struct occupancy_input {
    uint32_t threads_per_block, registers_per_thread;
    uint32_t shared_bytes_per_block; /* static + dynamic, without the driver's reserved part */
    uint32_t shared_bytes_available; /* shared memory that the driver set aside per multiprocessor (the
                                        carve-out); 0: the most there is. If it is less than one block needs:
                                        the next larger carve-out, as the driver does */
};

struct occupancy {
    uint32_t blocks, warps; /* resident per multiprocessor */
    double percent;
    enum occupancy_limiter
        limiter; /* of several equal limits the first in this order: warps, blocks, registers, shared */
    uint32_t blocks_by_blocks, blocks_by_warps, blocks_by_registers,
        blocks_by_shared; /* each limit alone; UINT32_MAX: none */
};

struct occupancy occupancy_compute(const struct arch *arch, const struct occupancy_input *input);
/* Of a grid with fewer blocks than the device has multiprocessors: does each of its warps have a scheduler for itself, and
 * a quarter of the multiprocessors a block? Smaller blocks then make none of its warps faster: only more threads could. */
bool occupancy_fills_schedulers(const struct arch *arch, uint32_t threads_per_block, double blocks,
                                uint32_t multiprocessors);
const char *occupancy_limiter_text(enum occupancy_limiter limiter); /* "registers" */

#endif
