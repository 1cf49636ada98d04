/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul-ab: C = A x B with an inner side of 32 words, in three steps: no shared memory, a tile of A in it,
 * tiles of A and B. And cuBLAS's.
 *
 * The reference adds in the kernels' order and the kernels are built without fused multiply-add: results are
 * equal bit by bit.
 */
#include "workloads/frame/library.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"
#include "workloads/set/shared/square_block.h"

#include <string.h>

#define W 32 /* the inner side, and that of tiles and blocks; on GPUs whose blocks are too small for it: */
#define HALF 16

enum { PARAM_M, PARAM_N };
enum { TAG_SIMPLE, TAG_A_TILE, TAG_AB_TILES, TAG_CUBLAS };

#define CUBLAS_TOLERANCE 1e-5 /* 32 additions in an unspecified order */

static const struct workload_param params[] = {
    [PARAM_M] = {.name = "m",
                 .meaning = "rows of A and C, a multiple of 32; 0: by the size of the device",
                 SIZE_UP_TO(16384, "rows"),
                 .step = W,
                 .doubles = true},
    [PARAM_N] = {.name = "n",
                 .meaning = "columns of B and C, a multiple of 32; 0: by the size of the device",
                 SIZE_UP_TO(16384, "columns"),
                 .step = W,
                 .doubles = true},
};

ACCESS_ADDRESS(a_word, (square_row(c, at) * square_side(c) + at->i) * sizeof(float))
ACCESS_ADDRESS(a_row, (square_row(c, at) * square_side(c) + square_x(c, at)) * sizeof(float))
ACCESS_ADDRESS(b_row, (at->i * (uint64_t)c->params.value[PARAM_N] + square_column(c, at)) * sizeof(float))
ACCESS_ADDRESS(b_row_of_warp,
               (square_y(c, at) * (uint64_t)c->params.value[PARAM_N] + square_column(c, at)) * sizeof(float))
ACCESS_ADDRESS(c_row, (square_row(c, at) * (uint64_t)c->params.value[PARAM_N] + square_column(c, at)) *
                          sizeof(float))
ACCESS_ADDRESS(tile_row, (square_y(c, at) * square_side(c) + square_x(c, at)) * sizeof(float))
ACCESS_ADDRESS(a_tile_quarters, (square_y(c, at) * square_side(c) + 4 * at->i) * sizeof(float))
ACCESS_ADDRESS(b_tile_row, (at->i * square_side(c) + square_x(c, at)) * sizeof(float))

/* Every row of every array begins at a multiple of 128 bytes, so all warps and iterations cost the same. */
#define SITE(text, where, what, width, times, function)                                                      \
    {                                                                                                        \
        .name = text, .space = where, .op = what, .width_bytes = width, .count = times, .address = function, \
        .block_period = {1, 1, 1}, .warp_period = 1, .i_period = 1                                           \
    }

#define A_WORD SITE("a[row * W + i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, square_side, a_word)
#define A_ROW SITE("a[row * W + lane]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_once, a_row)
#define A_TILE_STORE SITE("a_tile[row][lane] = ", ACCESS_SHARED, ACCESS_STORE, 4, access_once, tile_row)
/* The loop over i is unrolled, and the assembler makes one load of 16 bytes of four neighbours
 * a_tile[row][i]: 8 LDS.128 in the code of every chip. All lanes read the same 16 bytes. */
#define A_TILE_LOAD \
    SITE("a_tile[row][i..i+3]", ACCESS_SHARED, ACCESS_LOAD, 16, square_quarters, a_tile_quarters)
#define C_STORE SITE("c[row * n + column]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_once, c_row)
#define B_ROW SITE("b[i * n + column]", ACCESS_GLOBAL, ACCESS_LOAD, 4, square_side, b_row)

static const struct access_site simple_sites[] = {A_WORD, B_ROW, C_STORE};
static const struct access_site a_tile_sites[] = {A_ROW, A_TILE_STORE, A_TILE_LOAD, B_ROW, C_STORE};
static const struct access_site ab_tiles_sites[] = {
    A_ROW,        SITE("b[row * n + column]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_once, b_row_of_warp),
    A_TILE_STORE, SITE("b_tile[row][lane] = ", ACCESS_SHARED, ACCESS_STORE, 4, access_once, tile_row),
    A_TILE_LOAD,  SITE("b_tile[i][lane]", ACCESS_SHARED, ACCESS_LOAD, 4, square_side, b_tile_row),
    C_STORE,
};

/* With tiles of 32, and of 16. */
static const struct kernel_sites kernels[][2] = {
    [TAG_SIMPLE] = {{KERNEL_SITES("matmul_simple", simple_sites)},
                    {KERNEL_SITES("matmul_simple_16", simple_sites)}},
    [TAG_A_TILE] = {{KERNEL_SITES("matmul_a_tile", a_tile_sites)},
                    {KERNEL_SITES("matmul_a_tile_16", a_tile_sites)}},
    [TAG_AB_TILES] = {{KERNEL_SITES("matmul_ab_tiles", ab_tiles_sites)},
                      {KERNEL_SITES("matmul_ab_tiles_16", ab_tiles_sites)}},
};

static const struct workload_variant variants[] = {
    {.name = "simple",
     .meaning = "every word from global memory",
     .tag = TAG_SIMPLE,
     .kernels = kernels[TAG_SIMPLE],
     .kernel_count = 2},
    {.name = "a-tile",
     .meaning = "a tile of A in shared memory",
     .tag = TAG_A_TILE,
     .kernels = kernels[TAG_A_TILE],
     .kernel_count = 2},
    {.name = "ab-tiles",
     .meaning = "tiles of A and B in shared memory",
     .tag = TAG_AB_TILES,
     .kernels = kernels[TAG_AB_TILES],
     .kernel_count = 2},
    {.name = "cublas", .meaning = "single precision, by cuBLAS", .tag = TAG_CUBLAS, .library = "cuBLAS"},
};

static enum status side_resolve(const struct workload_case *c, const char *name, int64_t *side,
                                struct error *error)
{
    if (*side == WORKLOAD_SIZE_AUTO)
        *side = c->small ? 128 : c->info->multiprocessors >= 64 ? 2048 : 1024;
    if (*side % W == 0)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE, "matmul-ab: %s=%lld is not a multiple of %d. Give %s=%lld.", name,
                     (long long)*side, W, name, (long long)((*side / W + 1) * W));
}

