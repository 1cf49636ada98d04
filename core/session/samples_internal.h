/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a sampling, for core/session/samples*.c and the session's life and limit.
 *
 * Samples lie in chunks of SAMPLES_CHUNK, a chunk in pages that are allocated one by one. Over each 16
 * samples lies a node that sums them up, over 16 of these the page's, over 16 pages the chunk's, and so on. A
 * node is there when all below it are, and is never changed.
 *
 * A full chunk can be folded: its samples are replaced by *units*, each the sum of up to 1 << shift samples
 * with no gap between them, so that the extent of sampling stays exact. Folded again, units become longer, up
 * to the chunk. The chunk's own node and those above stay.
 */
#ifndef CORE_SESSION_SAMPLES_INTERNAL_H
#define CORE_SESSION_SAMPLES_INTERNAL_H

#include "core/base/table.h"
#include "core/session/samples.h"
#include "core/session/session_internal.h"

#include <float.h>
#include <math.h>

#define SAMPLES_FANOUT 16u
#define SAMPLES_GROUPS 16u /* of a page */
#define SAMPLES_PAGES 16u  /* of a chunk */
#define SAMPLES_GROUP SAMPLES_FANOUT
#define SAMPLES_PAGE (SAMPLES_GROUPS * SAMPLES_GROUP)
#define SAMPLES_CHUNK (SAMPLES_PAGES * SAMPLES_PAGE)
#define SAMPLES_SHIFT(step) (4 + 2 * (step)) /* first fold: units of 16 samples; last: of a chunk */
#define SAMPLES_LEVELS 4u /* level 0: a chunk; a node of the last level covers more than 16 M samples */

struct samples_node {
    double sum;         /* of value x ns */
    int64_t covered_ns; /* 0: none of them is there */
    float least, most;
};

#define SAMPLES_PAGE_STARTS_BYTES (SAMPLES_PAGE * sizeof(int64_t))
#define SAMPLES_NODE_NONE ((struct samples_node){.least = INFINITY, .most = -INFINITY})

struct samples_page {
    struct retired retired;
    int64_t group_starts_ns[SAMPLES_GROUPS];
    uint32_t durations_ns[SAMPLES_PAGE];
    int64_t *_Atomic starts_ns;  /* NULL: no group has a gap between its samples */
    struct samples_node nodes[]; /* [series][SAMPLES_GROUPS] */
    /* float numbers[series][SAMPLES_PAGE] follow in the allocation */
};

/* Over the pages of a chunk, side by side: a column reads up to 15 of a series at each end. */
struct samples_sums {
    struct retired retired;
    struct samples_node nodes[]; /* [series][SAMPLES_PAGES] */
};

struct samples_unit {
    int64_t start_ns, end_ns;
    uint32_t first; /* of its samples within the chunk; they end where the next unit's begin */
};

struct samples_folds { /* one allocation */
    struct retired retired;
    uint32_t count, shift;                  /* units; each of at most 1 << shift samples */
    const struct samples_node *nodes;       /* [series][count] */
    uint16_t page_units[SAMPLES_PAGES + 1]; /* first unit of each page, if units are shorter than a page */
    struct samples_unit units[];
};

struct samples_chunk {
    int64_t start_ns;
    struct samples_page *_Atomic pages[SAMPLES_PAGES]; /* not to be used if there are folds */
    struct samples_folds *_Atomic folds;               /* NULL: the samples are there */
    struct samples_sums *_Atomic sums; /* NULL: no page is full. Not used if units are longer than a page */
};

struct samples_series { /* a series' column */
    bool counted;       /* its numbers are counts, so its sums are of counts per second */
    struct table nodes[SAMPLES_LEVELS];
};

struct sampling {
    struct sampling_row row;
    _Atomic uint64_t count, recorded; /* published; that a recording has */
    int64_t last_end_ns;              /* writer */
    struct table chunks;              /* struct samples_chunk */
    struct samples_series *series;
    uint32_t folded[SAMPLES_FOLDS]; /* writer: number of chunks that were folded once, twice, ... */
};

/* A sample's number as a value at each moment of it: a count is spread evenly over the sample's time. */
static inline float samples_value(const struct samples_series *series, float number, uint32_t duration_ns)
{
    double rate = (double)number * 1e9 / duration_ns;
    return !series->counted ? number : fabs(rate) <= (double)FLT_MAX ? (float)rate : NAN;
}

