/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of the word: 0 to 19 expected arrivals, 20 to 39 pending ones, 40 to 60 bytes in two's complement, 61
 * and 62: 1 and 0 mark an mbarrier, which neither zeros nor the fill of shared memory are; 63 the phase. */
#include "simt/memory/mbarrier.h"

#define PENDING_SHIFT 20
#define BYTES_SHIFT 40
#define BYTES_BITS 21
#define MARK_SHIFT 61
#define PHASE_SHIFT 63

bool mbarrier_read(uint64_t word, struct mbarrier *barrier)
{
    if ((word >> MARK_SHIFT & 3u) != 1)
        return false;
    uint32_t bytes = (uint32_t)(word >> BYTES_SHIFT) & ((1u << BYTES_BITS) - 1),
             sign = 1u << (BYTES_BITS - 1);
    *barrier = (struct mbarrier){.expected = (uint32_t)word & MBARRIER_COUNT_MAX,
                                 .pending = (uint32_t)(word >> PENDING_SHIFT) & MBARRIER_COUNT_MAX,
                                 .bytes = (int32_t)(bytes ^ sign) - (int32_t)sign,
                                 .phase = mbarrier_phase(word)};
    return true;
}

static uint64_t word_of(const struct mbarrier *barrier)
{
    uint64_t bytes = (uint64_t)(int64_t)barrier->bytes & ((UINT64_C(1) << BYTES_BITS) - 1);
    return barrier->expected | (uint64_t)barrier->pending << PENDING_SHIFT | bytes << BYTES_SHIFT |
           UINT64_C(1) << MARK_SHIFT | (uint64_t)barrier->phase << PHASE_SHIFT;
}

/* Stores it; the next phase begins if nothing is missing in this one. */
static enum mbarrier_result barrier_store(uint64_t *word, struct mbarrier barrier)
{
    if (barrier.pending == 0 && barrier.bytes == 0) {
        barrier.phase = !barrier.phase;
        barrier.pending = barrier.expected;
    }
    *word = word_of(&barrier);
    return MBARRIER_OK;
}

enum mbarrier_result mbarrier_init(uint64_t *word, uint32_t count)
{
    if (count == 0 || count > MBARRIER_COUNT_MAX)
        return MBARRIER_BAD_COUNT;
    *word = word_of(&(struct mbarrier){.expected = count, .pending = count});
    return MBARRIER_OK;
}

enum mbarrier_result mbarrier_arrive(uint64_t *word, uint32_t count, bool drop)
{
    struct mbarrier barrier;
    if (!mbarrier_read(*word, &barrier))
        return MBARRIER_IS_NONE;
    if (count > barrier.pending || (drop && count > barrier.expected))
        return MBARRIER_TOO_MANY;
    barrier.pending -= count;
    barrier.expected -= drop ? count : 0;
    return count ? barrier_store(word, barrier) : MBARRIER_OK;
}

enum mbarrier_result mbarrier_expect_one(uint64_t *word)
{
    struct mbarrier barrier;
    if (!mbarrier_read(*word, &barrier))
        return MBARRIER_IS_NONE;
    if (barrier.pending == MBARRIER_COUNT_MAX)
        return MBARRIER_BAD_COUNT;
    barrier.pending++;
    *word = word_of(&barrier);
    return MBARRIER_OK;
}

enum mbarrier_result mbarrier_add_bytes(uint64_t *word, int64_t bytes)
{
    struct mbarrier barrier;
    if (!mbarrier_read(*word, &barrier))
        return MBARRIER_IS_NONE;
    int64_t sum = barrier.bytes + bytes;
    if (sum > (int64_t)MBARRIER_COUNT_MAX || sum < -(int64_t)MBARRIER_COUNT_MAX)
        return MBARRIER_BYTES_BEYOND;
    barrier.bytes = (int32_t)sum;
    return bytes ? barrier_store(word, barrier) : MBARRIER_OK;
}
