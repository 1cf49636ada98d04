/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registers: one kernel under bounds of 24 to 255 registers. Few registers let more warps in; fewer than the
 * kernel needs make it spill.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <string.h>

#define BLOCK 128
#define WORDS 48 /* as in registers.cu */
#define ROUNDS 8

enum { PARAM_N };

static const struct workload_param params[] = {
    [PARAM_N] = {.name = "n",
                 .meaning = "threads, a multiple of 128; 0: by the size of the device",
                 SIZE_UP_TO(1 << 22, "threads")},
};

static uint64_t registers_words(const struct workload_case *c)
{
    (void)c;
    return WORDS;
}

static uint64_t registers_address(const struct workload_case *c, const struct access_point *at)
{
    return (at->block[0] * (uint64_t)BLOCK + access_thread(at) + at->i * (uint64_t)c->params.value[PARAM_N]) *
           sizeof(float);
}

/* Spills go to local memory, which no rule predicts: the compiler decides. */
static const struct access_site sites[] = {
    SITE_PER_TURN("in[i + k * threads]", ACCESS_GLOBAL, ACCESS_LOAD, 4, registers_words, registers_address),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, registers_address),
};

#define VARIANT(title, suffix, what)                                           \
    {                                                                          \
        .name = title, .meaning = what, ONE_KERNEL("registers_" suffix, sites) \
    }
#define BOUND(bound, what) VARIANT(#bound, #bound, what)
static const struct workload_variant variants[] = {
    BOUND(24, "24 registers, the least (a bound of 16 is taken for 24): half the words spill"),
    BOUND(32, "32 registers: all warps are resident, a third of the words spill"),
    BOUND(40, "40 registers: three quarters of the warps, some words spill"),
    BOUND(64, "64 registers: enough for the words, half the warps"),
    BOUND(96, "up to 96 registers; 64 are enough"),
    BOUND(128, "up to 128 registers; 64 are enough"),
    BOUND(255, "no bound except the instruction set's"),
    VARIANT("launch-bounds", "launch_bounds",
            "__launch_bounds__: 8 blocks of 128 at once, which gives 64 registers"),
};

static enum status registers_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = c->small ? 1024 : workload_words_past_cache(c) / 64;
    return case_grid_of_threads(c, *n, BLOCK, (WORDS + 1) * sizeof(float) * (double)*n, error);
}

static float registers_reference(const float *input, size_t n)
{
    float x[WORDS], sum = 0;

    for (size_t k = 0; k < WORDS; k++)
        x[k] = input[k * n];
    for (int round = 0; round < ROUNDS; round++) {
        float first = x[0];

        for (size_t k = 0; k + 1 < WORDS; k++)
            x[k] = x[k] * 0.5f + x[k + 1];
        x[WORDS - 1] = x[WORDS - 1] * 0.5f + first;
    }
    for (size_t k = 0; k < WORDS; k++)
        sum += x[k];
    return sum;
}

static enum status registers_run(const struct workload_case *c, struct workbench *bench,
                                 struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = n * WORDS * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = n * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "registers",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        const float *input = single.array[0].input, *output = single.array[1].output;
        float wanted = registers_reference(input + i, n);

        if (!verify_words("out", i, &output[i], &wanted, 1, result))
            return STATUS_OK;
    }
    result->verified = 1;
    return STATUS_OK;
}

const struct workload workload_registers = {
    .name = "registers",
    .chapter = CHAPTER_EXECUTION,
    .title = "A bound on registers: more warps, until words spill",
    .words = "register spill spilling maxrregcount register pressure local memory launch bounds",
    .meaning =
        "A bound on registers allows more resident warps, until the kernel has to keep words in local memory",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = registers_resolve,
    .run = registers_run,
};
