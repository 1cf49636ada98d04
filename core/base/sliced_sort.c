/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A merge sort from the bottom up: runs of SLICE_RUN elements are sorted with qsort_r, then merged in pairs
 * into a room of the same size. Where it stands (run, width, place in the pair) lies in the struct, so a
 * slice may end after any element.
 */
#include "core/base/sliced_sort.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

void slice_sort_begin(struct slice_sort *sort, void **array, size_t count, size_t element_bytes,
                      int (*compare)(const void *a, const void *b, void *context), void *context)
{
    *sort = (struct slice_sort){.array = array,
                                .count = count,
                                .element_bytes = element_bytes,
                                .compare = compare,
                                .context = context};
}

void slice_sort_fini(struct slice_sort *sort)
{
    free(sort->room);
    *sort = (struct slice_sort){0};
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static unsigned char *element_at(void *array, const struct slice_sort *sort, size_t index)
{
    return (unsigned char *)array + index * sort->element_bytes;
}

static bool make_runs(struct slice_sort *sort, size_t *left)
{
    while (sort->at < sort->count) {
        size_t run = least_of(SLICE_RUN, sort->count - sort->at);
        qsort_r(element_at(*sort->array, sort, sort->at), run, sort->element_bytes, sort->compare,
                sort->context);
        sort->at += run;
        if (!slice_take(left, run))
            break;
    }
    return sort->at >= sort->count;
}

/* Merges elements of the pair of runs at sort->at into the second array, until the pair is done or the budget
 * is used up. */
static bool merge_pair(struct slice_sort *sort, size_t *left)
{
    size_t first = sort->at, second = least_of(first + sort->width, sort->count);
    size_t end = least_of(second + sort->width, sort->count);
    size_t out = first + sort->left + sort->right;
    while (out < end) {
        unsigned char *a = element_at(*sort->array, sort, first + sort->left);
        unsigned char *b = element_at(*sort->array, sort, second + sort->right);
        bool has_a = first + sort->left < second, has_b = second + sort->right < end;
        bool take_a = has_a && (!has_b || sort->compare(a, b, sort->context) <= 0);
        memcpy(element_at(sort->room, sort, out), take_a ? a : b, sort->element_bytes);
        sort->left += take_a;
        sort->right += !take_a;
        out++;
        if (!slice_take(left, 1))
            break;
    }
    return out == end;
}

enum slice slice_sort_step(struct slice_sort *sort, size_t *left)
{
    if (sort->width == 0) {
        if (!make_runs(sort, left))
            return SLICE_MORE;
        sort->width = SLICE_RUN;
        sort->at = 0;
    }
    while (sort->width < sort->count) {
        if (!sort->room && !(sort->room = array_make(sort->count, sort->element_bytes)))
            return SLICE_NO_MEMORY;
        while (sort->at < sort->count) {
            if (*left == 0 || !merge_pair(sort, left))
                return SLICE_MORE;
            sort->at += 2 * sort->width;
            sort->left = sort->right = 0;
        }
        void *merged = sort->room;
        sort->room = *sort->array;
        *sort->array = merged;
        sort->width *= 2;
        sort->at = 0;
    }
    free(sort->room);
    sort->room = NULL;
    return SLICE_DONE;
}
