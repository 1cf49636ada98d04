/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transpose: five matrix transposes. The ladder: naive; through a shared tile, whose columns conflict; with a
 * padded tile; with a swizzled one.
 */
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define TILE 32
#define ROWS 8

enum { PARAM_N };
enum { TAG_COPY, TAG_NAIVE, TAG_TILE, TAG_PAD, TAG_SWIZZLE };

static const struct workload_param params[] = {
    [PARAM_N] = {.name = "n",
                 .meaning =
                     "rows and columns of the matrix, a multiple of 32; 0: more than the level 2 cache holds",
                 SIZE_UP_TO(16384, "words"),
                 .step = TILE,
                 .doubles = true},
};

/* A thread's four words, ROWS rows apart. */
static uint64_t transpose_four(const struct workload_case *c)
{
    (void)c;
    return TILE / ROWS;
}

/* threadIdx.x is the lane and threadIdx.y the warp; j of the kernel is ROWS x i. */
static uint64_t row_in_tile(const struct access_point *at)
{
    return at->warp + at->i * ROWS;
}

static uint64_t words_to_bytes(uint64_t words)
{
    return words * sizeof(float);
}

/* (y + j) * n + x, in the tile at (block x, block y) */
static uint64_t row_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t x = at->block[0] * (uint64_t)TILE + at->lane,
             y = at->block[1] * (uint64_t)TILE + row_in_tile(at);

    return words_to_bytes(y * (uint64_t)c->params.value[PARAM_N] + x);
}

/* x * n + y + j */
static uint64_t column_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t x = at->block[0] * (uint64_t)TILE + at->lane,
             y = at->block[1] * (uint64_t)TILE + row_in_tile(at);

    return words_to_bytes(x * (uint64_t)c->params.value[PARAM_N] + y);
}

/* (y + j) * n + x, in the transposed tile */
static uint64_t turned_row_address(const struct workload_case *c, const struct access_point *at)
{
    struct access_point turned = *at;

    turned.block[0] = at->block[1];
    turned.block[1] = at->block[0];
    return row_address(c, &turned);
}

ACCESS_ADDRESS(tile_row, (row_in_tile(at) * TILE + at->lane) * sizeof(float))
ACCESS_ADDRESS(tile_column, (at->lane * (uint64_t)TILE + row_in_tile(at)) * sizeof(float))
ACCESS_ADDRESS(pad_row, (row_in_tile(at) * (TILE + 1) + at->lane) * sizeof(float))
ACCESS_ADDRESS(pad_column, (at->lane * (uint64_t)(TILE + 1) + row_in_tile(at)) * sizeof(float))
ACCESS_ADDRESS(swizzle_row, (row_in_tile(at) * TILE + (at->lane ^ row_in_tile(at))) * sizeof(float))
ACCESS_ADDRESS(swizzle_column, (at->lane * (uint64_t)TILE + (row_in_tile(at) ^ at->lane)) * sizeof(float))

/* Every block, warp and row costs the same as the first: tiles and rows begin at multiples of 128 bytes, and
 * the next row moves all lanes' banks by the same amount. Where banks are 8 bytes wide (64-bit mode of 3.x),
 * the next row but one does: so the padded column, whose lanes are at odd distances, repeats every other
 * warp. */
#define SITE(text, where, what, function) SITE_WARPS(text, where, what, function, 1)
#define SITE_WARPS(text, where, what, function, warps)                                       \
    {                                                                                        \
        .name = text, .space = where, .op = what, .width_bytes = 4, .count = transpose_four, \
        .address = function, .block_period = {1, 1, 1}, .warp_period = warps, .i_period = 1  \
    }

static const struct access_site copy_sites[] = {
    SITE("in[(y + j) * n + x]", ACCESS_GLOBAL, ACCESS_LOAD, row_address),
    SITE("out[(y + j) * n + x]", ACCESS_GLOBAL, ACCESS_STORE, row_address),
};
static const struct access_site naive_sites[] = {
    SITE("in[(y + j) * n + x]", ACCESS_GLOBAL, ACCESS_LOAD, row_address),
    SITE("out[x * n + y + j]", ACCESS_GLOBAL, ACCESS_STORE, column_address),
};
static const struct access_site tile_sites[] = {
    SITE("in[(y + j) * n + x]", ACCESS_GLOBAL, ACCESS_LOAD, row_address),
    SITE("tile[row][lane] = ", ACCESS_SHARED, ACCESS_STORE, tile_row),
    SITE("tile[lane][row]", ACCESS_SHARED, ACCESS_LOAD, tile_column),
    SITE("out[(y + j) * n + x]", ACCESS_GLOBAL, ACCESS_STORE, turned_row_address),
};
static const struct access_site pad_sites[] = {
    SITE("in[(y + j) * n + x]", ACCESS_GLOBAL, ACCESS_LOAD, row_address),
    SITE("tile[row][lane] = ", ACCESS_SHARED, ACCESS_STORE, pad_row),
    SITE_WARPS("tile[lane][row]", ACCESS_SHARED, ACCESS_LOAD, pad_column, 2),
    SITE("out[(y + j) * n + x]", ACCESS_GLOBAL, ACCESS_STORE, turned_row_address),
};
static const struct access_site swizzle_sites[] = {
    SITE("in[(y + j) * n + x]", ACCESS_GLOBAL, ACCESS_LOAD, row_address),
    SITE("tile[row][lane ^ row] = ", ACCESS_SHARED, ACCESS_STORE, swizzle_row),
    SITE("tile[lane][row ^ lane]", ACCESS_SHARED, ACCESS_LOAD, swizzle_column),
    SITE("out[(y + j) * n + x]", ACCESS_GLOBAL, ACCESS_STORE, turned_row_address),
};

