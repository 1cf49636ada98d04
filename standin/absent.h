/*
 * The names of CUDA's runtime (names.txt). cmake makes absent_names.c of them: the table, and a weak function for
 * each name, which refuses; the room's own functions of these names take its place when the library is linked.
 */
#ifndef STANDIN_ABSENT_H
#define STANDIN_ABSENT_H

#include "standin/standin.h"

struct standin_name {
    const char *name;
    void (*function)(void); /* the stand-in's, whatever its arguments */
};
extern const struct standin_name standin_names[]; /* in ASCII order */
extern const size_t standin_name_count;

/* What a function that is not there does: the device is lost, and the run ends with a status that is not 0. */
int absent_refuse(const char *name);

#endif
