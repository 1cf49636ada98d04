/* An array doubles, so that adding n elements one by one costs O(n) copies. No size wraps around: a size
 * beyond size_t fails in the same way as a failed allocation. */
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

#define ARRAY_FIRST 8u /* elements */

/* array: the address of a pointer to elements of any type, so the pointer is copied as bytes. */
static bool array_grow_until(void *array, size_t *room, size_t most, size_t count, size_t more,
                             size_t element_bytes, bool zeroed)
{
    most = most < SIZE_MAX / element_bytes ? most : SIZE_MAX / element_bytes;
    if (count > most || more > most - count)
        return false;
    if (count + more <= *room)
        return true;
    size_t wanted = *room < most / 2 ? 2 * *room : most;
    wanted = wanted < ARRAY_FIRST && ARRAY_FIRST <= most ? ARRAY_FIRST : wanted;
    wanted = wanted < count + more ? count + more : wanted;
    void *grown;
    memcpy(&grown, array, sizeof grown);
    grown = realloc(grown, wanted * element_bytes);
    if (grown == NULL)
        return false;
    if (zeroed)
        memset((char *)grown + *room * element_bytes, 0, (wanted - *room) * element_bytes);
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    return true;
}

bool array_grow_size(void *array, size_t *room, size_t count, size_t more, size_t element_bytes, bool zeroed)
{
    return array_grow_until(array, room, SIZE_MAX, count, more, element_bytes, zeroed);
}

bool array_grow_32(void *array, uint32_t *room, size_t count, size_t more, size_t element_bytes, bool zeroed)
{
    size_t wide = *room;
    bool grown = array_grow_until(array, &wide, UINT32_MAX, count, more, element_bytes, zeroed);
    *room = (uint32_t)wide;
    return grown;
}
