/*
 * What one shared-memory instruction of one warp costs: 32 addresses -> wavefronts and ideal wavefronts;
 * conflicts = the excess. Pure, any thread. Rules of CC 5.x and later, seen to be exact on an H200: 32 banks
 * of 4 bytes, one word to many lanes is a broadcast; 8-byte accesses go by half-warps, 16-byte ones by
 * quarter-warps; two neighbouring groups of a load merge when lanes that differ in the lowest, or in the
 * second lowest, bit of their number want the same and nothing conflicts (tests/data/bank_h200.csv); ideal =
 * ceil(active lanes x bytes / 128), or what it took where broadcasting took less. A 12-byte access is the
 * three 4-byte instructions it compiles to.
 */
#ifndef CORE_BANK_H
#define CORE_BANK_H

#include "core/coalesce.h"

struct bank_cost {
    uint32_t instructions; /* 0 when no lane is active; 3 for a 12-byte access */
    uint32_t wavefronts;
    uint32_t ideal_wavefronts;
    uint32_t degree; /* most distinct words in one bank: n of an n-way conflict, 1 = none */
};

/* All zero when no lane is active, for a width no instruction has, and where arch->rules is
 * ACCESS_RULES_UNKNOWN. */
struct bank_cost bank_count(const struct arch *arch, const struct warp_access *access);

#endif
