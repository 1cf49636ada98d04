/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuBLASLt: descriptors are structures that the program owns, or that are allocated here, of the sizes in
 * NVIDIA's header; an attribute is a row of a table with its place in them. A product is that of product.c,
 * with its epilogue. What an attribute asks for and the kernels do not do is refused when the product is
 * called.
 */
#include "standin/libraries/cublas/cublas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_COLUMNS, ORDER_ROWS };
enum {
    EPILOGUE_NONE = 1,
    EPILOGUE_RELU = 2,
    EPILOGUE_BIAS = 4,
    EPILOGUE_GELU = 32,
    EPILOGUE_GELU_GRADIENT = 64,
    EPILOGUE_AUX = 128
};

struct layout {
    uint32_t type;
    int32_t order;
    uint64_t rows, columns;
    int64_t leading;
    int32_t batches, batch_mode;
    int64_t batch_stride, plane;
};

struct operation {
    int32_t compute, scale, pointers, a_operation, b_operation, c_operation, fill;
    uint32_t epilogue;
    const void *bias;
    int64_t bias_batch;
    void *aux;
    int64_t aux_leading, aux_batch, alpha_batch;
    int32_t multiprocessors, aux_type, bias_type, fast;
    const void
        *scales[9]; /* of a, b, c, d, the largest of d, of aux, its largest, of d's output, emulation */
    int32_t scale_modes[6];
};

struct preference {
    uint32_t search, reductions, alignments[4];
    uint64_t workspace, implementations;
    float waves;
};

struct heuristic {
    uint64_t algorithm[8];
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
};

_Static_assert(sizeof(struct layout) <= 64 && sizeof(struct operation) <= 256 &&
                   sizeof(struct preference) <= 64,
               "descriptors are as large as in NVIDIA's header");

/* ---- attributes ---- */
struct attribute {
    int number;
    size_t place, bytes;
};
#define ROW(number, structure, member)                                                    \
    {                                                                                     \
        number, offsetof(struct structure, member), sizeof((struct structure *)0)->member \
    }

static const struct attribute layout_attributes[] = {
    ROW(0, layout, type),         ROW(1, layout, order),
    ROW(2, layout, rows),         ROW(3, layout, columns),
    ROW(4, layout, leading),      ROW(5, layout, batches),
    ROW(6, layout, batch_stride), ROW(7, layout, plane),
    ROW(8, layout, batch_mode),   {-1, 0, 0},
};
static const struct attribute operation_attributes[] = {
    ROW(0, operation, compute),
    ROW(1, operation, scale),
    ROW(2, operation, pointers),
    ROW(3, operation, a_operation),
    ROW(4, operation, b_operation),
    ROW(5, operation, c_operation),
    ROW(6, operation, fill),
    ROW(7, operation, epilogue),
    ROW(8, operation, bias),
    ROW(10, operation, bias_batch),
    ROW(11, operation, aux),
    ROW(12, operation, aux_leading),
    ROW(13, operation, aux_batch),
    ROW(14, operation, alpha_batch),
    ROW(15, operation, multiprocessors),
    ROW(17, operation, scales[0]),
    ROW(18, operation, scales[1]),
    ROW(19, operation, scales[2]),
    ROW(20, operation, scales[3]),
    ROW(21, operation, scales[4]),
    ROW(22, operation, aux_type),
    ROW(23, operation, scales[5]),
    ROW(24, operation, scales[6]),
    {25, offsetof(struct operation, fast), 1},
    ROW(26, operation, bias_type),
    ROW(31, operation, scale_modes[0]),
    ROW(32, operation, scale_modes[1]),
    ROW(33, operation, scale_modes[2]),
    ROW(34, operation, scale_modes[3]),
    ROW(35, operation, scale_modes[4]),
    ROW(36, operation, scales[7]),
    ROW(37, operation, scale_modes[5]),
    ROW(38, operation, scales[8]),
    {-1, 0, 0},
};
static const struct attribute preference_attributes[] = {
    ROW(0, preference, search),           ROW(1, preference, workspace),
    ROW(3, preference, reductions),       ROW(5, preference, alignments[0]),
    ROW(6, preference, alignments[1]),    ROW(7, preference, alignments[2]),
    ROW(8, preference, alignments[3]),    ROW(9, preference, waves),
    ROW(12, preference, implementations), {-1, 0, 0},
};

static const struct attribute *attribute_find(const struct attribute *rows, int number)
{
    for (; rows->number >= 0; rows++)
        if (rows->number == number)
            return rows;
    return NULL;
}

