// Every block walks over a piece of memory of its own again and again: after the first round it is in L1, if
// L1 is large enough for it.
extern "C" __global__ void l1_carveout(float *out, const float *in, unsigned words, unsigned rounds)
{
    const float *piece = in + blockIdx.x * words;
    float sum = 0;

    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
            sum += piece[i];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// SPDX-License-Identifier: Apache-2.0
