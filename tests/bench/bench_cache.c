/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the modelled caches cost: ns per sector through L1, and through L2, for the access patterns of the
 * copies and the transpose, on one worker. Beside it the rates and the DRAM bytes they give, so that they can
 * be held against a recording.
 */
#include "simt/count/cache.h"
#include "simt/timing/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OUT (UINT64_C(1) << 30)
#define WORDS (UINT64_C(1) << 24)
#define THREADS 256

struct pattern {
    const char *name;
    uint64_t blocks;
    uint64_t step; /* words between neighbouring threads */
    uint64_t offset;
    bool turned; /* a transpose of 4096 x 4096: columns written */
};

/* Of this process: other work on the machine does not count. */
static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A warp's words, as sectors with the words written. */
static uint32_t warp_sectors(uint64_t base, uint64_t first, uint64_t step, bool is_store, uint64_t *sectors)
{
    uint32_t count = 0;
    uint64_t last = UINT64_MAX;

    for (uint64_t lane = 0; lane < 32; lane++) {
        uint64_t address = base + 4 * (first + lane * step), sector = address / 32;
        if (sector != last)
            sectors[count++] = last = sector;
        if (is_store)
            sectors[count - 1] |= UINT64_C(1) << (CACHE_SECTOR_WORDS + address / 4 % 8);
    }
    return count;
}

static void block_run(const struct pattern *p, uint64_t block, struct cache_l1 *l1, struct cache_log *log,
                      struct cache_counts *counts)
{
    uint64_t sectors[32];

    for (uint64_t warp = 0; warp < THREADS / 32; warp++) {
        if (p->turned) {
            uint64_t x = block % 128 * 32, y = block / 128 * 32 + warp;
            for (uint64_t j = 0; j < 32; j += 8) {
                uint32_t count = warp_sectors(0, (y + j) * 4096 + x, 1, false, sectors);
                cache_l1_access(l1, CACHE_LOAD, CACHE_ALL, sectors, count, log, counts);
                count = warp_sectors(OUT, x * 4096 + y + j, 4096, true, sectors);
                cache_l1_access(l1, CACHE_STORE, CACHE_ALL, sectors, count, log, counts);
            }
        } else {
            uint64_t first = (block * THREADS + warp * 32) * p->step + p->offset;
            uint32_t count = warp_sectors(0, first, p->step, false, sectors);
            cache_l1_access(l1, CACHE_LOAD, CACHE_ALL, sectors, count, log, counts);
            count = warp_sectors(OUT, first, p->step, true, sectors);
            cache_l1_access(l1, CACHE_STORE, CACHE_ALL, sectors, count, log, counts);
        }
    }
}

static void measure(const struct gpu *gpu, const struct pattern *p)
{
    enum { MULTIPROCESSORS = 132 };
    struct cache_l1 *l1[MULTIPROCESSORS];
    struct cache_log *logs[MULTIPROCESSORS];
    struct cache_l2 *l2;
    struct cache_counts counts = {0};
    double l1_ns = 0, l2_ns = 0;

    if (cache_l2_create(&l2, gpu->info.l2_bytes, &gpu->l2, NULL))
        exit(1);
    for (size_t i = 0; i < MULTIPROCESSORS; i++)
        if (cache_l1_create(&l1[i], gpu->l1_bytes_per_multiprocessor, NULL) ||
            cache_log_create(&logs[i], NULL))
            exit(1);
    cache_l2_range(l2, CACHE_RANGE_SET, OUT, WORDS * 4); /* as the workloads poison their output */
    cache_l2_launch(l2);
    for (uint64_t block = 0; block < p->blocks;) {
        double start = now_ns();
        for (uint64_t i = 0; i < MULTIPROCESSORS; i++) {
            cache_log_clear(logs[i], l2, 1);
            if (block < p->blocks)
                block_run(p, block++, l1[i], logs[i], &counts);
        }
        double middle = now_ns();
        cache_l2_play(l2, logs, MULTIPROCESSORS, 0, NULL, &counts);
        l2_ns += now_ns() - middle;
        l1_ns += middle - start;
    }
    printf("%-12s %9.1f %9.1f %8.1f %8.1f %10.1f %10.1f\n", p->name, l1_ns / (double)counts.l1_lookups,
           l2_ns / (double)counts.l2_lookups, 100.0 * (double)counts.l1_hits / (double)counts.l1_lookups,
           100.0 * (double)counts.l2_hits / (double)counts.l2_lookups, (double)counts.dram_read_bytes / 1e6,
           (double)counts.dram_write_bytes / 1e6);
    for (size_t i = 0; i < MULTIPROCESSORS; i++) {
        cache_l1_destroy(l1[i]);
        cache_log_destroy(logs[i]);
    }
    cache_l2_destroy(l2);
}

int main(void)
{
    static const struct pattern patterns[] = {
        {"copy", 65536, 1, 0, false},      {"offset 1", 65536, 1, 1, false},
        {"offset 8", 65536, 1, 8, false},  {"stride 2", 32768, 2, 0, false},
        {"stride 8", 8192, 8, 0, false},   {"stride 16", 4096, 16, 0, false},
        {"stride 24", 2730, 24, 0, false}, {"stride 32", 2048, 32, 0, false},
        {"transpose", 16384, 0, 0, true},
    };

    printf("%-12s %9s %9s %8s %8s %10s %10s\n", "pattern", "L1 ns", "L2 ns", "L1 hit %", "L2 hit %",
           "read MB", "written MB");
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        measure(gpu_at(0), &patterns[i]);
    return 0;
}
