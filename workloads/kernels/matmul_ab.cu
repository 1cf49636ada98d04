// C = A x B with a narrow inner side: A has W columns, B has W rows. A block of W x W threads makes a tile of
// C; a warp makes a row of it.
const int W = 32;

// The lanes of a warp read the same word of A, and all warps of the block the same words of B.
extern "C" __global__ void matmul_simple(float *c, const float *a, const float *b, unsigned n)
{
    unsigned row = blockIdx.y * W + threadIdx.y, column = blockIdx.x * W + threadIdx.x;
    float sum = 0;

    for (int i = 0; i < W; i++)
        sum += a[row * W + i] * b[i * n + column];
    c[row * n + column] = sum;
}

// Each warp reads its row of A once, all lanes together.
extern "C" __global__ void matmul_a_tile(float *c, const float *a, const float *b, unsigned n)
{
    __shared__ float a_tile[W][W];
    unsigned row = blockIdx.y * W + threadIdx.y, column = blockIdx.x * W + threadIdx.x;
    float sum = 0;

    a_tile[threadIdx.y][threadIdx.x] = a[row * W + threadIdx.x];
    __syncwarp(); // a warp reads what it wrote itself
    for (int i = 0; i < W; i++)
        sum += a_tile[threadIdx.y][i] * b[i * n + column];
    c[row * n + column] = sum;
}

// B too is read once by the block, not once by each of its warps.
extern "C" __global__ void matmul_ab_tiles(float *c, const float *a, const float *b, unsigned n)
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

// The same for GPUs of 1.x, whose blocks have at most 512 threads: a row of a tile is a half-warp.
const int H = 16;

extern "C" __global__ void matmul_simple_16(float *c, const float *a, const float *b, unsigned n)
{
    unsigned row = blockIdx.y * H + threadIdx.y, column = blockIdx.x * H + threadIdx.x;
    float sum = 0;

    for (int i = 0; i < H; i++)
        sum += a[row * H + i] * b[i * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void matmul_a_tile_16(float *c, const float *a, const float *b, unsigned n)
{
    __shared__ float a_tile[H][H];
    unsigned row = blockIdx.y * H + threadIdx.y, column = blockIdx.x * H + threadIdx.x;
    float sum = 0;

    a_tile[threadIdx.y][threadIdx.x] = a[row * H + threadIdx.x];
    __syncwarp(); // a warp reads what it wrote itself
    for (int i = 0; i < H; i++)
        sum += a_tile[threadIdx.y][i] * b[i * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void matmul_ab_tiles_16(float *c, const float *a, const float *b, unsigned n)
{
    __shared__ float a_tile[H][H], b_tile[H][H];
    unsigned row = blockIdx.y * H + threadIdx.y, column = blockIdx.x * H + threadIdx.x;
    float sum = 0;

    a_tile[threadIdx.y][threadIdx.x] = a[row * H + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[threadIdx.y * n + column];
    __syncthreads();
    for (int i = 0; i < H; i++)
        sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    c[row * n + column] = sum;
}
// SPDX-License-Identifier: Apache-2.0
