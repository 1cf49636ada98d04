/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors: one kernel for each function and type. A reduction has two kernels: a partial result of each
 * block, then one block over these. If its result is wanted by the host, the call waits for it.
 */
#include "standin/libraries/cublas/cublas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define THREADS 256
#define BLOCKS_MOST 2048
#define PARTIALS_MOST 256
#define RESULT_BYTES 16

static unsigned blocks_for(int64_t n, int64_t per_block, unsigned most)
{
    int64_t blocks = (n + per_block - 1) / per_block;

    return blocks < 1 ? 1 : blocks > most ? most : (unsigned)blocks;
}

static int each_run(const struct cublasContext *handle, const char *function, const char *type,
                    const struct work_vectors *work)
{
    char name[32];

    snprintf(name, sizeof name, "%s_%s", function, type);
    return (int)kernel_launch(handle->stream, name, blocks_for(work->n, THREADS, BLOCKS_MOST), 1, 1, THREADS,
                              work);
}

/* A type that functions for some types alone do not have is refused by the name of the function. */
static const struct blas_type *type_given(const char *function, int type, bool computed)
{
    const struct blas_type *found = blas_type(type);

    if (!found || (computed && !found->computed)) {
        char text[100];
        snprintf(text, sizeof text, "%s with elements of the type %d", function, type);
        blas_refuse(text);
    }
    return found;
}

static int vectors_missing(const struct cublasContext *handle, int64_t n, const void *x, const void *y)
{
    return !handle ? BLAS_NOT_INITIALIZED : n > 0 && (!x || !y) ? BLAS_INVALID_VALUE : BLAS_SUCCESS;
}

/* ---- element by element ---- */
static int axpy_run(const struct cublasContext *handle, int64_t n, const void *alpha, int alpha_type,
                    const void *x, int x_type, int64_t x_step, void *y, int y_type, int64_t y_step)
{
    int status = !handle  ? BLAS_NOT_INITIALIZED
                 : !alpha ? BLAS_INVALID_VALUE
                          : vectors_missing(handle, n, x, y);

    if (status || n <= 0)
        return status;
    if (x_type != y_type)
        return BLAS_NOT_SUPPORTED;
    const struct work_vectors work = {.n = n,
                                      .x = x,
                                      .x_step = x_step,
                                      .y = y,
                                      .y_step = y_step,
                                      .alpha = scalar_given(handle->pointer_mode, alpha, alpha_type)};
    return each_run(handle, "axpy", type_given("cublasAxpyEx", x_type, false)->letter, &work);
}

static int scal_run(const struct cublasContext *handle, int64_t n, const void *alpha, int alpha_type, void *x,
                    int type, int64_t step)
{
    int status = !handle  ? BLAS_NOT_INITIALIZED
                 : !alpha ? BLAS_INVALID_VALUE
                          : vectors_missing(handle, n, x, x);

    if (status || n <= 0 || step <= 0)
        return status;
    const struct work_vectors work = {
        .n = n, .y = x, .y_step = step, .alpha = scalar_given(handle->pointer_mode, alpha, alpha_type)};
    return each_run(handle, "scal", type_given("cublasScalEx", type, false)->letter, &work);
}

static int move_run(const struct cublasContext *handle, const char *function, size_t bytes, int64_t n,
                    const void *x, int64_t x_step, void *y, int64_t y_step)
{
    int status = vectors_missing(handle, n, x, y);
    char size[8];

    if (status || n <= 0)
        return status;
    const struct work_vectors work = {.n = n, .x = x, .x_step = x_step, .y = y, .y_step = y_step};
    snprintf(size, sizeof size, "%zu", bytes);
    return each_run(handle, function, size, &work);
}

static int rot_run(const struct cublasContext *handle, int type, int64_t n, void *x, int64_t x_step, void *y,
                   int64_t y_step, const void *cosine, int cosine_type, const void *sine, int sine_type)
{
    int status = !handle            ? BLAS_NOT_INITIALIZED
                 : !cosine || !sine ? BLAS_INVALID_VALUE
                                    : vectors_missing(handle, n, x, y);

    if (status || n <= 0)
        return status;
    const struct work_vectors work = {.n = n,
                                      .x = x,
                                      .x_step = x_step,
                                      .y = y,
                                      .y_step = y_step,
                                      .alpha = scalar_given(handle->pointer_mode, cosine, cosine_type),
                                      .beta = scalar_given(handle->pointer_mode, sine, sine_type)};
    return each_run(handle, "rot", type_given("cublasRotEx", type, true)->letter, &work);
}

