/* Samples one by one. Of those whose detail has left memory, the parts of their unit: laid out evenly over
 * its time, each with its mean. */
#include "core/session/samples_internal.h"

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
    return own == NULL ? NULL : &own->row;
}

uint64_t samples_count_of(const struct sampling *sampling)
{
    return sampling == NULL ? 0 : atomic_load_explicit(&sampling->count, memory_order_acquire);
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
    if (starts_ns != NULL)
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

uint32_t samples_unit_of(const struct samples_folds *folds, uint32_t at)
{
    return last_unit(folds, false, at);
}

uint32_t samples_unit_at(const struct samples_folds *folds, int64_t time_ns)
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
    if (place.folds != NULL)
        place.unit = samples_unit_of(place.folds, place.at);
    return place;
}

static int64_t place_start_ns(const struct place *place)
{
    return place->folds == NULL
               ? samples_start_at(place->chunk, place->at)
               : part_start_ns(place->folds, place->unit, place->at - place->folds->units[place->unit].first);
}

static int64_t place_end_ns(const struct place *place)
{
    return place->folds == NULL
               ? samples_start_at(place->chunk, place->at) + samples_duration_at(place->chunk, place->at)
               : part_start_ns(place->folds, place->unit,
                               place->at - place->folds->units[place->unit].first + 1);
}

int64_t samples_start_of(const struct sampling *sampling, uint64_t index)
{
    struct place place = place_of(sampling, index);
    return place_start_ns(&place);
}

int64_t samples_end_of(const struct sampling *sampling, uint64_t index)
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
    if (place.folds == NULL)
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
    const struct sampling *own = row == NULL ? NULL : sampling_of(session, row->sampling);
    *value = NAN;
    if (index >= samples_count_of(own))
        return NAN;
    const struct samples_series *column = &own->series[row->place];
    struct place place = place_of(own, index);
    if (place.folds != NULL) {
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

uint64_t samples_find(const struct sampling *sampling, uint64_t low, uint64_t count, int64_t time_ns)
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
    uint64_t found = first + (folds != NULL ? find_part(folds, time_ns) : find_sample(there, most, time_ns));
    return found < low ? low : found;
}

uint64_t sample_find(const struct session *session, uint32_t sampling, int64_t time_ns)
{
    const struct sampling *own = sampling_of(session, sampling);
    return own == NULL ? 0 : samples_find(own, 0, samples_count_of(own), time_ns);
}
