/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_statistic and related functions for all kernels of a session: rows of the same work, their
 * measurements and the times of all launches are looked up once, so that a report costs O(launches), not
 * O(kernels x launches), and no value is missing for want of memory. A snapshot: it does not see what the
 * session receives later. The owner frees it; one thread at a time.
 */
#ifndef CORE_ANALYSIS_KERNEL_INDEX_H
#define CORE_ANALYSIS_KERNEL_INDEX_H

#include "core/analysis/kernel_metrics.h"

struct kernel_index;

enum status kernel_index_create(struct kernel_index **index, const struct session *session,
                                struct error *error);
void kernel_index_destroy(struct kernel_index *index);

const struct session *kernel_index_session(const struct kernel_index *index);
uint32_t kernel_index_count(const struct kernel_index *index); /* kernels when it was made */
struct kernel_statistic kernel_index_statistic(const struct kernel_index *index, uint32_t kernel,
                                               enum metric metric, enum provenance provenance);
/* The numbers that the statistic is made of, one per launch, in no order, to be freed by the caller; none if
 * there is no value, or if the value is expected. */
enum status kernel_index_samples(const struct kernel_index *index, uint32_t kernel, enum metric metric,
                                 enum provenance provenance, double **numbers, size_t *count,
                                 struct error *error);
uint32_t kernel_index_in_mode(const struct kernel_index *index, uint32_t kernel, enum run_mode mode);
bool kernel_index_leads(const struct kernel_index *index, uint32_t kernel);
/* Times of this work's launches in its trace run (or on the model); the median only if all of the launches
 * are loaded. Zeros: no times. */
struct kernel_times kernel_index_times(const struct kernel_index *index, uint32_t kernel);
/* Launches of this work that were measured, in the counter run that measured most of them. */
uint64_t kernel_index_measured(const struct kernel_index *index, uint32_t kernel);
/* The kernel on the device model whose counts stand for this one's: it was traced on a GPU and not counted there. NONE:
 * it has its own. */
uint32_t kernel_index_lender(const struct kernel_index *index, uint32_t kernel);
/* Is this one such a kernel on the device model? */
bool kernel_index_lends(const struct kernel_index *index, uint32_t kernel);

#endif
