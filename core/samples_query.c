#include "core/samples_parts.h"

#include "core/lod.h"
#include "core/session_parts.h"

#include <math.h>

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

static uint64_t count_of(const struct sampling *sampling)
{
    return sampling == NULL ? 0 : atomic_load_explicit(&sampling->count, memory_order_acquire);
}

static int64_t start_of(const struct sampling *sampling, uint64_t index)
{
    return *(const int64_t *)table_at(&sampling->starts_ns, (uint32_t)index);
}

static int64_t end_of(const struct sampling *sampling, uint64_t index)
{
    return start_of(sampling, index) + *(const uint32_t *)table_at(&sampling->durations_ns, (uint32_t)index);
}

static float value_at(const struct sampling *sampling, const struct samples_series *series, uint64_t index)
{
    return samples_value(series, *(const float *)table_at(&series->numbers, (uint32_t)index),
                         *(const uint32_t *)table_at(&sampling->durations_ns, (uint32_t)index));
}

uint64_t sample_count(const struct session *session, uint32_t sampling)
{
    return count_of(sampling_of(session, sampling));
}

int64_t sample_start_ns(const struct session *session, uint32_t sampling, uint64_t index)
{
    const struct sampling *own = sampling_of(session, sampling);
    return index < count_of(own) ? start_of(own, index) : 0;
}

int64_t sample_end_ns(const struct session *session, uint32_t sampling, uint64_t index)
{
    const struct sampling *own = sampling_of(session, sampling);
    return index < count_of(own) ? end_of(own, index) : 0;
}

float sample_number(const struct session *session, uint32_t series, uint64_t index)
{
    const struct series_row *row = session_series(session, series);
    const struct sampling *own = row == NULL ? NULL : sampling_of(session, row->sampling);
    return index < count_of(own) ? *(const float *)table_at(&own->series[row->place].numbers, (uint32_t)index)
                                 : NAN;
}

float sample_value(const struct session *session, uint32_t series, uint64_t index)
{
    const struct series_row *row = session_series(session, series);
    const struct sampling *own = row == NULL ? NULL : sampling_of(session, row->sampling);
    return index < count_of(own) ? value_at(own, &own->series[row->place], index) : NAN;
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
/* First sample of [low, count) that ends after time_ns. Only the last that starts at time_ns or before can.
 */
static uint64_t find(const struct sampling *sampling, uint64_t low, uint64_t count, int64_t time_ns)
{
    uint64_t first = low, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (start_of(sampling, middle) <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first && end_of(sampling, low - 1) > time_ns ? low - 1 : low;
}

uint64_t sample_find(const struct session *session, uint32_t sampling, int64_t time_ns)
{
    const struct sampling *own = sampling_of(session, sampling);
    return own == NULL ? 0 : find(own, 0, count_of(own), time_ns);
}

void samples_cut(const struct session *session, uint32_t sampling, int64_t start_ns, int64_t end_ns,
                 uint64_t *edges, size_t count)
{
    const struct sampling *own = sampling_of(session, sampling);
    uint64_t samples = count_of(own), low = 0;
    for (size_t k = 0; k <= count; k++) {
        if (samples > 0 && end_ns > start_ns)
            low = find(own, low, samples, lod_column_start_ns(start_ns, end_ns, count, k));
        edges[k] = low;
    }
}

/* ---- columns ---- */
static void take(struct samples_node *sum, float value, int64_t ns)
{
    if (isnan(value) || ns <= 0)
        return;
    sum->sum += (double)value * (double)ns;
    sum->covered_ns += ns;
    sum->least = fminf(sum->least, value);
    sum->most = fmaxf(sum->most, value);
}

static void take_samples(struct samples_node *sum, const struct sampling *sampling,
                         const struct samples_series *series, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i++)
        take(sum, value_at(sampling, series, i),
             *(const uint32_t *)table_at(&sampling->durations_ns, (uint32_t)i));
}

static void take_nodes(struct samples_node *sum, const struct table *nodes, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i++) {
        const struct samples_node *node = table_at(nodes, (uint32_t)i);
        sum->sum += node->sum;
        sum->covered_ns += node->covered_ns;
        sum->least = fminf(sum->least, node->least);
        sum->most = fmaxf(sum->most, node->most);
    }
}

static uint64_t round_up(uint64_t value)
{
    return (value + SAMPLES_FANOUT - 1) / SAMPLES_FANOUT * SAMPLES_FANOUT;
}

