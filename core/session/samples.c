/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer's side of samples: samplings, their chunks and pages, and the sums over them. All memory that a
 * sample needs is reserved before any of it is written, so that an append succeeds as a whole or changes
 * nothing; the count is published last.
 */
#include "core/session/samples_internal.h"

#include "core/session/series.h"

#include <math.h>
#include <stdlib.h>

static void chunk_fini(struct samples_chunk *chunk)
{
    struct samples_folds *folds = atomic_load_explicit(&chunk->folds, memory_order_relaxed);
    for (uint32_t i = 0; i < SAMPLES_PAGES && !folds; i++) {
        struct samples_page *page = atomic_load_explicit(&chunk->pages[i], memory_order_relaxed);
        if (page)
            samples_page_free(&page->retired);
    }
    if (!folds || samples_has_pages(folds))
        free(atomic_load_explicit(&chunk->sums, memory_order_relaxed));
    free(folds);
}

void sampling_fini(struct sampling *sampling)
{
    for (uint32_t i = 0; i < sampling->row.series && sampling->series; i++)
        for (uint32_t level = 0; level < SAMPLES_LEVELS; level++)
            table_fini(&sampling->series[i].nodes[level]);
    for (uint32_t i = 0; i < table_count(&sampling->chunks); i++)
        chunk_fini(table_at(&sampling->chunks, i));
    table_fini(&sampling->chunks);
    free(sampling->series);
    sampling->series = NULL;
}

static bool sampling_init(struct sampling *sampling, const struct sampling_row *row,
                          _Atomic size_t *memory_bytes)
{
    sampling->series = calloc(row->series, sizeof *sampling->series);
    if (!sampling->series)
        return false;
    atomic_fetch_add_explicit(memory_bytes, row->series * sizeof *sampling->series, memory_order_relaxed);
    sampling->row = *row;
    sampling->last_end_ns = INT64_MIN;
    table_init(&sampling->chunks, sizeof(struct samples_chunk), 0);
    for (uint32_t i = 0; i < row->series; i++)
        for (uint32_t level = 0; level < SAMPLES_LEVELS; level++)
            table_init(&sampling->series[i].nodes[level], sizeof(struct samples_node), 0);
    return true;
}

uint32_t sampling_add(struct session *session, const struct sampling_row *row, const uint32_t *names)
{
    struct sampling_row own = *row;
    own.first_series = table_count(&session->series_rows);
    if (row->series == 0 || row->series > SAMPLING_SERIES_MAX || row->clock >= CLOCK_COUNT) {
        counter_add(&session->refused, 1);
        return NONE;
    }
    struct sampling *sampling = table_next(&session->samplings, &session->memory_bytes);
    if (!sampling || !sampling_init(sampling, &own, &session->memory_bytes)) {
        counter_add(&session->no_memory, 1);
        return NONE;
    }
    for (uint32_t i = 0; i < row->series; i++) {
        struct series_row *series = table_next(&session->series_rows, &session->memory_bytes);
        if (!series) { /* those that there is room for */
            counter_add(&session->no_memory, 1);
            sampling->row.series = (uint16_t)i;
            break;
        }
        *series = (struct series_row){.process = row->process,
                                      .device = row->device,
                                      .name = names[i],
                                      .interval_ns = row->interval_ns,
                                      .sampling = table_count(&session->samplings),
                                      .place = (uint16_t)i,
                                      .clock = row->clock,
                                      .flags = row->flags};
        sampling->series[i].counted = series_describe(session_string(session, names[i])).counted;
        table_publish(&session->series_rows);
    }
    if (sampling->row.series == 0) {
        sampling_fini(sampling);
        return NONE;
    }
    return table_publish(&session->samplings);
}

/* ---- samples ---- */
static struct samples_page *page_at(const struct samples_chunk *chunk, uint32_t at)
{
    return atomic_load_explicit(&chunk->pages[at / SAMPLES_PAGE], memory_order_relaxed);
}