static int attribute_set(const struct attribute *rows, void *descriptor, int number, const void *value,
                         size_t bytes)
{
    const struct attribute *row = attribute_find(rows, number);

    if (!descriptor || !row || !value || bytes < row->bytes)
        return BLAS_INVALID_VALUE;
    memcpy((char *)descriptor + row->place, value, row->bytes);
    return BLAS_SUCCESS;
}

static int attribute_get(const struct attribute *rows, const void *descriptor, int number, void *value,
                         size_t bytes, size_t *written)
{
    const struct attribute *row = attribute_find(rows, number);

    if (!descriptor || !row || (!written && bytes == 0) || (bytes > 0 && (!value || bytes < row->bytes)))
        return BLAS_INVALID_VALUE;
    if (written)
        *written = row->bytes;
    if (bytes > 0)
        memcpy(value, (const char *)descriptor + row->place, row->bytes);
    return BLAS_SUCCESS;
}

/* Create, destroy, set and get of a descriptor. */
#define DESCRIPTOR(Name, structure, rows)                                                        \
    CUBLAS_API int cublasLt##Name##Destroy(void *descriptor)                                     \
    {                                                                                            \
        free(descriptor);                                                                        \
        return BLAS_SUCCESS;                                                                     \
    }                                                                                            \
    CUBLAS_API int cublasLt##Name##SetAttribute(void *descriptor, int number, const void *value, \
                                                size_t bytes)                                    \
    {                                                                                            \
        return attribute_set(rows, descriptor, number, value, bytes);                            \
    }                                                                                            \
    CUBLAS_API int cublasLt##Name##GetAttribute(const void *descriptor, int number, void *value, \
                                                size_t bytes, size_t *written)                   \
    {                                                                                            \
        return attribute_get(rows, descriptor, number, value, bytes, written);                   \
    }
DESCRIPTOR(MatrixLayout, layout, layout_attributes)
DESCRIPTOR(MatmulDesc, operation, operation_attributes)
DESCRIPTOR(MatmulPreference, preference, preference_attributes)

