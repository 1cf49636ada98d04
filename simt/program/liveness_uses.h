/*
 * Which registers each instruction of a function writes and reads, and which hold one value for all threads
 * of a block. Inside simt/program/liveness.c only. Lies in the caller's arena.
 */
#ifndef SIMT_PROGRAM_LIVENESS_USES_H
#define SIMT_PROGRAM_LIVENESS_USES_H

#include "simt/ptx/arena.h"
#include "simt/ptx/ptx.h"

struct liveness_register {
    const struct ptx_variable *variable;
    uint32_t words; /* of 32 bits; 0: a predicate */
    bool uniform;   /* made of parameters, constants and the block's place alone, by integer instructions */
};

struct liveness_use { /* registers_used[first ...]: those it writes, then those it reads */
    uint32_t first, writes, reads;
};

struct liveness_uses {
    struct liveness_register *registers; /* by name */
    uint32_t register_count;
    struct liveness_use *instructions;
    uint32_t *registers_used;
};

/* False: no memory. */
bool liveness_uses_find(struct liveness_uses *uses, const struct ptx_function *function, struct arena *arena);

#endif
