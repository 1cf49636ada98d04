// exercise: coalesce
// The same scattered words by ld.global.nc and st.global.cs: other names, the same sectors.
extern "C" __global__ void copy_offset(float *out, const float *in, unsigned offset)
{
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t % 32 * 8 + t / 32 + offset;
    float word;

    asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(word) : "l"(in + i));
    asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(out + i), "f"(word));
}
