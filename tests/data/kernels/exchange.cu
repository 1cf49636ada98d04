// Kernels in which the lanes of a warp hand words to each other, or change words of shared memory at once:
// a way each. tests/unit/simt/engine/test_simt_kernels.c has what an H200 counted of them.
#define LANE_KERNEL(name, type, value)                        \
    extern "C" __global__ void name(type *out)                \
    {                                                         \
        unsigned t = threadIdx.x;                             \
        out[t] = value;                                       \
    }

LANE_KERNEL(exchange_none, unsigned, t)
LANE_KERNEL(exchange_shuffle, unsigned, __shfl_down_sync(~0u, t, 1))
LANE_KERNEL(exchange_shuffle_64, unsigned long long, __shfl_down_sync(~0u, t * 77ull, 1))
LANE_KERNEL(exchange_ballot, unsigned, __ballot_sync(~0u, out[t] & 1))
LANE_KERNEL(exchange_any, unsigned, __any_sync(~0u, out[t] & 1))
LANE_KERNEL(exchange_match, unsigned, __match_any_sync(~0u, out[t] & 3))
LANE_KERNEL(exchange_sum, unsigned, __reduce_add_sync(~0u, out[t] & 3))

extern "C" __global__ void exchange_part(unsigned *out)
{
    unsigned t = threadIdx.x, value = t;

    if (t % 32 < 10)
        value = __shfl_down_sync(0x3ff, t, 1);
    out[t] = value;
}

#define SHARED_KERNEL(name, type, change)                     \
    extern "C" __global__ void name(type *out)                \
    {                                                         \
        __shared__ type word[64];                             \
        unsigned t = threadIdx.x;                             \
                                                              \
        word[t] = 0;                                          \
        __syncthreads();                                      \
        change;                                               \
        __syncthreads();                                      \
        out[t] = word[t];                                     \
    }

SHARED_KERNEL(exchange_add, unsigned, atomicAdd(&word[t / 4], t))
SHARED_KERNEL(exchange_count, unsigned, atomicAdd(&word[0], 1))
SHARED_KERNEL(exchange_swap, unsigned, atomicCAS(&word[t], 0, t))
SHARED_KERNEL(exchange_max, int, atomicMax(&word[t / 2], t))
SHARED_KERNEL(exchange_floats, float, atomicAdd(&word[t], 1.0f))
