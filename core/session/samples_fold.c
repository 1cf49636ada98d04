/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of samples whose detail has left memory. */
#include "core/session/samples_internal.h"

#include <stdlib.h>

/* The elements that a chunk holds now: samples, or units of samples. */
struct element {
    int64_t start_ns, end_ns;
    uint32_t first; /* sample, in the chunk */
};

static struct element element_at(const struct samples_chunk *chunk, const struct samples_folds *from,
                                 uint32_t i)
{
    if (from)
        return (struct element){from->units[i].start_ns, from->units[i].end_ns, from->units[i].first};
    int64_t start_ns = samples_start_at(chunk, i);
    return (struct element){start_ns, start_ns + samples_duration_at(chunk, i), i};
}

static void element_take(struct samples_node *into, const struct sampling *sampling,
                         const struct samples_chunk *chunk, const struct samples_folds *from, uint32_t place,
                         uint32_t i)
{
    if (from) {
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
    uint32_t elements = from ? from->count : SAMPLES_CHUNK, count = 0, first = 0;
    int64_t end_ns = 0;
    for (uint32_t i = 0; i < elements; i++) {
        struct element element = element_at(chunk, from, i);
        if (i == 0 || element.first >> shift != first >> shift || element.start_ns != end_ns) {
            first = element.first;
            if (units)
                units[count] = (struct samples_unit){.start_ns = element.start_ns, .first = first};
            count++;
        }
        end_ns = element.end_ns;
        if (units)
            units[count - 1].end_ns = end_ns;
    }
    return count;
}

static void fill_folds(struct samples_folds *folds, struct samples_node *nodes,
                       const struct sampling *sampling, const struct samples_chunk *chunk,
                       const struct samples_folds *from)
{
    uint32_t elements = from ? from->count : SAMPLES_CHUNK;
    for (uint32_t place = 0; place < sampling->row.series; place++) {
        struct samples_node *of = nodes + (size_t)place * folds->count;
        for (uint32_t i = 0, unit = 0; i < elements; i++) {
            uint32_t first = from ? from->units[i].first : i;
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
    *no_memory = smaller && !folds;
    if (!folds)
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
    size_t bytes = !folds || samples_has_pages(folds) ? samples_sums_bytes(sampling) : 0;
    if (folds)
        return folds->retired.bytes + bytes;
    for (uint32_t page = 0; page < SAMPLES_PAGES; page++) {
        const struct samples_page *there = samples_page_of(chunk, page * SAMPLES_PAGE);
        bool spread = atomic_load_explicit(&there->starts_ns, memory_order_relaxed) != NULL;
        bytes += samples_page_bytes(sampling) + (spread ? SAMPLES_PAGE_STARTS_BYTES : 0);
    }
    return bytes;
}

/* ---- writer ---- */
void samples_page_free(struct retired *retired)
{
    struct samples_page *page = (struct samples_page *)(void *)retired; /* its first member */
    free(atomic_load_explicit(&page->starts_ns, memory_order_relaxed));
    free(page);
}

void samples_chunk_full(struct session *session, const struct sampling *sampling, uint64_t chunk)
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
    struct element last = element_at(there, folds, folds ? folds->count - 1 : SAMPLES_CHUNK - 1);
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
    if (!folds) {
        held[step + 1] += bytes;
        return true;
    }
    atomic_fetch_add_explicit(&session->memory_bytes, folds->retired.bytes, memory_order_relaxed);
    atomic_store_explicit(&chunk->folds, folds, memory_order_release);
    held[step + 1] += chunk_bytes(sampling, chunk);
    if (!samples_has_pages(folds) && (!before || samples_has_pages(before))) {
        struct samples_sums *sums = atomic_load_explicit(&chunk->sums, memory_order_relaxed);
        sums->retired = (struct retired){.bytes = samples_sums_bytes(sampling), .release = retired_free};
        session_retire(session, &sums->retired);
    }
    if (before)
        session_retire(session, &before->retired);
    else
        retire_pages(session, sampling, chunk);
    return true;
}
