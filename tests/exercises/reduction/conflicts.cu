// exercise: reduction
// Whole warps drop out, but the words of a step lie 2 s apart, in few banks.
const unsigned BLOCK = 256;

extern "C" __global__ void reduction_divergent(unsigned *out, const unsigned *in)
{
    __shared__ unsigned word[BLOCK];
    unsigned t = threadIdx.x;

    word[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned s = 1; s < BLOCK; s *= 2) {
        unsigned i = 2 * s * t;

        if (i < BLOCK)
            word[i] += word[i + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = word[0];
}
