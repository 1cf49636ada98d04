/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of a warp that is alone on a multiprocessor: the chains of dependent instructions, overlapped as
 * far as a compiler could. For simt/timing/timing.
 *
 * Within a basic block an instruction starts when its operands are there, in any order: ptxas moves loads up
 * and uses down. What it may not move stays put: a load behind a store that may write what it reads, anything
 * behind a barrier; and a move whose two names are needed at once waits for its value. From block to block
 * results that are still on their way are carried along, so that a load for the next iteration overlaps this
 * one. A block in a loop counts once as it is entered, and its other executions as they follow themselves.
 */
#ifndef SIMT_TIMING_CHAIN_H
#define SIMT_TIMING_CHAIN_H

#include "core/base/error.h"
#include "simt/count/count.h"
#include "simt/lanes/program.h"

/* Cycles from an instruction's start to the start of one that uses its result. */
struct chain_latencies {
    double arithmetic, double_precision, special, shuffle, shared, global, local, constant, atomic, barrier;
    double matrix;    /* a product of tensor cores */
    double branch;    /* from a branch to the instruction after it */
    double multiply;  /* for 32-bit integers; 0: as other arithmetic, and not counted separately */
    bool multiply_24; /* in one instruction: masks of its operands cost nothing */
    double prefetch;  /* until prefetched data are at the distance that a load's latency assumes */
};

struct chain {
    double cycles;    /* of a warp, averaged over the launch */
    double issued;    /* warp instructions of the whole launch that are also in the machine code */
    double different; /* ... counted once each */
    double class_issued[CLASS_COUNT];
    double multiplies; /* of the integer class: 32-bit multiplications */
};

/* STATUS_MEMORY. */
enum status chain_estimate(const struct counter *counter, const struct chain_latencies *latencies,
                           struct chain *chain, struct error *error);

/* ---- integer multiplications ---- */

/*
 * Finds the integer multiplications of a program, for simt/timing/chain: their cost differs between GPUs. A
 * GPU of 1.x multiplies 24 bits in one instruction and makes several of a 32-bit product; today's compilers
 * have no instruction for 24 bits and write __umul24 as masks (and 0xffffff) before a product. Pure; any
 * thread.
 */

enum multiply_kind {
    MULTIPLY_NONE,
    MULTIPLY_32,  /* mul or mad, 32 bits, of what may be larger than 24 bits, by no power of two */
    MULTIPLY_24,  /* the same of factors that are masked to 24 bits, and mul24, mad24 */
    MULTIPLY_MASK /* and with 0xffffff, of use to MULTIPLY_24 alone */
};

/* STATUS_MEMORY. kinds: enum multiply_kind, one for each of the program's instructions. */
enum status multiply_find(const struct program *program, uint8_t *kinds, struct error *error);

#endif
