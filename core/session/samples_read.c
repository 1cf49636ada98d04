/* SPDX-License-Identifier: Apache-2.0 */
/* Samples one by one. Of those whose detail has left memory, the parts of their unit: laid out evenly over
 * its time, each with its mean. */
#include "core/session/samples_internal.h"

#include "core/session/lod.h"

#include <string.h>

const struct sampling *sampling_of(const struct session *session, uint32_t sampling)
{
    return sampling < table_count(&session->samplings) ? table_at(&session->samplings, sampling) : NULL;
}

uint32_t sampling_count(const struct session *session)
{
    return table_count(&session->samplings);
}

const struct sampling_row *sampling_at(const struct session *session, uint32_t sampling)
{
    const struct sampling *own = sampling_of(session, sampling);
    return !own ? NULL : &own->row;
}

/* NULL: 0 */
static uint64_t samples_count_of(const struct sampling *sampling)
{
    return !sampling ? 0 : atomic_load_explicit(&sampling->count, memory_order_acquire);
}

uint64_t sample_count(const struct session *session, uint32_t sampling)
{
    return samples_count_of(sampling_of(session, sampling));
}

/* ---- in a chunk ---- */
int64_t samples_start_at(const struct samples_chunk *chunk, uint32_t at)
{
    const struct samples_page *page = samples_page_of(chunk, at);
    const int64_t *starts_ns = atomic_load_explicit(&page->starts_ns, memory_order_acquire);
    at %= SAMPLES_PAGE;
    if (starts_ns)
        return starts_ns[at];
    int64_t start_ns = page->group_starts_ns[at / SAMPLES_GROUP];
    for (uint32_t i = at / SAMPLES_GROUP * SAMPLES_GROUP; i < at; i++)
        start_ns += page->durations_ns[i];
    return start_ns;
}

/* The last unit whose start, as a sample's index or in ns, is not after `key`; the first unit if there is
 * none. */
