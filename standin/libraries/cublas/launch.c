/*
 * The kernels: PTX that is part of the library, two modules, loaded by the first handle. Each kernel that was
 * launched once has a row. Under one lock.
 */
#include "standin/libraries/cublas/cublas.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ROWS 200

/* The stand-in's (standin/standin.c). */
void lanescope_library_say(const char *text, bool refuse);

#define EMBED(name, path)                                                                                  \
    __asm__(".pushsection .rodata\n.balign 16\n" #name ":\n.incbin \"" path "\"\n.byte 0\n.popsection\n"); \
    extern const char name[]
EMBED(cublas_ptx_gemm, CUBLAS_PTX "/gemm.ptx");
EMBED(cublas_ptx_vector, CUBLAS_PTX "/vector.ptx");

static struct {
    pthread_mutex_t lock;
    CUmodule modules[2];
    bool loaded, told;
    struct kernel_row {
        char name[32];
        CUfunction function;
    } rows[ROWS];
    size_t count;
} kernels = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum blas_status kernels_load(void)
{
    pthread_mutex_lock(&kernels.lock);
    if (!kernels.loaded)
        kernels.loaded = cuInit(0) == CUDA_SUCCESS && cudaFree(NULL) == cudaSuccess &&
                         cuModuleLoadData(&kernels.modules[0], cublas_ptx_gemm) == CUDA_SUCCESS &&
                         cuModuleLoadData(&kernels.modules[1], cublas_ptx_vector) == CUDA_SUCCESS;
    pthread_mutex_unlock(&kernels.lock);
    return kernels.loaded ? BLAS_SUCCESS : BLAS_NOT_INITIALIZED;
}

static CUfunction kernel_find(const char *name)
{
    char full[64];
    struct kernel_row *row;

    for (size_t i = 0; i < kernels.count; i++)
        if (strcmp(kernels.rows[i].name, name) == 0)
            return kernels.rows[i].function;
    if (kernels.count == ROWS)
        return NULL;
    row = &kernels.rows[kernels.count];
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(full, sizeof full, "lanescope_%s", name);
    if (cuModuleGetFunction(&row->function, kernels.modules[0], full) != CUDA_SUCCESS &&
        cuModuleGetFunction(&row->function, kernels.modules[1], full) != CUDA_SUCCESS)
        return NULL;
    kernels.count++;
    return row->function;
}

enum blas_status kernel_launch(cudaStream_t stream, const char *name, unsigned x, unsigned y, unsigned z,
                               unsigned threads, const void *work)
{
    void *arguments[] = {(void *)(uintptr_t)work};

    pthread_mutex_lock(&kernels.lock);
    CUfunction function = kernel_find(name);
    bool tell = !kernels.told;
    kernels.told = true;
    pthread_mutex_unlock(&kernels.lock);
    if (tell)
        lanescope_library_say("cuBLAS on the device model is lanescope's own: its kernels lanescope_... are "
                              "not NVIDIA's, and neither are their counts and times.",
                              false);
    if (!function || cuLaunchKernel(function, x, y, z, threads, 1, 1, 0, (CUstream)stream, arguments, NULL) !=
                         CUDA_SUCCESS)
        return BLAS_EXECUTION_FAILED;
    return BLAS_SUCCESS;
}

_Noreturn void blas_refuse(const char *what)
{
    char text[400];

    snprintf(text, sizeof text,
             "The program calls %.200s, which lanescope's cuBLAS on the device model does not have "
             "(docs/standin.md lists what it has): the run ends here.",
             what);
    lanescope_library_say(text, true);
    __builtin_unreachable();
}

/* What a function does that no file here defines (the generated tables). */
int absent_refuse(const char *name);
int absent_refuse(const char *name)
{
    blas_refuse(name);
}