/* There is a gap within a group: from now on the page has each sample's start. */
static bool page_spread(const struct samples_chunk *chunk, uint32_t at, _Atomic size_t *memory_bytes)
{
    struct samples_page *page = page_at(chunk, at);
    int64_t *starts_ns = malloc(SAMPLES_PAGE_STARTS_BYTES);
    if (!starts_ns)
        return false;
    for (uint32_t i = 0; i < at % SAMPLES_PAGE; i++)
        starts_ns[i] = samples_start_at(chunk, at / SAMPLES_PAGE * SAMPLES_PAGE + i);
    atomic_fetch_add_explicit(memory_bytes, SAMPLES_PAGE_STARTS_BYTES, memory_order_relaxed);
    atomic_store_explicit(&page->starts_ns, starts_ns, memory_order_release);
    return true;
}

/* Allocates all the memory that the sample at index, and the nodes that it completes, need. */
static bool sample_reserve(struct sampling *sampling, uint64_t index, int64_t start_ns,
                           _Atomic size_t *memory_bytes)
{
    uint32_t at = (uint32_t)(index % SAMPLES_CHUNK);
    struct samples_chunk *chunk;
    if (index / SAMPLES_CHUNK >= table_count(&sampling->chunks)) {
        chunk = table_next(&sampling->chunks, memory_bytes);
        if (!chunk)
            return false;
        chunk->start_ns = start_ns;
        table_publish(&sampling->chunks);
    }
    chunk = samples_chunk_at(sampling, index / SAMPLES_CHUNK);
    if (at % SAMPLES_PAGE == 0 && !page_at(chunk, at)) {
        struct samples_page *page = calloc(1, samples_page_bytes(sampling));
        if (!page)
            return false;
        atomic_fetch_add_explicit(memory_bytes, samples_page_bytes(sampling), memory_order_relaxed);
        atomic_store_explicit(&chunk->pages[at / SAMPLES_PAGE], page, memory_order_release);
    }
    if ((at + 1) % SAMPLES_PAGE == 0 && !atomic_load_explicit(&chunk->sums, memory_order_relaxed)) {
        struct samples_sums *sums = calloc(1, samples_sums_bytes(sampling));
        if (!sums)
            return false;
        atomic_fetch_add_explicit(memory_bytes, samples_sums_bytes(sampling), memory_order_relaxed);
        atomic_store_explicit(&chunk->sums, sums, memory_order_release);
    }
    if (at % SAMPLES_GROUP != 0 && start_ns != sampling->last_end_ns &&
        !atomic_load_explicit(&page_at(chunk, at)->starts_ns, memory_order_relaxed) &&
        !page_spread(chunk, at, memory_bytes))
        return false;
    for (uint32_t i = 0; i < sampling->row.series; i++) {
        uint64_t complete = (index + 1) / SAMPLES_CHUNK;
        bool completes = (index + 1) % SAMPLES_CHUNK == 0;
        for (uint32_t level = 0; level < SAMPLES_LEVELS && completes; level++) {
            if (!table_next(&sampling->series[i].nodes[level], memory_bytes))
                return false;
            completes = complete % SAMPLES_FANOUT == 0;
            complete /= SAMPLES_FANOUT;
        }
    }
    return true;
}

static struct samples_node node_over(const struct samples_node *parts, size_t count)
{
    struct samples_node node = SAMPLES_NODE_NONE;
    for (size_t i = 0; i < count; i++)
        samples_node_merge(&node, &parts[i]);
    return node;
}

/* Adds the nodes above the chunk whose last sample is the one before `complete`. */
static void chunk_nodes_add(const struct samples_chunk *chunk, struct samples_series *series, uint32_t place,
                            uint64_t complete)
{
    struct samples_node node = node_over(samples_sums_of(chunk, place), SAMPLES_PAGES);
    complete /= SAMPLES_CHUNK;
    for (uint32_t level = 0;; level++) {
        struct table *nodes = &series->nodes[level];
        *(struct samples_node *)table_at(nodes, table_count(nodes)) = node;
        table_publish(nodes);
        if (level + 1 == SAMPLES_LEVELS || complete % SAMPLES_FANOUT != 0)
            return;
        node = SAMPLES_NODE_NONE;
        for (uint32_t i = 0; i < SAMPLES_FANOUT; i++)
            samples_node_merge(&node, table_at(nodes, (uint32_t)complete - SAMPLES_FANOUT + i));
        complete /= SAMPLES_FANOUT;
    }
}

