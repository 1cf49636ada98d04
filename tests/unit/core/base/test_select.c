/* SPDX-License-Identifier: Apache-2.0 */
/* Selection against a sort, of numbers that are random, equal, in order, in reverse, or fewer than ten values. */
#include "core/base/sort.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1000u

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static int by_number(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static int64_t number_of(int how, size_t i, size_t count, uint64_t *state)
{
    switch (how) {
    case 0: return (int64_t)draw(state) - (1 << 30);
    case 1: return 7;
    case 2: return (int64_t)i;
    case 3: return (int64_t)(count - i);
    default: return (int64_t)(draw(state) % 10);
    }
}

Test(select, finds_what_a_sort_puts_there)
{
    int64_t numbers[MOST], sorted[MOST];
    double doubles[MOST];
    uint64_t state = 1;
    for (int round = 0; round < 3000; round++) {
        const size_t count = 1 + draw(&state) % (round % 10 == 0 ? MOST : 40), at = draw(&state) % count;
        for (size_t i = 0; i < count; i++) {
            numbers[i] = sorted[i] = number_of(round % 5, i, count, &state);
            doubles[i] = (double)numbers[i];
        }
        qsort(sorted, count, sizeof *sorted, by_number);
        cr_assert_eq(select_int64(numbers, count, at), sorted[at], "round %d", round);
        cr_assert_eq((int64_t)select_double(doubles, count, at), sorted[at], "round %d", round);
        for (size_t i = 0; i < count; i++) {
            cr_assert(i < at ? numbers[i] <= sorted[at] : numbers[i] >= sorted[at], "round %d", round);
            cr_assert(i < at ? doubles[i] <= (double)sorted[at] : doubles[i] >= (double)sorted[at]);
        }
        qsort(numbers, count, sizeof *numbers, by_number);
        cr_assert_eq(memcmp(numbers, sorted, count * sizeof *numbers), 0, "round %d", round);
    }
}
