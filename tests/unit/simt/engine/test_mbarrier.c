/* SPDX-License-Identifier: Apache-2.0 */
/* The word of an mbarrier: phases, arrivals, bytes, and what is refused. */
#include "simt/memory/mbarrier.h"

#include <criterion/criterion.h>

static struct mbarrier state(uint64_t word)
{
    struct mbarrier barrier = {0};
    cr_assert(mbarrier_read(word, &barrier));
    return barrier;
}

Test(mbarrier, a_phase_ends_when_arrivals_and_bytes_have_come)
{
    /* The last step of each order ends the phase, whichever it is. */
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {2, 0, 1}};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        uint64_t word = 0;
        cr_assert_eq(mbarrier_init(&word, 3), MBARRIER_OK);
        for (int phase = 0; phase < 4; phase++) {
            for (int step = 0; step < 3; step++) {
                cr_assert_eq(state(word).phase, phase % 2);
                switch (orders[i][step]) {
                case 0: cr_assert_eq(mbarrier_add_bytes(&word, 4096), MBARRIER_OK); break;
                case 1: cr_assert_eq(mbarrier_arrive(&word, 3, false), MBARRIER_OK); break;
                default: cr_assert_eq(mbarrier_add_bytes(&word, -4096), MBARRIER_OK); break;
                }
            }
            cr_assert_eq(state(word).phase, (phase + 1) % 2, "order %zu, phase %d", i, phase);
            cr_assert_eq(state(word).pending, 3);
            cr_assert_eq(state(word).bytes, 0);
        }
    }
}

Test(mbarrier, dropped_arrivals_are_not_expected_again)
{
    uint64_t word = 0;
    cr_assert_eq(mbarrier_init(&word, 5), MBARRIER_OK);
    cr_assert_eq(mbarrier_arrive(&word, 2, true), MBARRIER_OK);
    cr_assert_eq(state(word).pending, 3);
    cr_assert_eq(mbarrier_arrive(&word, 3, false), MBARRIER_OK);
    cr_assert_eq(state(word).pending, 3);
    cr_assert(state(word).phase);
    cr_assert_eq(mbarrier_expect_one(&word), MBARRIER_OK);
    cr_assert_eq(state(word).pending, 4);
    cr_assert_eq(mbarrier_arrive(&word, 4, false), MBARRIER_OK);
    cr_assert_eq(state(word).pending, 3, "one more was expected in one phase only");
}

Test(mbarrier, what_is_refused)
{
    uint64_t word = 0, fill;
    __builtin_memset(&fill, 0xf7, sizeof fill);
    cr_assert_eq(mbarrier_arrive(&word, 1, false), MBARRIER_IS_NONE);
    cr_assert_eq(mbarrier_arrive(&fill, 1, false), MBARRIER_IS_NONE, "memory that was never written");
    cr_assert_eq(mbarrier_add_bytes(&word, 1), MBARRIER_IS_NONE);
    cr_assert_eq(mbarrier_init(&word, 0), MBARRIER_BAD_COUNT);
    cr_assert_eq(mbarrier_init(&word, 1 << 20), MBARRIER_BAD_COUNT);
    cr_assert_eq(word, 0);
    cr_assert_eq(mbarrier_init(&word, MBARRIER_COUNT_MAX), MBARRIER_OK);
    cr_assert_eq(state(word).pending, MBARRIER_COUNT_MAX);
    cr_assert_eq(mbarrier_expect_one(&word), MBARRIER_BAD_COUNT);
    cr_assert_eq(mbarrier_init(&word, 2), MBARRIER_OK);
    cr_assert_eq(mbarrier_arrive(&word, 3, false), MBARRIER_TOO_MANY);
    cr_assert_eq(mbarrier_add_bytes(&word, MBARRIER_COUNT_MAX), MBARRIER_OK);
    cr_assert_eq(mbarrier_add_bytes(&word, 1), MBARRIER_BYTES_BEYOND);
    cr_assert_eq(mbarrier_add_bytes(&word, -2 * (int64_t)MBARRIER_COUNT_MAX), MBARRIER_OK);
    cr_assert_eq(state(word).bytes, -(int32_t)MBARRIER_COUNT_MAX);
    cr_assert_eq(mbarrier_add_bytes(&word, -1), MBARRIER_BYTES_BEYOND);
    cr_assert_eq(state(word).pending, 2, "nothing has changed");
}
