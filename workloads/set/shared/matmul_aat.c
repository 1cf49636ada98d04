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

#define W 32

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

static uint64_t matmul_aat_inner(const struct workload_case *c)
{
    (void)c;
    return W;
}

static uint64_t inner_quarters(const struct workload_case *c)
{
    (void)c;
    return W / 4;
}

/* threadIdx.x is the lane, threadIdx.y the warp. */
static uint64_t row_of(const struct access_point *at)
{
    return at->block[1] * (uint64_t)W + at->warp;
}

static uint64_t column_of(const struct access_point *at)
{
    return at->block[0] * (uint64_t)W + at->lane;
}

ACCESS_ADDRESS(a_word, (row_of(at) * W + at->i) * sizeof(float))
ACCESS_ADDRESS(a_down, (column_of(at) * W + at->i) * sizeof(float))
ACCESS_ADDRESS(a_row, (row_of(at) * W + at->lane) * sizeof(float))
ACCESS_ADDRESS(a_other_row, ((at->block[0] * (uint64_t)W + at->warp) * W + at->lane) * sizeof(float))
ACCESS_ADDRESS(c_row, (row_of(at) * (uint64_t)c->params.value[PARAM_M] + column_of(at)) * sizeof(float))
ACCESS_ADDRESS(tile_row, (at->warp * (uint64_t)W + at->lane) * sizeof(float))
ACCESS_ADDRESS(tile_quarters, (at->warp * (uint64_t)W + 4 * at->i) * sizeof(float))
ACCESS_ADDRESS(turned_column, (at->lane * (uint64_t)W + at->warp) * sizeof(float))
ACCESS_ADDRESS(turned_row, (at->i * W + at->lane) * sizeof(float))
ACCESS_ADDRESS(padded_column, (at->lane * (uint64_t)(W + 1) + at->warp) * sizeof(float))
ACCESS_ADDRESS(padded_row, (at->i * (W + 1) + at->lane) * sizeof(float))

/* Every row of A and C begins at a multiple of 128 bytes; the next row of a tile moves all lanes' banks by
 * the same amount (the next but one, where banks are 8 bytes wide: 64-bit mode of 3.x). */
#define SITE(text, where, what, width, times, function)                                                      \
    {                                                                                                        \
        .name = text, .space = where, .op = what, .width_bytes = width, .count = times, .address = function, \
        .block_period = {1, 1, 1}, .warp_period = 2                                                          \
    }
#define C_STORE SITE("c[row * m + column]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_once, c_row)

static const struct access_site simple_sites[] = {
    SITE("a[row * W + i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, matmul_aat_inner, a_word),
    SITE("a[column * W + i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, matmul_aat_inner, a_down),
    C_STORE,
};
/* The assembler makes one load of 16 bytes of four neighbours tile[row][i], as in matmul-ab. */
#define TILE_SITES(store, load)                                                                       \
    {                                                                                                 \
        SITE("a[row * W + lane]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_once, a_row),                 \
            SITE("a[other row * W + lane]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_once, a_other_row), \
            SITE("tile[row][lane] = ", ACCESS_SHARED, ACCESS_STORE, 4, access_once, tile_row),        \
            SITE("turned[lane][row] = ", ACCESS_SHARED, ACCESS_STORE, 4, access_once, store),         \
            SITE("tile[row][i..i+3]", ACCESS_SHARED, ACCESS_LOAD, 16, inner_quarters, tile_quarters), \
            SITE("turned[i][lane]", ACCESS_SHARED, ACCESS_LOAD, 4, matmul_aat_inner, load), C_STORE   \
    }
static const struct access_site tile_sites[] = TILE_SITES(turned_column, turned_row);
static const struct access_site pad_sites[] = TILE_SITES(padded_column, padded_row);

static const struct kernel_sites kernels[] = {
    [TAG_SIMPLE] = {KERNEL_SITES("matmul_aat_simple", simple_sites)},
    [TAG_TILE] = {KERNEL_SITES("matmul_aat_tile", tile_sites)},
    [TAG_PAD] = {KERNEL_SITES("matmul_aat_pad", pad_sites)},
};

static const struct workload_variant variants[] = {
    {.name = "simple",
     .meaning = "strided reads from global memory",
     .tag = TAG_SIMPLE,
     .kernels = &kernels[TAG_SIMPLE],
     .kernel_count = 1},
    {.name = "tile",
     .meaning = "read by rows, transposed in shared memory: its columns conflict",
     .tag = TAG_TILE,
     .kernels = &kernels[TAG_TILE],
     .kernel_count = 1},
    {.name = "pad",
     .meaning = "a word of padding per row: no conflicts",
     .tag = TAG_PAD,
     .kernels = &kernels[TAG_PAD],
     .kernel_count = 1},
};

static enum status matmul_aat_resolve(struct workload_case *c, struct error *error)
{
    int64_t *m = &c->params.value[PARAM_M];

    if (*m == WORKLOAD_SIZE_AUTO)
        *m = c->small ? 128 : c->info->multiprocessors >= 64 ? 2048 : 1024;
    if (*m % W)
        return error_set(error, STATUS_USAGE, "matmul-aat: m=%lld is not a multiple of %d. Give m=%lld.",
                         (long long)*m, W, (long long)((*m / W + 1) * W));
    c->grid[0] = c->grid[1] = (uint32_t)(*m / W);
    c->block[0] = c->block[1] = W;
    c->grid[2] = c->block[2] = 1;
    c->effective_bytes = sizeof(float) * ((double)*m * W + (double)*m * (double)*m);
    c->effective_kernel = c->variant->kernels[0].kernel;
    return STATUS_OK;
}

static void matmul_aat_verify(size_t m, const float *a, const float *output, struct workload_result *result)
{
    for (size_t row = 0; row < m; row++) {
        for (size_t column = 0; column < m; column++) {
            float wanted = 0;

            for (size_t i = 0; i < W; i++)
                wanted += a[row * W + i] * a[column * W + i];
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
        .array = {{.use = SINGLE_INPUT, .size_bytes = (size_t)m * W * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = (size_t)m * m * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "matmul_aat",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer, &m}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status == STATUS_OK)
        matmul_aat_verify(m, single.array[0].input, single.array[1].output, result);
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
