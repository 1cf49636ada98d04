// Which words of memory the 32 lanes of a warp take, five ways. Every warp takes its words from a piece of
// the input of its own, PIECE words long; __ldca goes through the L1 cache, __ldcg past it to L2.
const unsigned PIECE = 1024;

#define PATTERN(name, load, index)                                               \
    extern "C" __global__ void name(float *out, const float *in, unsigned lines) \
    {                                                                            \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;       \
                                                                                 \
        out[i] = load(&in[i / 32 * PIECE + (index)]);                            \
    }

// Lane l takes word l: one line, four sectors.
PATTERN(load_aligned_l1, __ldca, lane)
PATTERN(load_aligned_l2, __ldcg, lane)

// The same words in another order.
PATTERN(load_permuted_l1, __ldca, lane ^ 21)
PATTERN(load_permuted_l2, __ldcg, lane ^ 21)

// One word further on: a second line, a fifth sector.
PATTERN(load_misaligned_l1, __ldca, lane + 1)
PATTERN(load_misaligned_l2, __ldcg, lane + 1)

// All lanes one word.
PATTERN(load_one_word_l1, __ldca, lane * 0 + 7)
PATTERN(load_one_word_l2, __ldcg, lane * 0 + 7)

// Words of `lines` lines, in no order: with 32 each lane has a line of its own.
__device__ unsigned scattered(unsigned lane, unsigned lines)
{
    unsigned order = lane * 11 % 32;

    return order % lines * 32 + order / lines;
}
PATTERN(load_scattered_l1, __ldca, scattered(lane, lines))
PATTERN(load_scattered_l2, __ldcg, scattered(lane, lines))
// SPDX-License-Identifier: Apache-2.0
