/*
 * A program of two files with relocatable device code: parts_other.cu has the function, the variable and the
 * kernel that are declared here. Both have a function and a text of one name, each its own. Prints "parts:
 * fine", or where a result is wrong.
 */
#include <cstdio>

extern __device__ int scale;
extern __device__ int scaled(int value);
extern __global__ void scale_all(int *values, int *own);

static __device__ __noinline__ int own_number()
{
    return 10;
}

__global__ void scale_here(int *values)
{
    values[threadIdx.x] = scaled((int)threadIdx.x) + own_number();
    if (threadIdx.x == 0)
        printf("%s %d\n", "here", scale);
}

#define CALL(call)                                                                    \
    do {                                                                              \
        cudaError_t code = (call);                                                    \
        if (code != cudaSuccess) {                                                    \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code)); \
            return 1;                                                                 \
        }                                                                             \
    } while (0)

int main()
{
    const int count = 32;
    int *values, *own, told[count], other;

    CALL(cudaMalloc(&values, sizeof told));
    CALL(cudaMalloc(&own, sizeof other));
    scale_here<<<1, count>>>(values);
    CALL(cudaMemcpy(told, values, sizeof told, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) {
        if (told[i] != 3 * i + 10) {
            std::printf("scale_here: value %d is %d\n", i, told[i]);
            return 1;
        }
    }
    scale_all<<<1, count>>>(values, own);
    CALL(cudaMemcpy(told, values, sizeof told, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(&other, own, sizeof other, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) {
        if (told[i] != 3 * (3 * i + 10) || other != 20) {
            std::printf("scale_all: value %d is %d, its own number %d\n", i, told[i], other);
            return 1;
        }
    }
    std::printf("parts: fine\n");
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
