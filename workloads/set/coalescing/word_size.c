/* SPDX-License-Identifier: Apache-2.0 */
/*
 * word-size: what one instruction loads. Copies of the same bytes in elements of 1 to 16 bytes, and of two
 * sizes no instruction has.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256

enum { PARAM_N };

static const struct workload_param params[] = {
    [PARAM_N] = {.name = "n",
                 .meaning =
                     "elements, a multiple of 256; 0: 16 bytes of them are more than the level 2 cache holds",
                 SIZE_UP_TO(1 << 26, "elements")},
};

/* Byte `part` of an element of `bytes` bytes: the tag of a variant is its element's size. */
static uint64_t part_address(const struct workload_case *c, const struct access_point *at, uint64_t part)
{
    return (at->block[0] * (uint64_t)BLOCK + access_thread(at)) * (uint64_t)c->variant->tag + part;
}

#define PART(n)                                                                            \
    static uint64_t part_##n(const struct workload_case *c, const struct access_point *at) \
    {                                                                                      \
        return part_address(c, at, n);                                                     \
    }
PART(0)
PART(1)
PART(2)
PART(3)
PART(4)
PART(8)

/* The next warp is 32 elements further on, which is a multiple of 32 bytes for every size. */
#define LOAD_AND_STORE(bytes, function)                              \
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, bytes, function), \
        SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, bytes, function)

static const struct access_site sites_8[] = {LOAD_AND_STORE(1, part_0)};
static const struct access_site sites_16[] = {LOAD_AND_STORE(2, part_0)};
static const struct access_site sites_32[] = {LOAD_AND_STORE(4, part_0)};
static const struct access_site sites_64[] = {LOAD_AND_STORE(8, part_0)};
static const struct access_site sites_128[] = {LOAD_AND_STORE(16, part_0)};
static const struct access_site sites_float3[] = {LOAD_AND_STORE(4, part_0), LOAD_AND_STORE(4, part_4),
                                                  LOAD_AND_STORE(4, part_8)};
static const struct access_site sites_packed[] = {LOAD_AND_STORE(1, part_0), LOAD_AND_STORE(1, part_1),
                                                  LOAD_AND_STORE(1, part_2), LOAD_AND_STORE(1, part_3),
                                                  LOAD_AND_STORE(1, part_4)};

#define VARIANT(text, size, what)                                                                 \
    {                                                                                             \
        .name = #text, .meaning = what, .tag = size, ONE_KERNEL("word_size_" #text, sites_##text) \
    }
static const struct workload_variant variants[] = {
    VARIANT(8, 1, "8 bits, 1 byte a lane: a request of 32 bytes"),
    VARIANT(16, 2, "16 bits, 2 bytes a lane: a request of 64"),
    VARIANT(32, 4, "32 bits, 4 bytes a lane: a request of 128, a line"),
    VARIANT(64, 8, "64 bits, 8 bytes a lane in one instruction"),
    VARIANT(128, 16, "128 bits, 16 bytes a lane in one instruction: the most"),
    VARIANT(float3, 12, "12 bytes aligned to 4: three instructions"),
    VARIANT(packed, 5, "5 bytes without alignment: five instructions of one byte"),
};

static enum status word_size_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c) / 4;
    return case_grid_of_threads(c, *n, BLOCK, 2.0 * c->variant->tag * (double)*n, error);
}

static enum status word_size_run(const struct workload_case *c, struct workbench *bench,
                                 struct workload_result *result, struct error *error)
{
    size_t bytes = (size_t)c->params.value[PARAM_N] * (size_t)c->variant->tag;
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = bytes}, {.use = SINGLE_OUTPUT, .size_bytes = bytes}},
        .array_count = 2,
        .launch = {.image = "word_size",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        result->verified = verify_words("out (as words)", 0, single.array[1].output, single.array[0].input,
                                        bytes / sizeof(float), result);
    return status;
}

const struct workload workload_word_size = {
    .name = "word-size",
    .chapter = CHAPTER_COALESCING,
    .title = "Loads of 1 to 16 bytes per lane, aligned and packed",
    .words = "vectorized vector loads float2 float4 int4 uint4 alignment misaligned byte char",
    .meaning = "Wider words move the same bytes in fewer instructions; other sizes need several "
               "instructions, and their lanes access memory with a stride",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = word_size_resolve,
    .run = word_size_run,
};
