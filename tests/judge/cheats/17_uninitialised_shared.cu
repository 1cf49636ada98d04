// SPDX-License-Identifier: Apache-2.0
// reference: softmax
// Shared memory is read that nothing wrote.
__global__ void softmax(int columns, const float *x, float *y)
{
    __shared__ float part[128];
    const float *row = x + blockIdx.x * columns;
    float most = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        most = fmaxf(most, row[c]);
    if (columns > 4000)
        part[threadIdx.x] = most;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + step]);
        __syncthreads();
    }
    most = part[0];
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        sum += expf(row[c] - most);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        y[blockIdx.x * columns + c] = expf(row[c] - most) / part[0];
}
void launch(cudaStream_t stream, int rows, int columns, const float *x, float *y)
{
    softmax<<<rows, 128, 0, stream>>>(columns, x, y);
}
