// Each word becomes the sum of the words before it, in a block of 512. In each step every thread adds the sum
// that lies s words before its own, as it was before the step. The result can be right, by luck.
const unsigned SHARE = 512;

extern "C" __global__ void scan_naive(unsigned *out, const unsigned *in)
{
    __shared__ unsigned word[SHARE];
    unsigned t = threadIdx.x, own = in[blockIdx.x * SHARE + t], sum = own;

    for (unsigned s = 1; s < SHARE; s *= 2) {
        word[t] = sum;
        __syncthreads();
        if (t >= s)
            sum += word[t - s];
    }
    out[blockIdx.x * SHARE + t] = sum - own;
}
