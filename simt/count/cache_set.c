/*
 * The table of sets: its memory, and the state that it starts from. A table of no sets (a GPU without the
 * cache) has no memory. `inverse` is 2^64 / sets rounded up, so that the set of a tag needs no division.
 */
#include "simt/count/cache_set.h"

#include <stdlib.h>
#include <string.h>

void cache_table_clear(struct cache_table *table)
{
    for (uint32_t i = 0; i < table->set_count; i++) {
        memset(&table->sets[i], 0, sizeof table->sets[i]);
        table->sets[i].order = UINT64_C(0xfedcba9876543210);
    }
}

bool cache_table_init(struct cache_table *table, uint64_t size_bytes)
{
    uint64_t sets = size_bytes / (CACHE_WAYS * CACHE_LINE_BYTES);

    *table = (struct cache_table){0};
    if (sets == 0)
        return true;
    if (sets > UINT32_MAX / 2)
        return false;
    table->sets = aligned_alloc(alignof(struct cache_set), (size_t)sets * sizeof *table->sets);
    if (!table->sets)
        return false;
    table->set_count = (uint32_t)sets;
    table->inverse = UINT64_MAX / sets + 1;
    cache_table_clear(table);
    return true;
}

void cache_table_fini(struct cache_table *table)
{
    free(table->sets);
    *table = (struct cache_table){0};
}
