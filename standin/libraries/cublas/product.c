/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices: all of them are one kernel, lanescope_gemm_TYPE, over matrices of any strides, so
 * that a transposition, a side and a row-major order are exchanges of strides. A matrix of which half is
 * stored is a kind of operand; a result of which half is stored is a part.
 */
#include "standin/libraries/cublas/cublas.h"

#include <stdio.h>
#include <string.h>

#define BATCHES_MOST 65535
#define SMALL 32 /* up to this size the tiles of 16 x 16 are used */

/* ---- types ---- */
static bool compute_is_single(int compute)
{
    return compute == COMPUTE_32F || compute == COMPUTE_32F_PEDANTIC ||
           (compute >= COMPUTE_FAST_16F && compute <= COMPUTE_FAST_TF32);
}

int product_scale_type(int compute, int a)
{
    switch (compute) {
    case COMPUTE_16F:
    case COMPUTE_16F_PEDANTIC: return TYPE_H;
    case COMPUTE_32I:
    case COMPUTE_32I_PEDANTIC: return TYPE_I32;
    case COMPUTE_64F:
    case COMPUTE_64F_PEDANTIC: return a == TYPE_Z ? TYPE_Z : TYPE_D;
    default: return a == TYPE_C ? TYPE_C : TYPE_S;
    }
}

const char *product_kernel(struct work_product *work, int a, int b, int c, int compute)
{
    static const struct {
        int a, c, scale;
        const char *letters;
    } rows[] = {
        {TYPE_S, TYPE_S, TYPE_S, "s"},      {TYPE_C, TYPE_C, TYPE_C, "c"},   {TYPE_D, TYPE_D, TYPE_D, "d"},
        {TYPE_Z, TYPE_Z, TYPE_Z, "z"},      {TYPE_H, TYPE_H, TYPE_H, "h"},   {TYPE_H, TYPE_H, TYPE_S, "h"},
        {TYPE_H, TYPE_S, TYPE_S, "hs"},     {TYPE_B, TYPE_B, TYPE_S, "b"},   {TYPE_B, TYPE_S, TYPE_S, "bs"},
        {TYPE_I8, TYPE_I32, TYPE_I32, "i"}, {TYPE_I8, TYPE_S, TYPE_S, "is"},
    };
    const int scale = product_scale_type(compute, a);
    char text[120];

    work->rounding = compute == COMPUTE_FAST_TF32   ? ROUND_TF32
                     : compute == COMPUTE_FAST_16F  ? ROUND_HALF
                     : compute == COMPUTE_FAST_16BF ? ROUND_BFLOAT
                                                    : ROUND_NOT;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (a == b && rows[i].a == a && rows[i].c == c && rows[i].scale == scale &&
            (scale != TYPE_S || compute_is_single(compute)))
            return rows[i].letters;
    if (a <= TYPE_Z || a == TYPE_B)
        return NULL;
    snprintf(text, sizeof text, "a matrix product of the types %d and %d to %d by compute type %d", a, b, c,
             compute);
    blas_refuse(text); /* 8-bit and 4-bit floats, complex integers */
}

/* ---- running ---- */
static void product_turn(struct work_product *work)
{
    struct work_matrix *const matrices[] = {&work->a, &work->b, &work->c, &work->d}, kept = work->a;
    const long long m = work->m;

    work->a = work->b;
    work->b = kept;
    work->m = work->n;
    work->n = m;
    for (size_t i = 0; i < 4; i++) {
        const long long row = matrices[i]->row;
        matrices[i]->row = matrices[i]->column;
        matrices[i]->column = row;
        matrices[i]->lower = !matrices[i]->lower;
    }
    work->part = work->part == PART_LOWER ? PART_UPPER : work->part == PART_UPPER ? PART_LOWER : PART_ALL;
}

