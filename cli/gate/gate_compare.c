/*
 * The lines of two kernels are aligned as texts are by diff: the cheapest way to make one list the other,
 * where a line whose counts are equal costs nothing and one that is changed costs less than one that is new
 * and one that has gone.
 */
#include "cli/gate/gate_compare.h"

#include "cli/output/memory.h"

#include <stdlib.h>
#include <string.h>

#define COST_CHANGED 2u              /* a line is changed, and 1 more for each of its counts that is */
#define COST_ALONE 7u                /* a line is new, or has gone */
#define CELLS_MOST ((size_t)1 << 24) /* beyond this lines are paired in their order */

const char *gate_change_text(enum gate_change change)
{
#define CHANGE_TEXT(id, alarm, words) [GATE_##id] = words,
    static const char *const texts[GATE_CHANGES] = {GATE_CHANGE_LIST(CHANGE_TEXT)};
#undef CHANGE_TEXT

    return texts[change];
}

bool gate_change_alarms(enum gate_change change)
{
#define CHANGE_ALARM(id, alarm, words) [GATE_##id] = alarm,
    static const bool alarms[GATE_CHANGES] = {GATE_CHANGE_LIST(CHANGE_ALARM)};
#undef CHANGE_ALARM

    return alarms[change];
}

/* ---- lines ---- */
static uint32_t count_differences(const uint64_t a[TALLY_COUNTS], const uint64_t b[TALLY_COUNTS])
{
    uint32_t differences = 0;

    for (int i = 0; i < TALLY_COUNTS; i++)
        differences += a[i] != b[i];
    return differences;
}

static uint32_t cost_of_pair(const struct gate_line *a, const struct gate_line *b)
{
    uint32_t differences = count_differences(a->counts, b->counts);

    return differences ? COST_CHANGED + differences : 0;
}

static void add_line(struct gate_pair *pair, const struct gate_line *before, const struct gate_line *after)
{
    if (before && after && count_differences(before->counts, after->counts) == 0)
        return;
    pair->lines[pair->line_count++] = (struct gate_line_pair){before, after};
}

static void pair_in_order(struct gate_pair *pair)
{
    const struct gate_kernel *before = pair->before, *after = pair->after;

    for (size_t i = 0; i < before->line_count || i < after->line_count; i++)
        add_line(pair, i < before->line_count ? &before->lines[i] : NULL,
                 i < after->line_count ? &after->lines[i] : NULL);
}

static uint32_t choose_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* costs[i * (m + 1) + j]: of making the lines from i on those from j on. */
static void align_lines(struct gate_pair *pair)
{
    const struct gate_line *before = pair->before->lines, *after = pair->after->lines;
    const size_t n = pair->before->line_count, m = pair->after->line_count, wide = m + 1;
    uint32_t *costs = memory_zeroed((n + 1) * wide, sizeof *costs);
    size_t i, j;

    for (i = n + 1; i-- > 0;) {
        for (j = m + 1; j-- > 0;) {
            uint32_t *cost = &costs[i * wide + j];

            if (i == n || j == m) {
                *cost = (uint32_t)(n - i + m - j) * COST_ALONE;
                continue;
            }
            *cost = choose_least(costs[(i + 1) * wide + j], costs[i * wide + j + 1]) + COST_ALONE;
            *cost = choose_least(*cost, costs[(i + 1) * wide + j + 1] + cost_of_pair(&before[i], &after[j]));
        }
    }
    for (i = 0, j = 0; i < n || j < m;) {
        uint32_t cost = costs[i * wide + j];

        if (i < n && j < m && cost == costs[(i + 1) * wide + j + 1] + cost_of_pair(&before[i], &after[j]))
            add_line(pair, &before[i++], &after[j++]);
        else if (i < n && cost == costs[(i + 1) * wide + j] + COST_ALONE)
            add_line(pair, &before[i++], NULL);
        else
            add_line(pair, NULL, &after[j++]);
    }
    free(costs);
}

static bool has_lines(const struct gate_kernel *kernel)
{
    for (size_t i = 0; i < kernel->line_count; i++)
        if (kernel->lines[i].line)
            return true;
    return false;
}

