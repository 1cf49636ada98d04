// Threads that add to the same word. `lanes` neighbouring threads share one; where the words lie, and what is
// added, differs.
const int BLOCK = 256, BINS = 256, ROUNDS = 16;

extern "C" __global__ void atomics_global(unsigned *count, unsigned lanes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int round = 0; round < ROUNDS; round++)
        atomicAdd(&count[i / lanes], 1);
}

// Sums of whole numbers are exact in any order.
extern "C" __global__ void atomics_float(float *sum, unsigned lanes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int round = 0; round < ROUNDS; round++)
        atomicAdd(&sum[i / lanes], 1.0f);
}

// The words of a block lie in shared memory, and go out at the end.
extern "C" __global__ void atomics_shared(unsigned *count, unsigned lanes)
{
    __shared__ unsigned word[BLOCK];

    word[threadIdx.x] = 0;
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++)
        atomicAdd(&word[threadIdx.x / lanes], 1);
    __syncthreads();
    if (threadIdx.x < blockDim.x / lanes)
        count[blockIdx.x * (blockDim.x / lanes) + threadIdx.x] = word[threadIdx.x];
}

// How often each value of a byte occurs: all threads of the device on 256 words,
extern "C" __global__ void atomics_histogram_global(unsigned *bin, const unsigned *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    atomicAdd(&bin[in[i] % BINS], 1);
}

// or every block on 256 words of its own, which it adds to the others' at the end.
extern "C" __global__ void atomics_histogram_shared(unsigned *bin, const unsigned *in)
{
    __shared__ unsigned own[BINS];
    unsigned i = blockIdx.x * blockDim.x * ROUNDS + threadIdx.x;

    own[threadIdx.x] = 0;
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++)
        atomicAdd(&own[in[i + round * blockDim.x] % BINS], 1);
    __syncthreads();
    atomicAdd(&bin[threadIdx.x], own[threadIdx.x]);
}
