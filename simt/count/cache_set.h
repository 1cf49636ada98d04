/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of 16 lines: the modelled L1 and L2 are tables of sets. For cache.c and cache_serve.c, and for the
 * engine cache_l1_load, cache_l1_store and cache_l1_sweep alone.
 *
 * A set is one cache line of the host: 16 words in order of use, the last used line first, so that a new line
 * pushes out the least recently used one. A word is the line's name within its set, which is not 0, above one
 * bit per readable sector and, in L2, one per dirty sector. A word of 0 is a free place; free places are
 * last.
 */
#ifndef SIMT_COUNT_CACHE_SET_H
#define SIMT_COUNT_CACHE_SET_H

#include "simt/count/cache.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CACHE_WAYS 16
#define CACHE_LINE_BYTES 128
#define CACHE_NO_WAY CACHE_WAYS

struct cache_set {
    alignas(64) uint32_t line[CACHE_WAYS];
};

struct cache_build;

struct cache_table {
    struct cache_set *sets; /* NULL: no cache */
    uint32_t set_count;
    uint32_t state_bits;             /* of a word: the bits below the name */
    uint64_t inverse;                /* 2^63 / set_count, rounded up: for the quotient */
    const struct cache_build *build; /* for the host's vectors */
};

struct cache_place {
    uint32_t set, name; /* name: where it is in a word */
};

/* The set of a line, and its name there. Two lines of a set do not have the same name below 2^39 bytes, nor,
 * with few sets, below 2^(39 - state_bits) bytes times the sets; and above only by chance. Higher bits are
 * folded into the set's number, so that strides of powers of two use all sets; neighbours stay neighbours.
 * The product is made in two parts, so that compilers can make vectors of it. */
static inline struct cache_place cache_place_of(const struct cache_table *table, uint64_t line)
{
    uint32_t tag = (uint32_t)line ^ ((uint32_t)(line >> 32) * 0x9e3779b1u);
    uint32_t folded = tag ^ ((tag >> 10) & 0x3ffu) ^ ((tag >> 20) & 0x3ffu);
    uint64_t high = (table->inverse >> 32) * folded, low = (table->inverse & UINT32_MAX) * folded;
    uint32_t quotient = (uint32_t)((high + (low >> 32)) >> 31);
    uint32_t bits = table->state_bits, names = UINT32_MAX >> bits;
    uint32_t mixed = (quotient ^ (quotient >> (32 - bits)) * 0x85ebca6bu) & (names - 1);

    return (struct cache_place){folded - quotient * table->set_count,
                                ((quotient < names ? quotient : mixed) + 1) << bits};
}

static inline uint32_t cache_sectors_count(uint32_t mask)
{
    return (uint32_t)(UINT64_C(0x4332322132212110) >> (mask * 4) & 7u);
}

struct cache_l1 {
    struct cache_table table;
    uint32_t *askers; /* per word of a set, who fetched the line: hash of block and instruction, above the
                         warp; 0: nobody. NULL: sectors are fetched, and this is not needed */
    uint32_t asker;
};
#define CACHE_ASKER_WARP_BITS 6

struct cache_host_range {
    uint64_t first_line, end_line;
};

struct cache_l2 {
    struct cache_table table;
    uint8_t *epochs;    /* per set: the launch in which it was last used */
    uint8_t epoch;      /* the launch, counted from 0 again after 255 */
    uint32_t *words;    /* set_words per set: for each line with partly written sectors, in order of use, one
                           byte per sector: its written words */
    uint32_t set_words; /* one more than the lines that may be so: the oldest is written to DRAM then */
    struct cache_l2_rules rules;
    bool fetches_pairs;             /* of sectors */
    struct cache_host_range *hosts; /* by their first lines */
    size_t host_count;
};
#define CACHE_L1_STATE_BITS 4

/* The line that an instruction accessed last, and its place, which is that in any L1 of the launch. Zeroed: none. */
struct cache_seen {
    uint64_t line; /* 1 + its number */
    struct cache_place place;
};

/* It has sets, and fetches sectors. */
static inline bool cache_l1_is_simple(const struct cache_l1 *l1)
{
    return l1->table.sets && !l1->askers;
}

/* Are these neighbouring sectors, of at least one, in one line? */
static inline bool cache_is_one_line(uint64_t first, uint32_t count)
{
    return ((uint32_t)first & 3u) + count <= 4;
}
#define CACHE_L2_STATE_BITS 8 /* readable, above them dirty */

/* A log's entries: line, sectors, access, and the words of a store that writes one sector in part. There is
 * one list per part of the replay, so that a worker reads no entry of another part: fetching an entry from
 * another processor's cache costs more than replaying it. */
struct cache_list {
    uint64_t *entries;
    size_t count, capacity;
};

struct cache_log { /* in a cache line of the host of its own: two workers write two logs at the same time */
    alignas(64) struct cache_list *lists;
    const struct cache_table *table; /* of the L2 it is for */
    uint32_t parts, list_count;      /* lists in use, lists there are */
    bool failed;
};

/* Makes room for more; false: no memory. */
bool cache_list_grow(struct cache_list *list, size_t more);

/* The part of the playing that a set belongs to. Neighbours, whose words and launches share lines of
 * the host, belong together. */
static inline uint32_t cache_part_of(uint32_t set, uint32_t parts)
{
    return (uint32_t)(((uint64_t)(set / 16 * 0x9e3779b1u) * parts) >> 32);
}

