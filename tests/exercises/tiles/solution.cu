// exercise: tiles
// The block reads its rows of A and its columns of B once, into shared memory.
const int W = 32;

extern "C" __global__ void matmul_simple(float *c, const float *a, const float *b, unsigned n)
{
    __shared__ float a_tile[W][W], b_tile[W][W];
    unsigned row = blockIdx.y * W + threadIdx.y, column = blockIdx.x * W + threadIdx.x;
    float sum = 0;

    a_tile[threadIdx.y][threadIdx.x] = a[row * W + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[threadIdx.y * n + column];
    __syncthreads();
    for (int i = 0; i < W; i++)
        sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    c[row * n + column] = sum;
}
