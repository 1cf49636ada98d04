/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work in slices: a long computation that is done in parts, so that its caller can do other things in
 * between. A function that continues one subtracts from *left the number of elements it handled and stops at
 * 0; it may exceed the limit by a small constant. Sorting is the only such computation that several rooms
 * share. One thread.
 */
#ifndef CORE_BASE_SORT_H
#define CORE_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum slice { SLICE_MORE, SLICE_DONE, SLICE_NO_MEMORY };

/* Takes n from the budget *left; false: the budget is used up. */
static inline bool slice_take(size_t *left, size_t n)
{
    *left = *left > n ? *left - n : 0;
    return *left > 0;
}

#define SLICE_RUN 512u /* elements that are sorted at once */

/* A merge sort of *array, which was allocated with malloc and may be replaced by another array. */
struct slice_sort {
    void **array;
    size_t count, element_bytes;
    int (*compare)(const void *a, const void *b, void *context);
    void *context;
    void *room;         /* as large; NULL: not needed yet */
    size_t width;       /* length of the sorted runs; 0: runs of SLICE_RUN are still being made */
    size_t at;          /* where the current pair of runs begins */
    size_t left, right; /* elements taken from each run of the pair */
};

void slice_sort_begin(struct slice_sort *sort, void **array, size_t count, size_t element_bytes,
                      int (*compare)(const void *a, const void *b, void *context), void *context);
enum slice slice_sort_step(struct slice_sort *sort, size_t *left);
void slice_sort_fini(struct slice_sort *sort); /* may be called at any time; the array holds all its elements
                                                  only after the sort is done */

/*
 * Selection by value: puts what a sort would put at a place there, without sorting the rest (quickselect, in
 * place). Afterwards nothing before the place is greater, and nothing after it is less. Linear on average; after
 * too many uneven divisions the rest is sorted. Any thread.
 */

/* at < count. */
double select_double(double *numbers, size_t count, size_t at);
int64_t select_int64(int64_t *numbers, size_t count, size_t at);

#endif
