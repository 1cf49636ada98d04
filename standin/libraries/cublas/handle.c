/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles and their modes, what the library says of itself, and copies between host and device.
 */
#include "standin/libraries/cublas/cublas.h"
#include "standin/libraries/launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH_BYTES 8192
#define VERSION 130100 /* of CUDA 13.0's cuBLAS: major, minor, patch */

typedef void logger(const char *text);

static const struct blas_type types[] = {
    {"s", TYPE_S, TYPE_S, 4, true},  {"d", TYPE_D, TYPE_D, 8, true},  {"c", TYPE_C, TYPE_S, 8, true},
    {"z", TYPE_Z, TYPE_D, 16, true}, {"h", TYPE_H, TYPE_H, 2, false}, {"b", TYPE_B, TYPE_B, 2, false},
};

const struct blas_type *blas_type(int type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

/* ---- scalars ---- */
struct work_scalar scalar_value(double re, double im)
{
    return (struct work_scalar){.re = re, .im = im};
}

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double size = exponent == 31  ? (mantissa ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(mantissa, -24)
                                  : ldexp(mantissa + 1024, exponent - 25);

    return bits & 0x8000 ? -size : size;
}

static float single_at(const void *at, size_t index)
{
    float value;

    memcpy(&value, (const char *)at + index * sizeof value, sizeof value);
    return value;
}

static double double_at(const void *at, size_t index)
{
    double value;

    memcpy(&value, (const char *)at + index * sizeof value, sizeof value);
    return value;
}

struct work_scalar scalar_given(int pointer_mode, const void *at, int type)
{
    uint16_t bits;
    uint32_t word;
    float single;

    if (pointer_mode == POINTERS_DEVICE)
        return (struct work_scalar){.at = at, .type = type};
    switch (type) {
    case TYPE_S: return scalar_value((double)single_at(at, 0), 0);
    case TYPE_C: return scalar_value((double)single_at(at, 0), (double)single_at(at, 1));
    case TYPE_D: return scalar_value(double_at(at, 0), 0);
    case TYPE_Z: return scalar_value(double_at(at, 0), double_at(at, 1));
    case TYPE_I32: memcpy(&word, at, sizeof word); return scalar_value((double)(int32_t)word, 0);
    default:
        memcpy(&bits, at, sizeof bits);
        word = (uint32_t)bits << 16;
        memcpy(&single, &word, sizeof single);
        return scalar_value(type == TYPE_H ? half_value(bits) : (double)single, 0);
    }
}

struct work_matrix matrix_given(const void *at, int64_t leading, int operation, int64_t batch)
{
    bool turned = operation == OP_T || operation == OP_C;

    return (struct work_matrix){.at = at,
                                .row = turned ? leading : 1,
                                .column = turned ? 1 : leading,
                                .batch = batch,
                                .conjugate = operation == OP_C || operation == OP_CONJUGATE};
}

/* ---- handles ---- */
CUBLAS_API int cublasCreate_v2(struct cublasContext **handle)
{
    if (!handle)
        return BLAS_INVALID_VALUE;
    *handle = NULL;
    if (kernels_load() != BLAS_SUCCESS)
        return BLAS_NOT_INITIALIZED;
    struct cublasContext *made = calloc(1, sizeof *made);
    if (!made || cudaMalloc(&made->scratch, SCRATCH_BYTES) != cudaSuccess) {
        free(made);
        return BLAS_ALLOC_FAILED;
    }
    *handle = made;
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasDestroy_v2(struct cublasContext *handle)
{
    if (!handle)
        return BLAS_NOT_INITIALIZED;
    cudaFree(handle->scratch);
    free(handle);
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasSetStream_v2(struct cublasContext *handle, cudaStream_t stream)
{
    if (!handle)
        return BLAS_NOT_INITIALIZED;
    handle->stream = stream;
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasGetStream_v2(struct cublasContext *handle, cudaStream_t *stream)
{
    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if (!stream)
        return BLAS_INVALID_VALUE;
    *stream = handle->stream;
    return BLAS_SUCCESS;
}

/* The kernels need no workspace but the handle's own. */
CUBLAS_API int cublasSetWorkspace_v2(struct cublasContext *handle, void *workspace, size_t bytes)
{
    (void)bytes;
    return !handle ? BLAS_NOT_INITIALIZED : (uintptr_t)workspace % 256 ? BLAS_INVALID_VALUE : BLAS_SUCCESS;
}

#define MODE(name, member, most)                                             \
    CUBLAS_API int cublasSet##name(struct cublasContext *handle, int value)  \
    {                                                                        \
        if (!handle)                                                         \
            return BLAS_NOT_INITIALIZED;                                     \
        if (value < 0 || ((most) && value > (most)))                         \
            return BLAS_INVALID_VALUE;                                       \
        handle->member = value;                                              \
        return BLAS_SUCCESS;                                                 \
    }                                                                        \
    CUBLAS_API int cublasGet##name(struct cublasContext *handle, int *value) \
    {                                                                        \
        if (!handle)                                                         \
            return BLAS_NOT_INITIALIZED;                                     \
        if (!value)                                                          \
            return BLAS_INVALID_VALUE;                                       \
        *value = handle->member;                                             \
        return BLAS_SUCCESS;                                                 \
    }
MODE(PointerMode_v2, pointer_mode, POINTERS_DEVICE)
MODE(MathMode, math_mode, 0)
MODE(AtomicsMode, atomics_mode, 1)
MODE(SmCountTarget, multiprocessors, 0)

/* ---- what it says of itself ---- */
CUBLAS_API int cublasGetVersion_v2(struct cublasContext *handle, int *version)
{
    (void)handle;
    if (!version)
        return BLAS_INVALID_VALUE;
    *version = VERSION;
    return BLAS_SUCCESS;
}

CUBLAS_API size_t cublasGetCudartVersion(void)
{
    int version = 0;

    return cudaRuntimeGetVersion(&version) == cudaSuccess ? (size_t)version : 0;
}

static int property_give(int which, int *value)
{
    if (!value || which < 0 || which > 2)
        return BLAS_INVALID_VALUE;
    *value = which == 0 ? VERSION / 10000 : which == 1 ? VERSION / 100 % 100 : VERSION % 100;
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasGetProperty(int which, int *value)
{
    return property_give(which, value);
}

CUBLAS_API int cublasLtGetProperty(int which, int *value)
{
    return property_give(which, value);
}

CUBLAS_API size_t cublasLtGetVersion(void)
{
    return VERSION;
}

CUBLAS_API size_t cublasLtGetCudartVersion(void)
{
    return cublasGetCudartVersion();
}

static const struct {
    int status;
    const char *name, *text;
} statuses[] = {
    {0, "CUBLAS_STATUS_SUCCESS", "success"},
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {7, "CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed to the function"},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires an architectural feature absent from the device"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED", "the requested functionality is not supported"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "the license check failed"},
};

static size_t status_row(int status)
{
    size_t i = 0;

    while (i < sizeof statuses / sizeof *statuses && statuses[i].status != status)
        i++;
    return i;
}

CUBLAS_API const char *cublasGetStatusName(int status)
{
    size_t row = status_row(status);

    return row < sizeof statuses / sizeof *statuses ? statuses[row].name : "unrecognized status";
}

CUBLAS_API const char *cublasGetStatusString(int status)
{
    size_t row = status_row(status);

    return row < sizeof statuses / sizeof *statuses ? statuses[row].text : "unrecognized status";
}

CUBLAS_API const char *cublasLtGetStatusName(int status)
{
    return cublasGetStatusName(status);
}

CUBLAS_API const char *cublasLtGetStatusString(int status)
{
    return cublasGetStatusString(status);
}

/* Nothing is logged. */
CUBLAS_API int cublasLoggerConfigure(int on, int to_output, int to_errors, const char *file)
{
    (void)on, (void)to_output, (void)to_errors, (void)file;
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasSetLoggerCallback(logger *callback)
{
    (void)callback;
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasGetLoggerCallback(logger **callback)
{
    if (!callback)
        return BLAS_INVALID_VALUE;
    *callback = NULL;
    return BLAS_SUCCESS;
}

/* ---- copies ---- */
/* rows x columns elements of `bytes` bytes, by the strides of columns. */
static int matrix_move(int64_t rows, int64_t columns, int64_t bytes, const void *from, int64_t from_leading,
                       void *to, int64_t to_leading, enum cudaMemcpyKind kind, bool wait, cudaStream_t stream)
{
    const size_t size = (size_t)bytes;
    cudaError_t code;

    if (rows < 0 || columns < 0 || bytes <= 0 || from_leading < 1 || to_leading < 1)
        return BLAS_INVALID_VALUE;
    if (rows == 0 || columns == 0)
        return BLAS_SUCCESS;
    if (!from || !to || from_leading < rows || to_leading < rows)
        return BLAS_MAPPING_ERROR; /* NVIDIA's asks for the copy, which is refused */
    const size_t from_bytes = (size_t)from_leading * size, to_bytes = (size_t)to_leading * size,
                 width = (size_t)rows * size, height = (size_t)columns;
    if (wait)
        code = cudaMemcpy2D(to, to_bytes, from, from_bytes, width, height, kind);
    else
        code = cudaMemcpy2DAsync(to, to_bytes, from, from_bytes, width, height, kind, stream);
    return code == cudaSuccess ? BLAS_SUCCESS : BLAS_MAPPING_ERROR;
}

static int vector_move(int64_t n, int64_t bytes, const void *from, int64_t from_step, void *to,
                       int64_t to_step, enum cudaMemcpyKind kind, bool wait, cudaStream_t stream)
{
    if (bytes <= 0 || from_step <= 0 || to_step <= 0)
        return BLAS_INVALID_VALUE;
    if (n < 0)
        return BLAS_MAPPING_ERROR;
    if (from_step == 1 && to_step == 1)
        return matrix_move(n, 1, bytes, from, n > 0 ? n : 1, to, n > 0 ? n : 1, kind, wait, stream);
    return matrix_move(n > 0, n, bytes, from, from_step, to, to_step, kind, wait, stream);
}

#define MOVES(Set, kind, suffix, I)                                                                          \
    CUBLAS_API int cublas##Set##Matrix##suffix(I rows, I columns, I bytes, const void *from, I from_leading, \
                                               void *to, I to_leading)                                       \
    {                                                                                                        \
        return matrix_move(rows, columns, bytes, from, from_leading, to, to_leading, kind, true, NULL);      \
    }                                                                                                        \
    CUBLAS_API int cublas##Set##MatrixAsync##suffix(I rows, I columns, I bytes, const void *from,            \
                                                    I from_leading, void *to, I to_leading,                  \
                                                    cudaStream_t stream)                                     \
    {                                                                                                        \
        return matrix_move(rows, columns, bytes, from, from_leading, to, to_leading, kind, false, stream);   \
    }                                                                                                        \
    CUBLAS_API int cublas##Set##Vector##suffix(I n, I bytes, const void *from, I from_step, void *to,        \
                                               I to_step)                                                    \
    {                                                                                                        \
        return vector_move(n, bytes, from, from_step, to, to_step, kind, true, NULL);                        \
    }                                                                                                        \
    CUBLAS_API int cublas##Set##VectorAsync##suffix(I n, I bytes, const void *from, I from_step, void *to,   \
                                                    I to_step, cudaStream_t stream)                          \
    {                                                                                                        \
        return vector_move(n, bytes, from, from_step, to, to_step, kind, false, stream);                     \
    }
MOVES(Set, cudaMemcpyHostToDevice, , int)
MOVES(Set, cudaMemcpyHostToDevice, _64, int64_t)
MOVES(Get, cudaMemcpyDeviceToHost, , int)
MOVES(Get, cudaMemcpyDeviceToHost, _64, int64_t)

/* ---- kernels ---- */
/*
 * The PTX of the kernels, and how they are launched (standin/libraries/launch.h).
 */

EMBED_PTX(cublas_ptx_gemm, LIBRARY_PTX "/gemm.ptx");
EMBED_PTX(cublas_ptx_vector, LIBRARY_PTX "/vector.ptx");

const struct kernel_library kernel_library = {"cuBLAS", {cublas_ptx_gemm, cublas_ptx_vector}};

enum blas_status kernels_load(void)
{
    return library_load() ? BLAS_SUCCESS : BLAS_NOT_INITIALIZED;
}

enum blas_status kernel_launch(cudaStream_t stream, const char *name, unsigned x, unsigned y, unsigned z,
                               unsigned threads, const void *work)
{
    return library_launch(stream, name, (dim3){x, y, z}, threads, work) ? BLAS_SUCCESS
                                                                        : BLAS_EXECUTION_FAILED;
}

_Noreturn void blas_refuse(const char *what)
{
    library_refuse(what);
}
