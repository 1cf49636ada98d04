/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an access does to the sets of the modelled caches: L1 looks up the lines of a warp instruction and
 * logs what it does not have, L2 takes the entries of the logs. This file is compiled once per variant of
 * simt/lanes/lanes: of a set's 16 words a vector of the host finds one, moves one to the front, or tells
 * which are dirty.
 */
#include "simt/count/cache_set.h"

#include "simt/lanes/lanes_ops.h"

#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

/* ---- ways ---- */

/* The 16 words of a set in vectors of the host: searched, shifted and changed in registers. */

static inline uint32_t bits_count(uint32_t bits)
{
    return (uint32_t)__builtin_popcount(bits);
}

static inline uint32_t sectors_count(uint32_t sectors)
{
#ifdef __POPCNT__
    return bits_count(sectors);
#else
    return cache_sectors_count(sectors);
#endif
}

/* The last way of a mask that is not empty: the least recently used one. */
static inline uint32_t ways_oldest(uint32_t ways)
{
    return 31u - (uint32_t)__builtin_clz(ways);
}

#ifdef __AVX512F__
typedef __m512i ways;

static inline ways ways_load(const struct cache_set *set)
{
    return _mm512_load_si512(set);
}

static inline void ways_store(struct cache_set *set, ways all)
{
    _mm512_store_si512(set, all);
}

/* The way that has a name, or CACHE_NO_WAY. */
static inline uint32_t ways_find(ways all, uint32_t name, uint32_t state_bits)
{
    __m512i differ = _mm512_xor_si512(all, _mm512_set1_epi32((int)name));
    uint32_t found = _mm512_cmplt_epu32_mask(differ, _mm512_set1_epi32(1 << state_bits));

    return (uint32_t)__builtin_ctz(found | 1u << CACHE_NO_WAY);
}

/* With a new line in front, in place of the least recently used one. */
static inline ways ways_push(ways all, uint32_t word)
{
    return _mm512_alignr_epi32(all, _mm512_set1_epi32((int)word), 15);
}

/* With the line of a way in front, and in a new state. */
static inline ways ways_renew(ways all, uint32_t way, uint32_t word)
{
    return _mm512_mask_mov_epi32(all, (__mmask16)((2u << way) - 1u), ways_push(all, word));
}

/* The ways with dirty sectors. */
static inline uint32_t ways_dirty(ways all)
{
    return _mm512_test_epi32_mask(all, _mm512_set1_epi32(0xf0));
}

/* The ways with dirty sectors that are not readable, as they are written in part. */
static inline uint32_t ways_partial(ways all)
{
    return _mm512_test_epi32_mask(_mm512_andnot_si512(all, _mm512_srli_epi32(all, 4)), _mm512_set1_epi32(15));
}

/* One of them. */
static inline uint32_t ways_word(ways all, uint32_t way)
{
    return (uint32_t)_mm_cvtsi128_si32(
        _mm512_castsi512_si128(_mm512_maskz_compress_epi32((__mmask16)(1u << way), all)));
}

static inline ways ways_replace(ways all, uint32_t way, uint32_t word)
{
    return _mm512_mask_set1_epi32(all, (__mmask16)(1u << way), (int)word);
}

/* Without the lines that have no dirty sector, and without the clean sectors of the others. */
static inline ways ways_drop_clean(ways all)
{
    __m512i clean = _mm512_andnot_si512(_mm512_srli_epi32(all, 4), _mm512_set1_epi32(15));

    return _mm512_maskz_compress_epi32((__mmask16)ways_dirty(all), _mm512_andnot_si512(clean, all));
}
#else
/* The same in parts, of eight words each with AVX2. */
#ifdef __AVX2__
#define PART_WORDS 8
#define PART_MOVED 7, 8, 9, 10, 11, 12, 13, 14
#else
#define PART_WORDS 4
#define PART_MOVED 3, 4, 5, 6
#endif
#define PARTS (CACHE_WAYS / PART_WORDS)
typedef uint32_t ways_part __attribute__((vector_size(4 * PART_WORDS), may_alias));
typedef struct {
    ways_part part[PARTS];
} ways;

/* Numbers of words, from 0. */
static inline ways_part part_numbers(void)
{
#ifdef __AVX2__
    return (ways_part){0, 1, 2, 3, 4, 5, 6, 7};
#else
    return (ways_part){0, 1, 2, 3};
#endif
}

/* One bit for each word that is 0. */
static inline uint32_t part_zeros(ways_part words)
{
    const ways_part zero = (ways_part)(words == 0);
#if defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)zero);
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)zero);
#else
    const ways_part bits = zero & (ways_part){1, 2, 4, 8};
    return bits[0] | bits[1] | bits[2] | bits[3];
#endif
}

static inline uint32_t ways_zeros(ways all)
{
    uint32_t mask = 0;

    for (uint32_t i = 0; i < PARTS; i++)
        mask |= part_zeros(all.part[i]) << i * PART_WORDS;
    return mask;
}