/* Adds the nodes that the sample at index, the last one, completes. */
static void nodes_add(const struct samples_chunk *chunk, struct samples_series *series, uint32_t count,
                      uint32_t place, uint64_t index)
{
    uint32_t at = (uint32_t)(index % SAMPLES_PAGE);
    struct samples_page *page = page_at(chunk, (uint32_t)(index % SAMPLES_CHUNK));
    struct samples_node *nodes = page->nodes + place * SAMPLES_GROUPS;
    const float *numbers = samples_page_numbers(page, count, place);
    if ((at + 1) % SAMPLES_GROUP != 0)
        return;
    struct samples_node node = SAMPLES_NODE_NONE;
    for (uint32_t i = at + 1 - SAMPLES_GROUP; i <= at; i++)
        samples_node_take(&node, samples_value(series, numbers[i], page->durations_ns[i]),
                          page->durations_ns[i]);
    nodes[at / SAMPLES_GROUP] = node;
    if (at + 1 == SAMPLES_PAGE)
        atomic_load_explicit(&chunk->sums, memory_order_relaxed)
            ->nodes[place * SAMPLES_PAGES + index % SAMPLES_CHUNK / SAMPLES_PAGE] =
            node_over(nodes, SAMPLES_GROUPS);
    if ((index + 1) % SAMPLES_CHUNK == 0)
        chunk_nodes_add(chunk, series, place, index + 1);
}

static void sample_append(struct sampling *sampling, int64_t start_ns, uint32_t duration_ns,
                          const float *numbers)
{
    uint64_t index = atomic_load_explicit(&sampling->count, memory_order_relaxed);
    struct samples_chunk *chunk = samples_chunk_at(sampling, index / SAMPLES_CHUNK);
    struct samples_page *page = page_at(chunk, (uint32_t)(index % SAMPLES_CHUNK));
    uint32_t at = (uint32_t)(index % SAMPLES_PAGE);
    int64_t *starts_ns = atomic_load_explicit(&page->starts_ns, memory_order_relaxed);
    if (at % SAMPLES_GROUP == 0)
        page->group_starts_ns[at / SAMPLES_GROUP] = start_ns;
    if (starts_ns)
        starts_ns[at] = start_ns;
    page->durations_ns[at] = duration_ns;
    for (uint32_t i = 0; i < sampling->row.series; i++) {
        samples_page_numbers(page, sampling->row.series, i)[at] = isfinite(numbers[i]) ? numbers[i] : NAN;
        nodes_add(chunk, &sampling->series[i], sampling->row.series, i, index);
    }
    sampling->last_end_ns = start_ns + duration_ns;
    atomic_store_explicit(&sampling->count, index + 1, memory_order_release);
}

enum sample_result sample_add(struct session *session, uint32_t sampling, int64_t start_ns,
                              uint32_t duration_ns, const float *numbers)
{
    struct sampling *own = (struct sampling *)sampling_of(session, sampling); /* the writer's to change */
    enum sample_result result = SAMPLE_ADDED;
    if (!own || duration_ns == 0 || start_ns < -SESSION_TIME_MAX_NS ||
        start_ns > SESSION_TIME_MAX_NS - duration_ns) {
        counter_add(&session->samples_refused, 1);
        return SAMPLE_REFUSED;
    }
    int64_t end_ns = start_ns + duration_ns;
    if (end_ns <= own->last_end_ns) {
        counter_add(&session->samples_late, 1);
        return SAMPLE_LATE;
    }
    if (start_ns < own->last_end_ns) {
        start_ns = own->last_end_ns;
        result = SAMPLE_CUT;
    }
    if (!sample_reserve(own, atomic_load_explicit(&own->count, memory_order_relaxed), start_ns,
                        &session->memory_bytes)) {
        counter_add(&session->no_memory, 1);
        return SAMPLE_NO_MEMORY;
    }
    if (result == SAMPLE_CUT)
        counter_add(&session->samples_cut, 1);
    sample_append(own, start_ns, (uint32_t)(end_ns - start_ns), numbers);
    uint64_t count = atomic_load_explicit(&own->count, memory_order_relaxed);
    if (count % SAMPLES_CHUNK == 0)
        samples_chunk_full(session, own, count / SAMPLES_CHUNK - 1);
    session_see(session, own->row.clock, start_ns, end_ns);
    session_fold_when_full(session);
    return result;
}