static inline uint32_t last_unit(const struct samples_folds *folds, bool in_ns, int64_t key)
{
    uint32_t low = 0, high = folds->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        const struct samples_unit *unit = &folds->units[middle];
        if ((in_ns ? unit->start_ns : (int64_t)unit->first) <= key)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The unit that the sample at this index of the chunk is part of. */
static uint32_t samples_unit_of(const struct samples_folds *folds, uint32_t at)
{
    return last_unit(folds, false, at);
}

/* The last unit that starts at time_ns or before; 0 if there is none. */
static uint32_t samples_unit_at(const struct samples_folds *folds, int64_t time_ns)
{
    return last_unit(folds, true, time_ns);
}

/* The start of the nth part of a unit. A unit is shorter than 2^44 ns and has at most 2^12 parts. */
static int64_t part_start_ns(const struct samples_folds *folds, uint32_t unit, uint32_t nth)
{
    const struct samples_unit *own = &folds->units[unit];
    return own->start_ns + (own->end_ns - own->start_ns) * nth / samples_unit_samples(folds, unit);
}

struct place {
    const struct samples_chunk *chunk;
    const struct samples_folds *folds;
    uint32_t at, unit;
};

static struct place place_of(const struct sampling *sampling, uint64_t index)
{
    struct place place = {.chunk = samples_chunk_at(sampling, index / SAMPLES_CHUNK),
                          .at = (uint32_t)(index % SAMPLES_CHUNK)};
    place.folds = samples_folds_of(place.chunk);
    if (place.folds)
        place.unit = samples_unit_of(place.folds, place.at);
    return place;
}

static int64_t place_start_ns(const struct place *place)
{
    return !place->folds
               ? samples_start_at(place->chunk, place->at)
               : part_start_ns(place->folds, place->unit, place->at - place->folds->units[place->unit].first);
}

static int64_t place_end_ns(const struct place *place)
{
    return !place->folds
               ? samples_start_at(place->chunk, place->at) + samples_duration_at(place->chunk, place->at)
               : part_start_ns(place->folds, place->unit,
                               place->at - place->folds->units[place->unit].first + 1);
}

static int64_t samples_start_of(const struct sampling *sampling, uint64_t index)
{
    struct place place = place_of(sampling, index);
    return place_start_ns(&place);
}

static int64_t samples_end_of(const struct sampling *sampling, uint64_t index)
{
    struct place place = place_of(sampling, index);
    return place_end_ns(&place);
}

int64_t sample_start_ns(const struct session *session, uint32_t sampling, uint64_t index)
{
    const struct sampling *own = sampling_of(session, sampling);
    return index < samples_count_of(own) ? samples_start_of(own, index) : 0;
}

int64_t sample_end_ns(const struct session *session, uint32_t sampling, uint64_t index)
{
    const struct sampling *own = sampling_of(session, sampling);
    return index < samples_count_of(own) ? samples_end_of(own, index) : 0;
}

struct sample_span sample_span(const struct session *session, uint32_t sampling, uint64_t index)
{
    const struct sampling *own = sampling_of(session, sampling);
    if (index >= samples_count_of(own))
        return (struct sample_span){.first = index};
    struct place place = place_of(own, index);
    if (!place.folds)
        return (struct sample_span){
            .first = index, .count = 1, .start_ns = place_start_ns(&place), .end_ns = place_end_ns(&place)};
    const struct samples_unit *unit = &place.folds->units[place.unit];
    return (struct sample_span){.first = index - (place.at - unit->first),
                                .count = samples_unit_samples(place.folds, place.unit),
                                .start_ns = unit->start_ns,
                                .end_ns = unit->end_ns};
}

/* Returns the number; *value is its value at each moment. */
static float number_of(const struct session *session, uint32_t series, uint64_t index, float *value)
{
    const struct series_row *row = session_series(session, series);
    const struct sampling *own = !row ? NULL : sampling_of(session, row->sampling);
    *value = NAN;
    if (index >= samples_count_of(own))
        return NAN;
    const struct samples_series *column = &own->series[row->place];
    struct place place = place_of(own, index);
    if (place.folds) {
        const struct samples_node *node = &samples_unit_nodes(place.folds, row->place)[place.unit];
        if (node->covered_ns == 0)
            return NAN;
        double mean = node->sum / (double)node->covered_ns;
        *value = (float)mean;
        return (float)(column->counted ? mean * (double)(place_end_ns(&place) - place_start_ns(&place)) / 1e9
                                       : mean);
    }
    const struct samples_page *page = samples_page_of(place.chunk, place.at);
    float number = samples_page_numbers(page, own->row.series, row->place)[place.at % SAMPLES_PAGE];
    *value = samples_value(column, number, page->durations_ns[place.at % SAMPLES_PAGE]);
    return number;
}

float sample_number(const struct session *session, uint32_t series, uint64_t index)
{
    float value;
    return number_of(session, series, index, &value);
}

float sample_value(const struct session *session, uint32_t series, uint64_t index)
{
    float value;
    number_of(session, series, index, &value);
    return value;
}

void samples_lost(const struct session *session, struct samples_lost *lost)
{
    *lost = (struct samples_lost){
        .cut = atomic_load_explicit(&session->samples_cut, memory_order_relaxed),
        .late = atomic_load_explicit(&session->samples_late, memory_order_relaxed),
        .refused = atomic_load_explicit(&session->samples_refused, memory_order_relaxed),
    };
}

/* ---- finding ---- */
/* The first of the chunk's `count` samples that ends after time_ns; count if there is none. */
static uint32_t find_sample(const struct samples_chunk *chunk, uint32_t count, int64_t time_ns)
{
    uint32_t low = 0, high = (count + SAMPLES_GROUP - 1) / SAMPLES_GROUP;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        const struct samples_page *page = samples_page_of(chunk, middle * SAMPLES_GROUP);
        if (page->group_starts_ns[middle % SAMPLES_GROUPS] <= time_ns)
            low = middle;
        else
            high = middle;
    }
    uint32_t at = low * SAMPLES_GROUP, end = at + SAMPLES_GROUP < count ? at + SAMPLES_GROUP : count;
    while (at < end && samples_start_at(chunk, at) + samples_duration_at(chunk, at) <= time_ns)
        at++;
    return at;
}

