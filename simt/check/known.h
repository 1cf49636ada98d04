/*
 * What a warp knows of other blocks: for each block, up to which time of each of its 32 warps everything
 * happened before. Blocks with equal times are one span, since the blocks of a grid mostly execute the same
 * barriers and fences. Immutable and counted by references, so that flags, warps and barriers share it.
 *
 * The times of 32 warps are a row of a table; equal rows are stored once. A list of more than
 * KNOWN_SPANS_MAX spans, and all that finds no memory, becomes "everything": no false alarm follows from it,
 * but races may be missed, and known_table.widened says so. One thread.
 */
#ifndef SIMT_CHECK_KNOWN_H
#define SIMT_CHECK_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#define KNOWN_WARPS 32
#define KNOWN_SPANS_MAX 4096

struct known_table {
    uint32_t (*rows)[KNOWN_WARPS];
    uint32_t count, capacity;
    uint32_t *places; /* a hash table: row + 1; 0: free */
    uint32_t place_count;
    bool widened;
};

struct known; /* NULL: nothing is known */

void known_table_clear(struct known_table *table); /* all struct known must be released before */
void known_table_fini(struct known_table *table);

/* Each of these returns a reference that the caller releases. */
struct known *known_one(struct known_table *table, uint32_t block, const uint32_t times[KNOWN_WARPS]);
struct known *known_merge(struct known_table *table, struct known *a, struct known *b);
struct known *known_hold(struct known *known);
void known_release(struct known *known);
/* *to = merge of *to and from. */
void known_add(struct known_table *table, struct known **to, struct known *from);

/* Returns whether the time of this warp of the block is known. */
bool known_has(const struct known_table *table, const struct known *known, uint32_t block, uint32_t warp,
               uint32_t time);
/* The times of a block; NULL: nothing is known of it. */
const uint32_t *known_times(const struct known_table *table, const struct known *known, uint32_t block);

#endif
