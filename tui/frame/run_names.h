/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of the runs in a list, for a given width: the parameters that distinguish a row come first.
 * Parameters that differ among the rows of one workload and variant are essential; the others follow if they
 * fit; parameters that are equal in all rows can be left out. A parameter is shown whole or not at all. Texts
 * are the session's. Owner: the list. The tui's thread.
 */
#ifndef TUI_FRAME_RUN_NAMES_H
#define TUI_FRAME_RUN_NAMES_H

#include "core/base/run_params.h"

#include "core/session/session.h"

#define RUN_NAMES_PARAMS 8 /* parameters of a run that are compared; further ones are ignored */

struct run_names_param {
    struct run_param first; /* the parameter in the first row */
    uint32_t rows;          /* rows that have it; equal neighbours count once */
    bool differs;           /* its value differs between rows */
};

struct run_names_group {                           /* the rows of one workload and variant, or all rows */
    uint32_t workload, variant, rows, last_params; /* strings */
    int param_count;
    struct run_names_param params[RUN_NAMES_PARAMS];
};

struct run_names {
    struct run_names_group *groups;
    size_t count, capacity;
    struct run_names_group all;
};

void run_names_fini(struct run_names *names);
/* Starts a list without rows. */
void run_names_begin(struct run_names *names);
/* Adds a row. It is fastest if rows of one variant follow each other. */
void run_names_add(struct run_names *names, const struct session *session, uint32_t run);

/* "offset offset=25": variant and parameters of a row, without those that are equal in all rows. */
void run_names_print(const struct run_names *names, const struct session *session, uint32_t run, int cells,
                     char *text, size_t size_bytes);
/* Only the essential parameters of a row, "offset=25", or their values if the width is small; "" if there are
 * none. */
void run_names_print_essential(const struct run_names *names, const struct session *session, uint32_t run,
                               int cells, char *text, size_t size_bytes);
/* What differs in the rows of a sweep, from the first to the last: "offset=0..32", or "0..32" if the width is
 * small; "33 runs" if that is more than one parameter. */
void run_names_print_range(const struct run_names *names, const struct session *session, uint32_t first,
                           uint32_t last, int rows, int cells, char *text, size_t size_bytes);
/* One name for the rows of a sweep, from the first to the last: "copy offset=0..32"; "33 of copy" if more
 * than one parameter differs. */
void run_names_print_sweep(const struct run_names *names, const struct session *session, uint32_t first,
                           uint32_t last, int rows, int cells, char *text, size_t size_bytes);
/* The parameters that are equal in all rows, "n=16777216"; "" for a single row. */
void run_names_print_common(const struct run_names *names, char *text, size_t size_bytes);

/* "workload:variant" of a run of a workload. */
void run_name_print(const struct session *session, uint32_t run, char *text, size_t size_bytes);
/* The same with as many of the run's parameters as fit. */
void run_name_print_within(const struct session *session, uint32_t run, int cells, char *text,
                           size_t size_bytes);

/* "variant parameters", with as many parameters as fit. */
void run_variant_print_within(const struct session *session, uint32_t run, int cells, char *text,
                              size_t size_bytes);

/* A name, shortened, with a text after it that is kept whole: "staged-pin.. streams=4". */
void name_join(const char *name, const char *rest, int cells, char *text, size_t size_bytes);

#endif
