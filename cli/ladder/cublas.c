/*
 * cuBLAS is opened when the first product is requested: it is hundreds of megabytes large and not installed
 * everywhere. Its functions are declared here with plain types, so that its headers are not needed.
 */
#include "cli/ladder/ladder.h"
#include "cli/process/paths.h"

#include <dlfcn.h>

#define LIBRARY "libcublas.so.13"
#define NO_TRANSPOSE 0 /* CUBLAS_OP_N */

typedef void *cublas_handle;

static struct {
    void *library;
    int (*create)(cublas_handle *handle);
    int (*destroy)(cublas_handle handle);
    /* Matrices in column order: c (m x n) = alpha a (m x k) b (k x n) + beta c. */
    int (*sgemm)(cublas_handle handle, int op_a, int op_b, int m, int n, int k, const float *alpha,
                 const float *a, int rows_a, const float *b, int rows_b, const float *beta, float *c,
                 int rows_c);
} cublas;

enum status ladder_cublas_find(struct error *error)
{
    char path[PATH_BYTES];

    if (cublas.library)
        return STATUS_OK;
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library && path_of_toolkit_library(LIBRARY, path, NULL) == STATUS_OK)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(error, STATUS_UNSUPPORTED,
                         "it needs " LIBRARY " of a CUDA 13 toolkit, which is in none of the usual folders "
                         "(LD_LIBRARY_PATH or CUDA_HOME can name one)");
    *(void **)&cublas.create = dlsym(library, "cublasCreate_v2");
    *(void **)&cublas.destroy = dlsym(library, "cublasDestroy_v2");
    *(void **)&cublas.sgemm = dlsym(library, "cublasSgemm_v2");
    if (!cublas.create || !cublas.destroy || !cublas.sgemm) {
        dlclose(library);
        return error_set(error, STATUS_UNSUPPORTED, "the " LIBRARY " was found, but has no cublasSgemm_v2");
    }
    cublas.library = library;
    return STATUS_OK;
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
    int result;

    if (status)
        return status;
    result = cublas.create(&handle);
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
