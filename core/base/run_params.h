/*
 * The parameters of a run as its text has them, "stride=8,n=16384". The text may be a stranger's. Any thread.
 */
#ifndef CORE_BASE_RUN_PARAMS_H
#define CORE_BASE_RUN_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

struct run_param {
    const char *name, *value; /* into the text, not terminated */
    int name_length, value_length;
};

/* The parameter at *text, which moves past it; false at the end. */
bool run_param_next(const char **text, struct run_param *param);

/* The value of a parameter; false: it has none. */
bool run_param_find(const char *text, const char *name, struct run_param *param);
/* The same as a finite number; false, too, when it is none. */
bool run_param_number(const char *text, const char *name, double *number);

/* As many parameters as have room in `cells` characters, "stride=8", whole; false: not all have. */
bool run_params_within(const char *text, int cells, char *out, size_t size_bytes);

#endif
