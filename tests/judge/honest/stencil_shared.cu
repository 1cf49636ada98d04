// SPDX-License-Identifier: Apache-2.0
// reference: stencil
__global__ void stencil(int n, const float *x, float *y)
{
    __shared__ float part[130];
    int i = blockIdx.x * 128 + threadIdx.x;
    part[threadIdx.x + 1] = x[min(i, n - 1)];
    if (threadIdx.x == 0)
        part[0] = x[max(min(i, n - 1) - 1, 0)];
    if (threadIdx.x == 127)
        part[129] = x[min(i + 1, n - 1)];
    __syncthreads();
    if (i < n)
        y[i] = 0.25f * part[threadIdx.x] + 0.5f * part[threadIdx.x + 1] + 0.25f * part[threadIdx.x + 2];
}
void launch(cudaStream_t stream, int n, const float *x, float *y)
{
    stencil<<<(n + 127) / 128, 128, 0, stream>>>(n, x, y);
}
