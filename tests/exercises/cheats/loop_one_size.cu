// exercise: loop
// The number of words of the usual run stands in the code.
extern "C" __global__ void occupancy_smem(float *out, const float *in, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < 16384; i += gridDim.x * blockDim.x)
        out[i] = in[i] * 2;
}
