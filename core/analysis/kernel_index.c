/* SPDX-License-Identifier: Apache-2.0 */
/* The rows are sorted so that those of one work lie together; durations and measurements lie in one array
 * each, by kernel. */
#include "core/analysis/kernel_index.h"

#include "core/analysis/kernel_sources.h"
#include "core/base/array.h"
#include "core/session/session_walk.h"

#include <stdlib.h>

/* A statistic that was asked for: lists, rules and reasons ask for the same ones of a kernel. */
struct known_statistic {
    uint64_t key; /* 0: none */
    struct kernel_statistic statistic;
};

#define STATISTICS_KNOWN 4096u

struct kernel_index {
    const struct session *session;
    struct known_statistic
        *known; /* by key % STATISTICS_KNOWN the last one; of the thread that asks, as the scratch */
    uint32_t count;
    struct kernel_sources (*sources)[2]; /* [kernel][on the model] */
    struct kernel_times *times;          /* of every kernel */
    double *durations, *calls;           /* durations of launches, by kernel, sorted within each kernel */
    uint64_t *first_launch;              /* where a kernel's begin in both */
    uint32_t *measurements;              /* rows, by kernel */
    uint32_t *first_measurement;         /* count + 1 of them */
    double *scratch; /* room for the numbers of one metric: as many as the kernel with the most measurements
                        has */
};

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct session *session = context;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    int order = kernel_compare_work(session, left, right);
    return order ? order : (left > right) - (left < right);
}

static const struct kernel_sources no_sources = {.rows = {NONE, NONE, NONE, NONE}};
_Static_assert(RUN_MODE_COUNT == 4, "no_sources has a NONE for every mode");

/* Enters the row for each mode that its run gives. */
static void place_row(const struct session *session, uint32_t row, struct kernel_sources sources[2])
{
    const struct run_row *run = session_run(session, session_kernel(session, row)->run);
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++)
        if (run_is_of(run, mode))
            sources[kernel_on_model(session, row)].rows[mode] = row;
}

/* Rows [first, end) of `order` are the same work. Each gets itself for its own mode, and the first row of
 * each other mode. */
static void join_work(struct kernel_index *index, const uint32_t *order, uint32_t first, uint32_t end)
{
    struct kernel_sources found[2] = {no_sources, no_sources}; /* [on the model] */
    for (uint32_t i = end; i > first; i--)
        place_row(index->session, order[i - 1], found);
    for (uint32_t i = first; i < end; i++) {
        struct kernel_sources *sources = index->sources[order[i]];
        sources[0] = found[0];
        sources[1] = found[1];
        place_row(index->session, order[i], sources);
        for (int model = 0; model < 2;
             model++) /* a work can have several lines runs; the first stands for all */
            sources[model].rows[RUN_LINES] = found[model].rows[RUN_LINES];
    }
}

/* The whole ones of the first `count` rows, sorted by work; returns how many. */
static uint32_t sort_rows(const struct session *session, uint32_t count, uint32_t *order)
{
    uint32_t whole = 0;
    for (uint32_t kernel = 0; kernel < count; kernel++)
        if (kernel_is_whole(session, kernel))
            order[whole++] = kernel;
    qsort_r(order, whole, sizeof *order, compare_rows, (void *)(uintptr_t)session);
    return whole;
}

/* The end of the work that begins at `first`. */
static uint32_t work_end(const struct session *session, const uint32_t *order, uint32_t whole, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < whole && kernel_compare_work(session, order[first], order[end]) == 0)
        end++;
    return end;
}

static enum status join_rows(struct kernel_index *index, struct error *error)
{
    uint32_t *order = malloc((index->count + 1) * sizeof *order);
    if (!order)
        return error_no_memory(error, "to look up the kernels' launches");
    for (uint32_t kernel = 0; kernel < index->count; kernel++)
        index->sources[kernel][0] = index->sources[kernel][1] = no_sources;
    uint32_t whole = sort_rows(index->session, index->count, order);
    for (uint32_t first = 0, end; first < whole; first = end) {
        end = work_end(index->session, order, whole, first);
        join_work(index, order, first, end);
    }
    free(order);
    return STATUS_OK;
}

/* ---- leaders ---- */

/* The first mode of a run of this row; rows on the model count as every mode. */
static enum run_mode first_mode(const struct session *session, uint32_t row)
{
    enum run_mode mode = RUN_TRACE;
    while (mode + 1 < RUN_MODE_COUNT &&
           !run_is_of(session_run(session, session_kernel(session, row)->run), mode))
        mode++;
    return mode;
}

