/* The L1, and the log of the accesses that it passes on to the L2. */
#include "core/base/array.h"

#include "simt/count/cache.h"
#include "simt/count/cache_set.h"

#include <stdlib.h>
#include <string.h>

#define LIST_FIRST 2048

#define ASKER_WARP_BITS 6

struct cache_l1 {
    struct cache_table table;
    uint32_t *askers; /* per line, who fetched it: hash of block and instruction, above the warp; 0: nobody.
                         NULL: sectors are fetched, and this is not needed */
    uint32_t asker;
};

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
    log->table = cache_l2_table(l2);
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

/* Makes room for one more. */
static bool list_grow(struct cache_list *list)
{
    return array_grow(list->entries, list->capacity, list->capacity, 1);
}

static inline void log_append(struct cache_log *log, uint64_t line, uint32_t sectors,
                              enum cache_access access, uint64_t words)
{
    struct cache_list *list = log->lists;

    if (log->parts > 1)
        list += cache_part_of(cache_set_of(log->table, cache_tag(line)), log->parts);
    if (list->count < list->capacity || list_grow(list))
        list->entries[list->count++] = line | (uint64_t)sectors << CACHE_ENTRY_SECTORS |
                                       (uint64_t)access << CACHE_ENTRY_ACCESS | words << CACHE_ENTRY_WORDS;
    else
        log->failed = true;
}

enum status cache_l1_create(struct cache_l1 **l1, uint64_t size_bytes, struct error *error)
{
    *l1 = calloc(1, sizeof **l1);
    if (*l1 && cache_table_init(&(*l1)->table, size_bytes))
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

    l1->asker = (asked << ASKER_WARP_BITS | (warp & ((1u << ASKER_WARP_BITS) - 1))) + 1;
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

void cache_store_words(const struct warp_access *access, uint64_t *sectors, uint32_t count)
{
    uint32_t at = 0;

    /* All lanes are active: no lane needs to be checked. */
    if ((uint32_t)__builtin_popcount(access->active) * access->width_bytes == count * 32)
        return;
    for (uint32_t left = access->active; left; left &= left - 1) {
        uint64_t address = access->address[__builtin_ctz(left)];
        for (uint64_t word = address / 4; word <= (address + access->width_bytes - 1) / 4; word++) {
            uint32_t tried = 0; /* neighbouring lanes have the same sector or the next */
            while ((sectors[at] & CACHE_SECTOR_NUMBER) != word / 8 && ++tried < count)
                at = at + 1 < count ? at + 1 : 0;
            sectors[at] |= UINT64_C(1) << (CACHE_SECTOR_WORDS + word % 8);
        }
    }
}

/* The way for a line that is not in the set. */
static inline uint32_t line_place(struct cache_set *set, uint32_t tag)
{
    uint32_t way = cache_set_victim(set);

    set->tag[way] = tag;
    set->valid[way] = 0;
    set->used = (uint16_t)(set->used | 1u << way);
    return way;
}

/* The sectors of one line that L1 does not have. */
static inline uint32_t line_load(struct cache_l1 *l1, uint64_t line, uint32_t sectors, bool allocate)
{
    uint32_t tag = cache_tag(line), missing;
    struct cache_set *set = &l1->table.sets[cache_set_of(&l1->table, tag)];
    uint32_t way = cache_set_find(set, tag);

    if (way == CACHE_NO_WAY) {
        if (!allocate)
            return sectors;
        way = line_place(set, tag);
    }
    missing = sectors & ~(uint32_t)set->valid[way];
    if (allocate)
        set->valid[way] = (uint8_t)(set->valid[way] | sectors);
    cache_set_touch(set, way);
    return missing;
}

/* The same if whole lines are fetched: all of it, or nothing. */
static uint32_t load_line(struct cache_l1 *l1, uint64_t line, uint32_t sectors)
{
    uint32_t tag = cache_tag(line);
    struct cache_set *set = &l1->table.sets[cache_set_of(&l1->table, tag)];
    uint32_t way = cache_set_find(set, tag), *asker;
    bool there = way != CACHE_NO_WAY;

    if (!there)
        way = line_place(set, tag);
    cache_set_touch(set, way);
    asker = &l1->askers[(size_t)(set - l1->table.sets) * CACHE_WAYS + way];
    bool coming = there && *asker && *asker != l1->asker &&
                  (*asker - 1) >> ASKER_WARP_BITS == (l1->asker - 1) >> ASKER_WARP_BITS;
    if (there && !(sectors & ~(uint32_t)set->valid[way]) && !coming)
        return 0;
    set->valid[way] = 15;
    *asker = l1->asker;
    return 15;
}

/* 2.x: a store removes its line from L1. */
static void line_forget(struct cache_l1 *l1, uint64_t line)
{
    uint32_t tag = cache_tag(line);
    struct cache_set *set = &l1->table.sets[cache_set_of(&l1->table, tag)];
    uint32_t way = cache_set_find(set, tag);

    if (way != CACHE_NO_WAY)
        set->valid[way] = 0;
}

/* whole: sectors that are written completely. Returns whether the line was there. */
static inline bool line_store(struct cache_l1 *l1, uint64_t line, uint32_t whole)
{
    uint32_t tag = cache_tag(line);
    struct cache_set *set = &l1->table.sets[cache_set_of(&l1->table, tag)];
    uint32_t way = cache_set_find(set, tag);
    bool hit = way != CACHE_NO_WAY;

    if (!hit)
        way = line_place(set, tag);
    set->valid[way] = (uint8_t)(set->valid[way] | whole);
    cache_set_touch(set, way);
    return hit;
}

/* logged: the part of it that goes on to L2. */
static inline void access_loads(struct cache_l1 *l1, enum cache_access logged, enum program_cache policy,
                                const uint64_t *sectors, uint32_t count, struct cache_log *log,
                                struct cache_counts *counts)
{
    bool past = policy == CACHE_GLOBAL || policy == CACHE_VOLATILE;

