/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomics: threads that add to the same word, in global and in shared memory.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <string.h>

#define BLOCK 256
#define ROUNDS 16 /* as in atomics.cu */

enum { PARAM_LANES, PARAM_N };
enum { TAG_GLOBAL, TAG_FLOAT, TAG_SHARED };

static const struct workload_param params[] = {
    [PARAM_LANES] = {.name = "lanes",
                     .meaning = "neighbouring threads that add to one word",
                     .unit = "threads",
                     .minimum = 1,
                     .maximum = 32,
                     .standard = 32,
                     .doubles = true},
    [PARAM_N] = {.name = "n",
                 .meaning = "threads, a multiple of 256; 0: by the size of the device",
                 SIZE_UP_TO(1 << 26, "threads")},
};

static uint64_t atomics_lanes(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_LANES];
}

static uint64_t clear_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c;
    return access_thread(at) * sizeof(float);
}

static uint64_t last_address(const struct workload_case *c, const struct access_point *at)
{
    return access_thread(at) < BLOCK / atomics_lanes(c) ? access_thread(at) * sizeof(float)
                                                        : SITE_ACTIVE_NONE;
}

static uint64_t out_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t own = BLOCK / atomics_lanes(c);

    return access_thread(at) < own ? (at->block[0] * own + access_thread(at)) * sizeof(float)
                                   : SITE_ACTIVE_NONE;
}

static uint64_t atomics_rounds(const struct workload_case *c)
{
    (void)c;
    return ROUNDS;
}

static uint64_t word_address(const struct workload_case *c, const struct access_point *at)
{
    return (at->block[0] * (uint64_t)BLOCK + access_thread(at)) / atomics_lanes(c) * sizeof(float);
}

static const struct access_site global_sites[] = {
    {.name = "count[i / lanes] += 1",
     .space = ACCESS_GLOBAL,
     .op = ACCESS_LOAD,
     .atomic = true,
     .width_bytes = 4,
     .count = atomics_rounds,
     .address = word_address},
};

/* Atomics in shared memory are left out: ptxas has the lanes counted first. 32 blocks' words are a multiple
 * of 128 bytes. */
static const struct access_site shared_sites[] = {
    SITE_ONCE("word[thread] = 0", ACCESS_SHARED, ACCESS_STORE, 4, clear_address),
    {.name = "word[thread]",
     .space = ACCESS_SHARED,
     .op = ACCESS_LOAD,
     .width_bytes = 4,
     .count = access_once,
     .address = last_address,
     .block_period = {1, 1, 1},
     .i_period = 1},
    {.name = "count[...]",
     .space = ACCESS_GLOBAL,
     .op = ACCESS_STORE,
     .width_bytes = 4,
     .count = access_once,
     .address = out_address,
     .block_period = {32, 1, 1},
     .i_period = 1},
};

static const struct kernel_sites kernels[] = {
    [TAG_GLOBAL] = {KERNEL_SITES("atomics_global", global_sites)},
    [TAG_FLOAT] = {KERNEL_SITES("atomics_float", global_sites)},
    [TAG_SHARED] = {KERNEL_SITES("atomics_shared", shared_sites)},
};

#define VARIANT(id, text, what)                                                              \
    {                                                                                        \
        .name = text, .meaning = what, .tag = id, .kernels = &kernels[id], .kernel_count = 1 \
    }
static const struct workload_variant variants[] = {
    VARIANT(TAG_GLOBAL, "global", "integers in global memory: the L2 cache adds"),
    VARIANT(TAG_FLOAT, "float", "floats in global memory"),
    VARIANT(TAG_SHARED, "shared", "integers in shared memory"),
};

static enum status atomics_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c) / 4;
    return case_grid_of_threads(c, *n, BLOCK, 0, error);
}

/* Words that several threads share; in shared memory, of a block, only words all of whose threads are in it.
 */
static size_t word_count(const struct workload_case *c)
{
    size_t n = (size_t)c->params.value[PARAM_N];

    return c->variant->tag == TAG_SHARED ? n / BLOCK * (BLOCK / atomics_lanes(c))
                                         : (n + atomics_lanes(c) - 1) / atomics_lanes(c);
}

static void atomics_verify(const struct workload_case *c, const uint32_t *output,
                           struct workload_result *result)
{
    size_t words = word_count(c), n = (size_t)c->params.value[PARAM_N];

    result->verified = 1;
    for (size_t i = 0; i < words && result->verified == 1; i++) {
        bool whole = c->variant->tag == TAG_SHARED || (i + 1) * atomics_lanes(c) <= n;
        uint32_t count = (uint32_t)(ROUNDS * (whole ? atomics_lanes(c) : n - i * atomics_lanes(c)));
        float sum = (float)count;

        if (c->variant->tag == TAG_FLOAT)
            memcpy(&count, &sum, sizeof count);
        verify_words("count", i, &output[i], &count, 1, result);
    }
}

static enum status atomics_run(const struct workload_case *c, struct workbench *bench,
                               struct workload_result *result, struct error *error)
{
    uint32_t share = (uint32_t)atomics_lanes(c);
    struct single single = {
        .array = {{.use = SINGLE_CHANGED, .size_bytes = word_count(c) * sizeof(uint32_t)}},
        .array_count = 1,
        .launch = {.image = "atomics",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[0].pointer, &share}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        atomics_verify(c, single.array[0].output, result);
    return status;
}

const struct workload workload_atomics = {
    .name = "atomics",
    .chapter = CHAPTER_EXECUTION,
    .title = "Many threads add to one word, one after the other",
    .words = "atomicAdd contention counter race serialization",
    .meaning = "Additions to one word are serialised; remedies are fewer threads per word, and adding in "
               "shared memory first",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = atomics_resolve,
    .run = atomics_run,
    .sweeps =
        {
            "atomics:global,lanes=1|2|4|8|16|32",
            "atomics:float,lanes=1|2|4|8|16|32",
            "atomics:shared,lanes=1|2|4|8|16|32",
        },
};
