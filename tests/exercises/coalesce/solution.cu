// exercise: coalesce
// Neighbouring lanes take neighbouring words.
extern "C" __global__ void copy_offset(float *out, const float *in, unsigned offset)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x + offset;

    out[i] = in[i];
}
