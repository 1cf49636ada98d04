// C = A x B of any inner side k: A has k columns, B has k rows. A block of W x W threads makes a tile of C, in k / W turns.
const int W = 16;

// Every word from global memory: k words of A's row and k of B's column by each thread.
extern "C" __global__ void matmul_tiles_simple(float *c, const float *a, const float *b, unsigned n, unsigned k)
{
    unsigned row = blockIdx.y * W + threadIdx.y, column = blockIdx.x * W + threadIdx.x;
    float sum = 0;

#pragma unroll 1
    for (unsigned i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

// In each turn the block loads a tile of A and one of B, a word of each by every thread. The first barrier: no thread reads
// a tile before it is whole. The second: no thread writes the next tile while others still read this one.
extern "C" __global__ void matmul_tiles_tiles(float *c, const float *a, const float *b, unsigned n, unsigned k)
{
    __shared__ float a_tile[W][W], b_tile[W][W];
    unsigned row = blockIdx.y * W + threadIdx.y, column = blockIdx.x * W + threadIdx.x;
    float sum = 0;

#pragma unroll 1
    for (unsigned turn = 0; turn < k; turn += W) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * k + turn + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(turn + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < W; i++)
            sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// Two tiles of each, used by turns: the words of the next turn are on their way while this one is computed, and go into
// the tiles that nobody reads. One barrier a turn is enough.
extern "C" __global__ void matmul_tiles_buffers(float *c, const float *a, const float *b, unsigned n,
                                                unsigned k)
{
    __shared__ float a_tile[2][W][W], b_tile[2][W][W];
    unsigned row = blockIdx.y * W + threadIdx.y, column = blockIdx.x * W + threadIdx.x, now = 0;
    float sum = 0, a_next = a[row * k + threadIdx.x], b_next = b[threadIdx.y * n + column];

#pragma unroll 1
    for (unsigned turn = 0; turn < k; turn += W, now ^= 1) {
        a_tile[now][threadIdx.y][threadIdx.x] = a_next;
        b_tile[now][threadIdx.y][threadIdx.x] = b_next;
        __syncthreads();
        if (turn + W < k) {
            a_next = a[row * k + turn + W + threadIdx.x];
            b_next = b[(turn + W + threadIdx.y) * n + column];
        }
        for (int i = 0; i < W; i++)
            sum += a_tile[now][threadIdx.y][i] * b_tile[now][i][threadIdx.x];
    }
    c[row * n + column] = sum;
}
// SPDX-License-Identifier: Apache-2.0