/* Whole samples: those at the edges one by one, what lies between by nodes, level by level. */
static void take_whole(struct samples_node *sum, const struct sampling *sampling,
                       const struct samples_series *series, uint64_t first, uint64_t end)
{
    if (round_up(first) >= end / SAMPLES_FANOUT * SAMPLES_FANOUT) {
        take_samples(sum, sampling, series, first, end);
        return;
    }
    take_samples(sum, sampling, series, first, round_up(first));
    take_samples(sum, sampling, series, end / SAMPLES_FANOUT * SAMPLES_FANOUT, end);
    first = round_up(first) / SAMPLES_FANOUT;
    end /= SAMPLES_FANOUT;
    for (uint32_t level = 0; first < end; level++) {
        uint64_t left = end, right = end;
        if (level < SAMPLES_LEVELS - 1 && round_up(first) < end / SAMPLES_FANOUT * SAMPLES_FANOUT) {
            left = round_up(first);
            right = end / SAMPLES_FANOUT * SAMPLES_FANOUT;
        }
        take_nodes(sum, &series->nodes[level], first, left);
        take_nodes(sum, &series->nodes[level], right, end);
        first = left / SAMPLES_FANOUT;
        end = left == right ? first : right / SAMPLES_FANOUT;
    }
}

/* The samples [first, end) clipped to [from_ns, to_ns): only the first and the last can stick out. */
static struct sample_column column_of(const struct sampling *sampling, const struct samples_series *series,
                                      uint64_t first, uint64_t end, int64_t from_ns, int64_t to_ns)
{
    struct samples_node sum = {.least = INFINITY, .most = -INFINITY};
    uint64_t inner = first, inner_end = end;
    if (start_of(sampling, first) < from_ns || end_of(sampling, first) > to_ns) {
        int64_t start_ns = start_of(sampling, first), end_ns = end_of(sampling, first);
        take(&sum, value_at(sampling, series, first),
             (end_ns < to_ns ? end_ns : to_ns) - (start_ns > from_ns ? start_ns : from_ns));
        inner++;
    }
    if (inner < inner_end && end_of(sampling, inner_end - 1) > to_ns) {
        inner_end--;
        take(&sum, value_at(sampling, series, inner_end), to_ns - start_of(sampling, inner_end));
    }
    take_whole(&sum, sampling, series, inner, inner_end);
    if (sum.covered_ns == 0)
        return (struct sample_column){
            .mean = NAN, .least = NAN, .most = NAN, .first = first, .count = end - first};
    return (struct sample_column){.mean = sum.sum / (double)sum.covered_ns,
                                  .least = sum.least,
                                  .most = sum.most,
                                  .covered_ns = sum.covered_ns,
                                  .first = first,
                                  .count = end - first};
}

void samples_columns(const struct session *session, uint32_t series, int64_t start_ns, int64_t end_ns,
                     const uint64_t *edges, struct sample_column *columns, size_t count)
{
    static const struct sample_column blank = {.mean = NAN, .least = NAN, .most = NAN};
    const struct series_row *row = session_series(session, series);
    const struct sampling *sampling = row == NULL ? NULL : sampling_of(session, row->sampling);
    uint64_t samples = count_of(sampling);
    for (size_t k = 0; k < count; k++) {
        columns[k] = blank;
        if (samples == 0 || end_ns <= start_ns)
            continue;
        int64_t from_ns = lod_column_start_ns(start_ns, end_ns, count, k);
        int64_t to_ns = lod_column_start_ns(start_ns, end_ns, count, k + 1);
        uint64_t first = edges[k], end = edges[k + 1];
        if (end < samples && start_of(sampling, end) < to_ns)
            end++;
        if (first < end && from_ns < to_ns)
            columns[k] = column_of(sampling, &sampling->series[row->place], first, end, from_ns, to_ns);
    }
}

struct sample_column samples_over(const struct session *session, uint32_t series, int64_t start_ns,
                                  int64_t end_ns)
{
    const struct series_row *row = session_series(session, series);
    struct sample_column column;
    uint64_t edges[2] = {0, 0};
    if (row != NULL)
        samples_cut(session, row->sampling, start_ns, end_ns, edges, 1);
    samples_columns(session, series, start_ns, end_ns, edges, &column, 1);
    return column;
}
