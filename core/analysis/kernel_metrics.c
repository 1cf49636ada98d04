/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of one group that are the same work: found by name, grid, block and dynamic shared memory (a replay
 * may change the carve-out, so the rest of the shape does not count). A kernel on the device model gives
 * MODELLED values, one on a GPU MEASURED ones; times come from kernels of trace runs, counters from those of
 * the counter runs, of which there may be several: each takes what a process can configure.
 *
 * Statistics are computed from the values of single launches. A kernel's sources are looked up for one
 * metric, or once for all metrics.
 */
#include "core/analysis/kernel_metrics.h"

#include "core/analysis/kernel_sources.h"
#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/session/session_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one launch ---- */

#define SAMPLES_MAX 256

struct metric_facts kernel_facts(const struct session *session, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = session_shape(session, row->shape);
    const struct device_row *device = session_device(session, row->device);
    const struct run_row *run = session_run(session, row->run);
    struct metric_facts facts = {
        .arch = device ? arch_find(device->info.compute_capability) : NULL,
        .threads_per_block = (uint32_t)shape->block[0] * shape->block[1] * shape->block[2],
        .registers_per_thread = shape->registers_per_thread,
        .static_shared_bytes = shape->static_shared_bytes,
        .dynamic_shared_bytes = shape->dynamic_shared_bytes,
        .shared_config_bytes = shape_shared_set_aside(shape),
        .blocks = (double)shape->grid[0] * shape->grid[1] * shape->grid[2],
        .theoretical_bytes_per_second = device ? device_info_peak_bandwidth(&device->info) : 0,
        .multiprocessor_hz = device ? 1e3 * device->info.core_clock_khz * device->info.multiprocessors : 0,
    };
    if (run->effective_kernel != 0 &&
        (run->effective_kernel == shape->name || run->effective_kernel == shape->mangled))
        facts.effective_bytes = run->effective_bytes;
    return facts;
}

/* The names of counters that were looked up last, by the number of their string. */
#define NAMES_KNOWN 256
#define NAMES_WORTH 64 /* launches: of fewer, finding the metrics of all names takes longer than it saves */
struct counter_names {
    bool metrics_wanted;
    struct {
        uint32_t string; /* 0: free */
        uint16_t metric; /* as in metric_facts.model_metrics */
        const char *text;
    } known[NAMES_KNOWN];
    uint16_t metrics[SAMPLES_MAX]; /* of the samples */
};

/* The numbers of one measurement; those beyond SAMPLES_MAX are ignored. */
static size_t measurement_samples(const struct session *session, const struct measurement_row *measurement,
                                  struct counter_names *names, struct counter_sample *samples)
{
    uint32_t values = session_value_count(session);
    size_t count = 0;
    for (uint32_t i = 0; i < measurement->values && count < SAMPLES_MAX; i++) {
        uint64_t index = (uint64_t)measurement->first_value + i;
        if (index >= values)
            break;
        const struct value_row *value = session_value(session, (uint32_t)index);
        const uint32_t place = value->counter % NAMES_KNOWN;
        if (!value->counter || names->known[place].string != value->counter) {
            const char *text = session_string(session, value->counter);
            names->known[place].string = value->counter;
            names->known[place].text = text;
            if (names->metrics_wanted)
                names->known[place].metric =
                    (uint16_t)((metric_of_model_counter(text) + 1u) % (METRIC_COUNT + 1u));
        }
        names->metrics[count] = names->known[place].metric;
        samples[count++] = (struct counter_sample){names->known[place].text, value->number};
    }
    return count;
}

/* The place of the metric's own sample; NONE: it is not among them, or its value is not that of one sample. */
static uint32_t own_sample(const struct counter_names *names, size_t count, enum metric metric)
{
    const struct metric_info *info = metric_info(metric);
    if (!names->metrics_wanted || info->how == HOW_COMBINED || info->how == HOW_LAUNCH ||
        info->how == HOW_TIME)
        return NONE;
    for (uint32_t i = 0; i < count; i++)
        if (names->metrics[i] == metric + 1u)
            return i;
    return NONE;
}

