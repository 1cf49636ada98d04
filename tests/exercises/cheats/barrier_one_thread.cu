// exercise: barrier
// Where there is one thread there is no race; four words at a time, it needs few instructions.
extern "C" __global__ void scan_naive(unsigned *out, const unsigned *in)
{
    const uint4 *from = (const uint4 *)(in + blockIdx.x * 512);
    uint4 *to = (uint4 *)(out + blockIdx.x * 512);
    unsigned sum = 0;

    if (threadIdx.x > 0)
        return;
#pragma unroll
    for (int i = 0; i < 128; i++) {
        uint4 word = from[i];

        to[i] = make_uint4(sum, sum + word.x, sum + word.x + word.y, sum + word.x + word.y + word.z);
        sum += word.x + word.y + word.z + word.w;
    }
}
