/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block-shape: a matrix copied by two-dimensional blocks of 256 threads. Their width decides which words one
 * warp reads: the 32 of a row, or fewer words of several rows.
 *
 * n is a multiple of 256, so that blocks of every shape fit, and all rows begin at the boundary of a line.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define THREADS 256

enum { PARAM_X, PARAM_N };

static const struct workload_param params[] = {
    [PARAM_X] = {.name = "x",
                 .meaning = "blockDim.x, a power of two; blockDim.y is 256 / x",
                 .unit = "threads",
                 .minimum = 1,
                 .maximum = THREADS,
                 .standard = 16,
                 .step = 1,
                 .doubles = true},
    [PARAM_N] = {.name = "n",
                 .meaning = "rows and columns, a multiple of 256; 0: more than the level 2 cache holds",
                 SIZE_UP_TO(1 << 13, "words"),
                 .step = THREADS,
                 .doubles = true},
};

/* blockIdx * blockDim + threadIdx, in x and in y. */
static uint64_t index_x(const struct workload_case *c, const struct access_point *at)
{
    return at->block[0] * (uint64_t)c->block[0] + access_thread(at) % c->block[0];
}

static uint64_t index_y(const struct workload_case *c, const struct access_point *at)
{
    return at->block[1] * (uint64_t)c->block[1] + access_thread(at) / c->block[0];
}

static uint64_t word_address(const struct workload_case *c, uint64_t row, uint64_t column)
{
    return (row * (uint64_t)c->params.value[PARAM_N] + column) * sizeof(float);
}

static uint64_t rows_address(const struct workload_case *c, const struct access_point *at)
{
    return word_address(c, index_y(c, at), index_x(c, at));
}

static uint64_t columns_address(const struct workload_case *c, const struct access_point *at)
{
    return word_address(c, index_x(c, at), index_y(c, at));
}

/* Blocks move along a row by as few words as one; 32 of them are a multiple of a line. */
#define SITE(text, what, function, x_period, y_period)                                            \
    {                                                                                             \
        .name = text, .space = ACCESS_GLOBAL, .op = what, .width_bytes = 4, .count = access_once, \
        .address = function, .block_period = {x_period, y_period, 1}, .i_period = 1               \
    }
#define SITES(function, x_period, y_period)                                           \
    {                                                                                 \
        SITE("in[row * n + column]", ACCESS_LOAD, function, x_period, y_period),      \
            SITE("out[row * n + column]", ACCESS_STORE, function, x_period, y_period) \
    }
static const struct access_site rows_sites[] = SITES(rows_address, 32, 1);
static const struct access_site columns_sites[] = SITES(columns_address, 1, 32);

#define VARIANT(text, table, what)                                            \
    {                                                                         \
        .name = text, .meaning = what, ONE_KERNEL("block_shape_" text, table) \
    }
static const struct workload_variant variants[] = {
    VARIANT("rows", rows_sites, "threadIdx.x along a row"),
    VARIANT("columns", columns_sites, "x and y exchanged: threadIdx.x down a column"),
};

static enum status block_shape_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N], x = c->params.value[PARAM_X], words;

    if (x & (x - 1))
        return error_set(error, STATUS_USAGE,
                         "block-shape: x=%lld is no power of two. Give x=8, 16 or 32, for example.",
                         (long long)x);
    if (*n == WORKLOAD_SIZE_AUTO)
        for (*n = THREADS, words = workload_words_past_cache(c); *n * *n * 4 <= words;)
            *n *= 2;
    if (*n < THREADS || *n % THREADS)
        return error_set(error, STATUS_USAGE,
                         "block-shape: n=%lld is not a multiple of %d. Give n=1024, for example.",
                         (long long)*n, THREADS);
    c->block[0] = (uint32_t)x;
    c->block[1] = (uint32_t)(THREADS / x);
    c->block[2] = c->grid[2] = 1;
    c->grid[0] = (uint32_t)*n / c->block[0];
    c->grid[1] = (uint32_t)*n / c->block[1];
    c->kernel = c->variant->kernels;
    c->effective_kernel = c->kernel->kernel;
    c->effective_bytes = 2.0 * sizeof(float) * (double)*n * (double)*n;
    return STATUS_OK;
}

static enum status block_shape_run(const struct workload_case *c, struct workbench *bench,
                                   struct workload_result *result, struct error *error)
{
    uint32_t n = (uint32_t)c->params.value[PARAM_N];
    size_t words = (size_t)n * n;
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = words * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = words * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "block_shape",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer, &n}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        result->verified =
            verify_words("out", 0, single.array[1].output, single.array[0].input, words, result);
    return status;
}

const struct workload workload_block_shape = {
    .name = "block-shape",
    .chapter = CHAPTER_COALESCING,
    .title = "Two-dimensional blocks: how wide is a warp's row?",
    .words = "coalescing 2D block dim3 blockDim.x 32x8 16x16 8x32 tile half-warp matrix image",
    .meaning =
        "The width of a two-dimensional block decides how many rows a warp reads: a multiple of 32 gives "
        "it one",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = block_shape_resolve,
    .run = block_shape_run,
    .sweeps = {"block-shape,x=4|8|16|32|64|256"},
};
