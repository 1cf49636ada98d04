/*
 * Which registers each instruction of a function writes and reads, and which hold one value for all threads
 * of a block. Used only in simt/program/liveness.c. Its memory is in the caller's arena.
 */
#ifndef SIMT_PROGRAM_LIVENESS_USES_H
#define SIMT_PROGRAM_LIVENESS_USES_H

#include "simt/ptx/arena.h"
#include "simt/ptx/ptx.h"

struct liveness_register {
    const struct ptx_variable *variable;
    uint32_t words; /* number of 32-bit registers; 0: a predicate */
    bool uniform;   /* computed by integer instructions from parameters, constants and the block index only */
};

struct liveness_use { /* registers_used[first ...]: first those written, then those read */
    uint32_t first, writes, reads;
};

struct liveness_uses {
    struct liveness_register *registers; /* sorted by name */
    uint32_t register_count;
    struct liveness_use *instructions;
    uint32_t *registers_used;
};

/* False: out of memory. */
bool liveness_uses_find(struct liveness_uses *uses, const struct ptx_function *function, struct arena *arena);

#endif
