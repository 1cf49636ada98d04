/*
 * What is wrong with a run, the most time to gain first: advice on the run beside advice on those of its
 * kernels that matter. Both are weighed over the same time, the span: the run's steps, else from its first
 * kernel to its last. Reader side; the thread of the index.
 */
#ifndef CORE_ADVICE_VERDICT_H
#define CORE_ADVICE_VERDICT_H

#include "core/advice/session_advice.h"

/* Of the span. Chosen: what takes less, or gains less, is no verdict on the run. */
#define VERDICT_LEAST_PCT 5

struct finding {
    struct advice advice; /* gain_ns: of all launches in the span */
    uint32_t kernel;      /* whose advice it is; NONE: the run's */
    double kernel_ns;     /* of its launches in the span */
};

#define VERDICT_MAX 8
struct verdict {
    struct finding findings[VERDICT_MAX]; /* what is wrong, most time to gain first; then what is fine */
    size_t count;                         /* in findings */
    size_t wrong, more;                   /* findings that are wrong; those left out of `findings` */
    double span_ns, uncounted_ns; /* uncounted: launches in the span of kernels that no counters judge */
};

/* Of a traced run and its figures (session_run_figures). STATUS_MEMORY. */
enum status verdict_of_run(const struct kernel_index *index, uint32_t run, const struct advice_run *figures,
                           struct verdict *verdict, struct error *error);
/* Could counting the kernels change what is said first? They take more time than the first finding gains. */
bool verdict_wants_counters(const struct verdict *verdict);

#endif
