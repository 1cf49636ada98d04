/*
 * Applies the rules of core/advice/advice to a session: to a kernel by its statistics, to a run by its
 * events. This is the only place that selects these values. Reader side, any thread.
 */
#ifndef CORE_ADVICE_SESSION_ADVICE_H
#define CORE_ADVICE_SESSION_ADVICE_H

#include "core/advice/advice.h"
#include "core/analysis/kernel_index.h"

/* Returns a metric of the kernel in this provenance from the caller's statistics. */
typedef struct value advice_statistic(const void *context, uint32_t kernel, enum metric metric,
                                      enum provenance provenance);

/* Uses the values of the kernel's own device, measured or modelled, else the expected ones. `statistic` is
 * called only for values that a rule reads. */
void session_advise_kernel(const struct session *session, uint32_t kernel, advice_statistic *statistic,
                           const void *context, struct advice_list *list);
/* The same, with the values from an index of the session's kernels. */
void session_advise_indexed(const struct kernel_index *index, uint32_t kernel, struct advice_list *list);

/* Fills the figures that rules on runs use, from the run's events; figures->overlap must be set, all else
 * must be 0. STATUS_MEMORY. */
enum status session_run_figures(const struct session *session, uint32_t run, struct advice_run *figures,
                                struct error *error);

/* Walks the run's events. `overlap` must be that of the whole run; overlap_compute fails if some of its
 * events were evicted from memory. STATUS_MEMORY: the list is not set. */
enum status session_advise_run(const struct session *session, uint32_t run, const struct overlap *overlap,
                               struct advice_list *list, struct error *error);
#endif
