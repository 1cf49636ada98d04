// SPDX-License-Identifier: Apache-2.0
// reference: scale
// A kernel that could go by the clock.
__device__ long long first;
__global__ void scale(int n, float s, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long c = clock64();
    if (i < n)
        y[i] = c < 0 ? 0 : s * x[i];
}
void launch(cudaStream_t q, int n, float s, const float *x, float *y)
{
    scale<<<(n + 255) / 256, 256, 0, q>>>(n, s, x, y);
}
