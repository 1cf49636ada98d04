#include "core/metric_model.h"

#include <math.h>
#include <string.h>

#define PREFIX_BYTES (sizeof METRIC_MODEL_PREFIX - 1)
#define WHY_NOT_MODELLED "the device model does not say it"
#define WHY_NO_NUMBER "the device model gave no number for it"

struct inputs {
    const struct counter_sample *samples;
    size_t count;
};

static struct value none(const char *why)
{
    return (struct value){.provenance = PROVENANCE_MODELLED, .why = why};
}

static struct value counted(double number)
{
    return (struct value){.available = true, .provenance = PROVENANCE_MODELLED, .number = number};
}

static struct value derived(double number)
{
    struct value value = counted(number);
    value.derived = true;
    return value;
}

bool metric_is_modelled(const struct counter_sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(samples[i].counter, METRIC_MODEL_PREFIX, PREFIX_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

/* What the model counted of this metric itself. */
static struct value sample(const struct inputs *inputs, enum metric metric)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const char *name = inputs->samples[i].counter;
        if (strncmp(name, METRIC_MODEL_PREFIX, PREFIX_BYTES) != 0 ||
            strcmp(name + PREFIX_BYTES, metric_info(metric)->id) != 0) {
            continue;
        }
        return isfinite(inputs->samples[i].number) ? counted(inputs->samples[i].number) : none(WHY_NO_NUMBER);
    }
    return none(WHY_NOT_MODELLED);
}

/* more - less: sectors beyond the ideal, conflicts. */
static struct value difference(const struct inputs *inputs, enum metric more, enum metric less)
{
    struct value a = sample(inputs, more), b = sample(inputs, less);
    return !a.available ? a : !b.available ? b : derived(a.number - b.number);
}

static struct value per_request(const struct inputs *inputs, enum metric sectors, enum metric requests,
                                const char *why_none)
{
    struct value a = sample(inputs, sectors), b = sample(inputs, requests);
    if (!a.available || !b.available) {
        return !a.available ? a : b;
    }
    return b.number > 0 ? derived(a.number / b.number) : none(why_none);
}

static struct value bandwidth(const struct inputs *inputs, const struct metric_facts *facts)
{
    struct value time_ns = facts->time_ns > 0 ? counted(facts->time_ns) : sample(inputs, METRIC_time_ns);
    if (!(facts->effective_bytes > 0)) {
        return none("how many bytes this kernel has to move is not known");
    }
    if (!time_ns.available || !(time_ns.number > 0)) {
        return none("the kernel's time is not known");
    }
    return derived(facts->effective_bytes * 1e9 / time_ns.number);
}

/* Both directions, over the launch's own time. */
static struct value dram_bandwidth(const struct inputs *inputs, const struct metric_facts *facts)
{
    struct value read = sample(inputs, METRIC_dram_read_bytes),
                 write = sample(inputs, METRIC_dram_write_bytes);
    if (!read.available || !write.available) {
        return read.available ? write : read;
    }
    if (!(facts->time_ns > 0)) {
        return none("the kernel's time is not known");
    }
    return derived((read.number + write.number) * 1e9 / facts->time_ns);
}

/* The same count by another name. */
static struct value of(const struct inputs *inputs, enum metric metric)
{
    struct value value = sample(inputs, metric);
    value.derived = value.available;
    return value;
}

static struct value conflicts(const struct inputs *inputs)
{
    struct value load =
                     difference(inputs, METRIC_shared_load_wavefronts, METRIC_shared_load_ideal_wavefronts),
                 store =
                     difference(inputs, METRIC_shared_store_wavefronts, METRIC_shared_store_ideal_wavefronts);
    return !load.available ? load : !store.available ? store : derived(load.number + store.number);
}

static struct value gpu_time(const struct inputs *inputs, const struct metric_facts *facts)
{
    struct value time_ns = facts->time_ns > 0 ? counted(facts->time_ns) : sample(inputs, METRIC_time_ns);
    return time_ns.available ? derived(time_ns.number / 1000) : time_ns;
}

struct value metric_model_evaluate(enum metric metric, const struct counter_sample *samples, size_t count,
                                   const struct metric_facts *facts)
{
    struct inputs inputs = {.samples = samples, .count = count};
    struct value value =
        metric == METRIC_time_ns && facts->time_ns > 0 ? counted(facts->time_ns) : sample(&inputs, metric);
    if (value.available) {
        return value;
    }
    switch (metric) {
    case METRIC_effective_bandwidth_bytes_per_second: return bandwidth(&inputs, facts);
    case METRIC_global_load_excess_sectors:
        return difference(&inputs, METRIC_global_load_sectors, METRIC_global_load_ideal_sectors);
    case METRIC_dram_bandwidth_bytes_per_second: return dram_bandwidth(&inputs, facts);
    case METRIC_local_load: return of(&inputs, METRIC_local_load_sectors);
    case METRIC_local_store: return of(&inputs, METRIC_local_store_sectors);
    case METRIC_warp_serialize: return conflicts(&inputs);
    case METRIC_gputime: return gpu_time(&inputs, facts);
    case METRIC_cputime:
        return facts->call_ns > 0 ? derived(facts->call_ns / 1000)
                                  : none("the call that launched it is not in the trace");
    case METRIC_global_store_excess_sectors:
        return difference(&inputs, METRIC_global_store_sectors, METRIC_global_store_ideal_sectors);
    case METRIC_shared_load_conflicts:
        return difference(&inputs, METRIC_shared_load_wavefronts, METRIC_shared_load_ideal_wavefronts);
    case METRIC_shared_store_conflicts:
        return difference(&inputs, METRIC_shared_store_wavefronts, METRIC_shared_store_ideal_wavefronts);
    case METRIC_global_load_sectors_per_request:
        return per_request(&inputs, METRIC_global_load_sectors, METRIC_global_load_requests,
                           "the kernel reads no global memory");
    case METRIC_global_store_sectors_per_request:
        return per_request(&inputs, METRIC_global_store_sectors, METRIC_global_store_requests,
                           "the kernel writes no global memory");
    case METRIC_tensor_instructions: return none("the device model has no tensor cores");
    case METRIC_stall_short_scoreboard:
    case METRIC_stall_barrier:
    case METRIC_stall_wait:
    case METRIC_stall_math_pipe:
    case METRIC_stall_mio:
    case METRIC_stall_lg:
    case METRIC_stall_not_selected:
        return none(
            "the device model's times are of whole kernels: it says what waits for memory, and no more");
    default: return value;
    }
}
