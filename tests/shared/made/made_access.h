/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made-up memory instructions of a warp, for the property tests of core/hardware/coalesce and
 * core/hardware/bank: aligned, misaligned, a step apart, nearly so, in rows, permuted, shared by neighbours,
 * scattered; all lanes or some, every width, low addresses and the last there are. The same numbers give the
 * same accesses with every compiler. And what the oracles are written with: the lanes of a request, and sets
 * as sorted arrays.
 */
#ifndef TESTS_SHARED_MADE_MADE_ACCESS_H
#define TESTS_SHARED_MADE_MADE_ACCESS_H

#include "core/hardware/access.h"

#include <stddef.h>

#define ALL_LANES UINT32_MAX

struct made_access {
    uint64_t state; /* of the random numbers; any but 0 */
};

/* Lane l reads `width` bytes at start + l x step. */
struct warp_access access_in_steps(uint64_t start, uint64_t step, uint32_t width, uint32_t active);

/* Addresses go up to `span` (a power of two) from a random base; UINT64_MAX: anywhere. */
struct warp_access made_access_next(struct made_access *made, uint64_t span);

/* "load 4 00ff00ff 0x10 0x14 ...", in a buffer that the next call fills anew. */
const char *made_access_text(const struct warp_access *access);

/* The lanes of one request that are on, as the guides speak of them: thread k of a half-warp. */
struct lanes {
    uint32_t count, width;
    uint32_t thread[WARP_LANES];
    uint64_t address[WARP_LANES];
};

struct lanes lanes_of(const struct warp_access *access, uint32_t first, uint32_t count);

/* Puts the number where it belongs, unless it is there; `count` after that. */
size_t sorted_add(uint64_t *numbers, size_t count, uint64_t number);

#endif
