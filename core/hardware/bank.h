/*
 * What one shared-memory instruction of one warp costs: 32 addresses -> wavefronts (passes over the banks)
 * and the fewest there could be; conflicts = the excess. Pure, any thread; cheap enough for a device model to
 * call on every instruction.
 *
 * The rules of each generation, and where they are written, are in docs/rules.md. Those of 5.0 and later were
 * seen on an H200 (tests/data/bank_h200.csv): 32 banks of 4 bytes, one word to many lanes is a broadcast;
 * 8-byte accesses go by half-warps, 16-byte ones by quarter-warps; two neighbouring groups of a load merge
 * when lanes that differ in the lowest, or in the second lowest, bit of their number want the same and
 * nothing conflicts; ideal = ceil(active lanes x bytes / 128), or what it took where broadcasting took less.
 * A 12-byte access is the three 4-byte instructions it compiles to.
 */
#ifndef CORE_HARDWARE_BANK_H
#define CORE_HARDWARE_BANK_H

#include "core/hardware/access.h"
#include "core/hardware/arch.h"

struct bank_cost {
    uint32_t instructions; /* 0 when no lane is active; 3 for a 12-byte access; on 1.x, where wide accesses
                              are split, 2 for 8 bytes and 4 for 16 */
    uint32_t wavefronts;
    uint32_t ideal_wavefronts; /* before 5.0 one for each request */
    uint32_t degree;           /* the most passes a request took: n of an n-way conflict, 1 = none */
    uint32_t requests;         /* groups of lanes with an active one that were served apart */
};

/* All zero when no lane is active and for a width that warp_access has not. arch->shared_rules says which
 * rules. */
struct bank_cost bank_count(const struct arch *arch, const struct warp_access *access);

/*
 * An atomic on shared memory. Seen on an H200 (tests/data/atomic_h200.csv): each lane's operation is a pass
 * of its own over its bank, on another lane's address or not, so that a request takes as many as the most
 * lanes have in one bank; 8-byte ones go by half-warps; a compare-and-swap takes each pass twice. Ideal as
 * above. Taken for the older generations too, but for the second pass. The widths that atomics have, not 12;
 * `store` does not matter. (ptxas replaces some by others that count the lanes first: atomicAdd of a constant
 * is one ATOMS.POPC.INC per address, whatever its lanes.)
 */
struct bank_cost bank_count_atomic(const struct arch *arch, const struct warp_access *access,
                                   bool compare_and_swap);

/*
 * What ptxas makes loops of for atomics that the machine has not (ATOMS.CAST.SPIN): lanes whose bank is taken
 * are not served but told so. Of a bank's lanes the lowest is done; 8-byte ones go by half-warps, and of an
 * address the lower half's. Two passes for each half that comes, whatever it finds. Seen on an H200
 * (tests/data/parity/kernels_h200.csv); taken for the older generations too. Returns the lanes that are done.
 */
uint32_t bank_count_spin(const struct arch *arch, const struct warp_access *access, struct bank_cost *cost);

#endif
