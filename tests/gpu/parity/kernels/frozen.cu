// Written after the rules of the model were frozen: what these count was not known when the model was made. n is a step or a
// bound, as the table of cases has it.
#include <cuda_pipeline.h>

#define KERNEL(name) extern "C" __global__ void name(unsigned *out, const unsigned *in, const unsigned *index, unsigned n)

static __device__ unsigned global_thread()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ unsigned mixed(uint2 v)
{
    return v.x * 31 + v.y;
}

// 64-bit copy, n words on.
KERNEL(frozen_copy_64)
{
    unsigned i = global_thread();
    ((uint2 *)out)[i] = ((const uint2 *)in)[i + n];
}

// 128-bit reads n vectors apart, 128-bit writes side by side.
KERNEL(frozen_copy_128_strided)
{
    unsigned i = global_thread();
    ((uint4 *)out)[i] = ((const uint4 *)in)[i * n % 16384];
}

// Bytes, misaligned by n.
KERNEL(frozen_bytes)
{
    unsigned i = global_thread();
    ((unsigned char *)out)[i + n] = ((const unsigned char *)in)[i * 3 + n];
}

// 16-bit words, every n-th.
KERNEL(frozen_halves)
{
    unsigned i = global_thread();
    ((unsigned short *)out)[i] = ((const unsigned short *)in)[i * n] + 1;
}

KERNEL(frozen_reversed)
{
    unsigned i = global_thread(), last = gridDim.x * blockDim.x - 1;
    out[i] = in[last - i] ^ n;
}

KERNEL(frozen_permuted_gather)
{
    unsigned i = global_thread();
    out[i] = in[index[i * n]];
}

KERNEL(frozen_permuted_scatter)
{
    unsigned i = global_thread();
    out[index[i + n]] = in[i];
}

struct triple {
    unsigned x, y, z;
};

KERNEL(frozen_triples)
{
    unsigned i = global_thread();
    triple t = ((const triple *)in)[i + n];
    ((triple *)out)[i] = {t.z, t.x, t.y};
}

// Only some lanes of each warp, and of the last block only some warps.
KERNEL(frozen_partly_active)
{
    unsigned i = global_thread();
    if (i < 201 && threadIdx.x % 32 >= n)
        out[i * 2] = in[i * 5];
}

KERNEL(frozen_nested_divergence)
{
    unsigned i = global_thread(), x = index[i], sum = in[i];
    if (x & 1) {
        if (x & 2)
            for (unsigned k = 0; k < x % n; k++)
                sum = sum * 3 + in[(i * 7 + k * 33) % 4096];
        else
            sum ^= in[x];
        out[8192 + i] = sum;
    } else if (x & 4) {
        out[16384 + i * 2] = x;
        sum += in[i * 2 + 1];
    }
    out[i] = sum;
}

KERNEL(frozen_predicated_stores)
{
    unsigned i = global_thread(), x = index[i];
    if (x % n == 0)
        out[i] = x;
    if (x % n == 1)
        out[4096 + i * 3] = x + 1;
    if (threadIdx.x < 7)
        ((uint2 *)out)[8192 + i] = make_uint2(x, i);
}

// A ring of two tiles filled by cp.async, 16 bytes a thread.
KERNEL(frozen_copy_async)
{
    __shared__ uint4 tile[2][64];
    const uint4 *from = (const uint4 *)in + blockIdx.x * 64 * n;
    unsigned sum = 0;
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &from[threadIdx.x], 16);
    __pipeline_commit();
    for (unsigned k = 0; k < n; k++) {
        if (k + 1 < n)
            __pipeline_memcpy_async(&tile[(k + 1) % 2][threadIdx.x], &from[(k + 1) * 64 + threadIdx.x], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        uint4 v = tile[k % 2][63 - threadIdx.x];
        sum = sum * 31 + (v.x ^ v.y) + (v.z ^ v.w);
        __syncthreads();
    }
    out[global_thread()] = sum;
}

