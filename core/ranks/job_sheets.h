/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job as sheets (core/sheet/sheet.h): the verdict, its ranks by the waits that they cause, its collectives by time,
 * hosts with their clocks, communicators. They are made from a struct job.
 */
#ifndef CORE_RANKS_JOB_SHEETS_H
#define CORE_RANKS_JOB_SHEETS_H

#include "core/ranks/job.h"
#include "core/sheet/sheet.h"

extern const struct sheet sheet_job_verdict, sheet_job_ranks, sheet_job_collectives, sheet_job_hosts,
    sheet_job_communicators;
const struct sheet *job_sheet_at(size_t index); /* NULL past the end */

/* The ranks in the order of their sheet, most caused first; the array is malloc's. NULL: no memory. */
uint32_t *job_ranks_by_lateness(const struct job *job);

/* What gathering by order and unknown ranks mean for the reader, and to what the clocks agree; "": nothing. */
void job_notes(const struct job *job, char *text, size_t size_bytes);

#endif
