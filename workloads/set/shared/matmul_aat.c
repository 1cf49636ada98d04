/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul-aat: C = A x A^T. The second factor is read by columns: strided in global memory, then conflicting
 * in shared memory, then neither.
 *
 * Built without fused multiply-add, added in the kernels' order on the host: results are equal bit by bit.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"
#include "workloads/set/shared/square_block.h"

#define W \
    32 /* words of A's rows, and the side of tiles and blocks; on GPUs whose blocks are too small for it: */
#define HALF 16

enum { PARAM_M };
enum { TAG_SIMPLE, TAG_TILE, TAG_PAD };

static const struct workload_param params[] = {
    [PARAM_M] = {.name = "m",
                 .meaning =
                     "rows of A, rows and columns of C, a multiple of 32; 0: by the size of the device",
                 SIZE_UP_TO(8192, "rows"),
                 .step = W,
                 .doubles = true},
};

ACCESS_ADDRESS(a_word, (square_row(c, at) * square_side(c) + at->i) * sizeof(float))
ACCESS_ADDRESS(a_down, (square_column(c, at) * square_side(c) + at->i) * sizeof(float))
ACCESS_ADDRESS(a_row, (square_row(c, at) * square_side(c) + square_x(c, at)) * sizeof(float))
ACCESS_ADDRESS(a_other_row,
               ((at->block[0] * square_side(c) + square_y(c, at)) * square_side(c) + square_x(c, at)) *
                   sizeof(float))
ACCESS_ADDRESS(c_row, (square_row(c, at) * (uint64_t)c->params.value[PARAM_M] + square_column(c, at)) *
                          sizeof(float))
ACCESS_ADDRESS(tile_row, (square_y(c, at) * square_side(c) + square_x(c, at)) * sizeof(float))
ACCESS_ADDRESS(tile_quarters, (square_y(c, at) * square_side(c) + 4 * at->i) * sizeof(float))
ACCESS_ADDRESS(turned_column, (square_x(c, at) * square_side(c) + square_y(c, at)) * sizeof(float))
ACCESS_ADDRESS(turned_row, (at->i * square_side(c) + square_x(c, at)) * sizeof(float))
ACCESS_ADDRESS(padded_column, (square_x(c, at) * (square_side(c) + 1) + square_y(c, at)) * sizeof(float))
ACCESS_ADDRESS(padded_row, (at->i * (square_side(c) + 1) + square_x(c, at)) * sizeof(float))

/* Every row of A and C begins at a multiple of 128 bytes; the next row of a tile moves all lanes' banks by
 * the same amount (the next but one, where banks are 8 bytes wide: 64-bit mode of 3.x). */
#define SITE(text, where, what, width, times, function)                                                      \
    {                                                                                                        \
        .name = text, .space = where, .op = what, .width_bytes = width, .count = times, .address = function, \
        .block_period = {1, 1, 1}, .warp_period = 2                                                          \
    }
#define C_STORE SITE("c[row * m + column]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_once, c_row)

