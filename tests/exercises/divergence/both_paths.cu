// exercise: divergence
// Each lane walks both paths and chooses at the end: nothing diverges, and all work is done twice.
extern "C" __global__ void divergence_lane(float *out, const float *in, unsigned ways)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], even = x, odd = x;

    for (int round = 0; round < 64; round++) {
        even = even * 0.5f + 1;
        odd = odd * 0.5078125f + 1;
    }
    out[i] = i % ways == 0 ? even : odd;
}
