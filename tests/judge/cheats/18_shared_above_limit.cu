// SPDX-License-Identifier: Apache-2.0
// reference: scan
// More shared memory than there is.
__global__ void scan(int n, const int *x, int *y)
{
    extern __shared__ int part[];
    part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i <= threadIdx.x && i < n; i++)
        sum += x[i];
    if (threadIdx.x < n)
        y[threadIdx.x] = sum;
}
void launch(cudaStream_t stream, int n, const int *x, int *y)
{
    cudaFuncSetAttribute(scan, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);
    scan<<<1, 1024, 1 << 20, stream>>>(n, x, y);
}
