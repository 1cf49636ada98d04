// Threads take one of `ways` paths. Which lanes go together decides whether a warp walks one path or all of
// them, one after the other.
const int ROUNDS = 64;

// A path of its own for every way: the multiplier differs, so that the compiler keeps them apart.
template <int WAY> __device__ float path(float x)
{
    for (int round = 0; round < ROUNDS; round++)
        x = x * (0.5f + WAY * 0.0078125f) + 1;
    return x;
}

#define TWO(w)                     \
    case w: x = path<w>(x); break; \
    case w + 1:                    \
        x = path<w + 1>(x);        \
        break;
#define EIGHT(w) TWO(w) TWO(w + 2) TWO(w + 4) TWO(w + 6)

__device__ float walk(float x, unsigned way)
{
    switch (way) {
        EIGHT(0) EIGHT(8) EIGHT(16) EIGHT(24)
    }
    return x;
}

// Neighbouring lanes take different ways: a warp walks all of them.
extern "C" __global__ void divergence_lane(float *out, const float *in, unsigned ways)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = walk(in[i], i % ways);
}

// All lanes of a warp take one way: nothing diverges.
extern "C" __global__ void divergence_warp(float *out, const float *in, unsigned ways)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = walk(in[i], i / 32 % ways);
}

// The data decides.
extern "C" __global__ void divergence_data(float *out, const float *in, unsigned ways)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = walk(in[i], __float_as_uint(in[i]) / 64 % ways);
}

// So short a path that the compiler makes no branch of it: the instruction is carried out by the lanes that
// want it.
extern "C" __global__ void divergence_predicated(float *out, const float *in, unsigned ways)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];

    if (i % ways)
        x = x * 0.5f;
    out[i] = x;
}
// SPDX-License-Identifier: Apache-2.0
