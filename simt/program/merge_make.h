/* One step of simt/program/merge_value's walk: computes the sum of an instruction from those of its sources.
 */
#ifndef SIMT_PROGRAM_MERGE_MAKE_H
#define SIMT_PROGRAM_MERGE_MAKE_H

#include "simt/program/merge_sum.h"

/* False: it is no addition, multiplication, shift ... of integers, or does not look like one. */
bool value_make(struct values *values, const struct program_instruction *instruction, struct sum *result);

/* What an instruction makes when all that is known is that it depends on its sources alone, and how many low
 * bits of it are 0. */
struct sum value_expression(struct values *values, const struct program_instruction *instruction,
                            uint32_t destination, uint32_t bits, uint32_t source_bits, uint32_t zeros);

#endif
