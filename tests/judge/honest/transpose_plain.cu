// SPDX-License-Identifier: Apache-2.0
// reference: transpose
__global__ void transpose(int rows, int columns, const float *x, float *y)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r < rows && c < columns)
        y[c * rows + r] = x[r * columns + c];
}
void launch(cudaStream_t stream, int rows, int columns, const float *x, float *y)
{
    transpose<<<dim3((columns + 31) / 32, (rows + 7) / 8), dim3(32, 8), 0, stream>>>(rows, columns, x, y);
}