#define CACHE_ENTRY_LINE UINT64_C(0x3fffffffffff)
#define CACHE_ENTRY_SECTORS 46
#define CACHE_ENTRY_ACCESS 50
#define CACHE_ENTRY_WORDS 56

static inline uint64_t cache_entry(uint64_t line, uint32_t sectors, enum cache_access access, uint64_t words)
{
    return line | (uint64_t)sectors << CACHE_ENTRY_SECTORS | (uint64_t)access << CACHE_ENTRY_ACCESS |
           words << CACHE_ENTRY_WORDS;
}

/* Entries at once: of the lines of 32 lanes, each with a store of four sectors, none of them whole. */
#define CACHE_LOG_MOST (32 * 5)

static inline bool cache_list_has_room(struct cache_log *log, struct cache_list *list, uint32_t more)
{
    if (list->capacity - list->count >= more || cache_list_grow(list, more))
        return true;
    log->failed = true;
    return false;
}

/* Their parts are computed first, by themselves: compilers make vectors of that. */
static inline void cache_log_append(struct cache_log *log, const uint64_t *entries, uint32_t count)
{
    struct cache_list *lists = log->lists;

    if (log->parts == 1) {
        if (cache_list_has_room(log, lists, count)) {
            memcpy(lists->entries + lists->count, entries, count * sizeof *entries);
            lists->count += count;
        }
        return;
    }
    const struct cache_table table = *log->table;
    uint32_t part[CACHE_LOG_MOST];
    for (uint32_t i = 0; i < count; i++)
        part[i] = cache_part_of(cache_place_of(&table, entries[i] & CACHE_ENTRY_LINE).set, log->parts);
    for (uint32_t i = 0; i < count; i++) {
        struct cache_list *list = &lists[part[i]];
        if (cache_list_has_room(log, list, 1))
            list->entries[list->count++] = entries[i];
    }
}

/* simt/count/cache_serve.c, compiled for several vector widths: the functions of cache.h without `build`. */
struct cache_build {
    /* Sectors of one line; how many of them L1 does not have, of a store all or none. */
    uint32_t (*load)(struct cache_l1 *l1, struct cache_place place, uint64_t line, uint32_t wanted,
                     bool allocate, struct cache_log *log);
    uint32_t (*store)(struct cache_l1 *l1, struct cache_place place, uint64_t line, uint32_t written,
                      struct cache_log *log);
    /* A load, or a store, of 32 lanes of `width` bytes, each with a sector of its own: `step` bytes, of at least 32,
     * behind the lane before. All of it is counted. */
    void (*sweep)(struct cache_l1 *l1, enum cache_access access, uint64_t address, uint64_t step,
                  uint32_t width, bool allocate, struct cache_log *log, struct cache_counts *counts);
    void (*words)(const struct warp_access *access, uint64_t *sectors, uint32_t count);
    void (*access)(struct cache_l1 *l1, enum cache_access access, enum program_cache policy,
                   const uint64_t *sectors, uint32_t count, struct cache_log *log,
                   struct cache_counts *counts);
    void (*row)(struct cache_l1 *l1, enum cache_access access, enum program_cache policy, uint64_t first,
                uint32_t count, struct cache_log *log, struct cache_counts *counts);
    /* false: cancelled */
    bool (*play)(struct cache_l2 *l2, const uint64_t *entries, size_t count, const atomic_bool *cancel,
                 struct cache_counts *counts);
    void (*settle)(struct cache_l2 *l2); /* of the launch `epoch`: the next may be 0 */
    void (*range)(struct cache_l2 *l2, enum cache_range what, uint64_t address, uint64_t size_bytes);
};

static inline void cache_see(const struct cache_l1 *l1, struct cache_seen *seen, uint64_t line)
{
    if (line + 1 != seen->line) {
        seen->place = cache_place_of(&l1->table, line);
        seen->line = line + 1;
    }
}

/* A load of neighbouring sectors of one line, from an L1 that is simple: how many of them it does not have. A line that is the last used one of its set is found without a search. The caller counts the rest: so many
 * lookups and hits less those, and one line. */
static inline uint32_t cache_l1_load(struct cache_l1 *l1, struct cache_seen *seen, uint64_t first,
                                     uint32_t count, bool allocate, struct cache_log *log)
{
    const uint32_t wanted = ((1u << count) - 1u) << (first & 3u);
    cache_see(l1, seen, first >> 2);
    const uint32_t word = l1->table.sets[seen->place.set].line[0];
    if (word >> CACHE_L1_STATE_BITS == seen->place.name >> CACHE_L1_STATE_BITS && (word & wanted) == wanted)
        return 0;
    return l1->table.build->load(l1, seen->place, first >> 2, wanted, allocate, log);
}

/* The same for a store that writes the sectors wholly. */
static inline uint32_t cache_l1_store(struct cache_l1 *l1, struct cache_seen *seen, uint64_t first,
                                      uint32_t count, struct cache_log *log)
{
    cache_see(l1, seen, first >> 2);
    return l1->table.build->store(l1, seen->place, first >> 2, ((1u << count) - 1u) << (first & 3u), log);
}

/* An access of all lanes, each in a sector of its own, `step` bytes behind the lane before, to an L1 that is simple. */
static inline void cache_l1_sweep(struct cache_l1 *l1, enum cache_access access, uint64_t address,
                                  uint64_t step, uint32_t width, bool allocate, struct cache_log *log,
                                  struct cache_counts *counts)
{
    l1->table.build->sweep(l1, access, address, step, width, allocate, log, counts);
}

#endif
