// SPDX-License-Identifier: Apache-2.0
// reference: scale
// A function of the host in the stream.
__global__ void scale(int n, float s, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = s * x[i];
}
static void later(void *p)
{
    *(volatile int *)p = 1;
}
static int flag;
void launch(cudaStream_t q, int n, float s, const float *x, float *y)
{
    cudaLaunchHostFunc(q, later, &flag);
    scale<<<(n + 255) / 256, 256, 0, q>>>(n, s, x, y);
}
