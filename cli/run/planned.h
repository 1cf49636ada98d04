/*
 * The names of the runs that a request for workloads will have, known before they start. Plain data; the
 * request's owner.
 */
#ifndef CLI_RUN_PLANNED_H
#define CLI_RUN_PLANNED_H

#include "workloads/frame/workload.h"

#define PLANNED_NAME_BYTES 80

struct planned_runs {
    char (*names)[PLANNED_NAME_BYTES]; /* "n-way:2-way", "copy-stride:copy stride=3" */
    size_t count;
};

/* Appends the cases, which follow each other; without memory for the names only their number. */
void planned_runs_add(struct planned_runs *planned, const struct workload_case *cases, size_t count);
void planned_runs_fini(struct planned_runs *planned);

#endif
