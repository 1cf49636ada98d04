/* Prefix sums of each block's elements: Blelloch's tree, two elements a thread ("Prefix Sums and Their
 * Applications", 1990), and Hillis and Steele's doubling ("Data Parallel Algorithms", 1986). */
extern "C" __global__ void scan_blelloch(const int *in, int *out)
{
    extern __shared__ int tree[];
    int n = 2 * blockDim.x, thread = threadIdx.x, offset = 1;
    in += blockIdx.x * n;
    out += blockIdx.x * n;
    tree[2 * thread] = in[2 * thread];
    tree[2 * thread + 1] = in[2 * thread + 1];
    for (int active = n / 2; active > 0; active /= 2) {
        __syncthreads();
        if (thread < active)
            tree[offset * (2 * thread + 2) - 1] += tree[offset * (2 * thread + 1) - 1];
        offset *= 2;
    }
    if (thread == 0)
        tree[n - 1] = 0;
    for (int active = 1; active < n; active *= 2) {
        offset /= 2;
        __syncthreads();
        if (thread < active) {
            int left = offset * (2 * thread + 1) - 1, right = offset * (2 * thread + 2) - 1;
            int value = tree[left];
            tree[left] = tree[right];
            tree[right] += value;
        }
    }
    __syncthreads();
    out[2 * thread] = tree[2 * thread];
    out[2 * thread + 1] = tree[2 * thread + 1];
}

extern "C" __global__ void scan_hillis_steele(const int *in, int *out)
{
    __shared__ int sums[2][256];
    int thread = threadIdx.x, from = 0;
    in += blockIdx.x * blockDim.x;
    out += blockIdx.x * blockDim.x;
    sums[0][thread] = in[thread];
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        int value = sums[from][thread];
        if (thread >= distance)
            value += sums[from][thread - distance];
        sums[1 - from][thread] = value;
        from = 1 - from;
        __syncthreads();
    }
    out[thread] = sums[from][thread];
}
