/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of CUDA's runtime functions (names.txt; names_12.txt: CUDA 12's that CUDA 13 does not have) and
 * driver functions (driver_names.txt). cmake generates
 * absent_..._names.c from them: the table, and for each name a weak function that refuses; the room's own
 * functions of these names replace it when the library is linked.
 */
#ifndef STANDIN_ABSENT_H
#define STANDIN_ABSENT_H

#include "standin/standin.h"

struct standin_name {
    const char *name;
    void (*function)(void); /* the stand-in's function, cast to this type */
    int version;            /* of a driver function: the CUDA version since which cuGetProcAddress gives it */
};
extern const struct standin_name standin_names[], older_names[], driver_names[]; /* in ASCII order */
extern const size_t standin_name_count, older_name_count, driver_name_count;

/* What a missing function does: the device is lost, and the run ends with a status that is not 0. */
int absent_refuse(const char *name);

/* ---- CUDA 12's functions ---- */

/* Programs that were built with CUDA 12: the functions that differ from CUDA 13's under the same name. */

extern const struct standin_name cuda_12_functions[]; /* in ASCII order */
extern const size_t cuda_12_function_count;

#endif
