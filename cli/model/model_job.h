/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run of the device model in a thread of its own, for the screen, which continues meanwhile. One at a time:
 * another question ends the run of the one before. Of the bundled kernels only; the screen's thread owns the
 * job, and asks again with the same query until the answer is there.
 */
#ifndef CLI_MODEL_MODEL_JOB_H
#define CLI_MODEL_MODEL_JOB_H

#include "core/base/error.h"
#include "tui/frame/host.h"

struct gpu;
struct model_job;

/* STATUS_MEMORY. model NULL: the default GPU. */
enum status model_job_create(struct model_job **job, const struct gpu *model, struct error *error);
/* Ends its run. NULL: nothing. */
void model_job_destroy(struct model_job *job);
void model_job_stop(struct model_job *job);

/* As line_costs_make and lane_accesses_make; source->counting, accesses->counting: the answer is not there
 * yet. Of a source its file is there at once. */
enum status model_job_source(struct model_job *job, const struct tui_source_query *query,
                             struct tui_source *source, struct error *error);
enum status model_job_accesses(struct model_job *job, const struct tui_access_query *query,
                               struct tui_accesses *accesses, struct error *error);

#endif
