/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/oracle/cache_oracle.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

void oracle_cache_init(struct oracle_cache *cache, uint64_t size_bytes)
{
    cache->sets = size_bytes / SET_BYTES;
    cache->clock = 0;
    cache->lines = calloc(cache->sets * WAYS + 1, sizeof *cache->lines);
    cr_assert_not_null(cache->lines);
}

static struct oracle_line *oracle_set(struct oracle_cache *cache, uint64_t line)
{
    uint64_t folded = line ^ (line / 1024 % 1024) ^ (line / 1048576 % 1024);
    return &cache->lines[folded % cache->sets * WAYS];
}

static struct oracle_line *oracle_find(struct oracle_cache *cache, uint64_t line)
{
    struct oracle_line *set = oracle_set(cache, line);
    for (int i = 0; i < WAYS; i++)
        if (set[i].used_at && set[i].line == line)
            return &set[i];
    return NULL;
}

static bool oracle_is_dirty(const struct oracle_line *l, bool in_part)
{
    for (int s = 0; s < 4; s++)
        if (l->dirty[s] && (!in_part || !l->readable[s]))
            return true;
    return false;
}

static void oracle_clean(struct oracle *o, struct oracle_line *l)
{
    for (int s = 0; s < 4; s++) {
        if (!l->dirty[s])
            continue;
        if (!l->readable[s]) {
            o->counts.dram_read_bytes += 32;
            o->counts.l2_lookups++;
        }
        o->counts.dram_write_bytes += 32;
        l->readable[s] = true;
        l->dirty[s] = false;
        memset(l->word[s], 0, sizeof l->word[s]);
    }
}

/* The line's place; *was says whether it had one. */
static struct oracle_line *oracle_place(struct oracle *o, struct oracle_cache *cache, uint64_t line,
                                        bool *was)
{
    struct oracle_line *set = oracle_set(cache, line), *l = oracle_find(cache, line);

    *was = l != NULL;
    if (!l) {
        l = set;
        for (int i = 1; i < WAYS; i++)
            if (set[i].used_at < l->used_at)
                l = &set[i];
        if (cache == &o->l2)
            oracle_clean(o, l);
        memset(l, 0, sizeof *l);
        l->line = line;
    }
    l->used_at = ++cache->clock;
    return l;
}

static void oracle_limit(struct oracle *o, uint64_t line, bool in_part, int most)
{
    struct oracle_line *set = oracle_set(&o->l2, line), *oldest = NULL;
    int count = 0;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].used_at && oracle_is_dirty(&set[i], in_part)) {
            count++;
            if (!oldest || set[i].used_at < oldest->used_at)
                oldest = &set[i];
        }
    }
    if (count > most)
        oracle_clean(o, oldest);
}

static void oracle_l2_load(struct oracle *o, uint64_t line, const bool *wanted)
{
    bool was, fetched[4] = {false};
    struct oracle_line *l = oracle_place(o, &o->l2, line, &was);
    for (int s = 0; s < 4; s++) {
        if (!wanted[s])
            continue;
        o->counts.l2_lookups++;
        o->counts.l2_hits += l->readable[s];
        if (!l->readable[s]) {
            fetched[s] = true;
            if (o->pairs && !l->readable[s ^ 1])
                fetched[s ^ 1] = true;
        }
    }
    for (int s = 0; s < 4; s++) {
        if (fetched[s]) {
            o->counts.dram_read_bytes += 32;
            l->readable[s] = true;
            memset(l->word[s], 0, sizeof l->word[s]);
        }
    }
}

static void oracle_l2_store(struct oracle *o, uint64_t line, int s, unsigned words)
{
    bool was, all = true;
    struct oracle_line *l = oracle_place(o, &o->l2, line, &was);
    o->counts.l2_lookups++;
    o->counts.l2_hits++;
    for (int w = 0; w < 8; w++) {
        l->word[s][w] |= !words || words >> w & 1;
        all &= l->word[s][w];
    }
    l->readable[s] |= all;
    if (l->readable[s])
        memset(l->word[s], 0, sizeof l->word[s]);
    l->dirty[s] = true;
}

void oracle_access(struct oracle *o, enum cache_access access, enum program_cache policy, uint64_t line,
                   const bool *wanted, const unsigned *words)
{
    bool on[4], any = false, was;
    memcpy(on, wanted, sizeof on);
    bool loads = access == CACHE_LOAD || access == CACHE_PREFETCH_L1;
    o->counts.l1_lines += loads || access == CACHE_STORE;
    for (int s = 0; s < 4; s++)
        o->counts.l1_lookups += wanted[s] && o->l1.sets && (loads || access == CACHE_STORE);
    if (loads && o->l1.sets && policy != CACHE_GLOBAL && policy != CACHE_VOLATILE) {
        struct oracle_line *l =
            policy == CACHE_NO_ALLOCATE ? oracle_find(&o->l1, line) : oracle_place(o, &o->l1, line, &was);
        for (int s = 0; l && s < 4; s++) {
            on[s] = wanted[s] && !l->readable[s];
            o->counts.l1_hits += wanted[s] && l->readable[s];
            l->readable[s] |= wanted[s] && policy != CACHE_NO_ALLOCATE;
        }
        if (l)
            l->used_at = ++o->l1.clock;
    } else if (access == CACHE_STORE && o->l1.sets) {
        struct oracle_line *l = oracle_place(o, &o->l1, line, &was);
        for (int s = 0; s < 4; s++) {
            o->counts.l1_hits += wanted[s] && was;
            l->readable[s] |= wanted[s] && (words[s] == 0 || words[s] == 0xff);
        }
    }
    for (int s = 0; s < 4; s++)
        any |= on[s];
    if (!any)
        return;
    if (access == CACHE_STORE) {
        for (int s = 0; s < 4; s++) { /* in part first, one by one: so they reach L2 */
            if (on[s] && words[s] != 0 && words[s] != 0xff) {
                oracle_l2_store(o, line, s, words[s]);
                oracle_limit(o, line, true, 2);
                oracle_limit(o, line, false, 6);
            }
        }
        for (int s = 0; s < 4; s++)
            if (on[s] && (words[s] == 0 || words[s] == 0xff))
                oracle_l2_store(o, line, s, 0);
    } else {
        uint64_t hits = o->counts.l2_hits, lookups = o->counts.l2_lookups;
        oracle_l2_load(o, line, on);
        o->counts.l2_load_lines += access == CACHE_LOAD;
        o->counts.l2_load_missed +=
            access == CACHE_LOAD && o->counts.l2_hits - hits < o->counts.l2_lookups - lookups;
        for (int s = 0; access == CACHE_ATOMIC && s < 4; s++)
            oracle_find(&o->l2, line)->dirty[s] |= on[s];
    }
    if (access == CACHE_STORE || access == CACHE_ATOMIC) {
        oracle_limit(o, line, true, 2);
        oracle_limit(o, line, false, 6);
    }
}

void oracle_launch(struct oracle *o)
{
    for (uint64_t i = 0; i < o->l2.sets * WAYS; i++) {
        struct oracle_line *l = &o->l2.lines[i];
        if (!oracle_is_dirty(l, false))
            memset(l, 0, sizeof *l);
        for (int s = 0; s < 4; s++)
            l->readable[s] &= l->dirty[s];
    }
}
