// exercise: coalesce
// The indices are mixed in another way: neighbouring lanes now stand 16 words apart.
extern "C" __global__ void copy_offset(float *out, const float *in, unsigned offset)
{
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * 256 + t % 16 * 16 + t / 16 + offset;

    out[i] = in[i];
}
