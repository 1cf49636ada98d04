/*
 * Addresses for simt/program/merge: each as a sum of values with factors, and a constant. Two addresses with
 * the same root differ by their constants only, as long as the one's instruction dominates the other's.
 * Registers that are written in several places are values of their own, new ones in each stretch of
 * straight-line code. Owned by the creator; read-only after it is made.
 */
#ifndef SIMT_PROGRAM_MERGE_VALUE_H
#define SIMT_PROGRAM_MERGE_VALUE_H

#include "simt/program/merge_flow.h"

struct value_address {
    uint32_t root;    /* number of the sum without its constant */
    uint32_t zeros;   /* low bits that are 0 in the root whatever its registers hold; 64: there are none */
    int64_t constant; /* the instruction's offset included */
    bool uniform;     /* the same for all lanes of a warp */
    bool operand_uniform; /* what an atomic brings along (its first value) is */
};

/* *addresses: one per instruction, of LD, ST and ATOM only; the caller frees it. MEMORY. */
enum status value_addresses(struct value_address **addresses, const struct program *program,
                            const struct flow *flow, struct error *error);

#endif
