/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two kernels' numbers of one metric side by side. A number without noise (a count that every launch repeats,
 * anything modelled or expected) differs or does not; numbers of launches are weighed by the test of
 * core/analysis/mann_whitney.h, whose arrays are freed here.
 */
#include "core/analysis/compare.h"

#include "core/analysis/mann_whitney.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *compare_change_text(const struct compare_change *change)
{
    return change->better > 0 ? "better" : change->better < 0 ? "worse" : "neither";
}

const char *compare_weight_text(enum compare_weight weight)
{
#define WEIGHT_TEXT(id, text) [COMPARE_##id] = text,
    static const char *const texts[] = {COMPARE_WEIGHT_LIST(WEIGHT_TEXT)};
#undef WEIGHT_TEXT

    return (unsigned)weight < COMPARE_WEIGHT_COUNT ? texts[weight] : texts[COMPARE_UNKNOWN];
}

enum provenance compare_own(const struct compare_kernel *side)
{
    return kernel_on_model(kernel_index_session(side->index), side->kernel) ? PROVENANCE_MODELLED
                                                                            : PROVENANCE_MEASURED;
}

struct compare_change compare_values(enum metric metric, const struct value *a, const struct value *b)
{
    struct compare_change change = {0};
    if (!a->available || !b->available || a->word || b->word || a->bound != VALUE_EXACT ||
        b->bound != VALUE_EXACT)
        return change;
    enum metric_better better = metric_info(metric)->better;
    change.known = true;
    change.difference = b->number - a->number;
    change.has_ratio = a->number != 0;
    change.ratio = change.has_ratio ? b->number / a->number : 0;
    bool slight = !metric_info(metric)->exact && fabs(change.difference) < COMPARE_SLIGHT * fabs(a->number);
    if (change.difference != 0 && better != METRIC_NEITHER && !slight)
        change.better = (change.difference < 0) == (better == METRIC_LOWER) ? 1 : -1;
    return change;
}

/* Is it a count of memory accesses, or computed from such counts? The model and a GPU count these alike. */
static bool is_count(enum metric metric)
{
    const struct metric_info *info = metric_info(metric);
    return info->exact || info->group == METRIC_GROUP_GLOBAL || info->group == METRIC_GROUP_SHARED;
}

/* Would another launch give the same number again? Counts have no noise. */
static bool metric_repeats(enum metric metric, const struct kernel_statistic *statistic)
{
    return statistic->value.provenance != PROVENANCE_MEASURED ||
           (is_count(metric) && statistic->min == statistic->max);
}

static enum compare_weight weight_of(double chance, double least)
{
    return chance <= SPREAD_LEVEL ? COMPARE_BEYOND : least > SPREAD_LEVEL ? COMPARE_TOO_FEW : COMPARE_WITHIN;
}

/* Compares two different numbers, of which at least one has a spread. */
static enum status weigh_samples(const struct compare_kernel *a, const struct compare_kernel *b,
                                 enum metric metric, struct compare_metric *result, struct error *error)
{
    const struct compare_kernel *sides[] = {a, b};
    const struct kernel_statistic *statistics[] = {&result->a, &result->b};
    double *numbers[2] = {NULL, NULL};
    size_t counts[2] = {0, 0};
    enum status status = STATUS_OK;
    for (int s = 0; status == STATUS_OK && s < 2; s++) {
        if (!metric_repeats(metric, statistics[s])) {
            status = kernel_index_samples(sides[s]->index, sides[s]->kernel, metric,
                                          statistics[s]->value.provenance, &numbers[s], &counts[s], error);
        }
    }
    if (status == STATUS_OK && numbers[0] && numbers[1]) {
        result->chance = spread_chance(numbers[0], counts[0], numbers[1], counts[1]);
        result->weight = weight_of(result->chance, spread_least_chance(counts[0], counts[1]));
    } else if (status == STATUS_OK) {
        int s = numbers[1] != NULL;
        result->chance = spread_chance_of_number(statistics[1 - s]->value.number, numbers[s], counts[s]);
        result->weight = weight_of(result->chance, spread_least_chance_of_number(counts[s]));
    }
    free(numbers[0]);
    free(numbers[1]);
    return status;
}

