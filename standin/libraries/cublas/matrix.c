/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrices with vectors, sums of matrices, and what the product kernel computes beside gemm: operands and
 * results of which half is stored. The result of a half is written alone.
 */
#include "standin/libraries/cublas/cublas.h"

#include <stdio.h>

#define THREADS 256
#define BATCHES_MOST 65535
#define SHORT 512 /* up to so many rows a warp computes each */

static int64_t at_least_one(int64_t value)
{
    return value > 1 ? value : 1;
}

static bool is_turned(int operation)
{
    return operation == OP_T || operation == OP_C;
}

static bool fill_is_valid(int fill)
{
    return fill == FILL_LOWER || fill == FILL_UPPER;
}

static bool is_complex(int type)
{
    return type == TYPE_C || type == TYPE_Z;
}

static int compute_of(int type)
{
    return type == TYPE_D || type == TYPE_Z ? COMPUTE_64F : COMPUTE_32F;
}

/* A thread for each element of an m x n matrix. */
static int matrix_launch(const struct cublasContext *handle, const char *function, int type,
                         struct work_vectors *work)
{
    const int64_t x = (work->m + 31) / 32, y = (work->n + 7) / 8;
    char name[32];

    if (x > INT32_MAX || y > BATCHES_MOST)
        return BLAS_INVALID_VALUE;
    snprintf(name, sizeof name, "%s_%s", function, blas_type(type)->letter);
    return (int)kernel_launch(handle->stream, name, (unsigned)x, (unsigned)y, 1, THREADS, work);
}

/* ---- gemv ---- */
struct gemv { /* m x n: of A as it is stored */
    int operation, type;
    int64_t m, n, leading, x_step, y_step, batches;
    const void *alpha, *beta, *a, *x;
    void *y;
    long long a_batch, x_batch, y_batch;
    bool pointers;
};

static int gemv_run(const struct cublasContext *handle, const struct gemv *gemv)
{
    const bool turned = is_turned(gemv->operation);
    const int64_t rows = turned ? gemv->n : gemv->m, length = turned ? gemv->m : gemv->n;
    const bool warp = turned || (rows <= SHORT && length > rows);
    char name[32];
    enum blas_status status = BLAS_SUCCESS;

    if (!handle)
        return BLAS_NOT_INITIALIZED;
    const bool strict = gemv->batches != 1 || gemv->pointers; /* a single one is not, on an H200 */
    if (gemv->batches < 0 || gemv->leading < at_least_one(gemv->m) || !gemv->alpha || !gemv->beta)
        return BLAS_INVALID_VALUE;
    if (strict && (!operation_is_valid(gemv->operation) || gemv->m < 0 || gemv->n < 0 || gemv->x_step == 0 ||
                   gemv->y_step == 0))
        return BLAS_INVALID_VALUE;
    if (gemv->m <= 0 || gemv->n <= 0 || gemv->batches == 0)
        return BLAS_SUCCESS;
    if (!gemv->a || !gemv->x || !gemv->y)
        return BLAS_INVALID_VALUE;
    struct work_vectors work = {.m = rows,
                                .n = length,
                                .a = matrix_given(gemv->a, gemv->leading, gemv->operation, gemv->a_batch),
                                .x = gemv->x,
                                .x_step = gemv->x_step,
                                .x_batch = gemv->x_batch,
                                .y = gemv->y,
                                .y_step = gemv->y_step,
                                .y_batch = gemv->y_batch,
                                .pointers = gemv->pointers,
                                .alpha = scalar_given(handle->pointer_mode, gemv->alpha, gemv->type),
                                .beta = scalar_given(handle->pointer_mode, gemv->beta, gemv->type)};
    const int64_t per_block = warp ? THREADS / 32 : THREADS, blocks = (rows + per_block - 1) / per_block;
    work.a.pointers = gemv->pointers;
    snprintf(name, sizeof name, "gemv_%s%s", blas_type(gemv->type)->letter, warp ? "_warp" : "");
    for (; work.first < gemv->batches && status == BLAS_SUCCESS; work.first += BATCHES_MOST) {
        int64_t rest = gemv->batches - work.first;
        status = kernel_launch(handle->stream, name, (unsigned)blocks,
                               (unsigned)(rest < BATCHES_MOST ? rest : BATCHES_MOST), 1, THREADS, &work);
    }
    return (int)status;
}

