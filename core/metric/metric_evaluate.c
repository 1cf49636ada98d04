/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes values from counter samples.
 *
 * The counters are sums over a launch's instructions; ideals are sums of ceilings and can only be bracketed
 * by them. With, for one direction, R requests, S sectors, B distinct bytes (CUPTI counts a byte that many
 * lanes want once), and per request i b bytes in 1 ... 32 x width: max(R, ceil(B / 32)) <= sum ceil(b / 32)
 * <= min(S, (B + (32 - g) R) / 32, most sectors by width). Here g is the narrowest width in use: bytes are
 * multiples of g, which is at least 4 unless 1- and 2-byte instructions were executed. A request of at most 4
 * bytes a lane has at most 4 ideal sectors, of 8 at most 8, of 16 at most 16. The ideal given is the upper
 * bound. Both bounds are equal when all lanes take part and no generic instruction was executed; the bytes of
 * a generic instruction count as global ones whatever memory it accesses
 * (tests/data/parity/kernels_h200.csv). The same holds for shared memory: an instruction of at most 4 bytes a
 * lane has ideal 1, of 8 at most 2, of 16 at most 4.
 *
 * struct counted is the counters of one launch by name. A counter that was not taken, or that is no number,
 * makes the value unavailable; a sum over several counters keeps the first reason.
 *
 * Metrics that follow from the accesses to memory alone, by one formula for the counts of rules (expected)
 * and of the device model (modelled).
 *
 * Values of the device model: its own counts, named METRIC_MODEL_PREFIX + id; for other metrics the formula
 * of the row applied to these counts. Never MEASURED.
 */
#include "core/hardware/occupancy.h"
#include "core/metric/metric.h"
#include "core/metric/metric_counters.h"

#include <math.h>
#include <string.h>

#define WHY_NOT_TAKEN "its counters were not taken for this launch"

struct counted {
    const struct counter_sample *samples;
    size_t count;
    const char *why; /* the first reason; NULL: all counters read so far are available */
};

/* ---- counters of one launch by name ---- */

#define WHY_NOT_A_NUMBER "the GPU gave no number for one of its counters"

/* MEASURED values. */
static struct value value_none(const char *why)
{
    return (struct value){.provenance = PROVENANCE_MEASURED, .why = why};
}

static struct value value_measured(double number)
{
    return (struct value){.available = true, .provenance = PROVENANCE_MEASURED, .number = number};
}

static struct value value_derived(double number)
{
    return (struct value){
        .available = true, .derived = true, .provenance = PROVENANCE_MEASURED, .number = number};
}

static const struct counter_sample *counted_find(const struct counted *counted, const char *counter)
{
    for (size_t i = 0; i < counted->count; i++)
        if (strcmp(counted->samples[i].counter, counter) == 0)
            return &counted->samples[i];
    return NULL;
}

/* The counter's number, by its name or its alternative name on some chips. If it is not available or not a
 * number: 0, and `why` is set. */
static double counted_number(struct counted *counted, const char *counter)
{
    const struct counter_sample *sample = counted_find(counted, counter);
    const char *alias = sample ? NULL : metric_counter_alias(counter);
    if (alias)
        sample = counted_find(counted, alias);
    if (sample && isfinite(sample->number))
        return sample->number;
    if (sample)
        counted->why = WHY_NOT_A_NUMBER;
    else if (!counted->why)
        counted->why = WHY_NOT_TAKEN;
    return 0;
}

/* The same, but 0 for a counter that is missing because the chip lacks the hardware that it counts. */
static double counted_if_there(const struct counted *counted, const char *counter)
{
    struct counted quiet = *counted;
    return counted_number(&quiet, counter);
}

static struct value counted_value(struct counted *counted, const char *counter)
{
    double number = counted_number(counted, counter);
    return counted->why ? value_none(counted->why) : value_measured(number);
}

/* ---- metrics of accesses ---- */

/* Why a ratio over accesses has no value: there were none. */
static const char *metric_no_accesses(const struct metric_accesses *accesses)
{
    return accesses->loads == LOADS ? "the kernel reads no global memory"
                                    : "the kernel writes no global memory";
}

