/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ilp: independent chains per thread instead of more threads. All variants do the same work; the launch is so
 * small that occupancy cannot hide the latency of the arithmetic.
 *
 * Built without fused multiply-add: the host repeats every step bit by bit.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 64
#define ROUNDS 256 /* as in ilp.cu */
#define FACTOR 0.5f
#define SUMMAND 1.0f

enum { PARAM_N };

static const struct workload_param params[] = {
    [PARAM_N] = {.name = "n",
                 .meaning = "words, a multiple of 64 x chains; 0: eight blocks of 64 threads per "
                            "multiprocessor with one chain each, one with eight",
                 SIZE_UP_TO(1 << 24, "words")},
};

/* A variant's tag is its number of chains. */
static uint64_t ilp_chains(const struct workload_case *c)
{
    return (uint64_t)c->variant->tag;
}

static uint64_t ilp_address(const struct workload_case *c, const struct access_point *at)
{
    return (at->block[0] * BLOCK * ilp_chains(c) + at->i * BLOCK + access_thread(at)) * sizeof(float);
}

#define SITE(text, what)                                                                         \
    {                                                                                            \
        .name = text, .space = ACCESS_GLOBAL, .op = what, .width_bytes = 4, .count = ilp_chains, \
        .address = ilp_address, .block_period = {1, 1, 1}, .warp_period = 1, .i_period = 1       \
    }
static const struct access_site sites[] = {SITE("in[k]", ACCESS_LOAD), SITE("out[k]", ACCESS_STORE)};

#define VARIANT(text, chains, what)                                                  \
    {                                                                                \
        .name = text, .meaning = what, .tag = chains, ONE_KERNEL("ilp_" text, sites) \
    }
static const struct workload_variant variants[] = {
    VARIANT("1", 1, "one chain a thread: every step waits for the one before"),
    VARIANT("2", 2, "two chains a thread, half as many threads"),
    VARIANT("3", 3, "three chains a thread, a third of the threads"),
    VARIANT("4", 4, "four chains a thread, a quarter of the threads"),
    VARIANT("5", 5, "five chains a thread, a fifth of the threads"),
    VARIANT("6", 6, "six chains a thread, a sixth of the threads"),
    VARIANT("7", 7, "seven chains a thread, a seventh of the threads"),
    VARIANT("8", 8, "eight chains a thread, an eighth of the threads"),
    VARIANT("rolled", 1, "one chain, and a branch after each step: #pragma unroll 1"),
    VARIANT("unrolled", 1, "one chain, and a branch after 16 steps: #pragma unroll 16"),
};

static enum status ilp_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N], block = (int64_t)(BLOCK * ilp_chains(c));

    if (*n == WORKLOAD_SIZE_AUTO) {
        *n = (int64_t)BLOCK * 8 * (c->small ? 8 : c->info->multiprocessors ? c->info->multiprocessors : 64);
        *n -= *n % block;
    }
    if (*n % block)
        return error_set(error, STATUS_USAGE,
                         "ilp: n=%lld is not a multiple of %lld, the words of a block with %s chains. Give "
                         "n=%lld.",
                         (long long)*n, (long long)block, c->variant->name,
                         (long long)((*n / block + 1) * block));
    return case_grid_of_threads(c, *n / c->variant->tag, BLOCK, 2.0 * sizeof(float) * (double)*n, error);
}

static void ilp_verify(const float *input, const float *output, size_t n, struct workload_result *result)
{
    for (size_t i = 0; i < n; i++) {
        float wanted = input[i];

        for (int round = 0; round < ROUNDS; round++)
            wanted = wanted * FACTOR + SUMMAND;
        if (!verify_words("out", i, &output[i], &wanted, 1, result))
            return;
    }
    result->verified = 1;
}

static enum status ilp_run(const struct workload_case *c, struct workbench *bench,
                           struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    float factor = FACTOR, summand = SUMMAND;
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = n * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = n * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "ilp",
                   .kernel = c->effective_kernel,
                   .arguments =
                       (void *[]){&single.array[1].pointer, &single.array[0].pointer, &factor, &summand}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        ilp_verify(single.array[0].input, single.array[1].output, n, result);
    return status;
}

const struct workload workload_ilp = {
    .name = "ilp",
    .chapter = CHAPTER_EXECUTION,
    .title = "1 to 8 independent chains per thread hide latency",
    .words = "instruction-level parallelism latency hiding unrolling dependency occupancy",
    .meaning = "Latency can be hidden by more warps or by more independent instructions in each: low "
               "occupancy need not be slow",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = ilp_resolve,
    .run = ilp_run,
};
