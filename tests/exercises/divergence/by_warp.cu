// exercise: divergence
// Whole warps take one path, but now it is the number of the warp that decides, not of the word.
extern "C" __global__ void divergence_lane(float *out, const float *in, unsigned ways)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];

    if (i / 32 % ways == 0)
        for (int round = 0; round < 64; round++)
            x = x * 0.5f + 1;
    else
        for (int round = 0; round < 64; round++)
            x = x * 0.5078125f + 1;
    out[i] = x;
}
