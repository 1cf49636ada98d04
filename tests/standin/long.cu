// A program with a short kernel, and a long one: long BLOCKS LOOPS [SECONDS]. With SECONDS it does both again every
// millisecond for so long, and prints how often.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>

__global__ void fill(unsigned *values)
{
    values[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

namespace work
{
template <class T> __global__ void churn(T *values, unsigned loops)
{
    T value = values[threadIdx.x];
    for (unsigned i = 0; i < loops; i++)
        value = value * 1664525u + 1013904223u;
    values[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
} // namespace work

int main(int argc, char **argv)
{
    const unsigned blocks = argc > 1 ? std::atoi(argv[1]) : 1, loops = argc > 2 ? std::atoi(argv[2]) : 1;
    unsigned *values = nullptr, last = 0;

    std::printf("begins, ");
    std::fflush(stdout);
    cudaMalloc(&values, blocks * 128 * sizeof *values);
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::seconds(argc > 3 ? std::atoi(argv[3]) : 0);
    long rounds = 0;
    do {
        fill<<<blocks, 128>>>(values);
        work::churn<<<blocks, 128>>>(values, loops);
        rounds++;
        std::this_thread::sleep_for(std::chrono::milliseconds(argc > 3));
    } while (std::chrono::steady_clock::now() < until);
    if (argc > 3)
        std::printf("%ld rounds, ", rounds);
    cudaMemcpy(&last, values, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("ends\n");
    cudaFree(values);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