enum blas_status product_run(cudaStream_t stream, const char *kernel, struct work_product *work,
                             int64_t batches)
{
    char name[32];

    if (work->n > work->m && !work->bias && !work->aux && work->n > (int64_t)BATCHES_MOST * 16)
        product_turn(work); /* the grid's y has no room for more */
    const bool small = work->m <= SMALL || work->n <= SMALL;
    const int64_t tile = small ? 16 : 64;
    const int64_t x = (work->m + tile - 1) / tile, y = (work->n + tile - 1) / tile;
    enum blas_status status = BLAS_SUCCESS;

    snprintf(name, sizeof name, "gemm_%s%s", kernel, small ? "_small" : "");
    if (work->m == 0 || work->n == 0)
        return BLAS_SUCCESS;
    if (x > INT32_MAX || y > BATCHES_MOST)
        return BLAS_INVALID_VALUE;
    for (work->first = 0; work->first < batches && status == BLAS_SUCCESS; work->first += BATCHES_MOST) {
        int64_t rest = batches - work->first;
        status = kernel_launch(stream, name, (unsigned)x, (unsigned)y,
                               (unsigned)(rest < BATCHES_MOST ? rest : BATCHES_MOST), 256, work);
    }
    return status;
}

/* ---- gemm ---- */
struct gemm { /* the arguments of the functions */
    int a_operation, b_operation;
    int64_t m, n, k, batches;
    const void *alpha, *beta, *a, *b;
    void *c;
    int a_type, b_type, c_type, compute;
    int64_t a_leading, b_leading, c_leading, a_batch, b_batch, c_batch;
    bool pointers; /* a, b and c are arrays of pointers */
};

static int64_t at_least_one(int64_t value)
{
    return value > 1 ? value : 1;
}

static bool is_turned(int operation)
{
    return operation == OP_T || operation == OP_C;
}

/* Conjugated without being transposed: of real numbers an H200 takes it for wrong. */
static bool is_plain_conjugate(int operation, int type)
{
    return operation == OP_CONJUGATE && blas_type(type) && blas_type(type)->real == type;
}

static bool gemm_is_valid(const struct gemm *gemm)
{
    return operation_is_valid(gemm->a_operation) && operation_is_valid(gemm->b_operation) &&
           !is_plain_conjugate(gemm->a_operation, gemm->a_type) &&
           !is_plain_conjugate(gemm->b_operation, gemm->b_type) && gemm->m >= 0 && gemm->n >= 0 &&
           gemm->k >= 0 && gemm->batches >= 0 &&
           gemm->a_leading >= at_least_one(is_turned(gemm->a_operation) ? gemm->k : gemm->m) &&
           gemm->b_leading >= at_least_one(is_turned(gemm->b_operation) ? gemm->n : gemm->k) &&
           gemm->c_leading >= at_least_one(gemm->m) && gemm->alpha && gemm->beta;
}

static int gemm_run(const struct cublasContext *handle, const struct gemm *gemm)
{
    struct work_product work = {.m = gemm->m, .n = gemm->n, .k = gemm->k};
    int compute = gemm->compute;

    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if (!gemm_is_valid(gemm))
        return BLAS_INVALID_VALUE;
    if (compute == COMPUTE_32F && (handle->math_mode & MATH_MASK) == MATH_TF32 &&
        (gemm->a_type == TYPE_S || gemm->a_type == TYPE_C))
        compute = COMPUTE_FAST_TF32;
    const char *kernel = product_kernel(&work, gemm->a_type, gemm->b_type, gemm->c_type, compute);
    if (!kernel)
        return BLAS_NOT_SUPPORTED;
    if (gemm->m == 0 || gemm->n == 0 || gemm->batches == 0)
        return BLAS_SUCCESS;
    if (!gemm->c || (gemm->k > 0 && (!gemm->a || !gemm->b)))
        return BLAS_INVALID_VALUE;
    const int scale = product_scale_type(compute, gemm->a_type);
    work.alpha = scalar_given(handle->pointer_mode, gemm->alpha, scale);
    work.beta = scalar_given(handle->pointer_mode, gemm->beta, scale);
    work.a = matrix_given(gemm->a, gemm->a_leading, gemm->a_operation, gemm->a_batch);
    work.b = matrix_given(gemm->b, gemm->b_leading, gemm->b_operation, gemm->b_batch);
    work.c = matrix_given(gemm->c, gemm->c_leading, OP_N, gemm->c_batch);
    work.a.pointers = work.b.pointers = work.c.pointers = gemm->pointers;
    work.d = work.c;
    return (int)product_run(handle->stream, kernel, &work, gemm->batches);
}

