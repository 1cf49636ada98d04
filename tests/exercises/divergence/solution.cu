// exercise: divergence
// The paths differ in one number only: the lanes choose the number and walk together.
extern "C" __global__ void divergence_lane(float *out, const float *in, unsigned ways)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], factor = i % ways == 0 ? 0.5f : 0.5078125f;

    for (int round = 0; round < 64; round++)
        x = x * factor + 1;
    out[i] = x;
}
