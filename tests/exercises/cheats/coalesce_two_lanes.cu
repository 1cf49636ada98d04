// exercise: coalesce
// Two lanes of a warp copy all by 16 bytes: as few sectors as wanted, in sixteen times as many requests.
extern "C" __global__ void copy_offset(float *out, const float *in, unsigned offset)
{
    unsigned first = blockIdx.x * 256 + threadIdx.x / 32 * 32 + offset;

    for (unsigned k = 4 * (threadIdx.x % 32); k < 32 && threadIdx.x % 32 < 2; k += 8)
        *(float4 *)&out[first + k] = *(const float4 *)&in[first + k];
}
