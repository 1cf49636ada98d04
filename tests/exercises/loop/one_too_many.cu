// exercise: loop
// The loop is right but for its end: word n is no word of the array.
extern "C" __global__ void occupancy_smem(float *out, const float *in, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x)
        out[i] = in[i] * 2;
}
