// A matrix copied by blocks of 256 threads of any shape: blockDim.x threads along a row, blockDim.y rows. A warp is 32
// threads in the order of x, then y: where blockDim.x is less than 32 it reads a piece of each of several rows.
extern "C" __global__ void block_shape_rows(float *out, const float *in, unsigned n)
{
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;

    out[row * n + column] = in[row * n + column];
}

// The same with the roles of x and y exchanged: neighbours in x read words of different rows.
extern "C" __global__ void block_shape_columns(float *out, const float *in, unsigned n)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;

    out[row * n + column] = in[row * n + column];
}
// SPDX-License-Identifier: Apache-2.0
