/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sources of a kernel's values: the rows of its work and the data looked up from them. Internal to
 * core/analysis/kernel_*.c and core/advice/session_advice.c.
 */
#ifndef CORE_ANALYSIS_KERNEL_SOURCES_H
#define CORE_ANALYSIS_KERNEL_SOURCES_H

#include "core/analysis/kernel_metrics.h"

struct kernel_sources {
    /* A work's kernel rows by the mode of their run, NONE if there is none; on the model all are the same
     * row. */
    uint32_t rows[RUN_MODE_COUNT];
    struct kernel_times times;   /* times of the trace run's row, with the median */
    struct kernel_measurements { /* of the counter runs' rows */
        const uint32_t *rows;
        uint32_t count;
    } measured[RUN_MODE_COUNT];
    double *scratch; /* room for the numbers of one mode; NULL: allocated for each value */
};

/* Reasons that more than one of these files gives. */
#define WHY_NO_GPU "this kernel did not run on a GPU"
#define WHY_NOT_MEASURED "no launch of this kernel was measured"

/* One metric from these sources, MEASURED or MODELLED as the sources are. */
struct kernel_statistic kernel_statistic_of(const struct session *session,
                                            const struct kernel_sources *sources, enum metric metric,
                                            enum provenance provenance);

/* Values that need no sources: they follow from the shape, or the workload announced them. */
struct kernel_statistic kernel_expected(const struct session *session, uint32_t kernel, enum metric metric);

/* The facts of a kernel's launches that are known without counters, except the time. */
struct metric_facts kernel_facts(const struct session *session, uint32_t kernel);

/* Is the metric computed from a trace run's launches? */
bool kernel_metric_of_trace(enum metric metric);

/* The value of a metric for a launch in a trace run with this duration; for cputime, the duration of its
 * call. */
struct value kernel_timed_value(const struct session *session, uint32_t kernel, enum metric metric,
                                double ns);

/* The numbers that the statistic of a counted metric is made of, to be freed by the caller; returns how many.
 */
uint32_t kernel_counts(const struct session *session, const struct kernel_sources *sources,
                       enum metric metric, enum provenance provenance, double **numbers);

/* False for a row whose run or shape is missing (a damaged recording). */
bool kernel_is_whole(const struct session *session, uint32_t kernel);

/* An order in which rows of the same work on the same device (by ordinal) are equal; both rows must be whole.
 */
int kernel_compare_work(const struct session *session, uint32_t a, uint32_t b);

/* Sets the times of the launches' API calls from `calls` durations, which are in another order then. */
void kernel_times_take_calls(struct kernel_times *times, double *calls_ns, uint64_t calls);
/* The duration of the launch's API call; false if the call is not known. */
bool kernel_launch_call(const struct item *item, double *call_ns);

/* Puts the least of the durations (or other numbers) first and the greatest last, and returns the lower of the two
 * middle ones. count > 0. */
double kernel_median(double *numbers, size_t count);

#endif
