/*
 * Kernels of one group that are the same work: found by name, grid, block and dynamic shared memory (a replay
 * may change the carve-out, so the rest of the shape does not count). A kernel on the device model gives
 * MODELLED values, one on a GPU MEASURED ones; times come from kernels of trace runs, counters from those of
 * counter runs.
 */
#include "core/kernel_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX 256

#define WHY_NO_EXPECTATION "only what the bundled workloads say of their accesses gives an expectation"
#define WHY_NOT_DESCRIBED "the workload's accesses do not determine it"
#define WHY_SHAPE_ONLY "it follows from the launch's shape: see the expected value"
#define WHY_NO_MODEL "this kernel did not run on the device model"
#define WHY_NO_GPU "this kernel did not run on a GPU"
#define WHY_NO_COUNTER_RUN "there is no counter run of this kernel"
#define WHY_NOT_MEASURED "no launch of this kernel was measured"
#define WHY_NOT_LAUNCHED "no launch of this kernel has ended"
#define WHY_NO_MEMORY "out of memory"

static const struct shape_row *shape_of(const struct session *session, const struct kernel_row *kernel)
{
    return session_shape(session, kernel->shape);
}

/* NULL where a recording names no such run. */
static const struct run_row *run_of(const struct session *session, const struct kernel_row *kernel)
{
    return kernel->run < session_run_count(session) ? session_run(session, kernel->run) : NULL;
}

static const struct device_row *device_of(const struct session *session, const struct kernel_row *kernel)
{
    return kernel->device < session_device_count(session) ? session_device(session, kernel->device) : NULL;
}

static bool on_model(const struct session *session, const struct kernel_row *kernel)
{
    const struct device_row *device = device_of(session, kernel);
    return device && device->info.is_model;
}

/* Rows of one group that are the same kernel on the same device. */
static bool same_work(const struct session *session, const struct kernel_row *a, const struct kernel_row *b)
{
    const struct run_row *run_a = run_of(session, a), *run_b = run_of(session, b);
    if (!run_a || !run_b || run_a->group != run_b->group) {
        return false;
    }
    if (a->shape >= session_shape_count(session) || b->shape >= session_shape_count(session)) {
        return false;
    }
    const struct shape_row *left = shape_of(session, a), *right = shape_of(session, b);
    const struct device_row *device_a = device_of(session, a), *device_b = device_of(session, b);
    return left->name == right->name && left->dynamic_shared_bytes == right->dynamic_shared_bytes &&
           memcmp(left->grid, right->grid, sizeof left->grid) == 0 &&
           memcmp(left->block, right->block, sizeof left->block) == 0 &&
           (!device_a || !device_b || device_a->ordinal == device_b->ordinal);
}

/* `kernel` itself or another row of the same work, on the model or not, from a run of this mode; NONE when
 * there is none. */
static uint32_t find_row(const struct session *session, uint32_t kernel, enum run_mode mode, bool model)
{
    uint32_t count = session_kernel_count(session);
    const struct kernel_row *asked = session_kernel(session, kernel);
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t index = i == 0 ? kernel : i - 1; /* itself first */
        const struct kernel_row *row = session_kernel(session, index);
        if (same_work(session, asked, row) && run_of(session, row)->mode == mode &&
            on_model(session, row) == model) {
            return index;
        }
    }
    return NONE;
}

uint32_t kernel_partner(const struct session *session, uint32_t kernel)
{
    const struct kernel_row *row =
        kernel < session_kernel_count(session) ? session_kernel(session, kernel) : NULL;
    const struct run_row *run = row ? run_of(session, row) : NULL;
    if (!run) {
        return NONE;
    }
    return find_row(session, kernel, run->mode == RUN_TRACE ? RUN_COUNTERS : RUN_TRACE,
                    on_model(session, row));
}

/* ---- medians ---- */
static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Sorts; the median is a number that was there: the lower of the two middle ones. */
static void summarise(struct kernel_statistic *statistic, double *numbers, uint32_t count)
{
    qsort(numbers, count, sizeof *numbers, compare_doubles);
    statistic->n = count;
    statistic->min = numbers[0];
    statistic->max = numbers[count - 1];
    statistic->value.number = numbers[(count - 1) / 2];
}

/* ---- times ---- */

/* Durations of a kernel's launches, at most `most`, from its process's streams. */
static uint64_t launch_durations(const struct session *session, uint32_t kernel, double *durations,
                                 uint64_t most)
{
    const struct run_row *run = run_of(session, session_kernel(session, kernel));
    uint64_t found = 0;
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        if (row->kind != TRACK_STREAM || row->process != run->process) {
            continue;
        }
        uint32_t lanes = atomic_load_explicit(&row->lane_count, memory_order_acquire);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint64_t events = session_lane_count_events(session, track, lane);
            for (uint64_t i = 0; i < events && found < most; i++) {
                struct event_ref ref = {.track = track, .lane = lane, .index = i};
                struct item item = session_event_item(session, ref);
                if (item.kind == ITEM_LAUNCH && item.launch.kernel == kernel) {
                    durations[found++] =
                        (double)(session_event_end_ns(session, ref) - session_event_start_ns(session, ref));
                }
            }
        }
    }
    return found;
}

