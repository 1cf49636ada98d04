/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one shared-memory instruction of one warp costs: 32 addresses -> wavefronts (passes over the banks)
 * and the fewest there could be; conflicts = the excess. Pure, any thread; cheap enough for a device model to
 * call on every instruction.
 *
 * The rules of each generation, and where they are written, are in docs/rules.md. Those of 5.0 and later were
 * seen on an H200 (tests/data/bank_h200.csv): 32 banks of 4 bytes, one word to many lanes is a broadcast;
 * 8-byte accesses go by half-warps, 16-byte ones by quarter-warps; two neighbouring groups of a load merge if
 * lanes that differ in the lowest, or in the second lowest, bit of their index want the same word and nothing
 * conflicts; ideal = ceil(active lanes x bytes / 128), or the actual number if broadcasting took fewer. A
 * 12-byte access is the three 4-byte instructions it compiles to.
 */
#ifndef CORE_HARDWARE_BANK_H
#define CORE_HARDWARE_BANK_H

#include "core/hardware/access.h"
#include "core/hardware/arch.h"

struct bank_cost {
    uint32_t instructions; /* 0 if no lane is active; 3 for a 12-byte access; on 1.x, where wide accesses are
                              split, 2 for 8 bytes and 4 for 16 */
    uint32_t wavefronts;
    uint32_t ideal_wavefronts; /* before 5.0 one for each request */
    uint32_t degree;           /* most passes of a request: n for an n-way conflict, 1 without conflict */
    uint32_t requests;         /* groups of lanes that were served separately and had an active lane */
};

/* All zero if no lane is active, and for a width that no access can have. arch->shared_rules selects the
 * rules. */
struct bank_cost bank_count(const struct arch *arch, const struct warp_access *access);

/* The same for an access of a known shape; of one address and of a row without a look at the lanes. */
struct bank_cost bank_count_shape(const struct arch *arch, const struct warp_access *access,
                                  enum access_shape shape);

/* An atomic on shared memory. Seen on an H200 (tests/data/atomic_h200.csv): each lane's operation is a
 * separate pass over its bank, even if another lane has the same address, so a request takes as many passes
 * as the busiest bank has lanes; 8-byte atomics are served by half-warps; a compare-and-swap takes each pass
 * twice. Ideal as above. The same rule is assumed for older generations, except for the second pass. Widths
 * are those of atomics, so not 12; `store` is ignored. (ptxas replaces some atomics by others that count the
 * lanes first: atomicAdd of a constant is one ATOMS.POPC.INC per address, for any number of lanes.) */
struct bank_cost bank_count_atomic(const struct arch *arch, const struct warp_access *access,
                                   bool compare_and_swap);

/* One iteration of the loop that ptxas writes for atomics that the machine lacks (ATOMS.CAST.SPIN): a lane
 * whose bank is in use is not served and tries again. Each bank serves its lowest lane; 8-byte atomics are
 * served by half-warps, and of two lanes with one address the one in the lower half is served. Each half with
 * an active lane takes two passes, for any addresses. Seen on an H200 (tests/data/parity/kernels_h200.csv);
 * assumed for older generations, too. Returns the lanes that were served. */
uint32_t bank_count_spin(const struct arch *arch, const struct warp_access *access, struct bank_cost *cost);

#endif