static inline void samples_node_take(struct samples_node *into, float value, int64_t ns)
{
    if (isnan(value) || ns <= 0)
        return;
    into->sum += (double)value * (double)ns;
    into->covered_ns += ns;
    into->least = value < into->least ? value : into->least;
    into->most = value > into->most ? value : into->most;
}

static inline void samples_node_merge(struct samples_node *into, const struct samples_node *node)
{
    into->sum += node->sum;
    into->covered_ns += node->covered_ns;
    into->least = node->least < into->least ? node->least : into->least;
    into->most = node->most > into->most ? node->most : into->most;
}

void sampling_fini(struct sampling *sampling);
const struct sampling *sampling_of(const struct session *session, uint32_t sampling); /* NULL: none */

/* ---- a chunk whose samples are there ---- */
static inline struct samples_chunk *samples_chunk_at(const struct sampling *sampling, uint64_t chunk)
{
    return table_at(&sampling->chunks, (uint32_t)chunk);
}

static inline const struct samples_folds *samples_folds_of(const struct samples_chunk *chunk)
{
    return atomic_load_explicit(&chunk->folds, memory_order_acquire);
}

static inline size_t samples_page_bytes(const struct sampling *sampling)
{
    return sizeof(struct samples_page) +
           sampling->row.series *
               (SAMPLES_GROUPS * sizeof(struct samples_node) + SAMPLES_PAGE * sizeof(float));
}

static inline size_t samples_sums_bytes(const struct sampling *sampling)
{
    return sizeof(struct samples_sums) + sampling->row.series * SAMPLES_PAGES * sizeof(struct samples_node);
}

static inline bool samples_has_pages(const struct samples_folds *folds)
{
    return 1u << folds->shift < SAMPLES_PAGE;
}

/* The chunk's sums over pages; at least one page must be full. */
static inline const struct samples_node *samples_sums_of(const struct samples_chunk *chunk, uint32_t place)
{
    return atomic_load_explicit(&chunk->sums, memory_order_acquire)->nodes + place * SAMPLES_PAGES;
}

/* at: the index of the sample in the chunk. */
static inline const struct samples_page *samples_page_of(const struct samples_chunk *chunk, uint32_t at)
{
    return atomic_load_explicit(&chunk->pages[at / SAMPLES_PAGE], memory_order_acquire);
}

static inline const struct samples_node *samples_page_nodes(const struct samples_page *page, uint32_t place)
{
    return page->nodes + place * SAMPLES_GROUPS;
}

static inline float *samples_page_numbers(const struct samples_page *page, uint32_t series, uint32_t place)
{
    return (float *)(void *)(page->nodes + series * SAMPLES_GROUPS) + place * SAMPLES_PAGE;
}

static inline uint32_t samples_duration_at(const struct samples_chunk *chunk, uint32_t at)
{
    return samples_page_of(chunk, at)->durations_ns[at % SAMPLES_PAGE];
}

int64_t samples_start_at(const struct samples_chunk *chunk, uint32_t at);

/* ---- samples by index, below a count the caller has loaded ---- */

/* ---- units ---- */
static inline uint32_t samples_unit_samples(const struct samples_folds *folds, uint32_t unit)
{
    return (unit + 1 < folds->count ? folds->units[unit + 1].first : SAMPLES_CHUNK) -
           folds->units[unit].first;
}

static inline const struct samples_node *samples_unit_nodes(const struct samples_folds *folds, uint32_t place)
{
    return folds->nodes + (size_t)place * folds->count;
}

/* ---- the limit: writer ---- */
/* The chunk's last sample was added. */
void samples_chunk_full(struct session *session, const struct sampling *sampling, uint64_t chunk);
/* The start and end of the next chunk to be folded for the step-th time, step in 0...SAMPLES_FOLDS - 1.
 * False: there is none, because it is not full, not recorded yet, or was not folded before. */
bool samples_foldable(const struct sampling *sampling, unsigned step, bool recorded, struct lane_span *span);
/* Folds it. False: no memory, nothing was done. */
bool samples_fold(struct session *session, struct sampling *sampling, unsigned step);
void samples_page_free(struct retired *retired);

#endif