static uint32_t find_part(const struct samples_folds *folds, int64_t time_ns)
{
    uint32_t unit = samples_unit_at(folds, time_ns);
    const struct samples_unit *own = &folds->units[unit];
    uint32_t samples = samples_unit_samples(folds, unit);
    if (time_ns >= own->end_ns)
        return own->first + samples;
    if (time_ns < own->start_ns)
        return own->first;
    uint32_t nth = (uint32_t)((time_ns - own->start_ns) * samples / (own->end_ns - own->start_ns));
    while (part_start_ns(folds, unit, nth + 1) <= time_ns)
        nth++;
    return own->first + nth;
}

/* The first sample of [low, count) that ends after time_ns; count if there is none. */
static uint64_t samples_find(const struct sampling *sampling, uint64_t low, uint64_t count, int64_t time_ns)
{
    if (low >= count)
        return count;
    uint64_t chunk = low / SAMPLES_CHUNK, end = (count - 1) / SAMPLES_CHUNK + 1;
    while (end - chunk > 1) {
        uint64_t middle = chunk + (end - chunk) / 2;
        if (samples_chunk_at(sampling, middle)->start_ns <= time_ns)
            chunk = middle;
        else
            end = middle;
    }
    const struct samples_chunk *there = samples_chunk_at(sampling, chunk);
    const struct samples_folds *folds = samples_folds_of(there);
    uint64_t first = chunk * SAMPLES_CHUNK;
    uint32_t most = count - first < SAMPLES_CHUNK ? (uint32_t)(count - first) : SAMPLES_CHUNK;
    uint64_t found = first + (folds ? find_part(folds, time_ns) : find_sample(there, most, time_ns));
    return found < low ? low : found;
}

uint64_t sample_find(const struct session *session, uint32_t sampling, int64_t time_ns)
{
    const struct sampling *own = sampling_of(session, sampling);
    return !own ? 0 : samples_find(own, 0, samples_count_of(own), time_ns);
}

/* ---- questions ---- */

/* Whose samples they are, and samples in columns. */

__extension__ typedef __int128 wide;

/* ---- whose they are ---- */
static const struct device_info *info_of(const struct session *session, uint32_t device)
{
    const struct device_row *row = session_device(session, device);
    return !row ? NULL : &row->info;
}

bool series_same_device(const struct session *session, const struct series_row *row, uint32_t device,
                        uint32_t process)
{
    static const uint8_t none[16];
    const struct device_info *x = info_of(session, row->device), *y = info_of(session, device);
    if (!x || !y || memcmp(x->uuid, none, sizeof none) == 0)
        return row->device == device && row->process == process;
    return memcmp(x->uuid, y->uuid, sizeof x->uuid) == 0;
}

bool series_is_of_run(const struct session *session, const struct series_row *row, uint32_t run)
{
    const struct run_row *of = session_run(session, run);
    uint32_t devices = session_device_count(session);
    bool known = false;
    if (!of || row->clock != of->clock)
        return false;
    if (row->process == of->process)
        return true;
    if (row->clock == CLOCK_MODEL) /* nobody else looks at a model */
        return false;
    for (uint32_t i = 0; i < devices; i++) {
        if (session_device(session, i)->process != of->process)
            continue;
        known = true;
        if (series_same_device(session, row, i, of->process))
            return true;
    }
    return !known;
}

/* ---- columns ---- */
void samples_cut(const struct session *session, uint32_t sampling, int64_t start_ns, int64_t end_ns,
                 uint64_t *edges, size_t count)
{
    const struct sampling *own = sampling_of(session, sampling);
    uint64_t samples = samples_count_of(own), low = 0;
    for (size_t k = 0; k <= count; k++) {
        if (samples > 0 && end_ns > start_ns)
            low = samples_find(own, low, samples, lod_column_start_ns(start_ns, end_ns, count, k));
        edges[k] = low;
    }
}

/* A query: the values of a series in [from_ns, to_ns). */
struct query {
    const struct sampling *sampling;
    uint32_t place;
    int64_t from_ns, to_ns;
    struct samples_node sum;
};

/* ---- a chunk whose samples are there ---- */
static float value_at(const struct query *query, const struct samples_chunk *chunk, uint32_t at)
{
    const struct samples_page *page = samples_page_of(chunk, at);
    const float *numbers = samples_page_numbers(page, query->sampling->row.series, query->place);
    return samples_value(&query->sampling->series[query->place], numbers[at % SAMPLES_PAGE],
                         page->durations_ns[at % SAMPLES_PAGE]);
}

