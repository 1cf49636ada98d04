// What never to write: a barrier in divergent code. Lanes with an odd number come to it, those with an even
// number go past it, and read words that may not be there yet.
extern "C" __global__ void divergent_barrier(float *out, const float *in)
{
    __shared__ float word[64];
    unsigned i = threadIdx.x;

    word[i] = in[i];
    if (i % 2)
        __syncthreads();
    out[i] = word[63 - i];
}