static int rotm_run(struct cublasContext *handle, const struct blas_type *type, int64_t n, void *x,
                    int64_t x_step, void *y, int64_t y_step, const void *parameters)
{
    int status = !handle       ? BLAS_NOT_INITIALIZED
                 : !parameters ? BLAS_INVALID_VALUE
                               : vectors_missing(handle, n, x, y);
    struct work_vectors work = {
        .n = n, .x = x, .x_step = x_step, .y = y, .y_step = y_step, .other = parameters};

    if (status || n <= 0)
        return status;
    if (handle->pointer_mode == POINTERS_HOST) {
        work.other = handle->scratch;
        if (cudaMemcpyAsync(handle->scratch, parameters, 5 * type->bytes, cudaMemcpyHostToDevice,
                            handle->stream) != cudaSuccess)
            return BLAS_EXECUTION_FAILED;
    }
    return each_run(handle, "rotm", type->letter, &work);
}

/* ---- reductions ---- */
static size_t result_bytes(int type)
{
    const struct blas_type *found = blas_type(type);

    return type == TYPE_I32 ? 4 : type == TYPE_I64 ? 8 : found->bytes;
}

/* The result of no elements. */
static int result_clear(const struct cublasContext *handle, void *result, int type)
{
    if (handle->pointer_mode == POINTERS_HOST)
        memset(result, 0, result_bytes(type));
    else if (cudaMemsetAsync(result, 0, result_bytes(type), handle->stream) != cudaSuccess)
        return BLAS_EXECUTION_FAILED;
    return BLAS_SUCCESS;
}

static int reduction_run(struct cublasContext *handle, const char *function, const char *type,
                         struct work_vectors *work, void *result, int result_type)
{
    const unsigned blocks = blocks_for(work->n, (int64_t)THREADS * 4, PARTIALS_MOST);
    const bool wait = handle->pointer_mode == POINTERS_HOST;
    char name[32], last[40];

    snprintf(name, sizeof name, "%s_%s", function, type);
    snprintf(last, sizeof last, "%s_last", name);
    work->partial = (char *)handle->scratch + RESULT_BYTES;
    work->partials = blocks;
    work->result = wait ? handle->scratch : result;
    work->result_type = result_type;
    enum blas_status status = kernel_launch(handle->stream, name, blocks, 1, 1, THREADS, work);
    if (status == BLAS_SUCCESS && blocks > 1)
        status = kernel_launch(handle->stream, last, 1, 1, 1, THREADS, work);
    if (status == BLAS_SUCCESS && wait &&
        (cudaMemcpyAsync(result, handle->scratch, result_bytes(result_type), cudaMemcpyDeviceToHost,
                         handle->stream) != cudaSuccess ||
         cudaStreamSynchronize(handle->stream) != cudaSuccess))
        status = BLAS_EXECUTION_FAILED;
    return (int)status;
}

static int dot_run(struct cublasContext *handle, int64_t n, const void *x, int x_type, int64_t x_step,
                   const void *y, int y_type, int64_t y_step, void *result, int result_type, bool conjugate)
{
    int status = !handle   ? BLAS_NOT_INITIALIZED
                 : !result ? BLAS_MAPPING_ERROR
                           : vectors_missing(handle, n, x, y);

    if (status)
        return status;
    if (x_type != y_type || x_type != result_type)
        return BLAS_NOT_SUPPORTED;
    const struct blas_type *type = type_given("cublasDotEx", x_type, false);
    if (n <= 0)
        return result_clear(handle, result, result_type);
    struct work_vectors work = {.n = n,
                                .x = x,
                                .x_step = x_step,
                                .y = (void *)(uintptr_t)y,
                                .y_step = y_step,
                                .conjugate = conjugate};
    return reduction_run(handle, "dot", type->letter, &work, result, result_type);
}

