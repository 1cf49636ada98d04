/*
 * The best of equal work: the run that needs least of all that did the same work (compare_runs_alike). The
 * list of workloads, the report and its --full name the same best run and the same ratio, since all take them
 * from here. A bound is no best: it does less than the others, to show what they cannot beat. Reader side,
 * any thread.
 */
#ifndef CORE_ANALYSIS_RUN_BEST_H
#define CORE_ANALYSIS_RUN_BEST_H

#include "core/session/session.h"

struct run_cost {
    uint32_t run; /* row */
    bool bound;   /* a variant that does less work than the others of its workload */
    double cost;  /* of one unit for all: the device time (core/analysis/run_times.h), or run_kernel_cost;
                     0: not known */
};

struct run_best {
    size_t best;  /* place of the best run, which may be the run itself; the run's own if there is no other */
    double times; /* the run's cost / that of the best; 0: no other run did the same work, or one of the costs
                     is not known. Below 1 only for a bound */
};

/* The best run for the same work as costs[of]. */
struct run_best run_best_of(const struct session *session, const struct run_cost *costs, size_t count,
                            size_t of);

/* The time of all the run's kernels on the device, in ns, each launch as long as the median of its kernel,
 * for each byte that its algorithm must move: compares kernels where copies are only set-up, and has the
 * ratio that a comparison of their medians has. 0: the workload names no such bytes, or no kernel ran. */
double run_kernel_cost(const struct session *session, uint32_t run);

#endif
