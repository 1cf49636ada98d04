/*
 * The launches of all rows of the name in one array; one row that is not whole in memory makes the median
 * unknown.
 */
#include "cli/report/report_median.h"

#include "cli/output/memory.h"
#include "core/analysis/kernel_sources.h"

#include <stdlib.h>
#include <string.h>

struct numbers {
    double *all;
    size_t count, capacity;
};

static void add_numbers(struct numbers *numbers, const double *more, size_t count)
{
    memory_grow(numbers->all, numbers->capacity, numbers->count, count);
    memcpy(numbers->all + numbers->count, more, count * sizeof *more);
    numbers->count += count;
}

/* The launches of one row, if it has that name and is timed on that clock; false: they are not all there. */
static bool add_row(const struct report_data *data, uint32_t kernel, uint32_t name, enum clock_kind clock,
                    struct numbers *numbers)
{
    const struct session *session = data->session;
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct run_row *run = kernel_is_whole(session, kernel) ? session_run(session, row->run) : NULL;
    if (!run || run->clock != clock || !run_is_traced(run) ||
        session_shape(session, row->shape)->name != name)
        return true;
    struct kernel_times times = kernel_index_times(data->index, kernel);
    double *launches = NULL;
    size_t count = 0;
    if (times.launches > 0 && times.median_ns > 0)
        memory_check(kernel_index_samples(data->index, kernel, METRIC_time_ns,
                                          clock == CLOCK_MODEL ? PROVENANCE_MODELLED : PROVENANCE_MEASURED,
                                          &launches, &count, NULL));
    bool there = count == times.launches;
    if (there && count > 0)
        add_numbers(numbers, launches, count);
    free(launches);
    return there;
}

int64_t report_median_ns(const struct report_data *data, uint32_t name, enum clock_kind clock)
{
    struct numbers numbers = {0};
    bool there = true;
    for (uint32_t kernel = 0; there && kernel < kernel_index_count(data->index); kernel++)
        there = add_row(data, kernel, name, clock, &numbers);
    int64_t median_ns = there && numbers.count > 0 ? (int64_t)kernel_median(numbers.all, numbers.count) : -1;
    free(numbers.all);
    return median_ns;
}
