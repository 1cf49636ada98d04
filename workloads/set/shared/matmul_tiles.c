/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul-tiles: C = A x B with an inner side of k words, by a loop over tiles of 16 x 16: without shared
 * memory, with two barriers a turn, with two pairs of tiles and one barrier a turn.
 *
 * Built without fused multiply-add and added in the reference's order: results are equal bit by bit. A warp
 * is two rows of a block.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <string.h>

#define W 16 /* as in matmul_tiles.cu */

enum { PARAM_N, PARAM_K };
enum { TAG_SIMPLE, TAG_TILES, TAG_BUFFERS };

static const struct workload_param params[] = {
    [PARAM_N] = {.name = "n",
                 .meaning = "rows and columns of C, a multiple of 16; 0: by the size of the device",
                 SIZE_UP_TO(4096, "words"),
                 .step = W,
                 .doubles = true},
    [PARAM_K] = {.name = "k",
                 .meaning = "columns of A and rows of B, a multiple of 16",
                 .unit = "words",
                 .minimum = W,
                 .maximum = 4096,
                 .standard = 256,
                 .step = W,
                 .doubles = true},
};

static uint64_t n_of(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_N];
}

static uint64_t inner_side(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_K];
}

static uint64_t inner_quarters(const struct workload_case *c)
{
    return inner_side(c) / 4;
}

static uint64_t inner_turns(const struct workload_case *c)
{
    return inner_side(c) / W;
}

/* threadIdx.x and threadIdx.y */
static uint64_t thread_x(const struct access_point *at)
{
    return access_thread(at) % W;
}

static uint64_t thread_y(const struct access_point *at)
{
    return access_thread(at) / W;
}

static uint64_t row_of(const struct access_point *at)
{
    return at->block[1] * (uint64_t)W + thread_y(at);
}

static uint64_t column_of(const struct access_point *at)
{
    return at->block[0] * (uint64_t)W + thread_x(at);
}

ACCESS_ADDRESS(a_word, (row_of(at) * inner_side(c) + at->i) * sizeof(float))
ACCESS_ADDRESS(b_word, (at->i * n_of(c) + column_of(at)) * sizeof(float))
ACCESS_ADDRESS(a_row, (row_of(at) * inner_side(c) + at->i * W + thread_x(at)) * sizeof(float))
ACCESS_ADDRESS(b_row, ((at->i * W + thread_y(at)) * n_of(c) + column_of(at)) * sizeof(float))
ACCESS_ADDRESS(c_row, (row_of(at) * n_of(c) + column_of(at)) * sizeof(float))
ACCESS_ADDRESS(tile_word, (thread_y(at) * W + thread_x(at)) * sizeof(float))
ACCESS_ADDRESS(a_tile_quarter, (thread_y(at) * W + at->i % (W / 4) * 4) * sizeof(float))
ACCESS_ADDRESS(b_tile_row, (at->i % W * W + thread_x(at)) * sizeof(float))

/* Every row begins at a multiple of 64 bytes, a tile at one of 16; which of the two halves of a line it is
 * does not change what half-warps cost. Where k or n is an odd multiple of 16, the two rows of a warp may lie
 * in one line of 2.x or in two: the periods are those of rows and blocks by twos. */
#define SITE(text, where, what, width, times, function)                                                      \
    {                                                                                                        \
        .name = text, .space = where, .op = what, .width_bytes = width, .count = times, .address = function, \
        .block_period = {2, 2, 1}, .warp_period = 2, .i_period = where == ACCESS_GLOBAL ? 8 : 1              \
    }
#define C_STORE SITE("c[row * n + column]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_once, c_row)

