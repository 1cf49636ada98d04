/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modelled caches: small cases worked by hand, random accesses against an oracle that keeps every line in
 * a list, the same totals however the sets are shared out, and an H200's DRAM bytes for strided copies.
 */
#include "core/hardware/coalesce.h"
#include "simt/count/cache_set.h"
#include "simt/timing/gpu.h"
#include "tests/shared/oracle/cache_oracle.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOGS 3

/* --- both sides ------------------------------------------------------------------------------------------
 */

struct machine {
    struct cache_l1 *l1;
    struct cache_l2 *l2;
    struct cache_log *log[LOGS];
    uint32_t parts; /* the logs are for */
    struct cache_counts counts;
};

static void machine_deal(struct machine *m, uint32_t parts)
{
    m->parts = parts;
    for (size_t i = 0; i < LOGS; i++)
        cache_log_clear(m->log[i], m->l2, parts);
}

static void machine_init(struct machine *m, uint64_t l1_bytes, uint64_t l2_bytes, uint32_t fetch_bytes)
{
    struct cache_l2_rules rules = gpu_at(0)->l2;
    rules.fetch_bytes = fetch_bytes;
    memset(m, 0, sizeof *m);
    cr_assert_eq(cache_l1_create(&m->l1, l1_bytes, NULL), STATUS_OK);
    cr_assert_eq(cache_l2_create(&m->l2, l2_bytes, &rules, NULL), STATUS_OK);
    for (size_t i = 0; i < LOGS; i++)
        cr_assert_eq(cache_log_create(&m->log[i], NULL), STATUS_OK);
    machine_deal(m, 1);
}

static void machine_fini(struct machine *m)
{
    cache_l1_destroy(m->l1);
    cache_l2_destroy(m->l2);
    for (size_t i = 0; i < LOGS; i++)
        cache_log_destroy(m->log[i]);
}

/* What comes next will be played in so many parts. */
static void machine_play(struct machine *m, uint32_t next_parts)
{
    for (uint32_t part = 0; part < m->parts; part++)
        cache_l2_play(m->l2, m->log, LOGS, part, NULL, &m->counts);
    for (size_t i = 0; i < LOGS; i++)
        cr_assert_not(cache_log_failed(m->log[i]));
    machine_deal(m, next_parts);
}

static void machine_access(struct machine *m, enum cache_access access, enum program_cache policy,
                           const uint64_t *sectors, uint32_t count)
{
    cache_l1_access(m->l1, access, policy, sectors, count, m->log[0], &m->counts);
}

