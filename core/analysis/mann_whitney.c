/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks are doubled, so that the mid-ranks of ties are whole numbers. */
#include "core/analysis/mann_whitney.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SUM_MAX (SPREAD_EXACT_MAX * (SPREAD_EXACT_MAX + 1)) /* of all doubled ranks */

#define SIGNS_EXACT_MAX 1000

struct ranked {
    double number;
    double twice_rank;
    bool of_a;
};

static int compare_ranked(const void *a, const void *b)
{
    double left = ((const struct ranked *)a)->number, right = ((const struct ranked *)b)->number;
    return (left > right) - (left < right);
}

/* Gives sorted numbers their doubled mid-ranks; returns the sum over ties of t^3 - t. */
static double ranks_sum(struct ranked *all, size_t count)
{
    double ties = 0;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && all[end].number == all[first].number; end++) {
        }
        double same = (double)(end - first);
        ties += same * same * same - same;
        for (size_t i = first; i < end; i++)
            all[i].twice_rank = (double)(first + 1 + end);
    }
    return ties;
}

/* Of all ways to choose `chosen` ranks for A: the share whose sum is at least `distance` from the middle. */
static double exact_chance(const struct ranked *all, size_t count, size_t chosen, double distance)
{
    static const size_t row = SUM_MAX + 1;
    double *ways = calloc((chosen + 1) * row, sizeof *ways);
    double far = 0, total = 0, middle = (double)(chosen * (count + 1));
    if (!ways)
        return 1;
    ways[0] = 1;
    for (size_t i = 0; i < count; i++) {
        size_t rank_i = (size_t)all[i].twice_rank;
        for (size_t k = i + 1 < chosen ? i + 1 : chosen; k > 0; k--)
            for (size_t sum = SUM_MAX; sum >= rank_i; sum--)
                ways[k * row + sum] += ways[(k - 1) * row + sum - rank_i];
    }
    for (size_t sum = 0; sum <= SUM_MAX; sum++) {
        total += ways[chosen * row + sum];
        far += fabs((double)sum - middle) >= distance ? ways[chosen * row + sum] : 0;
    }
    free(ways);
    return fmin(1, far / total);
}

static double normal_chance(double a_count, double b_count, double distance, double ties)
{
    double all = a_count + b_count;
    double variance = a_count * b_count / 12 * (all + 1 - ties / (all * (all - 1)));
    if (!(variance > 0))
        return 1; /* all are the same */
    double beyond = fmax(0, distance / 2 - 0.5) / sqrt(variance);
    return erfc(beyond / sqrt(2));
}

double spread_chance(const double *a, size_t a_count, const double *b, size_t b_count)
{
    size_t count = a_count + b_count;
    struct ranked *all = a_count && b_count ? malloc(count * sizeof *all) : NULL;
    if (!all)
        return 1;
    for (size_t i = 0; i < count; i++)
        all[i] = (struct ranked){.number = i < a_count ? a[i] : b[i - a_count], .of_a = i < a_count};
    qsort(all, count, sizeof *all, compare_ranked);
    double ties = ranks_sum(all, count), sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += all[i].of_a ? all[i].twice_rank : 0;
    double distance = fabs(sum - (double)a_count * (double)(count + 1));
    double chance = count <= SPREAD_EXACT_MAX
                        ? exact_chance(all, count, a_count, distance)
                        : normal_chance((double)a_count, (double)b_count, distance, ties);
    free(all);
    return chance;
}

/* Twice the share of the 2^count outcomes that have at most `few` on one side; for large counts by the normal
 * distribution, corrected for continuity. */
static double sign_chance(size_t few, size_t count)
{
    if (count > SIGNS_EXACT_MAX) {
        double beyond = fmax(0, (double)count - 2 * (double)few - 1) / sqrt((double)count);
        return erfc(beyond / sqrt(2));
    }
    double log_all = (double)count * log(2), share = 0;
    for (size_t i = 0; i <= few; i++) {
        share += exp(lgamma((double)count + 1) - lgamma((double)i + 1) - lgamma((double)(count - i) + 1) -
                     log_all);
    }
    return fmin(1, 2 * share);
}

double spread_chance_of_number(double number, const double *set, size_t count)
{
    size_t below = 0, above = 0;
    for (size_t i = 0; i < count; i++) {
        below += set[i] < number;
        above += set[i] > number;
    }
    return below + above == 0 ? 1 : sign_chance(below < above ? below : above, below + above);
}

double spread_least_chance(size_t a_count, size_t b_count)
{
    if (a_count == 0 || b_count == 0)
        return 1;
    double a = (double)a_count, b = (double)b_count;
    return fmin(1, 2 * exp(lgamma(a + 1) + lgamma(b + 1) - lgamma(a + b + 1)));
}

double spread_least_chance_of_number(size_t count)
{
    return count == 0 ? 1 : sign_chance(0, count);
}
