/*
 * What ptxas makes of PTX instructions that are not one instruction of the GPU: divisions, remainders, roots,
 * functions. For simt/timing/chain: it changes times, no counts. Pure; any thread.
 */
#ifndef SIMT_TIMING_EXPAND_H
#define SIMT_TIMING_EXPAND_H

#include "simt/lanes/program.h"

/* Machine instructions of one execution, by the unit that executes them; the way that ordinary operands
 * take. */
struct expand_row {
    const char *opcode, *type;                       /* type: a modifier that the instruction has */
    const char *with, *without;                      /* modifiers that it has, and does not have; or NULL */
    uint8_t integer, single, real, special, convert; /* single: of 32 bits, real: of 64 */
};

/* NULL: one instruction, of the class that the program gives. */
const struct expand_row *expand_find(const struct program *program, uint32_t instruction);

#endif