static void assert_counts(const struct cache_counts *found, const struct cache_counts *wanted,
                          const char *what)
{
    cr_assert_eq(memcmp(found, wanted, sizeof *found), 0,
                 "%s: L1 %llu of %llu, oracle %llu of %llu; L2 %llu of %llu, oracle %llu of %llu; DRAM read "
                 "%llu, oracle %llu; written %llu, oracle %llu; lines %llu, oracle %llu; "
                 "loads wait for %llu of %llu lines, oracle %llu of %llu",
                 what, (unsigned long long)found->l1_hits, (unsigned long long)found->l1_lookups,
                 (unsigned long long)wanted->l1_hits, (unsigned long long)wanted->l1_lookups,
                 (unsigned long long)found->l2_hits, (unsigned long long)found->l2_lookups,
                 (unsigned long long)wanted->l2_hits, (unsigned long long)wanted->l2_lookups,
                 (unsigned long long)found->dram_read_bytes, (unsigned long long)wanted->dram_read_bytes,
                 (unsigned long long)found->dram_write_bytes, (unsigned long long)wanted->dram_write_bytes,
                 (unsigned long long)found->l1_lines, (unsigned long long)wanted->l1_lines,
                 (unsigned long long)found->l2_load_missed, (unsigned long long)found->l2_load_lines,
                 (unsigned long long)wanted->l2_load_missed, (unsigned long long)wanted->l2_load_lines);
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

struct sizes {
    uint64_t l1_sets, l2_sets;
    uint32_t fetch_bytes;
    uint64_t lines; /* that the accesses choose from */
};

static void compare_random(const struct sizes *sizes, uint64_t seed)
{
    static const enum program_cache policies[] = {
        CACHE_ALL, CACHE_ALL, CACHE_ALL, CACHE_GLOBAL, CACHE_VOLATILE, CACHE_NO_ALLOCATE, CACHE_READ_ONLY};
    struct machine m;
    struct oracle o = {.pairs = sizes->fetch_bytes == 64};
    uint64_t state = seed;
    char what[64];

    machine_init(&m, sizes->l1_sets * SET_BYTES, sizes->l2_sets * SET_BYTES, sizes->fetch_bytes);
    oracle_cache_init(&o.l1, sizes->l1_sets * SET_BYTES);
    oracle_cache_init(&o.l2, sizes->l2_sets * SET_BYTES);
    for (int i = 0; i < 4000; i++) {
        uint64_t kind = random_next(&state) % 11, line = random_next(&state) % sizes->lines, sectors[4];
        enum cache_access access = kind < 4    ? CACHE_LOAD
                                   : kind < 8  ? CACHE_STORE
                                   : kind < 9  ? CACHE_ATOMIC
                                   : kind < 10 ? CACHE_PREFETCH_L1
                                               : CACHE_PREFETCH_L2;
        enum program_cache policy = policies[random_next(&state) % (sizeof policies / sizeof *policies)];
        bool wanted[4] = {false}, alone = access == CACHE_ATOMIC || access == CACHE_PREFETCH_L2;
        unsigned words[4] = {0};
        uint32_t count = 0;

        if (i % 300 == 299) {
            cache_l2_launch(m.l2);
            oracle_launch(&o);
        }
        if (random_next(&state) % 8 == 0)
            line *= 1024; /* strides that are powers of two */
        for (unsigned s = 0; s < 4; s++) {
            if (random_next(&state) % 2 || (s == 3 && count == 0)) {
                if (alone && count)
                    continue;
                wanted[s] = true;
                if (access == CACHE_STORE && random_next(&state) % 2)
                    words[s] = 1u << random_next(&state) % 8 | 1u << random_next(&state) % 8 |
                               (random_next(&state) % 3 ? 0 : 0xfcu);
                sectors[count++] = (line * 4 + s) | (uint64_t)words[s] << CACHE_SECTOR_WORDS;
            }
        }
        machine_access(&m, access, policy, sectors, count);
        machine_play(&m, 1 + (uint32_t)i % 3);
        oracle_access(&o, access, policy, line, wanted, words);
        snprintf(what, sizeof what, "%llu L1 sets, %llu L2 sets, access %d",
                 (unsigned long long)sizes->l1_sets, (unsigned long long)sizes->l2_sets, i);
        assert_counts(&m.counts, &o.counts, what);
    }
    free(o.l1.lines);
    free(o.l2.lines);
    machine_fini(&m);
}

/* Sets that no launch uses for long keep their dirty sectors and none of their clean ones. */
Test(simt_cache, many_launches)
{
    static const bool sectors[4] = {true};
    struct machine m;
    struct oracle o = {.pairs = false};

    machine_init(&m, 0, 4 * SET_BYTES, 32);
    oracle_cache_init(&o.l1, 0);
    oracle_cache_init(&o.l2, 4 * SET_BYTES);
    for (uint64_t launch = 0; launch < 1100; launch++) {
        /* Line 0 at launches 256 apart, and lines beside it in between. */
        for (uint64_t line = launch % 256 ? 1 : 0; line < 4; line += 1 + launch % 3) {
            enum cache_access access = line > 0 && launch % 5 == 0 ? CACHE_STORE : CACHE_LOAD;
            uint64_t sector = line * 4;
            machine_access(&m, access, CACHE_ALL, &sector, 1);
            oracle_access(&o, access, CACHE_ALL, line, sectors, (const unsigned[4]){0});
        }
        machine_play(&m, 1);
        assert_counts(&m.counts, &o.counts, "a launch of many");
        cache_l2_launch(m.l2);
        oracle_launch(&o);
    }
    free(o.l1.lines);
    free(o.l2.lines);
    machine_fini(&m);
}

Test(simt_cache, equals_the_oracle)
{
    static const struct sizes sizes[] = {
        {1, 1, 32, 40},  {1, 1, 64, 24},    {2, 3, 64, 100},  {5, 7, 32, 200},
        {0, 4, 64, 100}, {16, 40, 64, 900}, {3, 100, 32, 90}, {128, 1, 64, 60},
    };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare_random(&sizes[i], 1 + i);
}

Test(simt_cache, parts_share_out_the_sets)
{
    struct cache_counts alone = {0};

    for (uint32_t parts = 1; parts <= 7; parts++) {
        struct machine m;
        uint64_t state = 5;
        machine_init(&m, 0, 50 * SET_BYTES, 64);
        machine_deal(&m, parts);
        for (int batch = 0; batch < 4; batch++) {
            for (int i = 0; i < 3000; i++) {
                uint64_t sector = random_next(&state) % 8000;
                enum cache_access access = random_next(&state) % 2 ? CACHE_LOAD : CACHE_STORE;
                cache_l1_access(m.l1, access, CACHE_ALL, &sector, 1, m.log[i % LOGS], &m.counts);
            }
            machine_play(&m, parts);
        }
        if (parts == 1)
            alone = m.counts;
        cr_assert_gt(m.counts.l2_hits, 0);
        cr_assert_gt(m.counts.dram_write_bytes, 0);
        assert_counts(&m.counts, &alone, "in parts");
        machine_fini(&m);
    }
}

/* --- by hand ---------------------------------------------------------------------------------------------
 */

#define WORDS(mask) ((uint64_t)(mask) << CACHE_SECTOR_WORDS)

Test(simt_cache, a_second_load_hits_l1)
{
    struct machine m;
    const uint64_t four[] = {40, 41, 42, 43};

    machine_init(&m, 64 * 1024, 1 << 20, 32);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, four, 4);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, four, 4);
    machine_play(&m, 1);
    assert_counts(&m.counts, &(struct cache_counts){8, 4, 4, 0, 128, 0, 0, 0, 2, 1, 1}, "twice");
    cache_l1_clear(m.l1); /* another multiprocessor: L2 has it */
    machine_access(&m, CACHE_LOAD, CACHE_ALL, four, 4);
    machine_play(&m, 1);
    assert_counts(&m.counts, &(struct cache_counts){12, 4, 8, 4, 128, 0, 0, 0, 3, 2, 1}, "through L2");
    cache_l2_launch(m.l2); /* a new launch: neither has it */
    cache_l1_clear(m.l1);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, four, 4);
    machine_play(&m, 1);
    assert_counts(&m.counts, &(struct cache_counts){16, 4, 12, 4, 256, 0, 0, 0, 4, 3, 2},
                  "in the next launch");
    machine_fini(&m);
}