struct kernel_times kernel_times(const struct session *session, uint32_t kernel, bool want_median)
{
    struct kernel_times times = {0};
    if (kernel >= session_kernel_count(session)) {
        return times;
    }
    const struct kernel_row *row = session_kernel(session, kernel);
    times.launches = atomic_load_explicit(&row->launches, memory_order_relaxed);
    times.total_ns = (int64_t)atomic_load_explicit(&row->total_ns, memory_order_relaxed);
    times.min_ns = (int64_t)atomic_load_explicit(&row->min_ns, memory_order_relaxed);
    times.max_ns = (int64_t)atomic_load_explicit(&row->max_ns, memory_order_relaxed);
    if (!want_median || times.launches == 0 || !run_of(session, row)) {
        return times;
    }
    double *durations =
        times.launches < SIZE_MAX / sizeof(double) ? malloc(times.launches * sizeof(double)) : NULL;
    if (!durations) {
        return times;
    }
    uint64_t found = launch_durations(session, kernel, durations, times.launches);
    if (found == times.launches) { /* all; while a recording is loaded there are fewer */
        qsort(durations, found, sizeof *durations, compare_doubles);
        times.median_ns = (int64_t)durations[(found - 1) / 2];
    }
    free(durations);
    return times;
}

/* ---- one metric ---- */
static struct kernel_statistic none(enum provenance provenance, const char *why)
{
    return (struct kernel_statistic){.value = {.provenance = provenance, .why = why}};
}

static struct metric_facts facts_of(const struct session *session, const struct kernel_row *kernel)
{
    const struct shape_row *shape = shape_of(session, kernel);
    const struct device_row *device = device_of(session, kernel);
    const struct run_row *run = run_of(session, kernel);
    struct metric_facts facts = {
        .arch = device ? arch_find(device->info.compute_capability) : NULL,
        .threads_per_block = (uint32_t)shape->block[0] * shape->block[1] * shape->block[2],
        .registers_per_thread = shape->registers_per_thread,
        .static_shared_bytes = shape->static_shared_bytes,
        .dynamic_shared_bytes = shape->dynamic_shared_bytes,
        .shared_config_bytes = shape->shared_config_bytes,
    };
    if (run->effective_kernel != 0 &&
        (run->effective_kernel == shape->name || run->effective_kernel == shape->mangled)) {
        facts.effective_bytes = run->effective_bytes;
    }
    return facts;
}

static bool from_shape(enum metric metric)
{
    return metric == METRIC_theoretical_occupancy_pct || metric == METRIC_occupancy_limiter;
}

static struct kernel_statistic expected_from_shape(const struct session *session, uint32_t kernel,
                                                   enum metric metric)
{
    struct metric_facts facts = facts_of(session, session_kernel(session, kernel));
    struct value value = metric_evaluate(metric, NULL, 0, &facts);
    return (struct kernel_statistic){
        .value = value, .n = value.available, .min = value.number, .max = value.number};
}

/* What the workload announced for this kernel, in the kernel's own run or in another one of the group. */
static struct kernel_statistic expected(const struct session *session, uint32_t kernel, enum metric metric)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = shape_of(session, row);
    const struct run_row *run = run_of(session, row);
    const struct expected_row *found = NULL;
    uint32_t count = session_expected_count(session);
    for (uint32_t i = 0; i < count; i++) {
        const struct expected_row *candidate = session_expected(session, i);
        if (candidate->run >= session_run_count(session) ||
            session_run(session, candidate->run)->group != run->group ||
            (candidate->kernel_name != shape->name && candidate->kernel_name != shape->mangled) ||
            candidate->kernel_name == 0 ||
            strcmp(session_string(session, candidate->metric), metric_info(metric)->id) != 0) {
            continue;
        }
        if (!found || candidate->run == row->run) {
            found = candidate;
        }
    }
    if (!found) {
        return none(PROVENANCE_EXPECTED, run->workload ? WHY_NOT_DESCRIBED : WHY_NO_EXPECTATION);
    }
    if (!isfinite(found->number)) {
        return none(PROVENANCE_EXPECTED,
                    found->why ? session_string(session, found->why) : WHY_NOT_DESCRIBED);
    }
    struct kernel_statistic statistic = {.n = 1, .min = found->number, .max = found->number};
    statistic.value = (struct value){.available = true,
                                     .derived = metric_info(metric)->derived,
                                     .provenance = PROVENANCE_EXPECTED,
                                     .number = found->number};
    return statistic;
}