#define GEMM_HEAD struct cublasContext *handle, int a_operation, int b_operation
#define GEMM_COMMON                                                                                         \
    .a_operation = a_operation, .b_operation = b_operation, .m = m, .n = n, .k = k, .alpha = alpha, .a = a, \
    .a_leading = a_leading, .b = b, .b_leading = b_leading, .beta = beta, .c = c, .c_leading = c_leading
#define GEMM_TYPED(TYPE, COMPUTE) .a_type = TYPE, .b_type = TYPE, .c_type = TYPE, .compute = COMPUTE
#define GEMM_EX .a_type = a_type, .b_type = b_type, .c_type = c_type, .compute = compute

#define GEMM(name, TYPE, COMPUTE, suffix, I)                                                                \
    CUBLAS_API int cublas##name##suffix(GEMM_HEAD, I m, I n, I k, const void *alpha, const void *a,         \
                                        I a_leading, const void *b, I b_leading, const void *beta, void *c, \
                                        I c_leading)                                                        \
    {                                                                                                       \
        return gemm_run(handle, &(struct gemm){GEMM_COMMON, GEMM_TYPED(TYPE, COMPUTE), .batches = 1});      \
    }
#define GEMM_STRIDED(L, TYPE, COMPUTE, suffix, I)                                                            \
    CUBLAS_API int cublas##L##gemmStridedBatched##suffix(                                                    \
        GEMM_HEAD, I m, I n, I k, const void *alpha, const void *a, I a_leading, long long a_batch,          \
        const void *b, I b_leading, long long b_batch, const void *beta, void *c, I c_leading,               \
        long long c_batch, I batches)                                                                        \
    {                                                                                                        \
        return gemm_run(handle, &(struct gemm){GEMM_COMMON, GEMM_TYPED(TYPE, COMPUTE), .batches = batches,   \
                                               .a_batch = a_batch, .b_batch = b_batch, .c_batch = c_batch}); \
    }
#define GEMM_POINTERS(L, TYPE, COMPUTE, suffix, I)                                                         \
    CUBLAS_API int cublas##L##gemmBatched##suffix(GEMM_HEAD, I m, I n, I k, const void *alpha,             \
                                                  const void *a, I a_leading, const void *b, I b_leading,  \
                                                  const void *beta, void *c, I c_leading, I batches)       \
    {                                                                                                      \
        return gemm_run(handle, &(struct gemm){GEMM_COMMON, GEMM_TYPED(TYPE, COMPUTE), .batches = batches, \
                                               .pointers = true});                                         \
    }
