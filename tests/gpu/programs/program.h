/* SPDX-License-Identifier: Apache-2.0 */
/* What the CUDA programs that are profiled by the GPU tests share: every error ends the program with a line,
 * and every result is checked. */
#ifndef TESTS_GPU_PROGRAMS_PROGRAM_H
#define TESTS_GPU_PROGRAMS_PROGRAM_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                     \
    do {                                                                                                \
        cudaError_t status_ = (call);                                                                   \
        if (status_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_)); \
            exit(1);                                                                                    \
        }                                                                                               \
    } while (0)

/* Adds one per thread: the number of thread launches that really happened once, replayed or not. */
static __global__ void count_up(unsigned *counter)
{
    atomicAdd(counter, 1u);
}

/* Exit status 1 and a line when the counter is not what the launches make it. */
static inline void expect(unsigned *device_counter, unsigned expected)
{
    unsigned seen = 0;
    CHECK(cudaMemcpy(&seen, device_counter, sizeof seen, cudaMemcpyDeviceToHost));
    if (seen != expected) {
        fprintf(stderr, "counter is %u, expected %u\n", seen, expected);
        exit(1);
    }
}

static inline unsigned *new_counter(void)
{
    unsigned *counter;
    CHECK(cudaMalloc(&counter, sizeof *counter));
    CHECK(cudaMemset(counter, 0, sizeof *counter));
    return counter;
}

#endif
