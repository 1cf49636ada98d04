/* The L2: cache_l2_play applies each entry of the logs to its set and counts the DRAM accesses. */
#include "simt/count/cache.h"
#include "simt/count/cache_set.h"

#include <stdlib.h>
#include <string.h>

#define SECTOR_BYTES UINT64_C(32)

struct host_range {
    uint64_t first_line, end_line;
};

struct cache_l2 {
    struct cache_table table;
    uint32_t *words; /* per line, one byte per sector: the written words of a partly written sector */
    uint32_t epoch;
    struct cache_l2_rules rules;
    bool fetches_pairs; /* of sectors */
    struct host_range *hosts;
    size_t host_count;
};

/* What one call works with. */
struct player {
    struct cache_l2 *l2;
    struct cache_counts counts;
};

/* The words of a set lie in one cache line of the host: neighbouring sets belong to different workers. */
static size_t words_bytes(const struct cache_l2 *l2)
{
    return (size_t)l2->table.set_count * CACHE_WAYS * sizeof *l2->words;
}

enum status cache_l2_create(struct cache_l2 **l2, uint64_t size_bytes, const struct cache_l2_rules *rules,
                            struct error *error)
{
    struct cache_l2 *made = calloc(1, sizeof *made);

    if (!made || !cache_table_init(&made->table, size_bytes))
        goto fail;
    made->rules = *rules;
    made->fetches_pairs = rules->fetch_bytes >= 2 * SECTOR_BYTES;
    made->words = aligned_alloc(alignof(struct cache_set), words_bytes(made) + alignof(struct cache_set));
    if (!made->words)
        goto fail;
    memset(made->words, 0, words_bytes(made));
    *l2 = made;
    return STATUS_OK;

fail:
    cache_l2_destroy(made);
    *l2 = NULL;
    return error_no_memory(error, "for a modelled L2 cache of %llu bytes", (unsigned long long)size_bytes);
}

const struct cache_table *cache_l2_table(const struct cache_l2 *l2)
{
    return &l2->table;
}

void cache_l2_destroy(struct cache_l2 *l2)
{
    if (!l2)
        return;
    cache_table_fini(&l2->table);
    free(l2->words);
    free(l2->hosts);
    free(l2);
}

enum status cache_l2_host_add(struct cache_l2 *l2, uint64_t address, uint64_t size_bytes, struct error *error)
{
    struct host_range *grown = realloc(l2->hosts, (l2->host_count + 1) * sizeof *grown);

