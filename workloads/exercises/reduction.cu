// Each block adds up 256 words. In each step the threads whose number is a multiple of 2 s add the word that
// lies s further on: half of the lanes of every warp drop out, then three quarters, and all warps stay busy.
const unsigned BLOCK = 256;

extern "C" __global__ void reduction_divergent(unsigned *out, const unsigned *in)
{
    __shared__ unsigned word[BLOCK];
    unsigned t = threadIdx.x;

    word[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned s = 1; s < BLOCK; s *= 2) {
        if (t % (2 * s) == 0)
            word[t] += word[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = word[0];
}