/* Adds the part of a sample that is within the query's time. */
static void take_clipped(struct query *query, const struct samples_chunk *chunk, uint32_t at)
{
    int64_t start_ns = samples_start_at(chunk, at), end_ns = start_ns + samples_duration_at(chunk, at);
    samples_node_take(&query->sum, value_at(query, chunk, at),
                      (end_ns < query->to_ns ? end_ns : query->to_ns) -
                          (start_ns > query->from_ns ? start_ns : query->from_ns));
}

/* Adds samples [at, end) of the chunk: the first and the last may extend past the query's time; those between
 * are added by nodes. */
static void take_samples(struct query *query, const struct samples_chunk *chunk, uint32_t at, uint32_t end)
{
    take_clipped(query, chunk, at++);
    if (at < end)
        take_clipped(query, chunk, --end);
    while (at < end) {
        const struct samples_page *page = samples_page_of(chunk, at);
        const struct samples_node *nodes = samples_page_nodes(page, query->place);
        if (at % SAMPLES_PAGE == 0 && at + SAMPLES_PAGE <= end) {
            samples_node_merge(&query->sum, &samples_sums_of(chunk, query->place)[at / SAMPLES_PAGE]);
            at += SAMPLES_PAGE;
        } else if (at % SAMPLES_GROUP == 0 && at + SAMPLES_GROUP <= end) {
            samples_node_merge(&query->sum, &nodes[at % SAMPLES_PAGE / SAMPLES_GROUP]);
            at += SAMPLES_GROUP;
        } else {
            samples_node_take(&query->sum, value_at(query, chunk, at), page->durations_ns[at % SAMPLES_PAGE]);
            at++;
        }
    }
}

/* ---- a folded one ---- */
/* How much of a unit is covered before a time, if spread evenly: the parts of a unit add up to it. */
static int64_t covered_before_ns(const struct samples_unit *unit, int64_t covered_ns, int64_t time_ns)
{
    if (time_ns <= unit->start_ns)
        return 0;
    if (time_ns >= unit->end_ns)
        return covered_ns;
    return (int64_t)((wide)covered_ns * (time_ns - unit->start_ns) / (unit->end_ns - unit->start_ns));
}

static void take_unit(struct query *query, const struct samples_unit *unit, const struct samples_node *node)
{
    int64_t covered_ns = covered_before_ns(unit, node->covered_ns, query->to_ns) -
                         covered_before_ns(unit, node->covered_ns, query->from_ns);
    if (covered_ns == node->covered_ns) {
        samples_node_merge(&query->sum, node);
        return;
    }
    if (covered_ns == 0)
        return;
    struct samples_node part = *node;
    part.sum *= (double)covered_ns / (double)node->covered_ns;
    part.covered_ns = covered_ns;
    samples_node_merge(&query->sum, &part);
}

static void take_units(struct query *query, const struct samples_chunk *chunk,
                       const struct samples_folds *folds)
{
    const struct samples_node *pages = samples_has_pages(folds) ? samples_sums_of(chunk, query->place) : NULL;
    const struct samples_node *nodes = samples_unit_nodes(folds, query->place);
    uint32_t unit = samples_unit_at(folds, query->from_ns);
    while (unit < folds->count && folds->units[unit].start_ns < query->to_ns) {
        uint32_t page = folds->units[unit].first / SAMPLES_PAGE;
        if (pages && folds->page_units[page] == unit && folds->units[unit].start_ns >= query->from_ns &&
            folds->units[folds->page_units[page + 1] - 1].end_ns <= query->to_ns) {
            samples_node_merge(&query->sum, &pages[page]);
            unit = folds->page_units[page + 1];
            continue;
        }
        take_unit(query, &folds->units[unit], &nodes[unit]);
        unit++;
    }
}

/* ---- all ---- */
static void take_part(struct query *query, uint64_t first, uint64_t end)
{
    const struct samples_chunk *chunk = samples_chunk_at(query->sampling, first / SAMPLES_CHUNK);
    const struct samples_folds *folds = samples_folds_of(chunk);
    if (folds)
        take_units(query, chunk, folds);
    else
        take_samples(query, chunk, (uint32_t)(first % SAMPLES_CHUNK),
                     (uint32_t)((end - 1) % SAMPLES_CHUNK) + 1);
}