static inline ways ways_load(const struct cache_set *set)
{
    const ways_part *parts = (const ways_part *)(const void *)set->line;
    ways all;

    for (uint32_t i = 0; i < PARTS; i++)
        all.part[i] = parts[i];
    return all;
}

static inline void ways_store(struct cache_set *set, ways all)
{
    ways_part *parts = (ways_part *)(void *)set->line;

    for (uint32_t i = 0; i < PARTS; i++)
        parts[i] = all.part[i];
}

static inline uint32_t ways_find(ways all, uint32_t name, uint32_t state_bits)
{
    for (uint32_t i = 0; i < PARTS; i++)
        all.part[i] = (all.part[i] ^ name) >> state_bits;
    return (uint32_t)__builtin_ctz(ways_zeros(all) | 1u << CACHE_NO_WAY);
}

static inline ways ways_renew(ways all, uint32_t way, uint32_t word)
{
    ways_part before = {0}, at = part_numbers();

    before[PART_WORDS - 1] = word;
    for (uint32_t i = 0; i < PARTS; i++, at += PART_WORDS) {
        const ways_part now = all.part[i], stays = (ways_part)(at > way);
        all.part[i] = (now & stays) | (__builtin_shufflevector(before, now, PART_MOVED) & ~stays);
        before = now;
    }
    return all;
}

static inline ways ways_push(ways all, uint32_t word)
{
    return ways_renew(all, CACHE_WAYS - 1, word);
}

static inline uint32_t ways_dirty(ways all)
{
    for (uint32_t i = 0; i < PARTS; i++)
        all.part[i] &= 0xf0;
    return ways_zeros(all) ^ 0xffffu;
}

static inline uint32_t ways_partial(ways all)
{
    for (uint32_t i = 0; i < PARTS; i++)
        all.part[i] = all.part[i] >> 4 & ~all.part[i] & 15;
    return ways_zeros(all) ^ 0xffffu;
}

static inline uint32_t ways_word(ways all, uint32_t way)
{
    struct cache_set set;

    ways_store(&set, all);
    return set.line[way];
}

static inline ways ways_replace(ways all, uint32_t way, uint32_t word)
{
    ways_part at = part_numbers();

    for (uint32_t i = 0; i < PARTS; i++, at += PART_WORDS) {
        const ways_part here = (ways_part)(at == way);
        all.part[i] = (all.part[i] & ~here) | (here & word);
    }
    return all;
}

static inline ways ways_drop_clean(ways all)
{
    struct cache_set set, dropped = {{0}};
    uint32_t kept = 0;

    ways_store(&set, all);
    for (uint32_t left = ways_dirty(all); left; left &= left - 1) {
        uint32_t word = set.line[__builtin_ctz(left)];
        dropped.line[kept++] = word & (~15u | word >> 4);
    }
    return ways_load(&dropped);
}
#endif

#define SECTOR_BYTES UINT64_C(32)
/* A set stays in registers only where all that uses it is inlined. */
#define INLINE static inline __attribute__((always_inline))

/* ---- L1 ---- */
/* Has each lane, aligned, the sector of its number? */
static inline bool lanes_apart(const struct warp_access *access, const uint64_t *sectors)
{
    uint64_t differ = ~access->active;

    LANES_LOOP
    {
        differ |= (access->address[lane] / SECTOR_BYTES ^ sectors[lane]) | (access->address[lane] & 3);
    }
    return !differ;
}

