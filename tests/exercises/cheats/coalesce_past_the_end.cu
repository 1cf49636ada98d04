// exercise: coalesce
// Is what is expected kept behind the arrays?
extern "C" __global__ void copy_offset(float *out, const float *in, unsigned offset)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x + offset;

    out[i] = in[i + gridDim.x * 256 + 64];
}