/* As on 2.x: two warps whose words lie in one line each ask for all of it; later loads find it. */
Test(simt_cache, whole_lines_on_their_way)
{
    struct machine m;
    const uint64_t first[] = {40, 41}, second[] = {42, 43};

    machine_init(&m, 64 * 1024, 1 << 20, 32);
    cr_assert_eq(cache_l1_fetch_lines(m.l1, NULL), STATUS_OK);
    cache_l1_asks(m.l1, 7, 3, 0);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, first, 2);
    machine_play(&m, 1);
    assert_counts(&m.counts, &(struct cache_counts){2, 0, 4, 0, 128, 0, 0, 0, 1, 1, 1}, "a line, not half");
    cache_l1_asks(m.l1, 7, 3, 1);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, second, 2);
    machine_play(&m, 1);
    assert_counts(&m.counts, &(struct cache_counts){4, 0, 8, 4, 128, 0, 0, 0, 2, 2, 1}, "the next warp, too");
    machine_access(&m, CACHE_LOAD, CACHE_ALL, first, 2); /* the same warp again */
    cache_l1_asks(m.l1, 7, 4, 0);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, first, 2); /* another instruction */
    cache_l1_asks(m.l1, 8, 3, 2);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, first, 2); /* another block */
    machine_play(&m, 1);
    assert_counts(&m.counts, &(struct cache_counts){10, 6, 8, 4, 128, 0, 0, 0, 5, 2, 1}, "it is there");
    machine_fini(&m);
}

/* As on 2.x: a store is no lookup, and the next load of its line misses. */
Test(simt_cache, a_store_removes_its_line)
{
    struct machine m;
    const uint64_t sectors[] = {40, 41};

    machine_init(&m, 64 * 1024, 1 << 20, 32);
    cr_assert_eq(cache_l1_fetch_lines(m.l1, NULL), STATUS_OK);
    for (uint32_t block = 7; block < 9; block++) {
        cache_l1_asks(m.l1, block, 3, 0);
        machine_access(&m, CACHE_LOAD, CACHE_ALL, sectors, 2);
    }
    cr_assert_eq(m.counts.l1_hits, 2);
    machine_access(&m, CACHE_STORE, CACHE_ALL, sectors, 1);
    cr_assert_eq(m.counts.l1_lookups, 4);
    cache_l1_asks(m.l1, 9, 3, 0);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, sectors, 2);
    cr_assert_eq(m.counts.l1_hits, 2, "the line is gone");
    cr_assert_eq(m.counts.l1_lookups, 6);
    machine_fini(&m);
}