/* ---- ger, syr, syr2 ---- */
struct outer {
    int type, part;
    int64_t m, n, x_step, y_step, leading;
    const void *x, *y;
    void *a;
    bool conjugate_x, conjugate_y, real_diagonal;
};

static int outer_run(const struct cublasContext *handle, const struct outer *outer, struct work_scalar alpha)
{
    struct work_vectors work = {.m = outer->m,
                                .n = outer->n,
                                .x = outer->x,
                                .x_step = outer->x_step,
                                .other = outer->y,
                                .y_step = outer->y_step,
                                .a = matrix_given(outer->a, outer->leading, OP_N, 0),
                                .alpha = alpha,
                                .part = outer->part,
                                .conjugate = outer->conjugate_x,
                                .conjugate_other = outer->conjugate_y,
                                .real_diagonal = outer->real_diagonal};
    return matrix_launch(handle, "ger", outer->type, &work);
}

static int outer_check(const struct cublasContext *handle, const struct outer *outer, const void *alpha)
{
    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if (outer->m < 0 || outer->n < 0 || outer->leading < at_least_one(outer->m) || outer->x_step == 0 ||
        outer->y_step == 0 || !alpha)
        return BLAS_INVALID_VALUE;
    return outer->m > 0 && outer->n > 0 && (!outer->x || !outer->y || !outer->a) ? BLAS_INVALID_VALUE
                                                                                 : BLAS_SUCCESS;
}

static int ger_run(const struct cublasContext *handle, const struct outer *outer, const void *alpha,
                   int alpha_type)
{
    int status = outer_check(handle, outer, alpha);

    if (status || outer->m == 0 || outer->n == 0)
        return status;
    return outer_run(handle, outer, scalar_given(handle->pointer_mode, alpha, alpha_type));
}

static int syr_run(const struct cublasContext *handle, int fill, struct outer outer, const void *alpha,
                   int alpha_type)
{
    if (handle && !fill_is_valid(fill))
        return BLAS_INVALID_VALUE;
    outer.part = fill == FILL_LOWER ? PART_LOWER : PART_UPPER;
    return ger_run(handle, &outer, alpha, alpha_type);
}

/* Both terms in one after the other: alpha x y^H, then conj(alpha) y x^H. */
static int syr2_run(const struct cublasContext *handle, int fill, struct outer outer, const void *alpha)
{
    int status = syr_run(handle, fill, outer, alpha, outer.type);

    if (status || outer.n == 0)
        return status;
    struct work_scalar scalar = scalar_given(handle->pointer_mode, alpha, outer.type);
    if (outer.real_diagonal && scalar.at)
        blas_refuse("cublas?her2 with the device's scalars");
    if (outer.real_diagonal)
        scalar.im = -scalar.im;
    outer.part = fill == FILL_LOWER ? PART_LOWER : PART_UPPER;
    const void *kept = outer.x;
    const int64_t step = outer.x_step;
    outer.x = outer.y;
    outer.x_step = outer.y_step;
    outer.y = kept;
    outer.y_step = step;
    return outer_run(handle, &outer, scalar);
}

/* ---- geam, dgmm ---- */
static int geam_run(const struct cublasContext *handle, int type, int a_operation, int b_operation, int64_t m,
                    int64_t n, const void *alpha, const void *a, int64_t a_leading, const void *beta,
                    const void *b, int64_t b_leading, void *c, int64_t c_leading)
{
    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if (!operation_is_valid(a_operation) || !operation_is_valid(b_operation) || m < 0 || n < 0 || !alpha ||
        !beta || a_leading < at_least_one(is_turned(a_operation) ? n : m) ||
        b_leading < at_least_one(is_turned(b_operation) ? n : m) || c_leading < at_least_one(m))
        return BLAS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return BLAS_SUCCESS;
    /* In place is possible where the matrix is not transposed. */
    if (!c || (c == a && (is_turned(a_operation) || a_leading != c_leading)) ||
        (c == b && (is_turned(b_operation) || b_leading != c_leading)))
        return BLAS_INVALID_VALUE;
    struct work_vectors work = {.m = m,
                                .n = n,
                                .a = matrix_given(a, a_leading, a_operation, 0),
                                .b = matrix_given(b, b_leading, b_operation, 0),
                                .y = c,
                                .y_step = c_leading,
                                .alpha = scalar_given(handle->pointer_mode, alpha, type),
                                .beta = scalar_given(handle->pointer_mode, beta, type)};
    return matrix_launch(handle, "geam", type, &work);
}

