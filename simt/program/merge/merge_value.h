/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses for simt/program/merge: each as a sum of values with factors, and a constant. Two addresses with
 * the same root differ only by their constants, if the instruction of one dominates that of the other.
 * Registers that are written in several places are separate values in each stretch of straight-line code.
 * Owned by the creator; read-only after it is made.
 */
#ifndef SIMT_PROGRAM_MERGE_VALUE_H
#define SIMT_PROGRAM_MERGE_VALUE_H

#include "simt/program/merge/merge_flow.h"

struct value_address {
    uint32_t root;        /* number of the sum without its constant */
    uint32_t zeros;       /* number of low bits of the root that are always 0; 64: the root is 0 */
    int64_t constant;     /* including the instruction's offset */
    bool uniform;         /* the same for all lanes of a warp */
    bool operand_uniform; /* whether the first value of an atomic is the same */
};

/* *addresses: one per instruction, set only for LD, ST and ATOM; the caller frees it. STATUS_MEMORY. */
enum status value_addresses(struct value_address **addresses, const struct program *program,
                            const struct flow *flow, struct error *error);

#endif
