/*
 * An array that grows. The owner keeps the pointer and the capacity, both zero at first, and frees it. Any
 * thread.
 */
#ifndef TUI_WIDGETS_ARRAY_H
#define TUI_WIDGETS_ARRAY_H

#include <stddef.h>

/* An array for at least `count` elements; NULL when memory ran out (the old one stays). */
void *array_reserve(void *array, size_t *capacity, size_t count, size_t size_bytes);

#endif