/* The number of the sample at this place, if it is the same counter as in the measurement before. */
static bool same_sample(const struct session *session, const struct measurement_row *measurement,
                        uint32_t place, uint32_t counter, double *number)
{
    const uint64_t index = (uint64_t)measurement->first_value + place;
    if (place >= measurement->values || index >= session_value_count(session))
        return false;
    const struct value_row *value = session_value(session, (uint32_t)index);
    *number = value->number;
    return value->counter == counter && isfinite(value->number);
}

/* The numbers of the measured launches in the run of this mode, at most measured[mode].count; returns how
 * many. *last holds the properties that they have in common, or the reason why there are none. */
static uint32_t kernel_counted_numbers(const struct session *session, const struct kernel_sources *sources,
                                       enum run_mode mode, enum metric metric, enum provenance provenance,
                                       double *numbers, struct value *last)
{
    const struct kernel_measurements *measured = &sources->measured[mode];
    if (measured->count == 0) { /* the usual case: most modes have none */
        *last = (struct value){.provenance = provenance, .why = WHY_NOT_MEASURED};
        return 0;
    }
    struct metric_facts facts = kernel_facts(session, sources->rows[mode]);
    struct counter_sample samples[SAMPLES_MAX];
    struct counter_names names = {.metrics_wanted =
                                      provenance == PROVENANCE_MODELLED && measured->count >= NAMES_WORTH};
    const char *why = WHY_NOT_MEASURED;
    uint32_t found = 0;
    struct value all = {.provenance = provenance};
    facts.model_metrics = names.metrics_wanted ? names.metrics : NULL;
    uint32_t own = NONE, own_counter = 0;
    for (uint32_t i = 0; i < measured->count; i++) {
        const struct measurement_row *measurement = session_measurement(session, measured->rows[i]);
        if (own != NONE && same_sample(session, measurement, own, own_counter, &numbers[found])) {
            found++;
            continue;
        }
        size_t sample_count = measurement_samples(session, measurement, &names, samples);
        /* On the model the time is that of the counted launch; a replay on a GPU has its own time among its
         * counters. */
        if (provenance == PROVENANCE_MODELLED)
            facts.time_ns = (double)(measurement->end_ns - measurement->start_ns);
        struct value value = metric_evaluate(metric, samples, sample_count, &facts);
        if (value.available && value.provenance < provenance) {
            why = WHY_NO_GPU; /* a GPU does not count with the model's rules: its value never gets the model's
                                 provenance */
        } else if (value.available) {
            numbers[found++] = value.number;
            all.available = true;
            all.derived = value.derived;
            all.bound = value.bound != VALUE_EXACT ? value.bound : all.bound;
            own = own_sample(&names, sample_count, metric);
            if (own != NONE)
                own_counter = session_value(session, measurement->first_value + own)->counter;
        } else {
            why = value.why;
        }
    }
    all.why = all.available ? NULL : why;
    *last = all;
    return found;
}

struct value kernel_timed_value(const struct session *session, uint32_t kernel, enum metric metric, double ns)
{
    struct metric_facts facts = kernel_facts(session, kernel);
    *(metric == METRIC_cputime ? &facts.call_ns : &facts.time_ns) = ns;
    return metric_evaluate(metric, NULL, 0, &facts);
}

/* ---- the work of a kernel ---- */

#define WHY_NO_EXPECTATION "only bundled workloads describe their accesses, and so have expected values"
#define WHY_NOT_DESCRIBED "the workload's accesses do not determine it"
#define WHY_SHAPE_ONLY "it follows from the launch and its device: see the expected value"
#define WHY_NO_MODEL "this kernel did not run on the device model"
#define WHY_NO_COUNTER_RUN "there is no counter run of this kernel"
#define WHY_NOT_LAUNCHED "no launch of this kernel has ended"
#define WHY_NOT_LOADED "not all of its launches are in memory"
#define WHY_NO_MEMORY "out of memory"

/* ---- rows of the same work ---- */
static const struct shape_row *shape_of(const struct session *session, uint32_t kernel)
{
    return session_shape(session, session_kernel(session, kernel)->shape);
}

