/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of one of lanescope's own libraries: one module for each PTX file. Each kernel that was
 * launched once has a row. Under one lock.
 */
#include "standin/libraries/launch.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ROWS 200

/* The stand-in's (standin/standin.c). */
void lanescope_library_say(const char *text, bool refuse);

static struct {
    pthread_mutex_t lock;
    CUmodule modules[LIBRARY_MODULES];
    bool loaded, told;
    struct kernel_row {
        char name[32];
        CUfunction function;
    } rows[ROWS];
    size_t count;
} kernels = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool load_modules(void)
{
    if (cuInit(0) != CUDA_SUCCESS || cudaFree(NULL) != cudaSuccess)
        return false;
    for (size_t i = 0; i < LIBRARY_MODULES && kernel_library.ptx[i]; i++)
        if (cuModuleLoadData(&kernels.modules[i], kernel_library.ptx[i]) != CUDA_SUCCESS)
            return false;
    return true;
}

bool library_load(void)
{
    pthread_mutex_lock(&kernels.lock);
    if (!kernels.loaded)
        kernels.loaded = load_modules();
    pthread_mutex_unlock(&kernels.lock);
    return kernels.loaded;
}

static CUfunction kernel_find(const char *name)
{
    char full[64];

    for (size_t i = 0; i < kernels.count; i++)
        if (strcmp(kernels.rows[i].name, name) == 0)
            return kernels.rows[i].function;
    if (kernels.count == ROWS)
        return NULL;
    struct kernel_row *row = &kernels.rows[kernels.count];
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(full, sizeof full, "lanescope_%s", name);
    for (size_t i = 0; i < LIBRARY_MODULES && kernel_library.ptx[i]; i++)
        if (cuModuleGetFunction(&row->function, kernels.modules[i], full) == CUDA_SUCCESS) {
            kernels.count++;
            return row->function;
        }
    return NULL;
}

bool library_launch(cudaStream_t stream, const char *name, dim3 blocks, unsigned threads, const void *work)
{
    void *arguments[] = {(void *)(uintptr_t)work};
    char text[200];

    pthread_mutex_lock(&kernels.lock);
    CUfunction function = kernel_find(name);
    bool tell = !kernels.told;
    kernels.told = true;
    pthread_mutex_unlock(&kernels.lock);
    if (tell) {
        snprintf(text, sizeof text,
                 "%s on the device model is lanescope's own: its kernels lanescope_... are not NVIDIA's, and "
                 "neither are their counts and times.",
                 kernel_library.title);
        lanescope_library_say(text, false);
    }
    return function && cuLaunchKernel(function, blocks.x, blocks.y, blocks.z, threads, 1, 1, 0,
                                      (CUstream)stream, arguments, NULL) == CUDA_SUCCESS;
}

_Noreturn void library_refuse(const char *what)
{
    char text[400];

    snprintf(text, sizeof text,
             "The program calls %.200s, which lanescope's %s on the device model does not have "
             "(docs/standin.md lists what it has): the run ends here.",
             what, kernel_library.title);
    lanescope_library_say(text, true);
    __builtin_unreachable();
}

/* What a function does that no file here defines (the generated tables). */
int absent_refuse(const char *name);
int absent_refuse(const char *name)
{
    library_refuse(name);
}
