/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The items are sorted by what defines a sweep, then by parameter, and each sweep of enough
 * kernels becomes one item: a copy of the item that represents it, with the sums of all. The medians of a
 * folded sweep are in sweeps->medians from item->sweep_first on.
 */
#include "tui/views/kernels/kernel_sweeps.h"

#include "core/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_uint(uint64_t left, uint64_t right)
{
    return left < right ? -1 : left > right;
}

/* What the name of a kernel begins with that ends with a value of its parameter: "rolling_" of "rolling_16"; of
 * another name all of it. */
static size_t stem_length(const char *name)
{
    size_t length = strlen(name), digits = 0;
    while (digits < length && strchr("0123456789", name[length - digits - 1]))
        digits++;
    return digits > 0 && digits + 1 < length && name[length - digits - 1] == '_' ? length - digits : length;
}

static int compare_stems(const char *left, const char *right)
{
    size_t length = stem_length(left), other = stem_length(right);
    int order = strncmp(left, right, length < other ? length : other);
    return order != 0 ? order : compare_uint(length, other);
}

/* 0 if both are of one sweep. */
static int compare_sweep(const struct session *session, const struct kernel_item *left,
                         const struct kernel_item *right)
{
    const struct run_row *a = session_run(session, left->run), *b = session_run(session, right->run);
    int order = compare_uint(a->workload, b->workload);
    order = order != 0 ? order : compare_uint(a->variant, b->variant);
    order = order != 0 ? order : compare_uint(a->clock, b->clock);
    return order != 0 ? order : compare_stems(left->name, right->name);
}

static int compare_members(const void *a, const void *b, void *context)
{
    const struct session *session = context;
    const struct kernel_item *left = a, *right = b;
    const struct run_row *run = session_run(session, left->run), *other = session_run(session, right->run);
    if (run->workload == 0 && other->workload == 0) /* a program's kernels are not a sweep */
        return compare_uint(left->kernel, right->kernel);
    int order = compare_sweep(session, left, right);
    if (order == 0) /* offset=2 comes before offset=10 */
        order = strverscmp(session_string(session, run->params), session_string(session, other->params));
    return order != 0 ? order : compare_uint(left->kernel, right->kernel);
}

/* The same, but first by the whole name. */
static int compare_named(const void *a, const void *b, void *context)
{
    const struct kernel_item *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order != 0 ? order : compare_members(a, b, context);
}

static struct kernel_sweep sweep_of(const struct session *session, const struct kernel_item *item)
{
    const struct run_row *run = session_run(session, item->run);
    return (struct kernel_sweep){run->workload, run->variant, run->clock, item->name};
}

static int find_open(const struct kernel_sweeps *sweeps, struct kernel_sweep sweep)
{
    for (int i = 0; i < sweeps->open_count; i++)
        if (sweeps->open[i].workload == sweep.workload && sweeps->open[i].variant == sweep.variant &&
            sweeps->open[i].clock == sweep.clock && compare_stems(sweeps->open[i].name, sweep.name) == 0)
            return i;
    return -1;
}

/* least: rows that a sweep has. No, if a run launches the kernel in several shapes: the run then has several
 * rows. */
static bool is_sweep(const struct session *session, const struct kernel_item *items, int count, int least)
{
    if (count < least || session_run(session, items[0].run)->workload == 0)
        return false;
    for (int i = 1; i < count; i++)
        if (session_run(session, items[i].run)->params == session_run(session, items[i - 1].run)->params)
            return false;
    return true;
}

/* Makes the item that represents all, with their sums. */
static int fold_sweep(struct kernel_sweeps *sweeps, const struct session *session,
                      const struct kernel_item *items, int count, uint32_t wanted, struct kernel_item *folded)
{
    int chosen = 0;
    for (int i = 1; i < count; i++)
        if (items[chosen].kernel != wanted &&
            (items[i].kernel == wanted || items[i].total_ns > items[chosen].total_ns))
            chosen = i;
    *folded = items[chosen];
    folded->sweep_first = sweeps->median_count;
    folded->sweep_count = count;
    folded->first_run = items[0].run;
    folded->last_run = items[count - 1].run;
    folded->total_ns = folded->share_ns = folded->launches = 0;
    folded->names_differ = false;
    for (int i = 0; i < count; i++) {
        folded->names_differ = folded->names_differ || strcmp(items[i].name, items[0].name) != 0;
        sweeps->medians[sweeps->median_count++] = items[i].typical_ns;
        if (atomic_load_explicit(&session_run(session, items[i].run)->verified, memory_order_relaxed) == 0)
            folded->mark_run = items[i].run;
        folded->total_ns += items[i].total_ns;
        folded->share_ns += items[i].share_ns;
        folded->launches += items[i].launches;
        folded->min_ns = items[i].min_ns < folded->min_ns ? items[i].min_ns : folded->min_ns;
        folded->max_ns = items[i].max_ns > folded->max_ns ? items[i].max_ns : folded->max_ns;
    }
    return chosen;
}

