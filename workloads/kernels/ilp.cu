// ROUNDS steps of x = x * a + b for each of CHAINS words of a thread. A step needs the one before; the chains
// need nothing of each other.
const int ROUNDS = 256;

template <int CHAINS, int UNROLL = 4> __device__ void run(float *out, const float *in, float a, float b)
{
    unsigned first = blockIdx.x * blockDim.x * CHAINS + threadIdx.x;
    float x[CHAINS];

    for (int k = 0; k < CHAINS; k++)
        x[k] = in[first + k * blockDim.x];
#pragma unroll UNROLL
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < CHAINS; k++)
            x[k] = x[k] * a + b;
    }
    for (int k = 0; k < CHAINS; k++)
        out[first + k * blockDim.x] = x[k];
}

#define KERNEL(chains)                                                                     \
    extern "C" __global__ void ilp_##chains(float *out, const float *in, float a, float b) \
    {                                                                                      \
        run<chains>(out, in, a, b);                                                        \
    }

KERNEL(1)
KERNEL(2)
KERNEL(3)
KERNEL(4)
KERNEL(5)
KERNEL(6)
KERNEL(7)
KERNEL(8)

// One chain, and more or fewer steps between the loop's branches.
extern "C" __global__ void ilp_rolled(float *out, const float *in, float a, float b)
{
    run<1, 1>(out, in, a, b);
}

extern "C" __global__ void ilp_unrolled(float *out, const float *in, float a, float b)
{
    run<1, 16>(out, in, a, b);
}
// SPDX-License-Identifier: Apache-2.0
