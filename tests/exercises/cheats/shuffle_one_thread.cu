// exercise: shuffle
// No word goes through shared memory, since one thread adds them all.
extern "C" __global__ void reduction_sequential(unsigned *out, const unsigned *in)
{
    unsigned sum = 0;

    for (int i = 0; i < 256 && threadIdx.x == 0; i++)
        sum += in[blockIdx.x * 256 + i];
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}
