// A radix sort takes the keys digit by digit, the lowest first. Each pass puts the keys in the order of one digit and
// leaves keys of the same digit in the order in which they come: count, scan, then move. A block works on `tiles` times
// BLOCK neighbouring keys.
const int BLOCK = 512, WARPS = BLOCK / 32, DIGITS = 16;

// First, how many keys of each digit a block has. The counts lie digit by digit, and block by block in each: the order
// in which the keys will lie.
extern "C" __global__ void radix_sort_count(unsigned *count, const unsigned *in, unsigned tiles, unsigned shift,
                                            unsigned digits)
{
    __shared__ unsigned own[DIGITS];
    unsigned t = threadIdx.x, first = blockIdx.x * tiles * BLOCK + t;

    if (t < digits)
        own[t] = 0;
    __syncthreads();
    for (unsigned tile = 0; tile < tiles; tile++)
        atomicAdd(&own[in[first + tile * BLOCK] >> shift & (digits - 1)], 1);
    __syncthreads();
    if (t < digits)
        count[t * gridDim.x + blockIdx.x] = own[t];
}

// Second, where they begin: each count becomes the sum of all counts before it. They are few, so that one block does it:
// scan_sums, of scan.cu.

// Third, the keys move. With digits of one bit a key needs to know how many zeros come before it: all other keys before
// it are ones. A vote counts the zeros of a warp, the sums of the warps do the rest.
extern "C" __global__ void radix_sort_split(unsigned *out, const unsigned *in, const unsigned *first, unsigned tiles,
                                            unsigned shift)
{
    __shared__ unsigned zeros[WARPS];
    unsigned t = threadIdx.x, lanes_before = (1u << t % 32) - 1;
    unsigned next_zero = first[blockIdx.x], next_one = first[gridDim.x + blockIdx.x];

    for (unsigned tile = 0; tile < tiles; tile++) {
        unsigned key = in[(blockIdx.x * tiles + tile) * BLOCK + t], bit = key >> shift & 1;
        unsigned vote = __ballot_sync(0xffffffff, bit == 0), before = __popc(vote & lanes_before), all = 0;
        if (t % 32 == 0)
            zeros[t / 32] = __popc(vote);
        __syncthreads();
        for (unsigned warp = 0; warp < WARPS; warp++) {
            if (warp < t / 32)
                before += zeros[warp];
            all += zeros[warp];
        }
        out[bit ? next_one + t - before : next_zero + before] = key;
        next_zero += all;
        next_one += BLOCK - all;
        __syncthreads();
    }
}

// With digits of four bits: how many keys of this tile come before this thread's and have its digit. total[] are all.
static __device__ unsigned rank_in_tile(unsigned digit, unsigned (*count)[DIGITS], unsigned *total)
{
    unsigned t = threadIdx.x, same = __match_any_sync(0xffffffff, digit), before = __popc(same & ((1u << t % 32) - 1));

    if (t < WARPS * DIGITS)
        count[t / DIGITS][t % DIGITS] = 0;
    __syncthreads();
    if (before == 0)
        count[t / 32][digit] = __popc(same);
    __syncthreads();
    if (t < DIGITS) {
        unsigned sum = 0;
        for (int warp = 0; warp < WARPS; warp++) {
            unsigned own = count[warp][t];
            count[warp][t] = sum;
            sum += own;
        }
        total[t] = sum;
    }
    __syncthreads();
    return count[t / 32][digit] + before;
}

// Each key goes straight to where it belongs. The lanes of a warp have keys of up to 16 digits: as many places.
extern "C" __global__ void radix_sort_scatter(unsigned *out, const unsigned *in, const unsigned *first, unsigned tiles,
                                              unsigned shift)
{
    __shared__ unsigned count[WARPS][DIGITS], total[DIGITS], next[DIGITS];
    unsigned t = threadIdx.x;

    if (t < DIGITS)
        next[t] = first[t * gridDim.x + blockIdx.x];
    for (unsigned tile = 0; tile < tiles; tile++) {
        unsigned key = in[(blockIdx.x * tiles + tile) * BLOCK + t], digit = key >> shift & (DIGITS - 1);
        unsigned rank = rank_in_tile(digit, count, total);
        out[next[digit] + rank] = key;
        __syncthreads();
        if (t < DIGITS)
            next[t] += total[t];
    }
}

// The tile is put in order in shared memory first: neighbouring threads then have keys of the same digit, or of the
// next one, and store them side by side. `to` leads from a place in the tile to one in the output.
extern "C" __global__ void radix_sort_local(unsigned *out, const unsigned *in, const unsigned *first, unsigned tiles,
                                            unsigned shift)
{
    __shared__ unsigned count[WARPS][DIGITS], total[DIGITS], begin[DIGITS], to[DIGITS], sorted[BLOCK];
    unsigned t = threadIdx.x, next = t < DIGITS ? first[t * gridDim.x + blockIdx.x] : 0;

    for (unsigned tile = 0; tile < tiles; tile++) {
        unsigned key = in[(blockIdx.x * tiles + tile) * BLOCK + t], digit = key >> shift & (DIGITS - 1);
        unsigned rank = rank_in_tile(digit, count, total);
        if (t < DIGITS) {
            unsigned sum = 0;
            for (unsigned lower = 0; lower < DIGITS; lower++)
                sum += lower < t ? total[lower] : 0;
            begin[t] = sum;
            to[t] = next - sum;
            next += total[t];
        }
        __syncthreads();
        sorted[begin[digit] + rank] = key;
        __syncthreads();
        key = sorted[t];
        out[to[key >> shift & (DIGITS - 1)] + t] = key;
    }
}
// SPDX-License-Identifier: Apache-2.0
