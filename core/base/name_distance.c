/* SPDX-License-Identifier: Apache-2.0 */
/* The distance is the number of edits, by a row of the usual table at a time. */
#include "core/base/name_distance.h"

#include <stdint.h>
#include <string.h>

#define WORD_MAX 64 /* longest name, with its end */

/* Edits (a letter inserted, deleted or replaced) from a to b, both shorter than WORD_MAX. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[WORD_MAX], length = strlen(b);

    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; *a; a++, i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t best = diagonal + (*a != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = best;
        }
    }
    return row[length];
}

static bool is_near(size_t distance, const char *name)
{
    size_t length = strlen(name);

    return distance <= (length < 3 ? 0 : length / (length < 6 ? 2 : 3));
}

bool name_is_nearer(const char *typed, const char *name, size_t *least)
{
    size_t distance =
        strlen(typed) < WORD_MAX && strlen(name) < WORD_MAX ? edit_distance(typed, name) : SIZE_MAX;

    if (distance >= *least || !is_near(distance, name))
        return false;
    *least = distance;
    return true;
}