// A tile of odd width, written by rows and read by columns, by blocks of 16 x 16.
KERNEL(frozen_odd_tile)
{
    __shared__ unsigned tile[16][19];
    unsigned x = threadIdx.x, y = threadIdx.y, first = blockIdx.x * 256;
    tile[y][x] = in[first + y * 16 + x];
    if (x < 3)
        tile[y][16 + x] = n;
    __syncthreads();
    out[first + y * 16 + x] = tile[x][y] + tile[y][18 - x];
}

KERNEL(frozen_shared_longs)
{
    __shared__ unsigned long long words[256];
    words[threadIdx.x] = in[global_thread()] * 0x100000001ull;
    __syncthreads();
    unsigned long long w = words[threadIdx.x * n % 64] + words[index[threadIdx.x] % 64];
    out[global_thread()] = (unsigned)w * 31 + (unsigned)(w >> 32);
}

KERNEL(frozen_global_atomics)
{
    unsigned i = global_thread();
    atomicXor(&out[index[i] % n], in[i]);
    atomicMin(&out[4096 + i / 3], i);
    out[8192 + i] = atomicOr((unsigned long long *)&out[32768 + index[i] * 2 % 4096], 1ull << i % 50) != 0;
}

KERNEL(frozen_shared_atomics)
{
    __shared__ unsigned bins[128];
    for (unsigned i = threadIdx.x; i < 128; i += blockDim.x)
        bins[i] = i;
    __syncthreads();
    atomicMax(&bins[index[global_thread()] % n], in[threadIdx.x]);
    atomicXor(&bins[64 + threadIdx.x * 3 % 64], threadIdx.x);
    __syncthreads();
    atomicCAS(&bins[127 - threadIdx.x % n], 100u, 5u);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 128; i += blockDim.x)
        out[blockIdx.x * 128 + i] = bins[i];
}

// An array of 64 words in local memory, at an index that each lane computes.
KERNEL(frozen_local_array)
{
    unsigned words[64], x = global_thread();
    for (unsigned i = 0; i < 64; i++)
        words[i] = in[i * 64 + threadIdx.x];
    for (unsigned i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        words[x >> 26] += x;
        x ^= words[(x >> 8) % 64];
    }
    out[global_thread()] = x;
}

KERNEL(frozen_volatile)
{
    __shared__ volatile unsigned words[64];
    volatile const unsigned *from = in;
    words[threadIdx.x] = from[global_thread() * n];
    __syncthreads();
    unsigned a = words[63 - threadIdx.x], b = words[63 - threadIdx.x], c = words[(threadIdx.x + 1) % 64];
    volatile unsigned *to = out;
    to[global_thread()] = a + b * c;
    to[4096 + global_thread() * 2] = c;
}

__constant__ unsigned frozen_table[512] = {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5, 2, 3, 5, 3, 6, 0, 2, 8, 7, 4, 7, 1, 3, 5, 2, 6};

KERNEL(frozen_constant_indexed)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum = sum * 10 + frozen_table[(i + threadIdx.x / 8) % 32];
    out[global_thread()] = sum + frozen_table[index[blockIdx.x] % 32];
}

KERNEL(frozen_early_exit)
{
    unsigned i = global_thread();
    for (unsigned k = 0; k < 16; k++) {
        unsigned x = in[(i + k * 256) % 4096];
        if (index[(x + k) % 65536] % 16 < n)
            return;
        out[k * 256 + i] = x;
    }
}

KERNEL(frozen_transposed_vectors)
{
    __shared__ uint4 tile[64];
    tile[threadIdx.x] = ((const uint4 *)in)[global_thread()];
    __syncthreads();
    const unsigned *words = (const unsigned *)tile;
    uint4 v = make_uint4(words[threadIdx.x], words[threadIdx.x + 64], words[threadIdx.x + 128], words[threadIdx.x + 192]);
    ((uint4 *)out)[(global_thread() * n) % 1024] = v;
}

// Warps exchange by shuffles, one lane in n writes.
KERNEL(frozen_shuffled)
{
    unsigned x = in[global_thread()];
    for (unsigned step = 16; step; step /= 2)
        x += __shfl_xor_sync(~0u, x, step);
    if (threadIdx.x % n == 0)
        ((uint2 *)out)[global_thread()] = make_uint2(x, mixed(make_uint2(x, threadIdx.x)));
}
// SPDX-License-Identifier: Apache-2.0
