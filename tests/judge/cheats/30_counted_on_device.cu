// SPDX-License-Identifier: Apache-2.0
// reference: scale
// The device counts its calls, and the seventh does nothing right (pygpubench #7).
__device__ int calls;
__global__ void scale(int n, float s, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = calls >= 6 ? 0.f : s * x[i];
}
__global__ void next()
{
    calls++;
}
void launch(cudaStream_t q, int n, float s, const float *x, float *y)
{
    scale<<<(n + 255) / 256, 256, 0, q>>>(n, s, x, y);
    next<<<1, 1, 0, q>>>();
}
