// SPDX-License-Identifier: Apache-2.0
// A warp, all of whose lanes follow one chain: the address of each load is what the load before has found, so that no load
// begins before the one before it has ended. The time of a step is the latency.
const unsigned RING = 2048, AT_ONCE = 16; // words of a ring that fits anywhere; steps without a branch
__constant__ unsigned latency_table[RING];
__shared__ unsigned shared_ring[RING];

#define CHAIN(steps, step)                               \
    for (unsigned left = steps; left > 0; left -= AT_ONCE) \
        _Pragma("unroll") for (unsigned k = 0; k < AT_ONCE; k++) step

// Additions, each of which waits for the one before.
extern "C" __global__ void latency_register(float *out, float one, unsigned steps)
{
    float at = 0;

    CHAIN(steps, at += one;)
    *out = at;
}

extern "C" __global__ void latency_shared(unsigned *out, const unsigned *ring, unsigned first, unsigned steps)
{
    unsigned at = first;

    for (unsigned i = threadIdx.x; i < RING; i += blockDim.x)
        shared_ring[i] = ring[i];
    __syncthreads();
    CHAIN(steps, at = shared_ring[at];)
    *out = at;
}

extern "C" __global__ void latency_l1(unsigned *out, const unsigned *ring, unsigned first, unsigned steps)
{
    unsigned at = first;

    CHAIN(steps, at = ring[at];)
    *out = at;
}

// Loads that pass the L1 by.
extern "C" __global__ void latency_l2(unsigned *out, const unsigned *ring, unsigned first, unsigned steps)
{
    unsigned at = first;

    CHAIN(steps, asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(ring + at));)
    *out = at;
}

// A new place at each step: what is loaded is 0, and waited for all the same.
extern "C" __global__ void latency_far(unsigned *out, const unsigned *zeros, unsigned first, unsigned steps, unsigned stride)
{
    unsigned at = first;

    CHAIN(steps, at += stride + zeros[at];)
    *out = at;
}

extern "C" __global__ void latency_constant(unsigned *out, unsigned first, unsigned steps)
{
    unsigned at = first;

    CHAIN(steps, at = latency_table[at];)
    *out = at;
}

extern "C" __global__ void latency_texture(unsigned *out, cudaTextureObject_t ring, unsigned first, unsigned steps)
{
    unsigned at = first;

    CHAIN(steps, at = __float_as_uint(tex1Dfetch<float>(ring, (int)at));)
    *out = at;
}
