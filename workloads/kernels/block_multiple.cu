// A copy in blocks of any size. Where a block is no multiple of 32 threads, its last warp has lanes without
// work, and the blocks behind it begin in the middle of a line.
extern "C" __global__ void block_multiple(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i];
}
// SPDX-License-Identifier: Apache-2.0
