/* SPDX-License-Identifier: Apache-2.0 */
/*
 * local-array: an array of a thread's own, indexed by constants or by a variable.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <math.h>

#define BLOCK 256
#define WORDS 64 /* as in local_array.cu; the assembler keeps up to ten in registers with any index */
#define SHIFT 3

enum { PARAM_N, PARAM_SEED, PARAM_SHIFT };

static const struct workload_param params[] = {
    [PARAM_N] = {.name = "n",
                 .meaning = "threads, a multiple of 256; 0: by the size of the device",
                 SIZE_UP_TO(1 << 24, "threads")},
};

static const struct workload_param inputs[] = {
    [PARAM_SEED - PARAM_SEED] = INPUT_SEED,
    [PARAM_SHIFT - PARAM_SEED] = {.name = "shift",
                                  .meaning = "the first of a thread's words that is added",
                                  .unit = "words",
                                  .minimum = 0,
                                  .maximum = WORDS - 1,
                                  .standard = SHIFT},
};

static uint64_t local_array_words(const struct workload_case *c)
{
    (void)c;
    return WORDS;
}

static uint64_t local_array_address(const struct workload_case *c, const struct access_point *at)
{
    return (at->block[0] * (uint64_t)BLOCK + access_thread(at) + at->i * (uint64_t)c->params.value[PARAM_N]) *
           sizeof(float);
}

/* Word j of a warp's lanes is contiguous; the position of a warp's window does not change the cost. */
static uint64_t word_address(const struct access_point *at, uint64_t j)
{
    return (j * WARP_LANES + at->lane) * sizeof(float);
}

static uint64_t filled_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c;
    return word_address(at, at->i);
}

static uint64_t read_address(const struct workload_case *c, const struct access_point *at)
{
    return word_address(at, (at->i + (uint64_t)c->params.value[PARAM_SHIFT]) % WORDS);
}

#define EACH_WORD(text, where, what, function)                                                  \
    {                                                                                           \
        .name = text, .space = where, .op = what, .width_bytes = 4, .count = local_array_words, \
        .address = function, .block_period = {1, 1, 1}, .warp_period = 1, .i_period = 1         \
    }
#define GLOBAL_SITES                                                             \
    EACH_WORD("in[i + k * n]", ACCESS_GLOBAL, ACCESS_LOAD, local_array_address), \
        SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, local_array_address)
static const struct access_site register_sites[] = {GLOBAL_SITES};
static const struct access_site local_sites[] = {
    GLOBAL_SITES,
    EACH_WORD("word[k] = ", ACCESS_LOCAL, ACCESS_STORE, filled_address),
    EACH_WORD("word[(k + shift) % WORDS]", ACCESS_LOCAL, ACCESS_LOAD, read_address),
};

static const struct kernel_sites constant_kernel = {KERNEL_SITES("local_array_constant", register_sites),
                                                    .tells_local = true},
                                 variable_kernel = {KERNEL_SITES("local_array_variable", local_sites),
                                                    .tells_local = true};

#define VARIANT(text, what_kernel, preference, what)                                        \
    {                                                                                       \
        .name = text, .meaning = what, .tag = preference, .kernels = &what_kernel##_kernel, \
        .kernel_count = 1                                                                   \
    }
static const struct workload_variant variants[] = {
    VARIANT("constant", constant, DEVICE_CARVEOUT_DEFAULT,
            "indices known at compile time: the array is registers"),
    VARIANT("variable", variable, DEVICE_CARVEOUT_DEFAULT,
            "indices known only at run time: the array is in local memory"),
    VARIANT("variable-l1", variable, DEVICE_CARVEOUT_L1, "the same, with the largest L1"),
    VARIANT("variable-shared", variable, DEVICE_CARVEOUT_SHARED, "the same, with the smallest L1"),
};

static enum status local_array_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = c->small ? 1024 : workload_words_past_cache(c) / WORDS;
    return case_grid_of_threads(c, *n, BLOCK, (WORDS + 1) * sizeof(float) * (double)*n, error);
}

/* Of a seed: each addition halves the sum before it, so words that are added earlier are larger, and all of
 * them are in the result. */
static void seeded_fill(const struct workload_case *c, void *bytes, size_t size_bytes)
{
    const size_t n = (size_t)c->params.value[PARAM_N], shift = (size_t)c->params.value[PARAM_SHIFT];
    float *words = bytes;

    for (size_t i = 0; i < size_bytes / sizeof *words; i++)
        words[i] = ldexpf(workbench_word_at(workload_seed(c), i),
                          (int)(WORDS - 1 - (i / n + WORDS - shift) % WORDS));
}

static enum status local_array_run(const struct workload_case *c, struct workbench *bench,
                                   struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    uint32_t shift = (uint32_t)c->params.value[PARAM_SHIFT];
    struct single single = {
        .array = {{.use = SINGLE_INPUT,
                   .size_bytes = n * WORDS * sizeof(float),
                   .fill = workload_seed(c) ? seeded_fill : NULL},
                  {.use = SINGLE_OUTPUT, .size_bytes = n * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "local_array",
                   .kernel = c->effective_kernel,
                   .carveout = (enum device_carveout)c->variant->tag,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer, &shift}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        const float *input = single.array[0].input, *output = single.array[1].output;
        float wanted = 0;

        for (size_t k = 0; k < WORDS; k++)
            wanted = wanted * 0.5f + input[i + (k + shift) % WORDS * n];
        if (!verify_words("out", i, &output[i], &wanted, 1, result))
            return STATUS_OK;
    }
    result->verified = 1;
    return STATUS_OK;
}

const struct workload workload_local_array = {
    .name = "local-array",
    .chapter = CHAPTER_MEMORIES,
    .title = "A thread's own array: in registers or in local memory",
    .words = "local memory stack register spill dynamic indexing",
    .meaning =
        "Registers have no addresses: an array indexed by a variable is in local memory, behind the caches",
    WORKLOAD_TABLES(params, variants),
    .inputs = inputs,
    .input_count = TABLE_COUNT(inputs),
    .devices_needed = 1,
    .resolve = local_array_resolve,
    .run = local_array_run,
};
