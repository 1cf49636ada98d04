#include <cstdio>
__global__ void reads(long long *out)
{
    long long a = clock64(), b = clock64(), c = clock64();
    unsigned d = clock(), e = clock(), f = clock();
    if (threadIdx.x == 0) {
        out[0] = b - a;
        out[1] = c - b;
        out[2] = e - d;
        out[3] = f - e;
    }
}
__global__ void spin(long long cycles, long long *out)
{
    long long s = clock64(), n = 0;
    while (clock64() - s < cycles)
        n++;
    if (threadIdx.x == 0)
        out[0] = n;
}
__global__ void spin32(unsigned cycles, long long *out)
{
    unsigned s = clock(), n = 0;
    while (clock() - s < cycles)
        n++;
    if (threadIdx.x == 0)
        out[0] = n;
}
__global__ void adds(long long *out, int n)
{
    long long s = clock64();
    int v = threadIdx.x;
    for (int i = 0; i < 1000; i++)
        v = v * n + i;
    long long e = clock64();
    if (threadIdx.x == 0) {
        out[0] = e - s;
        out[1] = v;
    }
}
int main()
{
    long long *o, h[4];
    cudaMalloc(&o, 64);
    for (int w = 1; w <= 32; w *= 2) {
        int t = 32 * w;
        h[0] = 0;
        reads<<<1, t>>>(o);
        cudaMemcpy(h, o, 32, cudaMemcpyDeviceToHost);
        printf("warps %d: clock64 deltas %lld %lld, clock %lld %lld;", w, h[0], h[1], h[2], h[3]);
        spin<<<1, t>>>(1000000, o);
        cudaMemcpy(h, o, 8, cudaMemcpyDeviceToHost);
        printf(" cycles per turn of a clock64 loop %.2f,", 1e6 / h[0]);
        spin32<<<1, t>>>(1000000, o);
        cudaMemcpy(h, o, 8, cudaMemcpyDeviceToHost);
        printf(" clock %.2f,", 1e6 / h[0]);
        adds<<<1, t>>>(o, 3);
        cudaMemcpy(h, o, 8, cudaMemcpyDeviceToHost);
        printf(" 1000 mads %lld\n", h[0]);
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
// SPDX-License-Identifier: Apache-2.0