static void serve_words(const struct warp_access *access, uint64_t *sectors, uint32_t count)
{
    uint32_t at = 0;

    if (access->width_bytes == 4 && count == WARP_LANES && lanes_apart(access, sectors)) {
        LANES_LOOP
        {
            sectors[lane] |= UINT64_C(1) << (CACHE_SECTOR_WORDS + access->address[lane] / 4 % 8);
        }
        return;
    }
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

/* Lines that one instruction accesses, at most LINES of them at a time. */
#define LINES WARP_LANES
struct lines {
    uint32_t count;
    uint64_t line[LINES];
    uint32_t wanted[LINES], set[LINES], name[LINES];
    uint64_t entries[CACHE_LOG_MOST]; /* for the log: of a store a sector each that is not wholly written, and
                                    the others */
};

static inline void lines_place(struct lines *lines, const struct cache_table *table)
{
    for (uint32_t i = 0; i < lines->count; i++) {
        struct cache_place place = cache_place_of(table, lines->line[i]);
        lines->set[i] = place.set;
        lines->name[i] = place.name;
    }
    for (uint32_t i = 1; i < lines->count; i++)
        __builtin_prefetch(&table->sets[lines->set[i]], 1);
}

/* Takes as many sectors as there are lanes if each lies in another line than the one before. */
static inline bool lines_take(struct lines *lines, const uint64_t *sectors, uint32_t count)
{
    uint32_t same = 0;

    if (count < LINES)
        return false;
    LANES_LOOP
    {
        lines->line[lane] = (sectors[lane] & CACHE_SECTOR_NUMBER) >> 2;
        lines->wanted[lane] = 1u << (sectors[lane] & 3u);
    }
    for (uint32_t i = 1; i < LINES; i++)
        same |= lines->line[i] == lines->line[i - 1];
    lines->count = LINES;
    return !same && (count == LINES || (sectors[LINES] & CACHE_SECTOR_NUMBER) >> 2 != lines->line[LINES - 1]);
}

/* Gathers neighbouring sectors of one line; returns how many sectors are left. */
static inline uint32_t lines_gather(struct lines *lines, const uint64_t *sectors, uint32_t count)
{
    uint32_t at = 0;

    if (lines_take(lines, sectors, count))
        return count - LINES;
    lines->count = 0;
    while (at < count && lines->count < LINES) {
        uint64_t line = (sectors[at] & CACHE_SECTOR_NUMBER) >> 2;
        uint32_t wanted = 0;
        do
            wanted |= 1u << (sectors[at++] & 3u);
        while (at < count && (sectors[at] & CACHE_SECTOR_NUMBER) >> 2 == line);
        lines->line[lines->count] = line;
        lines->wanted[lines->count++] = wanted;
    }
    return count - at;
}

/* The askers of a set's lines; NULL: they are not kept. */
static inline uint32_t *askers_of(const struct cache_l1 *l1, uint32_t set)
{
    return l1->askers ? l1->askers + (size_t)set * CACHE_WAYS : NULL;
}

/* Puts a line in front: that of a way, or a new one. */
static inline void line_renew(struct cache_l1 *l1, uint32_t set, uint32_t way, uint32_t word)
{
    uint32_t *askers = askers_of(l1, set);

    if (askers) {
        uint32_t from = way == CACHE_NO_WAY ? CACHE_WAYS - 1 : way, asker = askers[from];
        memmove(askers + 1, askers, from * sizeof *askers);
        askers[0] = asker;
    }
    struct cache_set *at = &l1->table.sets[set];
    ways_store(at,
               way == CACHE_NO_WAY ? ways_push(ways_load(at), word) : ways_renew(ways_load(at), way, word));
}

static inline bool is_named(uint32_t word, uint32_t name)
{
    return (word ^ name) < 1u << CACHE_L1_STATE_BITS;
}

static inline void log_add(struct cache_log *log, uint64_t entry)
{
    struct cache_list *const list = log->lists;

    if (__builtin_expect(log->parts == 1 && list->count < list->capacity, 1))
        list->entries[list->count++] = entry;
    else
        cache_log_append(log, &entry, 1);
}

/* The sectors of one line that L1 does not have. */
static inline uint32_t line_load(struct cache_l1 *l1, uint32_t set, uint32_t name, uint32_t sectors,
                                 bool allocate)
{
    struct cache_set *at = &l1->table.sets[set];
    const uint32_t front = at->line[0];

    if (is_named(front, name)) { /* it was used last: no other line moves */
        if (allocate && (sectors & ~front))
            at->line[0] = front | sectors;
        return sectors & ~front;
    }
    uint32_t way = ways_find(ways_load(at), name, CACHE_L1_STATE_BITS);

    if (way == CACHE_NO_WAY) {
        if (allocate)
            line_renew(l1, set, way, name | sectors);
        return sectors;
    }
    uint32_t word = at->line[way];
    line_renew(l1, set, way, allocate ? word | sectors : word);
    return sectors & ~word;
}

/* The same if whole lines are fetched: all of it, or nothing. */
static uint32_t line_fetch(struct cache_l1 *l1, uint32_t set, uint32_t name, uint32_t sectors)
{
    struct cache_set *at = &l1->table.sets[set];
    uint32_t way = ways_find(ways_load(at), name, CACHE_L1_STATE_BITS), *asker = askers_of(l1, set);
    uint32_t word = way == CACHE_NO_WAY ? name : at->line[way];

    line_renew(l1, set, way, word);
    bool coming = way != CACHE_NO_WAY && *asker && *asker != l1->asker &&
                  (*asker - 1) >> CACHE_ASKER_WARP_BITS == (l1->asker - 1) >> CACHE_ASKER_WARP_BITS;
    if (way != CACHE_NO_WAY && !(sectors & ~word) && !coming)
        return 0;
    at->line[0] |= 15;
    *asker = l1->asker;
    return 15;
}

/* A store to a line, of which it writes some sectors wholly. Returns whether the line was there. `local`: to
 * local memory. */
static inline bool line_write(struct cache_l1 *l1, uint32_t set, uint32_t name, uint32_t whole, bool local)
{
    struct cache_set *at = &l1->table.sets[set];

    if (is_named(at->line[0], name) && !l1->askers) { /* it was used last: no other line moves */
        at->line[0] |= whole;
        return true;
    }
    uint32_t way = ways_find(ways_load(at), name, CACHE_L1_STATE_BITS);

    if (l1->askers && !local) { /* 2.x: a store removes its line from L1 */
        if (way != CACHE_NO_WAY)
            at->line[way] = name;
        return false;
    }
    line_renew(l1, set, way, (way == CACHE_NO_WAY ? name : at->line[way]) | whole);
    if (l1->askers)
        *askers_of(l1, set) = 0;
    return way != CACHE_NO_WAY;
}

/* The lines of neighbouring sectors. */
static inline void lines_of_row(struct lines *lines, uint64_t first, uint32_t count)
{
    const uint64_t end = first + count;

    lines->count = 0;
    for (uint64_t sector = first; sector < end; lines->count++) {
        const uint64_t line = sector >> 2, stop = (line + 1) << 2 < end ? (line + 1) << 2 : end;
        lines->line[lines->count] = line;
        lines->wanted[lines->count] = ((1u << (stop - sector)) - 1u) << (sector & 3u);
        sector = stop;
    }
}

/* The sectors of a load, which all are in one line; 0: they are not. */
static inline uint32_t sectors_of_line(const uint64_t *sectors, uint32_t count)
{
    uint32_t wanted = 0;

    if (count > 4)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sectors[i] >> 2 != sectors[0] >> 2)
            return 0;
        wanted |= 1u << (sectors[i] & 3u);
    }
    return wanted;
}