static enum status matmul_ab_resolve(struct workload_case *c, struct error *error)
{
    int64_t *m = &c->params.value[PARAM_M], *n = &c->params.value[PARAM_N];
    enum status status = side_resolve(c, "m", m, error);

    if (status == STATUS_OK)
        status = side_resolve(c, "n", n, error);
    if (status)
        return status;
    uint32_t side = c->info->max_threads_per_block < W * W && c->info->max_threads_per_block ? HALF : W;

    c->grid[0] = (uint32_t)*n / side;
    c->grid[1] = (uint32_t)*m / side;
    c->grid[2] = 1;
    c->block[0] = c->block[1] = side;
    c->block[2] = 1;
    if (c->variant->library)
        return STATUS_OK;
    c->effective_bytes = sizeof(float) * ((double)*m * side + (double)*n * side + (double)*m * (double)*n);
    c->kernel = &c->variant->kernels[side == HALF];
    c->effective_kernel = c->kernel->kernel;
    return STATUS_OK;
}

/* One row of C; each element adds from i = 0 on, as in the kernels. */
static void reference_row(float *restrict c_row_values, const float *restrict a, const float *restrict b,
                          size_t n, size_t side)
{
    memset(c_row_values, 0, n * sizeof *c_row_values);
    for (size_t i = 0; i < side; i++)
        for (size_t column = 0; column < n; column++)
            c_row_values[column] += a[i] * b[i * n + column];
}

static enum status matmul_ab_run(const struct workload_case *c, struct workbench *bench,
                                 struct workload_result *result, struct error *error)
{
    size_t m = (size_t)c->params.value[PARAM_M], side = c->block[0];
    uint32_t n = (uint32_t)c->params.value[PARAM_N];
    device_pointer a, b, out;
    const float *input, *output;
    void *row;
    struct device_launch launch = {.image = "matmul_ab",
                                   .kernel = c->effective_kernel,
                                   .grid = {c->grid[0], c->grid[1], c->grid[2]},
                                   .block = {c->block[0], c->block[1], c->block[2]},
                                   .arguments = (void *[]){&out, &a, &b, &n}};
    struct library_call call = {.routine = LIBRARY_MATMUL,
                                .out = &out,
                                .in = &a,
                                .other = &b,
                                .n = n,
                                .rows = (uint32_t)m,
                                .inner = c->block[0]};
    enum status status;

    if (library_missing(c, bench, call.routine, result))
        return STATUS_OK;
    /* In the input, B follows A. */
    if ((status = workbench_input(bench, 0, m * side + (size_t)n * side, &a, &input, error)) ||
        (status = workbench_output(bench, 1, m * n, &out, error)))
        return status;
    b = a + m * side * sizeof(float);
    status =
        c->variant->library ? library_launch(bench, &call, error) : workbench_launch(bench, &launch, error);
    if (status || (status = workbench_fetch(bench, 1, m * n, &output, error)) ||
        (status = workbench_host_buffer(bench, 0, HOST_PAGEABLE, n * sizeof(float), &row, error)))
        return status;
    result->verified = 1;
    for (size_t r = 0; r < m && result->verified == 1; r++) {
        reference_row(row, input + r * side, input + m * side, n, side);
        if (c->variant->library)
            verify_close("c", r * n, output + r * n, row, n, CUBLAS_TOLERANCE, result);
        else
            verify_words("c", r * n, output + r * n, row, n, result);
    }
    return STATUS_OK;
}

const struct workload workload_matmul_ab = {
    .name = "matmul-ab",
    .chapter = CHAPTER_SHARED,
    .title = "A matrix product: tiles save repeated loads",
    .words = "gemm sgemm matmul matrix multiply multiplication tiling tiled smem __shared__ cublas blocking "
             "reuse compute bound roofline",
    .meaning = "The simple kernel is already coalesced; with shared memory it does not read the same words "
               "again and again",
    WORKLOAD_TABLES(params, variants),
    WORKLOAD_SEEDED,
    .devices_needed = 1,
    .resolve = matmul_ab_resolve,
    .run = matmul_ab_run,
};