void kernel_sweeps_fini(struct kernel_sweeps *sweeps)
{
    free(sweeps->sorted);
    free(sweeps->medians);
    *sweeps = (struct kernel_sweeps){0};
}

int kernel_sweeps_fold(struct kernel_sweeps *sweeps, const struct session *session, struct kernel_item *items,
                       uint32_t wanted, int count)
{
    int least = count < LONG_LIST ? SWEEP_LEAST : SWEEP_LEAST_LONG;
    sweeps->median_count = 0;
    if (count < least || !array_grow(sweeps->sorted, sweeps->sorted_capacity, (size_t)count, 1) ||
        !array_grow(sweeps->medians, sweeps->median_capacity, (size_t)count, 1))
        return count;
    int listed = 0, members = 0;
    memcpy(sweeps->sorted, items, (size_t)count * sizeof *items);
    qsort_r(sweeps->sorted, (size_t)count, sizeof *items, compare_members, (void *)session);
    for (int first = 0, next, named_end = 0; first < count; first = next) {
        struct kernel_item *group = &sweeps->sorted[first];
        next = first + 1;
        while (next < count && compare_sweep(session, group, &sweeps->sorted[next]) == 0)
            next++;
        if (first >= named_end && !is_sweep(session, group, next - first, least)) {
            /* kernels that are launched beside each other: each name may be a sweep */
            qsort_r(group, (size_t)(next - first), sizeof *group, compare_named, (void *)session);
            named_end = next;
        }
        if (first < named_end)
            for (next = first + 1; next < named_end && strcmp(group->name, sweeps->sorted[next].name) == 0;)
                next++;
        bool folds =
            is_sweep(session, group, next - first, least) && find_open(sweeps, sweep_of(session, group)) < 0;
        int chosen = folds ? fold_sweep(sweeps, session, group, next - first, wanted, &items[listed++]) : 0;
        for (int i = 0; i < next - first; i++)
            if (!folds)
                items[listed++] = group[i];
            else if (i != chosen)
                items[count - ++members] = group[i];
    }
    return listed;
}

bool kernel_sweeps_toggle(struct kernel_sweeps *sweeps, const struct session *session,
                          const struct kernel_item *item)
{
    if (session_run(session, item->run)->workload == 0)
        return false;
    struct kernel_sweep sweep = sweep_of(session, item);
    int open = find_open(sweeps, sweep);
    if (open >= 0) {
        sweeps->open[open] = sweeps->open[--sweeps->open_count];
    } else if (item->sweep_count > 0) {
        if (sweeps->open_count == SWEEPS_OPEN_MAX) /* fold the oldest one again */
            memmove(sweeps->open, sweeps->open + 1, (size_t)--sweeps->open_count * sizeof *sweeps->open);
        sweeps->open[sweeps->open_count++] = sweep;
    } else {
        return false;
    }
    return true;
}

#define BAR_EIGHTHS 7 /* of the largest median: the bars of two rows do not touch */
#define FLAT 0.05     /* medians that differ by no more of the largest are a line */

void kernel_sweeps_draw(const struct kernel_sweeps *sweeps, const struct kernel_item *item,
                        struct canvas *canvas, int x, int y, int cells, struct style style)
{
    const int64_t *medians = &sweeps->medians[item->sweep_first];
    int count = item->sweep_count;
    int64_t most = 0, least = INT64_MAX;
    for (int i = 0; i < count; i++) {
        most = medians[i] > most ? medians[i] : most;
        least = medians[i] < least ? medians[i] : least;
    }
    bool flat = (double)(most - least) <= FLAT * (double)most;
    cells = cells < count ? cells : count;
    for (int cell = 0; cell < cells && most > 0; cell++) {
        int64_t value = 0;
        for (int i = cell * count / cells; i < (cell + 1) * count / cells; i++)
            value = medians[i] > value ? medians[i] : value;
        int eighths = (int)ceil(BAR_EIGHTHS * (double)value / (double)most);
        if (flat)
            canvas_glyph(canvas, x + cell, y, GLYPH_HORIZONTAL, style);
        else
            canvas_put(canvas, x + cell, y, glyph_lower_eighths(eighths, canvas->ascii), style);
    }
}