/* Those of `lines`. */
INLINE void lines_load(struct cache_l1 *l1, struct lines *lines, enum cache_access logged, bool looks,
                       bool fetches, bool allocate, struct cache_log *log, struct cache_counts *counts)
{
    uint32_t lookups = 0, hits = 0, entries = 0;

    if (looks)
        lines_place(lines, &l1->table);
    for (uint32_t i = 0; i < lines->count; i++) {
        uint32_t wanted = lines->wanted[i], missing = wanted;
        if (looks)
            missing = fetches ? line_fetch(l1, lines->set[i], lines->name[i], wanted)
                              : line_load(l1, lines->set[i], lines->name[i], wanted, allocate);
        lookups += sectors_count(wanted);
        hits += sectors_count(wanted & ~missing);
        lines->entries[entries] = cache_entry(lines->line[i], missing, logged, 0);
        entries += missing != 0;
    }
    if (l1->table.sets) {
        counts->l1_lookups += lookups;
        counts->l1_hits += hits;
    }
    counts->l1_lines += lines->count;
    cache_log_append(log, lines->entries, entries);
}

static uint32_t serve_load(struct cache_l1 *l1, struct cache_place place, uint64_t line, uint32_t wanted,
                           bool allocate, struct cache_log *log)
{
    const uint32_t missing = line_load(l1, place.set, place.name, wanted, allocate);

    if (missing)
        log_add(log, cache_entry(line, missing, CACHE_LOAD, 0));
    return sectors_count(missing);
}

static uint32_t serve_store(struct cache_l1 *l1, struct cache_place place, uint64_t line, uint32_t written,
                            struct cache_log *log)
{
    const bool hit = line_write(l1, place.set, place.name, written, false);

    log_add(log, cache_entry(line, written, CACHE_STORE, 0));
    return hit ? 0 : sectors_count(written);
}

/* A load of one line, which is looked up; most are such. */
INLINE void line_load_one(struct cache_l1 *l1, enum cache_access logged, uint64_t line, uint32_t wanted,
                          bool allocate, struct cache_log *log, struct cache_counts *counts)
{
    struct cache_place place = cache_place_of(&l1->table, line);
    uint32_t missing = line_load(l1, place.set, place.name, wanted, allocate);

    counts->l1_lookups += sectors_count(wanted);
    counts->l1_hits += sectors_count(wanted & ~missing);
    counts->l1_lines++;
    if (missing)
        log_add(log, cache_entry(line, missing, logged, 0));
}

/* logged: the part of it that proceeds to L2. */
static inline void access_loads(struct cache_l1 *l1, enum cache_access logged, enum program_cache policy,
                                const uint64_t *sectors, uint32_t count, struct cache_log *log,
                                struct cache_counts *counts)
{
    const bool past = policy == CACHE_GLOBAL || policy == CACHE_VOLATILE,
               allocate = policy != CACHE_NO_ALLOCATE;
    const bool looks = l1->table.sets && !past, fetches = l1->askers && allocate;
    const uint32_t together = sectors_of_line(sectors, count);
    struct lines lines;

    if (together && looks && !fetches) {
        line_load_one(l1, logged, sectors[0] >> 2, together, allocate, log, counts);
        return;
    }
    for (uint32_t left = count; left;) {
        left = lines_gather(&lines, sectors + (count - left), left);
        lines_load(l1, &lines, logged, looks, fetches, allocate, log, counts);
    }
}

