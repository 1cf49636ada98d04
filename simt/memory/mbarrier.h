/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The 64-bit word of a barrier in shared memory, an mbarrier (PTX ISA 9.0, 9.7.13.15). It has phases. A phase
 * ends when as many arrivals have come as were expected, and the bytes of asynchronous copies that were
 * announced (expect_tx) have been copied (complete_tx), in any order. The layout of the word is the model's
 * own; that of a GPU is not documented. Pure functions on a word; any thread.
 */
#ifndef SIMT_MEMORY_MBARRIER_H
#define SIMT_MEMORY_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

#define MBARRIER_BYTES 8
#define MBARRIER_COUNT_MAX ((UINT32_C(1) << 20) - 1)

/* Why an operation is not allowed; the word is unchanged then. */
enum mbarrier_result {
    MBARRIER_OK,
    MBARRIER_IS_NONE,     /* the word is no mbarrier: never initialised, or invalidated */
    MBARRIER_BAD_COUNT,   /* not in 1 ... 2^20 - 1 */
    MBARRIER_TOO_MANY,    /* more arrivals than the phase still expects */
    MBARRIER_BYTES_BEYOND /* not in -(2^20 - 1) ... 2^20 - 1 bytes */
};

struct mbarrier {
    uint32_t expected; /* arrivals, in each phase */
    uint32_t pending;  /* arrivals that this phase still expects */
    int32_t bytes;     /* announced, less those copied */
    bool phase;        /* its number's lowest bit; the first one is phase 0 */
};
/* False: no mbarrier. */
bool mbarrier_read(uint64_t word, struct mbarrier *barrier);

enum mbarrier_result mbarrier_init(uint64_t *word, uint32_t count);
/* drop: later phases expect so many arrivals less. */
enum mbarrier_result mbarrier_arrive(uint64_t *word, uint32_t count, bool drop);
/* This phase expects one arrival more: cp.async.mbarrier.arrive without .noinc. */
enum mbarrier_result mbarrier_expect_one(uint64_t *word);
/* expect_tx; complete_tx: negative. */
enum mbarrier_result mbarrier_add_bytes(uint64_t *word, int64_t bytes);

/* The phase of a word, which also is the token of an arrival: the word before it. */
static inline bool mbarrier_phase(uint64_t word)
{
    return word >> 63;
}

#endif
