// exercise: shuffle
// Only the last five steps are shuffles: the first three still go through shared memory.
const unsigned BLOCK = 256;

extern "C" __global__ void reduction_sequential(unsigned *out, const unsigned *in)
{
    __shared__ unsigned word[BLOCK];
    unsigned t = threadIdx.x;

    word[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned s = BLOCK / 2; s >= 32; s /= 2) {
        if (t < s)
            word[t] += word[t + s];
        __syncthreads();
    }
    if (t < 32) {
        unsigned sum = word[t];

        for (unsigned s = 16; s > 0; s /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, s);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}
