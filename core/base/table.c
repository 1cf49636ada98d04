/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Block b of a table has twice the rows of block b - 1; a row's block and place follow from its number's
 * highest bit. A block is made when its first row is written.
 */
#include "core/base/table.h"

#include <stdlib.h>
#include <string.h>

void table_init(struct table *table, size_t row_bytes, uint32_t first_shift)
{
    memset(table, 0, sizeof *table);
    table->row_bytes = (uint32_t)row_bytes;
    table->first_shift = first_shift;
}

void table_fini(struct table *table)
{
    for (size_t i = 0; i < TABLE_NEAR; i++) {
        free(table->near[i]);
        table->near[i] = NULL;
    }
    for (size_t i = TABLE_NEAR; table->far && i < TABLE_BLOCKS; i++)
        free(table->far[i - TABLE_NEAR]);
    free(table->far);
    table->far = NULL;
    atomic_store_explicit(&table->count, 0, memory_order_relaxed);
}

/* The table's pointer to the block; NULL: no memory. */
static uint8_t **block_at(struct table *table, uint32_t block, _Atomic size_t *memory_bytes)
{
    if (block < TABLE_NEAR)
        return &table->near[block];
    if (!table->far) {
        table->far = calloc(TABLE_BLOCKS - TABLE_NEAR, sizeof *table->far);
        if (!table->far)
            return NULL;
        atomic_fetch_add_explicit(memory_bytes, (TABLE_BLOCKS - TABLE_NEAR) * sizeof *table->far,
                                  memory_order_relaxed);
    }
    return &table->far[block - TABLE_NEAR];
}

void *table_next(struct table *table, _Atomic size_t *memory_bytes)
{
    uint32_t index = atomic_load_explicit(&table->count, memory_order_relaxed);
    uint32_t block = 31u - (uint32_t)__builtin_clz((index >> table->first_shift) + 1);
    if (block >= TABLE_BLOCKS || table->first_shift + block >= 31)
        return NULL;
    uint8_t **at = block_at(table, block, memory_bytes);
    if (!at)
        return NULL;
    if (!*at) {
        size_t rows = (size_t)1 << (table->first_shift + block);
        *at = calloc(rows, table->row_bytes);
        if (!*at)
            return NULL;
        atomic_fetch_add_explicit(memory_bytes, rows * table->row_bytes, memory_order_relaxed);
    }
    return table_at(table, index);
}

uint32_t table_publish(struct table *table)
{
    uint32_t index = atomic_load_explicit(&table->count, memory_order_relaxed);
    atomic_store_explicit(&table->count, index + 1, memory_order_release);
    return index;
}