CUBLAS_API int cublasLtMatrixLayoutInit_internal(struct layout *layout, size_t bytes, int type, uint64_t rows,
                                                 uint64_t columns, int64_t leading)
{
    if (!layout || bytes < sizeof *layout)
        return BLAS_INVALID_VALUE;
    *layout = (struct layout){
        .type = (uint32_t)type, .rows = rows, .columns = columns, .leading = leading, .batches = 1};
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasLtMatrixLayoutCreate(struct layout **layout, int type, uint64_t rows, uint64_t columns,
                                          int64_t leading)
{
    if (!layout)
        return BLAS_INVALID_VALUE;
    *layout = calloc(1, 64);
    return *layout ? cublasLtMatrixLayoutInit_internal(*layout, 64, type, rows, columns, leading)
                   : BLAS_ALLOC_FAILED;
}

CUBLAS_API int cublasLtMatmulDescInit_internal(struct operation *operation, size_t bytes, int compute,
                                               int scale)
{
    if (!operation || bytes < sizeof *operation)
        return BLAS_INVALID_VALUE;
    *operation = (struct operation){.compute = compute,
                                    .scale = scale,
                                    .fill = 2, /* all */
                                    .epilogue = EPILOGUE_NONE,
                                    .aux_type = -1,
                                    .bias_type = -1};
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasLtMatmulDescCreate(struct operation **operation, int compute, int scale)
{
    if (!operation)
        return BLAS_INVALID_VALUE;
    *operation = calloc(1, 256);
    return *operation ? cublasLtMatmulDescInit_internal(*operation, 256, compute, scale) : BLAS_ALLOC_FAILED;
}

CUBLAS_API int cublasLtMatmulPreferenceInit_internal(struct preference *preference, size_t bytes)
{
    if (!preference || bytes < sizeof *preference)
        return BLAS_INVALID_VALUE;
    *preference = (struct preference){
        .reductions = UINT32_MAX, .alignments = {256, 256, 256, 256}, .implementations = UINT64_MAX};
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasLtMatmulPreferenceCreate(struct preference **preference)
{
    if (!preference)
        return BLAS_INVALID_VALUE;
    *preference = calloc(1, 64);
    return *preference ? cublasLtMatmulPreferenceInit_internal(*preference, 64) : BLAS_ALLOC_FAILED;
}

/* ---- handles ---- */
/* A handle of cuBLAS serves, too. */
CUBLAS_API int cublasLtCreate(void **handle)
{
    if (!handle)
        return BLAS_INVALID_VALUE;
    *handle = NULL;
    if (kernels_load() != BLAS_SUCCESS)
        return BLAS_NOT_INITIALIZED;
    *handle = calloc(1, sizeof(struct cublasContext));
    return *handle ? BLAS_SUCCESS : BLAS_ALLOC_FAILED;
}

CUBLAS_API int cublasLtDestroy(void *handle)
{
    free(handle);
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasLtHeuristicsCacheGetCapacity(size_t *capacity)
{
    if (!capacity)
        return BLAS_INVALID_VALUE;
    *capacity = 0;
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasLtHeuristicsCacheSetCapacity(size_t capacity)
{
    (void)capacity;
    return BLAS_SUCCESS;
}

/* Nothing is logged. */
CUBLAS_API int cublasLtLoggerForceDisable(void)
{
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasLtLoggerSetLevel(int level)
{
    return level < 0 ? BLAS_INVALID_VALUE : BLAS_SUCCESS;
}

CUBLAS_API int cublasLtLoggerSetMask(int mask)
{
    (void)mask;
    return BLAS_SUCCESS;
}

/* ---- products ---- */
static struct work_matrix layout_matrix(const struct layout *layout, const void *at, int operation)
{
    struct work_matrix matrix = matrix_given(at, layout->leading, operation, layout->batch_stride);

    if (layout->order == ORDER_ROWS) {
        const long long row = matrix.row;
        matrix.row = matrix.column;
        matrix.column = row;
    }
    return matrix;
}

static bool layout_is_valid(const struct layout *layout)
{
    const uint64_t along = layout->order == ORDER_ROWS ? layout->columns : layout->rows;

    if (layout->order != ORDER_COLUMNS && layout->order != ORDER_ROWS)
        blas_refuse("cublasLtMatmul with a tiled order of elements");
    if (layout->plane || layout->batch_mode)
        blas_refuse("cublasLtMatmul with planes or arrays of pointers");
    return layout->rows > 0 && layout->columns > 0 && layout->leading >= (int64_t)along &&
           layout->batches >= 1;
}

/* Fills in what the descriptors say. A program may ask for a product's algorithm before it has memory. */
static int matmul_plan(const struct operation *operation, const struct layout *a, const struct layout *b,
                       const struct layout *c, const struct layout *d, struct work_product *work,
                       const char **kernel)
{
    const uint32_t epilogue = operation->epilogue;
    const bool a_turned = operation->a_operation == OP_T || operation->a_operation == OP_C,
               b_turned = operation->b_operation == OP_T || operation->b_operation == OP_C;
    char text[80];

    if (!layout_is_valid(a) || !layout_is_valid(b) || !layout_is_valid(c) || !layout_is_valid(d) ||
        !operation_is_valid(operation->a_operation) || !operation_is_valid(operation->b_operation))
        return BLAS_INVALID_VALUE;
    const uint64_t m = a_turned ? a->columns : a->rows, k = a_turned ? a->rows : a->columns,
                   b_rows = b_turned ? b->columns : b->rows, n = b_turned ? b->rows : b->columns;
    if (k != b_rows || d->rows != m || d->columns != n || c->rows != m || c->columns != n ||
        a->batches != d->batches || b->batches != d->batches || c->batches != d->batches)
        return BLAS_INVALID_VALUE;
    work->m = (long long)m;
    work->n = (long long)n;
    work->k = (long long)k;
    *kernel = product_kernel(work, (int)a->type, (int)b->type, (int)d->type, operation->compute);
    if (!*kernel || c->type != d->type ||
        operation->scale != product_scale_type(operation->compute, (int)a->type))
        return BLAS_NOT_SUPPORTED;
    snprintf(text, sizeof text, "cublasLtMatmul with the epilogue %u", epilogue);
    const uint32_t known =
        EPILOGUE_NONE | EPILOGUE_RELU | EPILOGUE_BIAS | EPILOGUE_GELU | EPILOGUE_GELU_GRADIENT | EPILOGUE_AUX;
    if ((epilogue & ~known) || ((epilogue & EPILOGUE_AUX) && (epilogue & EPILOGUE_RELU)) ||
        (operation->aux_type >= 0 && operation->aux_type != (int)d->type))
        blas_refuse(text);
    if (operation->c_operation != OP_N || operation->fill != 2 || operation->pointers > POINTERS_DEVICE)
        blas_refuse("cublasLtMatmul with a transposed or half-stored matrix C, or vectors of alpha");
    for (size_t i = 0; i < sizeof operation->scales / sizeof *operation->scales; i++)
        if (operation->scales[i])
            blas_refuse("cublasLtMatmul with scales of its matrices");
    work->activation = epilogue & EPILOGUE_RELU            ? ACTIVATION_RELU
                       : epilogue & EPILOGUE_GELU          ? ACTIVATION_GELU
                       : epilogue & EPILOGUE_GELU_GRADIENT ? ACTIVATION_GELU_GRADIENT
                                                           : ACTIVATION_NONE;
    return BLAS_SUCCESS;
}

static void epilogue_fill(const struct operation *operation, const struct layout *d,
                          struct work_product *work)
{
    if (operation->epilogue & EPILOGUE_BIAS) {
        work->bias = operation->bias;
        work->bias_type = operation->bias_type >= 0 ? operation->bias_type : (int)d->type;
        work->bias_batch = operation->bias_batch;
    }
    if (operation->epilogue & EPILOGUE_AUX) {
        work->aux = operation->aux;
        work->aux_column = operation->aux_leading;
        work->aux_batch = operation->aux_batch;
    }
}

CUBLAS_API int cublasLtMatmul(void *handle, const struct operation *operation, const void *alpha,
                              const void *a, const struct layout *a_layout, const void *b,
                              const struct layout *b_layout, const void *beta, const void *c,
                              const struct layout *c_layout, void *d, const struct layout *d_layout,
                              const void *algorithm, void *workspace, size_t workspace_bytes,
                              cudaStream_t stream)
{
    struct work_product work = {.m = 0};
    const char *kernel;

    (void)algorithm, (void)workspace, (void)workspace_bytes;
    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if (!operation || !alpha || !beta || !a || !b || !d || !a_layout || !b_layout || !c_layout || !d_layout)
        return BLAS_INVALID_VALUE;
    int status = matmul_plan(operation, a_layout, b_layout, c_layout, d_layout, &work, &kernel);
    if (status)
        return status;
    epilogue_fill(operation, d_layout, &work);
    if (((operation->epilogue & EPILOGUE_BIAS) && !work.bias) ||
        ((operation->epilogue & EPILOGUE_AUX) && !work.aux))
        return BLAS_INVALID_VALUE;
    work.alpha = scalar_given(operation->pointers, alpha, operation->scale);
    work.beta = scalar_given(operation->pointers, beta, operation->scale);
    if (!c && (work.beta.at || work.beta.re != 0 || work.beta.im != 0))
        return BLAS_INVALID_VALUE;
    work.a = layout_matrix(a_layout, a, operation->a_operation);
    work.b = layout_matrix(b_layout, b, operation->b_operation);
    work.c = layout_matrix(c_layout, c, OP_N);
    work.d = layout_matrix(d_layout, d, OP_N);
    return (int)product_run(stream, kernel, &work, d_layout->batches);
}

/* There is one algorithm, which needs no workspace. */
static void heuristic_fill(struct heuristic *result)
{
    *result = (struct heuristic){.status = BLAS_SUCCESS, .waves = 1.0f};
}

CUBLAS_API int cublasLtMatmulAlgoGetHeuristic(void *handle, const struct operation *operation,
                                              const struct layout *a, const struct layout *b,
                                              const struct layout *c, const struct layout *d,
                                              const struct preference *preference, int wanted,
                                              struct heuristic *results, int *given)
{
    struct work_product work = {.m = 0};
    const char *kernel;

    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if (!operation || !a || !b || !c || !d || !preference || wanted < 1 || !results || !given)
        return BLAS_INVALID_VALUE;
    *given = 0;
    int status = matmul_plan(operation, a, b, c, d, &work, &kernel);
    if (status)
        return status;
    heuristic_fill(results);
    *given = 1;
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasLtMatmulAlgoCheck(void *handle, const struct operation *operation,
                                       const struct layout *a, const struct layout *b, const struct layout *c,
                                       const struct layout *d, const void *algorithm,
                                       struct heuristic *result)
{
    struct work_product work = {.m = 0};
    const char *kernel;

    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if (!operation || !a || !b || !c || !d || !algorithm || !result)
        return BLAS_INVALID_VALUE;
    int status = matmul_plan(operation, a, b, c, d, &work, &kernel);
    if (status == BLAS_SUCCESS)
        heuristic_fill(result);
    return status;
}

CUBLAS_API int cublasLtMatmulAlgoGetIds(void *handle, int compute, int scale, int a, int b, int c, int d,
                                        int wanted, int *ids, int *given)
{
    struct work_product work;

    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if (wanted < 1 || !ids)
        return BLAS_INVALID_VALUE;
    if (!product_kernel(&work, a, b, d, compute) || scale != product_scale_type(compute, a) || c != d)
        return BLAS_NOT_SUPPORTED;
    ids[0] = 0;
    if (given)
        *given = 1;
    return BLAS_SUCCESS;
}

CUBLAS_API int cublasLtMatmulAlgoInit(void *handle, int compute, int scale, int a, int b, int c, int d,
                                      int id, uint64_t *algorithm)
{
    int only;

    if (!algorithm || id != 0)
        return handle ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;
    memset(algorithm, 0, 8 * sizeof *algorithm);
    return cublasLtMatmulAlgoGetIds(handle, compute, scale, a, b, c, d, 1, &only, NULL);
}