/* The samples of one measurement; counts beyond SAMPLES_MAX are not looked at. */
static size_t measurement_samples(const struct session *session, const struct measurement_row *measurement,
                                  struct counter_sample *samples)
{
    uint32_t values = session_value_count(session);
    size_t count = 0;
    for (uint32_t i = 0; i < measurement->values && count < SAMPLES_MAX; i++) {
        uint64_t index = (uint64_t)measurement->first_value + i;
        if (index >= values) {
            break;
        }
        const struct value_row *value = session_value(session, (uint32_t)index);
        samples[count++] = (struct counter_sample){session_string(session, value->counter), value->number};
    }
    return count;
}

/* The metric over the measured launches of a counter run's kernel. */
static struct kernel_statistic counted(const struct session *session, uint32_t kernel, enum metric metric,
                                       enum provenance provenance)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    struct kernel_statistic statistic = none(provenance, WHY_NOT_MEASURED);
    struct metric_facts facts = facts_of(session, row);
    struct counter_sample samples[SAMPLES_MAX];
    double *numbers = NULL;
    uint32_t count = session_measurement_count(session), found = 0, capacity = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct measurement_row *measurement = session_measurement(session, i);
        if (measurement->kernel != kernel) {
            continue;
        }
        size_t sample_count = measurement_samples(session, measurement, samples);
        struct value value = metric_evaluate(metric, samples, sample_count, &facts);
        if (!value.available) {
            statistic.value.why = value.why;
            continue;
        }
        if (found == capacity) {
            capacity = capacity ? capacity * 2 : 64;
            double *grown = realloc(numbers, capacity * sizeof *numbers);
            if (!grown) {
                free(numbers);
                return none(provenance, WHY_NO_MEMORY);
            }
            numbers = grown;
        }
        numbers[found++] = value.number;
        statistic.value = value;
    }
    if (found > 0) {
        statistic.value.available = true;
        statistic.value.why = NULL;
        statistic.value.derived = metric_info(metric)->derived;
        statistic.value.provenance = provenance;
        summarise(&statistic, numbers, found);
    }
    free(numbers);
    return statistic;
}

/* Time and bandwidth over the launches of a trace run's kernel. */
static struct kernel_statistic timed(const struct session *session, uint32_t kernel, enum metric metric,
                                     enum provenance provenance)
{
    struct metric_facts facts = facts_of(session, session_kernel(session, kernel));
    struct kernel_times times = kernel_times(session, kernel, true);
    if (times.launches == 0) {
        return none(provenance, WHY_NOT_LAUNCHED);
    }
    if (times.median_ns == 0) {
        return none(provenance, "its launches are not all loaded");
    }
    struct kernel_statistic statistic = {.n = times.launches < UINT32_MAX ? (uint32_t)times.launches
                                                                          : UINT32_MAX};
    double bounds[3] = {(double)times.min_ns, (double)times.median_ns, (double)times.max_ns};
    for (int i = 0; i < 3; i++) {
        facts.time_ns = bounds[i];
        struct value value = metric_evaluate(metric, NULL, 0, &facts);
        if (!value.available) {
            return none(provenance, value.why);
        }
        bounds[i] = value.number;
        statistic.value = value;
    }
    statistic.value.provenance = provenance;
    statistic.value.number = bounds[1];
    statistic.min = fmin(bounds[0], bounds[2]);
    statistic.max = fmax(bounds[0], bounds[2]);
    return statistic;
}

struct kernel_statistic kernel_statistic(const struct session *session, uint32_t kernel, enum metric metric,
                                         enum provenance provenance)
{
    if (kernel >= session_kernel_count(session) || (unsigned)metric >= METRIC_COUNT) {
        return none(provenance, WHY_NOT_MEASURED);
    }
    const struct kernel_row *row = session_kernel(session, kernel);
    if (!run_of(session, row) || row->shape >= session_shape_count(session)) {
        return none(provenance, WHY_NOT_MEASURED);
    }
    if (from_shape(metric)) {
        return provenance == PROVENANCE_EXPECTED ? expected_from_shape(session, kernel, metric)
                                                 : none(provenance, WHY_SHAPE_ONLY);
    }
    if (provenance == PROVENANCE_EXPECTED) {
        return expected(session, kernel, metric);
    }
    bool model = provenance == PROVENANCE_MODELLED;
    uint32_t trace = find_row(session, kernel, RUN_TRACE, model);
    uint32_t counters = find_row(session, kernel, RUN_COUNTERS, model);
    bool of_time = metric_info(metric)->group == METRIC_GROUP_TIME;
    if (of_time && trace != NONE) {
        return timed(session, trace, metric, provenance);
    }
    if (counters != NONE) {
        return counted(session, counters, metric, provenance);
    }
    if (trace == NONE) {
        return none(provenance, model ? WHY_NO_MODEL : WHY_NO_GPU);
    }
    return none(provenance, WHY_NO_COUNTER_RUN);
}