static int dgmm_run(const struct cublasContext *handle, int type, int side, int64_t m, int64_t n,
                    const void *a, int64_t a_leading, const void *x, int64_t x_step, void *c,
                    int64_t c_leading)
{
    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if ((side != SIDE_LEFT && side != SIDE_RIGHT) || m < 0 || n < 0 || a_leading < at_least_one(m) ||
        c_leading < at_least_one(m))
        return BLAS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return BLAS_SUCCESS;
    if (!a || !x || !c)
        return BLAS_INVALID_VALUE;
    struct work_vectors work = {.m = m,
                                .n = n,
                                .a = matrix_given(a, a_leading, OP_N, 0),
                                .x = x,
                                .x_step = x_step,
                                .y = c,
                                .y_step = c_leading,
                                .left = side == SIDE_LEFT};
    return matrix_launch(handle, "dgmm", type, &work);
}

/* ---- operands of which half is stored ---- */
static void matrix_turn(struct work_matrix *matrix)
{
    const long long row = matrix->row;

    matrix->row = matrix->column;
    matrix->column = row;
    matrix->lower = !matrix->lower;
}

/* c = alpha A B + beta C, or B A; A of the kind. */
static int symm_run(const struct cublasContext *handle, int type, int kind, int side, int fill, int64_t m,
                    int64_t n, const void *alpha, const void *a, int64_t a_leading, const void *b,
                    int64_t b_leading, int64_t b_row, const void *beta, void *c, int64_t c_leading,
                    int64_t c_row)
{
    struct work_product work = {.m = m, .n = n};
    const bool left = side == SIDE_LEFT;

    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if ((!left && side != SIDE_RIGHT) || !fill_is_valid(fill) || m < 0 || n < 0 || !alpha || !beta ||
        a_leading < at_least_one(left ? m : n))
        return BLAS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return BLAS_SUCCESS;
    if (!a || !b || !c)
        return BLAS_INVALID_VALUE;
    work.k = left ? m : n;
    work.alpha = scalar_given(handle->pointer_mode, alpha, type);
    work.beta = scalar_given(handle->pointer_mode, beta, type);
    work.a = matrix_given(a, a_leading, OP_N, 0);
    work.a.kind = kind;
    work.a.lower = fill == FILL_LOWER;
    work.b = (struct work_matrix){.at = b, .row = b_row, .column = b_leading};
    work.c = (struct work_matrix){.at = c, .row = c_row, .column = c_leading};
    if (!left) { /* (B A)^T = A^T B^T */
        work.m = n;
        work.n = m;
        matrix_turn(&work.a);
        matrix_turn(&work.b);
        matrix_turn(&work.c);
    }
    work.d = work.c;
    return (int)product_run(handle->stream, product_kernel(&work, type, type, type, compute_of(type)), &work,
                            1);
}

static int symm_checked(const struct cublasContext *handle, int type, int kind, int side, int fill, int64_t m,
                        int64_t n, const void *alpha, const void *a, int64_t a_leading, const void *b,
                        int64_t b_leading, const void *beta, void *c, int64_t c_leading)
{
    if (handle && (b_leading < at_least_one(m) || c_leading < at_least_one(m)))
        return BLAS_INVALID_VALUE;
    return symm_run(handle, type, kind, side, fill, m, n, alpha, a, a_leading, b, b_leading, 1, beta, c,
                    c_leading, 1);
}

/* y = alpha A x + beta y */
static int symv_run(const struct cublasContext *handle, int type, int kind, int fill, int64_t n,
                    const void *alpha, const void *a, int64_t leading, const void *x, int64_t x_step,
                    const void *beta, void *y, int64_t y_step)
{
    const size_t bytes = blas_type(type)->bytes;

    if (handle && (x_step == 0 || y_step == 0))
        return BLAS_INVALID_VALUE;
    if (x && x_step < 0) /* the first element is the last one in memory */
        x = (const char *)x + (1 - n) * x_step * (int64_t)bytes;
    if (y && y_step < 0)
        y = (char *)y + (1 - n) * y_step * (int64_t)bytes;
    return symm_run(handle, type, kind, SIDE_LEFT, fill, n, 1, alpha, a, leading, x, n, x_step, beta, y, n,
                    y_step);
}

/* ---- results of which half is stored ---- */
struct rank { /* C = alpha op(A) op(B)^T + beta C */
    int type, fill, operation;
    int64_t n, k, a_leading, b_leading, c_leading;
    const void *a, *b;
    void *c;
    bool hermitian;
};