Test(simt_cache, two_halves_of_a_sector_need_no_dram_read)
{
    struct machine m;
    const uint64_t low = 9 | WORDS(0x0f), high = 9 | WORDS(0xf0), sector = 9;

    machine_init(&m, 0, 1 << 20, 32);
    machine_access(&m, CACHE_STORE, CACHE_ALL, &low, 1);
    machine_access(&m, CACHE_STORE, CACHE_ALL, &high, 1);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, &sector, 1);
    machine_play(&m, 1);
    assert_counts(&m.counts, &(struct cache_counts){0, 0, 3, 3, 0, 0, 0, 0, 3, 1, 0}, "written wholly");
    machine_fini(&m);
}

Test(simt_cache, a_half_written_sector_is_read_when_it_has_to_leave)
{
    struct machine m;

    machine_init(&m, 0, SET_BYTES, 32); /* one set: the third such line is beyond the limit of two */
    for (uint64_t line = 0; line < 3; line++) {
        uint64_t sector = line * 4 | WORDS(1);
        machine_access(&m, CACHE_STORE, CACHE_ALL, &sector, 1);
    }
    machine_play(&m, 1);
    assert_counts(&m.counts, &(struct cache_counts){0, 0, 4, 3, 32, 32, 0, 0, 3, 0, 0}, "three lines");
    machine_fini(&m);
}

Test(simt_cache, dirty_lines_stay_for_the_next_launch)
{
    struct machine m;

    machine_init(&m, 0, SET_BYTES, 32);
    for (uint64_t line = 0; line < 8; line++) {
        const uint64_t sectors[] = {line * 4, line * 4 + 1};
        machine_access(&m, CACHE_STORE, CACHE_ALL, sectors, 2);
    }
    machine_play(&m, 1);
    cr_assert_eq(m.counts.dram_write_bytes, 2 * 64); /* six of eight lines are still dirty */
    cache_l2_launch(m.l2);
    m.counts = (struct cache_counts){0};
    for (uint64_t line = 100; line < 116; line++) {
        uint64_t sector = line * 4;
        machine_access(&m, CACHE_LOAD, CACHE_ALL, &sector, 1);
    }
    machine_play(&m, 1);
    assert_counts(&m.counts, &(struct cache_counts){0, 0, 16, 0, 512, 6 * 64, 0, 0, 16, 16, 16},
                  "pushed out by loads");
    machine_fini(&m);
}

Test(simt_cache, ranges)
{
    struct machine m;
    uint64_t sector = 1000;

    machine_init(&m, 0, 1 << 20, 32);
    cache_l2_range(m.l2, CACHE_RANGE_SET, 32000 - 4, 40); /* covers sector 1000 and some words beside it */
    machine_access(&m, CACHE_LOAD, CACHE_ALL, &sector, 1);
    machine_play(&m, 1);
    assert_counts(&m.counts, &(struct cache_counts){0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0},
                  "a set leaves its bytes in L2");
    cache_l2_range(m.l2, CACHE_RANGE_READ, 32000, 32);
    cache_l2_range(m.l2, CACHE_RANGE_COPIED, 32000, 32);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, &sector, 1);
    machine_play(&m, 1);
    assert_counts(&m.counts, &(struct cache_counts){0, 0, 2, 1, 32, 0, 0, 0, 2, 2, 1},
                  "a copy engine takes them out");
    machine_fini(&m);
}

Test(simt_cache, mapped_memory_crosses_the_bus_every_time)
{
    struct machine m;
    const uint64_t inside = 1000, behind = 1004;

    machine_init(&m, 0, 1 << 20, 64);
    cr_assert_eq(cache_l2_host_add(m.l2, 32000, 128, NULL), STATUS_OK);
    for (int i = 0; i < 3; i++)
        machine_access(&m, CACHE_LOAD, CACHE_ALL, &inside, 1);
    machine_access(&m, CACHE_STORE, CACHE_ALL, &inside, 1);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, &behind, 1);
    machine_play(&m, 2);
    assert_counts(&m.counts, &(struct cache_counts){0, 0, 5, 0, 64, 0, 96, 32, 5, 4, 4}, "a bus and a DRAM");
    cache_l2_host_remove(m.l2, 32000);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, &inside, 1);
    machine_play(&m, 1);
    assert_counts(&m.counts, &(struct cache_counts){0, 0, 6, 0, 128, 0, 96, 32, 6, 5, 5},
                  "the device's own again");
    machine_fini(&m);
}

