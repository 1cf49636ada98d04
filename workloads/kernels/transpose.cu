// A matrix of n x n words turned over, n a multiple of 32. A block of 32 x 8 threads turns a tile of 32 x 32:
// each thread four words.
const int TILE = 32, ROWS = 8;

// For comparison: what the memory can do at best. All four words are read before the first is written: out
// might overlap in, so the compiler would not read on past a write.
extern "C" __global__ void transpose_copy(float *out, const float *in, unsigned n)
{
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float words[TILE / ROWS];

    for (int j = 0; j < TILE; j += ROWS)
        words[j / ROWS] = in[(y + j) * n + x];
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = words[j / ROWS];
}

// Rows are read, columns are written: the lanes of a warp write n words apart.
extern "C" __global__ void transpose_naive(float *out, const float *in, unsigned n)
{
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        out[x * n + y + j] = in[(y + j) * n + x];
}

// Rows are read and rows are written, the tile is turned in shared memory. Its column lies in one bank: a
// 32-way conflict.
extern "C" __global__ void transpose_tile(float *out, const float *in, unsigned n)
{
    __shared__ float tile[TILE][TILE];
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// One word of padding per row moves each row on by a bank.
extern "C" __global__ void transpose_pad(float *out, const float *in, unsigned n)
{
    __shared__ float tile[TILE][TILE + 1];
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// The same without padding: row r keeps its word c at column c ^ r, so that a column has a word in every
// bank.
extern "C" __global__ void transpose_swizzle(float *out, const float *in, unsigned n)
{
    __shared__ float tile[TILE][TILE];
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
}
// SPDX-License-Identifier: Apache-2.0
