/*
 * Finds the integer multiplications of a program, for simt/timing/chain: their cost differs between GPUs. A
 * GPU of 1.x multiplies 24 bits in one instruction and makes several of a 32-bit product; today's compilers
 * have no instruction for 24 bits and write __umul24 as masks (and 0xffffff) before a product. Pure; any
 * thread.
 */
#ifndef SIMT_TIMING_MULTIPLY_H
#define SIMT_TIMING_MULTIPLY_H

#include "core/base/error.h"
#include "simt/lanes/program.h"

enum multiply_kind {
    MULTIPLY_NONE,
    MULTIPLY_32,  /* mul or mad, 32 bits, of what may be larger than 24 bits, by no power of two */
    MULTIPLY_24,  /* the same of factors that are masked to 24 bits, and mul24, mad24 */
    MULTIPLY_MASK /* and with 0xffffff, of use to MULTIPLY_24 alone */
};

/* STATUS_MEMORY. kinds: enum multiply_kind, one for each of the program's instructions. */
enum status multiply_find(const struct program *program, uint8_t *kinds, struct error *error);

#endif
