/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy-smem: the same kernel with more and more dynamic shared memory that it does not use. Fewer blocks
 * fit on a multiprocessor, nothing else changes: the curve shows from which occupancy on more does not help.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256
#define WORDS_PER_THREAD 8

enum { PARAM_KIB, PARAM_N, PARAM_SEED, PARAM_BLOCKS };

static const struct workload_param params[] = {
    [PARAM_KIB] = {.name = "kib",
                   .meaning = "dynamic shared memory of a block; the device sets the limit",
                   .unit = "KiB",
                   .minimum = 0,
                   .maximum = 227,
                   .standard = 0},
    [PARAM_N] = {.name = "n",
                 .meaning = "words, a multiple of 2048; 0: more than the level 2 cache holds",
                 SIZE_UP_TO(1 << 28, "words"),
                 .step = BLOCK * WORDS_PER_THREAD,
                 .doubles = true},
};

static const struct workload_param inputs[] = {
    [PARAM_SEED - PARAM_SEED] = INPUT_SEED,
    [PARAM_BLOCKS - PARAM_SEED] = {.name = "blocks",
                                   .meaning = "of the grid, for any n; 0: eight words a thread",
                                   .unit = "blocks",
                                   .minimum = 0,
                                   .maximum = 65535,
                                   .standard = 0},
};

static uint64_t words_per_thread(const struct workload_case *c)
{
    (void)c;
    return WORDS_PER_THREAD;
}

static uint64_t occupancy_smem_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t thread = at->block[0] * (uint64_t)BLOCK + access_thread(at);

    return (thread + at->i * c->grid[0] * BLOCK) * sizeof(float);
}

/* With any grid and any n the last words are not there for all threads. */
static uint64_t rounds_of_grid(const struct workload_case *c)
{
    uint64_t threads = (uint64_t)c->grid[0] * BLOCK;

    return ((uint64_t)c->params.value[PARAM_N] + threads - 1) / threads;
}

static uint64_t guarded_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t address = occupancy_smem_address(c, at);

    return address < (uint64_t)c->params.value[PARAM_N] * sizeof(float) ? address : SITE_ACTIVE_NONE;
}

#define SITE(text, what)                                                                               \
    {                                                                                                  \
        .name = text, .space = ACCESS_GLOBAL, .op = what, .width_bytes = 4, .count = words_per_thread, \
        .address = occupancy_smem_address, .block_period = {1, 1, 1}, .warp_period = 1, .i_period = 1  \
    }
static const struct access_site sites[] = {SITE("in[i]", ACCESS_LOAD), SITE("out[i]", ACCESS_STORE)};

#define SITE_GUARDED(text, what)                                                                     \
    {                                                                                                \
        .name = text, .space = ACCESS_GLOBAL, .op = what, .width_bytes = 4, .count = rounds_of_grid, \
        .address = guarded_address                                                                   \
    }
static const struct access_site guarded_sites[] = {SITE_GUARDED("in[i]", ACCESS_LOAD),
                                                   SITE_GUARDED("out[i]", ACCESS_STORE)};

enum { KERNEL_EVEN, KERNEL_GUARDED }; /* of the variant copy */
static const struct kernel_sites copy_kernels[] = {
    [KERNEL_EVEN] = {KERNEL_SITES("occupancy_smem", sites)},
    [KERNEL_GUARDED] = {KERNEL_SITES("occupancy_smem", guarded_sites)},
};

static const struct workload_variant variants[] = {
    {.name = "copy",
     .meaning = "out[i] = in[i] * 2, eight words a thread, one after the other",
     .kernels = copy_kernels,
     .kernel_count = TABLE_COUNT(copy_kernels)},
    {.name = "four-loads",
     .meaning = "the same, with four words in flight per thread",
     ONE_KERNEL("occupancy_smem_four", sites)},
};

/* Enough blocks to fill the device in the first case of the sweep: with fewer, lower occupancy would have no
 * effect. */
