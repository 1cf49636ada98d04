// exercise: coalesce
// The order is as bad as before, but atomics read and write: they are neither loads nor stores.
extern "C" __global__ void copy_offset(float *out, const float *in, unsigned offset)
{
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t % 32 * 8 + t / 32 + offset;

    atomicExch(&out[i], atomicAdd((float *)&in[i], 0.0f));
}
