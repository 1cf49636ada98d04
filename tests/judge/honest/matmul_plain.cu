// SPDX-License-Identifier: Apache-2.0
// reference: matmul
__global__ void multiply(int m, int k, int n, const float *a, const float *b, float *c)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i >= m || j >= n)
        return;
    for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * n + j];
    c[i * n + j] = sum;
}
void launch(cudaStream_t stream, int m, int k, int n, const float *a, const float *b, float *c)
{
    multiply<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16), 0, stream>>>(m, k, n, a, b, c);
}
