/* Sum of an array: threads stride over it, warps add up by shuffles, blocks by shared memory, the grid by an
 * atomic. After "Faster Parallel Reductions on Kepler" (Luitjens, 2014). */
template <typename T> __device__ T warp_sum(T value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffffu, value, distance);
    return value;
}

template <typename T> __device__ T block_sum(T value)
{
    __shared__ T of_warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0)
        of_warps[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / 32 ? of_warps[lane] : T(0);
    return warp == 0 ? warp_sum(value) : value;
}

extern "C" __global__ void reduce_int(const int *in, int *sum, int n)
{
    int value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += in[i];
    value = block_sum(value);
    if (threadIdx.x == 0)
        atomicAdd(sum, value);
}

/* One sum per block: the order of additions is fixed, so that the result is. */
extern "C" __global__ void reduce_float(const float *in, float *sums, int n)
{
    float value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += in[i];
    value = block_sum(value);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = value;
}