bool metric_follows_from_accesses(enum metric metric)
{
    const struct metric_info *info = metric_info(metric);
    return info->how == HOW_ACCESSES || (info->how == HOW_SCALED && metric_follows_from_accesses(info->of));
}

static double counts_quantity(const struct access_counts *counts, enum access_quantity quantity)
{
    switch (quantity) {
    case QUANTITY_REQUESTS: return (double)counts->requests;
    case QUANTITY_TRANSFERS: return (double)counts->transfers;
    case QUANTITY_IDEAL: return (double)counts->ideal_transfers;
    case QUANTITY_EXCESS: return (double)(counts->transfers - counts->ideal_transfers);
    case QUANTITY_PER_REQUEST: return (double)counts->transfers / (double)counts->requests;
    case QUANTITY_BYTES_RATIO: return (double)counts->bytes_wanted / (double)counts->bytes_moved;
    case QUANTITY_COHERENT: return (double)counts->coherent;
    case QUANTITY_INCOHERENT: return (double)counts->incoherent;
    }
    return 0;
}

/* Is the denominator of a ratio zero? */
static bool counts_divide_by_zero(const struct access_counts *counts, enum access_quantity quantity)
{
    return (quantity == QUANTITY_PER_REQUEST && counts->requests == 0) ||
           (quantity == QUANTITY_BYTES_RATIO && counts->bytes_moved == 0);
}

struct value metric_of_accesses(enum metric metric, const struct access_totals *totals,
                                enum provenance provenance)
{
    const struct metric_info *info = metric_info(metric);
    struct value value = {.provenance = provenance};
    if (info->how == HOW_SCALED && metric_follows_from_accesses(info->of)) {
        value = metric_of_accesses(info->of, totals, provenance);
        value.number *= info->factor;
        value.derived = value.available;
        return value;
    }
    if (info->how != HOW_ACCESSES) {
        value.why = "no rule gives an expected value";
        return value;
    }
    const struct metric_accesses *accesses = &info->accesses;
    for (int store = 0; store < 2; store++) {
        const struct access_counts *counts = &totals->of[accesses->space][store];
        if (accesses->loads != LOADS_AND_STORES && (accesses->loads == STORES) != (store == 1))
            continue;
        if (counts->data_dependent || counts_divide_by_zero(counts, accesses->quantity)) {
            value.why =
                counts->data_dependent ? "its accesses depend on the data" : metric_no_accesses(accesses);
            return value;
        }
        value.number += counts_quantity(counts, accesses->quantity);
    }
    value.available = true;
    value.derived = info->derived;
    return value;
}

/* ---- counts of the device model ---- */

#define PREFIX_BYTES (sizeof METRIC_MODEL_PREFIX - 1)
#define WHY_NOT_MODELLED "the device model does not have it"
#define WHY_NO_NUMBER "the device model gave no number for it"

