// A large loop of which every pass waits for one word of memory, and the ways to ask for the word early. The
// prefetch distance is how many words a thread asks for ahead; there are at least as many passes as that.

// What is done with a word: 16 steps of arithmetic, each of which needs the one before.
__device__ unsigned work(unsigned sum, unsigned x)
{
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum = sum * 1664525 + x;
    return sum;
}

// The thread's number, and its word of a pass: all threads of a pass take neighbours.
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define IN(pass) in[THREAD + (pass)*gridDim.x * blockDim.x]

// The loop as one writes it: load, wait, work.
extern "C" __global__ void prefetch_loop(unsigned *out, const unsigned *in, unsigned passes)
{
    unsigned sum = THREAD;

#pragma unroll 1
    for (unsigned pass = 0; pass < passes; pass++)
        sum = work(sum, IN(pass));
    out[THREAD] = sum;
}

// The compiler may move the loads of an unrolled loop to its top.
template <int DISTANCE> __device__ void unrolled(unsigned *out, const unsigned *in, unsigned passes)
{
    unsigned sum = THREAD;

#pragma unroll DISTANCE
    for (unsigned pass = 0; pass < passes; pass++)
        sum = work(sum, IN(pass));
    out[THREAD] = sum;
}

// Registers, filled all at once. What is left at the end is less than a batch.
template <int DISTANCE> __device__ void scalar_batched(unsigned *out, const unsigned *in, unsigned passes)
{
    unsigned pass = 0, sum = THREAD, word[DISTANCE];

#pragma unroll 1
    for (; pass + DISTANCE <= passes; pass += DISTANCE) {
#pragma unroll
        for (int k = 0; k < DISTANCE; k++)
            word[k] = IN(pass + k);
#pragma unroll
        for (int k = 0; k < DISTANCE; k++)
            sum = work(sum, word[k]);
    }
#pragma unroll 1
    for (; pass < passes; pass++)
        sum = work(sum, IN(pass));
    out[THREAD] = sum;
}

// Registers, each filled again as soon as it was used. They have no index: the loop has to be unrolled.
template <int DISTANCE> __device__ void scalar_rolling(unsigned *out, const unsigned *in, unsigned passes)
{
    unsigned pass = 0, sum = THREAD, word[DISTANCE];

#pragma unroll
    for (int k = 0; k < DISTANCE; k++)
        word[k] = IN(k);
    while (pass < passes) {
#pragma unroll
        for (int k = 0; k < DISTANCE && pass < passes; k++, pass++) {
            unsigned x = word[k];

            if (pass + DISTANCE < passes)
                word[k] = IN(pass + DISTANCE);
            sum = work(sum, x);
        }
    }
    out[THREAD] = sum;
}

// Word k of a thread in shared memory. The host chooses the layout: a row of `distance` words for each
// thread, the same with padding (row > distance), or a row of a word of all threads (row = 1, column =
// blockDim.x). A thread reads only what it wrote itself: nobody needs a barrier.
extern __shared__ unsigned buffer[];
#define WORD(k) buffer[threadIdx.x * row + (k)*column]

template <int DISTANCE>
__device__ void smem_batched(unsigned *out, const unsigned *in, unsigned passes, unsigned row,
                             unsigned column)
{
    unsigned pass = 0, sum = THREAD;

#pragma unroll 1
    while (pass + DISTANCE <= passes) {
#pragma unroll
        for (int k = 0; k < DISTANCE; k++)
            WORD(k) = IN(pass + k);
        __syncwarp(); // else the compiler might use the registers that the words came through
#pragma unroll 1
        for (int k = 0; k < DISTANCE; k++, pass++)
            sum = work(sum, WORD(k));
    }
#pragma unroll 1
    for (; pass < passes; pass++)
        sum = work(sum, IN(pass));
    out[THREAD] = sum;
}

// Shared memory has an index: a ring, and no unrolling. But a word comes there through a register.
template <bool BARRIER>
__device__ void smem_rolling(unsigned *out, const unsigned *in, unsigned passes, unsigned row,
                             unsigned column, unsigned distance)
{
    unsigned sum = THREAD, k = 0;

#pragma unroll 1
    for (unsigned pass = 0; pass < distance; pass++)
        WORD(pass) = IN(pass);
#pragma unroll 1
    for (unsigned pass = 0; pass < passes; pass++) {
        unsigned x = WORD(k);

        if (pass + distance < passes)
            WORD(k) = IN(pass + distance);
        if (BARRIER)
            __syncthreads();
        sum = work(sum, x);
        k = k + 1 < distance ? k + 1 : 0;
    }
    out[THREAD] = sum;
}

extern "C" __global__ void prefetch_smem_rolling(unsigned *out, const unsigned *in, unsigned passes,
                                                 unsigned row, unsigned column, unsigned distance)
{
    smem_rolling<false>(out, in, passes, row, column, distance);
}

// The same where the loop has a barrier. A barrier orders memory, too: the word must be in shared memory before a thread goes on,
// so its load ends in the pass in which it began, and nothing was gained.
extern "C" __global__ void prefetch_smem_rolling_barrier(unsigned *out, const unsigned *in, unsigned passes,
                                                         unsigned row, unsigned column, unsigned distance)
{
    smem_rolling<true>(out, in, passes, row, column, distance);
}

// Asynchronous copies go from global to shared memory past the registers, while the thread goes on; each is a
// group of its own here. Before compute capability 8.0 there are none.
__device__ void copy_async(unsigned *to, const unsigned *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.commit_group;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
#else
    *to = *from;
#endif
}

// Waits until no more than the PENDING newest groups are under way.
template <int PENDING> __device__ void copy_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

