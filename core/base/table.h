/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An append-only table whose rows never move: one writer appends, any number of readers read what is
 * published.
 *
 * Rows lie in blocks of doubling size, so the directory of blocks has a fixed length and nothing a reader may
 * hold a pointer to is ever reallocated. A row is written first and then published (release store of the
 * count); a reader that has loaded the count (or another count published later) may read every row below it
 * without further synchronisation.
 */
#ifndef CORE_BASE_TABLE_H
#define CORE_BASE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_BLOCKS 24
#define TABLE_NEAR 10 /* blocks whose pointers are in the table itself, since many tables are small */

struct table {
    uint32_t row_bytes;
    uint32_t first_shift; /* block k holds 1 << (first_shift + k) rows */
    _Atomic uint32_t count;
    uint8_t *near[TABLE_NEAR];
    uint8_t **far; /* pointers to the other TABLE_BLOCKS - TABLE_NEAR blocks; NULL: there are none yet */
};

void table_init(struct table *table, size_t row_bytes, uint32_t first_shift);
void table_fini(struct table *table); /* frees the blocks; the caller frees what the rows own */

/* Writer: the row after the last one, zeroed at first use, not published yet; NULL if memory ran out or the
 * table is full. Adds the bytes that it allocates to *memory_bytes. */
void *table_next(struct table *table, _Atomic size_t *memory_bytes);
/* Writer: publishes the row that table_next returned; returns its index. */
uint32_t table_publish(struct table *table);

static inline uint32_t table_count(const struct table *table)
{
    return atomic_load_explicit(&table->count, memory_order_acquire);
}

/* The row at index, which must be below a count that the caller has read. */
static inline void *table_at(const struct table *table, uint32_t index)
{
    uint32_t scaled = (index >> table->first_shift) + 1;
    uint32_t block = 31u - (uint32_t)__builtin_clz(scaled);
    uint32_t offset = index - (((1u << block) - 1u) << table->first_shift);
    uint8_t *rows = block < TABLE_NEAR ? table->near[block] : table->far[block - TABLE_NEAR];
    return rows + (size_t)offset * table->row_bytes;
}

#endif
