// Loops with barriers: every thread of the block must come to each of them the same number of times.
const int THREADS = 256;

// A block reverses the words of each turn of its share, which is no multiple of the block. All threads make all turns, as the
// bound is rounded up, and `active` guards the work, not the barrier.
extern "C" __global__ void sync_loop_guarded(float *out, const float *in, unsigned share)
{
    __shared__ float word[THREADS];
    unsigned t = threadIdx.x, rounded = (share + THREADS - 1) / THREADS * THREADS;

    in += blockIdx.x * share;
    out += blockIdx.x * share;
#pragma unroll 1
    for (unsigned first = 0; first < rounded; first += THREADS) {
        bool active = first + t < share;

        if (active)
            word[t] = in[first + t];
        __syncthreads();
        if (active)
            out[first + t] = word[min(share - first, THREADS) - 1 - t];
        __syncthreads();
    }
}

// How the threads of a block find out whether one of them still has work. The work: n becomes n / 2, or 3 n + 1, until it is
// 1, which it is for every n of the input after some turns; the result is the number of turns of the block.
__device__ unsigned step(unsigned n)
{
    return n % 2 ? 3 * n + 1 : n / 2;
}

// By a word of shared memory: set back by one thread, set by those who have work, read by all. Each of the three must be done
// before the next begins.
extern "C" __global__ void sync_loop_flag(unsigned *out, const unsigned *in)
{
    __shared__ unsigned again;
    unsigned i = blockIdx.x * THREADS + threadIdx.x, n = in[i], turns = 0, more;

#pragma unroll 1
    do {
        if (threadIdx.x == 0)
            again = 0;
        __syncthreads();
        if (n != 1)
            n = step(n);
        if (n != 1)
            atomicOr(&again, 1);
        turns++;
        __syncthreads();
        more = again;
        __syncthreads();
    } while (more);
    out[i] = turns;
}

// By the barrier itself, from compute capability 2.0 on: it gives every thread the `or` of what all of them bring along ...
extern "C" __global__ void sync_loop_or(unsigned *out, const unsigned *in)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x, n = in[i], turns = 0;

#pragma unroll 1
    do {
        if (n != 1)
            n = step(n);
        turns++;
    } while (__syncthreads_or(n != 1));
    out[i] = turns;
}

// ... or the `and` ...
extern "C" __global__ void sync_loop_and(unsigned *out, const unsigned *in)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x, n = in[i], turns = 0;

#pragma unroll 1
    do {
        if (n != 1)
            n = step(n);
        turns++;
    } while (!__syncthreads_and(n == 1));
    out[i] = turns;
}

// ... or how many of them it holds for: here the threads that had work, of all turns together.
extern "C" __global__ void sync_loop_count(unsigned *out, const unsigned *in)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x, n = in[i], worked = 0, now;

#pragma unroll 1
    while ((now = __syncthreads_count(n != 1)) != 0) {
        worked += now;
        if (n != 1)
            n = step(n);
    }
    out[i] = worked;
}
// SPDX-License-Identifier: Apache-2.0
