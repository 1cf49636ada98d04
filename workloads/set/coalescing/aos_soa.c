/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aos-soa: an array of structures against a structure of arrays. Every thread reads one structure, or its
 * first fields.
 *
 * Where all fields are read, all words lie in L1 after the first, so that time tells less than the counts:
 * sectors are asked for again and again. Where few are, the others are moved for nothing.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256
#define FIELDS_MAX 8

enum { PARAM_FIELDS, PARAM_USED, PARAM_N };
enum { TAG_AOS, TAG_SOA, TAG_ALIGNED };

static const struct workload_param params[] = {
    [PARAM_FIELDS] = {.name = "fields",
                      .meaning = "words of a structure",
                      .unit = "words",
                      .minimum = 1,
                      .maximum = FIELDS_MAX,
                      .standard = 8},
    [PARAM_USED] = {.name = "used",
                    .meaning =
                        "words read of each structure, by the aligned variant in groups of four; 0: all",
                    .unit = "words",
                    .minimum = 0,
                    .maximum = FIELDS_MAX,
                    .standard = 0},
    [PARAM_N] = {.name = "n",
                 .meaning = "structures, a multiple of 256; 0: by the size of the device",
                 SIZE_UP_TO(1 << 24, "structures")},
};

static uint64_t aos_soa_fields(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_FIELDS];
}

static uint64_t aos_soa_used(const struct workload_case *c)
{
    return c->params.value[PARAM_USED] ? (uint64_t)c->params.value[PARAM_USED] : aos_soa_fields(c);
}

static uint64_t aos_soa_quarters(const struct workload_case *c)
{
    return (aos_soa_fields(c) + 3) / 4;
}

static uint64_t used_quarters(const struct workload_case *c)
{
    return (aos_soa_used(c) + 3) / 4;
}

/* Words that a thread adds up. */
static uint64_t aos_soa_added(const struct workload_case *c)
{
    uint64_t fours = used_quarters(c) * 4;

    return c->variant->tag != TAG_ALIGNED ? aos_soa_used(c)
           : fours < aos_soa_fields(c)    ? fours
                                          : aos_soa_fields(c);
}

static uint64_t thread_of(const struct access_point *at)
{
    return at->block[0] * (uint64_t)BLOCK + access_thread(at);
}

ACCESS_ADDRESS(aos_address, (thread_of(at) * aos_soa_fields(c) + at->i) * sizeof(float))
ACCESS_ADDRESS(soa_address, (at->i * (uint64_t)c->params.value[PARAM_N] + thread_of(at)) * sizeof(float))
ACCESS_ADDRESS(aligned_address, (thread_of(at) * aos_soa_quarters(c) + at->i) * 4 * sizeof(float))

/* The next warp is 32 structures further on, so a multiple of 128 bytes. */
#define SITES(text, bytes, how_often, function)                                  \
    {                                                                            \
        {.name = text,                                                           \
         .space = ACCESS_GLOBAL,                                                 \
         .op = ACCESS_LOAD,                                                      \
         .width_bytes = bytes,                                                   \
         .count = how_often,                                                     \
         .address = function,                                                    \
         .block_period = {1, 1, 1},                                              \
         .warp_period = 1},                                                      \
            SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word) \
    }
static const struct access_site aos_sites[] = SITES("in[i].field", 4, aos_soa_used, aos_address);
static const struct access_site soa_sites[] = SITES("in.field[i]", 4, aos_soa_used, soa_address);
static const struct access_site aligned_sites[] = SITES("in[i].four", 16, used_quarters, aligned_address);

static const struct kernel_sites kernels[] = {
    [TAG_AOS] = {KERNEL_SITES("aos", aos_sites)},
    [TAG_SOA] = {KERNEL_SITES("soa", soa_sites)},
    [TAG_ALIGNED] = {KERNEL_SITES("aos_aligned", aligned_sites)},
};

