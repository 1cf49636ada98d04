/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy-offset: what a misaligned start costs a coalesced copy. Textbook figure: bandwidth over offsets 0
 * to 32.
 */
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256
#define OFFSET_MAX 32

enum { PARAM_OFFSET, PARAM_N };

static const struct workload_param params[] = {
    [PARAM_OFFSET] = {.name = "offset",
                      .meaning = "first word of the copy, in both arrays",
                      .unit = "words",
                      .minimum = 0,
                      .maximum = OFFSET_MAX,
                      .standard = 1},
    [PARAM_N] = {.name = "n",
                 .meaning = "words copied, a multiple of 256; 0: more than the level 2 cache holds",
                 SIZE_UP_TO(1 << 28, "words")},
};

static uint64_t copy_offset_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t i = (uint64_t)at->block[0] * BLOCK + access_thread(at) + (uint64_t)c->params.value[PARAM_OFFSET];

    return i * sizeof(float);
}

/* The next warp is 128 bytes further on, so every warp costs the same as the first. */
static const struct access_site sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, copy_offset_address),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, copy_offset_address),
};

static const struct kernel_sites kernels[] = {{KERNEL_SITES("copy_offset", sites)}};

static const struct workload_variant variants[] = {
    {.name = "copy",
     .meaning = "out[i] = in[i], from i = offset on",
     .kernels = kernels,
     .kernel_count = TABLE_COUNT(kernels)},
};

static enum status copy_offset_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c);
    if (*n % BLOCK)
        return error_set(
            error, STATUS_USAGE,
            "copy-offset copies whole blocks of %d words, and n=%lld is not a multiple of that. Give n=%lld.",
            BLOCK, (long long)*n, (long long)((*n / BLOCK + 1) * BLOCK));
    c->grid[0] = (uint32_t)(*n / BLOCK);
    c->grid[1] = c->grid[2] = 1;
    c->block[0] = BLOCK;
    c->block[1] = c->block[2] = 1;
    c->effective_bytes = 2.0 * sizeof(float) * (double)*n;
    c->effective_kernel = kernels[0].kernel;
    return STATUS_OK;
}

static enum status copy_offset_run(const struct workload_case *c, struct workbench *bench,
                                   struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N], words = n + OFFSET_MAX;
    uint32_t offset = (uint32_t)c->params.value[PARAM_OFFSET];
    device_pointer in, out;
    const float *input, *output;
    struct device_launch launch = {.image = "copy_offset",
                                   .kernel = kernels[0].kernel,
                                   .grid = {c->grid[0], c->grid[1], c->grid[2]},
                                   .block = {c->block[0], c->block[1], c->block[2]},
                                   .arguments = (void *[]){&out, &in, &offset}};
    enum status status;

    if ((status = workbench_input(bench, 0, words, &in, &input, error)) ||
        (status = workbench_output(bench, 1, words, &out, error)) ||
        (status = workbench_launch(bench, &launch, error)) ||
        (status = workbench_fetch(bench, 1, words, &output, error)))
        return status;
    result->verified = verify_untouched("out", 0, output, offset, result) &&
                       verify_words("out", offset, output + offset, input + offset, n, result) &&
                       verify_untouched("out", offset + n, output + offset + n, OFFSET_MAX - offset, result);
    return STATUS_OK;
}

const struct workload workload_copy_offset = {
    .name = "copy-offset",
    .chapter = CHAPTER_COALESCING,
    .title = "A copy from an offset: five sectors in place of four",
    .words = "coalescing coalesced alignment aligned misaligned unaligned memcpy bandwidth",
    .meaning =
        "The 128 bytes of a warp touch four 32-byte sectors when they start at a sector boundary, else five",
    WORKLOAD_TABLES(params, variants),
    WORKLOAD_SEEDED,
    .devices_needed = 1,
    .resolve = copy_offset_resolve,
    .run = copy_offset_run,
    .sweeps = {"copy-offset,offset=0..32"},
};
