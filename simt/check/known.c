/*
 * Spans are in ascending order of blocks and do not overlap. Two lists are merged in one pass over the blocks
 * at which either begins or ends a span.
 */
#include "simt/check/known.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

#define ROW_ALL UINT32_MAX
#define ROWS_MAX (UINT32_C(1) << 19) /* 64 MiB */
#define PLACES_FIRST 256

struct known_span {
    uint32_t first, last, row; /* blocks first ... last */
};

struct known {
    uint32_t references, count;
    struct known_span spans[];
};

/* The end of time for all warps. */
#define ALL_8 UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX
static const uint32_t times_all[KNOWN_WARPS] = {ALL_8, ALL_8, ALL_8, ALL_8};

static struct known everything; /* all times of all blocks; not counted */

void known_table_clear(struct known_table *table)
{
    table->count = 0;
    table->widened = false;
    if (table->places)
        memset(table->places, 0, table->place_count * sizeof table->places[0]);
}

void known_table_fini(struct known_table *table)
{
    free(table->rows);
    free(table->places);
    *table = (struct known_table){0};
}

static uint32_t row_hash(const uint32_t times[KNOWN_WARPS])
{
    uint64_t hash = 1;
    for (int warp = 0; warp < KNOWN_WARPS; warp++) {
        hash = (hash ^ times[warp]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (uint32_t)hash;
}

/* The place of a row in the hash table, or the free place for it. */
static uint32_t row_place(const struct known_table *table, const uint32_t times[KNOWN_WARPS])
{
    uint32_t place = row_hash(times) & (table->place_count - 1);
    while (table->places[place] &&
           memcmp(table->rows[table->places[place] - 1], times, sizeof table->rows[0]) != 0)
        place = (place + 1) & (table->place_count - 1);
    return place;
}

static bool places_grow(struct known_table *table)
{
    uint32_t count = table->place_count ? 2 * table->place_count : PLACES_FIRST;
    uint32_t *grown = calloc(count, sizeof *grown);
    if (!grown)
        return false;
    free(table->places);
    table->places = grown;
    table->place_count = count;
    for (uint32_t row = 0; row < table->count; row++)
        table->places[row_place(table, table->rows[row])] = row + 1;
    return true;
}

static uint32_t row_find(struct known_table *table, const uint32_t times[KNOWN_WARPS])
{
    if (2 * (table->count + 1) > table->place_count && !places_grow(table)) {
        table->widened = true;
        return ROW_ALL;
    }
    uint32_t place = row_place(table, times);
    if (table->places[place])
        return table->places[place] - 1;
    if (table->count == ROWS_MAX ||
        (table->count == table->capacity && !array_grow(table->rows, table->capacity, table->count, 1))) {
        table->widened = true;
        return ROW_ALL;
    }
    memcpy(table->rows[table->count], times, sizeof table->rows[0]);
    table->places[place] = ++table->count;
    return table->count - 1;
}

static const uint32_t *row_times(const struct known_table *table, uint32_t row)
{
    return row == ROW_ALL ? times_all : table->rows[row];
}

static uint32_t row_merge(struct known_table *table, uint32_t a, uint32_t b)
{
    uint32_t times[KNOWN_WARPS];
    if (a == b || a == ROW_ALL || b == ROW_ALL)
        return a == b ? a : ROW_ALL;
    const uint32_t *of_a = row_times(table, a), *of_b = row_times(table, b);
    for (int warp = 0; warp < KNOWN_WARPS; warp++)
        times[warp] = of_a[warp] > of_b[warp] ? of_a[warp] : of_b[warp];
    return row_find(table, times);
}

static struct known *known_all(struct known_table *table)
{
    table->widened = true;
    return &everything;
}

static bool known_is_all(const struct known *known)
{
    return known == &everything;
}

static struct known *known_make(struct known_table *table, const struct known_span *spans, uint32_t count)
{
    struct known *made = malloc(sizeof *made + count * sizeof spans[0]);
    if (!made)
        return known_all(table);
    made->references = 1;
    made->count = count;
    memcpy(made->spans, spans, count * sizeof spans[0]);
    return made;
}

struct known *known_one(struct known_table *table, uint32_t block, const uint32_t times[KNOWN_WARPS])
{
    const struct known_span span = {block, block, row_find(table, times)};
    return known_make(table, &span, 1);
}

struct known *known_hold(struct known *known)
{
    if (known && !known_is_all(known))
        known->references++;
    return known;
}

void known_release(struct known *known)
{
    if (known && !known_is_all(known) && --known->references == 0)
        free(known);
}

static void span_add(struct known_span *spans, uint32_t *count, struct known_span span)
{
    struct known_span *before = *count ? &spans[*count - 1] : NULL;
    if (before && before->row == span.row && before->last + 1 == span.first)
        before->last = span.last;
    else
        spans[(*count)++] = span;
}

/* The parts of both lists in order. Each step takes the blocks up to the next border of either list. */
static uint32_t spans_merge(struct known_table *table, const struct known *a, const struct known *b,
                            struct known_span *spans)
{
    uint32_t count = 0, i = 0, j = 0, at = 0;
    while (i < a->count || j < b->count) {
        const struct known_span *x = i < a->count ? &a->spans[i] : NULL,
                                *y = j < b->count ? &b->spans[j] : NULL;
        uint32_t x_first = x ? (x->first > at ? x->first : at) : UINT32_MAX,
                 y_first = y ? (y->first > at ? y->first : at) : UINT32_MAX;
        struct known_span span;
        span.first = x_first < y_first ? x_first : y_first;
        bool of_x = x && x_first == span.first, of_y = y && y_first == span.first;
        span.last = of_x ? x->last : y->last;
        if (of_y && y->last < span.last)
            span.last = y->last;
        if (!of_x && x && x->first - 1 < span.last)
            span.last = x->first - 1;
        if (!of_y && y && y->first - 1 < span.last)
            span.last = y->first - 1;
        span.row = of_x && of_y ? row_merge(table, x->row, y->row) : of_x ? x->row : y->row;
        span_add(spans, &count, span);
        at = span.last + 1;
        i += x && x->last == span.last;
        j += y && y->last == span.last;
    }
    return count;
}

static bool known_equals(const struct known *known, const struct known_span *spans, uint32_t count)
{
    return known->count == count && memcmp(known->spans, spans, count * sizeof spans[0]) == 0;
}

struct known *known_merge(struct known_table *table, struct known *a, struct known *b)
{
    struct known_span few[16], *spans = few;
    if (!a || !b || a == b)
        return known_hold(a ? a : b);
    if (known_is_all(a) || known_is_all(b))
        return known_all(table);
    uint32_t most = 2 * (a->count + b->count);
    if (most > sizeof few / sizeof few[0] && !(spans = malloc(most * sizeof *spans)))
        return known_all(table);
    uint32_t count = spans_merge(table, a, b, spans);
    struct known *made = known_equals(a, spans, count)   ? known_hold(a)
                         : known_equals(b, spans, count) ? known_hold(b)
                         : count > KNOWN_SPANS_MAX       ? known_all(table)
                                                         : known_make(table, spans, count);
    if (spans != few)
        free(spans);
    return made;
}

void known_add(struct known_table *table, struct known **to, struct known *from)
{
    if (!from || *to == from)
        return;
    struct known *merged = known_merge(table, *to, from);
    known_release(*to);
    *to = merged;
}

const uint32_t *known_times(const struct known_table *table, const struct known *known, uint32_t block)
{
    uint32_t low = 0, high = known ? known->count : 0;
    if (known && known_is_all(known))
        return times_all;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (known->spans[middle].last < block)
            low = middle + 1;
        else
            high = middle;
    }
    if (!known || low == known->count || known->spans[low].first > block)
        return NULL;
    return row_times(table, known->spans[low].row);
}

bool known_has(const struct known_table *table, const struct known *known, uint32_t block, uint32_t warp,
               uint32_t time)
{
    const uint32_t *times = known_times(table, known, block);
    return times && time <= times[warp];
}
