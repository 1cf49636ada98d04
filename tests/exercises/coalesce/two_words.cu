// exercise: coalesce
// Each thread copies two neighbouring words, so that lanes stand two words apart.
extern "C" __global__ void copy_offset(float *out, const float *in, unsigned offset)
{
    unsigned first = blockIdx.x * 256 + 2 * threadIdx.x + offset;

    if (threadIdx.x < 128) {
        out[first] = in[first];
        out[first + 1] = in[first + 1];
    }
}
