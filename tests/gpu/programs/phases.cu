/* phases [nvtx-first]: 100 launches each before, inside and after cudaProfilerStart/Stop, and the same with
 * an NVTX range "inside". */
#include "program.h"

#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>

static __global__ void before_phase(unsigned *counter)
{
    atomicAdd(counter, 1u);
}
static __global__ void api_phase(unsigned *counter)
{
    atomicAdd(counter, 1u);
}
static __global__ void range_phase(unsigned *counter)
{
    atomicAdd(counter, 1u);
}
static __global__ void after_phase(unsigned *counter)
{
    atomicAdd(counter, 1u);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        nvtxRangePushA("before CUDA");
    unsigned *counter = new_counter();
    for (int i = 0; i < 100; i++)
        before_phase<<<1, 32>>>(counter);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaProfilerStart());
    for (int i = 0; i < 100; i++)
        api_phase<<<1, 32>>>(counter);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaProfilerStop());
    nvtxRangePushA("outer");
    nvtxRangePushA("inside");
    for (int i = 0; i < 100; i++)
        range_phase<<<1, 32>>>(counter);
    CHECK(cudaDeviceSynchronize());
    nvtxRangePop();
    nvtxRangePop();
    for (int i = 0; i < 100; i++)
        after_phase<<<1, 32>>>(counter);
    if (argc > 1)
        nvtxRangePop();
    expect(counter, 12800);
    printf("launched 400\n");
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
