// exercise: tiles
// Only A is read once: each warp of the block still reads all of the tile of B.
const int W = 32;

extern "C" __global__ void matmul_simple(float *c, const float *a, const float *b, unsigned n)
{
    __shared__ float a_tile[W][W];
    unsigned row = blockIdx.y * W + threadIdx.y, column = blockIdx.x * W + threadIdx.x;
    float sum = 0;

    a_tile[threadIdx.y][threadIdx.x] = a[row * W + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < W; i++)
        sum += a_tile[threadIdx.y][i] * b[i * n + column];
    c[row * n + column] = sum;
}
