/*
 * Judging what is in a session by the rules of core/advice/advice: a kernel by its statistics, a run by its
 * events. The one place that says which values these are. Reader side, any thread.
 */
#ifndef CORE_ADVICE_SESSION_ADVICE_H
#define CORE_ADVICE_SESSION_ADVICE_H

#include "core/advice/advice.h"
#include "core/analysis/kernel_index.h"

/* A metric of the kernel in this provenance, where the caller keeps its statistics. */
typedef struct value advice_statistic(const void *context, uint32_t kernel, enum metric metric,
                                      enum provenance provenance);

/* By the values of the kernel's own device, measured or modelled, else by the expected one. Only those are
 * asked for that a rule reads. */
void session_advise_kernel(const struct session *session, uint32_t kernel, advice_statistic *statistic,
                           const void *context, struct advice_list *list);
/* The same from an index of the session's kernels. */
void session_advise_indexed(const struct kernel_index *index, uint32_t kernel, struct advice_list *list);

/* Walks the run's events; `overlap` is the whole run's, by overlap_compute, which refuses where some were
 * evicted from memory. STATUS_MEMORY: the list is not set. */
enum status session_advise_run(const struct session *session, uint32_t run, const struct overlap *overlap,
                               struct advice_list *list, struct error *error);

#endif
