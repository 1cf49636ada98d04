/* The kernels of driver.c, which loads them as PTX, as a fat binary and as machine code. */
extern "C" {
__device__ int scale = 3;
__constant__ int offsets[4] = {1, 2, 3, 4};

/* values[i] = scale * values[i] + offsets[i % 4] */
__global__ void scale_all(int *values, int count)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < count)
        values[i] = scale * values[i] + offsets[i % 4];
}

/* Each block's sum, by dynamic shared memory. The char before the pointer makes a hole in the parameters. */
__global__ void sum_blocks(char sign, const int *values, int *sums)
{
    extern __shared__ int partial[];

    partial[threadIdx.x] = values[blockIdx.x * blockDim.x + threadIdx.x];
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sign * partial[0];
}
}
// SPDX-License-Identifier: Apache-2.0
