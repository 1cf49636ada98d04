/* successors: contexts of one GPU that come and go: A and B launch, A is destroyed, B launches, C is made and
 * launches. */
#include "program.h"

#include <cuda.h>

static CUresult (*set_current)(CUcontext);

static void *entry(const char *name)
{
    void *function = NULL;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion(name, &function, 13000, cudaEnableDefault, &result));
    return function;
}

static void work(CUcontext context)
{
    if (set_current(context) != CUDA_SUCCESS)
        exit(1);
    unsigned *counter = new_counter();
    for (int i = 0; i < 3; i++)
        count_up<<<1, 32>>>(counter);
    expect(counter, 96);
}

int main(void)
{
    CUcontext a, b, c;
    CHECK(cudaFree(0));
    set_current = (CUresult(*)(CUcontext))entry("cuCtxSetCurrent");
    CUresult (*create)(CUcontext *, CUctxCreateParams *, unsigned, CUdevice) =
        (CUresult(*)(CUcontext *, CUctxCreateParams *, unsigned, CUdevice))entry("cuCtxCreate");
    CUresult (*destroy)(CUcontext) = (CUresult(*)(CUcontext))entry("cuCtxDestroy");
    if (create(&a, NULL, 0, 0) != CUDA_SUCCESS || create(&b, NULL, 0, 0) != CUDA_SUCCESS)
        return 1;
    work(a);
    work(b);
    if (destroy(a) != CUDA_SUCCESS)
        return 1;
    work(b);
    if (create(&c, NULL, 0, 0) != CUDA_SUCCESS)
        return 1;
    work(c);
    printf("launched 12\n");
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
