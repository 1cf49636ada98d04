/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block-multiple: a copy in blocks of any size. A block that is no multiple of 32 threads wastes lanes in its
 * last warp, and shifts all blocks behind it off the boundaries of lines.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

enum { PARAM_BLOCK, PARAM_N };

static const struct workload_param params[] = {
    [PARAM_BLOCK] = {.name = "block",
                     .meaning = "threads of a block",
                     .unit = "threads",
                     .minimum = 1,
                     .maximum = 1024,
                     .standard = 100,
                     .step = 4},
    [PARAM_N] = {.name = "n",
                 .meaning = "words, rounded down to whole blocks; 0: more than the level 2 cache holds",
                 SIZE_UP_TO(1 << 28, "words")},
};

static uint64_t block_multiple_address(const struct workload_case *c, const struct access_point *at)
{
    if (access_thread(at) >= c->block[0])
        return SITE_ACTIVE_NONE;
    return (at->block[0] * (uint64_t)c->block[0] + access_thread(at)) * sizeof(float);
}

/* 32 blocks of any size are a multiple of 32 words: after them the cost repeats. */
#define SITE(text, what)                                                                          \
    {                                                                                             \
        .name = text, .space = ACCESS_GLOBAL, .op = what, .width_bytes = 4, .count = access_once, \
        .address = block_multiple_address, .block_period = {32, 1, 1}, .i_period = 1              \
    }
static const struct access_site sites[] = {SITE("in[i]", ACCESS_LOAD), SITE("out[i]", ACCESS_STORE)};

static const struct kernel_sites kernels[] = {{KERNEL_SITES("block_multiple", sites)}};

static const struct workload_variant variants[] = {
    {.name = "copy",
     .meaning = "out[i] = in[i], a thread for each word",
     .kernels = kernels,
     .kernel_count = TABLE_COUNT(kernels)},
};

static enum status block_multiple_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N], block = c->params.value[PARAM_BLOCK];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c);
    if (*n < block)
        return error_set(error, STATUS_USAGE,
                         "block-multiple: n=%lld is less than a block of %lld threads. Give n=%lld or more.",
                         (long long)*n, (long long)block, (long long)block);
    *n = *n / block * block;
    return case_grid_of_threads(c, *n, (uint32_t)block, 2.0 * sizeof(float) * (double)*n, error);
}

static enum status block_multiple_run(const struct workload_case *c, struct workbench *bench,
                                      struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = n * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = n * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "block_multiple",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        result->verified = verify_words("out", 0, single.array[1].output, single.array[0].input, n, result);
    return status;
}

const struct workload workload_block_multiple = {
    .name = "block-multiple",
    .chapter = CHAPTER_COALESCING,
    .title = "Blocks that are no multiple of a warp: idle lanes",
    .words = "coalescing warp size block size partial warps threads per block tail",
    .meaning = "A block whose size is not a multiple of 32 threads has idle lanes, and the blocks after it "
               "lose their alignment",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = block_multiple_resolve,
    .run = block_multiple_run,
    .sweeps = {"block-multiple,block=32|64|96|100|128|192|200|250|256|257|500|512|1000|1024"},
};