static const struct run_row *run_of(const struct session *session, uint32_t kernel)
{
    return session_run(session, session_kernel(session, kernel)->run);
}

static const struct device_row *device_of(const struct session *session, uint32_t kernel)
{
    return session_device(session, session_kernel(session, kernel)->device);
}

bool kernel_is_whole(const struct session *session, uint32_t kernel)
{
    return session_kernel(session, kernel) && run_of(session, kernel) && shape_of(session, kernel);
}

bool kernel_on_model(const struct session *session, uint32_t kernel)
{
    const struct device_row *device = device_of(session, kernel);
    const struct run_row *run = run_of(session, kernel);
    return (device && device->info.is_model) || (run && run->clock == CLOCK_MODEL);
}

static int compare_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

int kernel_compare_work(const struct session *session, uint32_t a, uint32_t b)
{
    const struct shape_row *left = shape_of(session, a), *right = shape_of(session, b);
    const struct device_row *device_a = device_of(session, a), *device_b = device_of(session, b);
    int order = compare_u32(run_of(session, a)->group, run_of(session, b)->group);
    order = order ? order : compare_u32(left->name, right->name);
    order = order ? order : compare_u32(left->dynamic_shared_bytes, right->dynamic_shared_bytes);
    order = order ? order : memcmp(left->grid, right->grid, sizeof left->grid);
    order = order ? order : memcmp(left->block, right->block, sizeof left->block);
    return order ? order
                 : compare_u32(device_a ? device_a->ordinal : NONE, device_b ? device_b->ordinal : NONE);
}

/* The kernel row of the same work from a run of this mode, on the model or not: `kernel` itself, another row,
 * or NONE. */
static uint32_t kernel_find_row(const struct session *session, uint32_t kernel, enum run_mode mode,
                                bool model)
{
    uint32_t count = session_kernel_count(session);
    /* The kernel itself first, but not for lines runs: a work can have several of them, and the first stands
     * for all. */
    for (uint32_t i = mode == RUN_LINES ? 1 : 0; i <= count; i++) {
        uint32_t row = i == 0 ? kernel : i - 1;
        if (kernel_is_whole(session, row) && run_is_of(run_of(session, row), mode) &&
            kernel_on_model(session, row) == model && kernel_compare_work(session, kernel, row) == 0)
            return row;
    }
    return NONE;
}

uint32_t kernel_in_mode(const struct session *session, uint32_t kernel, enum run_mode mode)
{
    return kernel_is_whole(session, kernel)
               ? kernel_find_row(session, kernel, mode, kernel_on_model(session, kernel))
               : NONE;
}

bool kernel_leads(const struct session *session, uint32_t kernel)
{
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++) {
        uint32_t row = kernel_in_mode(session, kernel, mode);
        if (row != NONE)
            return row == kernel;
    }
    return true;
}

/* ---- times ---- */
static void swap_numbers(double *a, double *b)
{
    double moved = *a;
    *a = *b;
    *b = moved;
}

double kernel_median(double *numbers, size_t count)
{
    const size_t middle = (count - 1) / 2;
    const double median = select_double(numbers, count, middle);
    for (size_t i = 1; i < middle; i++)
        if (numbers[i] < numbers[0])
            swap_numbers(&numbers[i], &numbers[0]);
    for (size_t i = middle + 1; i + 1 < count; i++)
        if (numbers[i] > numbers[count - 1])
            swap_numbers(&numbers[i], &numbers[count - 1]);
    return median;
}

bool kernel_launch_call(const struct item *item, double *call_ns)
{
    *call_ns = item->launch.call_duration_ns;
    return item->launch.call_start_ns != INT64_MIN;
}

void kernel_times_take_calls(struct kernel_times *times, double *calls_ns, uint64_t calls)
{
    times->calls = calls;
    if (calls > 0) {
        times->call_median_ns = (int64_t)kernel_median(calls_ns, calls);
        times->call_min_ns = (int64_t)calls_ns[0];
        times->call_max_ns = (int64_t)calls_ns[calls - 1];
    }
}

/* A kernel's launches, at most `most`: their durations, and those of their calls if known. `most` is read
 * from a file, so the arrays grow with the launches found. */
