/* SPDX-License-Identifier: Apache-2.0 */
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

/* Uses the values of the kernel's own device, else, if it was not counted on a GPU, those of the same work on the
 * device model, else the expected ones: an advice has the weakest provenance of what it uses. `statistic` is
 * called only for values that a rule reads. */
void session_advise_kernel(const struct session *session, uint32_t kernel, advice_statistic *statistic,
                           const void *context, struct advice_list *list);
/* The same, with the values from an index of the session's kernels. */
void session_advise_indexed(const struct kernel_index *index, uint32_t kernel, struct advice_list *list);

/* The part of its time that a matrix product on 32-bit floats of a library takes at least on the tensor cores; 1: it is
 * none, or the device has none that are faster. */
double session_product_left(const struct session *session, uint32_t kernel);

/* A run is judged in three calls: find its steps and so the range, compute the overlap of the range, fill the
 * rest. Copies and kernels outside of a program's steps are set-up, warm-up and tear-down. */
struct advice_range {
    int64_t start_ns, end_ns; /* of the steps; else of everything */
};
/* Sets figures->steps; all of the figures must be 0. STATUS_MEMORY. */
enum status session_find_range(const struct session *session, uint32_t run, struct advice_run *figures,
                               struct advice_range *range, struct error *error);
/* Fills the figures that rules on runs use, from the run's events; figures->steps and figures->overlap must
 * be set, all else must be 0. STATUS_MEMORY. */
enum status session_run_figures(const struct session *session, uint32_t run, struct advice_run *figures,
                                struct error *error);
#endif
