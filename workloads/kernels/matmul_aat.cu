// C = A x A^T, A has W columns. A block of W x W threads makes a tile of C; a warp makes a row of it.
const int W = 32;

// The lanes of a warp walk down a column of A: their words are W words apart.
extern "C" __global__ void matmul_aat_simple(float *c, const float *a, unsigned m)
{
    unsigned row = blockIdx.y * W + threadIdx.y, column = blockIdx.x * W + threadIdx.x;
    float sum = 0;

    for (int i = 0; i < W; i++)
        sum += a[row * W + i] * a[column * W + i];
    c[row * m + column] = sum;
}

// Both tiles are read by rows; the second is turned over on its way into shared memory, where its columns lie
// in one bank.
extern "C" __global__ void matmul_aat_tile(float *c, const float *a, unsigned m)
{
    __shared__ float tile[W][W], turned[W][W];
    unsigned row = blockIdx.y * W + threadIdx.y, column = blockIdx.x * W + threadIdx.x;
    float sum = 0;

    tile[threadIdx.y][threadIdx.x] = a[row * W + threadIdx.x];
    turned[threadIdx.x][threadIdx.y] = a[(blockIdx.x * W + threadIdx.y) * W + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < W; i++)
        sum += tile[threadIdx.y][i] * turned[i][threadIdx.x];
    c[row * m + column] = sum;
}

// A word of padding per row puts a column into 32 banks.
extern "C" __global__ void matmul_aat_pad(float *c, const float *a, unsigned m)
{
    __shared__ float tile[W][W], turned[W][W + 1];
    unsigned row = blockIdx.y * W + threadIdx.y, column = blockIdx.x * W + threadIdx.x;
    float sum = 0;

    tile[threadIdx.y][threadIdx.x] = a[row * W + threadIdx.x];
    turned[threadIdx.x][threadIdx.y] = a[(blockIdx.x * W + threadIdx.y) * W + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < W; i++)
        sum += tile[threadIdx.y][i] * turned[i][threadIdx.x];
    c[row * m + column] = sum;
}

// The same for GPUs of 1.x, whose blocks have at most 512 threads: a row of a tile is a half-warp.
const int H = 16;

extern "C" __global__ void matmul_aat_simple_16(float *c, const float *a, unsigned m)
{
    unsigned row = blockIdx.y * H + threadIdx.y, column = blockIdx.x * H + threadIdx.x;
    float sum = 0;

    for (int i = 0; i < H; i++)
        sum += a[row * H + i] * a[column * H + i];
    c[row * m + column] = sum;
}

extern "C" __global__ void matmul_aat_tile_16(float *c, const float *a, unsigned m)
{
    __shared__ float tile[H][H], turned[H][H];
    unsigned row = blockIdx.y * H + threadIdx.y, column = blockIdx.x * H + threadIdx.x;
    float sum = 0;

    tile[threadIdx.y][threadIdx.x] = a[row * H + threadIdx.x];
    turned[threadIdx.x][threadIdx.y] = a[(blockIdx.x * H + threadIdx.y) * H + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < H; i++)
        sum += tile[threadIdx.y][i] * turned[i][threadIdx.x];
    c[row * m + column] = sum;
}

extern "C" __global__ void matmul_aat_pad_16(float *c, const float *a, unsigned m)
{
    __shared__ float tile[H][H], turned[H][H + 1];
    unsigned row = blockIdx.y * H + threadIdx.y, column = blockIdx.x * H + threadIdx.x;
    float sum = 0;

    tile[threadIdx.y][threadIdx.x] = a[row * H + threadIdx.x];
    turned[threadIdx.x][threadIdx.y] = a[(blockIdx.x * H + threadIdx.y) * H + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < H; i++)
        sum += tile[threadIdx.y][i] * turned[i][threadIdx.x];
    c[row * m + column] = sum;
}
// SPDX-License-Identifier: Apache-2.0
