// exercise: reduction
// Nothing diverges and nothing conflicts, since one thread does all the work.
const unsigned BLOCK = 256;

extern "C" __global__ void reduction_divergent(unsigned *out, const unsigned *in)
{
    __shared__ unsigned word[BLOCK];
    unsigned t = threadIdx.x;

    word[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    if (t == 0)
        for (unsigned i = 1; i < BLOCK; i++)
            word[0] += word[i];
    if (t == 0)
        out[blockIdx.x] = word[0];
}
