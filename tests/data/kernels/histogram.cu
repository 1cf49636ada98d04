/* Counts of byte values: a histogram per block in shared memory, merged at the end; and straight into global
 * memory. After "Histogram calculation in CUDA" (Podlozhnyuk, 2007). */
extern "C" __global__ void histogram_shared(const unsigned char *in, unsigned *counts, int n)
{
    __shared__ unsigned mine[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        mine[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        if (mine[bin] > 0)
            atomicAdd(&counts[bin], mine[bin]);
}

extern "C" __global__ void histogram_global(const unsigned char *in, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[in[i]], 1u);
}