/* Of rows [first, end) of `order`, the same work: all of the first mode that exists lead, but of lines runs
 * only the first. */
static void lead_work(const struct session *session, const uint32_t *order, uint32_t first, uint32_t end,
                      bool *leads)
{
    enum run_mode best[2] = {RUN_MODE_COUNT, RUN_MODE_COUNT}; /* [on the model] */
    for (uint32_t i = first; i < end; i++) {
        enum run_mode mode = first_mode(session, order[i]),
                      *least = &best[kernel_on_model(session, order[i])];
        *least = mode < *least ? mode : *least;
    }
    bool found[2] = {false, false};
    for (uint32_t i = first; i < end; i++) {
        bool model = kernel_on_model(session, order[i]),
             is_best = first_mode(session, order[i]) == best[model];
        leads[order[i]] = is_best && !(best[model] == RUN_LINES && found[model]);
        found[model] = found[model] || is_best;
    }
}

enum status kernel_find_leaders(const struct session *session, uint32_t count, bool *leads,
                                struct error *error)
{
    uint32_t *order = malloc((count + 1u) * sizeof *order);
    if (!order)
        return error_no_memory(error, "to look up the kernels");
    for (uint32_t kernel = 0; kernel < count; kernel++)
        leads[kernel] = true;
    uint32_t whole = sort_rows(session, count, order);
    for (uint32_t first = 0, end; first < whole; first = end) {
        end = work_end(session, order, whole, first);
        lead_work(session, order, first, end, leads);
    }
    free(order);
    return STATUS_OK;
}

/* ---- times ---- */
struct filling {
    uint32_t count; /* kernels */
    double *durations, *calls;
    uint64_t *at; /* where the next duration of a kernel goes */
    uint64_t *at_call;
    uint64_t *end;
};

static bool launch_fill(void *context, const struct walk_event *event)
{
    struct filling *filling = context;
    uint32_t kernel = event->item.launch.kernel;
    if (kernel < filling->count && filling->at[kernel] < filling->end[kernel]) {
        filling->durations[filling->at[kernel]++] = (double)(event->end_ns - event->start_ns);
        filling->at_call[kernel] +=
            kernel_launch_call(&event->item, &filling->calls[filling->at_call[kernel]]);
    }
    return true;
}

/* Sums come from the rows; medians only for kernels whose launches are all loaded. A damaged recording may
 * claim any number of launches. */
static enum status take_times(struct kernel_index *index, struct error *error)
{
    uint64_t all = session_launch_count(index->session), total = 0;
    index->durations = array_make(all + 1, sizeof(double));
    index->calls = array_make(all + 1, sizeof(double));
    index->first_launch = calloc(index->count + 1u, sizeof(uint64_t));
    struct filling filling = {.count = index->count,
                              .durations = index->durations,
                              .calls = index->calls,
                              .at_call = calloc(index->count + 1u, sizeof(uint64_t)),
                              .at = calloc(index->count + 1u, sizeof(uint64_t)),
                              .end = calloc(index->count + 1u, sizeof(uint64_t))};
    bool there = filling.durations && filling.calls && index->first_launch && filling.at && filling.at_call &&
                 filling.end;
    enum status status = there ? STATUS_OK : error_no_memory(error, "to look up the kernels' launches");
    for (uint32_t kernel = 0; status == STATUS_OK && kernel < index->count; kernel++) {
        index->times[kernel] = kernel_times(index->session, kernel, false);
        index->first_launch[kernel] = filling.at[kernel] = filling.at_call[kernel] = total;
        total += index->times[kernel].launches <= all - total ? index->times[kernel].launches : 0;
        filling.end[kernel] = total;
    }
    if (status == STATUS_OK) {
        session_walk(index->session,
                     &(struct walk){.run = NONE, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(LAUNCH)},
                     launch_fill, &filling);
    }
    for (uint32_t kernel = 0; status == STATUS_OK && kernel < index->count; kernel++) {
        uint64_t begin = index->first_launch[kernel], count = filling.end[kernel] - begin;
        if (count > 0 && filling.at[kernel] == filling.end[kernel]) {
            index->times[kernel].median_ns = (int64_t)kernel_median(filling.durations + begin, count);
            kernel_times_take_calls(&index->times[kernel], filling.calls + begin,
                                    filling.at_call[kernel] - begin);
        }
    }
    free(filling.at);
    free(filling.at_call);
    free(filling.end);
    return status;
}

