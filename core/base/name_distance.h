/*
 * How near a word that was typed is to a name that it may have been meant for. Any thread.
 */
#ifndef CORE_BASE_NAME_DISTANCE_H
#define CORE_BASE_NAME_DISTANCE_H

#include <stddef.h>

/* The edit distance between a typed word and a name; SIZE_MAX: the word is too different to be meant for this
 * name. */
size_t name_distance(const char *typed, const char *name);

#endif
