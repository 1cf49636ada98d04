/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of many ranks: `lanescope gather`, and what `report` and `view` do with a job (core/ranks/job.h). Standard
 * output; the main thread.
 */
#ifndef CLI_RANKS_RANKS_H
#define CLI_RANKS_RANKS_H

#include "cli/options/options.h"
#include "cli/output/sheet_print.h"

/* `lanescope gather DIR|FILE... --out JOB.lsj`. Of a folder it takes recordings, digests, jobs and the traces of other
 * tools that lie in it. */
enum status gather_command(const struct options *options, struct error *error);

/* `lanescope report JOB.lsj`: the verdict and the ranks, --table NAME, --json, --csv. */
enum status job_report(const struct options *options, FILE *out, struct error *error);
extern const struct sheet_document job_document;
/* `lanescope export JOB.lsj --tables DIR`. */
enum status job_tables(const struct options *options, struct error *error);

/* `lanescope view JOB.lsj`: the heat map of its ranks, from which a rank's own recording opens. */
enum status job_view(const struct options *options, struct error *error);

#endif