/* ---- measurements ---- */
static enum status take_measurements(struct kernel_index *index, struct error *error)
{
    uint32_t count = session_measurement_count(index->session);
    index->measurements = calloc(count + 1u, sizeof *index->measurements);
    uint32_t *first = calloc(index->count + 2u, sizeof *first);
    index->first_measurement = first;
    if (!index->measurements || !first)
        return error_no_memory(error, "to look up the kernels' launches");
    /* Counts are stored two places further on: after the sums first[k + 1] is the beginning of kernel k, and
     * after k is filled it is its end. */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kernel = session_measurement(index->session, i)->kernel;
        if (kernel < index->count)
            first[kernel + 2]++;
    }
    uint32_t most = 0;
    for (uint32_t kernel = 0; kernel < index->count; kernel++) {
        most = first[kernel + 2] > most ? first[kernel + 2] : most;
        first[kernel + 2] += first[kernel + 1];
    }
    index->scratch = malloc((most + 1u) * sizeof *index->scratch);
    if (!index->scratch)
        return error_no_memory(error, "to look up the kernels' launches");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kernel = session_measurement(index->session, i)->kernel;
        if (kernel < index->count)
            index->measurements[first[kernel + 1]++] = i;
    }
    return STATUS_OK;
}

static void fill_sources(struct kernel_index *index)
{
    for (uint32_t kernel = 0; kernel < index->count; kernel++) {
        for (int model = 0; model < 2; model++) {
            struct kernel_sources *sources = &index->sources[kernel][model];
            sources->scratch = index->scratch;
            if (sources->rows[RUN_TRACE] != NONE)
                sources->times = index->times[sources->rows[RUN_TRACE]];
            for (enum run_mode mode = RUN_COUNTERS; mode < RUN_MODE_COUNT; mode++) {
                uint32_t row = sources->rows[mode];
                if (row != NONE) {
                    uint32_t begin = index->first_measurement[row];
                    sources->measured[mode] =
                        (struct kernel_measurements){.rows = index->measurements + begin,
                                                     .count = index->first_measurement[row + 1] - begin};
                }
            }
        }
    }
}

enum status kernel_index_create(struct kernel_index **index, const struct session *session,
                                struct error *error)
{
    struct kernel_index *made = calloc(1, sizeof *made);
    *index = NULL;
    if (!made)
        return error_no_memory(error, "to look up the kernels' launches");
    made->session = session;
    made->count = session_kernel_count(session);
    made->sources = calloc(made->count + 1u, sizeof *made->sources);
    made->times = calloc(made->count + 1u, sizeof *made->times);
    made->known = calloc(STATISTICS_KNOWN, sizeof *made->known);
    enum status status = made->sources && made->times && made->known
                             ? STATUS_OK
                             : error_no_memory(error, "to look up the kernels' launches");
    if (status == STATUS_OK)
        status = join_rows(made, error);
    if (status == STATUS_OK)
        status = take_times(made, error);
    if (status == STATUS_OK)
        status = take_measurements(made, error);
    if (status != STATUS_OK) {
        kernel_index_destroy(made);
        return status;
    }
    fill_sources(made);
    *index = made;
    return STATUS_OK;
}

void kernel_index_destroy(struct kernel_index *index)
{
    if (!index)
        return;
    free(index->known);
    free(index->sources);
    free(index->times);
    free(index->durations);
    free(index->calls);
    free(index->first_launch);
    free(index->measurements);
    free(index->first_measurement);
    free(index->scratch);
    free(index);
}

const struct session *kernel_index_session(const struct kernel_index *index)
{
    return index->session;
}

uint32_t kernel_index_count(const struct kernel_index *index)
{
    return index->count;
}

/* From a run of the kernel's own kind: on the model, or on a GPU. */
static const struct kernel_sources *own_sources(const struct kernel_index *index, uint32_t kernel)
{
    return kernel < index->count && kernel_is_whole(index->session, kernel)
               ? &index->sources[kernel][kernel_on_model(index->session, kernel)]
               : &no_sources;
}

uint32_t kernel_index_in_mode(const struct kernel_index *index, uint32_t kernel, enum run_mode mode)
{
    return own_sources(index, kernel)->rows[mode];
}

bool kernel_index_leads(const struct kernel_index *index, uint32_t kernel)
{
    const struct kernel_sources *sources = own_sources(index, kernel);
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++)
        if (sources->rows[mode] != NONE)
            return sources->rows[mode] == kernel;
    return true;
}

