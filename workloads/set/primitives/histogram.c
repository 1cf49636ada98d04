/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram: how often each value occurs. One set of bins for the device, one for each block, one for each
 * warp; and how evenly the values fall.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <string.h>

#define BLOCK 256 /* these as in histogram.cu */
#define WARPS (BLOCK / 32)
#define ROUNDS 16
#define BINS_MOST 1024 /* eight sets fill 32 KiB of shared memory */

enum { PARAM_SKEW, PARAM_BINS, PARAM_N };
enum { TAG_GLOBAL, TAG_SHARED, TAG_WARPS, TAG_CUB };

static const struct workload_param params[] = {
    [PARAM_SKEW] = {.name = "skew",
                    .meaning = "values that are all equal; the others are spread evenly",
                    .unit = "%",
                    .minimum = 0,
                    .maximum = 100,
                    .standard = 0},
    [PARAM_BINS] = {.name = "bins",
                    .meaning = "different values, a power of two",
                    .unit = "bins",
                    .minimum = 2,
                    .maximum = BINS_MOST,
                    .standard = 256,
                    .doubles = true},
    [PARAM_N] = {.name = "n",
                 .meaning = "values, a multiple of 4096; 0: more than the level 2 cache holds",
                 SIZE_UP_TO(1 << 28, "words"),
                 .step = BLOCK * ROUNDS,
                 .doubles = true},
};

static uint64_t histogram_bins(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_BINS];
}

/* Number of sets of bins that a block has in shared memory. */
static uint64_t histogram_sets(const struct workload_case *c)
{
    return c->variant->tag == TAG_WARPS ? WARPS : c->variant->tag == TAG_SHARED;
}

static uint64_t histogram_rounds(const struct workload_case *c)
{
    (void)c;
    return ROUNDS;
}

static uint64_t in_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c;
    return ((at->block[0] * ROUNDS + at->i) * BLOCK + access_thread(at)) * sizeof(uint32_t);
}

/* How many bins a thread of a block, or a lane of a warp, handles. */
static uint64_t block_turns(const struct workload_case *c)
{
    return (histogram_bins(c) + BLOCK - 1) / BLOCK;
}

static uint64_t warp_turns(const struct workload_case *c)
{
    return (histogram_bins(c) + 31) / 32;
}

static uint64_t block_bin_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t i = at->i * BLOCK + access_thread(at);

    return i < histogram_bins(c) ? i * sizeof(uint32_t) : SITE_ACTIVE_NONE;
}

static uint64_t warp_bin_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t i = at->i * 32 + at->lane;

    return i < histogram_bins(c) ? (at->warp * histogram_bins(c) + i) * sizeof(uint32_t) : SITE_ACTIVE_NONE;
}

static uint64_t set_turns(const struct workload_case *c)
{
    return block_turns(c) * WARPS;
}

static uint64_t set_bin_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t i = at->i / WARPS * BLOCK + access_thread(at);

    return i < histogram_bins(c) ? (at->i % WARPS * histogram_bins(c) + i) * sizeof(uint32_t)
                                 : SITE_ACTIVE_NONE;
}

/* `skew` of a hundred values are 0. Which ones, and the values of the others, come from different bits. */
static uint32_t value_at(const struct workload_case *c, size_t i)
{
    uint32_t mixed = workload_random(c, i);

    if ((int64_t)(mixed & 0xffff) * 100 < c->params.value[PARAM_SKEW] << 16)
        return 0;
    return mixed >> 16 & (uint32_t)(histogram_bins(c) - 1);
}

static uint64_t bin_address(const struct workload_case *c, const struct access_point *at)
{
    return value_at(c, (size_t)(in_address(c, at) / sizeof(uint32_t))) * sizeof(uint32_t);
}

/* Atomics in shared memory are left out: ptxas has the lanes counted first. */
#define SITE(text, where, what, times, function)                                                         \
    {                                                                                                    \
        .name = text, .space = where, .op = what, .width_bytes = 4, .count = times, .address = function, \
        .block_period = {                                                                                \
            1,                                                                                           \
            1,                                                                                           \
            1                                                                                            \
        }                                                                                                \
    }
