/*
 * core/base/array by the number of elements that are wanted: most of the screen's arrays are filled anew as a
 * whole.
 */
#include "tui/widgets/array.h"

#include "core/base/array.h"

void *array_reserve(void *array, size_t *capacity, size_t count, size_t size_bytes)
{
    return array_grow_size(&array, capacity, count > 0 ? count : 1, 0, size_bytes, false) ? array : NULL;
}
