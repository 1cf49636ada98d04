/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefetch: a large loop whose threads wait for a word of memory in every pass, few warps to hide it, and the
 * ways to ask for the word `distance` passes ahead.
 *
 * Words of shared memory lie by thread in rows of `distance`, in rows padded to a power of two and one, or by
 * column. Exact: whole numbers, modulo 2^32.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256
#define STEPS 16 /* as in prefetch.cu */
#define FACTOR 1664525u

enum { PARAM_DISTANCE, PARAM_BLOCKS, PARAM_PASSES };
enum kind {
    LOOP,
    UNROLLED,
    SCALAR_BATCHED,
    SCALAR_ROLLING,
    SMEM_BATCHED,
    SMEM_ROLLING,
    SMEM_BARRIER,
    SMEM_ASYNC,
    ASYNC_BARRIER,
    L2
};
enum layout { ROWS, PADDED, COLUMNS };
#define TAG(kind, layout) ((kind)*4 + (layout))
#define DOUBLES 64 /* in a tag: the words are doubles */

static const struct workload_param params[] = {
    [PARAM_DISTANCE] = {.name = "distance",
                        .meaning = "words that a thread prefetches (not loop)",
                        .unit = "words",
                        .minimum = 1,
                        .maximum = 16,
                        .standard = 6},
    [PARAM_BLOCKS] = {.name = "blocks",
                      .meaning = "blocks of 256 threads per multiprocessor",
                      .unit = "blocks",
                      .minimum = 1,
                      .maximum = 8,
                      .standard = 1},
    [PARAM_PASSES] = {.name = "passes",
                      .meaning = "words that a thread reads in all, at least the distance; 0: together more "
                                 "than the level 2 cache holds",
                      SIZE_UP_TO(1 << 14, "words")},
};

static enum kind kind_of(const struct workload_case *c)
{
    return (enum kind)(c->variant->tag % DOUBLES / 4);
}

static enum layout layout_of(const struct workload_case *c)
{
    return (enum layout)(c->variant->tag % 4);
}

static uint64_t word_bytes(const struct workload_case *c)
{
    return c->variant->tag & DOUBLES ? sizeof(double) : sizeof(uint32_t);
}

static uint64_t distance_of(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_DISTANCE];
}

/* Distance in words of shared memory from a thread's first word to the next thread's. */
static uint64_t row_of(const struct workload_case *c)
{
    uint64_t row = 3;

    if (layout_of(c) == COLUMNS)
        return 1;
    if (layout_of(c) == ROWS)
        return distance_of(c);
    while (row < distance_of(c))
        row = row * 2 - 1;
    return row;
}

/* Distance from one word of a thread to its next. */
static uint64_t column_of(const struct workload_case *c)
{
    return layout_of(c) == COLUMNS ? BLOCK : 1;
}

static uint64_t prefetch_passes(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_PASSES];
}

static uint64_t batched_passes(const struct workload_case *c)
{
    return prefetch_passes(c) / distance_of(c) * distance_of(c);
}

static uint64_t global_address(const struct workload_case *c, const struct access_point *at)
{
    return ((at->i * c->grid[0] + at->block[0]) * BLOCK + access_thread(at)) * word_bytes(c);
}

static uint64_t shared_address(const struct workload_case *c, const struct access_point *at)
{
    return (access_thread(at) * row_of(c) + at->i % distance_of(c) * column_of(c)) * word_bytes(c);
}

/* Every warp's words begin a multiple of 128 bytes, or of 32 words of shared memory, after the first warp's;
 * the next word moves all lanes' banks by the same amount. */
#define WIDE_SITE(text, where, what, bytes, times, function)                                                 \
    {                                                                                                        \
        .name = text, .space = where, .op = what, .width_bytes = bytes, .count = times, .address = function, \
        .block_period = {1, 1, 1}, .warp_period = 1, .i_period = 1                                           \
    }
#define SITE(text, where, what, times, function) WIDE_SITE(text, where, what, 4, times, function)
#define WIDE_LOAD(bytes)                                                                         \
    WIDE_SITE("in[thread + pass * threads]", ACCESS_GLOBAL, ACCESS_LOAD, bytes, prefetch_passes, \
              global_address)
