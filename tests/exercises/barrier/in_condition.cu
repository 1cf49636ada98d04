// exercise: barrier
// Not all threads of the block reach the second barrier.
const unsigned SHARE = 512;

extern "C" __global__ void scan_naive(unsigned *out, const unsigned *in)
{
    __shared__ unsigned word[SHARE];
    unsigned t = threadIdx.x, own = in[blockIdx.x * SHARE + t], sum = own;

    for (unsigned s = 1; s < SHARE; s *= 2) {
        word[t] = sum;
        __syncthreads();
        if (t >= s) {
            sum += word[t - s];
            __syncthreads();
        }
    }
    out[blockIdx.x * SHARE + t] = sum - own;
}
