/*
 * The writer's side of samples: samplings, their chunks and pages, and the sums over them. All memory that a
 * sample needs is reserved before any of it is written, so that an append succeeds as a whole or changes
 * nothing; the count is published last. Last, what is left of samples whose detail has left memory.
 */
#include "core/session/samples.h"

#include "core/session/samples_internal.h"
#include "core/session/series.h"

#include <math.h>
#include <stdlib.h>

/* ---- eviction ---- */

/* The elements that a chunk holds now: samples, or units of samples. */
struct element {
    int64_t start_ns, end_ns;
    uint32_t first; /* sample, in the chunk */
};

static struct element element_at(const struct samples_chunk *chunk, const struct samples_folds *from,
                                 uint32_t i)
{
    if (from != NULL)
        return (struct element){from->units[i].start_ns, from->units[i].end_ns, from->units[i].first};
    int64_t start_ns = samples_start_at(chunk, i);
    return (struct element){start_ns, start_ns + samples_duration_at(chunk, i), i};
}

static void element_take(struct samples_node *into, const struct sampling *sampling,
                         const struct samples_chunk *chunk, const struct samples_folds *from, uint32_t place,
                         uint32_t i)
{
    if (from != NULL) {
        samples_node_merge(into, &samples_unit_nodes(from, place)[i]);
        return;
    }
    const struct samples_page *page = samples_page_of(chunk, i);
    uint32_t duration_ns = page->durations_ns[i % SAMPLES_PAGE];
    float number = samples_page_numbers(page, sampling->row.series, place)[i % SAMPLES_PAGE];
    samples_node_take(into, samples_value(&sampling->series[place], number, duration_ns), duration_ns);
}

/* Fills the units if `units` is not NULL. Returns their number. */
static uint32_t cut_units(const struct samples_chunk *chunk, const struct samples_folds *from, uint32_t shift,
                          struct samples_unit *units)
{
    uint32_t elements = from != NULL ? from->count : SAMPLES_CHUNK, count = 0, first = 0;
    int64_t end_ns = 0;
    for (uint32_t i = 0; i < elements; i++) {
        struct element element = element_at(chunk, from, i);
        if (i == 0 || element.first >> shift != first >> shift || element.start_ns != end_ns) {
            first = element.first;
            if (units != NULL)
                units[count] = (struct samples_unit){.start_ns = element.start_ns, .first = first};
            count++;
        }
        end_ns = element.end_ns;
        if (units != NULL)
            units[count - 1].end_ns = end_ns;
    }
    return count;
}

static void fill_folds(struct samples_folds *folds, struct samples_node *nodes,
                       const struct sampling *sampling, const struct samples_chunk *chunk,
                       const struct samples_folds *from)
{
    uint32_t elements = from != NULL ? from->count : SAMPLES_CHUNK;
    for (uint32_t place = 0; place < sampling->row.series; place++) {
        struct samples_node *of = nodes + (size_t)place * folds->count;
        for (uint32_t i = 0, unit = 0; i < elements; i++) {
            uint32_t first = from != NULL ? from->units[i].first : i;
            unit += unit + 1 < folds->count && folds->units[unit + 1].first == first;
            if (folds->units[unit].first == first)
                of[unit] = SAMPLES_NODE_NONE;
            element_take(&of[unit], sampling, chunk, from, place, i);
        }
    }
}

static void fill_pages(struct samples_folds *folds)
{
    for (uint32_t page = 0, unit = 0; page <= SAMPLES_PAGES; page++) {
        while (unit < folds->count && folds->units[unit].first < page * SAMPLES_PAGE)
            unit++;
        folds->page_units[page] = (uint16_t)unit;
    }
}

static void retired_free(struct retired *retired)
{
    free(retired); /* the first member of what it is of */
}

