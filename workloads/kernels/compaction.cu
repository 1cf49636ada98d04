// The words below `limit` move to the front of `out`, with no gaps. Where a thread may write depends on what
// all the others keep.
const unsigned WARPS = 16; // of a block

// Each thread asks for itself: all threads of the device add to one word, one after the other. If it could
// tell that the word is one for all, the compiler would do what compaction_warp does; threadIdx.x /
// blockDim.x hides it.
extern "C" __global__ void compaction_atomic(unsigned *out, unsigned *count, const unsigned *in,
                                             unsigned limit)
{
    unsigned word = in[blockIdx.x * blockDim.x + threadIdx.x];

    if (word < limit)
        out[atomicAdd(&count[threadIdx.x / blockDim.x], 1)] = word;
}

// Which lanes keep their word: a vote tells all of them. One lane asks for the whole warp, and each takes its
// place among the lanes before it.
extern "C" __global__ void compaction_warp(unsigned *out, unsigned *count, const unsigned *in, unsigned limit)
{
    unsigned word = in[blockIdx.x * blockDim.x + threadIdx.x], lane = threadIdx.x % 32, first = 0;
    unsigned kept = __ballot_sync(0xffffffff, word < limit);

    if (lane == 0 && kept)
        first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(0xffffffff, first, 0);
    if (word < limit)
        out[first + __popc(kept & (1u << lane) - 1)] = word;
}

// How many threads of the block keep their word, before this one and in all. Each warp tells the others.
__device__ unsigned rank_in_block(unsigned *of_warp, bool keep, unsigned *all)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, kept = __ballot_sync(0xffffffff, keep);
    unsigned rank = __popc(kept & (1u << lane) - 1);

    if (lane == 0)
        of_warp[warp] = __popc(kept);
    __syncthreads();
    *all = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        if (w < warp)
            rank += of_warp[w];
        *all += of_warp[w];
    }
    return rank;
}

// One thread asks for the whole block. The last word of shared memory is for its answer.
extern "C" __global__ void compaction_block(unsigned *out, unsigned *count, const unsigned *in,
                                            unsigned limit)
{
    __shared__ alignas(16) unsigned shared[WARPS + 1];
    unsigned word = in[blockIdx.x * blockDim.x + threadIdx.x], all,
             rank = rank_in_block(shared, word < limit, &all);

    if (threadIdx.x == 0)
        shared[WARPS] = atomicAdd(count, all);
    __syncthreads();
    if (word < limit)
        out[shared[WARPS] + rank] = word;
}

// Nobody asks: blocks count what they will keep, scan_sums makes of the counts where each begins,
extern "C" __global__ void compaction_count(unsigned *kept, const unsigned *in, unsigned limit)
{
    unsigned all = __syncthreads_count(in[blockIdx.x * blockDim.x + threadIdx.x] < limit);

    if (threadIdx.x == 0)
        kept[blockIdx.x] = all;
}

// and then they move it. The words are read twice, and keep their order.
extern "C" __global__ void compaction_move(unsigned *out, const unsigned *first, const unsigned *in,
                                           unsigned limit)
{
    __shared__ alignas(16) unsigned shared[WARPS];
    unsigned word = in[blockIdx.x * blockDim.x + threadIdx.x], all,
             rank = rank_in_block(shared, word < limit, &all);

    if (word < limit)
        out[first[blockIdx.x] + rank] = word;
}
// SPDX-License-Identifier: Apache-2.0
