/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readonly: loads that the compiler knows nobody writes to, and loads of which it does not.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256

enum { PARAM_ROUNDS, PARAM_N };

static const struct workload_param params[] = {
    [PARAM_ROUNDS] = {.name = "rounds",
                      .meaning = "words of each thread",
                      .unit = "words",
                      .minimum = 1,
                      .maximum = 64,
                      .standard = 4},
    [PARAM_N] = {.name = "n",
                 .meaning =
                     "threads, a multiple of 256; 0: their words are more than the level 2 cache holds",
                 SIZE_UP_TO(1 << 24, "threads")},
};

static uint64_t readonly_rounds(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_ROUNDS];
}

static uint64_t readonly_twice(const struct workload_case *c)
{
    return 2 * readonly_rounds(c);
}

static uint64_t readonly_words(const struct workload_case *c)
{
    return readonly_rounds(c) * (uint64_t)c->params.value[PARAM_N];
}

/* In a round all threads move on by one step. The repeated loads, and the two outputs, follow each other
 * here: their order does not change their cost. */
#define ADDRESS(name, further)                                                                  \
    static uint64_t name(const struct workload_case *c, const struct access_point *at)          \
    {                                                                                           \
        uint64_t round = at->i % readonly_rounds(c), step = (uint64_t)c->params.value[PARAM_N]; \
        return (round * step + at->block[0] * (uint64_t)BLOCK + access_thread(at) + further) *  \
               sizeof(float);                                                                   \
    }
ADDRESS(own_address, 0)
ADDRESS(next_address, 1)
ADDRESS(second_address, 2)

static uint64_t product_address(const struct workload_case *c, const struct access_point *at)
{
    return readonly_words(c) * sizeof(float) + own_address(c, at);
}

#define SITE(text, what, times, function)                                                   \
    {                                                                                       \
        .name = text, .space = ACCESS_GLOBAL, .op = what, .width_bytes = 4, .count = times, \
        .address = function, .block_period = {1, 1, 1}, .warp_period = 1, .i_period = 1     \
    }
#define SITES(loads)                                                                                         \
    {                                                                                                        \
        SITE("in[i]", ACCESS_LOAD, loads, own_address), SITE("in[i + 1]", ACCESS_LOAD, loads, next_address), \
            SITE("in[i + 2]", ACCESS_LOAD, loads, second_address),                                           \
            SITE("out[i]", ACCESS_STORE, readonly_rounds, own_address),                                      \
            SITE("out[n + i]", ACCESS_STORE, readonly_rounds, product_address)                               \
    }
static const struct access_site again_sites[] = SITES(readonly_twice);
static const struct access_site kept_sites[] = SITES(readonly_rounds);

#define VARIANT(text, where, what)                                           \
    {                                                                        \
        .name = #text, .meaning = what, ONE_KERNEL("readonly_" #text, where) \
    }
static const struct workload_variant variants[] = {
    VARIANT(plain, again_sites, "out may overlap in: after a store, every word is loaded again"),
    VARIANT(restrict, kept_sites, "const __restrict__: the read-only path, and no word is loaded twice"),
    VARIANT(ldg, kept_sites, "__ldg: the read-only path by hand, and the words kept by hand"),
};

static enum status readonly_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = (workload_words_past_cache(c) / 2 / (int64_t)readonly_rounds(c) + BLOCK - 1) / BLOCK * BLOCK;
    return case_grid_of_threads(c, *n, BLOCK, 3.0 * sizeof(float) * (double)readonly_words(c), error);
}

static enum status readonly_run(const struct workload_case *c, struct workbench *bench,
                                struct workload_result *result, struct error *error)
{
    size_t n = (size_t)readonly_words(c);
    uint32_t round_count = (uint32_t)readonly_rounds(c);
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = (n + 2) * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = 2 * n * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "readonly",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer, &round_count}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        const float *input = single.array[0].input, *output = single.array[1].output;
        float sum = input[i] + input[i + 1] + input[i + 2];
        float product = input[i] * input[i + 1] * input[i + 2];

        if (!verify_words("out", i, &output[i], &sum, 1, result) ||
            !verify_words("out", n + i, &output[n + i], &product, 1, result))
            return STATUS_OK;
    }
    result->verified = 1;
    return STATUS_OK;
}

const struct workload workload_readonly = {
    .name = "readonly",
    .chapter = CHAPTER_MEMORIES,
    .title = "const __restrict__: no word is loaded twice",
    .words = "__ldg read-only cache aliasing pointer",
    .meaning = "const __restrict__ tells the compiler that the words read do not change: it may keep them in "
               "registers and use the read-only path",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = readonly_resolve,
    .run = readonly_run,
};