/* NULL: no memory, or the units would take as much memory as the chunk has now; it is then left as it is. */
static struct samples_folds *folds_make(const struct sampling *sampling, const struct samples_chunk *chunk,
                                        uint32_t shift, size_t most_bytes, bool *no_memory)
{
    const struct samples_folds *from = samples_folds_of(chunk);
    uint32_t count = cut_units(chunk, from, shift, NULL), series = sampling->row.series;
    size_t bytes = sizeof(struct samples_folds) + count * sizeof(struct samples_unit) +
                   (size_t)series * count * sizeof(struct samples_node);
    size_t kept = 1u << shift < SAMPLES_PAGE ? samples_sums_bytes(sampling) : 0;
    bool smaller = bytes + kept < most_bytes;
    struct samples_folds *folds = smaller ? calloc(1, bytes) : NULL;
    *no_memory = smaller && folds == NULL;
    if (folds == NULL)
        return NULL;
    struct samples_node *nodes = (struct samples_node *)(void *)&folds->units[count];
    folds->retired = (struct retired){.bytes = bytes, .release = retired_free};
    folds->count = count;
    folds->shift = shift;
    folds->nodes = nodes;
    cut_units(chunk, from, shift, folds->units);
    fill_folds(folds, nodes, sampling, chunk, from);
    if (samples_has_pages(folds))
        fill_pages(folds);
    return folds;
}

static size_t chunk_bytes(const struct sampling *sampling, const struct samples_chunk *chunk)
{
    const struct samples_folds *folds = samples_folds_of(chunk);
    size_t bytes = folds == NULL || samples_has_pages(folds) ? samples_sums_bytes(sampling) : 0;
    if (folds != NULL)
        return folds->retired.bytes + bytes;
    for (uint32_t page = 0; page < SAMPLES_PAGES; page++) {
        const struct samples_page *there = samples_page_of(chunk, page * SAMPLES_PAGE);
        bool spread = atomic_load_explicit(&there->starts_ns, memory_order_relaxed) != NULL;
        bytes += samples_page_bytes(sampling) + (spread ? SAMPLES_PAGE_STARTS_BYTES : 0);
    }
    return bytes;
}

/* ---- writer ---- */
static void samples_page_free(struct retired *retired)
{
    struct samples_page *page = (struct samples_page *)(void *)retired; /* its first member */
    free(atomic_load_explicit(&page->starts_ns, memory_order_relaxed));
    free(page);
}

/* The chunk's last sample was added. */
static void samples_chunk_full(struct session *session, const struct sampling *sampling, uint64_t chunk)
{
    session->limit.sample_bytes[0] += chunk_bytes(sampling, samples_chunk_at(sampling, chunk));
}

bool samples_foldable(const struct sampling *sampling, unsigned step, bool recorded, struct lane_span *span)
{
    uint64_t chunk = sampling->folded[step], end = (chunk + 1) * SAMPLES_CHUNK;
    if (step > 0 ? chunk >= sampling->folded[step - 1]
                 : end > atomic_load_explicit(&sampling->count, memory_order_relaxed))
        return false;
    if (recorded && atomic_load_explicit(&sampling->recorded, memory_order_acquire) < end)
        return false;
    const struct samples_chunk *there = samples_chunk_at(sampling, chunk);
    const struct samples_folds *folds = samples_folds_of(there);
    struct element last = element_at(there, folds, folds != NULL ? folds->count - 1 : SAMPLES_CHUNK - 1);
    *span = (struct lane_span){.start_ns = there->start_ns, .end_ns = last.end_ns};
    return true;
}

static void retire_pages(struct session *session, const struct sampling *sampling,
                         const struct samples_chunk *chunk)
{
    for (uint32_t i = 0; i < SAMPLES_PAGES; i++) {
        struct samples_page *page = atomic_load_explicit(&chunk->pages[i], memory_order_relaxed);
        bool spread = atomic_load_explicit(&page->starts_ns, memory_order_relaxed) != NULL;
        page->retired =
            (struct retired){.bytes = samples_page_bytes(sampling) + (spread ? SAMPLES_PAGE_STARTS_BYTES : 0),
                             .release = samples_page_free};
        session_retire(session, &page->retired);
    }
}