struct inputs {
    const struct counter_sample *samples;
    size_t count;
    const uint16_t *metrics; /* as in struct metric_facts */
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

enum metric metric_of_model_counter(const char *counter)
{
    return strncmp(counter, METRIC_MODEL_PREFIX, PREFIX_BYTES) == 0 ? metric_find(counter + PREFIX_BYTES)
                                                                    : METRIC_COUNT;
}

static bool sample_is_of(const struct inputs *inputs, size_t i, enum metric metric)
{
    const char *name = inputs->samples[i].counter;
    if (inputs->metrics)
        return inputs->metrics[i] == metric + 1u;
    return strncmp(name, METRIC_MODEL_PREFIX, PREFIX_BYTES) == 0 &&
           strcmp(name + PREFIX_BYTES, metric_info(metric)->id) == 0;
}

/* The metric itself, if the model counted it. */
static struct value model_sample(const struct inputs *inputs, enum metric metric)
{
    for (size_t i = 0; i < inputs->count; i++) {
        if (!sample_is_of(inputs, i, metric))
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

/* PROVENANCE_MODELLED; does not handle metrics that follow from the launch's shape. */
static struct value metric_model_evaluate(enum metric metric, const struct counter_sample *samples,
                                          size_t count, const struct metric_facts *facts)
{
    struct inputs inputs = {.samples = samples, .count = count, .metrics = facts->model_metrics};
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

/* ---- global memory ---- */
struct global {
    double requests, sectors, bytes;
};

static struct global global_samples(struct counted *counted, bool load, bool requests, bool bytes)
{
    struct global global = {0};
    if (requests) {
        global.requests =
            counted_number(counted, load ? COUNTER_GLOBAL_REQUESTS(ld) : COUNTER_GLOBAL_REQUESTS(st));
    }
    global.sectors = counted_number(counted, load ? COUNTER_GLOBAL_SECTORS(ld) : COUNTER_GLOBAL_SECTORS(st));
    if (bytes)
        global.bytes = counted_number(counted, load ? COUNTER_GLOBAL_BYTES(ld) : COUNTER_GLOBAL_BYTES(st));
    if (load) {
        global.sectors += counted_if_there(counted, COUNTER_GLOBAL_SECTORS(ldgsts));
        global.bytes += bytes ? counted_if_there(counted, COUNTER_GLOBAL_BYTES(ldgsts)) : 0;
    }
    return global;
}

/* Instructions to all spaces by width: bounds how many of `instructions` can be wide. */
struct widths {
    double narrow, two, eight, sixteen;
};

static struct widths width_samples(struct counted *counted)
{
    return (struct widths){.narrow = counted_number(counted, COUNTER_WIDTH(8)),
                           .two = counted_number(counted, COUNTER_WIDTH(16)),
                           .eight = counted_number(counted, COUNTER_WIDTH(64)),
                           .sixteen = counted_number(counted, COUNTER_WIDTH(128))};
}

/* The most transfers that `instructions` can need, if one of up to 4 bytes per lane needs at most `unit`, one
 * of 8 bytes twice that, and one of 16 bytes four times. */
static double most_by_width(double instructions, double unit, double eight, double sixteen)
{
    double of_sixteen = fmin(instructions, sixteen);
    double of_eight = fmin(instructions - of_sixteen, eight);
    return unit * (instructions + of_eight + 3 * of_sixteen);
}

/* The largest possible ideal; *exact: the ideal is this number. */
static double ideal_sectors(const struct global *global, const struct widths *widths, bool *exact)
{
    double least = fmax(global->requests, ceil(global->bytes / 32));
    double multiple = widths->narrow > 0 ? 1 : widths->two > 0 ? 2 : 4;
    double most = floor((global->bytes + (32 - multiple) * global->requests) / 32);
    double by_width = most_by_width(global->requests, 4, widths->eight, widths->sixteen);
    if (by_width >= least) /* else some have a width that is not counted (32 bytes a lane since 10.0) */
        most = fmin(most, by_width);
    most = fmin(most, global->sectors);
    *exact = most <= least;
    return most;
}

/* The given ideal is an upper bound, so the excess is a lower bound. */
static struct value value_bounded(double number, bool exact, enum value_bound bound)
{
    struct value value = value_derived(number);
    value.bound = exact ? VALUE_EXACT : bound;
    return value;
}

/* How many requests touch more sectors than they need, or, if `coherent`, no more. A request has at most 63
 * sectors too many (32 lanes over two sectors each), so the excess bounds the number. */
static struct value requests_apart(double requests, double excess, bool exact_excess, bool coherent)
{
    double most = exact_excess ? fmin(requests, excess) : requests, least = ceil(excess / 63);
    enum value_bound bound = least >= most ? VALUE_EXACT : coherent ? VALUE_AT_LEAST : VALUE_AT_MOST;
    struct value value = value_derived(coherent ? requests - most : most);
    value.bound = bound;
    return value;
}

static struct value evaluate_global(struct counted *counted, bool load, enum access_quantity quantity)
{
    bool apart = quantity == QUANTITY_COHERENT || quantity == QUANTITY_INCOHERENT;
    bool ideal = quantity == QUANTITY_IDEAL || quantity == QUANTITY_EXCESS || apart;
    if (quantity == QUANTITY_REQUESTS)
        return counted_value(counted, load ? COUNTER_GLOBAL_REQUESTS(ld) : COUNTER_GLOBAL_REQUESTS(st));
    struct global global = global_samples(counted, load, ideal || quantity == QUANTITY_PER_REQUEST,
                                          ideal || quantity == QUANTITY_BYTES_RATIO);
    struct widths widths = {0};
    double generic = 0;
    if (ideal) {
        widths = width_samples(counted);
        generic = counted_number(counted, load ? COUNTER_GENERIC(ld) : COUNTER_GENERIC(st));
    }
    if (counted->why)
        return value_none(counted->why);
    double denominator = quantity == QUANTITY_BYTES_RATIO ? 32 * global.sectors : global.requests;
    bool exact = true;
    double most = ideal ? ideal_sectors(&global, &widths, &exact) : 0;
    exact = exact && generic <= 0;
    switch (quantity) {
    case QUANTITY_TRANSFERS: return value_measured(global.sectors);
    case QUANTITY_IDEAL: return value_bounded(most, exact, VALUE_AT_MOST);
    case QUANTITY_EXCESS: return value_bounded(global.sectors - most, exact, VALUE_AT_LEAST);
    case QUANTITY_COHERENT:
    case QUANTITY_INCOHERENT:
        return requests_apart(global.requests, global.sectors - most, exact, quantity == QUANTITY_COHERENT);
    default: break;
    }
    if (denominator <= 0)
        return value_none(load ? "the kernel reads no global memory" : "the kernel writes no global memory");
    return value_derived((quantity == QUANTITY_BYTES_RATIO ? global.bytes : global.sectors) / denominator);
}

/* ---- shared memory ---- */
static struct value evaluate_shared(struct counted *counted, bool load, enum access_quantity quantity)
{
    double wavefronts =
        counted_number(counted, load ? COUNTER_SHARED_WAVEFRONTS(ld) : COUNTER_SHARED_WAVEFRONTS(st));
    double instructions =
        counted_number(counted, load ? COUNTER_SHARED_INSTRUCTIONS(ld) : COUNTER_SHARED_INSTRUCTIONS(st));
    double most = most_by_width(instructions, 1, counted_number(counted, COUNTER_WIDTH(64)),
                                counted_number(counted, COUNTER_WIDTH(128)));
    if (counted->why)
        return value_none(counted->why);
    double ideal = fmin(most, wavefronts);
    bool exact = ideal <= instructions;
    return quantity == QUANTITY_EXCESS ? value_bounded(wavefronts - ideal, exact, VALUE_AT_LEAST)
                                       : value_bounded(ideal, exact, VALUE_AT_MOST);
}

/* Extra wavefronts of loads and stores. */
static struct value evaluate_shared_both(struct counted *counted)
{
    struct value load = evaluate_shared(counted, true, QUANTITY_EXCESS);
    struct value store = load.available ? evaluate_shared(counted, false, QUANTITY_EXCESS) : load;
    if (!store.available)
        return store;
    store.bound = load.bound != VALUE_EXACT ? load.bound : store.bound;
    store.number += load.number;
    return store;
}

static struct value evaluate_accesses(struct counted *counted, const struct metric_info *info)
{
    const struct metric_accesses *accesses = &info->accesses;
    bool load = accesses->loads == LOADS;
    if (accesses->space == ACCESS_GLOBAL)
        return evaluate_global(counted, load, accesses->quantity);
    if (accesses->loads == LOADS_AND_STORES)
        return evaluate_shared_both(counted);
    if (accesses->quantity == QUANTITY_IDEAL || accesses->quantity == QUANTITY_EXCESS)
        return evaluate_shared(counted, load, accesses->quantity);
    return counted_value(counted, info->counters[0]);
}

/* ---- arithmetic ---- */
static struct value evaluate_sum(struct counted *counted, const struct metric_info *info)
{
    double number = 0;
    for (size_t i = 0; i < METRIC_COUNTERS_MAX && info->counters[i]; i++)
        number += info->weights[i] * counted_number(counted, info->counters[i]);
    return counted->why ? value_none(counted->why) : value_measured(number);
}

static struct value evaluate_peak(const struct metric_facts *facts, bool of_doubles)
{
    struct value value = {.derived = true, .provenance = PROVENANCE_EXPECTED};
    if (!facts->arch || !(facts->multiprocessor_hz > 0)) {
        value.why = "the device's compute capability, multiprocessors or clock are not known";
        return value;
    }
    uint16_t lanes = of_doubles ? facts->arch->double_lanes : facts->arch->float_lanes;
    value.available = lanes > 0;
    value.number = 2.0 * lanes * facts->multiprocessor_hz;
    value.why = lanes > 0 ? NULL : "this compute capability has no double precision";
    return value;
}

/* L1 and shared memory have one array of banks from 7.0 on; before, L1's bandwidth is not documented. */
#define L1_IN_BANKS_FROM 70

static struct value evaluate_l1_bandwidth(const struct metric_facts *facts)
{
    struct value value = {.derived = true, .provenance = PROVENANCE_EXPECTED};
    if (!facts->arch || !(facts->multiprocessor_hz > 0)) {
        value.why = "the device's compute capability, multiprocessors or clock are not known";
        return value;
    }
    value.available = facts->arch->compute_capability >= L1_IN_BANKS_FROM;
    value.number = (double)facts->arch->banks * facts->arch->bank_bytes * facts->multiprocessor_hz;
    value.why = value.available ? NULL : "L1's bandwidth before compute capability 7.0 is not documented";
    return value;
}

/* ---- the rest ---- */
static struct value evaluate_hit_rate(struct counted *counted, const char *counter)
{
    double number = counted_number(counted, counter);
    if (counted->why)
        return value_none(counted->why);
    if (number < 0 || number > 100) {
        return value_none(
            "hits and lookups come from different replays of the kernel and did not fit together");
    }
    return value_measured(number);
}

static struct value evaluate_share(struct counted *counted, const struct metric_info *info)
{
    double part = counted_number(counted, info->counters[0]),
           whole = counted_number(counted, info->counters[1]);
    if (counted->why)
        return value_none(counted->why);
    if (!(whole > 0))
        return value_none(info->zero);
    return value_measured(fmin(100 * part / whole, 100));
}

static struct value evaluate_time(struct counted *counted, const struct metric_facts *facts)
{
    if (facts->time_ns > 0)
        return value_measured(facts->time_ns);
    double time_ns = counted_number(counted, COUNTER_TIME);
    return counted->why ? value_none("the kernel's time is not known") : value_measured(time_ns);
}

static struct value evaluate_bandwidth(struct counted *counted, const struct metric_facts *facts)
{
    if (!(facts->effective_bytes > 0))
        return value_none("how many bytes this kernel has to move is not known");
    struct value time_ns = evaluate_time(counted, facts);
    if (!time_ns.available || !(time_ns.number > 0))
        return value_none("the kernel's time is not known");
    return value_derived(facts->effective_bytes * 1e9 / time_ns.number);
}

static struct value evaluate_dram_bandwidth(struct counted *counted, const struct metric_facts *facts)
{
    double bytes = counted_number(counted, COUNTER_DRAM_READ) + counted_number(counted, COUNTER_DRAM_WRITE);
    if (counted->why)
        return value_none(counted->why);
    struct value time_ns = evaluate_time(counted, facts);
    if (!time_ns.available || !(time_ns.number > 0))
        return value_none("the kernel's time was not taken with its DRAM bytes");
    return value_derived(bytes * 1e9 / time_ns.number);
}

static struct value evaluate_theoretical_bandwidth(const struct metric_facts *facts)
{
    bool known = facts->theoretical_bytes_per_second > 0;
    return (struct value){.available = known,
                          .derived = true,
                          .provenance = PROVENANCE_EXPECTED,
                          .number = facts->theoretical_bytes_per_second,
                          .why = known ? NULL : "the device's memory clock or bus width is not known"};
}

static struct value evaluate_blocks(const struct metric_facts *facts)
{
    bool known = facts->blocks > 0;
    return (struct value){.available = known,
                          .derived = true,
                          .provenance = PROVENANCE_EXPECTED,
                          .number = facts->blocks,
                          .why = known ? NULL : "the launch's grid is not known"};
}

static struct value value_scaled(struct value value, double by)
{
    value.number *= by;
    value.derived = true;
    return value;
}

static struct value evaluate_call(const struct metric_facts *facts)
{
    return facts->call_ns > 0 ? value_derived(facts->call_ns / 1000)
                              : value_none("the call that launched it is not in the trace");
}

static struct value evaluate_occupancy(const struct metric_facts *facts, bool limiter)
{
    struct value value = {.derived = true, .provenance = PROVENANCE_EXPECTED};
    if (!facts->arch) {
        value.why = "the limits of this compute capability are not known";
        return value;
    }
    if (facts->threads_per_block == 0 || facts->registers_per_thread == 0) {
        value.why = "the launch's block size or registers are not known";
        return value;
    }
    struct occupancy_input input = {.threads_per_block = facts->threads_per_block,
                                    .registers_per_thread = facts->registers_per_thread,
                                    .shared_bytes_per_block =
                                        facts->static_shared_bytes + facts->dynamic_shared_bytes,
                                    .shared_bytes_available = facts->shared_config_bytes};
    struct occupancy occupancy = occupancy_compute(facts->arch, &input);
    value.available = true;
    value.number = limiter ? 0 : occupancy.percent;
    value.word = limiter ? occupancy_limiter_text(occupancy.limiter) : NULL;
    return value;
}

static struct value evaluate_launch(const struct metric_info *info, const struct metric_facts *facts)
{
    struct value value = {0};
    switch (info->fact) {
    case FACT_BANDWIDTH: value = evaluate_theoretical_bandwidth(facts); break;
    case FACT_OCCUPANCY: value = evaluate_occupancy(facts, false); break;
    case FACT_OCCUPANCY_LIMITER: value = evaluate_occupancy(facts, true); break;
    case FACT_BLOCKS: value = evaluate_blocks(facts); break;
    case FACT_PEAK_FLOAT: value = evaluate_peak(facts, false); break;
    case FACT_PEAK_DOUBLE: value = evaluate_peak(facts, true); break;
    case FACT_L1_BANDWIDTH: value = evaluate_l1_bandwidth(facts); break;
    }
    return info->factor > 0 ? value_scaled(value, info->factor) : value;
}

static struct value evaluate_combined(enum metric metric, const struct counter_sample *list, size_t count,
                                      const struct metric_facts *facts)
{
    struct value values[METRIC_INPUTS_MAX];
    size_t input_count;
    const struct metric_input *inputs = metric_inputs(metric, &input_count);
    for (size_t i = 0; i < input_count; i++)
        values[i] = metric_evaluate(inputs[i].metric, list, count, facts);
    return metric_combine(metric, values, facts->arch);
}

static struct value evaluate_counted(struct counted *counted, const struct metric_info *info,
                                     const struct counter_sample *list, size_t count,
                                     const struct metric_facts *facts)
{
    switch (info->how) {
    case HOW_COUNTER: return counted_value(counted, info->counters[0]);
    case HOW_SUM: return evaluate_sum(counted, info);
    case HOW_HIT_RATE: return evaluate_hit_rate(counted, info->counters[0]);
    case HOW_SHARE: return evaluate_share(counted, info);
    case HOW_ACCESSES: return evaluate_accesses(counted, info);
    case HOW_TIME: return evaluate_time(counted, facts);
    case HOW_EFFECTIVE_BANDWIDTH: return evaluate_bandwidth(counted, facts);
    case HOW_DRAM_BANDWIDTH: return evaluate_dram_bandwidth(counted, facts);
    case HOW_CALL: return evaluate_call(facts);
    case HOW_LAUNCH: return evaluate_launch(info, facts);
    case HOW_SCALED: return value_scaled(metric_evaluate(info->of, list, count, facts), info->factor);
    case HOW_COMBINED: break;
    }
    return value_none("there is no such metric");
}

struct value metric_evaluate(enum metric metric, const struct counter_sample *list, size_t count,
                             const struct metric_facts *facts)
{
    const struct metric_info *info = metric_info(metric);
    struct counted counted = {.samples = list, .count = count};
    if (!info)
        return value_none("there is no such metric");
    if (info->how == HOW_COMBINED)
        return evaluate_combined(metric, list, count, facts);
    if (info->how != HOW_LAUNCH && metric_is_modelled(list, count))
        return metric_model_evaluate(metric, list, count, facts);
    struct value value = evaluate_counted(&counted, info, list, count, facts);
    if (!value.available && info->not_asked && strcmp(value.why, WHY_NOT_TAKEN) == 0)
        value.why = info->not_asked;
    return value;
}
