/* SPDX-License-Identifier: Apache-2.0 */
/*
 * constant: a word of constant memory for all lanes, or several different ones. Its cache gives one word at a
 * time. The same table in global memory, for comparison.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256
#define WORDS 1024 /* of the table, as in constant.cu */
#define ROUNDS 32

enum { PARAM_WORDS, PARAM_N };

static const struct workload_param params[] = {
    [PARAM_WORDS] = {.name = "words",
                     .meaning = "different words a warp reads at once",
                     .unit = "words",
                     .minimum = 1,
                     .maximum = 32,
                     .standard = 1},
    [PARAM_N] = {.name = "n",
                 .meaning = "threads, a multiple of 256; 0: by the size of the device",
                 SIZE_UP_TO(1 << 24, "threads")},
};

static uint64_t constant_rounds(const struct workload_case *c)
{
    (void)c;
    return ROUNDS;
}

static uint64_t table_address(const struct workload_case *c, const struct access_point *at)
{
    return (at->lane % (uint64_t)c->params.value[PARAM_WORDS] + at->i * 32) % WORDS * sizeof(float);
}

/* Constant memory has no sectors: only accesses to global memory are expected. */
#define STORE SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word)
static const struct access_site read_sites[] = {STORE};
static const struct access_site global_sites[] = {
    SITE_PER_TURN("table[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, constant_rounds, table_address), STORE};

#define VARIANT(text, table, what)                                           \
    {                                                                        \
        .name = #text, .meaning = what, ONE_KERNEL("constant_" #text, table) \
    }
static const struct workload_variant variants[] = {
    VARIANT(read, read_sites, "lane l begins at word l mod words of the table"),
    VARIANT(global, global_sites, "the same, from a table in global memory"),
    VARIANT(ldu, global_sites, "the same with LDU, the load of 2.x for a word that all lanes want"),
};

static enum status constant_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c) / 8;
    return case_grid_of_threads(c, *n, BLOCK, sizeof(float) * (double)*n, error);
}

static void constant_verify(const struct workload_case *c, const float *output,
                            struct workload_result *result)
{
    float wanted[32] = {0};

    for (size_t lane = 0; lane < 32; lane++) {
        for (size_t round = 0; round < ROUNDS; round++)
            wanted[lane] +=
                workbench_pattern_at((lane % (size_t)c->params.value[PARAM_WORDS] + round * 32) % WORDS);
    }
    for (size_t i = 0; i < (size_t)c->params.value[PARAM_N]; i += 32)
        if (!verify_words("out", i, &output[i], wanted, 32, result))
            return;
    result->verified = 1;
}

/* Copies the pattern's first words into the constant table. */
static enum status table_fill(struct workbench *bench, struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    device_pointer table;
    const float *pattern;
    enum status status = ops->symbol(bench->device, "constant", "table", &table, NULL, error);

    if (status == STATUS_OK)
        status = workbench_pattern(bench, WORDS, &pattern, error);
    if (status == STATUS_OK)
        status = ops->copy(bench->device, DEVICE_COPY_TO_DEVICE, table, device_host_address(pattern),
                           WORDS * sizeof(float), DEVICE_STREAM_DEFAULT, false, error);
    return status;
}

static enum status constant_run(const struct workload_case *c, struct workbench *bench,
                                struct workload_result *result, struct error *error)
{
    uint32_t words = (uint32_t)c->params.value[PARAM_WORDS];
    const bool global = c->variant->kernels->sites == global_sites;
    struct single single = {
        .array = {{.use = SINGLE_OUTPUT, .size_bytes = (size_t)c->params.value[PARAM_N] * sizeof(float)},
                  {.use = SINGLE_INPUT, .size_bytes = WORDS * sizeof(float)}},
        .array_count = global ? 2 : 1,
        .launch = {.image = "constant",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[0].pointer, &words, &single.array[1].pointer}},
    };
    enum status status = global ? STATUS_OK : table_fill(bench, error);

    if (status == STATUS_OK)
        status = single_run(c, bench, &single, error);
    if (status == STATUS_OK)
        constant_verify(c, single.array[0].output, result);
    return status;
}

const struct workload workload_constant = {
    .name = "constant",
    .chapter = CHAPTER_MEMORIES,
    .title = "Constant memory: one word for all lanes, or many",
    .words = "__constant__ cache broadcast lookup table coefficients",
    .meaning =
        "One word for all lanes is as cheap as a register; different words are read one after the other",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = constant_resolve,
    .run = constant_run,
    .sweeps = {"constant,words=1|2|4|8|16|32"},
};
