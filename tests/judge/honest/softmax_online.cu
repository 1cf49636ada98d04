// SPDX-License-Identifier: Apache-2.0
// reference: softmax
__global__ void softmax(int rows, int columns, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    float most = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < columns; c += 32) { /* online: one pass */
        float v = x[row * columns + c], greater = fmaxf(most, v);
        sum = sum * __expf(most - greater) + __expf(v - greater);
        most = greater;
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        float other = __shfl_xor_sync(~0u, most, lanes), others = __shfl_xor_sync(~0u, sum, lanes),
              greater = fmaxf(most, other);
        sum = sum * __expf(most - greater) + others * __expf(other - greater);
        most = greater;
    }
    for (int c = threadIdx.x; c < columns; c += 32)
        y[row * columns + c] = __expf(x[row * columns + c] - most) / sum;
}
void launch(cudaStream_t stream, int rows, int columns, const float *x, float *y)
{
    softmax<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(rows, columns, x, y);
}
