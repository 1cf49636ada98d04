/*
 * What one global (or local) memory instruction of one warp costs: 32 addresses -> requests, sectors, ideal
 * sectors. Pure functions, any thread. Rules of CC 5.x and later, seen to be exact on an H200 (a request per
 * warp instruction with an active lane; sectors = distinct 32-byte sectors touched, also misaligned; ideal =
 * ceil(distinct active bytes wanted / 32)). There is no 12-byte memory instruction: a 12-byte access (float3)
 * is the three 4-byte instructions it compiles to.
 */
#ifndef CORE_COALESCE_H
#define CORE_COALESCE_H

#include "core/arch.h"

#include <stdbool.h>
#include <stdint.h>

#define WARP_LANES 32

/* One warp instruction's access. Bit l of active set: lane l takes part; address[l] in bytes; width 1, 2, 4,
 * 8, 12 or 16 bytes per lane. No lane's bytes may run past the end of the address space. */
struct warp_access {
    uint32_t active;
    uint32_t width_bytes;
    bool store; /* else a load: shared memory serves wide ones differently */
    uint64_t address[WARP_LANES];
};

struct coalesce_cost {
    uint32_t requests;      /* 0 or 1; 3 for a 12-byte access */
    uint32_t sectors;       /* 32-byte sectors moved */
    uint32_t ideal_sectors; /* the fewest that could hold the bytes the lanes want */
    uint32_t bytes_wanted;  /* distinct bytes the lanes asked for */
};

/* All zero when no lane is active, for a width that is not one of the above, and where arch->rules is
 * ACCESS_RULES_UNKNOWN. */
struct coalesce_cost coalesce_count(const struct arch *arch, const struct warp_access *access);

#endif
