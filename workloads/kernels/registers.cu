// 48 words of a thread are alive at once. With fewer registers than that some of them go to local memory and
// come back: they spill.
const int WORDS = 48, ROUNDS = 8;

__device__ void mix(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float x[WORDS], sum = 0;

#pragma unroll
    for (int k = 0; k < WORDS; k++)
        x[k] = in[i + k * threads];
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
        float first = x[0];

#pragma unroll
        for (int k = 0; k < WORDS - 1; k++)
            x[k] = x[k] * 0.5f + x[k + 1];
        x[WORDS - 1] = x[WORDS - 1] * 0.5f + first;
    }
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        sum += x[k];
    out[i] = sum;
}

#define BOUND(registers)                                                                                 \
    extern "C" __global__ void __maxnreg__(registers) registers_##registers(float *out, const float *in) \
    {                                                                                                    \
        mix(out, in);                                                                                    \
    }

BOUND(24)
BOUND(32)
BOUND(40)
BOUND(64)
BOUND(96)
BOUND(128)
BOUND(255)

// The other way to ask: blocks of 128 threads, 8 at once on a multiprocessor. The compiler works out the bound.
extern "C" __global__ void __launch_bounds__(128, 8) registers_launch_bounds(float *out, const float *in)
{
    mix(out, in);
}
// SPDX-License-Identifier: Apache-2.0
