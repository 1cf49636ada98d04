/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether two kernels, or two runs, did the same work: better and worse are said of equal work only.
 *
 * Launches do the same work when as many of them, of as many threads, ran with the same problem size. Where a
 * workload says how many bytes a launch uses, these count in place of the threads: another block size or a
 * loop over the grid is the same work. The problem size is what size_params (compare_work.c) name. If the
 * launches differ, but together have the same number of threads or bytes, the sums over launches can be
 * compared (SUM). Numbers up to COMPARE_SLIGHT apart are the same. A run is compared by its device time
 * (core/analysis/run_times.h). Both sides may be of one session or of two. Reader side, any thread.
 */
#ifndef CORE_ANALYSIS_COMPARE_WORK_H
#define CORE_ANALYSIS_COMPARE_WORK_H

#include "core/analysis/kernel_index.h"
#include "core/session/session.h"

/* A rate, a time or a size counts as equal if it differs by at most this share of A. */
#define COMPARE_SLIGHT 0.01

struct compare_kernel {
    const struct kernel_index *index;
    uint32_t kernel;
};

#define COMPARE_WORK_LIST(X)                                                    \
    X(SAME, "same")   /* launch by launch */                                    \
    X(SUM, "sum")     /* different launches, which do the same work together */ \
    X(OTHER, "other") /* another amount of work */
#define COMPARE_WORK_ENUM(id, text) COMPARE_WORK_##id,
enum compare_work { COMPARE_WORK_LIST(COMPARE_WORK_ENUM) COMPARE_WORK_COUNT };
#undef COMPARE_WORK_ENUM
const char *compare_work_text(enum compare_work work);

enum compare_work compare_work(const struct compare_kernel *a, const struct compare_kernel *b);
/* Both measured, or both modelled: otherwise their times are not comparable. */
bool compare_same_clock(const struct compare_kernel *a, const struct compare_kernel *b);
/* What differs: "3 launches of 4,224 blocks, 48 launches of 264 blocks", "n=4096, n=128"; "" if nothing does.
 */
void compare_work_difference(const struct compare_kernel *a, const struct compare_kernel *b, char *text,
                             size_t size_bytes);

/* The two runs of one session: the same workload at the same problem size on one clock, or the same program with
 * the same command line.
 */
bool compare_runs_alike(const struct session *session, uint32_t a, uint32_t b);

struct compare_run {
    uint32_t run[2];        /* the trace runs of both sides; NONE: no trace run */
    int64_t device_ns[2];   /* 0: not known */
    enum compare_work work; /* SAME, or OTHER if one of its kernels did a different amount of work */
    bool same_clock;
};

/* Compares the runs of two kernels that are counterparts. STATUS_MEMORY. */
enum status compare_run_of(struct compare_run *run, const struct compare_kernel *a,
                           const struct compare_kernel *b, struct error *error);
/* How many times as fast B is; 0: the sides have no two times of the same work on one clock. */
double compare_run_factor(const struct compare_run *run);
/* "5.66 ms -> 2.95 ms (1.9x faster)", "266 us -> 2.58 us, not the same work" */
void compare_run_text(const struct compare_run *run, char *text, size_t size_bytes);

/*
 * The best of equal work: the run that needs least of all that did the same work (compare_runs_alike). The
 * list of workloads, the report and its --full name the same best run and the same ratio, since all take them
 * from here. A bound is no best: it does less than the others, to show what they cannot beat. Reader side,
 * any thread.
 */
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
 * ratio that a comparison of their medians has. 0: the workload names no such bytes, or no kernel ran; less: no memory. */
double run_kernel_cost(const struct session *session, uint32_t run);

#endif