static inline void access_stores(struct cache_l1 *l1, bool local, const uint64_t *sectors, uint32_t count,
                                 struct cache_log *log, struct cache_counts *counts)
{
    struct lines lines;

    for (uint32_t left = count; left;) {
        const uint64_t *sector = sectors + (count - left);
        uint32_t lookups = 0, hits = 0, entries = 0;
        left = lines_gather(&lines, sector, left);
        if (l1->table.sets)
            lines_place(&lines, &l1->table);
        for (uint32_t i = 0; i < lines.count; i++) {
            uint32_t written = lines.wanted[i], whole = 0;
            const uint64_t line = lines.line[i];
            for (; sector < sectors + (count - left) && (*sector & CACHE_SECTOR_NUMBER) >> 2 == line;
                 sector++) {
                uint32_t words = (uint32_t)(*sector >> CACHE_SECTOR_WORDS), bit = 1u << (*sector & 3u);
                if (words == 0 || words == 0xff)
                    whole |= bit;
                else
                    lines.entries[entries++] = cache_entry(line, bit, CACHE_STORE, words);
            }
            lines.entries[entries] = cache_entry(line, whole, CACHE_STORE, 0);
            entries += whole != 0;
            if (l1->table.sets) {
                uint32_t written_count = sectors_count(written);
                lookups += written_count;
                hits += line_write(l1, lines.set[i], lines.name[i], whole, local) ? written_count : 0;
            }
        }
        if (!l1->askers) {
            counts->l1_lookups += lookups;
            counts->l1_hits += hits;
        }
        counts->l1_lines += lines.count;
        cache_log_append(log, lines.entries, entries);
    }
}

/* A store that writes its sectors wholly. */
static inline void row_store(struct cache_l1 *l1, uint64_t first, uint32_t count, struct cache_log *log,
                             struct cache_counts *counts)
{
    uint32_t hits = 0;
    struct lines lines;

    lines_of_row(&lines, first, count);
    if (l1->table.sets)
        lines_place(&lines, &l1->table);
    for (uint32_t i = 0; i < lines.count; i++) {
        const uint32_t written = lines.wanted[i];
        lines.entries[i] = cache_entry(lines.line[i], written, CACHE_STORE, 0);
        if (l1->table.sets && line_write(l1, lines.set[i], lines.name[i], written, false))
            hits += sectors_count(written);
    }
    if (!l1->askers) {
        counts->l1_lookups += l1->table.sets ? count : 0;
        counts->l1_hits += hits;
    }
    counts->l1_lines += lines.count;
    cache_log_append(log, lines.entries, lines.count);
}

/* The lines of lanes with a sector each. */
static inline void lines_of_sweep(struct lines *lines, uint64_t address, uint64_t step)
{
    lines->count = LINES;
    LANES_LOOP
    {
        const uint64_t at = address + (uint64_t)lane * step;
        lines->line[lane] = at / CACHE_LINE_BYTES;
        lines->wanted[lane] = 1u << (at / SECTOR_BYTES & 3u);
    }
    if (step >= CACHE_LINE_BYTES)
        return;
    lines->count = 1;
    for (uint32_t i = 1; i < LINES; i++) {
        const bool same = lines->line[i] == lines->line[lines->count - 1];
        lines->count += !same;
        lines->line[lines->count - 1] = lines->line[i];
        lines->wanted[lines->count - 1] = lines->wanted[i] | (same ? lines->wanted[lines->count - 1] : 0);
    }
}

static void serve_sweep(struct cache_l1 *l1, enum cache_access access, uint64_t address, uint64_t step,
                        uint32_t width, bool allocate, struct cache_log *log, struct cache_counts *counts)
{
    const uint64_t words = width < 4 ? 1 : (1u << width / 4) - 1u;
    uint32_t hits = 0;
    struct lines lines;

    lines_of_sweep(&lines, address, step);
    if (access == CACHE_LOAD) {
        lines_load(l1, &lines, CACHE_LOAD, true, false, allocate, log, counts);
        return;
    }
    lines_place(&lines, &l1->table);
    LANES_LOOP
    {
        const uint64_t at = address + (uint64_t)lane * step;
        lines.entries[lane] = cache_entry(at / CACHE_LINE_BYTES, 1u << (at / SECTOR_BYTES & 3u), CACHE_STORE,
                                          words << (at / 4 & 7u));
    }
    for (uint32_t i = 0; i < lines.count; i++)
        if (line_write(l1, lines.set[i], lines.name[i], 0, false))
            hits += sectors_count(lines.wanted[i]);
    counts->l1_lookups += LINES;
    counts->l1_hits += hits;
    counts->l1_lines += lines.count;
    cache_log_append(log, lines.entries, LINES);
}

