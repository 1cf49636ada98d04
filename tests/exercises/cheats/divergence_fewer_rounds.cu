// exercise: divergence
// Both ways as before, but only as many rounds as change something.
extern "C" __global__ void divergence_lane(float *out, const float *in, unsigned ways)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];

    if (i % ways == 0)
        for (int round = 0; round < 30; round++)
            x = x * 0.5f + 1;
    else
        for (int round = 0; round < 30; round++)
            x = x * 0.5078125f + 1;
    out[i] = x;
}