#define GEMM_ALL(suffix, I)                                                                                  \
    GEMM(Sgemm_v2, TYPE_S, COMPUTE_32F, suffix, I)                                                           \
    GEMM(Dgemm_v2, TYPE_D, COMPUTE_64F, suffix, I)                                                           \
    GEMM(Cgemm_v2, TYPE_C, COMPUTE_32F, suffix, I)                                                           \
    GEMM(Zgemm_v2, TYPE_Z, COMPUTE_64F, suffix, I)                                                           \
    GEMM(Cgemm3m, TYPE_C, COMPUTE_32F, suffix, I)                                                            \
    GEMM(Zgemm3m, TYPE_Z, COMPUTE_64F, suffix, I)                                                            \
    GEMM(Hgemm, TYPE_H, COMPUTE_16F, suffix, I)                                                              \
    GEMM_STRIDED(S, TYPE_S, COMPUTE_32F, suffix, I)                                                          \
    GEMM_STRIDED(D, TYPE_D, COMPUTE_64F, suffix, I)                                                          \
    GEMM_STRIDED(C, TYPE_C, COMPUTE_32F, suffix, I)                                                          \
    GEMM_STRIDED(Z, TYPE_Z, COMPUTE_64F, suffix, I)                                                          \
    GEMM_STRIDED(H, TYPE_H, COMPUTE_16F, suffix, I)                                                          \
    GEMM_POINTERS(S, TYPE_S, COMPUTE_32F, suffix, I)                                                         \
    GEMM_POINTERS(D, TYPE_D, COMPUTE_64F, suffix, I)                                                         \
    GEMM_POINTERS(C, TYPE_C, COMPUTE_32F, suffix, I)                                                         \
    GEMM_POINTERS(Z, TYPE_Z, COMPUTE_64F, suffix, I)                                                         \
    GEMM_POINTERS(H, TYPE_H, COMPUTE_16F, suffix, I)                                                         \
    CUBLAS_API int cublasGemmEx##suffix(GEMM_HEAD, I m, I n, I k, const void *alpha, const void *a,          \
                                        int a_type, I a_leading, const void *b, int b_type, I b_leading,     \
                                        const void *beta, void *c, int c_type, I c_leading, int compute,     \
                                        int algorithm)                                                       \
    {                                                                                                        \
        (void)algorithm;                                                                                     \
        return gemm_run(handle, &(struct gemm){GEMM_COMMON, GEMM_EX, .batches = 1});                         \
    }                                                                                                        \
    CUBLAS_API int cublasSgemmEx##suffix(GEMM_HEAD, I m, I n, I k, const void *alpha, const void *a,         \
                                         int a_type, I a_leading, const void *b, int b_type, I b_leading,    \
                                         const void *beta, void *c, int c_type, I c_leading)                 \
    {                                                                                                        \
        const int compute = COMPUTE_32F;                                                                     \
        return gemm_run(handle, &(struct gemm){GEMM_COMMON, GEMM_EX, .batches = 1});                         \
    }                                                                                                        \
    CUBLAS_API int cublasCgemmEx##suffix(GEMM_HEAD, I m, I n, I k, const void *alpha, const void *a,         \
                                         int a_type, I a_leading, const void *b, int b_type, I b_leading,    \
                                         const void *beta, void *c, int c_type, I c_leading)                 \
    {                                                                                                        \
        const int compute = COMPUTE_32F;                                                                     \
        return gemm_run(handle, &(struct gemm){GEMM_COMMON, GEMM_EX, .batches = 1});                         \
    }                                                                                                        \
    CUBLAS_API int cublasGemmBatchedEx##suffix(GEMM_HEAD, I m, I n, I k, const void *alpha, const void *a,   \
                                               int a_type, I a_leading, const void *b, int b_type,           \
                                               I b_leading, const void *beta, void *c, int c_type,           \
                                               I c_leading, I batches, int compute, int algorithm)           \
    {                                                                                                        \
        (void)algorithm;                                                                                     \
        return gemm_run(handle, &(struct gemm){GEMM_COMMON, GEMM_EX, .batches = batches, .pointers = true}); \
    }                                                                                                        \
    CUBLAS_API int cublasGemmStridedBatchedEx##suffix(                                                       \
        GEMM_HEAD, I m, I n, I k, const void *alpha, const void *a, int a_type, I a_leading,                 \
        long long a_batch, const void *b, int b_type, I b_leading, long long b_batch, const void *beta,      \
        void *c, int c_type, I c_leading, long long c_batch, I batches, int compute, int algorithm)          \
    {                                                                                                        \
        (void)algorithm;                                                                                     \
        return gemm_run(handle, &(struct gemm){GEMM_COMMON, GEMM_EX, .batches = batches, .a_batch = a_batch, \
                                               .b_batch = b_batch, .c_batch = c_batch});                     \
    }
GEMM_ALL(, int)
GEMM_ALL(_64, int64_t)
