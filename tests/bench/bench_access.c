/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_access [COMPUTE_CAPABILITY]: what counting one memory instruction costs: ns per call of
 * core/hardware/coalesce and core/hardware/bank under the rules of a compute capability (9.0), for the shapes
 * that kernels have. The device model pays this for every memory instruction it runs. Prints the median of
 * several runs, and the ratio to the coalesced (linear) one.
 */
#include "core/hardware/bank.h"
#include "core/hardware/coalesce.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ALL_LANES UINT32_MAX
#define CALLS 400000
#define RUNS 7
#define PATTERNS 64 /* a power of two: so many accesses of one shape, taken in turn */

enum shape { STEPS, RANDOM, ROWS };

struct pattern {
    const char *name;
    enum shape shape;
    uint32_t width;
    uint64_t start, step; /* STEPS: lane l at start + l * step; ROWS: two rows of 16 lanes, step apart;
                             RANDOM: aligned, below step */
    uint32_t active;
};

static const struct pattern global_patterns[] = {
    {"coalesced, 4 bytes", STEPS, 4, 0, 4, ALL_LANES},
    {"coalesced, 8 bytes", STEPS, 8, 0, 8, ALL_LANES},
    {"coalesced, 16 bytes", STEPS, 16, 0, 16, ALL_LANES},
    {"offset 1 word", STEPS, 4, 4, 4, ALL_LANES},
    {"stride 2", STEPS, 4, 0, 8, ALL_LANES},
    {"stride 32", STEPS, 4, 0, 128, ALL_LANES},
    {"all lanes one word", STEPS, 4, 0, 0, ALL_LANES},
    {"bytes", STEPS, 1, 0, 1, ALL_LANES},
    {"two rows of 16 lanes", ROWS, 4, 0, 4096, ALL_LANES},
    {"random in 1 MiB", RANDOM, 4, 0, 1 << 20, ALL_LANES},
    {"random in 1 MiB, 16 bytes", RANDOM, 16, 0, 1 << 20, ALL_LANES},
    {"half active: lanes 0 to 15", STEPS, 4, 0, 4, 0x0000ffff},
    {"half active: every other lane", STEPS, 4, 0, 4, 0x55555555},
    {"half active: random in 1 MiB", RANDOM, 4, 0, 1 << 20, 0x33cc33cc},
};

static const struct pattern shared_patterns[] = {
    {"linear, 4 bytes", STEPS, 4, 0, 4, ALL_LANES},
    {"linear, 8 bytes", STEPS, 8, 0, 8, ALL_LANES},
    {"linear, 16 bytes", STEPS, 16, 0, 16, ALL_LANES},
    {"stride 2", STEPS, 4, 0, 8, ALL_LANES},
    {"stride 32", STEPS, 4, 0, 128, ALL_LANES},
    {"all lanes one word", STEPS, 4, 0, 0, ALL_LANES},
    {"all lanes one, 16 bytes", STEPS, 16, 0, 0, ALL_LANES},
    {"two rows of 16 lanes", ROWS, 4, 0, 1024, ALL_LANES},
    {"random in 16 KiB", RANDOM, 4, 0, 1 << 14, ALL_LANES},
    {"random in 16 KiB, 8 bytes", RANDOM, 8, 0, 1 << 14, ALL_LANES},
    {"random in 16 KiB, 16 bytes", RANDOM, 16, 0, 1 << 14, ALL_LANES},
    {"half active: every other lane", STEPS, 4, 0, 4, 0x55555555},
    {"half active: random in 16 KiB", RANDOM, 4, 0, 1 << 14, 0x33cc33cc},
};

static struct warp_access accesses[PATTERNS];
static uint64_t sum; /* printed, so that no call is left out */

static void fill(const struct pattern *pattern)
{
    srand(1);
    for (uint32_t i = 0; i < PATTERNS; i++) {
        uint64_t base = 0x10000 + 4096ull * i + pattern->start;
        accesses[i] = (struct warp_access){.active = pattern->active, .width_bytes = pattern->width};
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            uint64_t offset = pattern->step * lane;
            if (pattern->shape == RANDOM)
                offset = (uint64_t)rand() % pattern->step / pattern->width * pattern->width;
            else if (pattern->shape == ROWS)
                offset = lane / 16 * pattern->step + lane % 16 * pattern->width;
            accesses[i].address[lane] = base + offset;
        }
    }
}

static void count_global(const struct arch *arch, const struct warp_access *access)
{
    sum += coalesce_count(arch, access).sectors;
}

static void count_sectors(const struct arch *arch, const struct warp_access *access)
{
    uint64_t sectors[COALESCE_SECTORS_MAX];
    uint32_t count;
    sum += coalesce_count_sectors(arch, access, sectors, &count).sectors;
    sum += sectors[count - 1];
}

static void count_global_atomic(const struct arch *arch, const struct warp_access *access)
{
    sum += coalesce_count_atomic(arch, access, NULL, NULL).sectors;
}

static void count_shared(const struct arch *arch, const struct warp_access *access)
{
    sum += bank_count(arch, access).wavefronts;
}

static void count_shared_atomic(const struct arch *arch, const struct warp_access *access)
{
    sum += bank_count_atomic(arch, access, false).wavefronts;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double ns_per_call(const struct arch *arch,
                          void (*count)(const struct arch *, const struct warp_access *))
{
    double ns[RUNS];
    for (int run = 0; run < RUNS; run++) {
        struct timespec start, end;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
        for (uint32_t i = 0; i < CALLS; i++)
            count(arch, &accesses[i % PATTERNS]);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        ns[run] = ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) / CALLS;
    }
    qsort(ns, RUNS, sizeof ns[0], compare);
    return ns[RUNS / 2];
}

int main(int argc, char **argv)
{
    const struct arch *arch = arch_parse(argc > 1 ? argv[1] : "9.0");
    double first = 0;

    if (!arch) {
        char known[ARCH_LIST_BYTES];
        arch_list(known, sizeof known);
        fprintf(stderr, "bench_access: %s is none of %s\n", argv[1], known);
        return 2;
    }

    printf("%-30s  %9s  %6s  %13s  %9s\n", "global memory", "ns a call", "ratio", "with the list",
           "as atomic");
    for (size_t i = 0; i < sizeof global_patterns / sizeof global_patterns[0]; i++) {
        fill(&global_patterns[i]);
        double ns = ns_per_call(arch, count_global);
        first = i ? first : ns;
        printf("%-30s  %9.1f  %6.2f  %13.1f  %9.1f\n", global_patterns[i].name, ns, ns / first,
               ns_per_call(arch, count_sectors), ns_per_call(arch, count_global_atomic));
    }
    printf("\n%-30s  %9s  %6s  %13s  %9s\n", "shared memory", "ns a call", "ratio", "", "as atomic");
    for (size_t i = 0; i < sizeof shared_patterns / sizeof shared_patterns[0]; i++) {
        fill(&shared_patterns[i]);
        double ns = ns_per_call(arch, count_shared);
        first = i ? first : ns;
        printf("%-30s  %9.1f  %6.2f  %13s  %9.1f\n", shared_patterns[i].name, ns, ns / first, "",
               ns_per_call(arch, count_shared_atomic));
    }
    printf("\nchecksum %llu\n", (unsigned long long)sum);
    return 0;
}
