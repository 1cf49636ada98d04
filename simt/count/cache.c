/* SPDX-License-Identifier: Apache-2.0 */
/* The modelled caches: their memory, L1, the log of the accesses that it passes on to L2, and L2. What an
 * access does to the sets is in simt/count/cache_serve.c. */
#include "simt/count/cache_set.h"

#include "core/base/array.h"
#include "simt/lanes/lanes.h"

#include <stdlib.h>
#include <string.h>

/* ---- the table of sets ---- */

/* Its memory, and the build of simt/count/cache_serve.c that serves it. A table of no sets (a GPU without the
 * cache) has no memory. */

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

static void cache_table_clear(struct cache_table *table)
{
    if (table->sets)
        memset(table->sets, 0, table->set_count * sizeof *table->sets);
}

/* Free sets for size_bytes; false: no memory. If size_bytes is less than one set, there are no sets. */
static bool cache_table_init(struct cache_table *table, uint64_t size_bytes, uint32_t state_bits)
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

static void cache_table_fini(struct cache_table *table)
{
    free(table->sets);
    *table = (struct cache_table){0};
}

/* ---- L1, and the log of what it passes on ---- */

#define LIST_FIRST 2048

void cache_counts_add(struct cache_counts *to, const struct cache_counts *from)
{
    to->l1_lookups += from->l1_lookups;
    to->l1_hits += from->l1_hits;
    to->l1_lines += from->l1_lines;
    to->l2_lookups += from->l2_lookups;
    to->l2_hits += from->l2_hits;
    to->l2_load_lines += from->l2_load_lines;
    to->l2_load_missed += from->l2_load_missed;
    to->dram_read_bytes += from->dram_read_bytes;
    to->dram_write_bytes += from->dram_write_bytes;
    to->host_read_bytes += from->host_read_bytes;
    to->host_write_bytes += from->host_write_bytes;
}

enum status cache_log_create(struct cache_log **log, struct error *error)
{
    struct cache_log *made = aligned_alloc(alignof(struct cache_log), sizeof *made);
    struct cache_list *lists = calloc(1, sizeof *lists);

    if (!made || !lists) {
        free(made);
        free(lists);
        return error_no_memory(error, "for the modelled caches");
    }
    *made = (struct cache_log){.lists = lists, .list_count = 1, .parts = 1};
    *log = made;
    return STATUS_OK;
}

void cache_log_destroy(struct cache_log *log)
{
    if (!log)
        return;
    for (uint32_t i = 0; i < log->list_count; i++)
        free(log->lists[i].entries);
    free(log->lists);
    free(log);
}

void cache_log_clear(struct cache_log *log, const struct cache_l2 *l2, uint32_t parts)
{
    log->table = &l2->table;
    log->parts = log->table->sets ? parts : 1;
    if (log->parts > log->list_count) {
        struct cache_list *lists = realloc(log->lists, log->parts * sizeof *lists);
        if (lists) {
            memset(lists + log->list_count, 0, (log->parts - log->list_count) * sizeof *lists);
            log->lists = lists;
            log->list_count = log->parts;
        } else {
            log->failed = true;
            log->parts = 1;
        }
    }
    for (uint32_t i = 0; i < log->list_count; i++)
        log->lists[i].count = 0;
}

bool cache_log_failed(const struct cache_log *log)
{
    return log->failed;
}

bool cache_list_grow(struct cache_list *list, size_t more)
{
    return array_grow(list->entries, list->capacity, list->count, more);
}

enum status cache_l1_create(struct cache_l1 **l1, uint64_t size_bytes, struct error *error)
{
    *l1 = calloc(1, sizeof **l1);
    if (*l1 && cache_table_init(&(*l1)->table, size_bytes, CACHE_L1_STATE_BITS))
        return STATUS_OK;
    free(*l1);
    *l1 = NULL;
    return error_no_memory(error, "for a modelled L1 cache of %llu bytes", (unsigned long long)size_bytes);
}

static size_t askers_bytes(const struct cache_l1 *l1)
{
    return (size_t)l1->table.set_count * CACHE_WAYS * sizeof *l1->askers;
}

enum status cache_l1_fetch_lines(struct cache_l1 *l1, struct error *error)
{
    if (!l1->table.sets || l1->askers)
        return STATUS_OK;
    l1->askers = calloc(1, askers_bytes(l1));
    return l1->askers ? STATUS_OK : error_no_memory(error, "for a modelled L1 cache");
}

void cache_l1_asks(struct cache_l1 *l1, uint64_t block, uint32_t instruction, uint32_t warp)
{
    uint32_t asked = (uint32_t)(block * 0x9e3779b1u) ^ (instruction + 1) * 0x85ebca6bu;

    l1->asker = (asked << CACHE_ASKER_WARP_BITS | (warp & ((1u << CACHE_ASKER_WARP_BITS) - 1))) + 1;
}

void cache_l1_destroy(struct cache_l1 *l1)
{
    if (l1) {
        cache_table_fini(&l1->table);
        free(l1->askers);
    }
    free(l1);
}

void cache_l1_clear(struct cache_l1 *l1)
{
    cache_table_clear(&l1->table);
    if (l1->askers)
        memset(l1->askers, 0, askers_bytes(l1));
}

void cache_store_words(const struct cache_l1 *l1, const struct warp_access *access, uint64_t *sectors,
                       uint32_t count)
{
    l1->table.build->words(access, sectors, count);
}

void cache_l1_access(struct cache_l1 *l1, enum cache_access access, enum program_cache policy,
                     const uint64_t *sectors, uint32_t count, struct cache_log *log,
                     struct cache_counts *counts)
{
    l1->table.build->access(l1, access, policy, sectors, count, log, counts);
}

void cache_l1_row(struct cache_l1 *l1, enum cache_access access, enum program_cache policy, uint64_t first,
                  uint32_t count, struct cache_log *log, struct cache_counts *counts)
{
    l1->table.build->row(l1, access, policy, first, count, log, counts);
}

#define SECTOR_BYTES UINT64_C(32)

void cache_log_range(struct cache_log *log, enum cache_access access, uint64_t address, uint64_t size_bytes)
{
    uint64_t sector = address / SECTOR_BYTES, end = (address + size_bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    while (sector < end) {
        uint64_t line = sector >> 2;
        uint32_t sectors = 0;
        for (; sector < end && sector >> 2 == line; sector++)
            sectors |= 1u << (sector & 3u);
        uint64_t entry = cache_entry(line, sectors, access, 0);
        cache_log_append(log, &entry, 1);
    }
}

/* ---- L2 ---- */

/*
 * The L2: its memory, and the ranges of the host. simt/count/cache_serve.c applies what is done to it.
 */

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
    const struct cache_host_range added = {address / CACHE_LINE_BYTES,
                                           (address + size_bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES};
    size_t at = l2->host_count++;
    for (; at > 0 && grown[at - 1].first_line > added.first_line; at--)
        grown[at] = grown[at - 1];
    grown[at] = added;
    l2->hosts = grown;
    return STATUS_OK;
}

void cache_l2_host_remove(struct cache_l2 *l2, uint64_t address)
{
    for (size_t i = 0; i < l2->host_count; i++) {
        if (l2->hosts[i].first_line == address / CACHE_LINE_BYTES) {
            memmove(&l2->hosts[i], &l2->hosts[i + 1], (--l2->host_count - i) * sizeof *l2->hosts);
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