static const struct kernel_sites kernels[] = {
    [TAG_COPY] = {KERNEL_SITES("transpose_copy", copy_sites)},
    [TAG_NAIVE] = {KERNEL_SITES("transpose_naive", naive_sites)},
    [TAG_TILE] = {KERNEL_SITES("transpose_tile", tile_sites)},
    [TAG_PAD] = {KERNEL_SITES("transpose_pad", pad_sites)},
    [TAG_SWIZZLE] = {KERNEL_SITES("transpose_swizzle", swizzle_sites)},
};

static const struct workload_variant variants[] = {
    {.name = "copy",
     .meaning = "no transpose: the upper bound",
     .tag = TAG_COPY,
     .bound = true,
     .kernels = &kernels[TAG_COPY],
     .kernel_count = 1},
    {.name = "naive",
     .meaning = "reads rows, writes columns",
     .tag = TAG_NAIVE,
     .kernels = &kernels[TAG_NAIVE],
     .kernel_count = 1},
    {.name = "tile",
     .meaning = "transposes a tile in shared memory",
     .tag = TAG_TILE,
     .kernels = &kernels[TAG_TILE],
     .kernel_count = 1},
    {.name = "pad",
     .meaning = "a tile with a word of padding per row",
     .tag = TAG_PAD,
     .kernels = &kernels[TAG_PAD],
     .kernel_count = 1},
    {.name = "swizzle",
     .meaning = "a tile whose columns are mixed by XOR",
     .tag = TAG_SWIZZLE,
     .kernels = &kernels[TAG_SWIZZLE],
     .kernel_count = 1},
};

static enum status transpose_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        for (*n = TILE; *n * *n < workload_words_past_cache(c);)
            *n *= 2;
    if (*n % TILE)
        return error_set(error, STATUS_USAGE,
                         "transpose: n=%lld is not a multiple of the tile's %d. Give n=%lld.", (long long)*n,
                         TILE, (long long)((*n / TILE + 1) * TILE));
    c->grid[0] = c->grid[1] = (uint32_t)(*n / TILE);
    c->grid[2] = 1;
    c->block[0] = TILE;
    c->block[1] = ROWS;
    c->block[2] = 1;
    c->effective_bytes = 2.0 * sizeof(float) * (double)*n * (double)*n;
    c->effective_kernel = c->variant->kernels[0].kernel;
    return STATUS_OK;
}

/* Row by row: row r of the result is column r of the input. */
static void transpose_verify(const float *output, const float *input, size_t n, bool turned, float *row,
                             struct workload_result *result)
{
    result->verified = 1;
    for (size_t r = 0; r < n && result->verified == 1; r++) {
        for (size_t i = 0; i < n; i++)
            row[i] = input[turned ? i * n + r : r * n + i];
        verify_words("out", r * n, output + r * n, row, n, result);
    }
}

static enum status transpose_run(const struct workload_case *c, struct workbench *bench,
                                 struct workload_result *result, struct error *error)
{
    uint32_t n = (uint32_t)c->params.value[PARAM_N];
    size_t words = (size_t)n * n;
    device_pointer in, out;
    const float *input, *output;
    void *row;
    struct device_launch launch = {.image = "transpose",
                                   .kernel = c->effective_kernel,
                                   .grid = {c->grid[0], c->grid[1], c->grid[2]},
                                   .block = {c->block[0], c->block[1], c->block[2]},
                                   .arguments = (void *[]){&out, &in, &n}};
    enum status status;

    if ((status = workbench_input(bench, 0, words, &in, &input, error)) ||
        (status = workbench_output(bench, 1, words, &out, error)) ||
        (status = workbench_launch(bench, &launch, error)) ||
        (status = workbench_fetch(bench, 1, words, &output, error)) ||
        (status = workbench_host_buffer(bench, 0, HOST_PAGEABLE, n * sizeof(float), &row, error)))
        return status;
    transpose_verify(output, input, n, c->variant->tag != TAG_COPY, row, result);
    return STATUS_OK;
}

const struct workload workload_transpose = {
    .name = "transpose",
    .chapter = CHAPTER_SHARED,
    .title = "A matrix transpose: coalesced, then no bank conflicts",
    .words = "coalescing uncoalesced tiling tiled tile smem __shared__ bank conflict padding swizzle",
    .meaning = "Shared memory makes both sides coalesced; one word of padding, or a swizzle, spreads its "
               "columns over the banks",
    WORKLOAD_TABLES(params, variants),
    WORKLOAD_SEEDED,
    .devices_needed = 1,
    .resolve = transpose_resolve,
    .run = transpose_run,
};
