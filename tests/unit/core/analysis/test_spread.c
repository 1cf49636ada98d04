/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rank tests of core/analysis/mann_whitney.h: tables of the literature, all orders counted out by another
 * way, and what must hold of any numbers.
 */
#include "core/analysis/mann_whitney.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static double sequence(size_t count, double first, double *numbers)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = first + (double)i;
    return first + (double)count;
}

/* Critical values of U at a two-sided 5 % (Mann and Whitney's test; the table in any textbook): U is
 * significant, U + 1 is not. */
Test(spread, critical_values_of_the_rank_sum)
{
    static const struct {
        size_t n, m, u;
    } rows[] = {{4, 4, 0},  {4, 5, 1},  {5, 5, 2},    {5, 8, 6},    {6, 6, 5},    {7, 7, 8},
                {8, 8, 13}, {9, 9, 17}, {10, 10, 23}, {10, 20, 55}, {15, 15, 64}, {20, 20, 127}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (size_t more = 0; more < 2; more++) {
            /* B is 0, 1, 2, ...; A lies above `u` of all pairs in sum. */
            double a[20], b[20];
            size_t left = rows[r].u + more;
            sequence(rows[r].m, 0, b);
            for (size_t i = 0; i < rows[r].n; i++) {
                size_t above = left < rows[r].m ? left : rows[r].m;
                left -= above;
                a[i] = (double)above - 0.5 - 0.001 * (double)i;
            }
            cr_assert_eq(left, 0);
            double chance = spread_chance(a, rows[r].n, b, rows[r].m);
            cr_assert_eq(chance <= 0.05, more == 0, "%zu and %zu, U %zu: %g", rows[r].n, rows[r].m,
                         rows[r].u + more, chance);
        }
    }
}

static int twice_u(const double *a, size_t n, const double *b, size_t m)
{
    int twice = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            twice += a[i] > b[j] ? 2 : a[i] == b[j];
    return twice;
}

/* Every way to deal the numbers to A and B, ties and all. */
static double dealt_out(const double *a, size_t n, const double *b, size_t m)
{
    double all[12], hand_a[12], hand_b[12];
    int middle = (int)(n * m), seen = abs(twice_u(a, n, b, m) - middle);
    unsigned ways = 0, far = 0;
    for (size_t i = 0; i < n + m; i++)
        all[i] = i < n ? a[i] : b[i - n];
    for (unsigned mask = 0; mask < 1u << (n + m); mask++) {
        size_t in_a = 0, in_b = 0;
        if ((size_t)__builtin_popcount(mask) != n)
            continue;
        for (size_t i = 0; i < n + m; i++)
            if (mask >> i & 1u)
                hand_a[in_a++] = all[i];
            else
                hand_b[in_b++] = all[i];
        ways++;
        far += abs(twice_u(hand_a, n, hand_b, m) - middle) >= seen;
    }
    return (double)far / ways;
}

Test(spread, equals_all_orders_dealt_out)
{
    unsigned state = 7;
    for (int round = 0; round < 300; round++) {
        double a[6], b[6];
        size_t n = 1 + (size_t)round % 6, m = 1 + (size_t)(round / 6) % 6;
        for (size_t i = 0; i < 6; i++) { /* few values: many ties */
            a[i] = (double)((state = state * 1664525u + 1013904223u) >> 24) / 32;
            b[i] = (double)((state = state * 1664525u + 1013904223u) >> 28);
        }
        a[0] = floor(a[0]);
        b[1] = a[0];
        double ours = spread_chance(a, n, b, m), theirs = dealt_out(a, n, b, m);
        cr_assert_float_eq(ours, theirs, 1e-12, "%zu and %zu: %g, dealt out %g", n, m, ours, theirs);
    }
}

