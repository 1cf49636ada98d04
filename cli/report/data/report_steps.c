/*
 * A step starts with each launch of the kernel that begins it (core/analysis/steps.h). The partition of a
 * step is another walk over the run, so of many steps only that of the outliers is worked out, and of these
 * the furthest.
 */
#include "cli/report/data/report_steps.h"

#include "cli/output/memory.h"
#include "core/analysis/kernel_sources.h"
#include "core/session/session_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARTITIONS_MOST 200u /* chosen: with steps of a run of 10,000 launches this takes 0.3 s */

struct starts {
    const struct steps *steps;
    int64_t *items;
    size_t count, capacity;
};

static bool take_launch(void *context, const struct walk_event *event)
{
    struct starts *starts = context;
    const struct steps *steps = starts->steps;
    if (event->item.launch.kernel == steps->kernel && event->start_ns >= steps->start_ns &&
        event->start_ns <= steps->end_ns) {
        memory_grow(starts->items, starts->capacity, starts->count, 1);
        starts->items[starts->count++] = event->start_ns;
    }
    return true;
}

static int compare_times(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void find_outliers(struct report_steps *steps)
{
    double *distances = memory_zeroed(steps->count, sizeof *distances);
    for (size_t i = 0; i < steps->count; i++)
        distances[i] = fabs((double)steps->items[i].time_ns - steps->sum.median_ns);
    double limit = STEP_OUTLIER * 1.4826 * kernel_median(distances, steps->count);
    limit = fmax(limit, 0.05 * steps->sum.median_ns);
    for (size_t i = 0; i < steps->count; i++)
        steps->items[i].outlier = fabs((double)steps->items[i].time_ns - steps->sum.median_ns) > limit;
    free(distances);
}

/* The time of a step up to the start of the next one. The range includes the first ns of the next step's
 * kernel, so that the idle time before it is classified. */
static enum status find_partition(struct report_step *step, const struct session *session,
                                  const struct report_facts *facts, struct error *error)
{
    struct partition_list list = {0};
    enum status status = memory_check(partition_compute(session, facts->run, step->start_ns,
                                                        step->start_ns + step->time_ns + 1, &list, error));
    for (size_t k = 0; k < list.count; k++)
        if (list.items[k].device == facts->steps_time.items[0].device)
            memcpy(step->ns, list.items[k].ns, sizeof step->ns);
    partition_free(&list);
    step->ns[step->ns[PARTITION_KERNEL] > 0 ? PARTITION_KERNEL : PARTITION_COLLECTIVE]--;
    step->known = status == STATUS_OK;
    return status;
}

/* The class in which the step's time differs most from a mean step's. */
static void find_difference(struct report_step *step, const int64_t sum_ns[PARTITION_COUNT], size_t count)
{
    for (int part = 0; part < PARTITION_COUNT; part++) {
        int64_t differs_ns = step->ns[part] - sum_ns[part] / (int64_t)count;
        if (llabs(differs_ns) > llabs(step->differs_ns)) {
            step->differs_ns = differs_ns;
            step->differs_in = (enum partition_class)part;
        }
    }
}

static enum status find_partitions(struct report_steps *steps, const struct session *session,
                                   const struct report_facts *facts, struct error *error)
{
    int64_t sum_ns[PARTITION_COUNT] = {0};
    bool all = steps->count <= PARTITIONS_MOST;
    size_t made = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < steps->count && made < PARTITIONS_MOST; i++) {
        if (!steps->items[i].outlier && !all)
            continue;
        made++;
        status = find_partition(&steps->items[i], session, facts, error);
    }
    for (int part = 0; part < PARTITION_COUNT; part++) {
        for (size_t i = 0; all && i < steps->count; i++)
            sum_ns[part] += steps->items[i].ns[part];
        sum_ns[part] = all ? sum_ns[part] : facts->steps_time.items[0].ns[part];
    }
    for (size_t i = 0; status == STATUS_OK && i < steps->count; i++)
        if (steps->items[i].outlier && steps->items[i].known)
            find_difference(&steps->items[i], sum_ns, steps->count);
    return status;
}

enum status report_steps_make(struct report_steps *steps, const struct session *session,
                              const struct report_facts *facts, struct error *error)
{
    const struct walk walk = {.run = facts->run, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(LAUNCH)};
    struct starts starts = {.steps = &facts->figures.steps};
    *steps = (struct report_steps){0};
    if (facts->steps_time.count == 0)
        return STATUS_OK;
    if (!session_walk(session, &walk, take_launch, &starts)) {
        free(starts.items);
        return error_set(error, STATUS_STATE, "Not all launches of this run fit in memory.");
    }
    qsort(starts.items, starts.count, sizeof *starts.items, compare_times);
    steps->count = starts.count > 0 ? starts.count - 1 : 0;
    steps->items = memory_zeroed(steps->count, sizeof *steps->items);
    for (size_t i = 0; i < steps->count; i++) {
        steps->items[i].start_ns = starts.items[i];
        steps->items[i].time_ns = starts.items[i + 1] - starts.items[i];
        report_sum_add(&steps->sum, steps->items[i].time_ns, 0, true);
    }
    free(starts.items);
    report_sum_spread(&steps->sum);
    if (steps->count == 0)
        return STATUS_OK;
    find_outliers(steps);
    return find_partitions(steps, session, facts, error);
}

void report_steps_fini(struct report_steps *steps)
{
    free(steps->items);
    *steps = (struct report_steps){0};
}
