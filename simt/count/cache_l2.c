/* The L2: its memory, and the ranges of the host. simt/count/cache_serve.c applies what is done to it. */
#include "simt/count/cache_set.h"

#include <stdlib.h>

#define SECTOR_BYTES UINT64_C(32)

enum status cache_l2_create(struct cache_l2 **l2, uint64_t size_bytes, const struct cache_l2_rules *rules,
                            struct error *error)
{
    struct cache_l2 *made = calloc(1, sizeof *made);

    if (!made || !cache_table_init(&made->table, size_bytes, CACHE_L2_STATE_BITS))
        goto fail;
    made->rules = *rules;
    made->fetches_pairs = rules->fetch_bytes >= 2 * SECTOR_BYTES;
    for (made->set_words = 1; made->set_words < rules->partial_ways + 1 && made->set_words < CACHE_WAYS;)
        made->set_words *= 2; /* so that they do not cross lines of the host */
    made->words = calloc(made->table.set_count + 1u, made->set_words * sizeof *made->words);
    made->epochs = calloc(made->table.set_count + 1u, sizeof *made->epochs);
    if (!made->words || !made->epochs)
        goto fail;
    *l2 = made;
    return STATUS_OK;

fail:
    cache_l2_destroy(made);
    *l2 = NULL;
    return error_no_memory(error, "for a modelled L2 cache of %llu bytes", (unsigned long long)size_bytes);
}

void cache_l2_destroy(struct cache_l2 *l2)
{
    if (!l2)
        return;
    cache_table_fini(&l2->table);
    free(l2->words);
    free(l2->epochs);
    free(l2->hosts);
    free(l2);
}

enum status cache_l2_host_add(struct cache_l2 *l2, uint64_t address, uint64_t size_bytes, struct error *error)
{
    struct cache_host_range *grown = realloc(l2->hosts, (l2->host_count + 1) * sizeof *grown);

    if (!grown)
        return error_no_memory(error, "to model mapped host memory");
    l2->hosts = grown;
    l2->hosts[l2->host_count++] = (struct cache_host_range){
        address / CACHE_LINE_BYTES, (address + size_bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES};
    return STATUS_OK;
}

void cache_l2_host_remove(struct cache_l2 *l2, uint64_t address)
{
    for (size_t i = 0; i < l2->host_count; i++) {
        if (l2->hosts[i].first_line == address / CACHE_LINE_BYTES) {
            l2->hosts[i] = l2->hosts[--l2->host_count];
            return;
        }
    }
}

void cache_l2_launch(struct cache_l2 *l2)
{
    if (l2->epoch == UINT8_MAX) {
        l2->table.build->settle(l2);
        l2->epoch = 0;
    }
    l2->epoch++;
}

void cache_l2_play(struct cache_l2 *l2, struct cache_log *const *logs, uint32_t log_count, uint32_t part,
                   const atomic_bool *cancel, struct cache_counts *counts)
{
    struct cache_counts played = {0};

    for (uint32_t i = 0; i < log_count; i++) {
        if (!logs[i] || part >= logs[i]->parts)
            continue;
        const struct cache_list *list = &logs[i]->lists[part];
        if (!l2->table.build->play(l2, list->entries, list->count, cancel, &played))
            return;
    }
    cache_counts_add(counts, &played);
}

void cache_l2_range(struct cache_l2 *l2, enum cache_range what, uint64_t address, uint64_t size_bytes)
{
    if (what != CACHE_RANGE_READ && l2->table.sets)
        l2->table.build->range(l2, what, address, size_bytes);
}
