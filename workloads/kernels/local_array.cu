// An array of 64 words for each thread.
const int WORDS = 64;

// Every index is known when the kernel is compiled: the words are registers.
extern "C" __global__ void local_array_constant(float *out, const float *in, unsigned shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float word[WORDS], sum = 0;

    for (int k = 0; k < WORDS; k++)
        word[k] = in[i + k * gridDim.x * blockDim.x];
    for (int k = 0; k < WORDS; k++)
        sum = sum * 0.5f + word[(k + 3) % WORDS];
    out[i] = sum;
}

// An index that is only known when it runs: registers have no addresses, so the array goes to local memory,
// which is in DRAM.
extern "C" __global__ void local_array_variable(float *out, const float *in, unsigned shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float word[WORDS], sum = 0;

    for (int k = 0; k < WORDS; k++)
        word[k] = in[i + k * gridDim.x * blockDim.x];
    for (int k = 0; k < WORDS; k++)
        sum = sum * 0.5f + word[(k + shift) % WORDS];
    out[i] = sum;
}
// SPDX-License-Identifier: Apache-2.0
