/*
 * How near a word that was typed is to a name that it may have been meant for. Any thread.
 */
#ifndef CORE_BASE_NAME_DISTANCE_H
#define CORE_BASE_NAME_DISTANCE_H

#include <stddef.h>

/* Letters between what was typed and a name that it may have been meant for; SIZE_MAX: it was not. */
size_t name_distance(const char *typed, const char *name);

#endif