static void serve_row(struct cache_l1 *l1, enum cache_access access, enum program_cache policy,
                      uint64_t first, uint32_t count, struct cache_log *log, struct cache_counts *counts)
{
    const bool looks = l1->table.sets && policy != CACHE_GLOBAL && policy != CACHE_VOLATILE,
               allocate = policy != CACHE_NO_ALLOCATE, fetches = l1->askers && allocate;

    if (access == CACHE_STORE) {
        row_store(l1, first, count, log, counts);
    } else if (looks && !fetches && (first & 3u) + count <= 4) {
        line_load_one(l1, CACHE_LOAD, first >> 2, ((1u << count) - 1u) << (first & 3u), allocate, log,
                      counts);
    } else {
        struct lines lines;
        lines_of_row(&lines, first, count);
        lines_load(l1, &lines, CACHE_LOAD, looks, fetches, allocate, log, counts);
    }
}

static void serve_access(struct cache_l1 *l1, enum cache_access access, enum program_cache policy,
                         const uint64_t *sectors, uint32_t count, struct cache_log *log,
                         struct cache_counts *counts)
{
    switch (access) {
    case CACHE_LOAD: access_loads(l1, CACHE_LOAD, policy, sectors, count, log, counts); break;
    case CACHE_PREFETCH_L1: access_loads(l1, CACHE_PREFETCH_L2, policy, sectors, count, log, counts); break;
    case CACHE_STORE: access_stores(l1, false, sectors, count, log, counts); break;
    case CACHE_STORE_LOCAL: access_stores(l1, true, sectors, count, log, counts); break;
    case CACHE_ATOMIC:
    case CACHE_PREFETCH_L2:
        for (uint32_t i = 0; i < count; i++) {
            uint64_t entry =
                cache_entry((sectors[i] & CACHE_SECTOR_NUMBER) >> 2, 1u << (sectors[i] & 3u), access, 0);
            cache_log_append(log, &entry, 1);
        }
        break;
    }
}

/* ---- L2 ---- */
/* What one call works with. */
struct player {
    struct cache_l2 *l2;
    struct cache_counts counts;
};

/* The sectors of a word that are dirty but not readable. */
static inline uint32_t word_partial(uint32_t word)
{
    return word >> 4 & ~word & 15u;
}

/* Bytes of written words that belong to the sectors. */
static inline uint32_t words_mask(uint32_t sectors)
{
    return (sectors & 1u) * 0xffu | (sectors >> 1 & 1u) * 0xff00u | (sectors >> 2 & 1u) * 0xff0000u |
           (sectors >> 3 & 1u) * 0xff000000u;
}

/* Writes a line's dirty sectors to DRAM; of partly written ones the rest is read first. The clean line. */
static inline uint32_t word_clean(struct player *player, uint32_t word)
{
    uint32_t partial = word_partial(word), count = sectors_count(partial);

    player->counts.dram_read_bytes += SECTOR_BYTES * count;
    player->counts.l2_lookups += count;
    player->counts.dram_write_bytes += SECTOR_BYTES * sectors_count(word >> 4 & 15u);
    return (word | partial) & ~0xf0u;
}

/* The list of the lines of a set that are written in part. */
static inline uint32_t *words_of(const struct cache_l2 *l2, uint32_t set)
{
    return l2->words + (size_t)set * l2->set_words;
}

/* The lines of a set, without what the launches since its last use have dropped. */
INLINE ways set_lines(struct cache_l2 *l2, uint32_t set)
{
    ways all = ways_load(&l2->table.sets[set]);

    if (l2->epochs[set] != l2->epoch) {
        l2->epochs[set] = l2->epoch;
        all = ways_drop_clean(all);
        ways_store(&l2->table.sets[set], all);
    }
    return all;
}

/* The entry of a way in the list of the lines that are written in part; *count is the list's length. */
static inline uint32_t words_index(ways all, uint32_t way, uint32_t *count)
{
    uint32_t partial = ways_partial(all);

    *count = bits_count(partial);
    return bits_count(partial & ((1u << way) - 1u));
}

static inline uint32_t words_take(ways all, uint32_t *words, uint32_t way)
{
    uint32_t count, index = words_index(all, way, &count), taken = words[index];

    for (; index + 1 < count; index++)
        words[index] = words[index + 1];
    return taken;
}

/* A line that is looked up, changed and put in front. */
struct taken {
    ways all;                         /* its set, as before */
    uint32_t set, way, word, written; /* CACHE_NO_WAY: it is a new one */
};

INLINE struct taken line_take(struct player *player, struct cache_place place)
{
    ways all = set_lines(player->l2, place.set);
    const struct cache_set *set = &player->l2->table.sets[place.set];
    struct taken line = {.all = all,
                         .set = place.set,
                         .way = ways_find(all, place.name, CACHE_L2_STATE_BITS),
                         .word = place.name};

    if (line.way == CACHE_NO_WAY) {
        uint32_t victim = set->line[CACHE_WAYS - 1];
        if (victim & 0xf0)
            word_clean(player, victim); /* its entry in the list of words is the last one */
        return line;
    }
    line.word = set->line[line.way];
    if (word_partial(line.word))
        line.written = words_take(all, words_of(player->l2, place.set), line.way);
    return line;
}

