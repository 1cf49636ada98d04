// How often does each value occur? A thread takes 16 values and adds 1 to the bin of each. There are 256
// bins, and all threads of the device add to the same ones.
const int BLOCK = 256, ROUNDS = 16;

extern "C" __global__ void histogram_global(unsigned *__restrict__ bin, const unsigned *__restrict__ in,
                                            unsigned bins)
{
    unsigned first = blockIdx.x * BLOCK * ROUNDS + threadIdx.x;

    for (int round = 0; round < ROUNDS; round++)
        atomicAdd(&bin[in[first + round * BLOCK]], 1);
}
