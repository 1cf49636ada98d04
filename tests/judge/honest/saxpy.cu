// SPDX-License-Identifier: Apache-2.0
// reference: saxpy
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fmaf(a, x[i], y[i]);
}
void launch(cudaStream_t stream, int n, float a, const float *x, float *y)
{
    saxpy<<<(n + 127) / 128, 128, 0, stream>>>(n, a, x, y);
}
