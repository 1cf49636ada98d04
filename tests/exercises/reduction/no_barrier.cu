// exercise: reduction
// The barrier is missing in the loop: a step reads sums that other warps have not written yet.
const unsigned BLOCK = 256;

extern "C" __global__ void reduction_divergent(unsigned *out, const unsigned *in)
{
    __shared__ unsigned word[BLOCK];
    unsigned t = threadIdx.x;

    word[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 0; s /= 2)
        if (t < s)
            word[t] += word[t + s];
    if (t == 0)
        out[blockIdx.x] = word[0];
}