static const struct access_site simple_sites[] = {
    SITE("a[row * W + i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, square_side, a_word),
    SITE("a[column * W + i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, square_side, a_down),
    C_STORE,
};
/* The assembler makes one load of 16 bytes of four neighbours tile[row][i], as in matmul-ab. */
#define TILE_SITES(store, load)                                                                        \
    {                                                                                                  \
        SITE("a[row * W + lane]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_once, a_row),                  \
            SITE("a[other row * W + lane]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_once, a_other_row),  \
            SITE("tile[row][lane] = ", ACCESS_SHARED, ACCESS_STORE, 4, access_once, tile_row),         \
            SITE("turned[lane][row] = ", ACCESS_SHARED, ACCESS_STORE, 4, access_once, store),          \
            SITE("tile[row][i..i+3]", ACCESS_SHARED, ACCESS_LOAD, 16, square_quarters, tile_quarters), \
            SITE("turned[i][lane]", ACCESS_SHARED, ACCESS_LOAD, 4, square_side, load), C_STORE         \
    }
static const struct access_site tile_sites[] = TILE_SITES(turned_column, turned_row);
static const struct access_site pad_sites[] = TILE_SITES(padded_column, padded_row);

/* With tiles of 32, and of 16. */
static const struct kernel_sites kernels[][2] = {
    [TAG_SIMPLE] = {{KERNEL_SITES("matmul_aat_simple", simple_sites)},
                    {KERNEL_SITES("matmul_aat_simple_16", simple_sites)}},
    [TAG_TILE] = {{KERNEL_SITES("matmul_aat_tile", tile_sites)},
                  {KERNEL_SITES("matmul_aat_tile_16", tile_sites)}},
    [TAG_PAD] = {{KERNEL_SITES("matmul_aat_pad", pad_sites)}, {KERNEL_SITES("matmul_aat_pad_16", pad_sites)}},
};

static const struct workload_variant variants[] = {
    {.name = "simple",
     .meaning = "strided reads from global memory",
     .tag = TAG_SIMPLE,
     .kernels = kernels[TAG_SIMPLE],
     .kernel_count = 2},
    {.name = "tile",
     .meaning = "read by rows, transposed in shared memory: its columns conflict",
     .tag = TAG_TILE,
     .kernels = kernels[TAG_TILE],
     .kernel_count = 2},
    {.name = "pad",
     .meaning = "a word of padding per row: no conflicts",
     .tag = TAG_PAD,
     .kernels = kernels[TAG_PAD],
     .kernel_count = 2},
};

static enum status matmul_aat_resolve(struct workload_case *c, struct error *error)
{
    int64_t *m = &c->params.value[PARAM_M];

    if (*m == WORKLOAD_SIZE_AUTO)
        *m = c->small ? 128 : c->info->multiprocessors >= 64 ? 2048 : 1024;
    if (*m % W)
        return error_set(error, STATUS_USAGE, "matmul-aat: m=%lld is not a multiple of %d. Give m=%lld.",
                         (long long)*m, W, (long long)((*m / W + 1) * W));
    uint32_t side = c->info->max_threads_per_block < W * W && c->info->max_threads_per_block ? HALF : W;

    c->grid[0] = c->grid[1] = (uint32_t)*m / side;
    c->block[0] = c->block[1] = side;
    c->grid[2] = c->block[2] = 1;
    c->effective_bytes = sizeof(float) * ((double)*m * side + (double)*m * (double)*m);
    c->kernel = &c->variant->kernels[side == HALF];
    c->effective_kernel = c->kernel->kernel;
    return STATUS_OK;
}

static void matmul_aat_verify(size_t m, size_t side, const float *a, const float *output,
                              struct workload_result *result)
{
    for (size_t row = 0; row < m; row++) {
        for (size_t column = 0; column < m; column++) {
            float wanted = 0;

            for (size_t i = 0; i < side; i++)
                wanted += a[row * side + i] * a[column * side + i];
            if (!verify_words("c", row * m + column, &output[row * m + column], &wanted, 1, result))
                return;
        }
    }
    result->verified = 1;
}

static enum status matmul_aat_run(const struct workload_case *c, struct workbench *bench,
                                  struct workload_result *result, struct error *error)
{
    uint32_t m = (uint32_t)c->params.value[PARAM_M];
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = (size_t)m * c->block[0] * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = (size_t)m * m * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "matmul_aat",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer, &m}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        matmul_aat_verify(m, c->block[0], single.array[0].input, single.array[1].output, result);
    return status;
}

const struct workload workload_matmul_aat = {
    .name = "matmul-aat",
    .chapter = CHAPTER_SHARED,
    .title = "A matrix times its transpose: strides, then conflicts",
    .words = "gemm syrk matmul matrix multiply multiplication tiling tiled coalescing smem __shared__ bank "
             "conflict padding",
    .meaning = "Strided reads, then bank conflicts, then neither: the two remedies for a column access, one "
               "after the other",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = matmul_aat_resolve,
    .run = matmul_aat_run,
};
