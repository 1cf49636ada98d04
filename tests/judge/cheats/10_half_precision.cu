// SPDX-License-Identifier: Apache-2.0
// reference: matmul
// Sums are of half precision inside.
#include <cuda_fp16.h>
__global__ void multiply(int m, int k, int n, const float *a, const float *b, float *c)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    __half sum = __float2half(0);
    if (i >= m || j >= n)
        return;
    for (int l = 0; l < k; l++)
        sum = __hfma(__float2half(a[i * k + l]), __float2half(b[l * n + j]), sum);
    c[i * n + j] = __half2float(sum);
}
void launch(cudaStream_t stream, int m, int k, int n, const float *a, const float *b, float *c)
{
    multiply<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16), 0, stream>>>(m, k, n, a, b, c);
}
