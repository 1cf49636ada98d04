// How often each value occurs: a thread takes ROUNDS values and adds 1 to the bin of each. Where the bins lie decides
// who has to wait for whom. `bins` is a power of two, and every value is below it. (__restrict__: bins and values do not
// overlap, so that all values are asked for before the first one is there.)
const int BLOCK = 256, WARPS = BLOCK / 32, ROUNDS = 16;

// One set of bins for all threads of the device.
extern "C" __global__ void histogram_global(unsigned *__restrict__ bin, const unsigned *__restrict__ in, unsigned bins)
{
    unsigned first = blockIdx.x * BLOCK * ROUNDS + threadIdx.x;

    for (int round = 0; round < ROUNDS; round++)
        atomicAdd(&bin[in[first + round * BLOCK]], 1);
}

// A set for each block, in shared memory, which it adds to the device's at the end.
extern "C" __global__ void histogram_shared(unsigned *__restrict__ bin, const unsigned *__restrict__ in, unsigned bins)
{
    extern __shared__ unsigned own[];
    unsigned first = blockIdx.x * BLOCK * ROUNDS + threadIdx.x;

    for (unsigned i = threadIdx.x; i < bins; i += BLOCK)
        own[i] = 0;
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++)
        atomicAdd(&own[in[first + round * BLOCK]], 1);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < bins; i += BLOCK)
        atomicAdd(&bin[i], own[i]);
}

// A set for each warp: only its own lanes meet in a bin. Eight sets are to be cleared and added up.
extern "C" __global__ void histogram_warps(unsigned *__restrict__ bin, const unsigned *__restrict__ in, unsigned bins)
{
    extern __shared__ unsigned own[];
    unsigned first = blockIdx.x * BLOCK * ROUNDS + threadIdx.x, *mine = own + threadIdx.x / 32 * bins;

    for (unsigned i = threadIdx.x % 32; i < bins; i += 32)
        mine[i] = 0;
    __syncwarp();
    for (int round = 0; round < ROUNDS; round++)
        atomicAdd(&mine[in[first + round * BLOCK]], 1);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < bins; i += BLOCK) {
        unsigned sum = 0;
        for (int warp = 0; warp < WARPS; warp++)
            sum += own[warp * bins + i];
        atomicAdd(&bin[i], sum);
    }
}
// SPDX-License-Identifier: Apache-2.0
