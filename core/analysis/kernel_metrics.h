/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of one kernel of a session: expected beside modelled beside measured, over the runs of its
 * group.
 *
 * A kernel_row belongs to one run; the trace run and the counter runs of its work are runs of one group.
 * These functions merge them by name, shape and dynamic shared memory: time from the trace run; each metric's
 * counters from the counter run that has them all, and of two such runs from the one that replayed the kernel
 * in fewer passes. A run of the same work on the device model is in the same group and gives all values.
 * Reader side, any thread.
 */
#ifndef CORE_ANALYSIS_KERNEL_METRICS_H
#define CORE_ANALYSIS_KERNEL_METRICS_H

#include "core/metric/metric.h"
#include "core/session/session.h"

struct kernel_statistic {
    struct value value; /* the median launch's value, never a sum; of two middle ones the lower, so that it is
                           the value of a launch */
    uint32_t n;         /* number of launches it comes from; 1 for an expected value */
    double min, max;
};

/*
 * One metric of a kernel (row index of the trace or of a counter run's kernel) in one provenance. Runs on the
 * device model give MODELLED values, runs on a GPU MEASURED ones; what follows from the launch's shape
 * (theoretical occupancy) is EXPECTED. Times cost O(launches of the process), counters O(measurements).
 */
struct kernel_statistic kernel_statistic(const struct session *session, uint32_t kernel, enum metric metric,
                                         enum provenance provenance);

/* All metrics in one provenance, each as kernel_statistic gives it, for the cost of one time and one counter.
 */
void kernel_statistics(const struct session *session, uint32_t kernel, enum provenance provenance,
                       struct kernel_statistic statistics[METRIC_COUNT]);

/* The same kernel in the group's run of that mode: the row itself, another row or NONE. */
uint32_t kernel_in_mode(const struct session *session, uint32_t kernel, enum run_mode mode);

/* Does this row represent its work in lists? It is the trace run's row, or else the row of the first mode
 * that exists. */
bool kernel_leads(const struct session *session, uint32_t kernel);

/* The same for the first `count` rows at once, for the cost of sorting them. */
enum status kernel_find_leaders(const struct session *session, uint32_t count, bool *leads,
                                struct error *error);

/* Did it run on the device model? Its times are then on the model's clock. */
bool kernel_on_model(const struct session *session, uint32_t kernel);

struct kernel_times {
    uint64_t launches;
    int64_t total_ns, min_ns, median_ns, max_ns;
    uint64_t calls; /* number of launches whose API call is known, and the time of those calls; only with the
                       median */
    int64_t call_min_ns, call_median_ns, call_max_ns;
    bool no_memory; /* for the median, which is 0 */
};
/* Times of a kernel's launches. The median walks the launches of its process once; with want_median false it
 * is 0. It is also 0 while a recording's launches are not all loaded, and after some were evicted from memory. */
struct kernel_times kernel_times(const struct session *session, uint32_t kernel, bool want_median);

#endif
