// exercise: shuffle
// Each warp adds up its words by shuffles and leaves one word; the first warp adds up those.
const unsigned BLOCK = 256, WARPS = BLOCK / 32;

__device__ unsigned warp_sum(unsigned sum)
{
    for (unsigned s = 16; s > 0; s /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, s);
    return sum;
}

extern "C" __global__ void reduction_sequential(unsigned *out, const unsigned *in)
{
    __shared__ unsigned of_warp[WARPS];
    unsigned t = threadIdx.x, sum = warp_sum(in[blockIdx.x * BLOCK + t]);

    if (t % 32 == 0)
        of_warp[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = warp_sum(t < WARPS ? of_warp[t] : 0);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}