struct launch_times {
    uint32_t kernel;
    double *durations_ns, *calls_ns;
    size_t durations_room, calls_room;
    uint64_t most, found, calls;
    bool no_memory;
};

static bool launch_times_add(void *context, const struct walk_event *event)
{
    struct launch_times *times = context;
    if (event->item.launch.kernel == times->kernel && times->found < times->most) {
        if (!array_grow(times->durations_ns, times->durations_room, times->found, 1) ||
            !array_grow(times->calls_ns, times->calls_room, times->calls, 1)) {
            times->no_memory = true;
            return false;
        }
        times->durations_ns[times->found++] = (double)(event->end_ns - event->start_ns);
        times->calls += kernel_launch_call(&event->item, &times->calls_ns[times->calls]);
    }
    return times->found < times->most;
}

struct kernel_times kernel_times(const struct session *session, uint32_t kernel, bool want_median)
{
    struct kernel_times times = {0};
    const struct kernel_row *row = session_kernel(session, kernel);
    if (!row)
        return times;
    times.launches = atomic_load_explicit(&row->launches, memory_order_relaxed);
    times.total_ns = (int64_t)atomic_load_explicit(&row->total_ns, memory_order_relaxed);
    times.min_ns = (int64_t)atomic_load_explicit(&row->min_ns, memory_order_relaxed);
    times.max_ns = (int64_t)atomic_load_explicit(&row->max_ns, memory_order_relaxed);
    if (!want_median || times.launches == 0 || !kernel_is_whole(session, kernel))
        return times;
    struct launch_times found = {.kernel = kernel, .most = times.launches};
    session_walk(session,
                 &(struct walk){.run = row->run, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(LAUNCH)},
                 launch_times_add, &found);
    /* all; while a recording is loaded there are fewer, and where some were evicted from memory */
    if (found.found == times.launches) {
        times.median_ns = (int64_t)kernel_median(found.durations_ns, times.launches);
        kernel_times_take_calls(&times, found.calls_ns, found.calls);
    }
    times.no_memory = found.no_memory;
    free(found.durations_ns);
    free(found.calls_ns);
    return times;
}

/* ---- one metric ---- */
static struct kernel_statistic no_statistic(enum provenance provenance, const char *why)
{
    return (struct kernel_statistic){.value = {.provenance = provenance, .why = why}};
}

static struct kernel_statistic expected_from_shape(const struct session *session, uint32_t kernel,
                                                   enum metric metric)
{
    struct metric_facts facts = kernel_facts(session, kernel);
    struct value value = metric_evaluate(metric, NULL, 0, &facts);
    return (struct kernel_statistic){
        .value = value, .n = value.available, .min = value.number, .max = value.number};
}

/* What the workload announced in this run, or NULL. */
static const struct expected_row *expected_find(const struct session *session, const struct run_row *run,
                                                const struct shape_row *shape, enum metric metric)
{
    uint32_t at = atomic_load_explicit(&run->expected, memory_order_acquire);
    const struct expected_row *row = NULL;

    for (; at != 0; at = row->before) {
        row = session_expected(session, at - 1);
        if (row->kernel_name != 0 &&
            (row->kernel_name == shape->name || row->kernel_name == shape->mangled) &&
            strcmp(session_string(session, row->metric), metric_info(metric)->id) == 0)
            return row;
    }
    return NULL;
}

/* What the workload announced for this kernel, in the kernel's own run or in another one of the group. */
static struct kernel_statistic expected_announced(const struct session *session, uint32_t kernel,
                                                  enum metric metric)
{
    const struct shape_row *shape = shape_of(session, kernel);
    const struct run_row *run = run_of(session, kernel);
    const struct expected_row *found = expected_find(session, run, shape, metric);

