/*
 * Theoretical occupancy of a launch shape, and what limits it. Pure, any thread.
 * Equals cuda_occupancy.h's cudaOccMaxActiveBlocksPerMultiprocessor for the compute capabilities that one covers.
 */
#ifndef CORE_OCCUPANCY_H
#define CORE_OCCUPANCY_H

#include "core/arch.h"

enum occupancy_limiter {
    OCCUPANCY_NONE_FITS,  /* not even one block fits */
    OCCUPANCY_BLOCKS,     /* blocks per multiprocessor */
    OCCUPANCY_WARPS,      /* warps per multiprocessor */
    OCCUPANCY_REGISTERS,
    OCCUPANCY_SHARED
};

struct occupancy_input {
    uint32_t threads_per_block, registers_per_thread;
    uint32_t shared_bytes_per_block;  /* static + dynamic, without what the driver reserves */
    uint32_t shared_bytes_available;  /* shared memory the driver set aside per multiprocessor (the carve-out); 0: the most there is */
};

struct occupancy {
    uint32_t blocks, warps; /* resident per multiprocessor */
    double percent;
    enum occupancy_limiter limiter;
    uint32_t blocks_by_blocks, blocks_by_warps, blocks_by_registers, blocks_by_shared; /* each limit alone */
};

struct occupancy occupancy_compute(const struct arch *arch, const struct occupancy_input *input);
const char *occupancy_limiter_text(enum occupancy_limiter limiter); /* "registers" */

#endif
