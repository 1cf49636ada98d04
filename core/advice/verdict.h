/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong with a run, the most time to gain first: advice on the run beside advice on those of its
 * kernels that matter. Both are weighed over the same time, the span: the run's steps; else, of a bundled
 * workload, from its first kernel to its last; else from the run's first operation to its last, as the bar of
 * where the time went. Reader side; the thread of the index.
 */
#ifndef CORE_ADVICE_VERDICT_H
#define CORE_ADVICE_VERDICT_H

#include "core/advice/session_advice.h"

/* Share of the span; chosen. A finding that takes less, or gains less, is not reported for the run. */
#define VERDICT_LEAST_PCT 5

struct run_finding {
    struct advice advice; /* gain_ns: of all launches in the span */
    uint32_t kernel;      /* the kernel that the advice is about; NONE: the run */
    double kernel_ns;     /* in which it ran in the span; launches that overlap count once */
};

#define VERDICT_MAX 8
struct verdict {
    struct run_finding
        findings[VERDICT_MAX]; /* problems, most time to gain first; then findings that are fine */
    size_t count;              /* in findings */
    size_t wrong, more;        /* problems found; problems left out of `findings` */
    double span_ns,
        uncounted_ns; /* uncounted: in which kernels ran in the span that have no counters to judge them by */
};

/* Judges a traced run from its figures (session_run_figures). STATUS_MEMORY. */
enum status verdict_of_run(const struct kernel_index *index, uint32_t run, const struct advice_run *figures,
                           struct verdict *verdict, struct error *error);
/* Could counting the kernels change the first finding? Yes if they take more time than the first finding
 * gains. */
bool verdict_wants_counters(const struct verdict *verdict);

#endif
