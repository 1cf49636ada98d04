/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the number of a row by the row's content: a hash table of row numbers, for the writer.
 *
 * It keeps only hashes and numbers; the caller's function compares the rows. Open addressing, grows at three
 * quarters. One thread.
 */
#ifndef CORE_BASE_LOOKUP_H
#define CORE_BASE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOOKUP_NONE UINT32_MAX

struct lookup_slot {
    uint32_t hash, row; /* row LOOKUP_NONE: empty */
};

struct lookup {
    struct lookup_slot *slots;
    uint32_t capacity, count; /* capacity: 0 or a power of two */
};

typedef bool lookup_equal(const void *context, uint32_t row, const void *key);

void lookup_fini(struct lookup *lookup); /* a zeroed lookup is an empty one */

/* The row with this hash for which equal(context, row, key) is true, or LOOKUP_NONE. */
uint32_t lookup_find(const struct lookup *lookup, uint32_t hash, lookup_equal *equal, const void *context,
                     const void *key);

/* Makes room for one more; false: no memory. lookup_add, called after it, cannot fail. */
bool lookup_reserve(struct lookup *lookup);
void lookup_add(struct lookup *lookup, uint32_t hash, uint32_t row); /* a row that is not there yet */

/* A hash of bytes; a random seed keeps other processes from choosing keys that collide. */
uint32_t lookup_hash(uint64_t seed, const void *bytes, size_t size_bytes);

#endif
