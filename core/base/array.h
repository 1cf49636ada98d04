/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing arrays: the one place that computes the size of a larger one. The caller owns the array (malloc's;
 * NULL at first) and frees it; elements move when it grows. Any thread, one at a time per array.
 */
#ifndef CORE_BASE_ARRAY_H
#define CORE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for `more` elements after the first `count`. array: a pointer variable; room: the number of elements
 * that it has room for, a uint32_t or size_t variable. New elements are not initialised. False: no memory, or
 * more elements than size_t or the type of `room` can count; nothing was changed. */
#define array_grow(array, room, count, more) ARRAY_GROW(array, room, count, more, false)

/* The same; new elements, up to the new room, are zero. */
#define array_grow_zeroed(array, room, count, more) ARRAY_GROW(array, room, count, more, true)

/* clang-format 14 cannot format _Generic. */
/* clang-format off */
#define ARRAY_GROW(array, room, count, more, zeroed) \
    _Generic((room), uint32_t: array_grow_32, size_t: array_grow_size) \
        (&(array), &(room), count, more, sizeof *(array), zeroed)
/* clang-format on */

/* From now on arrays of ARRAY_IN_FILE_LEAST bytes and more lie in files without names in this folder, whose
 * pages the system writes out instead of keeping; where there is no room for a file, in memory. The text must
 * stay; NULL: in memory again. One thread, while no other makes arrays. */
void array_use_folder(const char *folder);
#define ARRAY_IN_FILE_LEAST ((size_t)1 << 20)
/* A zeroed array that does not grow, as from calloc. */
void *array_make(size_t count, size_t element_bytes);

bool array_grow_32(void *array, uint32_t *room, size_t count, size_t more, size_t element_bytes, bool zeroed);
bool array_grow_size(void *array, size_t *room, size_t count, size_t more, size_t element_bytes, bool zeroed);

#endif