/* function: nrm2, asum, amax. */
static int size_run(struct cublasContext *handle, const char *function, int64_t n, const void *x, int x_type,
                    int64_t step, void *result, int result_type, bool smallest)
{
    int status = !handle   ? BLAS_NOT_INITIALIZED
                 : !result ? BLAS_INVALID_VALUE
                           : vectors_missing(handle, n, x, x);

    if (status)
        return status;
    const struct blas_type *type = type_given(function, x_type, *function == 'a' && function[1] == 'm');
    if (n <= 0 || step <= 0)
        return result_clear(handle, result, result_type);
    struct work_vectors work = {.n = n, .x = x, .x_step = step, .smallest = smallest};
    return reduction_run(handle, function, type->letter, &work, result, result_type);
}

/* ---- the functions ---- */
#define AXPY(L, TYPE, suffix, I)                                                                    \
    CUBLAS_API int cublas##L##axpy_v2##suffix(struct cublasContext *handle, I n, const void *alpha, \
                                              const void *x, I x_step, void *y, I y_step)           \
    {                                                                                               \
        return axpy_run(handle, n, alpha, TYPE, x, TYPE, x_step, y, TYPE, y_step);                  \
    }
#define SCAL(L, TYPE, ALPHA, suffix, I)                                                                      \
    CUBLAS_API int cublas##L##scal_v2##suffix(struct cublasContext *handle, I n, const void *alpha, void *x, \
                                              I x_step)                                                      \
    {                                                                                                        \
        return scal_run(handle, n, alpha, ALPHA, x, TYPE, x_step);                                           \
    }
#define MOVE(L, bytes, suffix, I)                                                                            \
    CUBLAS_API int cublas##L##copy_v2##suffix(struct cublasContext *handle, I n, const void *x, I x_step,    \
                                              void *y, I y_step)                                             \
    {                                                                                                        \
        return move_run(handle, "copy", bytes, n, x, x_step, y, y_step);                                     \
    }                                                                                                        \
    CUBLAS_API int cublas##L##swap_v2##suffix(struct cublasContext *handle, I n, void *x, I x_step, void *y, \
                                              I y_step)                                                      \
    {                                                                                                        \
        return move_run(handle, "swap", bytes, n, x, x_step, y, y_step);                                     \
    }
#define ROT(L, TYPE, COSINE, SINE, suffix, I)                                                               \
    CUBLAS_API int cublas##L##rot_v2##suffix(struct cublasContext *handle, I n, void *x, I x_step, void *y, \
                                             I y_step, const void *cosine, const void *sine)                \
    {                                                                                                       \
        return rot_run(handle, TYPE, n, x, x_step, y, y_step, cosine, COSINE, sine, SINE);                  \
    }
#define ROTM(L, TYPE, suffix, I)                                                                             \
    CUBLAS_API int cublas##L##rotm_v2##suffix(struct cublasContext *handle, I n, void *x, I x_step, void *y, \
                                              I y_step, const void *parameters)                              \
    {                                                                                                        \
        return rotm_run(handle, blas_type(TYPE), n, x, x_step, y, y_step, parameters);                       \
    }
#define DOT(name, TYPE, conjugate, suffix, I)                                                            \
    CUBLAS_API int cublas##name##_v2##suffix(struct cublasContext *handle, I n, const void *x, I x_step, \
                                             const void *y, I y_step, void *result)                      \
    {                                                                                                    \
        return dot_run(handle, n, x, TYPE, x_step, y, TYPE, y_step, result, TYPE, conjugate);            \
    }
