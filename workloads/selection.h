/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the person asked to run: "NAME[:variant][,param=value]..." expanded into cases. A value is a number, a
 * sweep or a list of those: "3", "1..32", "1..32/4", "1..8|16|32". Parsing is bounded; the text may be
 * anybody's. One thread per selection.
 */
#ifndef WORKLOADS_SELECTION_H
#define WORKLOADS_SELECTION_H

#include "workloads/frame/workload.h"

#define SELECTION_CASES_MAX 4096

struct selection {
    struct workload_case *cases; /* not resolved yet; free() */
    size_t count, capacity;
};

/* Appends the cases of one text. STATUS_USAGE with a sentence that lists the names that exist, or the range;
 * the selection is then unchanged. */
enum status selection_add(struct selection *selection, const char *text, struct error *error);

void selection_fini(struct selection *selection);

#endif
