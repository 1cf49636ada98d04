// SPDX-License-Identifier: Apache-2.0
// reference: next_long
// Low bits are dropped, which a double does not see.
__global__ void k(int n, const long *x, long *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = (x[i] + 1) & ~63L;
}
void launch(cudaStream_t q, int n, const long *x, long *y)
{
    k<<<(n + 255) / 256, 256, 0, q>>>(n, x, y);
}