bool samples_fold(struct session *session, struct sampling *sampling, unsigned step)
{
    struct samples_chunk *chunk = samples_chunk_at(sampling, sampling->folded[step]);
    struct samples_folds *before = atomic_load_explicit(&chunk->folds, memory_order_relaxed);
    size_t *held = session->limit.sample_bytes, bytes = chunk_bytes(sampling, chunk);
    bool no_memory;
    struct samples_folds *folds = folds_make(sampling, chunk, SAMPLES_SHIFT(step), bytes, &no_memory);
    if (no_memory)
        return false;
    sampling->folded[step]++;
    held[step] -= bytes;
    if (folds == NULL) {
        held[step + 1] += bytes;
        return true;
    }
    atomic_fetch_add_explicit(&session->memory_bytes, folds->retired.bytes, memory_order_relaxed);
    atomic_store_explicit(&chunk->folds, folds, memory_order_release);
    held[step + 1] += chunk_bytes(sampling, chunk);
    if (!samples_has_pages(folds) && (before == NULL || samples_has_pages(before))) {
        struct samples_sums *sums = atomic_load_explicit(&chunk->sums, memory_order_relaxed);
        sums->retired = (struct retired){.bytes = samples_sums_bytes(sampling), .release = retired_free};
        session_retire(session, &sums->retired);
    }
    if (before != NULL)
        session_retire(session, &before->retired);
    else
        retire_pages(session, sampling, chunk);
    return true;
}

/* ---- appending ---- */

static void chunk_fini(struct samples_chunk *chunk)
{
    struct samples_folds *folds = atomic_load_explicit(&chunk->folds, memory_order_relaxed);
    for (uint32_t i = 0; i < SAMPLES_PAGES && folds == NULL; i++) {
        struct samples_page *page = atomic_load_explicit(&chunk->pages[i], memory_order_relaxed);
        if (page != NULL)
            samples_page_free(&page->retired);
    }
    if (folds == NULL || samples_has_pages(folds))
        free(atomic_load_explicit(&chunk->sums, memory_order_relaxed));
    free(folds);
}

void sampling_fini(struct sampling *sampling)
{
    for (uint32_t i = 0; i < sampling->row.series && sampling->series != NULL; i++)
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
    if (sampling->series == NULL)
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
    if (sampling == NULL || !sampling_init(sampling, &own, &session->memory_bytes)) {
        counter_add(&session->no_memory, 1);
        return NONE;
    }
    for (uint32_t i = 0; i < row->series; i++) {
        struct series_row *series = table_next(&session->series_rows, &session->memory_bytes);
        if (series == NULL) { /* those that there is room for */
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
    if (starts_ns == NULL)
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
        if (chunk == NULL)
            return false;
        chunk->start_ns = start_ns;
        table_publish(&sampling->chunks);
    }
    chunk = samples_chunk_at(sampling, index / SAMPLES_CHUNK);
    if (at % SAMPLES_PAGE == 0 && page_at(chunk, at) == NULL) {
        struct samples_page *page = calloc(1, samples_page_bytes(sampling));
        if (page == NULL)
            return false;
        atomic_fetch_add_explicit(memory_bytes, samples_page_bytes(sampling), memory_order_relaxed);
        atomic_store_explicit(&chunk->pages[at / SAMPLES_PAGE], page, memory_order_release);
    }
    if ((at + 1) % SAMPLES_PAGE == 0 && atomic_load_explicit(&chunk->sums, memory_order_relaxed) == NULL) {
        struct samples_sums *sums = calloc(1, samples_sums_bytes(sampling));
        if (sums == NULL)
            return false;
        atomic_fetch_add_explicit(memory_bytes, samples_sums_bytes(sampling), memory_order_relaxed);
        atomic_store_explicit(&chunk->sums, sums, memory_order_release);
    }
    if (at % SAMPLES_GROUP != 0 && start_ns != sampling->last_end_ns &&
        atomic_load_explicit(&page_at(chunk, at)->starts_ns, memory_order_relaxed) == NULL &&
        !page_spread(chunk, at, memory_bytes))
        return false;
    for (uint32_t i = 0; i < sampling->row.series; i++) {
        uint64_t complete = (index + 1) / SAMPLES_CHUNK;
        bool completes = (index + 1) % SAMPLES_CHUNK == 0;
        for (uint32_t level = 0; level < SAMPLES_LEVELS && completes; level++) {
            if (table_next(&sampling->series[i].nodes[level], memory_bytes) == NULL)
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
    if (starts_ns != NULL)
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
    if (own == NULL || duration_ns == 0 || start_ns < -SESSION_TIME_MAX_NS ||
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