#define SIZE(name, function, TYPE, RESULT, smallest, suffix, I)                                          \
    CUBLAS_API int cublas##name##_v2##suffix(struct cublasContext *handle, I n, const void *x, I x_step, \
                                             void *result)                                               \
    {                                                                                                    \
        return size_run(handle, #function, n, x, TYPE, x_step, result, RESULT, smallest);                \
    }
#define ALL(suffix, I, INDEX)                                                                                \
    AXPY(S, TYPE_S, suffix, I)                                                                               \
    AXPY(D, TYPE_D, suffix, I)                                                                               \
    AXPY(C, TYPE_C, suffix, I)                                                                               \
    AXPY(Z, TYPE_Z, suffix, I)                                                                               \
    SCAL(S, TYPE_S, TYPE_S, suffix, I)                                                                       \
    SCAL(D, TYPE_D, TYPE_D, suffix, I)                                                                       \
    SCAL(C, TYPE_C, TYPE_C, suffix, I)                                                                       \
    SCAL(Z, TYPE_Z, TYPE_Z, suffix, I)                                                                       \
    SCAL(Cs, TYPE_C, TYPE_S, suffix, I)                                                                      \
    SCAL(Zd, TYPE_Z, TYPE_D, suffix, I)                                                                      \
    MOVE(S, 4, suffix, I)                                                                                    \
    MOVE(D, 8, suffix, I)                                                                                    \
    MOVE(C, 8, suffix, I)                                                                                    \
    MOVE(Z, 16, suffix, I)                                                                                   \
    ROT(S, TYPE_S, TYPE_S, TYPE_S, suffix, I)                                                                \
    ROT(D, TYPE_D, TYPE_D, TYPE_D, suffix, I)                                                                \
    ROT(C, TYPE_C, TYPE_S, TYPE_C, suffix, I)                                                                \
    ROT(Z, TYPE_Z, TYPE_D, TYPE_Z, suffix, I)                                                                \
    ROT(Cs, TYPE_C, TYPE_S, TYPE_S, suffix, I)                                                               \
    ROT(Zd, TYPE_Z, TYPE_D, TYPE_D, suffix, I)                                                               \
    ROTM(S, TYPE_S, suffix, I)                                                                               \
    ROTM(D, TYPE_D, suffix, I)                                                                               \
    DOT(Sdot, TYPE_S, false, suffix, I)                                                                      \
    DOT(Ddot, TYPE_D, false, suffix, I)                                                                      \
    DOT(Cdotu, TYPE_C, false, suffix, I)                                                                     \
    DOT(Cdotc, TYPE_C, true, suffix, I)                                                                      \
    DOT(Zdotu, TYPE_Z, false, suffix, I)                                                                     \
    DOT(Zdotc, TYPE_Z, true, suffix, I)                                                                      \
    SIZE(Snrm2, nrm2, TYPE_S, TYPE_S, false, suffix, I)                                                      \
    SIZE(Dnrm2, nrm2, TYPE_D, TYPE_D, false, suffix, I)                                                      \
    SIZE(Scnrm2, nrm2, TYPE_C, TYPE_S, false, suffix, I)                                                     \
    SIZE(Dznrm2, nrm2, TYPE_Z, TYPE_D, false, suffix, I)                                                     \
    SIZE(Sasum, asum, TYPE_S, TYPE_S, false, suffix, I)                                                      \
    SIZE(Dasum, asum, TYPE_D, TYPE_D, false, suffix, I)                                                      \
    SIZE(Scasum, asum, TYPE_C, TYPE_S, false, suffix, I)                                                     \
    SIZE(Dzasum, asum, TYPE_Z, TYPE_D, false, suffix, I)                                                     \
    SIZE(Isamax, amax, TYPE_S, INDEX, false, suffix, I)                                                      \
    SIZE(Idamax, amax, TYPE_D, INDEX, false, suffix, I)                                                      \
    SIZE(Icamax, amax, TYPE_C, INDEX, false, suffix, I)                                                      \
    SIZE(Izamax, amax, TYPE_Z, INDEX, false, suffix, I)                                                      \
    SIZE(Isamin, amax, TYPE_S, INDEX, true, suffix, I)                                                       \
    SIZE(Idamin, amax, TYPE_D, INDEX, true, suffix, I)                                                       \
    SIZE(Icamin, amax, TYPE_C, INDEX, true, suffix, I)                                                       \
    SIZE(Izamin, amax, TYPE_Z, INDEX, true, suffix, I)                                                       \
    CUBLAS_API int cublasAxpyEx##suffix(struct cublasContext *handle, I n, const void *alpha,                \
                                        int alpha_type, const void *x, int x_type, I x_step, void *y,        \
                                        int y_type, I y_step, int compute)                                   \
    {                                                                                                        \
        (void)compute;                                                                                       \
        return axpy_run(handle, n, alpha, alpha_type, x, x_type, x_step, y, y_type, y_step);                 \
    }                                                                                                        \
    CUBLAS_API int cublasScalEx##suffix(struct cublasContext *handle, I n, const void *alpha,                \
                                        int alpha_type, void *x, int type, I step, int compute)              \
    {                                                                                                        \
        (void)compute;                                                                                       \
        return scal_run(handle, n, alpha, alpha_type, x, type, step);                                        \
    }                                                                                                        \
    CUBLAS_API int cublasDotEx##suffix(struct cublasContext *handle, I n, const void *x, int x_type,         \
                                       I x_step, const void *y, int y_type, I y_step, void *result,          \
                                       int result_type, int compute)                                         \
    {                                                                                                        \
        (void)compute;                                                                                       \
        return dot_run(handle, n, x, x_type, x_step, y, y_type, y_step, result, result_type, false);         \
    }                                                                                                        \
    CUBLAS_API int cublasDotcEx##suffix(struct cublasContext *handle, I n, const void *x, int x_type,        \
                                        I x_step, const void *y, int y_type, I y_step, void *result,         \
                                        int result_type, int compute)                                        \
    {                                                                                                        \
        (void)compute;                                                                                       \
        return dot_run(handle, n, x, x_type, x_step, y, y_type, y_step, result, result_type, true);          \
    }                                                                                                        \
    CUBLAS_API int cublasNrm2Ex##suffix(struct cublasContext *handle, I n, const void *x, int type, I step,  \
                                        void *result, int result_type, int compute)                          \
    {                                                                                                        \
        (void)compute;                                                                                       \
        return size_run(handle, "nrm2", n, x, type, step, result, result_type, false);                       \
    }                                                                                                        \
    CUBLAS_API int cublasAsumEx##suffix(struct cublasContext *handle, I n, const void *x, int type, I step,  \
                                        void *result, int result_type, int compute)                          \
    {                                                                                                        \
        (void)compute;                                                                                       \
        return size_run(handle, "asum", n, x, type, step, result, result_type, false);                       \
    }                                                                                                        \
    CUBLAS_API int cublasIamaxEx##suffix(struct cublasContext *handle, I n, const void *x, int type, I step, \
                                         void *result)                                                       \
    {                                                                                                        \
        return size_run(handle, "amax", n, x, type, step, result, INDEX, false);                             \
    }                                                                                                        \
    CUBLAS_API int cublasIaminEx##suffix(struct cublasContext *handle, I n, const void *x, int type, I step, \
                                         void *result)                                                       \
    {                                                                                                        \
        return size_run(handle, "amax", n, x, type, step, result, INDEX, true);                              \
    }                                                                                                        \
    CUBLAS_API int cublasCopyEx##suffix(struct cublasContext *handle, I n, const void *x, int x_type,        \
                                        I x_step, void *y, int y_type, I y_step)                             \
    {                                                                                                        \
        if (x_type != y_type)                                                                                \
            return BLAS_NOT_SUPPORTED;                                                                       \
        return move_run(handle, "copy", type_given("cublasCopyEx", x_type, false)->bytes, n, x, x_step, y,   \
                        y_step);                                                                             \
    }
