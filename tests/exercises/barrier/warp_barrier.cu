// exercise: barrier
// __syncwarp waits for one warp: the others may still read.
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
        __syncwarp();
    }
    out[blockIdx.x * SHARE + t] = sum - own;
}
