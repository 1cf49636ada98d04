/*
 * An array that grows: capacities double, so that adding one element at a time costs little. Nothing shrinks.
 */
#include "tui/array.h"

#include <stdlib.h>

void *array_reserve(void *array, size_t *capacity, size_t count, size_t size_bytes)
{
    if (array != NULL && count <= *capacity)
        return array;
    size_t wanted = *capacity < 64 ? 64 : *capacity;
    while (wanted < count)
        wanted *= 2;
    void *grown = realloc(array, wanted * size_bytes);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}