/* Where counting out ends the normal approximation takes over without a jump. */
Test(spread, many_numbers)
{
    double a[1000], b[1000];
    for (size_t n = 18; n <= 23; n++) {
        for (double apart = 0.25; apart < 12; apart += 0.5) {
            sequence(n, 0, a);
            sequence(n, apart, b);
            double chance = spread_chance(a, n, b, n);
            double u = 0, all = 2.0 * (double)n;
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    u += a[i] > b[j];
            double half = (double)(n * n) / 2;
            double normal = erfc(fmax(0, half - u - 0.5) / sqrt(half * (all + 1) / 6) / sqrt(2));
            cr_assert_float_eq(chance, normal, 0.006, "%zu, %g apart: %g, %g", n, apart, chance, normal);
        }
    }
    /* A few outliers do not hide a difference, and noise is not one. */
    for (size_t i = 0; i < 1000; i++) {
        a[i] = 1000 + (double)(i * 7919 % 13);
        b[i] = (i % 100 == 0 ? 1e6 : 1002) + (double)(i * 104729 % 13);
    }
    cr_assert_lt(spread_chance(a, 1000, b, 1000), 1e-6);
    cr_assert_gt(spread_chance(a, 500, a + 500, 500), 0.5);
}

Test(spread, what_holds_of_any_numbers)
{
    static const double a[] = {3, 1, 2, 5}, b[] = {9, 8, 2, 7, 11}, same[] = {4, 4, 4, 4, 4, 4};
    double scaled_a[4], scaled_b[5];
    for (size_t i = 0; i < 4; i++)
        scaled_a[i] = -1 / a[i];
    for (size_t i = 0; i < 5; i++)
        scaled_b[i] = -1 / b[i];
    double chance = spread_chance(a, 4, b, 5);
    cr_assert_float_eq(spread_chance(b, 5, a, 4), chance, 1e-12);
    cr_assert_float_eq(spread_chance(scaled_a, 4, scaled_b, 5), chance, 1e-12);
    cr_assert_eq(spread_chance(same, 3, same + 3, 3), 1);
    cr_assert_eq(spread_chance(a, 0, b, 5), 1);
    cr_assert_eq(spread_chance_of_number(4, same, 6), 1);
    cr_assert_eq(spread_chance_of_number(4, NULL, 0), 1);
}

/* Three launches against three can never tell; four against four, and six against a number, can. */
Test(spread, the_least_chance)
{
    static const double low[] = {1, 2, 3, 4, 5, 6, 7}, high[] = {11, 12, 13, 14, 15, 16, 17};
    cr_assert_float_eq(spread_least_chance(3, 3), 0.1, 1e-12);
    cr_assert_float_eq(spread_least_chance(4, 4), 2.0 / 70, 1e-12);
    cr_assert_float_eq(spread_least_chance_of_number(5), 1.0 / 16, 1e-12);
    cr_assert_float_eq(spread_least_chance_of_number(6), 1.0 / 32, 1e-12);
    cr_assert_eq(spread_least_chance(0, 9), 1);
    cr_assert_eq(spread_least_chance_of_number(0), 1);
    for (size_t n = 1; n <= 7; n++) {
        cr_assert_float_eq(spread_chance_of_number(20, low, n), spread_least_chance_of_number(n), 1e-12);
        for (size_t m = 1; m <= 7; m++)
            cr_assert_float_eq(spread_chance(low, n, high, m), spread_least_chance(n, m), 1e-12);
    }
}

/* 1 of 8, 2 of 12, 5 of 17 on one side: the sign test's critical values at 5 % are 0, 2 and 4. */
Test(spread, signs)
{
    static const struct {
        size_t count, few;
        double chance;
    } rows[] = {{8, 0, 0.0078125}, {8, 1, 0.0703125}, {12, 2, 0.03857421875}, {17, 4, 0.049041748046875}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        double set[20];
        for (size_t i = 0; i < rows[r].count; i++)
            set[i] = i < rows[r].few ? 1 : 3;
        cr_assert_float_eq(spread_chance_of_number(2, set, rows[r].count), rows[r].chance, 1e-12);
    }
    double *many = malloc(2000 * sizeof *many);
    for (size_t i = 0; i < 2000; i++)
        many[i] = i < 956 ? 1 : 3; /* 1.96 standard deviations are 956.2 */
    cr_assert_float_eq(spread_chance_of_number(2, many, 1999), 0.05, 0.005);
    cr_assert_float_eq(spread_chance_of_number(2, many, 2000), 0.05, 0.005);
    free(many);
}
