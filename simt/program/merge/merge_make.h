/* One step of the walk in simt/program/merge/merge_value: computes the sum of an instruction from those of
 * its sources. */
#ifndef SIMT_PROGRAM_MERGE_MAKE_H
#define SIMT_PROGRAM_MERGE_MAKE_H

#include "simt/program/merge/merge_sum.h"

/* False: not an addition, multiplication, shift ... of integers, or not recognised as one. */
bool value_make(struct values *values, const struct program_instruction *instruction, struct sum *result);

/* The result of an instruction of which only its dependence on its sources is known, and the number of its
 * low bits that are 0. */
struct sum value_expression(struct values *values, const struct program_instruction *instruction,
                            uint32_t destination, uint32_t bits, uint32_t source_bits, uint32_t zeros);

/* The address of a variable, which lies at `place` in its space; in relocatable code only the alignment of a
 * shared one is known. `instruction` names it. */
struct sum value_place(struct values *values, const struct program_instruction *instruction, const char *name,
                       uint64_t place, uint32_t bits);

/* As it stands in the PTX; NULL: it is in none. */
const struct ptx_instruction *instruction_written(const struct values *values,
                                                  const struct program_instruction *instruction);

#endif
