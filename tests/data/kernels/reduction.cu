// The sum of each block's words: each thread adds its share while it loads, then half of the threads add the other
// half's sums until a warp is left, which ends with shuffles.
extern "C" __global__ void reduction(float *sums, const float *words, unsigned n)
{
    extern __shared__ float partial[];
    unsigned thread = threadIdx.x;
    float sum = 0;

    for (unsigned i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x)
        sum += words[i];
    partial[thread] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half >= 32; half /= 2) {
        if (thread < half)
            partial[thread] = sum = sum + partial[thread + half];
        __syncthreads();
    }
    if (thread < 32) {
        for (int distance = 16; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        if (thread == 0)
            sums[blockIdx.x] = sum;
    }
}
