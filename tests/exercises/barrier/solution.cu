// exercise: barrier
// All threads have read before any of them writes again.
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
        __syncthreads();
    }
    out[blockIdx.x * SHARE + t] = sum - own;
}