static int rank_check(const struct cublasContext *handle, const struct rank *rank, const void *alpha,
                      const void *beta)
{
    const int64_t rows = rank->operation == OP_N ? rank->n : rank->k;

    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if (!fill_is_valid(rank->fill) || rank->n < 0 || rank->k < 0 || rank->a_leading < at_least_one(rows) ||
        rank->b_leading < at_least_one(rows) || rank->c_leading < at_least_one(rank->n) || !alpha || !beta ||
        rank->operation < OP_N || rank->operation > OP_C ||
        (is_complex(rank->type) && rank->operation == (rank->hermitian ? OP_T : OP_C)))
        return BLAS_INVALID_VALUE;
    return rank->n > 0 && (!rank->c || (rank->k > 0 && (!rank->a || !rank->b))) ? BLAS_INVALID_VALUE
                                                                                : BLAS_SUCCESS;
}

static int rank_run(const struct cublasContext *handle, const struct rank *rank, struct work_scalar alpha,
                    struct work_scalar beta)
{
    struct work_product work = {.m = rank->n,
                                .n = rank->n,
                                .k = rank->k,
                                .alpha = alpha,
                                .beta = beta,
                                .a = matrix_given(rank->a, rank->a_leading, rank->operation, 0),
                                .b = matrix_given(rank->b, rank->b_leading, rank->operation, 0),
                                .c = matrix_given(rank->c, rank->c_leading, OP_N, 0),
                                .part = rank->fill == FILL_LOWER ? PART_LOWER : PART_UPPER,
                                .real_diagonal = rank->hermitian};
    matrix_turn(&work.b);
    work.a.conjugate = rank->hermitian && rank->operation == OP_C;
    work.b.conjugate = rank->hermitian && rank->operation != OP_C;
    work.d = work.c;
    return (int)product_run(handle->stream,
                            product_kernel(&work, rank->type, rank->type, rank->type, compute_of(rank->type)),
                            &work, 1);
}

static int syrk_run(const struct cublasContext *handle, const struct rank *rank, const void *alpha,
                    int alpha_type, const void *beta, int beta_type)
{
    int status = rank_check(handle, rank, alpha, beta);

    if (status || rank->n == 0)
        return status;
    return rank_run(handle, rank, scalar_given(handle->pointer_mode, alpha, alpha_type),
                    scalar_given(handle->pointer_mode, beta, beta_type));
}

/* C = alpha A B^H + conj(alpha) B A^H + beta C: the second term is added to the first. */
static int syr2k_run(const struct cublasContext *handle, const struct rank *rank, const void *alpha,
                     const void *beta, int beta_type)
{
    int status = syrk_run(handle, rank, alpha, rank->type, beta, beta_type);
    struct rank other = *rank;

    if (status || rank->n == 0)
        return status;
    struct work_scalar scalar = scalar_given(handle->pointer_mode, alpha, rank->type);
    if (rank->hermitian && scalar.at)
        blas_refuse("cublas?her2k with the device's scalars");
    if (rank->hermitian)
        scalar.im = -scalar.im;
    other.a = rank->b;
    other.b = rank->a;
    other.a_leading = rank->b_leading;
    other.b_leading = rank->a_leading;
    return rank_run(handle, &other, scalar, scalar_value(1, 0));
}

/* ---- triangles ---- */
struct triangle {
    int type, side, fill, operation, diagonal;
    int64_t m, n, a_leading, b_leading, c_leading, batches;
    const void *a, *b;
    void *c;
    bool pointers;
};

static int triangle_check(const struct cublasContext *handle, const struct triangle *triangle,
                          const void *alpha)
{
    const int64_t size = triangle->side == SIDE_LEFT ? triangle->m : triangle->n;

    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if ((triangle->side != SIDE_LEFT && triangle->side != SIDE_RIGHT) || !fill_is_valid(triangle->fill) ||
        triangle->operation < OP_N || triangle->operation > OP_C ||
        (triangle->diagonal != DIAGONAL_READ && triangle->diagonal != DIAGONAL_UNIT) || triangle->m < 0 ||
        triangle->n < 0 || triangle->a_leading < at_least_one(size) ||
        triangle->b_leading < at_least_one(triangle->m) || triangle->c_leading < at_least_one(triangle->m) ||
        !alpha)
        return BLAS_INVALID_VALUE;
    return triangle->m > 0 && triangle->n > 0 && (!triangle->a || !triangle->b || !triangle->c)
               ? BLAS_INVALID_VALUE
               : BLAS_SUCCESS;
}