struct kernel_times kernel_index_times(const struct kernel_index *index, uint32_t kernel)
{
    uint32_t traced = kernel_index_in_mode(index, kernel, RUN_TRACE);
    return traced != NONE ? index->times[traced] : (struct kernel_times){0};
}

uint64_t kernel_index_measured(const struct kernel_index *index, uint32_t kernel)
{
    const struct kernel_sources *sources = own_sources(index, kernel);
    uint64_t most = 0;
    for (int mode = 0; mode < RUN_MODE_COUNT; mode++) {
        const struct kernel_row *row = session_kernel(index->session, sources->rows[mode]);
        uint64_t measured = row ? atomic_load_explicit(&row->measured_launches, memory_order_relaxed) : 0;
        most = measured > most ? measured : most;
    }
    return most;
}

uint32_t kernel_index_lender(const struct kernel_index *index, uint32_t kernel)
{
    const bool own = own_sources(index, kernel) == &no_sources || kernel_on_model(index->session, kernel) ||
                     kernel_index_measured(index, kernel) > 0;
    return own ? NONE : index->sources[kernel][true].rows[RUN_TRACE];
}

bool kernel_index_lends(const struct kernel_index *index, uint32_t kernel)
{
    const uint32_t traced =
        own_sources(index, kernel) == &no_sources || !kernel_on_model(index->session, kernel)
            ? NONE
            : index->sources[kernel][false].rows[RUN_TRACE];
    return traced != NONE && kernel_index_lender(index, traced) == kernel;
}

struct kernel_statistic kernel_index_statistic(const struct kernel_index *index, uint32_t kernel,
                                               enum metric metric, enum provenance provenance)
{
    if (kernel >= index->count || !kernel_is_whole(index->session, kernel) ||
        (unsigned)metric >= METRIC_COUNT)
        return kernel_statistic(index->session, kernel, metric, provenance);
    if (provenance == PROVENANCE_EXPECTED)
        return kernel_expected(index->session, kernel, metric);
    const bool model = provenance == PROVENANCE_MODELLED;
    const uint64_t key = ((uint64_t)kernel * 2 + model) * METRIC_COUNT + (unsigned)metric + 1;
    struct known_statistic *known = &index->known[key % STATISTICS_KNOWN];
    if (known->key != key) {
        known->statistic =
            kernel_statistic_of(index->session, &index->sources[kernel][model], metric, provenance);
        known->key = key;
    }
    return known->statistic;
}

/* The metric of each launch of a trace run's kernel. */
static size_t timed_samples(const struct kernel_index *index, uint32_t kernel, enum metric metric,
                            double *numbers)
{
    bool call = metric == METRIC_cputime;
    const struct kernel_times *times = &index->times[kernel];
    const double *ns = (call ? index->calls : index->durations) + index->first_launch[kernel];
    size_t found = 0;
    for (uint64_t i = 0; i < (call ? times->calls : times->launches); i++) {
        struct value value = kernel_timed_value(index->session, kernel, metric, ns[i]);
        if (value.available)
            numbers[found++] = value.number;
    }
    return found;
}

enum status kernel_index_samples(const struct kernel_index *index, uint32_t kernel, enum metric metric,
                                 enum provenance provenance, double **numbers, size_t *count,
                                 struct error *error)
{
    struct kernel_statistic statistic = kernel_index_statistic(index, kernel, metric, provenance);
    *numbers = NULL;
    *count = 0;
    if (!statistic.value.available || provenance == PROVENANCE_EXPECTED)
        return STATUS_OK;
    const struct kernel_sources *sources = &index->sources[kernel][provenance == PROVENANCE_MODELLED];
    size_t inputs;
    metric_inputs(metric, &inputs);
    if (inputs > 0) { /* inputs come from several runs, whose launches do not pair: the one number computed
                         from their medians */
        *numbers = malloc(sizeof **numbers);
        *count = *numbers ? 1 : 0;
        if (*numbers)
            **numbers = statistic.value.number;
    } else if (kernel_metric_of_trace(metric) && sources->rows[RUN_TRACE] != NONE) {
        *numbers = malloc((sources->times.launches + 1) * sizeof **numbers);
        *count = *numbers ? timed_samples(index, sources->rows[RUN_TRACE], metric, *numbers) : 0;
    } else {
        *count = kernel_counts(index->session, sources, metric, provenance, numbers);
    }
    return *numbers ? STATUS_OK : error_no_memory(error, "to look up the kernels' launches");
}
