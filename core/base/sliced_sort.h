/*
 * Work in slices: a long computation that does so much at a time, so that its caller can do other things
 * between. A function that goes on with one takes from *left what it did, an element each, and stops at 0; it
 * may run over by a small constant. Sorting is the one such computation that others share. One thread.
 */
#ifndef CORE_BASE_SLICED_SORT_H
#define CORE_BASE_SLICED_SORT_H

#include <stdbool.h>
#include <stddef.h>

enum slice { SLICE_MORE, SLICE_DONE, SLICE_NO_MEMORY };

/* Takes n from *left; false: nothing is left. */
static inline bool slice_take(size_t *left, size_t n)
{
    *left = *left > n ? *left - n : 0;
    return *left > 0;
}

#define SLICE_RUN 512u /* elements that are sorted at once */

/* A merge sort of *array, which is malloc's and may be another one when it is done. */
struct slice_sort {
    void **array;
    size_t count, element_bytes;
    int (*compare)(const void *a, const void *b, void *context);
    void *context;
    void *room;         /* as large; NULL: not needed yet */
    size_t width;       /* elements of a sorted run; 0: runs of SLICE_RUN are being made */
    size_t at;          /* where the pair of runs in hand begins */
    size_t left, right; /* taken of each of the pair */
};

void slice_sort_begin(struct slice_sort *sort, void **array, size_t count, size_t element_bytes,
                      int (*compare)(const void *a, const void *b, void *context), void *context);
enum slice slice_sort_step(struct slice_sort *sort, size_t *left);
void slice_sort_fini(
    struct slice_sort *sort); /* at any time; the array holds all its elements only when done */

#endif