Test(simt_cache, no_l2_at_all)
{
    struct machine m;
    uint64_t sector = 7;

    machine_init(&m, 0, 0, 32);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, &sector, 1);
    machine_access(&m, CACHE_STORE, CACHE_ALL, &sector, 1);
    machine_access(&m, CACHE_ATOMIC, CACHE_ALL, &sector, 1);
    machine_play(&m, 3);
    assert_counts(&m.counts, &(struct cache_counts){0, 0, 0, 0, 64, 64, 0, 0, 2, 0, 0},
                  "as on a GPU of 2008");
    cr_assert_eq(cache_l2_host_add(m.l2, 7 * 32, 32, NULL), STATUS_OK);
    machine_access(&m, CACHE_LOAD, CACHE_ALL, &sector, 1);
    machine_access(&m, CACHE_STORE, CACHE_ALL, &sector, 1);
    machine_play(&m, 2);
    assert_counts(&m.counts, &(struct cache_counts){0, 0, 0, 0, 64, 64, 32, 32, 4, 0, 0}, "over the bus");
    cache_l2_range(m.l2, CACHE_RANGE_SET, 0, 4096);
    machine_fini(&m);
}

/* Against a picture of the bytes that the lanes write. */
Test(simt_cache, words_that_a_store_writes)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 12, 16};
    const struct arch *arch = arch_find(90);
    struct cache_l1 *l1;
    uint64_t state = 3;

    cr_assert_eq(cache_l1_create(&l1, 0, NULL), STATUS_OK);

    for (int i = 0; i < 3000; i++) {
        struct warp_access access = {.active =
                                         i % 5 ? (uint32_t)random_next(&state) | 1u << i % 32 : UINT32_MAX,
                                     .width_bytes = widths[random_next(&state) % 6],
                                     .store = true};
        uint64_t sectors[COALESCE_SECTORS_MAX], step = random_next(&state) % 3 ? access.width_bytes : 36;
        uint32_t count;
        bool written[4096] = {false};
        for (uint64_t lane = 0; lane < WARP_LANES; lane++) {
            access.address[lane] =
                i % 4 ? 1024 + lane * step + (uint64_t)i % 32 : random_next(&state) % (4096 - 16);
            for (uint64_t b = 0; access.active >> lane & 1 && b < access.width_bytes; b++)
                written[access.address[lane] + b] = true;
        }
        coalesce_count_sectors(arch, &access, sectors, &count);
        cache_store_words(l1, &access, sectors, count);
        for (uint32_t s = 0; s < count; s++) {
            uint64_t first = (sectors[s] & CACHE_SECTOR_NUMBER) * 32, words = 0;
            bool all = true;
            for (uint64_t b = 0; b < 32; b++) {
                all &= written[first + b];
                words |= (uint64_t)written[first + b] << b / 4;
            }
            cr_assert(sectors[s] >> CACHE_SECTOR_WORDS == words ||
                          (all && sectors[s] >> CACHE_SECTOR_WORDS == 0),
                      "access %d, sector %u: %llx, not %llx", i, s,
                      (unsigned long long)(sectors[s] >> CACHE_SECTOR_WORDS), (unsigned long long)words);
        }
    }
    cache_l1_destroy(l1);
}

/* What is known of the sectors of an access changes neither what L1 has and passes on nor what is counted. */
static void known_access(struct machine *m, bool store, uint32_t width, uint64_t step, uint64_t address,
                         bool allocate)
{
    const uint64_t first = address / 32;
    const uint32_t count = step ? (uint32_t)((address + 31 * step + width - 1) / 32 - first) + 1 : 1;
    const enum program_cache policy = allocate ? CACHE_ALL : CACHE_NO_ALLOCATE;
    struct cache_seen seen = {0};

    if (step >= 32) {
        cache_l1_sweep(m->l1, store ? CACHE_STORE : CACHE_LOAD, address, step, width, allocate, m->log[0],
                       &m->counts);
    } else if (!cache_is_one_line(first, count)) {
        cache_l1_row(m->l1, store ? CACHE_STORE : CACHE_LOAD, policy, first, count, m->log[0], &m->counts);
    } else {
        m->counts.l1_lookups += count;
        m->counts.l1_lines++;
        m->counts.l1_hits += count - (store ? cache_l1_store(m->l1, &seen, first, count, m->log[0])
                                            : cache_l1_load(m->l1, &seen, first, count, allocate, m->log[0]));
    }
}