static struct work_product triangle_work(const struct triangle *triangle)
{
    struct work_product work = {.m = triangle->m,
                                .n = triangle->n,
                                .a = matrix_given(triangle->a, triangle->a_leading, triangle->operation, 0),
                                .b = matrix_given(triangle->b, triangle->b_leading, OP_N, 0),
                                .d = matrix_given(triangle->c, triangle->c_leading, OP_N, 0)};
    work.a.kind = triangle->diagonal == DIAGONAL_UNIT ? KIND_UNIT_TRIANGLE : KIND_TRIANGLE;
    work.a.lower = (triangle->fill == FILL_LOWER) == (triangle->operation == OP_N);
    if (triangle->side == SIDE_RIGHT) {
        work.m = triangle->n;
        work.n = triangle->m;
        matrix_turn(&work.a);
        matrix_turn(&work.b);
        matrix_turn(&work.d);
    }
    work.k = work.m;
    work.a.pointers = work.b.pointers = work.d.pointers = triangle->pointers;
    work.c = work.d;
    return work;
}

/* C may be B: it is computed beside it then. */
static int trmm_run(const struct cublasContext *handle, const struct triangle *triangle, const void *alpha)
{
    const size_t bytes = blas_type(triangle->type)->bytes;
    int status = triangle_check(handle, triangle, alpha);
    void *beside = NULL;

    if (status || triangle->m == 0 || triangle->n == 0)
        return status;
    struct triangle moved = *triangle;
    if (triangle->b == triangle->c) {
        const size_t row = (size_t)triangle->m * bytes;
        if (cudaMallocAsync(&beside, row * (size_t)triangle->n, handle->stream) != cudaSuccess)
            return BLAS_ALLOC_FAILED;
        if (cudaMemcpy2DAsync(beside, row, triangle->b, (size_t)triangle->b_leading * bytes, row,
                              (size_t)triangle->n, cudaMemcpyDeviceToDevice, handle->stream) != cudaSuccess)
            status = BLAS_EXECUTION_FAILED;
        moved.b = beside;
        moved.b_leading = triangle->m;
    }
    struct work_product work = triangle_work(&moved);
    work.alpha = scalar_given(handle->pointer_mode, alpha, triangle->type);
    if (status == BLAS_SUCCESS)
        status = (int)product_run(
            handle->stream,
            product_kernel(&work, triangle->type, triangle->type, triangle->type, compute_of(triangle->type)),
            &work, 1);
    if (beside)
        cudaFreeAsync(beside, handle->stream);
    return status;
}

static int trsm_run(const struct cublasContext *handle, const struct triangle *triangle, const void *alpha)
{
    int status = triangle_check(handle, triangle, alpha);
    char name[32];

    if (status || triangle->m == 0 || triangle->n == 0)
        return status;
    struct work_product work = triangle_work(triangle);
    work.alpha = scalar_given(handle->pointer_mode, alpha, triangle->type);
    snprintf(name, sizeof name, "trsm_%s", blas_type(triangle->type)->letter);
    for (; work.first < triangle->batches && status == BLAS_SUCCESS; work.first += BATCHES_MOST) {
        int64_t rest = triangle->batches - work.first;
        status = (int)kernel_launch(handle->stream, name, (unsigned)((work.n + 127) / 128), 1,
                                    (unsigned)(rest < BATCHES_MOST ? rest : BATCHES_MOST), 128, &work);
    }
    return status;
}

/* op(A) x = b, and x = op(A) x: one column, whose elements are `step` apart. */
static int trsv_run(const struct cublasContext *handle, bool solve, struct triangle triangle, void *x,
                    int64_t step)
{
    const double one[2] = {1, 0};
    const float single[2] = {1, 0};
    const bool wide = triangle.type == TYPE_D || triangle.type == TYPE_Z;

    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if (step == 0)
        return BLAS_INVALID_VALUE;
    if (step < 0)
        blas_refuse("cublas?trsv or cublas?trmv with a negative increment");
    struct cublasContext own = *handle;
    own.pointer_mode = POINTERS_HOST;
    triangle.side = SIDE_RIGHT; /* a row of the matrix X^T: X^T op(A)^T = B^T */
    triangle.n = triangle.m;
    triangle.m = 1;
    triangle.b = triangle.c = x;
    triangle.b_leading = triangle.c_leading = step;
    triangle.batches = 1;
    const int operation = triangle.operation;
    if (operation < OP_N || operation > OP_C)
        return BLAS_INVALID_VALUE;
    if (operation == OP_C && is_complex(triangle.type))
        blas_refuse("cublas?trsv or cublas?trmv with a conjugate transposition");
    triangle.operation = operation == OP_N ? OP_T : OP_N;
    return solve ? trsm_run(&own, &triangle, wide ? (const void *)one : single)
                 : trmm_run(&own, &triangle, wide ? (const void *)one : single);
}

