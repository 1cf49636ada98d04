/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bank-stride: bank conflicts of a warp that reads shared memory with a stride. Textbook figure: n-way
 * conflicts over strides 1 to 33.
 *
 * Stride and array count in elements of the variant's width. Every block does the same work: what it reads is
 * one block's input.
 */
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <string.h>

#define BLOCK 256
#define LANES 32
#define STRIDE_MAX 33
#define WIDTH_MAX 16

enum { PARAM_STRIDE, PARAM_BLOCKS };

static const struct workload_param params[] = {
    [PARAM_STRIDE] = {.name = "stride",
                      .meaning = "distance of two lanes, in elements of the variant's width",
                      .unit = "elements",
                      .minimum = 1,
                      .maximum = STRIDE_MAX,
                      .standard = 2},
    [PARAM_BLOCKS] = {.name = "blocks",
                      .meaning = "blocks of 256 threads; 0: eight per multiprocessor",
                      SIZE_UP_TO(1 << 16, "blocks")},
};

static uint64_t stride_of(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_STRIDE];
}

/* The variant's tag is the width in bytes. */
static uint64_t width_of(const struct workload_case *c)
{
    return (uint64_t)c->variant->tag;
}

/* The loop that fills the array: 32 x stride elements by 256 threads, the last iteration by some of the
 * warps. */
static uint64_t fill_count(const struct workload_case *c)
{
    return (LANES * stride_of(c) + BLOCK - 1) / BLOCK;
}

static uint64_t fill_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t element = access_thread(at) + at->i * BLOCK;

    return element < LANES * stride_of(c) ? element * width_of(c) : SITE_ACTIVE_NONE;
}

static uint64_t read_count(const struct workload_case *c)
{
    (void)c;
    return LANES;
}

static uint64_t read_address(const struct workload_case *c, const struct access_point *at)
{
    return (at->lane + at->i) % LANES * stride_of(c) * width_of(c);
}

/* The cost of a round's reads depends on the lanes that are served together; with 8 and 16 bytes it differs
 * between rounds. */
#define SITES(width)                                          \
    {                                                         \
        {.name = "in[i]",                                     \
         .space = ACCESS_GLOBAL,                              \
         .op = ACCESS_LOAD,                                   \
         .width_bytes = width,                                \
         .count = fill_count,                                 \
         .address = fill_address,                             \
         .block_period = {1, 1, 1}},                          \
            {.name = "element[i] = ",                         \
             .space = ACCESS_SHARED,                          \
             .op = ACCESS_STORE,                              \
             .width_bytes = width,                            \
             .count = fill_count,                             \
             .address = fill_address,                         \
             .block_period = {1, 1, 1}},                      \
            {.name = "element[(lane + round) % 32 * stride]", \
             .space = ACCESS_SHARED,                          \
             .op = ACCESS_LOAD,                               \
             .width_bytes = width,                            \
             .count = read_count,                             \
             .address = read_address,                         \
             .block_period = {1, 1, 1},                       \
             .warp_period = 1},                               \
            {.name = "out[thread]",                           \
             .space = ACCESS_GLOBAL,                          \
             .op = ACCESS_STORE,                              \
             .width_bytes = 4,                                \
             .count = access_once,                            \
             .address = access_own_word,                      \
             .block_period = {1, 1, 1},                       \
             .warp_period = 1,                                \
             .i_period = 1},                                  \
    }

static const struct access_site sites_8[] = SITES(1), sites_16[] = SITES(2), sites_32[] = SITES(4),
                                sites_64[] = SITES(8), sites_128[] = SITES(16);

static const struct kernel_sites kernels[] = {
    {KERNEL_SITES("bank_stride_8", sites_8)},     {KERNEL_SITES("bank_stride_16", sites_16)},
    {KERNEL_SITES("bank_stride_32", sites_32)},   {KERNEL_SITES("bank_stride_64", sites_64)},
    {KERNEL_SITES("bank_stride_128", sites_128)},
};

