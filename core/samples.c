#include "core/samples_parts.h"

#include "core/series.h"
#include "core/session_parts.h"

#include <math.h>
#include <stdlib.h>

/* Rows of one block lie one after the other: the first block holds whole nodes. */
#define FIRST_SHIFT 6
_Static_assert((1u << FIRST_SHIFT) % SAMPLES_FANOUT == 0, "the samples of a node lie in one block");

void sampling_fini(struct sampling *sampling)
{
    for (uint32_t i = 0; i < sampling->row.series && sampling->series != NULL; i++) {
        table_fini(&sampling->series[i].numbers);
        for (uint32_t level = 0; level < SAMPLES_LEVELS; level++)
            table_fini(&sampling->series[i].nodes[level]);
    }
    table_fini(&sampling->starts_ns);
    table_fini(&sampling->durations_ns);
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
    atomic_init(&sampling->count, 0);
    table_init(&sampling->starts_ns, sizeof(int64_t), FIRST_SHIFT);
    table_init(&sampling->durations_ns, sizeof(uint32_t), FIRST_SHIFT);
    for (uint32_t i = 0; i < row->series; i++) {
        table_init(&sampling->series[i].numbers, sizeof(float), FIRST_SHIFT);
        for (uint32_t level = 0; level < SAMPLES_LEVELS; level++)
            table_init(&sampling->series[i].nodes[level], sizeof(struct samples_node), 4);
    }
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
/* Whether all memory is there that the sample at index and the nodes it completes need. */
static bool reserve(struct sampling *sampling, uint64_t index, _Atomic size_t *memory_bytes)
{
    if (table_next(&sampling->starts_ns, memory_bytes) == NULL ||
        table_next(&sampling->durations_ns, memory_bytes) == NULL)
        return false;
    for (uint32_t i = 0; i < sampling->row.series; i++) {
        struct samples_series *series = &sampling->series[i];
        uint64_t complete = index + 1;
        if (table_next(&series->numbers, memory_bytes) == NULL)
            return false;
        for (uint32_t level = 0; level < SAMPLES_LEVELS && complete % SAMPLES_FANOUT == 0; level++) {
            complete /= SAMPLES_FANOUT;
            if (table_next(&series->nodes[level], memory_bytes) == NULL)
                return false;
        }
    }
    return true;
}

/* The node over the samples from `first` on. */
static struct samples_node node_over_samples(const struct sampling *sampling,
                                             const struct samples_series *series, uint32_t first)
{
    const float *numbers = table_at(&series->numbers, first);
    const uint32_t *durations_ns = table_at(&sampling->durations_ns, first);
    struct samples_node node = {.least = INFINITY, .most = -INFINITY};
    for (uint32_t i = 0; i < SAMPLES_FANOUT; i++) {
        float value = samples_value(series, numbers[i], durations_ns[i]);
        if (isnan(value))
            continue;
        node.sum += (double)value * durations_ns[i];
        node.covered_ns += durations_ns[i];
        node.least = fminf(node.least, value);
        node.most = fmaxf(node.most, value);
    }
    return node;
}

static struct samples_node node_over_nodes(const struct table *below, uint32_t first)
{
    const struct samples_node *parts = table_at(below, first);
    struct samples_node node = {.least = INFINITY, .most = -INFINITY};
    for (uint32_t i = 0; i < SAMPLES_FANOUT; i++) {
        node.sum += parts[i].sum;
        node.covered_ns += parts[i].covered_ns;
        node.least = fminf(node.least, parts[i].least);
        node.most = fmaxf(node.most, parts[i].most);
    }
    return node;
}

/* Makes the nodes that the sample at index, the last one, completes. */
static void nodes_add(const struct sampling *sampling, struct samples_series *series, uint64_t index)
{
    uint64_t complete = index + 1;
    for (uint32_t level = 0; level < SAMPLES_LEVELS && complete % SAMPLES_FANOUT == 0; level++) {
        uint32_t first = (uint32_t)(complete - SAMPLES_FANOUT);
        struct table *nodes = &series->nodes[level];
        *(struct samples_node *)table_at(nodes, table_count(nodes)) =
            level == 0 ? node_over_samples(sampling, series, first)
                       : node_over_nodes(&series->nodes[level - 1], first);
        table_publish(nodes);
        complete /= SAMPLES_FANOUT;
    }
}

static void append(struct sampling *sampling, int64_t start_ns, uint32_t duration_ns, const float *numbers)
{
    uint64_t index = atomic_load_explicit(&sampling->count, memory_order_relaxed);
    *(int64_t *)table_at(&sampling->starts_ns, (uint32_t)index) = start_ns;
    *(uint32_t *)table_at(&sampling->durations_ns, (uint32_t)index) = duration_ns;
    table_publish(&sampling->starts_ns);
    table_publish(&sampling->durations_ns);
    for (uint32_t i = 0; i < sampling->row.series; i++) {
        struct samples_series *series = &sampling->series[i];
        *(float *)table_at(&series->numbers, (uint32_t)index) = isfinite(numbers[i]) ? numbers[i] : NAN;
        table_publish(&series->numbers);
        nodes_add(sampling, series, index);
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
    if (!reserve(own, atomic_load_explicit(&own->count, memory_order_relaxed), &session->memory_bytes)) {
        counter_add(&session->no_memory, 1);
        return SAMPLE_NO_MEMORY;
    }
    if (result == SAMPLE_CUT)
        counter_add(&session->samples_cut, 1);
    append(own, start_ns, (uint32_t)(end_ns - start_ns), numbers);
    session_see(session, own->row.clock, start_ns, end_ns);
    return result;
}
