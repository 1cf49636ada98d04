/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanescope-ladder MODE DEVICE GPU SIZE TEXT...: the workload child of the libraries' variants (ladder.h).
 *
 * cuBLAS and cuFFT are opened when the first routine is requested: they are hundreds of megabytes large and not installed
 * everywhere. Their functions are declared where they are called, with plain types, so that their headers are not needed.
 */
#include "cli/children/workload_child.h"
#include "cli/ladder/ladder.h"
#include "cli/process/paths.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* A function of a library, and where its address goes. */
struct ladder_function {
    const char *name;
    void *address; /* of a pointer to the function */
};

/* STATUS_UNSUPPORTED with a sentence if the library or one of the functions is missing. */
static enum status library_open(const char *name, struct ladder_function *functions, size_t count,
                                struct error *error)
{
    char path[PATH_BYTES];
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    if (!library && path_of_toolkit_library(name, path, NULL) == STATUS_OK)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(error, STATUS_UNSUPPORTED,
                         "it needs %s of a CUDA 13 toolkit, which is in none of the usual folders "
                         "(LD_LIBRARY_PATH or CUDA_HOME can name one)",
                         name);
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, functions[i].name);

        memcpy(functions[i].address, &address, sizeof address);
        if (!address) {
            error_set(error, STATUS_UNSUPPORTED, "the %s was found, but has no %s", name, functions[i].name);
            dlclose(library);
            return STATUS_UNSUPPORTED;
        }
    }
    return STATUS_OK;
}

/* ---- cuBLAS: matrix products ---- */

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

static enum status cublas_find(struct error *error)
{
    struct ladder_function functions[] = {{"cublasCreate_v2", &cublas.create},
                                          {"cublasDestroy_v2", &cublas.destroy},
                                          {"cublasSgemm_v2", &cublas.sgemm}};
    enum status status = cublas.opened ? STATUS_OK
                                       : library_open("libcublas.so.13", functions,
                                                      sizeof functions / sizeof functions[0], error);

    cublas.opened = status == STATUS_OK;
    return status;
}

static const float *floats_at(const device_pointer *pointer)
{
    return (const float *)(uintptr_t)*pointer;
}

static enum status cublas_call(const struct library_call *call, struct error *error)
{
    const float one = 1, zero = 0;
    int n = (int)call->n, rows = (int)call->rows, inner = (int)call->inner;
    cublas_handle handle;
    enum status status = cublas_find(error);

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

/* ---- cuFFT: transforms of rows of complex words, each a pair of floats ---- */

#define C2C 0x29 /* CUFFT_C2C */
#define FORWARD (-1)

static struct {
    bool opened;
    int (*plan)(int *plan, int n, int type, int batch);
    int (*transform)(int plan, const void *in, void *out, int direction);
    int (*destroy)(int plan);
} cufft;

static enum status cufft_find(struct error *error)
{
    struct ladder_function functions[] = {
        {"cufftPlan1d", &cufft.plan}, {"cufftExecC2C", &cufft.transform}, {"cufftDestroy", &cufft.destroy}};
    enum status status = cufft.opened ? STATUS_OK
                                      : library_open("libcufft.so.12", functions,
                                                     sizeof functions / sizeof functions[0], error);

    cufft.opened = status == STATUS_OK;
    return status;
}

static enum status cufft_call(const struct library_call *call, struct error *error)
{
    enum status status = cufft_find(error);
    int plan;

    if (status)
        return status;
    int result = cufft.plan(&plan, (int)call->n, C2C, (int)call->rows);
    if (result)
        return error_set(error, STATUS_DEVICE, "cuFFT makes no plan: status %d of its own.", result);
    result =
        cufft.transform(plan, (const void *)(uintptr_t)*call->in, (void *)(uintptr_t)*call->out, FORWARD);
    if (result)
        status =
            error_set(error, STATUS_DEVICE, "cuFFT's transform failed with status %d of its own.", result);
    cufft.destroy(plan);
    return status;
}

/* ---- the child ---- */

static enum status library_find(enum library_routine routine, struct error *error)
{
    switch (routine) {
    case LIBRARY_MATMUL: return cublas_find(error);
    case LIBRARY_FFT: return cufft_find(error);
    default: return STATUS_OK;
    }
}

static enum status case_call(const struct library_call *what, struct error *error)
{
    switch (what->routine) {
    case LIBRARY_MATMUL: return cublas_call(what, error);
    case LIBRARY_FFT: return cufft_call(what, error);
    default: return ladder_cub(what, error);
    }
}

static int case_run(struct workload_child_options *options, struct error *error)
{
    static const struct library library = {.find = library_find, .call = case_call};

    if (strcmp(options->device, "cuda") != 0) {
        error_set(error, STATUS_USAGE, "Libraries run on a GPU: DEVICE is cuda, not '%.40s'.",
                  options->device);
        return child_exit_status(STATUS_USAGE);
    }
    options->library = &library;
    return workload_child_main(options, error);
}

int main(int argc, char **argv)
{
    struct workload_child_options options;
    struct error error = {0};
    int exit_status = workload_child_parse(argc - 1, argv + 1, &options, &error) == STATUS_OK
                          ? case_run(&options, &error)
                          : child_exit_status(STATUS_USAGE);

    if (exit_status)
        fprintf(stderr, "lanescope-ladder: %s\n", error.text);
    return exit_status;
}
