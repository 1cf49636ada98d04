/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parameters of a run as its text has them, "stride=8,n=16384". The text may be a stranger's. Any thread.
 */
#ifndef CORE_BASE_RUN_PARAMS_H
#define CORE_BASE_RUN_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#define RUN_PARAM_KERNEL \
    "kernel" /* a user's kernel ran in place of the bundled: its file, and the hash of its text */

struct run_param {
    const char *name, *value; /* into the text, not terminated */
    int name_length, value_length;
};

/* Returns the parameter at *text and moves *text past it; false at the end. */
bool run_param_next(const char **text, struct run_param *param);

/* The value of a parameter; false: it has no value. */
bool run_param_find(const char *text, const char *name, struct run_param *param);
/* The value as a finite number; also false if it is not a number. */
bool run_param_number(const char *text, const char *name, double *number);

/* As many whole parameters ("stride=8") as fit into `cells` characters; false: some were left out. */
bool run_params_within(const char *text, int cells, char *out, size_t size_bytes);

#endif
