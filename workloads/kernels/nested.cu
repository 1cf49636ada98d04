// A kernel that launches kernels: the host launches one, and its one thread all others. They come one after
// the other, since a block's launches go to one stream of the device, and the first ends when they all have.
extern "C" __global__ void nested_add(unsigned *word)
{
    word[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

extern "C" __global__ void nested_launch(unsigned *word, unsigned kernels, unsigned blocks, unsigned threads)
{
    for (unsigned k = 0; k < kernels; k++)
        nested_add<<<blocks, threads>>>(word);
}
// SPDX-License-Identifier: Apache-2.0
