// exercise: histogram
// One block counts for all: nothing has to be added up in global memory.
extern "C" __global__ void histogram_global(unsigned *__restrict__ bin, const unsigned *__restrict__ in,
                                            unsigned bins)
{
    __shared__ unsigned own[256];
    unsigned t = threadIdx.x;

    if (blockIdx.x > 0)
        return;
    own[t] = 0;
    __syncthreads();
    for (unsigned i = t; i < gridDim.x * 4096; i += 256)
        atomicAdd(&own[in[i]], 1);
    __syncthreads();
    bin[t] = own[t];
}
