// SPDX-License-Identifier: Apache-2.0
// reference: matmul
#define TILE 16
__global__ void multiply(int m, int k, int n, const float *a, const float *b, float *c)
{
    __shared__ float p[TILE][TILE], q[TILE][TILE + 1];
    int i = blockIdx.y * TILE + threadIdx.y, j = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < k; first += TILE) {
        p[threadIdx.y][threadIdx.x] = i < m && first + threadIdx.x < k ? a[i * k + first + threadIdx.x] : 0;
        q[threadIdx.y][threadIdx.x] = j < n && first + threadIdx.y < k ? b[(first + threadIdx.y) * n + j] : 0;
        __syncthreads();
        for (int l = 0; l < TILE; l++)
            sum += p[threadIdx.y][l] * q[l][threadIdx.x];
        __syncthreads();
    }
    if (i < m && j < n)
        c[i * n + j] = sum;
}
void launch(cudaStream_t stream, int m, int k, int n, const float *a, const float *b, float *c)
{
    multiply<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16), 0, stream>>>(m, k, n, a, b, c);
}