    for (uint32_t i = 0; i < count;) {
        uint64_t line = (sectors[i] & CACHE_SECTOR_NUMBER) >> 2;
        uint32_t wanted = 0, missing;

        counts->l1_lines++;
        for (; i < count && (sectors[i] & CACHE_SECTOR_NUMBER) >> 2 == line; i++)
            wanted |= 1u << (sectors[i] & 3u);
        missing = wanted;
        if (l1->table.sets) {
            if (!past)
                missing = l1->askers && policy != CACHE_NO_ALLOCATE
                              ? load_line(l1, line, wanted)
                              : line_load(l1, line, wanted, policy != CACHE_NO_ALLOCATE);
            counts->l1_lookups += cache_sectors_count(wanted);
            counts->l1_hits += cache_sectors_count(wanted & ~missing);
        }
        if (missing)
            log_append(log, line, missing, logged, 0);
    }
}

static void access_stores(struct cache_l1 *l1, const uint64_t *sectors, uint32_t count, struct cache_log *log,
                          struct cache_counts *counts)
{
    for (uint32_t i = 0; i < count;) {
        uint64_t line = (sectors[i] & CACHE_SECTOR_NUMBER) >> 2;
        uint32_t whole = 0, written = 0;

        counts->l1_lines++;
        for (; i < count && (sectors[i] & CACHE_SECTOR_NUMBER) >> 2 == line; i++) {
            uint32_t sector = 1u << (sectors[i] & 3u), words = (uint32_t)(sectors[i] >> CACHE_SECTOR_WORDS);
            written |= sector;
            if (words == 0 || words == 0xff)
                whole |= sector;
            else
                log_append(log, line, sector, CACHE_STORE, words);
        }
        if (whole)
            log_append(log, line, whole, CACHE_STORE, 0);
        if (l1->askers) {
            line_forget(l1, line);
        } else if (l1->table.sets) {
            uint32_t sectors_written = cache_sectors_count(written);
            counts->l1_lookups += sectors_written;
            if (line_store(l1, line, whole))
                counts->l1_hits += sectors_written;
        }
    }
}

void cache_l1_access(struct cache_l1 *l1, enum cache_access access, enum program_cache policy,
                     const uint64_t *sectors, uint32_t count, struct cache_log *log,
                     struct cache_counts *counts)
{
    switch (access) {
    case CACHE_LOAD: access_loads(l1, CACHE_LOAD, policy, sectors, count, log, counts); break;
    case CACHE_PREFETCH_L1: access_loads(l1, CACHE_PREFETCH_L2, policy, sectors, count, log, counts); break;
    case CACHE_STORE: access_stores(l1, sectors, count, log, counts); break;
    case CACHE_ATOMIC:
    case CACHE_PREFETCH_L2:
        for (uint32_t i = 0; i < count; i++)
            log_append(log, (sectors[i] & CACHE_SECTOR_NUMBER) >> 2, 1u << (sectors[i] & 3u), access, 0);
        break;
    }
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
        log_append(log, line, sectors, access, 0);
    }
}