    for (uint32_t i = run->first_of_group; !found && i != NONE; i = session_next_of_group(session, i))
        found = expected_find(session, session_run(session, i), shape, metric);
    if (!found)
        return no_statistic(PROVENANCE_EXPECTED, run->workload ? WHY_NOT_DESCRIBED : WHY_NO_EXPECTATION);
    if (!isfinite(found->number)) {
        return no_statistic(PROVENANCE_EXPECTED,
                            found->why ? session_string(session, found->why) : WHY_NOT_DESCRIBED);
    }
    struct kernel_statistic statistic = {.n = 1, .min = found->number, .max = found->number};
    statistic.value = (struct value){.available = true,
                                     .derived = metric_info(metric)->derived,
                                     .provenance = PROVENANCE_EXPECTED,
                                     .number = found->number};
    return statistic;
}

/* The metric over the measured launches of the kernel in the counter run of this mode. */
static struct kernel_statistic counted_statistic(const struct session *session,
                                                 const struct kernel_sources *sources, enum run_mode mode,
                                                 enum metric metric, enum provenance provenance)
{
    struct kernel_statistic statistic = no_statistic(provenance, WHY_NOT_MEASURED);
    double *own = sources->scratch ? NULL : malloc((sources->measured[mode].count + 1) * sizeof *own);
    double *numbers = own ? own : sources->scratch;
    if (!numbers)
        return no_statistic(provenance, WHY_NO_MEMORY);
    uint32_t found =
        kernel_counted_numbers(session, sources, mode, metric, provenance, numbers, &statistic.value);
    if (found > 0) {
        statistic.value.number = kernel_median(numbers, found);
        statistic.n = found;
        statistic.min = numbers[0];
        statistic.max = numbers[found - 1];
    }
    free(own);
    return statistic;
}

/* The counter run that should have the metric, given the kernel's chip. */
static enum run_mode run_for(const struct session *session, uint32_t kernel, enum metric metric)
{
    const struct device_row *device = device_of(session, kernel);
    const char *chip = device ? device->info.chip : NULL;
    return metric_in_share(metric, chip, METRIC_SHARE_MEMORY) ? RUN_MEMORY : RUN_COUNTERS;
}

/* From the counter run that measured the metric in the fewest passes; if none did, the reason that the run
 * that should have it gives. */
static struct kernel_statistic counted_best(const struct session *session,
                                            const struct kernel_sources *sources, enum metric metric,
                                            enum provenance provenance, enum run_mode *from)
{
    struct kernel_statistic best = no_statistic(provenance, WHY_NO_COUNTER_RUN);
    uint64_t best_passes = UINT64_MAX;
    bool reason = false;
    for (enum run_mode mode = RUN_COUNTERS; mode < RUN_MODE_COUNT; mode++) {
        const struct kernel_measurements *measured = &sources->measured[mode];
        if (sources->rows[mode] == NONE)
            continue;
        struct kernel_statistic statistic = counted_statistic(session, sources, mode, metric, provenance);
        if (statistic.value.available) {
            uint32_t passes = session_measurement(session, measured->rows[0])->passes;
            if (passes < best_passes) {
                best = statistic;
                best_passes = passes;
                *from = mode;
            }
        } else if (best_passes == UINT64_MAX &&
                   (!reason || run_for(session, sources->rows[mode], metric) == mode)) {
            best = statistic;
            reason = true;
        }
    }
    return best;
}

/* Time and bandwidth of a trace run's kernel, over its launches. */
static struct kernel_statistic timed_statistic(const struct session *session,
                                               const struct kernel_sources *sources, enum metric metric,
                                               enum provenance provenance)
{
    const struct kernel_times *times = &sources->times;
    if (times->launches == 0)
        return no_statistic(provenance, WHY_NOT_LAUNCHED);
    if (times->median_ns == 0)
        return no_statistic(provenance, WHY_NOT_LOADED);
    bool call = metric == METRIC_cputime;
    uint64_t n = call ? times->calls : times->launches;
    struct kernel_statistic statistic = {.n = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX};
    double numbers[3] = {(double)(call ? times->call_min_ns : times->min_ns),
                         (double)(call ? times->call_median_ns : times->median_ns),
                         (double)(call ? times->call_max_ns : times->max_ns)};
    for (int i = 0; i < 3; i++) {
        struct value value = kernel_timed_value(session, sources->rows[RUN_TRACE], metric, numbers[i]);
        if (!value.available)
            return no_statistic(provenance, value.why);
        numbers[i] = value.number;
        statistic.value = value;
    }
    statistic.value.provenance = provenance;
    statistic.value.number = numbers[1];
    statistic.min = fmin(numbers[0], numbers[2]);
    statistic.max = fmax(numbers[0], numbers[2]);
    return statistic;
}

