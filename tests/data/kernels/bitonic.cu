/* Batcher's bitonic sorting network ("Sorting networks and their applications", 1968): a step over global
 * memory, and the steps that fit into a block's shared memory. */
extern "C" __global__ void bitonic_step(int *keys, int stride, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ stride;
    if (other <= i)
        return;
    int a = keys[i], b = keys[other];
    bool ascending = (i & size) == 0;
    if ((a > b) == ascending) {
        keys[i] = b;
        keys[other] = a;
    }
}

extern "C" __global__ void bitonic_block(int *keys)
{
    __shared__ int mine[512];
    int first = blockIdx.x * 512;
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        mine[i] = keys[first + i];
    for (int size = 2; size <= 512; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int low = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), high = low + stride;
            bool ascending = ((first + low) & size) == 0;
            int a = mine[low], b = mine[high];
            mine[low] = (a > b) == ascending ? b : a;
            mine[high] = (a > b) == ascending ? a : b;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        keys[first + i] = mine[i];
}