/* ---- the functions ---- */
#define H struct cublasContext *handle
#define GEMV(L, TYPE, suffix, I)                                                                             \
    CUBLAS_API int cublas##L##gemv_v2##suffix(H, int operation, I m, I n, const void *alpha, const void *a,  \
                                              I leading, const void *x, I x_step, const void *beta, void *y, \
                                              I y_step)                                                      \
    {                                                                                                        \
        return gemv_run(handle, &(struct gemv){operation, TYPE, m, n, leading, x_step, y_step, 1, alpha,     \
                                               beta, a, x, y, 0, 0, 0, false});                              \
    }                                                                                                        \
    CUBLAS_API int cublas##L##gemvStridedBatched##suffix(                                                    \
        H, int operation, I m, I n, const void *alpha, const void *a, I leading, long long a_batch,          \
        const void *x, I x_step, long long x_batch, const void *beta, void *y, I y_step, long long y_batch,  \
        I batches)                                                                                           \
    {                                                                                                        \
        return gemv_run(handle, &(struct gemv){operation, TYPE, m, n, leading, x_step, y_step, batches,      \
                                               alpha, beta, a, x, y, a_batch, x_batch, y_batch, false});     \
    }                                                                                                        \
    CUBLAS_API int cublas##L##gemvBatched##suffix(H, int operation, I m, I n, const void *alpha,             \
                                                  const void *a, I leading, const void *x, I x_step,         \
                                                  const void *beta, void *y, I y_step, I batches)            \
    {                                                                                                        \
        return gemv_run(handle, &(struct gemv){operation, TYPE, m, n, leading, x_step, y_step, batches,      \
                                               alpha, beta, a, x, y, 0, 0, 0, true});                        \
    }
#define GER(name, TYPE, conjugate, suffix, I)                                                         \
    CUBLAS_API int cublas##name##_v2##suffix(H, I m, I n, const void *alpha, const void *x, I x_step, \
                                             const void *y, I y_step, void *a, I leading)             \
    {                                                                                                 \
        return ger_run(handle,                                                                        \
                       &(struct outer){TYPE, PART_ALL, m, n, x_step, y_step, leading, x, y, a, false, \
                                       conjugate, false},                                             \
                       alpha, TYPE);                                                                  \
    }
#define SYR(name, TYPE, ALPHA, hermitian, suffix, I)                                                       \
    CUBLAS_API int cublas##name##_v2##suffix(H, int fill, I n, const void *alpha, const void *x, I x_step, \
                                             void *a, I leading)                                           \
    {                                                                                                      \
        return syr_run(handle, fill,                                                                       \
                       (struct outer){TYPE, PART_ALL, n, n, x_step, x_step, leading, x, x, a, false,       \
                                      hermitian, hermitian},                                               \
                       alpha, ALPHA);                                                                      \
    }
#define SYR2(name, TYPE, hermitian, suffix, I)                                                             \
    CUBLAS_API int cublas##name##_v2##suffix(H, int fill, I n, const void *alpha, const void *x, I x_step, \
                                             const void *y, I y_step, void *a, I leading)                  \
    {                                                                                                      \
        return syr2_run(handle, fill,                                                                      \
                        (struct outer){TYPE, PART_ALL, n, n, x_step, y_step, leading, x, y, a, false,      \
                                       hermitian, hermitian},                                              \
                        alpha);                                                                            \
    }
#define SYMV(name, TYPE, kind, suffix, I)                                                                   \
    CUBLAS_API int cublas##name##_v2##suffix(H, int fill, I n, const void *alpha, const void *a, I leading, \
                                             const void *x, I x_step, const void *beta, void *y, I y_step)  \
    {                                                                                                       \
        return symv_run(handle, TYPE, kind, fill, n, alpha, a, leading, x, x_step, beta, y, y_step);        \
    }