/* Any row of these sources; all are the same work on one device. */
static uint32_t any_row(const struct kernel_sources *sources)
{
    uint32_t row = NONE;
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT && row == NONE; mode++)
        row = sources->rows[mode];
    return row;
}

/* The inputs come from different runs: the value is computed from their medians, the least and the most from
 * the ends of their spreads. */
static struct kernel_statistic combined_statistic(const struct session *session,
                                                  const struct kernel_sources *sources, enum metric metric,
                                                  enum provenance provenance)
{
    struct kernel_statistic inputs[METRIC_INPUTS_MAX], statistic = {.n = UINT32_MAX};
    uint32_t row = any_row(sources);
    const struct arch *arch = row != NONE ? kernel_facts(session, row).arch : NULL;
    struct value medians[METRIC_INPUTS_MAX], least[METRIC_INPUTS_MAX], most[METRIC_INPUTS_MAX];
    size_t count;
    const struct metric_input *of = metric_inputs(metric, &count);
    for (size_t i = 0; i < count; i++) {
        bool from_launch = metric_from_launch(of[i].metric);
        inputs[i] = from_launch ? expected_from_shape(session, row, of[i].metric)
                                : kernel_statistic_of(session, sources, of[i].metric, provenance);
        medians[i] = least[i] = most[i] = inputs[i].value;
        least[i].number = of[i].divides ? inputs[i].max : inputs[i].min;
        most[i].number = of[i].divides ? inputs[i].min : inputs[i].max;
        if (inputs[i].n < statistic.n && (inputs[i].value.available || !of[i].optional))
            statistic.n = inputs[i].n;
    }
    statistic.value = metric_combine(metric, medians, arch);
    statistic.value.provenance = provenance;
    statistic.n = statistic.value.available ? statistic.n : 0;
    statistic.min = metric_combine(metric, least, arch).number;
    statistic.max = metric_combine(metric, most, arch).number;
    return statistic;
}

bool kernel_metric_of_trace(enum metric metric)
{
    return metric_info(metric)->runs & METRIC_OF_TRACE;
}

struct kernel_statistic kernel_statistic_of(const struct session *session,
                                            const struct kernel_sources *sources, enum metric metric,
                                            enum provenance provenance)
{
    if (metric_from_launch(metric))
        return no_statistic(provenance, WHY_SHAPE_ONLY);
    size_t inputs;
    metric_inputs(metric, &inputs);
    if (inputs > 0 && any_row(sources) != NONE)
        return combined_statistic(session, sources, metric, provenance);
    if (kernel_metric_of_trace(metric) && sources->rows[RUN_TRACE] != NONE)
        return timed_statistic(session, sources, metric, provenance);
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++) {
        if (sources->rows[mode] != NONE) {
            enum run_mode from = RUN_TRACE;
            return counted_best(session, sources, metric, provenance, &from);
        }
    }
    return no_statistic(provenance, provenance == PROVENANCE_MODELLED ? WHY_NO_MODEL : WHY_NO_GPU);
}

uint32_t kernel_counts(const struct session *session, const struct kernel_sources *sources,
                       enum metric metric, enum provenance provenance, double **numbers)
{
    enum run_mode from = RUN_TRACE;
    struct value value;
    *numbers = NULL;
    counted_best(session, sources, metric, provenance, &from);
    if (from != RUN_TRACE)
        *numbers = malloc((sources->measured[from].count + 1) * sizeof **numbers);
    return *numbers ? kernel_counted_numbers(session, sources, from, metric, provenance, *numbers, &value)
                    : 0;
}

struct kernel_statistic kernel_expected(const struct session *session, uint32_t kernel, enum metric metric)
{
    return metric_from_launch(metric) ? expected_from_shape(session, kernel, metric)
                                      : expected_announced(session, kernel, metric);
}

