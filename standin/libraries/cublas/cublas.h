/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanescope's own cuBLAS over the device model: what its files share. It is a library like any other that a
 * program links: it calls CUDA's API, which is the stand-in's, and runs kernels of its own (kernels/), which
 * are counted. NVIDIA's headers are not needed: the types and values here are those of the public ABI.
 *
 * A handle is used by one thread at a time, as cuBLAS demands; kernels are found under a lock.
 */
#ifndef CUBLAS_CUBLAS_H
#define CUBLAS_CUBLAS_H

#include "standin/libraries/cublas/kernels/work.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUBLAS_API __attribute__((visibility("default")))

enum blas_status {
    BLAS_SUCCESS = 0,
    BLAS_NOT_INITIALIZED = 1,
    BLAS_ALLOC_FAILED = 3,
    BLAS_INVALID_VALUE = 7,
    BLAS_MAPPING_ERROR = 11,
    BLAS_EXECUTION_FAILED = 13,
    BLAS_NOT_SUPPORTED = 15
};
enum { OP_N, OP_T, OP_C, OP_CONJUGATE };
enum { FILL_LOWER, FILL_UPPER };
enum { SIDE_LEFT, SIDE_RIGHT };
enum { DIAGONAL_READ, DIAGONAL_UNIT };
enum { POINTERS_HOST, POINTERS_DEVICE };
enum { MATH_TF32 = 3, MATH_MASK = 0xf };
enum {
    COMPUTE_16F = 64,
    COMPUTE_16F_PEDANTIC,
    COMPUTE_32F = 68,
    COMPUTE_32F_PEDANTIC,
    COMPUTE_64F,
    COMPUTE_64F_PEDANTIC,
    COMPUTE_32I,
    COMPUTE_32I_PEDANTIC,
    COMPUTE_FAST_16F,
    COMPUTE_FAST_16BF,
    COMPUTE_FAST_TF32 = 77
};

struct cublasContext {
    cudaStream_t stream;
    int pointer_mode, math_mode, atomics_mode, multiprocessors;
    void *scratch; /* device memory for partial results of a reduction, then the result */
};

/* A type of elements. */
struct blas_type {
    const char *letter; /* in the kernels' names */
    int type, real;     /* real: the type of its absolute value */
    size_t bytes;
    bool computed; /* kernels of every kind are there */
};
const struct blas_type *blas_type(int type); /* NULL: there are no kernels */

/* ---- launching (launch.c) ---- */
/* Loads the kernels, once. */
enum blas_status kernels_load(void);
/* The kernel lanescope_NAME, whose one argument is `work`. */
enum blas_status kernel_launch(cudaStream_t stream, const char *name, unsigned x, unsigned y, unsigned z,
                               unsigned threads, const void *work);
/* Ends the run: the model's cuBLAS does not have it. */
_Noreturn void blas_refuse(const char *what);

/* ---- scalars (handle.c) ---- */
struct work_scalar scalar_given(int pointer_mode, const void *at, int type);
struct work_scalar scalar_value(double re, double im);

/* ---- matrices ---- */
struct work_matrix matrix_given(const void *at, int64_t leading, int operation, int64_t batch);
static inline bool operation_is_valid(int operation)
{
    return operation >= OP_N && operation <= OP_CONJUGATE;
}

/* ---- products (product.c) ---- */
/* Fills in .rounding and gives the kernel's name by the types; NULL: cuBLAS has no such product. Refuses one
 * that cuBLAS has and the model's does not. */
const char *product_kernel(struct work_product *work, int a, int b, int c, int compute);
int product_scale_type(int compute, int a);
enum blas_status product_run(cudaStream_t stream, const char *kernel, struct work_product *work,
                             int64_t batches);

#endif
