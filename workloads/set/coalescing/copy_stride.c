/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy-stride: what lanes that stand apart cost. Textbook figure: bandwidth over strides 1 to 32.
 *
 * The arrays stay the same size, a larger stride copies fewer of their words: so every case moves what the
 * level 2 cache does not hold up to the stride at which each lane has a sector of its own.
 */
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <string.h>

#define BLOCK 256
#define STRIDE_MAX 32

enum { PARAM_STRIDE, PARAM_N };

static const struct workload_param params[] = {
    [PARAM_STRIDE] = {.name = "stride",
                      .meaning = "distance of two lanes, in both arrays",
                      .unit = "words",
                      .minimum = 1,
                      .maximum = STRIDE_MAX,
                      .standard = 2},
    [PARAM_N] = {.name = "n",
                 .meaning = "words of an array; 0: more than the level 2 cache holds",
                 SIZE_UP_TO(1 << 28, "words")},
};

static uint64_t copy_stride_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t i =
        ((uint64_t)at->block[0] * BLOCK + access_thread(at)) * (uint64_t)c->params.value[PARAM_STRIDE];

    return i * sizeof(float);
}

/* The next warp is stride x 128 bytes further on, so every warp costs the same as the first. */
static const struct access_site sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, copy_stride_address),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, copy_stride_address),
};

static const struct kernel_sites kernels[] = {{KERNEL_SITES("copy_stride", sites)}};

static const struct workload_variant variants[] = {
    {.name = "copy",
     .meaning = "out[i] = in[i] for every stride-th i",
     .kernels = kernels,
     .kernel_count = TABLE_COUNT(kernels)},
};

static enum status copy_stride_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N], stride = c->params.value[PARAM_STRIDE];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c);
    if (*n < stride * BLOCK)
        return error_set(error, STATUS_USAGE,
                         "copy-stride: n=%lld has no block of %d words %lld apart. Give n=%lld or more.",
                         (long long)*n, BLOCK, (long long)stride, (long long)stride * BLOCK);
    c->grid[0] = (uint32_t)(*n / (stride * BLOCK));
    c->grid[1] = c->grid[2] = 1;
    c->block[0] = BLOCK;
    c->block[1] = c->block[2] = 1;
    c->effective_bytes = 2.0 * sizeof(float) * BLOCK * c->grid[0];
    c->effective_kernel = kernels[0].kernel;
    return STATUS_OK;
}

/* Block by block: `wanted` (as many words as a block spans) gets the copied words, and poison between them.
 */
static void copy_stride_verify(const struct workload_case *c, const float *output, const float *input,
                               uint32_t *wanted, struct workload_result *result)
{
    size_t n = (size_t)c->params.value[PARAM_N], stride = (size_t)c->params.value[PARAM_STRIDE],
           span = BLOCK * stride, first = 0;

    memset(wanted, WORKBENCH_POISON, span * sizeof *wanted);
    result->verified = 1;
    for (uint32_t block = 0; block < c->grid[0] && result->verified == 1; block++, first += span) {
        for (size_t i = 0; i < BLOCK; i++)
            memcpy(&wanted[i * stride], &input[first + i * stride], sizeof *wanted);
        verify_words("out", first, output + first, wanted, span, result);
    }
    if (result->verified == 1)
        verify_untouched("out", first, output + first, n - first, result);
}

static enum status copy_stride_run(const struct workload_case *c, struct workbench *bench,
                                   struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    uint32_t stride = (uint32_t)c->params.value[PARAM_STRIDE];
    device_pointer in, out;
    const float *input, *output;
    void *wanted;
    struct device_launch launch = {.image = "copy_stride",
                                   .kernel = kernels[0].kernel,
                                   .grid = {c->grid[0], c->grid[1], c->grid[2]},
                                   .block = {c->block[0], c->block[1], c->block[2]},
                                   .arguments = (void *[]){&out, &in, &stride}};
    enum status status;

    if ((status = workbench_input(bench, 0, n, &in, &input, error)) ||
        (status = workbench_output(bench, 1, n, &out, error)) ||
        (status = workbench_launch(bench, &launch, error)) ||
        (status = workbench_fetch(bench, 1, n, &output, error)) ||
        (status = workbench_host_buffer(bench, 0, HOST_PAGEABLE, BLOCK * STRIDE_MAX * sizeof(float), &wanted,
                                        error)))
        return status;
    copy_stride_verify(c, output, input, wanted, result);
    return STATUS_OK;
}

const struct workload workload_copy_stride = {
    .name = "copy-stride",
    .chapter = CHAPTER_COALESCING,
    .title = "A copy of every n-th word: unused bytes move too",
    .words = "coalescing coalesced uncoalesced strided gather memcpy bandwidth",
    .meaning =
        "Memory moves whole sectors: at a stride of 2 half of the bandwidth is lost, from 8 on seven eighths",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = copy_stride_resolve,
    .run = copy_stride_run,
    .sweeps = {"copy-stride,stride=1..32"},
};