    if (!grown)
        return error_no_memory(error, "to model mapped host memory");
    l2->hosts = grown;
    l2->hosts[l2->host_count++] = (struct host_range){
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
    l2->epoch++;
}

/* The set, without what the launches since its last use have dropped: lines without a dirty sector, and the
 * clean sectors of the others. */
static inline struct cache_set *set_at(struct cache_l2 *l2, uint32_t index)
{
    struct cache_set *set = &l2->table.sets[index];

    if (set->epoch != l2->epoch) {
        set->epoch = l2->epoch;
        set->used = set->dirty_ways;
        for (uint32_t way = 0; way < CACHE_WAYS; way++)
            set->valid[way] &= set->dirty[way];
    }
    return set;
}

static inline uint32_t *words_of(struct cache_l2 *l2, const struct cache_set *set, uint32_t way)
{
    return &l2->words[(size_t)(set - l2->table.sets) * CACHE_WAYS + way];
}

/* Bytes of a word mask that belong to the sectors. */
static inline uint32_t words_mask(uint32_t sectors)
{
    return (sectors & 1u) * 0xffu | (sectors >> 1 & 1u) * 0xff00u | (sectors >> 2 & 1u) * 0xff0000u |
           (sectors >> 3 & 1u) * 0xff000000u;
}

/* Completes sectors: read from DRAM, or written completely. */
static inline void sectors_complete(struct cache_l2 *l2, struct cache_set *set, uint32_t way,
                                    uint32_t sectors)
{
    set->valid[way] = (uint8_t)(set->valid[way] | sectors);
    if ((uint32_t)set->partial_ways >> way & 1u) {
        *words_of(l2, set, way) &= ~words_mask(sectors);
        if (!((uint32_t)set->dirty[way] & ~(uint32_t)set->valid[way]))
            set->partial_ways = (uint16_t)(set->partial_ways & ~(1u << way));
    }
}

/* Writes dirty sectors to DRAM; of partly written ones the rest is read first. */
static void line_clean(struct player *player, struct cache_set *set, uint32_t way)
{
    uint32_t partial = (uint32_t)set->dirty[way] & ~(uint32_t)set->valid[way];

    if (partial) {
        uint32_t count = cache_sectors_count(partial);
        player->counts.dram_read_bytes += SECTOR_BYTES * count;
        player->counts.l2_lookups += count;
        sectors_complete(player->l2, set, way, partial);
    }
    player->counts.dram_write_bytes += SECTOR_BYTES * cache_sectors_count(set->dirty[way]);
    set->dirty[way] = 0;
    set->dirty_ways = (uint16_t)(set->dirty_ways & ~(1u << way));
}

/* The way of a line, which gets one if it has none. */
static inline uint32_t way_of(struct player *player, struct cache_set *set, uint32_t tag)
{
    uint32_t way = cache_set_find(set, tag);

    if (way == CACHE_NO_WAY) {
        way = cache_set_victim(set);
        if ((uint32_t)(set->used & set->dirty_ways) >> way & 1u)
            line_clean(player, set, way);
        set->tag[way] = tag;
        set->valid[way] = 0;
        set->used = (uint16_t)(set->used | 1u << way);
    }
    cache_set_touch(set, way);
    return way;
}

/* Were they all there? */
static inline bool line_load(struct player *player, struct cache_set *set, uint32_t tag, uint32_t sectors)
{
    uint32_t way = way_of(player, set, tag);
    uint32_t missing = sectors & ~(uint32_t)set->valid[way];

    player->counts.l2_lookups += cache_sectors_count(sectors);
    player->counts.l2_hits += cache_sectors_count(sectors & ~missing);
    if (missing) {
        if (player->l2->fetches_pairs)
            missing |= ((missing & 5u) << 1 | (missing & 10u) >> 1) & ~(uint32_t)set->valid[way];
        player->counts.dram_read_bytes += SECTOR_BYTES * cache_sectors_count(missing);
        sectors_complete(player->l2, set, way, missing);
        return false;
    }
    return true;
}

/* A way has become dirty: writes back the oldest ones beyond the limits. */
static inline void line_dirty(struct player *player, struct cache_set *set, uint32_t way, uint32_t sectors)
{
    set->dirty[way] = (uint8_t)(set->dirty[way] | sectors);
    set->dirty_ways = (uint16_t)(set->dirty_ways | 1u << way);
    if ((uint32_t)set->dirty[way] & ~(uint32_t)set->valid[way]) {
        set->partial_ways = (uint16_t)(set->partial_ways | 1u << way);
        if ((uint32_t)__builtin_popcount(set->partial_ways) > player->l2->rules.partial_ways)
            line_clean(player, set, cache_set_oldest(set, set->partial_ways));
    }
    if ((uint32_t)__builtin_popcount(set->dirty_ways) > player->l2->rules.dirty_ways)
        line_clean(player, set, cache_set_oldest(set, set->dirty_ways));
}

static inline void line_store(struct player *player, struct cache_set *set, uint32_t tag, uint32_t sectors,
                              uint32_t words)
{
    uint32_t way = way_of(player, set, tag), count = cache_sectors_count(sectors);

    player->counts.l2_lookups += count;
    player->counts.l2_hits += count;
    if (words && !(set->valid[way] & sectors)) {
        uint32_t *all = words_of(player->l2, set, way), shift = 8 * (uint32_t)__builtin_ctz(sectors);
        *all |= words << shift;
        if ((*all >> shift & 0xffu) == 0xff)
            sectors_complete(player->l2, set, way, sectors);
    } else {
        sectors_complete(player->l2, set, way, sectors);
    }
    line_dirty(player, set, way, sectors);
}

static inline void play_entry(struct player *player, struct cache_set *set, uint32_t tag, uint64_t entry)
{
    uint32_t sectors = entry >> CACHE_ENTRY_SECTORS & 15u;

    switch ((enum cache_access)(entry >> CACHE_ENTRY_ACCESS & 7u)) {
    case CACHE_LOAD:
        player->counts.l2_load_lines++;
        player->counts.l2_load_missed += !line_load(player, set, tag, sectors);
        break;
    case CACHE_PREFETCH_L1:
    case CACHE_PREFETCH_L2: line_load(player, set, tag, sectors); break;
    case CACHE_STORE: line_store(player, set, tag, sectors, (uint32_t)(entry >> CACHE_ENTRY_WORDS)); break;
    case CACHE_ATOMIC:
        line_load(player, set, tag, sectors);
        line_dirty(player, set, cache_set_find(set, tag), sectors);
        break;
    }
}

static bool is_host(const struct cache_l2 *l2, uint64_t line)
{
    for (size_t i = 0; i < l2->host_count; i++)
        if (line >= l2->hosts[i].first_line && line < l2->hosts[i].end_line)
            return true;
    return false;
}

static void play_host(struct player *player, uint64_t entry)
{
    uint32_t count = cache_sectors_count(entry >> CACHE_ENTRY_SECTORS & 15u);
    uint32_t access = entry >> CACHE_ENTRY_ACCESS & 7u;

    player->counts.l2_lookups += count;
    player->counts.l2_load_lines += access == CACHE_LOAD;
    player->counts.l2_load_missed += access == CACHE_LOAD;
    if (access != CACHE_STORE)
        player->counts.host_read_bytes += SECTOR_BYTES * count;
    if (access == CACHE_STORE || access == CACHE_ATOMIC)
        player->counts.host_write_bytes += SECTOR_BYTES * count;
}

/* Without an L2 every sector goes to DRAM, or to the host. */
static void play_nowhere(struct player *player, const uint64_t *entries, size_t count)
{
    struct cache_counts *counts = &player->counts;

    for (size_t i = 0; i < count; i++) {
        bool host = is_host(player->l2, entries[i] & CACHE_ENTRY_LINE);
        uint64_t bytes = SECTOR_BYTES * cache_sectors_count(entries[i] >> CACHE_ENTRY_SECTORS & 15u);
        uint32_t access = entries[i] >> CACHE_ENTRY_ACCESS & 7u;
        if (access != CACHE_STORE)
            *(host ? &counts->host_read_bytes : &counts->dram_read_bytes) += bytes;
        if (access == CACHE_STORE || access == CACHE_ATOMIC)
            *(host ? &counts->host_write_bytes : &counts->dram_write_bytes) += bytes;
    }
}

/* Handles AHEAD entries at a time: first prefetches their sets, then plays them. */
#define AHEAD 64
#define LOOK_ENTRIES 65536 /* how often it looks whether it is cancelled: a multiple of AHEAD */

static void play_some(struct player *player, const uint64_t *entries, size_t count)
{
    struct cache_l2 *l2 = player->l2;
    uint32_t sets[AHEAD], tags[AHEAD];

    for (size_t i = 0; i < count; i++) {
        tags[i] = cache_tag(entries[i] & CACHE_ENTRY_LINE);
        sets[i] = cache_set_of(&l2->table, tags[i]);
        __builtin_prefetch(&l2->table.sets[sets[i]], 1);
        __builtin_prefetch(&l2->table.sets[sets[i]].order, 1);
        if (entries[i] >> CACHE_ENTRY_WORDS)
            __builtin_prefetch(&l2->words[(size_t)sets[i] * CACHE_WAYS], 1);
    }
    for (size_t i = 0; i < count; i++)
        if (l2->host_count && is_host(l2, entries[i] & CACHE_ENTRY_LINE))
            play_host(player, entries[i]);
        else
            play_entry(player, set_at(l2, sets[i]), tags[i], entries[i]);
}

void cache_l2_play(struct cache_l2 *l2, struct cache_log *const *logs, uint32_t log_count, uint32_t part,
                   const atomic_bool *cancel, struct cache_counts *counts)
{
    struct player player = {.l2 = l2};

    for (uint32_t i = 0; i < log_count; i++) {
        if (!logs[i] || part >= logs[i]->parts)
            continue;
        const struct cache_list *list = &logs[i]->lists[part];
        if (!l2->table.sets)
            play_nowhere(&player, list->entries, list->count);
        for (size_t at = 0; l2->table.sets && at < list->count; at += AHEAD) {
            if (at % LOOK_ENTRIES == 0 && cancel && atomic_load_explicit(cancel, memory_order_relaxed))
                return;
            play_some(&player, list->entries + at, list->count - at < AHEAD ? list->count - at : AHEAD);
        }
    }
    cache_counts_add(counts, &player.counts);
}

/* Sectors of a line that lie completely within first ... last (sector numbers, last not included). */
static uint32_t line_sectors(uint64_t line, uint64_t first, uint64_t last)
{
    uint32_t sectors = 0;

    for (uint64_t i = 0; i < 4; i++)
        if (line * 4 + i >= first && line * 4 + i < last)
            sectors |= 1u << i;
    return sectors;
}

void cache_l2_range(struct cache_l2 *l2, enum cache_range what, uint64_t address, uint64_t size_bytes)
{
    struct player player = {.l2 = l2};
    uint64_t first = (address + SECTOR_BYTES - 1) / SECTOR_BYTES,
             last = (address + size_bytes) / SECTOR_BYTES;

    if (what == CACHE_RANGE_READ || !l2->table.sets)
        return;
    for (uint64_t line = first / 4; line * 4 < last; line++) {
        uint32_t tag = cache_tag(line), sectors = line_sectors(line, first, last), way;
        struct cache_set *set = set_at(l2, cache_set_of(&l2->table, tag));

        if (what == CACHE_RANGE_SET) {
            line_store(&player, set, tag, sectors, 0);
        } else if ((way = cache_set_find(set, tag)) != CACHE_NO_WAY) {
            sectors_complete(l2, set, way, sectors);
            set->valid[way] = (uint8_t)(set->valid[way] & ~sectors);
            set->dirty[way] = (uint8_t)(set->dirty[way] & ~sectors);
            if (!set->dirty[way])
                set->dirty_ways = (uint16_t)(set->dirty_ways & ~(1u << way));
        }
    }
}