#define IN SITE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, histogram_rounds, in_address)
static const struct access_site global_sites[] = {
    IN,
    {.name = "bin[in[i]] += 1",
     .space = ACCESS_GLOBAL,
     .op = ACCESS_LOAD,
     .atomic = true,
     .width_bytes = 4,
     .count = histogram_rounds,
     .address = bin_address},
};
static const struct access_site shared_sites[] = {
    IN,
    SITE("own[i] = 0", ACCESS_SHARED, ACCESS_STORE, block_turns, block_bin_address),
    SITE("own[i]", ACCESS_SHARED, ACCESS_LOAD, block_turns, block_bin_address),
};
static const struct access_site warps_sites[] = {
    IN,
    SITE("mine[i] = 0", ACCESS_SHARED, ACCESS_STORE, warp_turns, warp_bin_address),
    SITE("own[warp][i]", ACCESS_SHARED, ACCESS_LOAD, set_turns, set_bin_address),
};

#define VARIANT(id, text, table, what)                                                 \
    {                                                                                  \
        .name = text, .meaning = what, .tag = id, ONE_KERNEL("histogram_" text, table) \
    }
static const struct workload_variant variants[] = {
    VARIANT(TAG_GLOBAL, "global", global_sites, "one set of bins for all threads, in global memory"),
    VARIANT(TAG_SHARED, "shared", shared_sites, "a set for each block in shared memory, added up at the end"),
    VARIANT(TAG_WARPS, "warps", warps_sites, "a set for each warp in shared memory, added up at the end"),
    {.name = "cub", .meaning = "by CUB", .tag = TAG_CUB, .library = "CUB"},
};

static enum status histogram_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (histogram_bins(c) & (histogram_bins(c) - 1))
        return error_set(
            error, STATUS_USAGE,
            "histogram: bins=%llu is not a power of two. Give bins=256, or another one up to %d.",
            (unsigned long long)histogram_bins(c), BINS_MOST);
    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c);
    if (*n % (BLOCK * ROUNDS))
        return error_set(error, STATUS_USAGE, "histogram: n=%lld is not a multiple of %d. Give n=%lld.",
                         (long long)*n, BLOCK * ROUNDS,
                         (long long)((*n / (BLOCK * ROUNDS) + 1) * BLOCK * ROUNDS));
    return case_grid_of_threads(c, *n / ROUNDS, BLOCK, sizeof(uint32_t) * (double)*n, error);
}

static void histogram_fill(const struct workload_case *c, void *bytes, size_t size_bytes)
{
    uint32_t *words = bytes;

    for (size_t i = 0; i < size_bytes / sizeof *words; i++)
        words[i] = value_at(c, i);
}

static enum status histogram_run(const struct workload_case *c, struct workbench *bench,
                                 struct workload_result *result, struct error *error)
{
    uint32_t bin_count = (uint32_t)histogram_bins(c), wanted[BINS_MOST] = {0};
    size_t n = (size_t)c->params.value[PARAM_N];
    struct single single = {
        .array = {{.use = SINGLE_CHANGED, .size_bytes = bin_count * sizeof(uint32_t)},
                  {.use = SINGLE_INPUT, .size_bytes = n * sizeof(uint32_t), .fill = histogram_fill}},
        .array_count = 2,
        .launch = {.image = "histogram",
                   .kernel = c->effective_kernel,
                   .dynamic_shared_bytes = (uint32_t)(histogram_sets(c) * bin_count * sizeof(uint32_t)),
                   .arguments = (void *[]){&single.array[0].pointer, &single.array[1].pointer, &bin_count}},
        .call = {.routine = LIBRARY_HISTOGRAM,
                 .out = &single.array[0].pointer,
                 .in = &single.array[1].pointer,
                 .n = n,
                 .bins = bin_count},
    };
    enum status status;

    if (library_missing(c, bench, single.call.routine, result))
        return STATUS_OK;
    if ((status = single_run(c, bench, &single, error)))
        return status;
    for (size_t i = 0; i < n; i++)
        wanted[value_at(c, i)]++;
    result->verified = verify_words("bin", 0, single.array[0].output, wanted, bin_count, result);
    return STATUS_OK;
}

const struct workload workload_histogram = {
    .name = "histogram",
    .chapter = CHAPTER_PRIMITIVES,
    .title = "Count values: bins in global or in shared memory",
    .words = "atomics atomicAdd privatization contention bins CUB",
    .meaning = "Threads that add to the same bin wait for each other: separate sets of bins in shared "
               "memory, one per block or per warp, avoid this",
    WORKLOAD_TABLES(params, variants),
    WORKLOAD_SEEDED,
    .devices_needed = 1,
    .resolve = histogram_resolve,
    .run = histogram_run,
    .sweeps = {"histogram,skew=0|25|50|75|100", "histogram,skew=0,bins=32|128|512|1024"},
};