static int64_t small_words(const struct workload_case *c)
{
    int64_t multiprocessors = c->info->multiprocessors ? c->info->multiprocessors : 64;
    int64_t threads =
        c->info->max_threads_per_multiprocessor ? c->info->max_threads_per_multiprocessor : 2048;

    return multiprocessors * (threads / BLOCK) * BLOCK * WORDS_PER_THREAD;
}

/* blocks=N */
static enum status grid_of_blocks(struct workload_case *c, struct error *error)
{
    const int64_t blocks = c->params.value[PARAM_BLOCKS];

    if (c->variant->kernel_count <= KERNEL_GUARDED)
        return error_set(
            error, STATUS_USAGE,
            "occupancy-smem:%s takes eight words a thread, and blocks=%lld was given. Leave it out, "
            "or run occupancy-smem:copy.",
            c->variant->name, (long long)blocks);
    c->kernel = &c->variant->kernels[KERNEL_GUARDED];
    return case_grid_of_threads(c, blocks * BLOCK, BLOCK,
                                2.0 * sizeof(float) * (double)c->params.value[PARAM_N], error);
}

static enum status occupancy_smem_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N], kib = c->params.value[PARAM_KIB];
    uint32_t limit = c->info->shared_bytes_per_block_optin ? c->info->shared_bytes_per_block_optin
                                                           : c->info->shared_bytes_per_block;

    if (limit && kib * 1024 > limit)
        return error_set(
            error, STATUS_USAGE,
            "occupancy-smem: kib=%lld is more than the %u KiB a block can have on this device. Give "
            "kib=%u or less.",
            (long long)kib, limit / 1024, limit / 1024);
    if (*n == WORKLOAD_SIZE_AUTO)
        *n = c->small ? small_words(c) : workload_words_past_cache(c);
    if (c->params.value[PARAM_BLOCKS] > 0)
        return grid_of_blocks(c, error);
    c->kernel = &c->variant->kernels[KERNEL_EVEN];
    if (*n % (BLOCK * WORDS_PER_THREAD))
        return error_set(error, STATUS_USAGE, "occupancy-smem: n=%lld is not a multiple of %d. Give n=%lld.",
                         (long long)*n, BLOCK * WORDS_PER_THREAD,
                         (long long)((*n / (BLOCK * WORDS_PER_THREAD) + 1) * BLOCK * WORDS_PER_THREAD));
    return case_grid_of_threads(c, *n / WORDS_PER_THREAD, BLOCK, 2.0 * sizeof(float) * (double)*n, error);
}

static enum status occupancy_smem_run(const struct workload_case *c, struct workbench *bench,
                                      struct workload_result *result, struct error *error)
{
    uint32_t n = (uint32_t)c->params.value[PARAM_N];
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = n * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = n * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "occupancy_smem",
                   .kernel = c->effective_kernel,
                   .dynamic_shared_bytes = (uint32_t)c->params.value[PARAM_KIB] * 1024,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer, &n}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        verify_doubled(single.array[0].input, single.array[1].output, n, result);
    return status;
}

const struct workload workload_occupancy_smem = {
    .name = "occupancy-smem",
    .chapter = CHAPTER_EXECUTION,
    .title = "Shared memory lowers occupancy: a plateau, then an edge",
    .words = "resident blocks latency hiding __shared__ dynamic shared memory",
    .meaning = "Unused shared memory limits the resident blocks; bandwidth stays on its plateau until too "
               "few warps are left to hide latency",
    WORKLOAD_TABLES(params, variants),
    .inputs = inputs,
    .input_count = TABLE_COUNT(inputs),
    .devices_needed = 1,
    .resolve = occupancy_smem_resolve,
    .run = occupancy_smem_run,
    .sweeps = {"occupancy-smem,kib=0|8|16|24|32|40|48|56|64|75|90|113|150|200|227"},
};
