/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last accesses to each word of global memory, or of a block's shared memory, to find races: its last
 * write, and two reads since. With struct order, an access is compared with them: it races with an access
 * that is not ordered before it, if one of both writes, unless both are strong (atomics, relaxed, volatile)
 * and their scopes reach each other.
 *
 * Words are of 4 bytes; a sector of 32 bytes of which a part of a word was accessed is kept byte by byte, and
 * a sector, or a line of 128 bytes, that neighbouring lanes always access as a whole is kept as one. The
 * record of a KiB is made when it is first accessed, and reused when all in it is ordered before the launch.
 * Beyond the limit nothing more is recorded, and the accesses are counted in `unwatched`. One thread.
 */
#ifndef SIMT_CHECK_SHADOW_H
#define SIMT_CHECK_SHADOW_H

#include "simt/check/check.h"
#include "simt/check/order.h"

#define SHADOW_LIMIT_BYTES (UINT64_C(2) << 30)

enum shadow_kind { /* bits of an access */
                   SHADOW_WRITES = 1,
                   SHADOW_ATOMIC = 2,
                   SHADOW_STRONG = 4,    /* atomics too */
                   SHADOW_NARROW = 8,    /* strong, with the scope of the block */
                   SHADOW_VOLATILE = 16, /* lanes of one warp that make such accesses race */
                   SHADOW_COPY = 32,     /* by cp.async, which has not arrived */
                   SHADOW_ARRIVES = 64   /* it arrives now; not recorded */
};

struct shadow_access {
    uint32_t run_kind; /* run << 8 | kind, and two bits of shadow.c's; 0: no access */
    uint32_t block;
    uint32_t clock; /* of its warp */
    uint32_t place; /* instruction << 10 | thread */
};
#define SHADOW_RUNS_MAX (UINT32_C(1) << 24)
#define SHADOW_INSTRUCTIONS_MAX (UINT32_C(1) << 22)

static inline uint32_t shadow_kind(const struct shadow_access *access)
{
    return access->run_kind & 0x3f;
}
static inline uint32_t shadow_run(const struct shadow_access *access)
{
    return access->run_kind >> 8;
}
static inline uint32_t shadow_thread(const struct shadow_access *access)
{
    return access->place & 1023;
}
static inline uint32_t shadow_instruction(const struct shadow_access *access)
{
    return access->place >> 10;
}

struct shadow;

enum status shadow_create(struct shadow **shadow, bool of_block, uint64_t limit_bytes, struct error *error);
void shadow_destroy(struct shadow *shadow);
uint64_t shadow_unwatched(const struct shadow *shadow); /* accesses that were not recorded, so far */
/* The memory belongs to someone else now: earlier accesses are forgotten. */
void shadow_forget(struct shadow *shadow, uint64_t address, uint64_t size_bytes);

struct shadow_now { /* an access of one lane */
    uint64_t address;
    uint32_t size_bytes, thread, kind, instruction;
    const uint8_t *old, *new; /* of a write: what is there, and what is written; the same value is no race
                                 with another write. NULL: not known */
};
/* Records the access. Returns true for a race, with the earlier access in *other. */
bool shadow_touch(struct shadow *shadow, const struct order *order, const struct shadow_now *now,
                  struct shadow_access *other);
/* Records the accesses of lanes of a warp that are not strong, in whole words; `row`: of all 32, each behind
 * the one before. Returns the lanes whose access is not recorded yet, and may race: shadow_touch decides. */
uint32_t shadow_touch_lanes(struct shadow *shadow, const struct order *order, uint32_t warp,
                            const struct shadow_now *now, const uint64_t address[32], uint32_t lanes,
                            bool row);
/* The last write of the word at an address; run_kind 0: none is recorded. */
struct shadow_access shadow_last_write(const struct shadow *shadow, uint64_t address);
/* Compares what a copy or a set by the device reads or writes with the accesses of kernels that are not
 * ordered before it, and records nothing. True: such an access, in *other, to the byte *at. */
bool shadow_compare_claim(const struct shadow *shadow, const struct order_launch *launch,
                          const struct claim *claim, uint64_t *at, struct shadow_access *other);

/* ---- the report of a race ---- */

/* What a report says of a race: the earlier access, and what would have ordered the two. */

/* Fills the report of an access that races with `other`, except for the fields of every report. `program`,
 * `grid` and `block`: of the launch. */
void race_describe(const struct order *order, const struct shadow_now *now, bool shared,
                   const struct shadow_access *other, const struct program *program, const uint32_t grid[3],
                   const uint32_t block[3], struct check_report *report);

#endif