#define WIDE_RESULT(bytes) SITE_ONCE("out[thread]", ACCESS_GLOBAL, ACCESS_STORE, bytes, global_address)
#define LOAD WIDE_LOAD(4)
#define RESULT WIDE_RESULT(4)
#define SHARED(times)                                                       \
    SITE("word[k] = ", ACCESS_SHARED, ACCESS_STORE, times, shared_address), \
        SITE("word[k]", ACCESS_SHARED, ACCESS_LOAD, times, shared_address)

static const struct access_site register_sites[] = {LOAD, RESULT};
static const struct access_site batched_sites[] = {LOAD, SHARED(batched_passes), RESULT};
static const struct access_site rolling_sites[] = {LOAD, SHARED(prefetch_passes), RESULT};
/* An asynchronous copy counts as a global load. Its write is not a shared store. */
static const struct access_site async_sites[] = {
    LOAD, SITE("word[k]", ACCESS_SHARED, ACCESS_LOAD, prefetch_passes, shared_address), RESULT};

static const struct access_site double_sites[] = {WIDE_LOAD(8), WIDE_RESULT(8)};
static const struct access_site async_double_sites[] = {
    WIDE_LOAD(8), WIDE_SITE("word[k]", ACCESS_SHARED, ACCESS_LOAD, 8, prefetch_passes, shared_address),
    WIDE_RESULT(8)};

#define KERNEL(text, what) {KERNEL_SITES(text, what)},
#define KERNEL_FOR(text, distance, what) KERNEL("prefetch_" text "_" #distance, what)

/* Variants that are compiled for each distance: the kernel of distance d is number d - 1. */
#define FOUR(a, b, c, d, text, what) \
    KERNEL_FOR(text, a, what) KERNEL_FOR(text, b, what) KERNEL_FOR(text, c, what) KERNEL_FOR(text, d, what)
#define DISTANCES(text, what)    \
    FOUR(1, 2, 3, 4, text, what) \
    FOUR(5, 6, 7, 8, text, what) \
    FOUR(9, 10, 11, 12, text, what) FOUR(13, 14, 15, 16, text, what)

static const struct kernel_sites loop[] = {KERNEL("prefetch_loop", register_sites)};
static const struct kernel_sites unrolled[] = {DISTANCES("unrolled", register_sites)};
static const struct kernel_sites scalar_batched[] = {DISTANCES("scalar_batched", register_sites)};
static const struct kernel_sites scalar_rolling[] = {DISTANCES("scalar_rolling", register_sites)};
static const struct kernel_sites smem_batched[] = {DISTANCES("smem_batched", batched_sites)};
static const struct kernel_sites smem_rolling[] = {KERNEL("prefetch_smem_rolling", rolling_sites)};
static const struct kernel_sites smem_async[] = {DISTANCES("smem_rolling_async", async_sites)};
static const struct kernel_sites smem_barrier[] = {KERNEL("prefetch_smem_rolling_barrier", rolling_sites)};
static const struct kernel_sites async_barrier[] = {DISTANCES("smem_rolling_async_barrier", async_sites)};
static const struct kernel_sites loop_double[] = {KERNEL("prefetch_loop_double", double_sites)};
static const struct kernel_sites batched_double[] = {DISTANCES("scalar_batched_double", double_sites)};
static const struct kernel_sites async_double[] = {
    DISTANCES("smem_rolling_async_double", async_double_sites)};
static const struct kernel_sites l2[] = {KERNEL("prefetch_l2", register_sites)};

#define VARIANT(text, kind, layout, table, what)                                   \
    {                                                                              \
        .name = text, .meaning = what, .tag = TAG(kind, layout), .kernels = table, \
        .kernel_count = TABLE_COUNT(table)                                         \
    }
#define LAYOUTS(text, kind, table, what)                                                                \
    VARIANT(text, kind, ROWS, table, what), VARIANT(text "-pad", kind, PADDED, table, what ", padded"), \
        VARIANT(text "-columns", kind, COLUMNS, table, what ", indexed so that none is needed")
