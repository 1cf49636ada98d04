/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A merge sort from the bottom up: runs of SLICE_RUN elements are sorted by insertion, where they are nearly in order,
 * or else with qsort_r, then merged in pairs into a room of the same size. What is in order at the ends of a pair is
 * copied at once: events mostly come in order. Where it stands (run, width, place in the pair) lies in the struct, so a
 * slice may end after any element.
 */
#include "core/base/sort.h"

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

#define ELEMENT_MOST 64u /* bytes of an element that insertion moves */
#define MOVES_MOST 2u    /* chosen: places that elements move on average, beyond which qsort_r is faster */

/* Sorts a run by insertion. False: it is too far from its order, and now somewhat nearer to it. */
static bool insert_run(const struct slice_sort *sort, unsigned char *first, size_t count)
{
    const size_t bytes = sort->element_bytes;
    unsigned char moved[ELEMENT_MOST];
    size_t moves_left = MOVES_MOST * count;
    if (bytes > sizeof moved)
        return false;
    for (size_t i = 1; i < count; i++) {
        unsigned char *at = first + i * bytes, *to = at;
        while (to > first && moves_left > 0 && sort->compare(to - bytes, at, sort->context) > 0) {
            to -= bytes;
            moves_left--;
        }
        if (moves_left == 0)
            return false;
        if (to == at)
            continue;
        memcpy(moved, at, bytes);
        memmove(to + bytes, to, (size_t)(at - to));
        memcpy(to, moved, bytes);
    }
    return true;
}

static bool make_runs(struct slice_sort *sort, size_t *left)
{
    while (sort->at < sort->count) {
        size_t run = least_of(SLICE_RUN, sort->count - sort->at);
        unsigned char *first = element_at(*sort->array, sort, sort->at);
        if (!insert_run(sort, first, run))
            qsort_r(first, run, sort->element_bytes, sort->compare, sort->context);
        sort->at += run;
        if (!slice_take(left, run))
            break;
    }
    return sort->at >= sort->count;
}

/* How many elements of a run from `first` on come before the element, or are equal to it. */
static size_t count_before(struct slice_sort *sort, size_t first, size_t count, const void *element)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sort->compare(element_at(*sort->array, sort, first + middle), element, sort->context) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Copies elements that are next in one of the runs; at least one, at most the budget. Returns how many. */
static size_t copy_run(struct slice_sort *sort, size_t from, size_t to, size_t count, size_t *left)
{
    if (count > *left)
        count = *left > 0 ? *left : 1;
    memcpy(element_at(sort->room, sort, to), element_at(*sort->array, sort, from),
           count * sort->element_bytes);
    slice_take(left, count);
    return count;
}

/* Merges elements of the pair of runs at sort->at into the second array, until the pair is done or the budget
 * is used up. */
static bool merge_pair(struct slice_sort *sort, size_t *left)
{
    size_t first = sort->at, second = least_of(first + sort->width, sort->count);
    size_t end = least_of(second + sort->width, sort->count);
    size_t out = first + sort->left + sort->right;
    if (sort->right == 0 && second < end) { /* what comes before all of the second run */
        unsigned char *b = element_at(*sort->array, sort, second);
        size_t before = count_before(sort, first + sort->left, second - first - sort->left, b);
        if (before > 0) {
            size_t copied = copy_run(sort, first + sort->left, out, before, left);
            sort->left += copied;
            out += copied;
            if (*left == 0)
                return out == end;
        }
    }
    while (out < end) {
        size_t rest_a = second - first - sort->left, rest_b = end - second - sort->right;
        if (rest_a == 0 || rest_b == 0) {
            size_t copied = copy_run(sort, rest_a > 0 ? first + sort->left : second + sort->right, out,
                                     rest_a + rest_b, left);
            sort->left += rest_a > 0 ? copied : 0;
            sort->right += rest_a > 0 ? 0 : copied;
            out += copied;
            if (*left == 0)
                break;
            continue;
        }
        unsigned char *a = element_at(*sort->array, sort, first + sort->left);
        unsigned char *b = element_at(*sort->array, sort, second + sort->right);
        bool take_a = sort->compare(a, b, sort->context) <= 0;
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

/* Each division by the median of the first, middle and last number, after Hoare. */

#define FEW 16u        /* so many are sorted */
#define DIVISIONS 128u /* of random numbers 2^64 need fewer */

#define SELECT(name, type)                                                                               \
    static int compare_##type##_numbers(const void *a, const void *b)                                    \
    {                                                                                                    \
        type left = *(const type *)a, right = *(const type *)b;                                          \
        return (left > right) - (left < right);                                                          \
    }                                                                                                    \
                                                                                                         \
    static type middle_##type(type a, type b, type c)                                                    \
    {                                                                                                    \
        type least = a < b ? a : b, most = a < b ? b : a;                                                \
        return c < least ? least : c > most ? most : c;                                                  \
    }                                                                                                    \
                                                                                                         \
    type name(type *numbers, size_t count, size_t at)                                                    \
    {                                                                                                    \
        size_t first = 0, end = count;                                                                   \
        for (unsigned i = 0; end - first > FEW && i < DIVISIONS; i++) {                                  \
            type pivot =                                                                                 \
                middle_##type(numbers[first], numbers[(end - 1 - first) / 2 + first], numbers[end - 1]); \
            size_t low = first, high = end - 1;                                                          \
            while (low <= high) {                                                                        \
                while (numbers[low] < pivot)                                                             \
                    low++;                                                                               \
                while (numbers[high] > pivot)                                                            \
                    high--;                                                                              \
                if (low > high)                                                                          \
                    break;                                                                               \
                type moved = numbers[low];                                                               \
                numbers[low++] = numbers[high];                                                          \
                numbers[high] = moved;                                                                   \
                if (high-- == first)                                                                     \
                    break;                                                                               \
            }                                                                                            \
            if (at >= low)                                                                               \
                first = low;                                                                             \
            else if (high < end && at <= high)                                                           \
                end = high + 1;                                                                          \
            else                                                                                         \
                return numbers[at];                                                                      \
        }                                                                                                \
        qsort(numbers + first, end - first, sizeof *numbers, compare_##type##_numbers);                  \
        return numbers[at];                                                                              \
    }

SELECT(select_double, double)
SELECT(select_int64, int64_t)
