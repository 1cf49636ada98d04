// SPDX-License-Identifier: Apache-2.0
// reference: transpose
__global__ void transpose(int rows, int columns, const float *x, float *y)
{
    __shared__ float tile[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (r + k < rows && c < columns)
            tile[threadIdx.y + k][threadIdx.x] = x[(r + k) * columns + c];
    __syncthreads();
    c = blockIdx.x * 32 + threadIdx.y;
    r = blockIdx.y * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8)
        if (r < rows && c + k < columns)
            y[(c + k) * rows + r] = tile[threadIdx.x][threadIdx.y + k];
}
void launch(cudaStream_t stream, int rows, int columns, const float *x, float *y)
{
    transpose<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 8), 0, stream>>>(rows, columns, x, y);
}