ALL(, int, TYPE_I32)
ALL(_64, int64_t, TYPE_I64)

/* A rotation that makes b zero, as the reference BLAS has it; of the host's scalars. */
#define ROTG(L, T, hypotenuse, absolute, sign)                                                      \
    CUBLAS_API int cublas##L##rotg_v2(struct cublasContext *handle, T *a, T *b, T *cosine, T *sine) \
    {                                                                                               \
        if (!handle)                                                                                \
            return BLAS_NOT_INITIALIZED;                                                            \
        if (handle->pointer_mode == POINTERS_DEVICE)                                                \
            blas_refuse("cublas" #L "rotg with the device's scalars");                              \
        if (!a || !b || !cosine || !sine)                                                           \
            return BLAS_INVALID_VALUE;                                                              \
        const T large = absolute(*a) > absolute(*b) ? *a : *b, r = sign(hypotenuse(*a, *b), large); \
        T z = 1;                                                                                    \
        *cosine = r == 0 ? 1 : *a / r;                                                              \
        *sine = r == 0 ? 0 : *b / r;                                                                \
        if (absolute(*a) > absolute(*b))                                                            \
            z = *sine;                                                                              \
        else if (*cosine != 0 && r != 0)                                                            \
            z = 1 / *cosine;                                                                        \
        *a = r;                                                                                     \
        *b = r == 0 ? 0 : z;                                                                        \
        return BLAS_SUCCESS;                                                                        \
    }
ROTG(S, float, hypotf, fabsf, copysignf)
ROTG(D, double, hypot, fabs, copysign)