/* Sectors are readable now: read from DRAM, or written completely. */
static inline void line_complete(struct taken *line, uint32_t sectors)
{
    line->word |= sectors;
    if (line->written)
        line->written &= ~words_mask(sectors);
}

/* The set with the line in front. */
INLINE ways line_front(const struct cache_l2 *l2, const struct taken *line)
{
    if (word_partial(line->word)) {
        uint32_t *words = words_of(l2, line->set);
        for (uint32_t index = l2->set_words - 1; index > 0; index--)
            words[index] = words[index - 1];
        words[0] = line->written;
    }
    return line->way == CACHE_NO_WAY ? ways_push(line->all, line->word)
                                     : ways_renew(line->all, line->way, line->word);
}

/* Sectors have become dirty: puts the line in front and writes the oldest ones beyond the limits to DRAM. */
INLINE void line_put_dirty(struct player *player, struct taken *line, uint32_t sectors)
{
    struct cache_l2 *l2 = player->l2;

    line->word |= sectors << 4;
    ways all = line_front(l2, line);
    if (word_partial(line->word)) {
        uint32_t partial = ways_partial(all), way = ways_oldest(partial);
        if (bits_count(partial) > l2->rules.partial_ways)
            all = ways_replace(all, way, word_clean(player, ways_word(all, way)));
    }
    uint32_t dirty = ways_dirty(all), way = ways_oldest(dirty | 1);
    if (bits_count(dirty) > l2->rules.dirty_ways)
        all = ways_replace(all, way, word_clean(player, ways_word(all, way)));
    ways_store(&l2->table.sets[line->set], all);
}

/* Makes sectors readable. Were they all? */
INLINE bool line_read(struct player *player, struct taken *line, uint32_t sectors)
{
    uint32_t missing = sectors & ~line->word;

    player->counts.l2_lookups += sectors_count(sectors);
    player->counts.l2_hits += sectors_count(sectors & ~missing);
    if (!missing)
        return true;
    if (player->l2->fetches_pairs)
        missing |= ((missing & 5u) << 1 | (missing & 10u) >> 1) & ~line->word;
    player->counts.dram_read_bytes += SECTOR_BYTES * sectors_count(missing);
    line_complete(line, missing);
    return false;
}

INLINE bool place_load(struct player *player, struct cache_place place, uint32_t sectors)
{
    struct taken line = line_take(player, place);
    bool hit = line_read(player, &line, sectors);

    ways_store(&player->l2->table.sets[place.set], line_front(player->l2, &line));
    return hit;
}

INLINE void line_overwrite(struct player *player, struct taken *line, uint32_t sectors, uint32_t words)
{
    uint32_t count = sectors_count(sectors);

    player->counts.l2_lookups += count;
    player->counts.l2_hits += count;
    if (words && !(line->word & sectors)) {
        uint32_t shift = 8 * (uint32_t)__builtin_ctz(sectors);
        line->written |= words << shift;
        if ((line->written >> shift & 0xffu) != 0xff)
            return;
    }
    line_complete(line, sectors);
}

/* A store of `words`, or an atomic, which reads the sectors. */
INLINE void place_store(struct player *player, struct cache_place place, uint32_t sectors, uint32_t words,
                        bool atomic)
{
    struct taken line = line_take(player, place);

    if (atomic)
        line_read(player, &line, sectors);
    else
        line_overwrite(player, &line, sectors, words);
    line_put_dirty(player, &line, sectors);
}

/* Forgets which launch used a set last, so that their numbers can begin again. */
static void serve_settle(struct cache_l2 *l2)
{
    for (uint32_t set = 0; set < l2->table.set_count; set++) {
        set_lines(l2, set);
        l2->epochs[set] = 0;
    }
}

static inline void play_entry(struct player *player, struct cache_place place, uint64_t entry)
{
    uint32_t sectors = entry >> CACHE_ENTRY_SECTORS & 15u;

    switch ((enum cache_access)(entry >> CACHE_ENTRY_ACCESS & 7u)) {
    case CACHE_LOAD:
        player->counts.l2_load_lines++;
        player->counts.l2_load_missed += !place_load(player, place, sectors);
        break;
    case CACHE_PREFETCH_L1:
    case CACHE_PREFETCH_L2: place_load(player, place, sectors); break;
    case CACHE_STORE:
    case CACHE_STORE_LOCAL: /* is logged as CACHE_STORE */
    case CACHE_ATOMIC:
        place_store(player, place, sectors, (uint32_t)(entry >> CACHE_ENTRY_WORDS),
                    (entry >> CACHE_ENTRY_ACCESS & 7u) == CACHE_ATOMIC);
        break;
    }
}

