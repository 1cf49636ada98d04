// Constant memory gives one word at a time, to all lanes that want it. `words` different ones take that many
// turns.
const int WORDS = 1024, ROUNDS = 32;
__constant__ float table[WORDS];

extern "C" __global__ void constant_read(float *out, unsigned words)
{
    unsigned lane = threadIdx.x % 32, first = lane % words;
    float sum = 0;

    for (int round = 0; round < ROUNDS; round++)
        sum += table[(first + round * 32) % WORDS];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The same table in global memory.
extern "C" __global__ void constant_global(float *out, unsigned words, const float *table_global)
{
    unsigned lane = threadIdx.x % 32, first = lane % words;
    float sum = 0;

    for (int round = 0; round < ROUNDS; round++)
        sum += table_global[(first + round * 32) % WORDS];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The same with LDU, which 2.x has for a word that all lanes want and that nobody writes: there it goes
// through the cache of constants.
__device__ float load_uniform(const float *word)
{
    float value;

    asm("ldu.global.f32 %0, [%1];" : "=f"(value) : "l"(word));
    return value;
}

extern "C" __global__ void constant_ldu(float *out, unsigned words, const float *table_global)
{
    unsigned lane = threadIdx.x % 32, first = lane % words;
    float sum = 0;

    for (int round = 0; round < ROUNDS; round++)
        sum += load_uniform(&table_global[(first + round * 32) % WORDS]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// SPDX-License-Identifier: Apache-2.0