static const struct workload_variant variants[] = {
    {.name = "8-bit",
     .meaning = "four neighbours share a word",
     .tag = 1,
     .kernels = &kernels[0],
     .kernel_count = 1},
    {.name = "16-bit",
     .meaning = "two neighbours share a word",
     .tag = 2,
     .kernels = &kernels[1],
     .kernel_count = 1},
    {.name = "32-bit", .meaning = "a bank's own width", .tag = 4, .kernels = &kernels[2], .kernel_count = 1},
    {.name = "64-bit",
     .meaning = "two banks a lane, half a warp at a time",
     .tag = 8,
     .kernels = &kernels[3],
     .kernel_count = 1},
    {.name = "128-bit",
     .meaning = "four banks a lane, a quarter of a warp at a time",
     .tag = 16,
     .kernels = &kernels[4],
     .kernel_count = 1},
};

static enum status bank_stride_resolve(struct workload_case *c, struct error *error)
{
    int64_t *blocks = &c->params.value[PARAM_BLOCKS];

    (void)error;
    if (*blocks == WORKLOAD_SIZE_AUTO)
        *blocks = c->small || !c->info->multiprocessors ? 2 : 8 * (int64_t)c->info->multiprocessors;
    c->grid[0] = (uint32_t)*blocks;
    c->grid[1] = c->grid[2] = 1;
    c->block[0] = BLOCK;
    c->block[1] = c->block[2] = 1;
    c->effective_kernel = c->variant->kernels[0].kernel; /* no effective bytes: it uses shared memory only */
    return STATUS_OK;
}

/* An element reduced to 32 bits, as the kernel's bits() does. */
static uint32_t element_bits(const uint8_t *element, size_t width)
{
    uint32_t word = 0, folded = 0;

    for (size_t at = 0; at < width; at += sizeof word) {
        memcpy(&word, element + at, width < sizeof word ? width : sizeof word);
        folded ^= word;
    }
    return folded;
}

static enum status bank_stride_run(const struct workload_case *c, struct workbench *bench,
                                   struct workload_result *result, struct error *error)
{
    size_t width = (size_t)c->variant->tag, words = (size_t)c->grid[0] * BLOCK;
    uint32_t stride = (uint32_t)c->params.value[PARAM_STRIDE], wanted[BLOCK] = {0};
    device_pointer in, out;
    const float *input, *output;
    struct device_launch launch = {.image = "bank_stride",
                                   .kernel = c->effective_kernel,
                                   .grid = {c->grid[0], c->grid[1], c->grid[2]},
                                   .block = {c->block[0], c->block[1], c->block[2]},
                                   .arguments = (void *[]){&out, &in, &stride}};
    enum status status;

    if ((status =
             workbench_input(bench, 0, LANES * STRIDE_MAX * WIDTH_MAX / sizeof(float), &in, &input, error)) ||
        (status = workbench_output(bench, 1, words, &out, error)) ||
        (status = workbench_launch(bench, &launch, error)) ||
        (status = workbench_fetch(bench, 1, words, &output, error)))
        return status;
    for (uint32_t thread = 0; thread < BLOCK; thread++) {
        for (uint32_t round = 0; round < LANES; round++)
            wanted[thread] =
                wanted[thread] * 31 +
                element_bits((const uint8_t *)input + (thread + round) % LANES * stride * width, width);
    }
    result->verified = 1;
    for (size_t block = 0; block < c->grid[0] && result->verified == 1; block++)
        verify_words("out", block * BLOCK, output + block * BLOCK, wanted, BLOCK, result);
    return STATUS_OK;
}

const struct workload workload_bank_stride = {
    .name = "bank-stride",
    .chapter = CHAPTER_SHARED,
    .title = "Shared memory by strides: up to 32-way bank conflicts",
    .words = "smem __shared__ bank conflict padding strided",
    .meaning = "Lanes that access different words of the same bank, of 32, wait for each other: an even "
               "stride conflicts, an odd one does not",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = bank_stride_resolve,
    .run = bank_stride_run,
    .sweeps =
        {
            "bank-stride:32-bit,stride=1..33",
            "bank-stride:8-bit,stride=1..4|6|8|12|16|17|24|32|33",
            "bank-stride:16-bit,stride=1..4|6|8|12|16|17|24|32|33",
            "bank-stride:64-bit,stride=1..4|6|8|12|16|17|24|32|33",
            "bank-stride:128-bit,stride=1..4|6|8|12|16|17|24|32|33",
        },
};
