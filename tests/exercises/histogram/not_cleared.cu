// exercise: histogram
// The bins of the block are not set to 0.
const int BLOCK = 256, ROUNDS = 16, BINS = 256;

extern "C" __global__ void histogram_global(unsigned *__restrict__ bin, const unsigned *__restrict__ in,
                                            unsigned bins)
{
    __shared__ unsigned own[BINS];
    unsigned first = blockIdx.x * BLOCK * ROUNDS + threadIdx.x;

    for (int round = 0; round < ROUNDS; round++)
        atomicAdd(&own[in[first + round * BLOCK]], 1);
    __syncthreads();
    atomicAdd(&bin[threadIdx.x], own[threadIdx.x]);
}
