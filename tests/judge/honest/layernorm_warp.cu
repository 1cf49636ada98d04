// SPDX-License-Identifier: Apache-2.0
// reference: layernorm
__global__ void layernorm(int columns, const float *x, float *y)
{
    const float *row = x + blockIdx.x * columns;
    float sum = 0, squares = 0;
    for (int c = threadIdx.x; c < columns; c += 32)
        sum += row[c];
    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_xor_sync(~0u, sum, lanes);
    float mean = sum / columns;
    for (int c = threadIdx.x; c < columns; c += 32)
        squares += (row[c] - mean) * (row[c] - mean);
    for (int lanes = 16; lanes > 0; lanes /= 2)
        squares += __shfl_xor_sync(~0u, squares, lanes);
    float scale = rsqrtf(squares / columns + 1e-5f);
    for (int c = threadIdx.x; c < columns; c += 32)
        y[blockIdx.x * columns + c] = (row[c] - mean) * scale;
}
void launch(cudaStream_t stream, int rows, int columns, const float *x, float *y)
{
    layernorm<<<rows, 32, 0, stream>>>(columns, x, y);
}
