/*
 * The arithmetic of PTX over the 32 lanes of a warp: integer, float and double operations, logic, shifts,
 * comparisons, selection, conversions, moves. One function per operation and type, written so that compilers
 * make vector instructions of them; which build of them runs is chosen once, by what the processor has.
 *
 * Results are bit-equal to the GPU's for integer and IEEE operations with their rounding (.rn .rz .rm .rp),
 * saturation and .ftz; approximations (rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh .approx; div.approx,
 * div.full) are within the errors that docs/ptx.md states. PTX ISA 9.0, chapter 9.
 */
#ifndef SIMT_LANES_H
#define SIMT_LANES_H

#include "simt/program.h"

/* The function for an instruction as written (opcode and modifiers), with its class; NULL: this is no
 * instruction of these, or a combination PTX does not have. lower sets destination, source and immediate as
 * lanes.c documents per operation. */
lane_function *lanes_find(const struct ptx_instruction *instruction, enum program_class *class);

#endif
