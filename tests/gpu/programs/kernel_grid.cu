// Barriers of the whole grid: the same results on a GPU and on the device model, where
// tests/unit/simt/engine/test_simt_cooperative.c runs the kernels (tests/data/programs/kernel_grid.ptx).
#include "program.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// Each step reads what all blocks wrote in the step before: the last block's value travels to the first.
__global__ void rotate(int *values, int steps)
{
    cg::grid_group grid = cg::this_grid();
    unsigned i = grid.thread_rank(), n = grid.size();
    for (int step = 0; step < steps; step++) {
        int next = values[(i + n - 1) % n];
        grid.sync();
        values[i] = next + 1;
        grid.sync();
    }
}

// A reduction over the block by cooperative_groups, which keeps its scratch in reserved shared memory.
__global__ void reduce_block(int *out)
{
    __shared__ cg::block_tile_memory<256> scratch;
    auto block = cg::this_thread_block(scratch);
    auto tile = cg::tiled_partition<128>(block);
    int sum = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void invalid(int *out)
{
    out[threadIdx.x] = cg::this_grid().is_valid();
}

int main()
{
    enum { BLOCKS = 40, THREADS = 64, STEPS = 5, N = BLOCKS * THREADS };
    static int values[N];
    int *device, steps = STEPS, wrong = 0, supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    CHECK(cudaMalloc(&device, sizeof values));
    for (int i = 0; i < N; i++)
        values[i] = 10 * i;
    CHECK(cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice));
    void *arguments[] = {&device, &steps};
    CHECK(cudaLaunchCooperativeKernel((void *)rotate, dim3(BLOCKS), dim3(THREADS), arguments, 0, 0));
    CHECK(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        wrong += values[i] != 10 * ((i + N - STEPS) % N) + STEPS;
    printf("rotate: %d wrong\n", wrong);

    reduce_block<<<2, 256>>>(device);
    CHECK(cudaMemcpy(values, device, 512 * sizeof *values, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < 512; i++)
        wrong += values[i] != (i % 256 < 128 ? 127 * 64 : 127 * 64 + 128 * 128);
    printf("reduce_block: %d wrong\n", wrong);

    invalid<<<1, 1>>>(device);
    CHECK(cudaMemcpy(values, device, sizeof *values, cudaMemcpyDeviceToHost));
    printf("an ordinary launch has a valid grid: %d\n", values[0]);
    int too_many =
        (int)cudaLaunchCooperativeKernel((void *)rotate, dim3(100000), dim3(THREADS), arguments, 0, 0);
    printf("too many blocks: %d\n", too_many);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
