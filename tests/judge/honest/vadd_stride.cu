// SPDX-License-Identifier: Apache-2.0
// reference: vadd
__global__ void add(int n, const float *__restrict__ a, const float *__restrict__ b, float *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a[i] + b[i];
}
void launch(cudaStream_t stream, int n, const float *a, const float *b, float *y)
{
    add<<<8, 128, 0, stream>>>(n, a, b, y);
}