static const struct workload_variant variants[] = {
    {.name = "aos",
     .meaning = "an array of structures: neighbouring lanes read one structure apart",
     .tag = TAG_AOS,
     .kernels = &kernels[TAG_AOS],
     .kernel_count = 1},
    {.name = "soa",
     .meaning = "a structure of arrays: neighbouring lanes read neighbouring words",
     .tag = TAG_SOA,
     .kernels = &kernels[TAG_SOA],
     .kernel_count = 1},
    {.name = "aligned",
     .meaning = "structures padded and aligned to 16 bytes: four words in one load",
     .tag = TAG_ALIGNED,
     .kernels = &kernels[TAG_ALIGNED],
     .kernel_count = 1},
};

static enum status aos_soa_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c) / FIELDS_MAX;
    if (aos_soa_used(c) > aos_soa_fields(c))
        return error_set(
            error, STATUS_USAGE,
            "aos-soa: used=%llu is more than the structure's fields=%llu. Give 1 to %llu, or 0 for all.",
            (unsigned long long)aos_soa_used(c), (unsigned long long)aos_soa_fields(c),
            (unsigned long long)aos_soa_fields(c));
    return case_grid_of_threads(c, *n, BLOCK, (double)(aos_soa_used(c) + 1) * sizeof(float) * (double)*n,
                                error);
}

/* Word k of structure i is the pattern's word i * fields + k, in every layout; padding is 0. */
static void aos_soa_fill(const struct workload_case *c, void *bytes, size_t size_bytes)
{
    float *words = bytes;
    size_t n = (size_t)c->params.value[PARAM_N], count = aos_soa_fields(c), padded = aos_soa_quarters(c) * 4;

    (void)size_bytes;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < padded; k++) {
            float value = k < count ? workbench_pattern_at(i * count + k) : 0;

            if (c->variant->tag == TAG_ALIGNED)
                words[i * padded + k] = value;
            else if (k < count)
                words[c->variant->tag == TAG_AOS ? i * count + k : k * n + i] = value;
        }
    }
}

static void aos_soa_verify(const struct workload_case *c, const float *output, struct workload_result *result)
{
    size_t n = (size_t)c->params.value[PARAM_N];

    for (size_t i = 0; i < n; i++) {
        float wanted = 0;

        for (size_t k = 0; k < aos_soa_added(c); k++)
            wanted += workbench_pattern_at(i * aos_soa_fields(c) + k);
        if (!verify_words("out", i, &output[i], &wanted, 1, result))
            return;
    }
    result->verified = 1;
}

static enum status aos_soa_run(const struct workload_case *c, struct workbench *bench,
                               struct workload_result *result, struct error *error)
{
    uint32_t n = (uint32_t)c->params.value[PARAM_N], count = (uint32_t)aos_soa_fields(c),
             read = (uint32_t)aos_soa_used(c);
    size_t words = c->variant->tag == TAG_ALIGNED ? aos_soa_quarters(c) * 4 : count;
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = n * words * sizeof(float), .fill = aos_soa_fill},
                  {.use = SINGLE_OUTPUT, .size_bytes = n * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "aos_soa",
                   .kernel = c->effective_kernel,
                   .arguments =
                       (void *[]){&single.array[1].pointer, &single.array[0].pointer, &n, &count, &read}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        aos_soa_verify(c, single.array[1].output, result);
    return status;
}

const struct workload workload_aos_soa = {
    .name = "aos-soa",
    .chapter = CHAPTER_COALESCING,
    .title = "An array of structures, then one array per field",
    .words = "coalescing coalesced struct data layout AoS SoA float4",
    .meaning = "Lanes that read the same field of neighbouring structures access memory one structure apart; "
               "with one array per field they access neighbouring words",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = aos_soa_resolve,
    .run = aos_soa_run,
    .sweeps = {"aos-soa,fields=1..8", "aos-soa,fields=8,used=1"},
};
