/*
 * The 16 words of a set in vectors of the host: `ways` are searched, shifted and changed in registers. Only
 * for simt/count/cache_serve.c.
 */
#ifndef SIMT_COUNT_CACHE_WAYS_H
#define SIMT_COUNT_CACHE_WAYS_H

#include "simt/count/cache_set.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

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

#endif