static const struct access_site simple_sites[] = {
    SITE("a[row * k + i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, inner_side, a_word),
    SITE("b[i * n + column]", ACCESS_GLOBAL, ACCESS_LOAD, 4, inner_side, b_word),
    C_STORE,
};
/* The loop over i is unrolled, and the assembler makes one load of four neighbours a_tile[y][i], as in
 * matmul-ab. */
static const struct access_site tile_sites[] = {
    SITE("a[row * k + turn + x]", ACCESS_GLOBAL, ACCESS_LOAD, 4, inner_turns, a_row),
    SITE("b[(turn + y) * n + column]", ACCESS_GLOBAL, ACCESS_LOAD, 4, inner_turns, b_row),
    SITE("a_tile[y][x] = ", ACCESS_SHARED, ACCESS_STORE, 4, inner_turns, tile_word),
    SITE("b_tile[y][x] = ", ACCESS_SHARED, ACCESS_STORE, 4, inner_turns, tile_word),
    SITE("a_tile[y][i..i+3]", ACCESS_SHARED, ACCESS_LOAD, 16, inner_quarters, a_tile_quarter),
    SITE("b_tile[i][x]", ACCESS_SHARED, ACCESS_LOAD, 4, inner_side, b_tile_row),
    C_STORE,
};

#define VARIANT(id, text, table, what)                                                    \
    {                                                                                     \
        .name = text, .meaning = what, .tag = id, ONE_KERNEL("matmul_tiles_" text, table) \
    }
static const struct workload_variant variants[] = {
    VARIANT(TAG_SIMPLE, "simple", simple_sites, "every word from global memory"),
    VARIANT(TAG_TILES, "tiles", tile_sites, "a loop over tiles in shared memory, two barriers a turn"),
    VARIANT(TAG_BUFFERS, "buffers", tile_sites,
            "two pairs of tiles: the next ones are loaded meanwhile, one barrier a turn"),
};

static enum status matmul_tiles_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N], k = c->params.value[PARAM_K];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = c->small ? 64 : 512;
    if (*n % W || k % W)
        return error_set(error, STATUS_USAGE,
                         "matmul-tiles: n=%lld or k=%lld is not a multiple of %d. Give n=512 and k=256, for "
                         "example.",
                         (long long)*n, (long long)k, W);
    c->grid[0] = c->grid[1] = (uint32_t)(*n / W);
    c->block[0] = c->block[1] = W;
    c->grid[2] = c->block[2] = 1;
    c->kernel = c->variant->kernels;
    c->effective_kernel = c->kernel->kernel;
    c->effective_bytes = sizeof(float) * (2.0 * (double)*n * (double)k + (double)*n * (double)*n);
    return STATUS_OK;
}

/* One row of C; each element adds from i = 0 on, as in the kernels. */
static void reference_row(float *restrict c_row_values, const float *restrict a, const float *restrict b,
                          size_t n, size_t k)
{
    memset(c_row_values, 0, n * sizeof *c_row_values);
    for (size_t i = 0; i < k; i++)
        for (size_t column = 0; column < n; column++)
            c_row_values[column] += a[i] * b[i * n + column];
}

static enum status matmul_tiles_run(const struct workload_case *c, struct workbench *bench,
                                    struct workload_result *result, struct error *error)
{
    uint32_t n = (uint32_t)n_of(c), k = (uint32_t)inner_side(c);
    size_t words = (size_t)n * k;
    void *row;
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = 2 * words * sizeof(float)},
                  {.use = SINGLE_OUTPUT, .size_bytes = (size_t)n * n * sizeof(float)}},
        .array_count = 2,
    };
    device_pointer b;
    enum status status;

    /* In the input, B follows A: its address is known with the buffer, which stays where it is. */
    if ((status = workbench_device_buffer(bench, 0, single.array[0].size_bytes, &b, error)))
        return status;
    b += words * sizeof(float);
    single.launch = (struct device_launch){
        .image = "matmul_tiles",
        .kernel = c->effective_kernel,
        .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer, &b, &n, &k}};
    if ((status = single_run(c, bench, &single, error)) ||
        (status = workbench_host_buffer(bench, 2, HOST_PAGEABLE, n * sizeof(float), &row, error)))
        return status;
    result->verified = 1;
    for (size_t r = 0; r < n && result->verified == 1; r++) {
        const float *input = single.array[0].input, *output = single.array[1].output;

        reference_row(row, input + r * k, input + words, n, k);
        verify_words("c", r * n, output + r * n, row, n, result);
    }
    return STATUS_OK;
}

const struct workload workload_matmul_tiles = {
    .name = "matmul-tiles",
    .chapter = CHAPTER_SHARED,
    .title = "A product of any size: a loop over tiles, two barriers",
    .words =
        "gemm sgemm matmul matrix multiply tiling tiled smem __shared__ __syncthreads barrier race double "
        "buffering",
    .meaning =
        "A product of any inner size loops over tiles in shared memory; the second barrier of a turn keeps "
        "the tile until all have read it",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = matmul_tiles_resolve,
    .run = matmul_tiles_run,
};