static const struct workload_variant variants[] = {
    VARIANT("loop", LOOP, ROWS, loop, "no prefetching: load, wait, work"),
    VARIANT("unrolled", UNROLLED, ROWS, unrolled,
            "unrolled by the distance: the compiler moves the loads up"),
    VARIANT("scalar-batched", SCALAR_BATCHED, ROWS, scalar_batched, "a batch of words into registers"),
    VARIANT("scalar-rolling", SCALAR_ROLLING, ROWS, scalar_rolling,
            "a register is refilled as soon as it was used"),
    LAYOUTS("smem-batched", SMEM_BATCHED, smem_batched, "a batch of words into shared memory"),
    LAYOUTS("smem-rolling", SMEM_ROLLING, smem_rolling, "a ring in shared memory"),
    LAYOUTS("smem-rolling-async", SMEM_ASYNC, smem_async, "a ring filled by asynchronous copies"),
    VARIANT("l2", L2, ROWS, l2, "into the level 2 cache only"),
    VARIANT("smem-rolling-barrier", SMEM_BARRIER, ROWS, smem_barrier,
            "a ring in shared memory, and a barrier in the loop"),
    VARIANT("smem-rolling-async-barrier", ASYNC_BARRIER, ROWS, async_barrier,
            "a ring filled by asynchronous copies, and a barrier in the loop"),
    VARIANT("loop-double", LOOP + DOUBLES / 4, ROWS, loop_double, "doubles, no prefetching"),
    VARIANT("scalar-batched-double", SCALAR_BATCHED + DOUBLES / 4, ROWS, batched_double,
            "doubles, a batch into twice as many registers"),
    VARIANT("smem-rolling-async-double", SMEM_ASYNC + DOUBLES / 4, ROWS, async_double,
            "doubles, a ring filled by asynchronous copies"),
    VARIANT("smem-rolling-async-double-pad", SMEM_ASYNC + DOUBLES / 4, PADDED, async_double,
            "doubles, the same ring, padded"),
};

static enum status prefetch_resolve(struct workload_case *c, struct error *error)
{
    int64_t *count = &c->params.value[PARAM_PASSES], multiprocessors = c->info->multiprocessors;
    int64_t threads = BLOCK * c->params.value[PARAM_BLOCKS];
    enum status status;

    threads *= c->small ? 4 : multiprocessors ? multiprocessors : 64;
    if (*count == WORKLOAD_SIZE_AUTO)
        *count = c->small ? 24 : workload_words_past_cache(c) / threads + 32;
    if (*count < c->params.value[PARAM_DISTANCE])
        return error_set(error, STATUS_USAGE,
                         "prefetch: passes=%d is less than distance=%d. Give as many passes or more.",
                         (int)*count, (int)distance_of(c));
    if ((status = case_grid_of_threads(
             c, threads, BLOCK, (double)word_bytes(c) * (double)threads * (double)(*count + 1), error)))
        return status;
    c->kernel = c->variant->kernels + (c->variant->kernel_count > 1 ? distance_of(c) - 1 : 0);
    c->effective_kernel = c->kernel->kernel;
    return STATUS_OK;
}

/* The kernel's steps one by one, and rounded as there. */
static void doubles_verify(const struct workload_case *c, const double *input, const double *output,
                           struct workload_result *result)
{
    for (uint32_t block = 0; block < c->grid[0]; block++) {
        double sum[BLOCK];

        for (uint32_t thread = 0; thread < BLOCK; thread++)
            sum[thread] = block * BLOCK + thread;
        for (uint64_t pass = 0; pass < prefetch_passes(c); pass++) {
            const double *x = input + (pass * c->grid[0] + block) * BLOCK;

            for (int step = 0; step < STEPS; step++)
                for (uint32_t thread = 0; thread < BLOCK; thread++)
                    sum[thread] = sum[thread] * 0.5 + x[thread];
        }
        if (!verify_words("out (halves of doubles)", 2 * block * BLOCK, output + block * BLOCK, sum,
                          2 * BLOCK, result))
            return;
    }
    result->verified = 1;
}

