// paced N FILE: one kernel every 300 ms; writes the wall clock when the host knew each to have ended to FILE.
// For the latency of the live screen.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>

__global__ void paced(int *x)
{
    *x += 1;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 20;
    FILE *out = argc > 2 ? fopen(argv[2], "w") : stdout;
    int *x;
    if (!out || cudaMalloc(&x, sizeof *x) != cudaSuccess)
        return 1;
    for (int i = 0; i < count; i++) {
        struct timespec now;
        usleep(300000);
        paced<<<1, 1>>>(x);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return 1;
        clock_gettime(CLOCK_REALTIME, &now);
        fprintf(out, "ended %lld.%09ld\n", (long long)now.tv_sec, now.tv_nsec);
        fflush(out);
    }
    usleep(500000);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
