/*
 * The table of sets: its memory, and the build of simt/count/cache_serve.c that serves it. A table of no sets
 * (a GPU without the cache) has no memory.
 */
#include "simt/count/cache_set.h"

#include "simt/lanes/lanes_table.h"

#include <stdlib.h>
#include <string.h>

extern const struct cache_build cache_build_baseline;
#ifdef LANES_WIDE_VARIANTS
extern const struct cache_build cache_build_avx2, cache_build_avx512;
#endif

static const struct cache_build *cache_build_choose(void)
{
    /* In the order of the lane functions' variants. */
    static const struct cache_build *const builds[] = {
        &cache_build_baseline,
#ifdef LANES_WIDE_VARIANTS
        &cache_build_avx2,
        &cache_build_avx512,
#endif
    };
    return builds[lanes_variant_chosen()];
}

void cache_table_clear(struct cache_table *table)
{
    if (table->sets)
        memset(table->sets, 0, table->set_count * sizeof *table->sets);
}

bool cache_table_init(struct cache_table *table, uint64_t size_bytes, uint32_t state_bits)
{
    uint64_t sets = size_bytes / (CACHE_WAYS * CACHE_LINE_BYTES);

    *table = (struct cache_table){.state_bits = state_bits, .build = cache_build_choose()};
    if (sets == 0)
        return true;
    if (sets > UINT32_MAX / 2)
        return false;
    table->sets = aligned_alloc(alignof(struct cache_set), (size_t)sets * sizeof *table->sets);
    if (!table->sets)
        return false;
    table->set_count = (uint32_t)sets;
    table->inverse = ((UINT64_C(1) << 63) - 1) / sets + 1;
    cache_table_clear(table);
    return true;
}

void cache_table_fini(struct cache_table *table)
{
    free(table->sets);
    *table = (struct cache_table){0};
}
