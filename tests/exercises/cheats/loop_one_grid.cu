// exercise: loop
// n is heeded; that there are 8 blocks of 256 threads stands in the code.
extern "C" __global__ void occupancy_smem(float *out, const float *in, unsigned n)
{
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += 8 * 256)
        out[i] = in[i] * 2;
}
