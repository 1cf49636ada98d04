/* SPDX-License-Identifier: Apache-2.0 */
/*
 * divergence: threads on different paths. What matters is not how many paths there are, but how many of them
 * one warp has to walk.
 *
 * Built without fused multiply-add: the host repeats every step bit by bit.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <math.h>
#include <string.h>

#define BLOCK 256
#define ROUNDS 64 /* as in divergence.cu */

enum { PARAM_WAYS, PARAM_N };
enum { TAG_LANE, TAG_WARP, TAG_DATA, TAG_PREDICATED };

static const struct workload_param params[] = {
    [PARAM_WAYS] = {.name = "ways",
                    .meaning = "different paths",
                    .unit = "paths",
                    .minimum = 1,
                    .maximum = 32,
                    .standard = 2},
    [PARAM_N] = {.name = "n",
                 .meaning = "threads, a multiple of 256; 0: by the size of the device",
                 SIZE_UP_TO(1 << 24, "threads")},
};

/* The paths do not access memory: the accesses are those of a copy, with any divergence. */
static const struct access_site sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
};

#define VARIANT(id, text, what)                                                           \
    {                                                                                     \
        .name = #text, .meaning = what, .tag = id, ONE_KERNEL("divergence_" #text, sites) \
    }
static const struct workload_variant variants[] = {
    VARIANT(TAG_LANE, lane, "neighbouring lanes diverge: a warp executes every path"),
    VARIANT(TAG_WARP, warp, "whole warps diverge: each executes one path"),
    VARIANT(TAG_DATA, data, "the data decides: a warp executes the paths that its 32 words select"),
    VARIANT(TAG_PREDICATED, predicated, "a path so short that the compiler makes no branch"),
};

static enum status divergence_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c) / 8;
    return case_grid_of_threads(c, *n, BLOCK, 2.0 * sizeof(float) * (double)*n, error);
}

static uint32_t way_of(const struct workload_case *c, size_t i, float x)
{
    uint32_t ways = (uint32_t)c->params.value[PARAM_WAYS], bits;

    memcpy(&bits, &x, sizeof bits);
    switch (c->variant->tag) {
    case TAG_WARP: return (uint32_t)(i / 32) % ways;
    case TAG_DATA: return bits / 64 % ways;
    default: return (uint32_t)i % ways;
    }
}

static float divergence_reference(const struct workload_case *c, size_t i, float x)
{
    uint32_t way = way_of(c, i, x);

    if (c->variant->tag == TAG_PREDICATED)
        return way ? x * 0.5f : x;
    for (int round = 0; round < ROUNDS; round++)
        x = x * (0.5f + (float)way * 0.0078125f) + 1;
    return x;
}

/* Of a seed: the rounds halve what a word begins with 64 times, and nothing but a large one is left of it. */
static void seeded_fill(const struct workload_case *c, void *bytes, size_t size_bytes)
{
    float *words = bytes;

    for (size_t i = 0; i < size_bytes / sizeof *words; i++)
        words[i] = ldexpf(workbench_word_at(workload_seed(c), i), ROUNDS);
}

static enum status divergence_run(const struct workload_case *c, struct workbench *bench,
                                  struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    uint32_t ways = (uint32_t)c->params.value[PARAM_WAYS];
    struct single single = {
        .array = {{.use = SINGLE_INPUT,
                   .size_bytes = n * sizeof(float),
                   .fill = workload_seed(c) ? seeded_fill : NULL},
                  {.use = SINGLE_OUTPUT, .size_bytes = n * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "divergence",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer, &ways}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        const float *input = single.array[0].input, *output = single.array[1].output;
        float wanted = divergence_reference(c, i, input[i]);

        if (!verify_words("out", i, &output[i], &wanted, 1, result))
            return STATUS_OK;
    }
    result->verified = 1;
    return STATUS_OK;
}

const struct workload workload_divergence = {
    .name = "divergence",
    .chapter = CHAPTER_EXECUTION,
    .title = "Lanes of a warp on different paths take turns",
    .words = "branch divergent if else control flow predication SIMT serialization",
    .meaning = "A warp executes the paths of its lanes one after the other; a condition that is the same for "
               "a whole warp costs nothing",
    WORKLOAD_TABLES(params, variants),
    WORKLOAD_SEEDED,
    .devices_needed = 1,
    .resolve = divergence_resolve,
    .run = divergence_run,
    .sweeps =
        {
            "divergence:lane,ways=1|2|4|8|16|32",
            "divergence:warp,ways=1|2|4|8|16|32",
            "divergence:data,ways=1|2|4|8|16|32",
            "divergence:predicated,ways=2",
        },
};
