// Threads that add to the same word. `lanes` neighbouring threads share one; where the words lie, and what is
// added, differs.
const int BLOCK = 256, ROUNDS = 16;

extern "C" __global__ void atomics_global(unsigned *count, unsigned lanes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int round = 0; round < ROUNDS; round++)
        atomicAdd(&count[i / lanes], 1);
}

// Sums of whole numbers are exact in any order.
extern "C" __global__ void atomics_float(float *sum, unsigned lanes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int round = 0; round < ROUNDS; round++)
        atomicAdd(&sum[i / lanes], 1.0f);
}

// The words of a block lie in shared memory; those that `lanes` of its threads share go out at the end.
extern "C" __global__ void atomics_shared(unsigned *count, unsigned lanes)
{
    __shared__ unsigned word[BLOCK];

    word[threadIdx.x] = 0;
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++)
        atomicAdd(&word[threadIdx.x / lanes], 1);
    __syncthreads();
    if (threadIdx.x < blockDim.x / lanes)
        count[blockIdx.x * (blockDim.x / lanes) + threadIdx.x] = word[threadIdx.x];
}
// SPDX-License-Identifier: Apache-2.0
