// exercise: divergence
// The condition has moved into the loop, where it is asked 64 times.
extern "C" __global__ void divergence_lane(float *out, const float *in, unsigned ways)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];

#pragma unroll 1
    for (int round = 0; round < 64; round++)
        if (i % ways == 0)
            x = x * 0.5f + 1;
        else
            x = x * 0.5078125f + 1;
    out[i] = x;
}
