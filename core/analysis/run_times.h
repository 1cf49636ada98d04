/*
 * The three lengths of a run, each with one name wherever it is shown. The device time is *the* time of a
 * run: list of runs, report, comparison, Amdahl and chart read it from here, and advice's gains are shares of
 * it. Overlapping operations count once. overlap_compute's any_busy_ns and span_ns over the whole run are the
 * first two of these. Reader side, any thread.
 *
 * The best of equal work: the run that needs least of all that did the same work (compare_runs_alike). The
 * list of workloads, the report and its --full name the same best run and the same ratio, since all take them
 * from here. A bound is no best: it does less than the others, to show what they cannot beat. Reader side,
 * any thread.
 */
#ifndef CORE_ANALYSIS_RUN_TIMES_H
#define CORE_ANALYSIS_RUN_TIMES_H

#include "core/session/session.h"

#include <stdbool.h>

#define DEVICE_TIME_MEANING "time in which a kernel, copy or set of the run ran on a device"
/* id, name, meaning */
#define RUN_TIME_LIST(X)                                                                              \
    X(DEVICE, "device time", DEVICE_TIME_MEANING)                                                     \
    X(SPAN, "first to last",                                                                          \
      "from the start of the first kernel, copy or set of the run to the end of the last, idle time " \
      "included")                                                                                     \
    X(WHOLE, "whole run", "from the begin of the run to its end, set-up and tear-down included")
#define RUN_TIME_ENUM(id, name, meaning) RUN_TIME_##id,
enum run_time { RUN_TIME_LIST(RUN_TIME_ENUM) RUN_TIME_COUNT };
#undef RUN_TIME_ENUM
const char *run_time_name(enum run_time time); /* "device time" */

struct run_times {
    int64_t ns[RUN_TIME_COUNT]; /* 0: nothing of it ran on a device */
    bool ended;                 /* false: the whole run is up to now; in a recording, to its last event */
};

/* Of a trace run, or of a run on the model; NONE: of everything on the wall clock, without the whole run.
 * Walks the run's events once. Fails as overlap_compute does. */
enum status run_times_of(const struct session *session, uint32_t run, struct run_times *times,
                         struct error *error);

/* The time between from_ns and until_ns in which at least one launch of a kernel of the run ran, added to
 * busy_ns of the kernel's group: launches that overlap count once, so that it is a share of the time, which
 * the sum of the launches is not. groups: of each of the `kernels` first kernel rows, NONE to leave one out;
 * NULL: each is a group of its own. Events that were evicted from memory are left out. STATUS_MEMORY. */
enum status run_kernels_busy(const struct session *session, uint32_t run, int64_t from_ns, int64_t until_ns,
                             const uint32_t *groups, uint32_t kernels, uint64_t *busy_ns,
                             struct error *error);

/* The whole run, without a walk. A run in progress lasts until now; the clock that ends a run may be read
 * late, but a run is not shorter than its work, so run_times_of may give more. */
int64_t run_whole_ns(const struct session *session, uint32_t run);

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
