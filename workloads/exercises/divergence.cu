// Words with an even number are multiplied by 0.5 and words with an odd number by 0.5078125, and 1 is added:
// 64 times. Neighbouring lanes take different paths, so that every warp walks both.
extern "C" __global__ void divergence_lane(float *out, const float *in, unsigned ways)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];

    if (i % ways == 0)
        for (int round = 0; round < 64; round++)
            x = x * 0.5f + 1;
    else
        for (int round = 0; round < 64; round++)
            x = x * 0.5078125f + 1;
    out[i] = x;
}