static bool is_host(const struct cache_l2 *l2, uint64_t line)
{
    size_t low = 0, high = l2->host_count; /* the last range that does not begin behind the line */

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (l2->hosts[middle].first_line <= line)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && line < l2->hosts[low - 1].end_line;
}

static void play_host(struct player *player, uint64_t entry)
{
    uint32_t count = sectors_count(entry >> CACHE_ENTRY_SECTORS & 15u);
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
        uint64_t bytes = SECTOR_BYTES * sectors_count(entries[i] >> CACHE_ENTRY_SECTORS & 15u);
        uint32_t access = entries[i] >> CACHE_ENTRY_ACCESS & 7u;
        if (access != CACHE_STORE)
            *(host ? &counts->host_read_bytes : &counts->dram_read_bytes) += bytes;
        if (access == CACHE_STORE || access == CACHE_ATOMIC)
            *(host ? &counts->host_write_bytes : &counts->dram_write_bytes) += bytes;
    }
}

/* How many entries before it plays one it prefetches its set, so that the host fetches while it plays. */
#define AHEAD 32
#define LOOK_ENTRIES 65536 /* how often it looks whether it is cancelled */

static inline struct cache_place place_prefetch(const struct cache_l2 *l2, uint64_t entry)
{
    struct cache_place place = cache_place_of(&l2->table, entry & CACHE_ENTRY_LINE);

    __builtin_prefetch(&l2->table.sets[place.set], 1);
    if (entry >> CACHE_ENTRY_WORDS)
        __builtin_prefetch(words_of(l2, place.set), 1);
    return place;
}

static void play_some(struct player *player, const uint64_t *entries, size_t count)
{
    struct cache_l2 *l2 = player->l2;
    struct cache_place places[AHEAD];

    for (size_t i = 0; i < AHEAD && i < count; i++)
        places[i] = place_prefetch(l2, entries[i]);
    for (size_t i = 0; i < count; i++) {
        const struct cache_place place = places[i % AHEAD];
        const uint64_t entry = entries[i];
        if (i + AHEAD < count)
            places[i % AHEAD] = place_prefetch(l2, entries[i + AHEAD]);
        if (l2->host_count && is_host(l2, entry & CACHE_ENTRY_LINE))
            play_host(player, entry);
        else
            play_entry(player, place, entry);
    }
}

static bool serve_play(struct cache_l2 *l2, const uint64_t *entries, size_t count, const atomic_bool *cancel,
                       struct cache_counts *counts)
{
    struct player player = {.l2 = l2};

    if (!l2->table.sets)
        play_nowhere(&player, entries, count);
    for (size_t at = 0; l2->table.sets && at < count; at += LOOK_ENTRIES) {
        if (cancel && atomic_load_explicit(cancel, memory_order_relaxed))
            return false;
        play_some(&player, entries + at, count - at < LOOK_ENTRIES ? count - at : LOOK_ENTRIES);
    }
    cache_counts_add(counts, &player.counts);
    return true;
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

/* Removes sectors of a line, which keeps its place in the order. */
static void place_remove(struct cache_l2 *l2, struct cache_place place, uint32_t sectors)
{
    ways all = set_lines(l2, place.set);
    uint32_t way = ways_find(all, place.name, CACHE_L2_STATE_BITS);

    if (way == CACHE_NO_WAY)
        return;
    uint32_t before = ways_word(all, way), word = before & ~(sectors << 4 | sectors);
    if (word_partial(word)) {
        uint32_t count, index = words_index(all, way, &count);
        words_of(l2, place.set)[index] &= ~words_mask(sectors);
    } else if (word_partial(before)) {
        words_take(all, words_of(l2, place.set), way);
    }
    ways_store(&l2->table.sets[place.set], ways_replace(all, way, word));
}

static void serve_range(struct cache_l2 *l2, enum cache_range what, uint64_t address, uint64_t size_bytes)
{
    struct player player = {.l2 = l2};
    uint64_t first = (address + SECTOR_BYTES - 1) / SECTOR_BYTES,
             last = (address + size_bytes) / SECTOR_BYTES;

    for (uint64_t line = first / 4; line * 4 < last; line++) {
        struct cache_place place = cache_place_of(&l2->table, line);
        uint32_t sectors = line_sectors(line, first, last);
        if (what == CACHE_RANGE_SET)
            place_store(&player, place, sectors, 0, false);
        else
            place_remove(l2, place, sectors);
    }
}

extern const struct cache_build LANES_PASTED(cache_, build, LANES_VARIANT);
const struct cache_build LANES_PASTED(cache_, build, LANES_VARIANT) = {.load = serve_load,
                                                                       .store = serve_store,
                                                                       .sweep = serve_sweep,
                                                                       .words = serve_words,
                                                                       .access = serve_access,
                                                                       .row = serve_row,
                                                                       .play = serve_play,
                                                                       .settle = serve_settle,
                                                                       .range = serve_range};