Test(simt_cache, known_shapes_are_served_as_their_sectors)
{
    static const uint64_t steps[] = {0, 1, 8, 12, 16, 24, 32, 48, 64, 96, 128, 144, 256, 4096};
    const struct arch *arch = arch_find(90);
    struct machine known, plain;
    uint64_t state = 11;

    machine_init(&known, 3 * SET_BYTES, 5 * SET_BYTES, 32);
    machine_init(&plain, 3 * SET_BYTES, 5 * SET_BYTES, 32);
    for (int i = 0; i < 20000; i++) {
        const uint32_t width = 1u << random_next(&state) % 5;
        uint64_t step = steps[random_next(&state) % (sizeof steps / sizeof *steps)],
                 address = random_next(&state) % 30000 / width * width, sectors[COALESCE_SECTORS_MAX];
        bool store = i % 3 == 0;
        step = step % width || i % 4 == 0 ? width : step;
        if (store && step < 32) { /* known where it writes its sectors wholly */
            step = width;
            address &= ~UINT64_C(31);
        }
        const bool allocate = store || i % 7;
        struct warp_access access = {.active = UINT32_MAX, .width_bytes = width, .store = store};
        for (uint64_t lane = 0; lane < WARP_LANES; lane++)
            access.address[lane] = address + lane * step;
        uint32_t count;
        coalesce_count_sectors(arch, &access, sectors, &count);
        if (store)
            cache_store_words(plain.l1, &access, sectors, count);
        machine_access(&plain, store ? CACHE_STORE : CACHE_LOAD, allocate ? CACHE_ALL : CACHE_NO_ALLOCATE,
                       sectors, count);
        known_access(&known, store, width, step, address, allocate);
        const struct cache_list *a = plain.log[0]->lists, *b = known.log[0]->lists;
        cr_assert(a->count == b->count && memcmp(a->entries, b->entries, a->count * sizeof *a->entries) == 0,
                  "access %d: %s of %u bytes, %u apart, at %u", i, store ? "store" : "load", width,
                  (unsigned)step, (unsigned)address);
        machine_play(&plain, 1);
        machine_play(&known, 1);
        assert_counts(&known.counts, &plain.counts, "of a known shape");
    }
    machine_fini(&known);
    machine_fini(&plain);
}

/* --- an H200 ---------------------------------------------------------------------------------------------
 */

/* tests/data/h200.lsr, copy-stride: DRAM bytes of one launch, its counters taken after memory was restored.
 * The copy of every stride-th of 2^24 words, by blocks of 256 threads. */
Test(simt_cache, dram_bytes_of_strided_copies_are_an_h200s)
{
    static const struct {
        uint64_t stride, blocks;
        double read_bytes, write_bytes;
    } measured[] = {
        {20, 3276, 77938944, 46954752}, {24, 2730, 64630784, 42806016}, {32, 2048, 48634624, 38010624}};
    const struct gpu *gpu = gpu_at(0);

    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        struct machine m;
        uint64_t out = UINT64_C(1) << 30, threads = measured[i].blocks * 256;
        machine_init(&m, 0, gpu->info.l2_bytes, gpu->l2.fetch_bytes);
        cache_l2_range(m.l2, CACHE_RANGE_SET, out, 4 << 24); /* the output poisoned before */
        cache_l2_launch(m.l2);
        for (uint64_t first = 0; first < threads; first += 32) {
            for (uint64_t base = 0, lane; base <= out; base += out) {
                for (lane = 0; lane < 32; lane++) {
                    uint64_t word = (first + lane) * measured[i].stride + base / 4;
                    uint64_t sector = word / 8 | WORDS(base ? 1u << word % 8 : 0);
                    machine_access(&m, base ? CACHE_STORE : CACHE_LOAD, CACHE_ALL, &sector, 1);
                }
            }
            if (first % 4096 == 0)
                machine_play(&m, 1);
        }
        machine_play(&m, 1);
        cr_assert_float_eq((double)m.counts.dram_read_bytes / measured[i].read_bytes, 1, 0.03,
                           "stride %llu: %llu bytes read", (unsigned long long)measured[i].stride,
                           (unsigned long long)m.counts.dram_read_bytes);
        cr_assert_float_eq((double)m.counts.dram_write_bytes / measured[i].write_bytes, 1, 0.03,
                           "stride %llu: %llu bytes written", (unsigned long long)measured[i].stride,
                           (unsigned long long)m.counts.dram_write_bytes);
        machine_fini(&m);
    }
}
