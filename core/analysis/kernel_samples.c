/* The value of a metric for one launch: the numbers from which kernel_metrics.c computes statistics. */
#include "core/analysis/kernel_sources.h"

#include <string.h>

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

/* The numbers of one measurement; those beyond SAMPLES_MAX are ignored. */
static size_t measurement_samples(const struct session *session, const struct measurement_row *measurement,
                                  struct counter_sample *samples)
{
    uint32_t values = session_value_count(session);
    size_t count = 0;
    for (uint32_t i = 0; i < measurement->values && count < SAMPLES_MAX; i++) {
        uint64_t index = (uint64_t)measurement->first_value + i;
        if (index >= values)
            break;
        const struct value_row *value = session_value(session, (uint32_t)index);
        samples[count++] = (struct counter_sample){session_string(session, value->counter), value->number};
    }
    return count;
}

uint32_t kernel_counted_numbers(const struct session *session, const struct kernel_sources *sources,
                                enum run_mode mode, enum metric metric, enum provenance provenance,
                                double *numbers, struct value *last)
{
    struct metric_facts facts = kernel_facts(session, sources->rows[mode]);
    const struct kernel_measurements *measured = &sources->measured[mode];
    struct counter_sample samples[SAMPLES_MAX];
    const char *why = WHY_NOT_MEASURED;
    uint32_t found = 0;
    struct value all = {.provenance = provenance};
    for (uint32_t i = 0; i < measured->count; i++) {
        const struct measurement_row *measurement = session_measurement(session, measured->rows[i]);
        size_t sample_count = measurement_samples(session, measurement, samples);
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