template <int DISTANCE, bool BARRIER>
__device__ void smem_ring(unsigned *out, const unsigned *in, unsigned passes, unsigned row, unsigned column)
{
    unsigned pass, sum = THREAD, k = 0;

#pragma unroll 1
    for (pass = 0; pass < DISTANCE; pass++)
        copy_async(&WORD(pass), &IN(pass));
#pragma unroll 1
    for (; pass < passes; pass++) {
        copy_wait<DISTANCE - 1>();
        unsigned x = WORD(k);

        copy_async(&WORD(k), &IN(pass));
        if (BARRIER)
            __syncthreads();
        sum = work(sum, x);
        k = k + 1 < DISTANCE ? k + 1 : 0;
    }
    copy_wait<0>();
#pragma unroll 1
    for (pass = 0; pass < DISTANCE; pass++) {
        sum = work(sum, WORD(k));
        k = k + 1 < DISTANCE ? k + 1 : 0;
    }
    out[THREAD] = sum;
}

template <int DISTANCE>
__device__ void smem_rolling_async(unsigned *out, const unsigned *in, unsigned passes, unsigned row,
                                   unsigned column)
{
    smem_ring<DISTANCE, false>(out, in, passes, row, column);
}

// A barrier does not wait for asynchronous copies.
template <int DISTANCE>
__device__ void smem_rolling_async_barrier(unsigned *out, const unsigned *in, unsigned passes, unsigned row,
                                           unsigned column)
{
    smem_ring<DISTANCE, true>(out, in, passes, row, column);
}

// Doubles: a word takes two registers, and two banks.
extern __shared__ double doubles[];
#define DOUBLE(k) doubles[threadIdx.x * row + (k)*column]

__device__ double work(double sum, double x)
{
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum = sum * 0.5 + x;
    return sum;
}

extern "C" __global__ void prefetch_loop_double(double *out, const double *in, unsigned passes)
{
    double sum = THREAD;

#pragma unroll 1
    for (unsigned pass = 0; pass < passes; pass++)
        sum = work(sum, IN(pass));
    out[THREAD] = sum;
}

template <int DISTANCE>
__device__ void scalar_batched_double(double *out, const double *in, unsigned passes)
{
    double sum = THREAD, word[DISTANCE];
    unsigned pass = 0;

#pragma unroll 1
    for (; pass + DISTANCE <= passes; pass += DISTANCE) {
#pragma unroll
        for (int k = 0; k < DISTANCE; k++)
            word[k] = IN(pass + k);
#pragma unroll
        for (int k = 0; k < DISTANCE; k++)
            sum = work(sum, word[k]);
    }
#pragma unroll 1
    for (; pass < passes; pass++)
        sum = work(sum, IN(pass));
    out[THREAD] = sum;
}

__device__ void copy_async(double *to, const double *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;\n\tcp.async.commit_group;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
#else
    *to = *from;
#endif
}

template <int DISTANCE>
__device__ void smem_rolling_async_double(double *out, const double *in, unsigned passes, unsigned row,
                                          unsigned column)
{
    double sum = THREAD;
    unsigned pass, k = 0;

#pragma unroll 1
    for (pass = 0; pass < DISTANCE; pass++)
        copy_async(&DOUBLE(pass), &IN(pass));
#pragma unroll 1
    for (; pass < passes; pass++) {
        copy_wait<DISTANCE - 1>();
        double x = DOUBLE(k);

        copy_async(&DOUBLE(k), &IN(pass));
        sum = work(sum, x);
        k = k + 1 < DISTANCE ? k + 1 : 0;
    }
    copy_wait<0>();
#pragma unroll 1
    for (pass = 0; pass < DISTANCE; pass++) {
        sum = work(sum, DOUBLE(k));
        k = k + 1 < DISTANCE ? k + 1 : 0;
    }
    out[THREAD] = sum;
}

// Into the L2 cache: needs no place of the program's own, but the load that follows still waits for L2.
extern "C" __global__ void prefetch_l2(unsigned *out, const unsigned *in, unsigned passes, unsigned distance)
{
    unsigned sum = THREAD;

#pragma unroll 1
    for (unsigned pass = 0; pass < passes; pass++) {
        if (pass + distance < passes)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(&IN(pass + distance))));
        sum = work(sum, IN(pass));
    }
    out[THREAD] = sum;
}

#define REGISTERS(kind, type, distance)                                                                         \
    extern "C" __global__ void prefetch_##kind##_##distance(type *out, const type *in, unsigned passes) \
    {                                                                                                   \
        kind<distance>(out, in, passes);                                                                \
    }
#define SHARED(kind, type, distance)                                                                            \
    extern "C" __global__ void prefetch_##kind##_##distance(type *out, const type *in, unsigned passes, \
                                                            unsigned row, unsigned column)              \
    {                                                                                                   \
        kind<distance>(out, in, passes, row, column);                                                   \
    }
#define KERNELS(distance)                                  \
    REGISTERS(unrolled, unsigned, distance)                \
    REGISTERS(scalar_batched, unsigned, distance)          \
    REGISTERS(scalar_rolling, unsigned, distance)          \
    SHARED(smem_batched, unsigned, distance)               \
    SHARED(smem_rolling_async, unsigned, distance)         \
    SHARED(smem_rolling_async_barrier, unsigned, distance) \
    REGISTERS(scalar_batched_double, double, distance)     \
    SHARED(smem_rolling_async_double, double, distance)

KERNELS(1)
KERNELS(2)
KERNELS(3)
KERNELS(4)
KERNELS(5)
KERNELS(6)
KERNELS(7)
KERNELS(8)
KERNELS(9)
KERNELS(10)
KERNELS(11)
KERNELS(12)
KERNELS(13)
KERNELS(14)
KERNELS(15)
KERNELS(16)
// SPDX-License-Identifier: Apache-2.0