#define SYMM(name, TYPE, kind, suffix, I)                                                                  \
    CUBLAS_API int cublas##name##_v2##suffix(H, int side, int fill, I m, I n, const void *alpha,           \
                                             const void *a, I a_leading, const void *b, I b_leading,       \
                                             const void *beta, void *c, I c_leading)                       \
    {                                                                                                      \
        return symm_checked(handle, TYPE, kind, side, fill, m, n, alpha, a, a_leading, b, b_leading, beta, \
                            c, c_leading);                                                                 \
    }
#define SYRK(name, TYPE, SCALAR, hermitian, suffix, I)                                                     \
    CUBLAS_API int cublas##name##_v2##suffix(H, int fill, int operation, I n, I k, const void *alpha,      \
                                             const void *a, I a_leading, const void *beta, void *c,        \
                                             I c_leading)                                                  \
    {                                                                                                      \
        return syrk_run(handle,                                                                            \
                        &(struct rank){TYPE, fill, operation, n, k, a_leading, a_leading, c_leading, a, a, \
                                       c, hermitian},                                                      \
                        alpha, SCALAR, beta, SCALAR);                                                      \
    }
#define SYRKX(name, TYPE, BETA, hermitian, suffix, I)                                                      \
    CUBLAS_API int cublas##name##suffix(H, int fill, int operation, I n, I k, const void *alpha,           \
                                        const void *a, I a_leading, const void *b, I b_leading,            \
                                        const void *beta, void *c, I c_leading)                            \
    {                                                                                                      \
        return syrk_run(handle,                                                                            \
                        &(struct rank){TYPE, fill, operation, n, k, a_leading, b_leading, c_leading, a, b, \
                                       c, hermitian},                                                      \
                        alpha, TYPE, beta, BETA);                                                          \
    }
#define SYR2K(name, TYPE, BETA, hermitian, suffix, I)                                                       \
    CUBLAS_API int cublas##name##_v2##suffix(H, int fill, int operation, I n, I k, const void *alpha,       \
                                             const void *a, I a_leading, const void *b, I b_leading,        \
                                             const void *beta, void *c, I c_leading)                        \
    {                                                                                                       \
        return syr2k_run(handle,                                                                            \
                         &(struct rank){TYPE, fill, operation, n, k, a_leading, b_leading, c_leading, a, b, \
                                        c, hermitian},                                                      \
                         alpha, beta, BETA);                                                                \
    }
