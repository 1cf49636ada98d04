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
 */
#include "core/hardware/occupancy.h"
#include "core/metric/metric.h"
#include "core/metric/metric_counted.h"
#include "core/metric/metric_counters.h"
#include "core/metric/metric_model.h"

#include <math.h>
#include <string.h>

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
