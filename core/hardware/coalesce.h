/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one global (or local) memory instruction of one warp costs: 32 addresses -> requests, transactions,
 * sectors. Pure functions, any thread; cheap enough for a device model to call on every instruction.
 *
 * The cost is given in two forms. To compare generations: requests, sectors (bytes moved / 32, whatever the
 * size of a transaction), ideal sectors, and the bytes wanted. As in textbooks: transactions of 32, 64 and
 * 128 bytes, of half-warps and whole warps.
 *
 * The rules of each generation, and where they are written, are in docs/rules.md. Those of 5.0 and later are
 * exact on an H200: one request, its sectors the distinct ones touched, also misaligned. There is no 12-byte
 * memory instruction: a 12-byte access (float3) is the three 4-byte instructions it compiles to.
 */
#ifndef CORE_HARDWARE_COALESCE_H
#define CORE_HARDWARE_COALESCE_H

#include "core/hardware/access.h"
#include "core/hardware/arch.h"

/* The most sectors that an access can touch: 32 lanes, each of which crosses a sector boundary. */
#define COALESCE_SECTORS_MAX (2 * WARP_LANES)

struct coalesce_cost {
    uint32_t requests; /* 0 or 1; before 5.0 one for each half- or quarter-warp that is served separately;
                          times 3 for a 12-byte access */
    uint32_t sectors;  /* bytes moved / 32 */
    uint32_t ideal_sectors; /* the fewest sectors that can hold the bytes that the lanes want */
    uint32_t bytes_wanted;  /* distinct bytes that the lanes want */
    uint32_t instructions;  /* 0 or 1; 3 for a 12-byte access */
    uint32_t transactions_32, transactions_64, transactions_128; /* of so many bytes */
    /* Coherent and incoherent accesses as NVIDIA's old profiler defined them. 1.0 and 1.1: transactions of
     * half-warps that coalesced, and of those that did not, one per lane; 1.2 and 1.3: all are coherent;
     * later: instructions that touch no more sectors than their bytes need, and the others. */
    uint32_t coherent, incoherent;
    uint32_t ideal_transactions; /* the fewest transactions, of the size that these rules give the width, for
                                    the bytes of each request */
};

static inline uint32_t coalesce_transactions(const struct coalesce_cost *cost)
{
    return cost->transactions_32 + cost->transactions_64 + cost->transactions_128;
}

/* All zero if no lane is active, and for a width that no access can have. */
struct coalesce_cost coalesce_count(const struct arch *arch, const struct warp_access *access);

/* The same, and under any rules also the sectors that the lanes touch: their numbers (address / 32) without
 * repetition, in the order of the lanes, in sectors[COALESCE_SECTORS_MAX], *count of them. Both may be NULL.
 */
struct coalesce_cost coalesce_count_sectors(const struct arch *arch, const struct warp_access *access,
                                            uint64_t *sectors, uint32_t *count);

/* The same for an access of a known shape, without a look at its lanes. */
struct coalesce_cost coalesce_count_shape(const struct arch *arch, const struct warp_access *access,
                                          enum access_shape shape, uint64_t *sectors, uint32_t *count);

/* An atomic or a reduction (`store` and `l1` are ignored; there are none of 12 bytes). Seen on an H200
 * (tests/data/atomic_h200.csv) for reductions, atomics with a result and compare-and-swaps of 4 and 8 bytes:
 * the distinct sectors, as for a load; several lanes on one address do not add any. The same is assumed
 * for 2.x and 3.x; on 1.x, where no document says that atomics coalesce, every lane takes one transaction. */
struct coalesce_cost coalesce_count_atomic(const struct arch *arch, const struct warp_access *access,
                                           uint64_t *sectors, uint32_t *count);

#endif
