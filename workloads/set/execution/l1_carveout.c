/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l1-carveout: one memory for L1 and for shared memory, parted as the kernel prefers. The kernel uses no
 * shared memory and goes over the same words again and again.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256

enum { PARAM_KIB, PARAM_ROUNDS };

static const struct workload_param params[] = {
    [PARAM_KIB] = {.name = "kib",
                   .meaning = "a block's piece of memory",
                   .unit = "KiB",
                   .minimum = 1,
                   .maximum = 256,
                   .standard = 24},
    [PARAM_ROUNDS] = {.name = "rounds",
                      .meaning = "times it is read",
                      .unit = "rounds",
                      .minimum = 1,
                      .maximum = 256,
                      .standard = 16},
};

static uint64_t piece_words(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_KIB] * 1024 / sizeof(float);
}

static uint64_t l1_carveout_loads(const struct workload_case *c)
{
    return piece_words(c) / BLOCK * (uint64_t)c->params.value[PARAM_ROUNDS];
}

static uint64_t load_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t turn = at->i % (piece_words(c) / BLOCK);

    return (at->block[0] * piece_words(c) + turn * BLOCK + access_thread(at)) * sizeof(float);
}

static const struct access_site sites[] = {
    SITE_PER_TURN("piece[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, l1_carveout_loads, load_address),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
};

static const struct kernel_sites kernels[] = {{KERNEL_SITES("l1_carveout", sites)}};

#define VARIANT(text, choice, what)                                                         \
    {                                                                                       \
        .name = text, .meaning = what, .tag = choice, .kernels = kernels, .kernel_count = 1 \
    }
static const struct workload_variant variants[] = {
    VARIANT("prefer-l1", DEVICE_CARVEOUT_L1, "all of it for L1"),
    VARIANT("equal", DEVICE_CARVEOUT_EQUAL, "half for L1, half for shared memory"),
    VARIANT("prefer-shared", DEVICE_CARVEOUT_SHARED, "as much as possible for shared memory"),
};

static enum status l1_carveout_resolve(struct workload_case *c, struct error *error)
{
    int64_t blocks = c->small ? 16 : 4 * (int64_t)(c->info->multiprocessors ? c->info->multiprocessors : 64);
    double words = (double)(piece_words(c) * (uint64_t)blocks);

    return case_grid_of_threads(c, blocks * BLOCK, BLOCK, sizeof(float) * (words + (double)(blocks * BLOCK)),
                                error);
}

/* Adds in the order of the kernel: round by round, every BLOCK-th word. */
static void l1_carveout_verify(const struct workload_case *c, const float *output,
                               struct workload_result *result)
{
    for (size_t i = 0; i < (size_t)c->grid[0] * BLOCK; i++) {
        float wanted = 0;

        for (int64_t round = 0; round < c->params.value[PARAM_ROUNDS]; round++)
            for (size_t word = i % BLOCK; word < piece_words(c); word += BLOCK)
                wanted += workbench_pattern_at(i / BLOCK * piece_words(c) + word);
        if (!verify_words("out", i, &output[i], &wanted, 1, result))
            return;
    }
    result->verified = 1;
}

static enum status l1_carveout_run(const struct workload_case *c, struct workbench *bench,
                                   struct workload_result *result, struct error *error)
{
    uint32_t words = (uint32_t)piece_words(c), rounds = (uint32_t)c->params.value[PARAM_ROUNDS];
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = (size_t)c->grid[0] * words * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = (size_t)c->grid[0] * BLOCK * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "l1_carveout",
                   .kernel = c->effective_kernel,
                   .carveout = (enum device_carveout)c->variant->tag,
                   .arguments =
                       (void *[]){&single.array[1].pointer, &single.array[0].pointer, &words, &rounds}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        l1_carveout_verify(c, single.array[1].output, result);
    return status;
}

const struct workload workload_l1_carveout = {
    .name = "l1-carveout",
    .chapter = CHAPTER_EXECUTION,
    .title = "One memory for L1 and shared memory: how to split it",
    .words = "cache hit rate carve-out cudaFuncCachePreferL1 cudaFuncSetAttribute smem",
    .meaning =
        "L1 has the memory that shared memory does not take: words that are read again hit only if they fit",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = l1_carveout_resolve,
    .run = l1_carveout_run,
    .sweeps = {"l1-carveout,kib=8|24|48|64"},
};
