// SPDX-License-Identifier: Apache-2.0
// reference: scale
// Two thousand million launches.
__global__ void scale(int n, float s, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = s * x[i];
}
void launch(cudaStream_t q, int n, float s, const float *x, float *y)
{
    for (long i = 0; i < 2000000000L; i++)
        scale<<<(n + 255) / 256, 256, 0, q>>>(n, s, x, y);
}