/* STEPS times s -> s * FACTOR + x is the same as once s -> s * factor + x * share. */
static void prefetch_verify(const struct workload_case *c, const uint32_t *input, const uint32_t *output,
                            struct workload_result *result)
{
    uint32_t factor = 1, share = 0;

    for (int step = 0; step < STEPS; step++) {
        share += factor;
        factor *= FACTOR;
    }
    for (uint32_t block = 0; block < c->grid[0]; block++) {
        uint32_t sum[BLOCK];

        for (uint32_t thread = 0; thread < BLOCK; thread++)
            sum[thread] = block * BLOCK + thread;
        for (uint64_t pass = 0; pass < prefetch_passes(c); pass++) {
            const uint32_t *x = input + (pass * c->grid[0] + block) * BLOCK;

            for (uint32_t thread = 0; thread < BLOCK; thread++)
                sum[thread] = sum[thread] * factor + x[thread] * share;
        }
        if (!verify_words("out (as words)", block * BLOCK, output + block * BLOCK, sum, BLOCK, result))
            return;
    }
    result->verified = 1;
}

static enum status prefetch_run(const struct workload_case *c, struct workbench *bench,
                                struct workload_result *result, struct error *error)
{
    size_t threads = (size_t)c->grid[0] * BLOCK;
    uint32_t count = (uint32_t)prefetch_passes(c), row = (uint32_t)row_of(c), column = (uint32_t)column_of(c),
             distance = (uint32_t)distance_of(c);
    bool shared = kind_of(c) >= SMEM_BATCHED && kind_of(c) <= ASYNC_BARRIER;
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = threads * count * word_bytes(c)},
                  {.use = SINGLE_OUTPUT, .size_bytes = threads * word_bytes(c)}},
        .array_count = 2,
        .launch = {.image = "prefetch",
                   .kernel = c->effective_kernel,
                   .dynamic_shared_bytes =
                       shared ? BLOCK * (uint32_t)word_bytes(c) * (layout_of(c) == COLUMNS ? distance : row)
                              : 0,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer, &count,
                                           shared ? &row : &distance, &column, &distance}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK && c->variant->tag & DOUBLES)
        doubles_verify(c, single.array[0].input, single.array[1].output, result);
    else if (status == STATUS_OK)
        prefetch_verify(c, single.array[0].input, single.array[1].output, result);
    return status;
}

const struct workload workload_prefetch = {
    .name = "prefetch",
    .chapter = CHAPTER_PREFETCH,
    .title = "A loop that loads ahead: registers, shared memory, L2",
    .words =
        "cp.async memcpy_async async asynchronous copy pipeline double buffering latency hiding unrolling",
    .meaning = "A loop that waits for memory in every pass is faster when it prefetches several passes "
               "ahead: into registers, shared memory or the L2 cache",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = prefetch_resolve,
    .run = prefetch_run,
    .sweeps =
        {
            "prefetch:loop",
            "prefetch:unrolled,distance=1..16",
            "prefetch:scalar-batched,distance=1..16",
            "prefetch:scalar-rolling,distance=1..16",
            "prefetch:smem-batched,distance=1..16",
            "prefetch:smem-batched-pad,distance=1..16",
            "prefetch:smem-batched-columns,distance=1..16",
            "prefetch:smem-rolling,distance=1..16",
            "prefetch:smem-rolling-pad,distance=1..16",
            "prefetch:smem-rolling-columns,distance=1..16",
            "prefetch:smem-rolling-async,distance=1..16",
            "prefetch:smem-rolling-async-pad,distance=1..16",
            "prefetch:smem-rolling-async-columns,distance=1..16",
            "prefetch:l2,distance=1..16",
            "prefetch:smem-rolling-barrier,distance=6",
            "prefetch:smem-rolling-async-barrier,distance=6",
            "prefetch:loop-double",
            "prefetch:scalar-batched-double,distance=1..16/5",
            "prefetch:smem-rolling-async-double,distance=1..16/5",
            "prefetch:smem-rolling-async-double-pad,distance=1..16/5",
        },
};
