/* A library with a runtime of its own inside, which driver.c opens and plugin_user.c is linked with: its
 * kernel registers before the stand-in sees it. */
#include <cuda_runtime.h>
#include <dlfcn.h>

static __global__ void add_one(int *value)
{
    *value += 1;
}

/* value + 1, or a negative error. */
extern "C" int plugin_add_one(int value)
{
    int *there = nullptr;
    cudaError_t code = cudaMalloc(&there, sizeof value);

    if (code == cudaSuccess)
        code = cudaMemcpy(there, &value, sizeof value, cudaMemcpyHostToDevice);
    add_one<<<1, 1>>>(there);
    if (code == cudaSuccess)
        code = cudaMemcpy(&value, there, sizeof value, cudaMemcpyDeviceToHost);
    cudaFree(there);
    return code == cudaSuccess ? value : -(int)code;
}

extern "C" void *plugin_open(const char *name)
{
    return dlopen(name, RTLD_NOW);
}
// SPDX-License-Identifier: Apache-2.0
