/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What simt/count/cache is compared with: the same rules, spelled out over every line, sector and word, with
 * nothing done to be fast. The test owns it; `lines` of both caches are freed with free().
 */
#ifndef TESTS_SHARED_ORACLE_CACHE_ORACLE_H
#define TESTS_SHARED_ORACLE_CACHE_ORACLE_H

#include "simt/count/cache.h"

#define WAYS 16
#define SET_BYTES (WAYS * 128)

struct oracle_line {
    uint64_t line, used_at; /* used_at 0: free */
    bool readable[4], dirty[4], word[4][8];
};

struct oracle_cache {
    uint64_t sets, clock;
    struct oracle_line *lines; /* WAYS of each set in a row */
};

struct oracle {
    struct oracle_cache l1, l2;
    bool pairs;
    struct cache_counts counts;
};

void oracle_cache_init(struct oracle_cache *cache, uint64_t size_bytes);
/* One access of sectors that all lie in one line; of a store the words of each, 0: all. */
void oracle_access(struct oracle *oracle, enum cache_access access, enum program_cache policy, uint64_t line,
                   const bool *wanted, const unsigned *words);
/* cache_l2_launch */
void oracle_launch(struct oracle *oracle);

#endif
