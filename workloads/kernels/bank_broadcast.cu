// The lanes of a warp read few words of shared memory, each of them for many lanes. In 32 rounds all move on
// by a word together.
const int WORDS = 1024, ROUNDS = 32;

extern "C" __global__ void bank_broadcast(float *out, const float *in, unsigned lanes_per_word,
                                          unsigned distance)
{
    __shared__ float word[WORDS];
    unsigned lane = threadIdx.x % 32, first = lane / lanes_per_word * distance;
    float sum = 0;

    for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x)
        word[i] = in[i];
    __syncthreads();
    for (unsigned round = 0; round < ROUNDS; round++)
        sum += word[(first + round) % WORDS];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// SPDX-License-Identifier: Apache-2.0
