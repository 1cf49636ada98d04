/*
 * Kernels in which barriers are missing, each of which leaves several pairs of source lines without an order. The first word of the name is how many
 * have to be added, which is how many reports there are. The patterns are those of published programs (docs/results/defects.md); the code is new.
 * Launched with 2 blocks of 64 threads: tests/unit/simt/check/test_place.c, which also runs the blocks and warps in descending order.
 */
#define T threadIdx.x
#define HERE (blockIdx.x * 64 + threadIdx.x)
#define KERNEL(name) extern "C" __global__ void name(const int *data, int *out, int *more, int *count, int steps)

/* surfel: tiles of a loop are filled again while other warps still read them. */
KERNEL(one_tile_is_filled_again)
{
    __shared__ int x[64], y[64];
    int sum = 0;
    for (int step = 0; step < steps; step++) {
        x[T] = data[(step * 64 + T) % 256];
        y[T] = data[(step * 32 + T) % 256];
        __syncthreads();
        for (int i = 0; i < 64; i++) {
            sum += x[i] * 3;
            sum ^= y[63 - i];
            if (sum & 1)
                sum += x[63 - i];
        }
    }
    out[HERE] = sum;
}

/* floydwarshall2: two tiles are used again for something else. */
KERNEL(one_pair_of_tiles_is_used_again)
{
    __shared__ int a[64], b[64];
    a[T] = data[T];
    b[T] = data[64 + T];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += a[i] * b[63 - i];
    a[T] = data[128 + T];
    b[T] = data[192 + T];
    __syncthreads();
    out[HERE] = sum + a[63 - T] + b[(T + 33) % 64];
}

/* Nothing between stores and loads, and nothing between the loads and the next stores. */
KERNEL(two_in_a_row)
{
    __shared__ int s[64];
    s[T] = data[T];
    int b = s[63 - T];
    int c = s[(T + 33) % 64];
    out[HERE] = b;
    s[T] = b + c;
    __syncthreads();
    more[HERE] = s[(T + 5) % 64];
}

/* sosfil: in each of two loops a value of the neighbour is read in the step in which the neighbour writes it. */
KERNEL(two_loops_read_their_neighbour)
{
    __shared__ int s[65];
    int sum = 0;
    s[T] = 0;
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        int before = T ? s[T - 1] : step;
        sum += before;
        __syncthreads();
        sum = sum * 3 + data[step];
        s[T] = sum;
    }
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        int before = T ? s[T - 1] : 7 * step;
        sum ^= before;
        __syncthreads();
        sum = sum * 5 + data[64 + step];
        s[T] = sum;
    }
    out[HERE] = sum;
}

/* hungarian: a warp reduces through volatile memory with no barrier after its steps. */
KERNEL(one_warp_reduces)
{
    __shared__ volatile int s[64];
    s[T] = data[T];
    __syncthreads();
    if (T < 32) {
        s[T] += s[T + 16];
        s[T] += s[T + 8];
        s[T] += s[T + 4];
        s[T] += s[T + 2];
        s[T] += s[T + 1];
    }
    __syncthreads();
    out[HERE] = s[0];
}

/* layernorm: the second call of a function overwrites what the first one reads. */
static __device__ __noinline__ int sum_of_block(int *s, int value)
{
    s[T] = value;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += s[i];
    return sum;
}

KERNEL(one_function_is_called_twice)
{
    __shared__ int s[64];
    int a = sum_of_block(s, data[T]);
    int b = sum_of_block(s, a + T);
    out[HERE] = a + b;
}

/* quicksort: no fence before the count by which the last block knows that it is the last. */
KERNEL(one_fence_of_the_last_block)
{
    __shared__ int place;
    if (T == 0) {
        out[blockIdx.x] = data[blockIdx.x];
        more[blockIdx.x] = data[blockIdx.x + 1];
        place = atomicAdd(count, 1);
    }
    __syncthreads();
    if (place != (int)gridDim.x - 1)
        return;
    __threadfence();
    if (T == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += out[i];
        for (unsigned i = 0; i < gridDim.x; i++)
            sum ^= more[i];
        out[100] = sum;
    }
}

/* What two lines write is read by the other block in two more. */
KERNEL(one_barrier_of_the_grid)
{
    out[HERE] = data[T];
    more[HERE] = data[T + 64];
    int other = (HERE + 64) % 128;
    int sum = out[other];
    sum += more[other];
    out[128 + HERE] = sum;
}