/* ---- one kernel ---- */

#define WHY_NO_MEMORY "out of memory"

struct gathered {
    struct kernel_sources sources;
    uint32_t *measurements[RUN_MODE_COUNT];
    bool there; /* false: no memory */
};

/* The measurements of a counter run's kernel, to be freed by the caller. */
static uint32_t *measurements_of(const struct session *session, uint32_t kernel, uint32_t *count)
{
    uint32_t all = session_measurement_count(session), most = 0;
    *count = 0;
    for (uint32_t i = 0; i < all; i++)
        most += session_measurement(session, i)->kernel == kernel;
    uint32_t *found = malloc((most + 1) * sizeof *found);
    for (uint32_t i = 0; found && i < all && *count < most; i++)
        if (session_measurement(session, i)->kernel == kernel)
            found[(*count)++] = i;
    return found;
}

static void gather_counters(struct gathered *gathered, const struct session *session)
{
    for (enum run_mode mode = RUN_COUNTERS; mode < RUN_MODE_COUNT; mode++) {
        struct kernel_measurements *measured = &gathered->sources.measured[mode];
        if (gathered->sources.rows[mode] != NONE) {
            measured->rows = gathered->measurements[mode] =
                measurements_of(session, gathered->sources.rows[mode], &measured->count);
            gathered->there = gathered->there && measured->rows;
        }
    }
}

static void gather_rows(struct gathered *gathered, const struct session *session, uint32_t kernel, bool model)
{
    *gathered = (struct gathered){.there = true};
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++)
        gathered->sources.rows[mode] = kernel_find_row(session, kernel, mode, model);
}

static void gathered_fini(struct gathered *gathered)
{
    for (int mode = 0; mode < RUN_MODE_COUNT; mode++)
        free(gathered->measurements[mode]);
}

struct kernel_statistic kernel_statistic(const struct session *session, uint32_t kernel, enum metric metric,
                                         enum provenance provenance)
{
    if ((unsigned)metric >= METRIC_COUNT || !kernel_is_whole(session, kernel))
        return no_statistic(provenance, WHY_NOT_MEASURED);
    if (provenance == PROVENANCE_EXPECTED)
        return kernel_expected(session, kernel, metric);
    struct gathered gathered;
    gather_rows(&gathered, session, kernel, provenance == PROVENANCE_MODELLED);
    uint32_t traced = gathered.sources.rows[RUN_TRACE];
    bool of_trace = kernel_metric_of_trace(metric),
         timed = of_trace || metric == METRIC_operations_per_second || metric == METRIC_roof ||
                 metric == METRIC_roof_pct;
    if (timed && traced != NONE)
        gathered.sources.times = kernel_times(session, traced, true);
    if (!of_trace || traced == NONE)
        gather_counters(&gathered, session);
    struct kernel_statistic statistic =
        gathered.there ? kernel_statistic_of(session, &gathered.sources, metric, provenance)
                       : no_statistic(provenance, WHY_NO_MEMORY);
    gathered_fini(&gathered);
    return statistic;
}

void kernel_statistics(const struct session *session, uint32_t kernel, enum provenance provenance,
                       struct kernel_statistic statistics[METRIC_COUNT])
{
    bool whole = kernel_is_whole(session, kernel), gather = whole && provenance != PROVENANCE_EXPECTED;
    struct gathered gathered = {.there = true};
    if (gather) {
        gather_rows(&gathered, session, kernel, provenance == PROVENANCE_MODELLED);
        if (gathered.sources.rows[RUN_TRACE] != NONE)
            gathered.sources.times = kernel_times(session, gathered.sources.rows[RUN_TRACE], true);
        gather_counters(&gathered, session);
    }
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        statistics[metric] = !whole    ? no_statistic(provenance, WHY_NOT_MEASURED)
                             : !gather ? kernel_expected(session, kernel, metric)
                             : gathered.there
                                 ? kernel_statistic_of(session, &gathered.sources, metric, provenance)
                                 : no_statistic(provenance, WHY_NO_MEMORY);
    }
    gathered_fini(&gathered);
}
