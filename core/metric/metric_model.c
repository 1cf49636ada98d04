/*
 * Values of the device model: its own counts, named METRIC_MODEL_PREFIX + id; for other metrics the formula
 * of the row applied to these counts. Never MEASURED.
 */
#include "core/metric/metric_model.h"

#include "core/metric/metric_counted.h"

#include <math.h>
#include <string.h>

#define PREFIX_BYTES (sizeof METRIC_MODEL_PREFIX - 1)
#define WHY_NOT_MODELLED "the device model does not have it"
#define WHY_NO_NUMBER "the device model gave no number for it"

struct inputs {
    const struct counter_sample *samples;
    size_t count;
};

static struct value model_none(const char *why)
{
    return (struct value){.provenance = PROVENANCE_MODELLED, .why = why};
}

static struct value model_counted(double number)
{
    return (struct value){.available = true, .provenance = PROVENANCE_MODELLED, .number = number};
}

static struct value model_derived(double number)
{
    struct value value = model_counted(number);
    value.derived = true;
    return value;
}

bool metric_is_modelled(const struct counter_sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(samples[i].counter, METRIC_MODEL_PREFIX, PREFIX_BYTES) == 0)
            return true;
    return false;
}

/* The metric itself, if the model counted it. */
static struct value model_sample(const struct inputs *inputs, enum metric metric)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const char *name = inputs->samples[i].counter;
        if (strncmp(name, METRIC_MODEL_PREFIX, PREFIX_BYTES) != 0 ||
            strcmp(name + PREFIX_BYTES, metric_info(metric)->id) != 0)
            continue;
        return isfinite(inputs->samples[i].number) ? model_counted(inputs->samples[i].number)
                                                   : model_none(WHY_NO_NUMBER);
    }
    return model_none(WHY_NOT_MODELLED);
}

/* The catalogue's metric for this quantity of accesses; METRIC_COUNT: there is none. */
static enum metric metric_of_quantity(enum access_space space, enum metric_loads loads,
                                      enum access_quantity quantity)
{
    enum metric metric = 0;
    for (; metric < METRIC_COUNT; metric++) {
        const struct metric_info *info = metric_info(metric);
        if (info->how == HOW_ACCESSES && info->accesses.space == space && info->accesses.loads == loads &&
            info->accesses.quantity == quantity)
            break;
    }
    return metric;
}

/* transfers - ideal: excess sectors, or bank conflicts. */
static struct value model_excess(const struct inputs *inputs, enum access_space space,
                                 enum metric_loads loads)
{
    struct value more = model_sample(inputs, metric_of_quantity(space, loads, QUANTITY_TRANSFERS)),
                 less = model_sample(inputs, metric_of_quantity(space, loads, QUANTITY_IDEAL));
    return !more.available ? more : !less.available ? less : model_derived(more.number - less.number);
}

static struct value model_excess_both(const struct inputs *inputs, enum access_space space)
{
    struct value load = model_excess(inputs, space, LOADS), store = model_excess(inputs, space, STORES);
    return !load.available ? load : !store.available ? store : model_derived(load.number + store.number);
}

static struct value model_per_request(const struct inputs *inputs, const struct metric_accesses *accesses)
{
    struct value transfers = model_sample(
                     inputs, metric_of_quantity(accesses->space, accesses->loads, QUANTITY_TRANSFERS)),
                 requests = model_sample(
                     inputs, metric_of_quantity(accesses->space, accesses->loads, QUANTITY_REQUESTS));
    if (!transfers.available || !requests.available)
        return !transfers.available ? transfers : requests;
    return requests.number > 0 ? model_derived(transfers.number / requests.number)
                               : model_none(metric_no_accesses(accesses));
}

/* A metric that the model did not count itself; until now `value` says so. */
static struct value model_accesses(const struct inputs *inputs, const struct metric_accesses *accesses,
                                   struct value value)
{
    if (accesses->quantity == QUANTITY_EXCESS) {
        return accesses->loads == LOADS_AND_STORES ? model_excess_both(inputs, accesses->space)
                                                   : model_excess(inputs, accesses->space, accesses->loads);
    }
    return accesses->quantity == QUANTITY_PER_REQUEST ? model_per_request(inputs, accesses) : value;
}

static struct value model_bandwidth(const struct inputs *inputs, const struct metric_facts *facts)
{
    struct value time_ns =
        facts->time_ns > 0 ? model_counted(facts->time_ns) : model_sample(inputs, METRIC_time_ns);
    if (!(facts->effective_bytes > 0))
        return model_none("how many bytes this kernel has to move is not known");
    if (!time_ns.available || !(time_ns.number > 0))
        return model_none("the kernel's time is not known");
    return model_derived(facts->effective_bytes * 1e9 / time_ns.number);
}

/* Loads and stores, over the launch's own time. */
static struct value model_dram_bandwidth(const struct inputs *inputs, const struct metric_facts *facts)
{
    struct value read = model_sample(inputs, METRIC_dram_read_bytes),
                 write = model_sample(inputs, METRIC_dram_write_bytes);
    if (!read.available || !write.available)
        return read.available ? write : read;
    if (!(facts->time_ns > 0))
        return model_none("the kernel's time is not known");
    return model_derived((read.number + write.number) * 1e9 / facts->time_ns);
}

struct value metric_model_evaluate(enum metric metric, const struct counter_sample *samples, size_t count,
                                   const struct metric_facts *facts)
{
    struct inputs inputs = {.samples = samples, .count = count};
    const struct metric_info *info = metric_info(metric);
    struct value value = info->how == HOW_TIME && facts->time_ns > 0 ? model_counted(facts->time_ns)
                                                                     : model_sample(&inputs, metric);
    if (value.available)
        return value;
    switch (info->how) {
    case HOW_ACCESSES: return model_accesses(&inputs, &info->accesses, value);
    case HOW_EFFECTIVE_BANDWIDTH: return model_bandwidth(&inputs, facts);
    case HOW_DRAM_BANDWIDTH: return model_dram_bandwidth(&inputs, facts);
    case HOW_CALL:
        return facts->call_ns > 0 ? model_derived(facts->call_ns / 1000)
                                  : model_none("the call that launched it is not in the trace");
    case HOW_SCALED:
        value = metric_model_evaluate(info->of, samples, count, facts);
        return value.available ? model_derived(value.number * info->factor) : value;
    default: return info->not_modelled ? model_none(info->not_modelled) : value;
    }
}
