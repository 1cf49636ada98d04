// What single instructions cost, and what ptxas makes of them, where no bundled workload says it.
#include <cuda_pipeline.h>

#define KERNEL(name) extern "C" __global__ void name(unsigned *out, const unsigned *in, const unsigned *index, unsigned n)

static __device__ unsigned global_thread()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// An addition of 1 whose result nobody reads, to n bins.
KERNEL(probe_shared_count)
{
    __shared__ unsigned bins[96];
    for (unsigned i = threadIdx.x; i < 96; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    atomicAdd(&bins[index[global_thread()] % n], 1u);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 96; i += blockDim.x)
        out[blockIdx.x * 96 + i] = bins[i];
}

KERNEL(probe_shared_add)
{
    __shared__ unsigned bins[96];
    for (unsigned i = threadIdx.x; i < 96; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    atomicAdd(&bins[index[global_thread()] % n], threadIdx.x);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 96; i += blockDim.x)
        out[blockIdx.x * 96 + i] = bins[i];
}

// Whole numbers, so that the order of the additions does not show.
KERNEL(probe_shared_add_float)
{
    __shared__ float bins[96];
    for (unsigned i = threadIdx.x; i < 96; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    atomicAdd(&bins[index[global_thread()] % n], (float)threadIdx.x);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 96; i += blockDim.x)
        out[blockIdx.x * 96 + i] = __float_as_uint(bins[i]);
}

KERNEL(probe_shared_add_long)
{
    __shared__ unsigned long long bins[96];
    for (unsigned i = threadIdx.x; i < 96; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    atomicAdd(&bins[index[global_thread()] % n], 0x100000001ull * threadIdx.x);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 96; i += blockDim.x) {
        out[(blockIdx.x * 96 + i) * 2] = (unsigned)bins[i];
        out[(blockIdx.x * 96 + i) * 2 + 1] = (unsigned)(bins[i] >> 32);
    }
}

KERNEL(probe_shared_exchange)
{
    __shared__ unsigned words[256];
    words[threadIdx.x] = in[global_thread()];
    __syncthreads();
    unsigned old = atomicExch(&words[threadIdx.x * n % 32], threadIdx.x);
    out[global_thread()] = old != 0;
}

// One address for all: ptxas has one lane do it.
KERNEL(probe_one_counter)
{
    out[1024 + global_thread()] = 1;
    atomicAdd(&out[n], 1u);
}

KERNEL(probe_one_counter_of_some)
{
    if (threadIdx.x % 3)
        atomicAdd(&out[n], threadIdx.x);
}

KERNEL(probe_one_counter_result)
{
    out[1024 + global_thread()] = atomicAdd(&out[n], 2u) % 2;
}

KERNEL(probe_one_counter_values)
{
    out[1024 + global_thread()] = atomicAdd(&out[n], threadIdx.x * 2) % 2;
}

KERNEL(probe_global_bins)
{
    atomicAdd(&out[index[global_thread()] % n * 3], threadIdx.x);
}

KERNEL(probe_global_bins_result)
{
    out[1024 + global_thread()] = atomicMax(&out[index[global_thread()] % n * 3], threadIdx.x) != 0;
}

// n words of an array of 64 in local memory, the same one for all lanes at a time.
KERNEL(probe_local_words)
{
    unsigned words[64], sum = 0;
    for (unsigned i = 0; i < 64; i++)
        words[i] = in[i * 256 + global_thread()];
    for (unsigned i = 0; i < n; i++)
        sum = sum * 31 + words[index[i] % 64];
    out[global_thread()] = sum;
}

KERNEL(probe_local_longs)
{
    unsigned long long words[64], sum = 0;
    for (unsigned i = 0; i < 64; i++)
        words[i] = in[i * 256 + global_thread()];
    for (unsigned i = 0; i < n; i++)
        sum = sum * 31 + words[index[i] % 64];
    out[global_thread()] = (unsigned)(sum ^ sum >> 32);
}

KERNEL(probe_local_quads)
{
    uint4 words[32];
    unsigned sum = 0;
    for (unsigned i = 0; i < 32; i++)
        words[i] = make_uint4(in[i * 256 + global_thread()], i, 2 * i, in[i]);
    for (unsigned i = 0; i < n; i++) {
        uint4 w = words[index[i] % 32];
        sum = sum * 31 + (w.x ^ w.y ^ w.z ^ w.w);
    }
    out[global_thread()] = sum;
}

KERNEL(probe_local_bytes)
{
    unsigned char bytes[128];
    unsigned sum = 0;
    for (unsigned i = 0; i < 128; i++)
        bytes[i] = (unsigned char)in[i * 256 + global_thread()];
    for (unsigned i = 0; i < n; i++)
        sum = sum * 31 + bytes[index[i] % 128];
    out[global_thread()] = sum;
}

// Each lane another word.
KERNEL(probe_local_apart)
{
    unsigned words[64], sum = 0;
    for (unsigned i = 0; i < 64; i++)
        words[i] = in[i * 256 + global_thread()];
    for (unsigned i = 0; i < n; i++)
        sum = sum * 31 + words[index[i + threadIdx.x] % 64];
    out[global_thread()] = sum;
}