/* Adds whole chunks, by nodes that are as large as possible. */
static void take_chunks(struct query *query, uint64_t chunk, uint64_t end)
{
    const struct table *levels = query->sampling->series[query->place].nodes;
    while (chunk < end) {
        uint64_t index = chunk, size = 1;
        uint32_t level = 0;
        while (level + 1 < SAMPLES_LEVELS && index % SAMPLES_FANOUT == 0 &&
               chunk + size * SAMPLES_FANOUT <= end) {
            index /= SAMPLES_FANOUT;
            size *= SAMPLES_FANOUT;
            level++;
        }
        samples_node_merge(&query->sum, table_at(&levels[level], (uint32_t)index));
        chunk += size;
    }
}

/* Adds the samples [first, end); only the first and the last can extend past the query's time. */
static void take_range(struct query *query, uint64_t first, uint64_t end)
{
    uint64_t chunk = first / SAMPLES_CHUNK, end_chunk = (end - 1) / SAMPLES_CHUNK + 1;
    uint64_t whole = chunk, end_whole = end_chunk;
    if (first % SAMPLES_CHUNK != 0 || samples_start_of(query->sampling, first) < query->from_ns)
        whole++;
    if (end % SAMPLES_CHUNK != 0 || samples_end_of(query->sampling, end - 1) > query->to_ns)
        end_whole--;
    if (whole > end_whole || (whole == end_whole && end_chunk - chunk == 1)) {
        take_part(query, first, end); /* of one chunk */
        return;
    }
    if (whole > chunk)
        take_part(query, first, whole * SAMPLES_CHUNK);
    take_chunks(query, whole, end_whole);
    if (end_whole < end_chunk)
        take_part(query, end_whole * SAMPLES_CHUNK, end);
}

static struct sample_column column_of(const struct sampling *sampling, uint32_t place, uint64_t first,
                                      uint64_t end, int64_t from_ns, int64_t to_ns)
{
    struct query query = {
        .sampling = sampling, .place = place, .from_ns = from_ns, .to_ns = to_ns, .sum = SAMPLES_NODE_NONE};
    const struct samples_folds *folds = samples_folds_of(samples_chunk_at(sampling, first / SAMPLES_CHUNK));
    struct sample_column column = {.mean = NAN,
                                   .least = NAN,
                                   .most = NAN,
                                   .first = first,
                                   .count = end - first,
                                   .folded = folds ? 1u << folds->shift : 0};
    take_range(&query, first, end);
    if (query.sum.covered_ns == 0)
        return column;
    column.mean = query.sum.sum / (double)query.sum.covered_ns;
    column.least = query.sum.least;
    column.most = query.sum.most;
    column.covered_ns = query.sum.covered_ns;
    return column;
}

void samples_columns(const struct session *session, uint32_t series, int64_t start_ns, int64_t end_ns,
                     const uint64_t *edges, struct sample_column *columns, size_t count)
{
    static const struct sample_column blank = {.mean = NAN, .least = NAN, .most = NAN};
    const struct series_row *row = session_series(session, series);
    const struct sampling *sampling = !row ? NULL : sampling_of(session, row->sampling);
    uint64_t samples = samples_count_of(sampling);
    for (size_t k = 0; k < count; k++) {
        columns[k] = blank;
        if (samples == 0 || end_ns <= start_ns)
            continue;
        int64_t from_ns = lod_column_start_ns(start_ns, end_ns, count, k);
        int64_t to_ns = lod_column_start_ns(start_ns, end_ns, count, k + 1);
        uint64_t first = edges[k], end = edges[k + 1];
        if (end < samples && samples_start_of(sampling, end) < to_ns)
            end++;
        if (first < end && from_ns < to_ns)
            columns[k] = column_of(sampling, row->place, first, end, from_ns, to_ns);
    }
}

struct sample_column samples_over(const struct session *session, uint32_t series, int64_t start_ns,
                                  int64_t end_ns)
{
    const struct series_row *row = session_series(session, series);
    struct sample_column column;
    uint64_t edges[2] = {0, 0};
    if (row)
        samples_cut(session, row->sampling, start_ns, end_ns, edges, 1);
    samples_columns(session, series, start_ns, end_ns, edges, &column, 1);
    return column;
}
