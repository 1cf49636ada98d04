// The exclusive scan: every word becomes the sum of those before it in its block of 512, four ways; and of
// the whole array, in three kernels. Unsigned numbers: sums wrap, and are exact in any order.
const unsigned SHARE = 512, WARPS = SHARE / 32;

// Hillis and Steele: in each step every thread adds the sum that stands s words before its own. Nine
// steps and about 8 * 512 additions, where one thread by itself would need 511.
extern "C" __global__ void scan_naive(unsigned *out, const unsigned *in)
{
    __shared__ unsigned word[SHARE];
    unsigned t = threadIdx.x, own = in[blockIdx.x * SHARE + t], sum = own;

    for (unsigned s = 1; s < SHARE; s *= 2) {
        word[t] = sum;
        __syncthreads();
        if (t >= s)
            sum += word[t - s];
        __syncthreads();
    }
    out[blockIdx.x * SHARE + t] = sum - own;
}

// Where word i lies in shared memory: one word is left free after every EVERY words; 0: none is.
template <unsigned EVERY> __device__ unsigned place(unsigned i)
{
    return EVERY ? i + i / (EVERY ? EVERY : 1) : i;
}

// Blelloch: sums of 2, 4, 8 ... words on the way up a tree, handed down again on the way back. About
// 2 * 512 additions, but the words of a step lie 2 s apart. Half as many threads as words.
template <unsigned EVERY> __device__ void scan_tree(unsigned *out, const unsigned *in)
{
    __shared__ unsigned word[SHARE + (EVERY ? SHARE / (EVERY ? EVERY : 1) : 0)];
    unsigned t = threadIdx.x, first = blockIdx.x * SHARE + t;

    word[place<EVERY>(t)] = in[first];
    word[place<EVERY>(t + SHARE / 2)] = in[first + SHARE / 2];
#pragma unroll 1
    for (unsigned s = 1; s < SHARE; s *= 2) {
        unsigned i = 2 * s * (t + 1) - 1;

        __syncthreads();
        if (i < SHARE)
            word[place<EVERY>(i)] += word[place<EVERY>(i - s)];
    }
    if (t == 0)
        word[place<EVERY>(SHARE - 1)] = 0;
#pragma unroll 1
    for (unsigned s = SHARE / 2; s > 0; s /= 2) {
        unsigned i = 2 * s * (t + 1) - 1;

        __syncthreads();
        if (i < SHARE) {
            unsigned left = word[place<EVERY>(i - s)], before = word[place<EVERY>(i)];

            word[place<EVERY>(i - s)] = before;
            word[place<EVERY>(i)] = before + left;
        }
    }
    __syncthreads();
    out[first] = word[place<EVERY>(t)];
    out[first + SHARE / 2] = word[place<EVERY>(t + SHARE / 2)];
}

extern "C" __global__ void scan_efficient(unsigned *out, const unsigned *in)
{
    scan_tree<0>(out, in);
}

extern "C" __global__ void scan_padded(unsigned *out, const unsigned *in)
{
    scan_tree<32>(out, in);
}

// The padding of GPUs with 16 banks.
extern "C" __global__ void scan_padded_16(unsigned *out, const unsigned *in)
{
    scan_tree<16>(out, in);
}

// Lanes hand their sums to each other: the steps of scan_naive, without memory and barriers.
__device__ unsigned scan_warp(unsigned sum)
{
    for (unsigned s = 1; s < 32; s *= 2) {
        unsigned before = __shfl_up_sync(0xffffffff, sum, s);

        if (threadIdx.x % 32 >= s)
            sum += before;
    }
    return sum;
}

// The sum up to this thread's word. The first warp scans the sums of all warps, which lie in word[].
__device__ unsigned scan_block(unsigned own, unsigned *word)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = scan_warp(own);

    if (lane == 31)
        word[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        unsigned sums = scan_warp(lane < WARPS ? word[lane] : 0);

        if (lane < WARPS)
            word[lane] = sums;
    }
    __syncthreads();
    return warp > 0 ? word[warp - 1] + sum : sum;
}

extern "C" __global__ void scan_shuffle(unsigned *out, const unsigned *in)
{
    __shared__ unsigned word[WARPS];
    unsigned i = blockIdx.x * SHARE + threadIdx.x, own = in[i];

    out[i] = scan_block(own, word) - own;
}

// The whole array. First every block by itself, and the sum of each is kept:
extern "C" __global__ void scan_blocks(unsigned *out, unsigned *sum, const unsigned *in)
{
    __shared__ unsigned word[WARPS];
    unsigned i = blockIdx.x * SHARE + threadIdx.x, own = in[i], upto = scan_block(own, word);

    out[i] = upto - own;
    if (threadIdx.x == SHARE - 1)
        sum[blockIdx.x] = upto;
}

// then one block scans the sums, 512 after 512,
extern "C" __global__ void scan_sums(unsigned *sum, unsigned count)
{
    __shared__ unsigned word[WARPS];
    unsigned before = 0;

#pragma unroll 1
    for (unsigned first = 0; first < count; first += SHARE) {
        unsigned i = first + threadIdx.x, own = i < count ? sum[i] : 0, upto = scan_block(own, word);

        if (i < count)
            sum[i] = before + upto - own;
        before += word[WARPS - 1];
        __syncthreads();
    }
}

// and then each block adds what came before it.
extern "C" __global__ void scan_add(unsigned *out, const unsigned *sum)
{
    out[blockIdx.x * SHARE + threadIdx.x] += sum[blockIdx.x];
}
// SPDX-License-Identifier: Apache-2.0
