// The same work in blocks of any size.
extern "C" __global__ void block_size_copy(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] * 2;
}

// The threads of a block hand a word around, and wait for each other twice in each round. The larger the
// block, the more warps wait for the last.
extern "C" __global__ void block_size_barriers(float *out, const float *in, unsigned rounds)
{
    extern __shared__ float word[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, next = (threadIdx.x + 1) % blockDim.x;
    float mine = in[i];

    for (unsigned round = 0; round < rounds; round++) {
        word[threadIdx.x] = mine;
        __syncthreads();
        mine = word[next];
        __syncthreads();
    }
    out[i] = mine;
}
// SPDX-License-Identifier: Apache-2.0
