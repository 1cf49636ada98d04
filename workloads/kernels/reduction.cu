// The sum of 256 words per block (512 in first_add), five ways. Unsigned numbers: any order of additions
// gives the same sum.
const int BLOCK = 256;
__shared__ unsigned word[BLOCK];

// A step's addition. It is called, so that threads without one have something to jump over: of its four
// instructions alone the assembler makes no branch, but lets every warp go through them and guards each (see
// lesson divergence).
extern "C" __device__ __noinline__ void reduction_add(unsigned i, unsigned s)
{
    word[i] += word[i + s];
}

// The thread whose number is a multiple of 2 s adds the word s further on. In each step half of the lanes of
// every warp drop out.
extern "C" __global__ void reduction_divergent(unsigned *out, const unsigned *in)
{
    unsigned t = threadIdx.x;

    word[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned s = 1; s < BLOCK; s *= 2) {
        if (t % (2 * s) == 0)
            reduction_add(t, s);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = word[0];
}

// The same additions by the first threads: whole warps drop out, but the words they take lie 2 s apart.
extern "C" __global__ void reduction_conflicts(unsigned *out, const unsigned *in)
{
    unsigned t = threadIdx.x;

    word[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned s = 1; s < BLOCK; s *= 2) {
        unsigned i = 2 * s * t;

        if (i < BLOCK)
            reduction_add(i, s);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = word[0];
}

// The upper half is added to the lower half: neighbouring threads, neighbouring words.
extern "C" __global__ void reduction_sequential(unsigned *out, const unsigned *in)
{
    unsigned t = threadIdx.x;

    word[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s)
            reduction_add(t, s);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = word[0];
}

// Half of the threads did nothing but load: now each loads two words and adds them at once.
extern "C" __global__ void reduction_first_add(unsigned *out, const unsigned *in)
{
    unsigned t = threadIdx.x, first = blockIdx.x * 2 * BLOCK + t;

    word[t] = in[first] + in[first + BLOCK];
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s)
            reduction_add(t, s);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = word[0];
}

// The lanes of a warp hand their words to each other directly. Shared memory holds one word per warp.
extern "C" __global__ void reduction_shuffle(unsigned *out, const unsigned *in)
{
    __shared__ unsigned of_warp[BLOCK / 32];
    unsigned t = threadIdx.x, first = blockIdx.x * 2 * BLOCK + t, sum = in[first] + in[first + BLOCK];

    for (unsigned s = 16; s > 0; s /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, s);
    if (t % 32 == 0)
        of_warp[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < BLOCK / 32 ? of_warp[t] : 0;
        for (unsigned s = BLOCK / 64; s > 0; s /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, s);
    }
    if (t == 0)
        out[blockIdx.x] = sum;
}
// SPDX-License-Identifier: Apache-2.0