#define OF_TYPE(L, TYPE, suffix, I)                                                                          \
    GEMV(L, TYPE, suffix, I)                                                                                 \
    SYMV(L##symv, TYPE, KIND_SYMMETRIC, suffix, I)                                                           \
    SYMM(L##symm, TYPE, KIND_SYMMETRIC, suffix, I)                                                           \
    SYR(L##syr, TYPE, TYPE, false, suffix, I)                                                                \
    SYR2(L##syr2, TYPE, false, suffix, I)                                                                    \
    SYRK(L##syrk, TYPE, TYPE, false, suffix, I)                                                              \
    SYR2K(L##syr2k, TYPE, TYPE, false, suffix, I)                                                            \
    SYRKX(L##syrkx, TYPE, TYPE, false, suffix, I)                                                            \
    CUBLAS_API int cublas##L##geam##suffix(H, int a_operation, int b_operation, I m, I n, const void *alpha, \
                                           const void *a, I a_leading, const void *beta, const void *b,      \
                                           I b_leading, void *c, I c_leading)                                \
    {                                                                                                        \
        return geam_run(handle, TYPE, a_operation, b_operation, m, n, alpha, a, a_leading, beta, b,          \
                        b_leading, c, c_leading);                                                            \
    }                                                                                                        \
    CUBLAS_API int cublas##L##dgmm##suffix(H, int side, I m, I n, const void *a, I a_leading, const void *x, \
                                           I x_step, void *c, I c_leading)                                   \
    {                                                                                                        \
        return dgmm_run(handle, TYPE, side, m, n, a, a_leading, x, x_step, c, c_leading);                    \
    }                                                                                                        \
    CUBLAS_API int cublas##L##trmm_v2##suffix(H, int side, int fill, int operation, int diagonal, I m, I n,  \
                                              const void *alpha, const void *a, I a_leading, const void *b,  \
                                              I b_leading, void *c, I c_leading)                             \
    {                                                                                                        \
        return trmm_run(handle,                                                                              \
                        &(struct triangle){TYPE, side, fill, operation, diagonal, m, n, a_leading,           \
                                           b_leading, c_leading, 1, a, b, c, false},                         \
                        alpha);                                                                              \
    }                                                                                                        \
    CUBLAS_API int cublas##L##trsm_v2##suffix(H, int side, int fill, int operation, int diagonal, I m, I n,  \
                                              const void *alpha, const void *a, I a_leading, void *b,        \
                                              I b_leading)                                                   \
    {                                                                                                        \
        return trsm_run(handle,                                                                              \
                        &(struct triangle){TYPE, side, fill, operation, diagonal, m, n, a_leading,           \
                                           b_leading, b_leading, 1, a, b, b, false},                         \
                        alpha);                                                                              \
    }                                                                                                        \
    CUBLAS_API int cublas##L##trsmBatched##suffix(H, int side, int fill, int operation, int diagonal, I m,   \
                                                  I n, const void *alpha, const void *a, I a_leading,        \
                                                  void *b, I b_leading, I batches)                           \
    {                                                                                                        \
        return trsm_run(handle,                                                                              \
                        &(struct triangle){TYPE, side, fill, operation, diagonal, m, n, a_leading,           \
                                           b_leading, b_leading, batches, a, b, b, true},                    \
                        alpha);                                                                              \
    }                                                                                                        \
    CUBLAS_API int cublas##L##trsv_v2##suffix(H, int fill, int operation, int diagonal, I n, const void *a,  \
                                              I leading, void *x, I x_step)                                  \
    {                                                                                                        \
        return trsv_run(handle, true,                                                                        \
                        (struct triangle){.type = TYPE,                                                      \
                                          .fill = fill,                                                      \
                                          .operation = operation,                                            \
                                          .diagonal = diagonal,                                              \
                                          .m = n,                                                            \
                                          .a_leading = leading,                                              \
                                          .a = a},                                                           \
                        x, x_step);                                                                          \
    }                                                                                                        \
    CUBLAS_API int cublas##L##trmv_v2##suffix(H, int fill, int operation, int diagonal, I n, const void *a,  \
                                              I leading, void *x, I x_step)                                  \
    {                                                                                                        \
        return trsv_run(handle, false,                                                                       \
                        (struct triangle){.type = TYPE,                                                      \
                                          .fill = fill,                                                      \
                                          .operation = operation,                                            \
                                          .diagonal = diagonal,                                              \
                                          .m = n,                                                            \
                                          .a_leading = leading,                                              \
                                          .a = a},                                                           \
                        x, x_step);                                                                          \
    }
#define ALL(suffix, I)                             \
    OF_TYPE(S, TYPE_S, suffix, I)                  \
    OF_TYPE(D, TYPE_D, suffix, I)                  \
    OF_TYPE(C, TYPE_C, suffix, I)                  \
    OF_TYPE(Z, TYPE_Z, suffix, I)                  \
    GER(Sger, TYPE_S, false, suffix, I)            \
    GER(Dger, TYPE_D, false, suffix, I)            \
    GER(Cgeru, TYPE_C, false, suffix, I)           \
    GER(Cgerc, TYPE_C, true, suffix, I)            \
    GER(Zgeru, TYPE_Z, false, suffix, I)           \
    GER(Zgerc, TYPE_Z, true, suffix, I)            \
    SYMV(Chemv, TYPE_C, KIND_HERMITIAN, suffix, I) \
    SYMV(Zhemv, TYPE_Z, KIND_HERMITIAN, suffix, I) \
    SYMM(Chemm, TYPE_C, KIND_HERMITIAN, suffix, I) \
    SYMM(Zhemm, TYPE_Z, KIND_HERMITIAN, suffix, I) \
    SYR(Cher, TYPE_C, TYPE_S, true, suffix, I)     \
    SYR(Zher, TYPE_Z, TYPE_D, true, suffix, I)     \
    SYR2(Cher2, TYPE_C, true, suffix, I)           \
    SYR2(Zher2, TYPE_Z, true, suffix, I)           \
    SYRK(Cherk, TYPE_C, TYPE_S, true, suffix, I)   \
    SYRK(Zherk, TYPE_Z, TYPE_D, true, suffix, I)   \
    SYR2K(Cher2k, TYPE_C, TYPE_S, true, suffix, I) \
    SYR2K(Zher2k, TYPE_Z, TYPE_D, true, suffix, I) \
    SYRKX(Cherkx, TYPE_C, TYPE_S, true, suffix, I) \
    SYRKX(Zherkx, TYPE_Z, TYPE_D, true, suffix, I)
ALL(, int)
ALL(_64, int64_t)
