/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: matrix products. */
#include "cli/ladder/ladder.h"

#define NO_TRANSPOSE 0 /* CUBLAS_OP_N */

typedef void *cublas_handle;

static struct {
    bool opened;
    int (*create)(cublas_handle *handle);
    int (*destroy)(cublas_handle handle);
    /* Matrices in column order: c (m x n) = alpha a (m x k) b (k x n) + beta c. */
    int (*sgemm)(cublas_handle handle, int op_a, int op_b, int m, int n, int k, const float *alpha,
                 const float *a, int rows_a, const float *b, int rows_b, const float *beta, float *c,
                 int rows_c);
} cublas;

enum status ladder_cublas_find(struct error *error)
{
    struct ladder_function functions[] = {{"cublasCreate_v2", &cublas.create},
                                          {"cublasDestroy_v2", &cublas.destroy},
                                          {"cublasSgemm_v2", &cublas.sgemm}};
    enum status status = cublas.opened ? STATUS_OK
                                       : ladder_open("libcublas.so.13", functions,
                                                     sizeof functions / sizeof functions[0], error);

    cublas.opened = status == STATUS_OK;
    return status;
}

static const float *floats_at(const device_pointer *pointer)
{
    return (const float *)(uintptr_t)*pointer;
}

enum status ladder_cublas(const struct library_call *call, struct error *error)
{
    const float one = 1, zero = 0;
    int n = (int)call->n, rows = (int)call->rows, inner = (int)call->inner;
    cublas_handle handle;
    enum status status = ladder_cublas_find(error);

    if (status)
        return status;
    int result = cublas.create(&handle);
    if (result)
        return error_set(error, STATUS_DEVICE, "cuBLAS does not start: status %d of its own.", result);
    /* A matrix in row order is its own transpose in column order: out' = other' in'. */
    result = cublas.sgemm(handle, NO_TRANSPOSE, NO_TRANSPOSE, n, rows, inner, &one, floats_at(call->other), n,
                          floats_at(call->in), inner, &zero, (float *)(uintptr_t)*call->out, n);
    if (result)
        status =
            error_set(error, STATUS_DEVICE, "cuBLAS's product failed with status %d of its own.", result);
    cublas.destroy(handle);
    return status;
}