enum status compare_metric(const struct compare_kernel *a, const struct compare_kernel *b, enum metric metric,
                           struct compare_metric *result, struct error *error)
{
    *result = (struct compare_metric){.chance = NAN};
    result->a = kernel_index_statistic(a->index, a->kernel, metric, compare_own(a));
    result->b = kernel_index_statistic(b->index, b->kernel, metric, compare_own(b));
    if (!result->a.value.available && !result->b.value.available) {
        struct kernel_statistic expected[] = {
            kernel_index_statistic(a->index, a->kernel, metric, PROVENANCE_EXPECTED),
            kernel_index_statistic(b->index, b->kernel, metric, PROVENANCE_EXPECTED)};
        if (expected[0].value.available || expected[1].value.available) {
            result->a = expected[0];
            result->b = expected[1];
        }
    }
    result->change = compare_values(metric, &result->a.value, &result->b.value);
    result->alike = compare_work(a, b) == COMPARE_WORK_SAME && (is_count(metric) || compare_same_clock(a, b));
    if (!result->alike)
        result->change.better = 0;
    if (!result->change.known)
        return STATUS_OK;
    if (result->change.difference == 0)
        result->weight = COMPARE_EQUAL;
    else if (metric_repeats(metric, &result->a) && metric_repeats(metric, &result->b))
        result->weight = COMPARE_CERTAIN;
    else
        return weigh_samples(a, b, metric, result, error);
    return STATUS_OK;
}

/* ---- the order ---- */

bool compare_bounded_alike(const struct compare_metric *compared)
{
    const struct value *a = &compared->a.value, *b = &compared->b.value;
    return a->available && b->available && a->bound != VALUE_EXACT && a->bound == b->bound &&
           a->number == b->number;
}

bool compare_differs(const struct compare_metric *compared)
{
    const struct value *a = &compared->a.value, *b = &compared->b.value;
    if (a->available && b->available && a->word && b->word)
        return strcmp(a->word, b->word) != 0;
    return (a->available || b->available) && compared->weight != COMPARE_EQUAL &&
           !compare_bounded_alike(compared);
}

double compare_distance(const struct compare_metric *compared)
{
    const struct value *a = &compared->a.value, *b = &compared->b.value;
    if (!a->available || !b->available || !compare_differs(compared))
        return -1;
    if (a->word || b->word)
        return INFINITY;
    return !compared->change.known                                    ? -1
           : compared->change.has_ratio && compared->change.ratio > 0 ? fabs(log(compared->change.ratio))
                                                                      : INFINITY;
}

/* Metrics of a lower rank are listed before those of a higher one. */
static int rank_of(const struct compare_metric *compared, enum metric metric, bool first)
{
    enum { TIME, FIRST, CHANGED, WITHIN, ONE_SIDED, ALIKE };

    if (!compare_differs(compared))
        return ALIKE;
    if (compare_distance(compared) < 0)
        return ONE_SIDED;
    return metric == METRIC_time_ns             ? TIME
           : first                              ? FIRST
           : compared->weight == COMPARE_WITHIN ? WITHIN
                                                : CHANGED;
}

static bool is_before(const struct compare_metric *compared, const bool *first, enum metric left,
                      enum metric right)
{
    int a = rank_of(&compared[left], left, first && first[left]),
        b = rank_of(&compared[right], right, first && first[right]);
    return a != b ? a < b : compare_distance(&compared[left]) > compare_distance(&compared[right]);
}

int compare_order(const struct compare_metric compared[METRIC_COUNT], const bool first[METRIC_COUNT],
                  enum metric order[METRIC_COUNT], int *differing)
{
    int count = 0;
    *differing = 0;
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        if (!compared[metric].a.value.available && !compared[metric].b.value.available)
            continue;
        int at = count++;
        for (; at > 0 && is_before(compared, first, metric, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = metric;
        *differing += compare_differs(&compared[metric]);
    }
    return count;
}

/* Can it be added up over launches? */
static bool adds_up(enum metric metric)
{
    static const char *const units[] = {"requests", "sectors", "wavefronts", "instructions"};
    const struct metric_info *info = metric_info(metric);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (is_count(metric) && info->group != METRIC_GROUP_OLD && strcmp(info->unit, units[i]) == 0)
            return true;
    return false;
}

/* Sums over all launches of one side; false: not known. */
static bool sum_of(const struct compare_kernel *side, enum metric metric, double *sum)
{
    struct kernel_times times = kernel_index_times(side->index, side->kernel);
    if (metric == METRIC_time_ns) {
        *sum = (double)times.total_ns;
        return times.launches > 0;
    }
    struct kernel_statistic one =
        kernel_index_statistic(side->index, side->kernel, metric, compare_own(side));
    *sum = one.value.number * (double)times.launches;
    return times.launches > 0 && adds_up(metric) && one.value.available && !one.value.word &&
           one.value.bound == VALUE_EXACT && one.min == one.max;
}

struct compare_sums compare_sums(const struct compare_kernel *a, const struct compare_kernel *b,
                                 enum metric metric)
{
    struct compare_sums result = {{0, 0}, {0}};
    bool known = sum_of(a, metric, &result.sums[0]);
    if (!sum_of(b, metric, &result.sums[1]) || !known)
        return result;
    struct value sums[] = {{.available = true, .number = result.sums[0]},
                           {.available = true, .number = result.sums[1]}};
    result.change = compare_values(metric, &sums[0], &sums[1]);
    if (compare_work(a, b) == COMPARE_WORK_OTHER || metric == METRIC_time_ns)
        result.change.better = 0;
    return result;
}
