// SPDX-License-Identifier: Apache-2.0
// reference: matmul
/* Each thread has a column of four results. */
__global__ void multiply(int m, int k, int n, const float *a, const float *b, float *c)
{
    int i = 4 * (blockIdx.y * blockDim.y + threadIdx.y), j = blockIdx.x * blockDim.x + threadIdx.x;
    float sum[4] = {0, 0, 0, 0};
    if (j >= n)
        return;
    for (int l = 0; l < k; l++) {
        float of_b = b[l * n + j];
        for (int r = 0; r < 4; r++)
            if (i + r < m)
                sum[r] = fmaf(a[(i + r) * k + l], of_b, sum[r]);
    }
    for (int r = 0; r < 4; r++)
        if (i + r < m)
            c[(i + r) * n + j] = sum[r];
}
void launch(cudaStream_t stream, int m, int k, int n, const float *a, const float *b, float *c)
{
    multiply<<<dim3((n + 31) / 32, (m + 15) / 16), dim3(32, 4), 0, stream>>>(m, k, n, a, b, c);
}
