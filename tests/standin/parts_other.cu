/* What parts.cu declares. */
#include <cstdio>

__device__ int scale = 3;

__device__ int scaled(int value)
{
    return scale * value;
}

static __device__ __noinline__ int own_number()
{
    return 20;
}

__global__ void scale_all(int *values, int *own)
{
    values[threadIdx.x] = scaled(values[threadIdx.x]);
    if (threadIdx.x == 0) {
        *own = own_number();
        printf("%s\n", "there");
    }
}
// SPDX-License-Identifier: Apache-2.0
