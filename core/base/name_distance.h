/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How near a word that was typed is to a name that it may have been meant for. Any thread.
 */
#ifndef CORE_BASE_NAME_DISTANCE_H
#define CORE_BASE_NAME_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>

/* For a search of the name that a typed word may have been meant for: true if the edit distance to this name
 * is less than *least, which then becomes that distance; begin with SIZE_MAX. False if the word is too
 * different to be meant for this name. */
bool name_is_nearer(const char *typed, const char *name, size_t *least);

#endif
