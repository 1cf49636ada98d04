/* slow [SECONDS]: one kernel that runs for long, a copy before and after it, then a cooperative launch. */
#include "program.h"

#include <cooperative_groups.h>

static __global__ void spin(long long ns)
{
    long long start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - start < ns);
}

static __global__ void together(unsigned *counter)
{
    cooperative_groups::this_grid().sync();
    atomicAdd(counter, 1u);
    cooperative_groups::this_grid().sync();
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 2;
    unsigned *counter = new_counter();
    void *arguments[] = {&counter};
    spin<<<1, 1>>>((long long)(1e9 * seconds));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaLaunchCooperativeKernel((void *)together, dim3(8), dim3(64), arguments, 0, 0));
    expect(counter, 512);
    printf("ran %.1f s\n", seconds);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