KERNEL(probe_local_longs_apart)
{
    unsigned long long words[64], sum = 0;
    for (unsigned i = 0; i < 64; i++)
        words[i] = in[i * 256 + global_thread()];
    for (unsigned i = 0; i < n; i++)
        sum = sum * 31 + words[index[i + threadIdx.x] % 64];
    out[global_thread()] = (unsigned)(sum ^ sum >> 32);
}

// A pointer that is to global memory in one block and to shared memory in the next.
KERNEL(probe_generic)
{
    __shared__ unsigned words[64];
    words[threadIdx.x] = in[global_thread()];
    __syncthreads();
    const unsigned *from = blockIdx.x % 2 ? words : in;
    out[global_thread()] = from[threadIdx.x * n % 64];
}

// The same within a warp.
KERNEL(probe_generic_mixed)
{
    __shared__ unsigned words[64];
    words[threadIdx.x] = in[global_thread()];
    __syncthreads();
    const unsigned *from = index[threadIdx.x] % 2 ? words : in;
    out[global_thread()] = from[threadIdx.x * n % 64];
}

template <typename T> static __device__ void copy(unsigned *out, const unsigned *in, unsigned n)
{
    extern __shared__ uint4 tile[];
    T *to = (T *)tile;
    __pipeline_memcpy_async(&to[threadIdx.x * n], (const T *)in + global_thread() + 1, sizeof(T));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    const unsigned *words = (const unsigned *)&to[threadIdx.x * n];
    unsigned sum = 0;
    for (unsigned i = 0; i < sizeof(T) / 4; i++)
        sum = sum * 31 + words[i];
    out[global_thread()] = sum;
}

KERNEL(probe_copy_4)
{
    copy<unsigned>(out, in, n);
}

KERNEL(probe_copy_8)
{
    copy<uint2>(out, in, n);
}

KERNEL(probe_copy_16)
{
    copy<uint4>(out, in, n);
}

__constant__ unsigned table[256] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

KERNEL(probe_constant)
{
    out[global_thread()] = table[index[global_thread()] % 16] + table[n] * table[threadIdx.x / 32];
}

// Of four words two that are neighbours, and two that are not.
KERNEL(probe_part_of_vector)
{
    const uint4 *vectors = (const uint4 *)in;
    uint4 a = vectors[global_thread()], b = vectors[global_thread() + 1024], c = vectors[global_thread() + 2048];
    out[global_thread()] = (a.x ^ a.y) + (b.x ^ b.w) * (c.x + c.y * c.w);
}

KERNEL(probe_part_of_shared_vector)
{
    __shared__ uint4 vectors[64 * 3];
    for (unsigned i = threadIdx.x; i < 64 * 3; i += blockDim.x)
        vectors[i] = ((const uint4 *)in)[i];
    __syncthreads();
    uint4 a = vectors[threadIdx.x], b = vectors[(threadIdx.x + 5) % 64 + 64], c = vectors[(threadIdx.x + 9) % 64 + 128];
    out[global_thread()] = (a.x ^ a.y) + (b.x ^ b.w) * (c.x + c.y * c.w);
}

KERNEL(probe_three_of_four)
{
    __shared__ unsigned words[64 * 4];
    for (unsigned i = threadIdx.x; i < 64 * 4; i += blockDim.x)
        words[i] = in[i];
    __syncthreads();
    unsigned i = threadIdx.x * 4;
    out[global_thread()] = words[i + 1] + words[i + 2] * words[i + 3];
}

// The second load stands behind a branch; ptxas takes it along with the first.
KERNEL(probe_branch_after_load)
{
    __shared__ unsigned words[64 * 2];
    for (unsigned i = threadIdx.x; i < 64 * 2; i += blockDim.x)
        words[i] = in[i];
    __syncthreads();
    unsigned x = words[threadIdx.x * 2];
    if (index[threadIdx.x] % 4 == 0) {
        out[4096 + global_thread()] = x;
        out[8192 + global_thread() * 3] = x * x;
        x += words[threadIdx.x * 2 + 1];
    }
    out[global_thread()] = x;
}

KERNEL(probe_predicated_store)
{
    __shared__ unsigned words[64 * 4];
    unsigned i = threadIdx.x * 4;
    for (unsigned k = 0; k < 4; k++)
        words[i + k] = 0;
    if (index[threadIdx.x] % 2)
        words[i + 1] = n;
    if (index[threadIdx.x] % 8 == 1)
        words[i + 2] = in[i];
    __syncthreads();
    out[global_thread()] = words[threadIdx.x] + words[threadIdx.x + 64] * words[threadIdx.x + 128];
}

KERNEL(probe_early_end)
{
    unsigned i = global_thread();
    if (index[i] % 128 > n)
        return;
    out[i] = in[i] * 2;
}
// SPDX-License-Identifier: Apache-2.0
