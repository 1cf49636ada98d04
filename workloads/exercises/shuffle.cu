// Each block adds up 256 words in shared memory. The last five steps are made within one warp, and all others
// would need no shared memory either: the lanes of a warp can hand their words to each other.
const unsigned BLOCK = 256;

extern "C" __global__ void reduction_sequential(unsigned *out, const unsigned *in)
{
    __shared__ unsigned word[BLOCK];
    unsigned t = threadIdx.x;

    word[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s)
            word[t] += word[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = word[0];
}
