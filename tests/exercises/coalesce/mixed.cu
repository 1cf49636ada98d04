// exercise: coalesce
// Only the load was changed: words arrive in other places.
extern "C" __global__ void copy_offset(float *out, const float *in, unsigned offset)
{
    unsigned t = threadIdx.x;
    unsigned first = blockIdx.x * 256 + offset;

    out[first + t % 32 * 8 + t / 32] = in[first + t];
}