static void compare_lines(struct gate_pair *pair)
{
    size_t n = pair->before->line_count, m = pair->after->line_count;

    if (!has_lines(pair->before) || !has_lines(pair->after))
        return;
    pair->lines = memory_zeroed(n + m + 1, sizeof *pair->lines);
    if ((n + 1) * (m + 1) <= CELLS_MOST)
        align_lines(pair);
    else
        pair_in_order(pair);
}

/* ---- kernels ---- */
static bool counts_differ(const struct gate_kernel *a, const struct gate_kernel *b)
{
    return a->launches != b->launches || count_differences(a->counts, b->counts) > 0;
}

static bool is_same_under_other_name(const struct gate_kernel *a, const struct gate_kernel *b)
{
    if (gate_kernel_compare_shapes(a, b) != 0 || counts_differ(a, b) || a->line_count != b->line_count)
        return false;
    for (size_t i = 0; i < a->line_count; i++)
        if (count_differences(a->lines[i].counts, b->lines[i].counts) > 0)
            return false;
    return true;
}

static bool is_same(const struct gate_kernel *a, const struct gate_kernel *b)
{
    return strcmp(a->name, b->name) == 0 && gate_kernel_compare_shapes(a, b) == 0;
}

static bool has_same_name(const struct gate_kernel *a, const struct gate_kernel *b)
{
    return strcmp(a->name, b->name) == 0;
}

struct pairing {
    const struct gate_counts *before, *after;
    const struct gate_kernel **partner; /* by kernel of `after` */
    bool *taken;                        /* by kernel of `before` */
};

/* Gives kernels that have no partner the first one that fits. */
static void find_partners(struct pairing *pairing,
                          bool (*fits)(const struct gate_kernel *, const struct gate_kernel *))
{
    for (size_t k = 0; k < pairing->after->kernel_count; k++) {
        for (size_t i = 0; i < pairing->before->kernel_count && !pairing->partner[k]; i++) {
            if (pairing->taken[i] || !fits(&pairing->before->kernels[i], &pairing->after->kernels[k]))
                continue;
            pairing->partner[k] = &pairing->before->kernels[i];
            pairing->taken[i] = true;
        }
    }
}

static enum gate_change change_of(const struct gate_kernel *before, const struct gate_kernel *after)
{
    if (!before)
        return GATE_NEW;
    if (!after)
        return GATE_GONE;
    if (strcmp(before->name, after->name) != 0)
        return GATE_RENAMED;
    if (gate_kernel_compare_shapes(before, after) != 0)
        return GATE_SHAPE;
    return counts_differ(before, after) ? GATE_COUNTS : GATE_EQUAL;
}

static void add_pair(struct gate_result *result, const struct gate_kernel *before,
                     const struct gate_kernel *after)
{
    struct gate_pair *pair = &result->pairs[result->pair_count++];

    *pair = (struct gate_pair){.before = before, .after = after, .change = change_of(before, after)};
    result->alarms += gate_change_alarms(pair->change);
    if (pair->change == GATE_COUNTS || pair->change == GATE_SHAPE)
        compare_lines(pair);
}

void gate_compare(const struct gate_counts *before, const struct gate_counts *after,
                  struct gate_result *result)
{
    struct pairing pairing = {.before = before,
                              .after = after,
                              .partner = memory_zeroed(after->kernel_count, sizeof *pairing.partner),
                              .taken = memory_zeroed(before->kernel_count, sizeof *pairing.taken)};

    *result = (struct gate_result){
        .pairs = memory_zeroed(before->kernel_count + after->kernel_count, sizeof *result->pairs)};
    find_partners(&pairing, is_same);
    find_partners(&pairing, is_same_under_other_name);
    find_partners(&pairing, has_same_name);
    for (size_t k = 0; k < after->kernel_count; k++)
        add_pair(result, pairing.partner[k], &after->kernels[k]);
    for (size_t i = 0; i < before->kernel_count; i++)
        if (!pairing.taken[i])
            add_pair(result, &before->kernels[i], NULL);
    free(pairing.partner);
    free(pairing.taken);
}

void gate_result_fini(struct gate_result *result)
{
    for (size_t i = 0; i < result->pair_count; i++)
        free(result->pairs[i].lines);
    free(result->pairs);
    *result = (struct gate_result){0};
}
