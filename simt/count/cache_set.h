/*
 * A set of 16 lines: the modelled L1 and L2 are tables of sets. Only for cache_*.c.
 *
 * The data of a look-up fit into two cache lines of the host: tags that are compared all at once, the
 * sectors' state, and the order of use as sixteen 4-bit way numbers in one word, the last used way lowest.
 */
#ifndef SIMT_COUNT_CACHE_SET_H
#define SIMT_COUNT_CACHE_SET_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_WAYS 16
#define CACHE_LINE_BYTES 128
#define CACHE_NO_WAY CACHE_WAYS

struct cache_set {
    alignas(64) uint32_t tag[CACHE_WAYS]; /* cache_tag of the line */
    uint64_t order;
    uint8_t valid[CACHE_WAYS], dirty[CACHE_WAYS]; /* one bit per sector; L1 does not use dirty */
    uint16_t used;                                /* ways that hold a line */
    uint16_t dirty_ways, partial_ways; /* L2: with dirty sectors; with dirty ones that are not valid */
    uint32_t epoch;                    /* L2: the launch in which the set was last used */
};

struct cache_table {
    struct cache_set *sets; /* NULL: no cache */
    uint32_t set_count;
    uint64_t inverse; /* ceil(2^64 / set_count): for the remainder */
};

/* The name of a line within its set, and the source of the set's number: two words with the same name do not
 * occur below 2^39 bytes, and above only if their addresses differ only by their window. */
static inline uint32_t cache_tag(uint64_t line)
{
    return (uint32_t)line ^ ((uint32_t)(line >> 32) * 0x9e3779b1u);
}

__extension__ typedef unsigned __int128 cache_wide;

/* Higher bits are folded in, so that strides of powers of two use all sets; neighbours stay neighbours. The
 * remainder is Lemire's for 32-bit numbers, without a division. */
static inline uint32_t cache_set_of(const struct cache_table *table, uint32_t tag)
{
    uint32_t folded = tag ^ ((tag >> 10) & 0x3ffu) ^ ((tag >> 20) & 0x3ffu);

    return (uint32_t)(((cache_wide)(table->inverse * folded) * table->set_count) >> 64);
}

typedef uint32_t cache_four __attribute__((vector_size(16)));

/* The way that has a tag, or CACHE_NO_WAY. Written with vectors, since compilers do not vectorise it. */
static inline uint32_t cache_set_find(const struct cache_set *set, uint32_t tag)
{
    const cache_four *tags = (const cache_four *)(const void *)set->tag;
    cache_four wanted = {tag, tag, tag, tag};
    cache_four found = ((cache_four)(tags[0] == wanted) & (cache_four){1, 2, 4, 8}) |
                       ((cache_four)(tags[1] == wanted) & (cache_four){16, 32, 64, 128}) |
                       ((cache_four)(tags[2] == wanted) & (cache_four){256, 512, 1024, 2048}) |
                       ((cache_four)(tags[3] == wanted) & (cache_four){4096, 8192, 16384, 32768});
    uint32_t match = (found[0] | found[1] | found[2] | found[3]) & set->used;

    return match ? (uint32_t)__builtin_ctz(match) : CACHE_NO_WAY;
}

/* The way becomes the last used one. */
static inline void cache_set_touch(struct cache_set *set, uint32_t way)
{
    uint64_t differ = set->order ^ (way * UINT64_C(0x1111111111111111));
    uint64_t zero = (differ - UINT64_C(0x1111111111111111)) & ~differ & UINT64_C(0x8888888888888888);
    uint32_t shift = (uint32_t)__builtin_ctzll(zero) & ~3u; /* of the way's place */
    uint64_t above = (~UINT64_C(0) << shift) << 4, below = ~(~UINT64_C(0) << shift);

    set->order = (set->order & above) | (set->order & below) << 4 | way;
}

/* A free way, else the least recently used one. */
static inline uint32_t cache_set_victim(const struct cache_set *set)
{
    if (set->used != 0xffffu)
        return (uint32_t)__builtin_ctz(~(uint32_t)set->used);
    return (uint32_t)(set->order >> 60);
}

/* The least recently used way of a mask that is not empty. */
static inline uint32_t cache_set_oldest(const struct cache_set *set, uint32_t ways)
{
    uint64_t order = set->order;
    uint32_t way;

    do {
        way = (uint32_t)(order >> 60);
        order <<= 4;
    } while (!(ways >> way & 1u));
    return way;
}

static inline uint32_t cache_sectors_count(uint32_t mask)
{
    return (uint32_t)(UINT64_C(0x4332322132212110) >> (mask * 4) & 7u);
}

/* Empty sets for size_bytes; false: no memory. If size_bytes is less than one set, there are no sets. */
bool cache_table_init(struct cache_table *table, uint64_t size_bytes);
void cache_table_fini(struct cache_table *table);
void cache_table_clear(struct cache_table *table);

struct cache_l2;

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

/* The part of the playing that a set belongs to. */
static inline uint32_t cache_part_of(uint32_t set, uint32_t parts)
{
    return (uint32_t)(((uint64_t)(set * 0x9e3779b1u) * parts) >> 32);
}

const struct cache_table *cache_l2_table(const struct cache_l2 *l2);

#define CACHE_ENTRY_LINE UINT64_C(0x3fffffffffff)
#define CACHE_ENTRY_SECTORS 46
#define CACHE_ENTRY_ACCESS 50
#define CACHE_ENTRY_WORDS 56

#endif
