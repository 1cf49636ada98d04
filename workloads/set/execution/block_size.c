/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block-size: the same threads in smaller and larger blocks, without and with barriers.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

enum { PARAM_BLOCK, PARAM_ROUNDS, PARAM_N };
enum { TAG_COPY, TAG_BARRIERS };

static const struct workload_param params[] = {
    [PARAM_BLOCK] = {.name = "block",
                     .meaning = "threads of a block, a multiple of 32",
                     .unit = "threads",
                     .minimum = 32,
                     .maximum = 1024,
                     .standard = 256,
                     .step = 32},
    [PARAM_ROUNDS] = {.name = "rounds",
                      .meaning = "rounds of two barriers each (barriers only)",
                      .unit = "rounds",
                      .minimum = 1,
                      .maximum = 4096,
                      .standard = 32},
    [PARAM_N] = {.name = "n",
                 .meaning = "threads in all, rounded down to whole blocks; 0: by the size of the device",
                 SIZE_UP_TO(1 << 28, "threads")},
};

static uint64_t block_size_rounds(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_ROUNDS];
}

static uint64_t word_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c;
    return access_thread(at) * sizeof(float);
}

static uint64_t next_address(const struct workload_case *c, const struct access_point *at)
{
    return (access_thread(at) + 1) % c->block[0] * sizeof(float);
}

#define SITE(text, where, what, times, function)                                                         \
    {                                                                                                    \
        .name = text, .space = where, .op = what, .width_bytes = 4, .count = times, .address = function, \
        .block_period = {1, 1, 1}, .i_period = 1                                                         \
    }
static const struct access_site copy_sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
};
static const struct access_site barrier_sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE("word[thread] = ", ACCESS_SHARED, ACCESS_STORE, block_size_rounds, word_address),
    SITE("word[next]", ACCESS_SHARED, ACCESS_LOAD, block_size_rounds, next_address),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
};

static const struct kernel_sites kernels[] = {
    [TAG_COPY] = {KERNEL_SITES("block_size_copy", copy_sites)},
    [TAG_BARRIERS] = {KERNEL_SITES("block_size_barriers", barrier_sites)},
};

static const struct workload_variant variants[] = {
    {.name = "copy",
     .meaning = "out[i] = in[i] * 2: threads that never wait for each other",
     .tag = TAG_COPY,
     .kernels = &kernels[TAG_COPY],
     .kernel_count = 1},
    {.name = "barriers",
     .meaning = "two barriers in each round: a larger block waits longer for its last warp",
     .tag = TAG_BARRIERS,
     .kernels = &kernels[TAG_BARRIERS],
     .kernel_count = 1},
};

static enum status block_size_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N], block = c->params.value[PARAM_BLOCK];

    if (block % 32)
        return error_set(
            error, STATUS_USAGE,
            "block-size: block=%lld is not a multiple of 32 (see block-multiple). Give block=%lld.",
            (long long)block, (long long)((block / 32 + 1) * 32));
    if (*n == WORKLOAD_SIZE_AUTO)
        *n = case_threads_that_fit(
            c, workload_words_past_cache(c) / (c->variant->tag == TAG_BARRIERS ? 8 : 1), 32);
    if (*n < block)
        return error_set(error, STATUS_USAGE,
                         "block-size: n=%lld is less than a block of %lld threads. Give n=%lld or more.",
                         (long long)*n, (long long)block, (long long)block);
    *n = *n / block * block;
    return case_grid_of_threads(c, *n, (uint32_t)block, 2.0 * sizeof(float) * (double)*n, error);
}

/* After r rounds a thread has the word of the r-th thread after it in its block. */
static void verify_handed_on(const struct workload_case *c, const float *input, const float *output,
                             struct workload_result *result)
{
    size_t block = c->block[0], turn = block_size_rounds(c) % block, n = (size_t)c->params.value[PARAM_N];

    for (size_t first = 0; first < n; first += block) {
        size_t rest = block - turn;

        if (!verify_words("out", first, output + first, input + first + turn, rest, result) ||
            !verify_words("out", first + rest, output + first + rest, input + first, turn, result))
            return;
    }
    result->verified = 1;
}

static enum status block_size_run(const struct workload_case *c, struct workbench *bench,
                                  struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    bool barriers = c->variant->tag == TAG_BARRIERS;
    uint32_t round_count = (uint32_t)block_size_rounds(c);
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = n * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = n * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "block_size",
                   .kernel = c->effective_kernel,
                   .dynamic_shared_bytes = barriers ? c->block[0] * (uint32_t)sizeof(float) : 0,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer, &round_count}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status)
        return status;
    if (barriers)
        verify_handed_on(c, single.array[0].input, single.array[1].output, result);
    else
        verify_doubled(single.array[0].input, single.array[1].output, n, result);
    return STATUS_OK;
}

const struct workload workload_block_size = {
    .name = "block-size",
    .chapter = CHAPTER_EXECUTION,
    .title = "Blocks of 32 to 1024 threads: occupancy and barriers",
    .words = "threads per block launch configuration __syncthreads synchronization occupancy",
    .meaning = "128 to 256 is a good start; very small blocks run out of block slots, very large ones wait "
               "at their barriers",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = block_size_resolve,
    .run = block_size_run,
    .sweeps =
        {
            "block-size:copy,block=32|64|96|128|192|256|384|512|768|1024",
            "block-size:barriers,block=32|64|96|128|192|256|384|512|768|1024",
        },
};
