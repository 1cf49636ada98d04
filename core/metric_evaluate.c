/*
 * From counter samples to values.
 *
 * The counters are sums over a launch's instructions; ideals are sums of ceilings and can only be bracketed
 * by them. With, for one direction, R requests, S sectors, B distinct bytes (CUPTI counts a byte that many
 * lanes want once), and per request i b bytes in 1 ... 32 x width: max(R, ceil(B / 32)) <= sum ceil(b / 32)
 * <= min(S, (B + (32 - g) R) / 32, most sectors by width) g: bytes are multiples of the narrowest width in
 * use, 4 at least unless 1- and 2-byte instructions were executed. A request of at most 4 bytes a lane has at
 * most 4 ideal sectors, of 8 at most 8, of 16 at most 16. The ideal given is the upper end: both ends meet
 * when all lanes take part, and no generic instruction was executed: its bytes count as global ones whatever
 * memory it meets (tests/data/parity/kernels_h200.csv). Shared memory likewise: an instruction of at most 4
 * bytes a lane has ideal 1, of 8 at most 2, of 16 at most 4.
 */
#include "core/metric.h"
#include "core/metric_counted.h"
#include "core/metric_counters.h"
#include "core/metric_model.h"
#include "core/occupancy.h"

#include <math.h>
#include <string.h>

#define WHY_NOT_ASKED "it costs a pass and is taken when asked: --counters +stalls"
#define WHY_NOT_ASKED_TENSOR "it is taken when asked: --counters +tensor_instructions"

/* ---- global memory ---- */
struct global {
    double requests, sectors, bytes;
};

static struct global global_samples(struct counted *counted, bool load, bool requests, bool bytes)
{
    struct global global = {0};
    if (requests) {
        global.requests = counted_number(counted, load ? COUNTER_GLOBAL_REQUESTS(ld) : COUNTER_GLOBAL_REQUESTS(st));
    }
    global.sectors = counted_number(counted, load ? COUNTER_GLOBAL_SECTORS(ld) : COUNTER_GLOBAL_SECTORS(st));
    if (bytes) {
        global.bytes = counted_number(counted, load ? COUNTER_GLOBAL_BYTES(ld) : COUNTER_GLOBAL_BYTES(st));
    }
    if (load) {
        global.sectors += counted_if_there(counted, COUNTER_GLOBAL_SECTORS(ldgsts));
        global.bytes += bytes ? counted_if_there(counted, COUNTER_GLOBAL_BYTES(ldgsts)) : 0;
    }
    return global;
}

/* Instructions of all spaces by width: how many of `instructions` may be wide ones. */
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

/* The most units `instructions` can need when one of up to 4 bytes a lane needs at most `unit`, of 8 twice
 * and of 16 four times that. */
static double most_by_width(double instructions, double unit, double eight, double sixteen)
{
    double of_sixteen = fmin(instructions, sixteen);
    double of_eight = fmin(instructions - of_sixteen, eight);
    return unit * (instructions + of_eight + 3 * of_sixteen);
}

/* The most that the ideal can be; *exact: it is that. */
static double ideal_sectors(const struct global *global, const struct widths *widths, bool *exact)
{
    double least = fmax(global->requests, ceil(global->bytes / 32));
    double multiple = widths->narrow > 0 ? 1 : widths->two > 0 ? 2 : 4;
    double most = floor((global->bytes + (32 - multiple) * global->requests) / 32);
    double by_width = most_by_width(global->requests, 4, widths->eight, widths->sixteen);
    if (by_width >= least) { /* else there are instructions wider than those that are counted (32 bytes a lane
                                since 10.0) */
        most = fmin(most, by_width);
    }
    most = fmin(most, global->sectors);
    *exact = most <= least;
    return most;
}

/* An ideal is at most, and so the excess at least, what is given. */
static struct value value_bounded(double number, bool exact, enum value_bound bound)
{
    struct value value = value_derived(number);
    value.bound = exact ? VALUE_EXACT : bound;
    return value;
}

/* Between how many and how many requests have sectors beyond the fewest: each has one at least and 63 at most
 * (32 lanes over two sectors each). The most, in `bound`s of the count asked for. */
static struct value requests_apart(double requests, double excess, bool exact_excess, bool coherent)
{
    double most = exact_excess ? fmin(requests, excess) : requests, least = ceil(excess / 63);
    enum value_bound bound = least >= most ? VALUE_EXACT : coherent ? VALUE_AT_LEAST : VALUE_AT_MOST;
    struct value value = value_derived(coherent ? requests - most : most);
    value.bound = bound;
    return value;
}

enum global_part {
    GLOBAL_REQUESTS,
    GLOBAL_SECTORS,
    GLOBAL_IDEAL,
    GLOBAL_EXCESS,
    GLOBAL_PER_REQUEST,
    GLOBAL_BYTES,
    GLOBAL_COHERENT,
    GLOBAL_INCOHERENT
};

static struct value evaluate_global(struct counted *counted, bool load, enum global_part part)
{
    bool apart = part == GLOBAL_COHERENT || part == GLOBAL_INCOHERENT;
    bool ideal = part == GLOBAL_IDEAL || part == GLOBAL_EXCESS || apart;
    if (part == GLOBAL_REQUESTS) {
        return counted_value(counted, load ? COUNTER_GLOBAL_REQUESTS(ld) : COUNTER_GLOBAL_REQUESTS(st));
    }
    struct global global =
        global_samples(counted, load, ideal || part == GLOBAL_PER_REQUEST, ideal || part == GLOBAL_BYTES);
    struct widths widths = {0};
    double generic = 0;
    if (ideal) {
        widths = width_samples(counted);
        generic = counted_number(counted, load ? COUNTER_GENERIC(ld) : COUNTER_GENERIC(st));
    }
    if (counted->why) {
        return value_none(counted->why);
    }
    double denominator = part == GLOBAL_BYTES ? 32 * global.sectors : global.requests;
    bool exact = true;
    double most = ideal ? ideal_sectors(&global, &widths, &exact) : 0;
    exact = exact && generic <= 0;
    switch (part) {
    case GLOBAL_SECTORS: return value_measured(global.sectors);
    case GLOBAL_IDEAL: return value_bounded(most, exact, VALUE_AT_MOST);
    case GLOBAL_EXCESS: return value_bounded(global.sectors - most, exact, VALUE_AT_LEAST);
    case GLOBAL_COHERENT:
    case GLOBAL_INCOHERENT:
        return requests_apart(global.requests, global.sectors - most, exact, part == GLOBAL_COHERENT);
    default: break;
    }
    if (denominator <= 0) {
        return value_none(load ? "the kernel reads no global memory" : "the kernel writes no global memory");
    }
    return value_derived((part == GLOBAL_BYTES ? global.bytes : global.sectors) / denominator);
}

/* ---- shared memory ---- */
/* with_generic: an older recording's count is to take in generic accesses, as the wavefronts do. */
static double shared_instructions(struct counted *counted, bool load, bool with_generic)
{
    const char *counter = load ? COUNTER_SHARED_INSTRUCTIONS(ld) : COUNTER_SHARED_INSTRUCTIONS(st);
    const char *older =
        load ? COUNTER_SHARED_INSTRUCTIONS_PREDICATED(ld) : COUNTER_SHARED_INSTRUCTIONS_PREDICATED(st);
    if (counted_has(counted, counter) || !counted_has(counted, older)) {
        return counted_number(counted, counter);
    }
    double number = counted_number(counted, older);
    return with_generic ? number + counted_number(counted, load ? COUNTER_GENERIC(ld) : COUNTER_GENERIC(st)) : number;
}

static struct value evaluate_shared_instructions(struct counted *counted, bool load)
{
    double number = shared_instructions(counted, load, false);
    return counted->why ? value_none(counted->why) : value_measured(number);
}

static struct value evaluate_shared(struct counted *counted, bool load, bool conflicts)
{
    double wavefronts = counted_number(counted, load ? COUNTER_SHARED_WAVEFRONTS(ld) : COUNTER_SHARED_WAVEFRONTS(st));
    double instructions = shared_instructions(counted, load, true);
    double most = most_by_width(instructions, 1, counted_number(counted, COUNTER_WIDTH(64)),
                                counted_number(counted, COUNTER_WIDTH(128)));
    if (counted->why) {
        return value_none(counted->why);
    }
    double ideal = fmin(most, wavefronts);
    bool exact = ideal <= instructions;
    return conflicts ? value_bounded(wavefronts - ideal, exact, VALUE_AT_LEAST)
                     : value_bounded(ideal, exact, VALUE_AT_MOST);
}

/* ---- arithmetic ---- */
static struct value evaluate_operations(struct counted *counted, const char *add, const char *multiply,
                                        const char *fused)
{
    double number = counted_number(counted, add) + counted_number(counted, multiply) + 2 * counted_number(counted, fused);
    return counted->why ? value_none(counted->why) : value_measured(number);
}
#define EVALUATE_OPERATIONS(counted, kind)                                                   \
    evaluate_operations(counted, COUNTER_OPERATION(kind##add), COUNTER_OPERATION(kind##mul), \
                        COUNTER_OPERATION(kind##fma))

static struct value evaluate_wide(struct counted *counted)
{
    double number = counted_number(counted, COUNTER_WIDTH(64)) + counted_number(counted, COUNTER_WIDTH(128));
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

/* ---- what is taken when asked ---- */
static struct value evaluate_asked(struct counted *counted, const char *counter, const char *how)
{
    double number = counted_number(counted, counter);
    if (counted->why) {
        return value_none(strcmp(counted->why, WHY_NOT_TAKEN) == 0 ? how : counted->why);
    }
    return value_measured(number);
}

/* ---- the rest ---- */
static struct value evaluate_hit_rate(struct counted *counted, const char *counter)
{
    double number = counted_number(counted, counter);
    if (counted->why) {
        return value_none(counted->why);
    }
    if (number < 0 || number > 100) {
        return value_none(
            "hits and lookups come from different replays of the kernel and did not fit together");
    }
    return value_measured(number);
}

/* The slice with the most passes, of the cycles that the L2's clock ran. */
static struct value evaluate_busiest(struct counted *counted)
{
    double passes = counted_number(counted, COUNTER_ATOMIC_PASSES(max)),
           cycles = counted_number(counted, COUNTER_L2_CYCLES);
    if (counted->why) {
        return value_none(counted->why);
    }
    if (!(cycles > 0)) {
        return value_none("the L2 counted no cycles");
    }
    return value_measured(fmin(100 * passes / cycles, 100));
}

static struct value evaluate_time(struct counted *counted, const struct metric_facts *facts)
{
    if (facts->time_ns > 0) {
        return value_measured(facts->time_ns);
    }
    double time_ns = counted_number(counted, COUNTER_TIME);
    return counted->why ? value_none("the kernel's time is not known") : value_measured(time_ns);
}

static struct value evaluate_bandwidth(struct counted *counted, const struct metric_facts *facts)
{
    if (!(facts->effective_bytes > 0)) {
        return value_none("how many bytes this kernel has to move is not known");
    }
    struct value time_ns = evaluate_time(counted, facts);
    if (!time_ns.available || !(time_ns.number > 0)) {
        return value_none("the kernel's time is not known");
    }
    return value_derived(facts->effective_bytes * 1e9 / time_ns.number);
}

static struct value evaluate_dram_bandwidth(struct counted *counted, const struct metric_facts *facts)
{
    struct counted others = *counted; /* the chip's name for the bytes decides */
    double bytes = counted_number(counted, COUNTER_DRAM_READ) + counted_number(counted, COUNTER_DRAM_WRITE);
    if (counted->why) {
        bytes = counted_number(&others, COUNTER_DRAM_READ_GB20X) + counted_number(&others, COUNTER_DRAM_WRITE_GB20X);
        if (others.why) {
            return value_none(counted->why);
        }
    }
    others.why = NULL;
    struct value time_ns = evaluate_time(&others, facts);
    if (!time_ns.available || !(time_ns.number > 0)) {
        return value_none("the kernel's time was not taken with its DRAM bytes");
    }
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

/* Extra wavefronts of loads and stores. */
static struct value evaluate_serialize(struct counted *counted)
{
    struct value load = evaluate_shared(counted, true, true);
    struct value store = load.available ? evaluate_shared(counted, false, true) : load;
    if (!store.available) {
        return store;
    }
    store.bound = load.bound != VALUE_EXACT ? load.bound : store.bound;
    store.number += load.number;
    return store;
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

static struct value scaled(struct value value, double by)
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

struct value metric_evaluate(enum metric metric, const struct counter_sample *list, size_t count,
                             const struct metric_facts *facts)
{
    struct counted counted = {.samples = list, .count = count};
    size_t input_count;
    const struct metric_input *inputs = metric_inputs(metric, &input_count);
    if (input_count > 0) {
        struct value values[METRIC_INPUTS_MAX];
        for (size_t i = 0; i < input_count; i++) {
            values[i] = metric_evaluate(inputs[i].metric, list, count, facts);
        }
        return metric_combine(metric, values);
    }
    if ((unsigned)metric < METRIC_COUNT && !metric_from_launch(metric) && metric_is_modelled(list, count)) {
        return metric_model_evaluate(metric, list, count, facts);
    }
    switch (metric) {
    case METRIC_time_ns: return evaluate_time(&counted, facts);
    case METRIC_effective_bandwidth_bytes_per_second: return evaluate_bandwidth(&counted, facts);
    case METRIC_dram_bandwidth_bytes_per_second: return evaluate_dram_bandwidth(&counted, facts);
    case METRIC_theoretical_bandwidth_bytes_per_second: return evaluate_theoretical_bandwidth(facts);
    case METRIC_global_load_requests: return evaluate_global(&counted, true, GLOBAL_REQUESTS);
    case METRIC_global_load_sectors: return evaluate_global(&counted, true, GLOBAL_SECTORS);
    case METRIC_global_load_ideal_sectors: return evaluate_global(&counted, true, GLOBAL_IDEAL);
    case METRIC_global_load_excess_sectors: return evaluate_global(&counted, true, GLOBAL_EXCESS);
    case METRIC_global_load_sectors_per_request: return evaluate_global(&counted, true, GLOBAL_PER_REQUEST);
    case METRIC_global_load_bytes_wanted_per_byte_moved: return evaluate_global(&counted, true, GLOBAL_BYTES);
    case METRIC_global_store_requests: return evaluate_global(&counted, false, GLOBAL_REQUESTS);
    case METRIC_global_store_sectors: return evaluate_global(&counted, false, GLOBAL_SECTORS);
    case METRIC_global_store_ideal_sectors: return evaluate_global(&counted, false, GLOBAL_IDEAL);
    case METRIC_global_store_excess_sectors: return evaluate_global(&counted, false, GLOBAL_EXCESS);
    case METRIC_global_store_sectors_per_request: return evaluate_global(&counted, false, GLOBAL_PER_REQUEST);
    case METRIC_global_store_bytes_wanted_per_byte_moved:
        return evaluate_global(&counted, false, GLOBAL_BYTES);
    case METRIC_shared_load_instructions: return evaluate_shared_instructions(&counted, true);
    case METRIC_shared_load_wavefronts: return counted_value(&counted, COUNTER_SHARED_WAVEFRONTS(ld));
    case METRIC_shared_load_ideal_wavefronts: return evaluate_shared(&counted, true, false);
    case METRIC_shared_load_conflicts: return evaluate_shared(&counted, true, true);
    case METRIC_shared_store_instructions: return evaluate_shared_instructions(&counted, false);
    case METRIC_shared_store_wavefronts: return counted_value(&counted, COUNTER_SHARED_WAVEFRONTS(st));
    case METRIC_shared_store_ideal_wavefronts: return evaluate_shared(&counted, false, false);
    case METRIC_shared_store_conflicts: return evaluate_shared(&counted, false, true);
    case METRIC_achieved_occupancy_pct: return counted_value(&counted, COUNTER_OCCUPANCY);
    case METRIC_theoretical_occupancy_pct: return evaluate_occupancy(facts, false);
    case METRIC_occupancy_limiter: return evaluate_occupancy(facts, true);
    case METRIC_active_threads_per_warp: return counted_value(&counted, COUNTER_ACTIVE_THREADS);
    case METRIC_working_threads_per_warp: return counted_value(&counted, COUNTER_WORKING_THREADS);
    case METRIC_dram_read_bytes:
    case METRIC_dram_write_bytes: break;
    case METRIC_dram_peak_pct: return counted_value(&counted, COUNTER_DRAM_PEAK);
    case METRIC_l1_hit_pct: return evaluate_hit_rate(&counted, COUNTER_L1_HIT);
    case METRIC_l2_hit_pct: return evaluate_hit_rate(&counted, COUNTER_L2_HIT);
    case METRIC_atomic_passes: return counted_value(&counted, COUNTER_ATOMIC_PASSES(sum));
    case METRIC_atomic_busiest_pct: return evaluate_busiest(&counted);
    case METRIC_local_load_sectors: return counted_value(&counted, COUNTER_LOCAL_SECTORS(ld));
    case METRIC_local_store_sectors: return counted_value(&counted, COUNTER_LOCAL_SECTORS(st));
    case METRIC_wide_memory_instructions: return evaluate_wide(&counted);
    case METRIC_float_operations: return EVALUATE_OPERATIONS(&counted, f);
    case METRIC_double_operations: return EVALUATE_OPERATIONS(&counted, d);
    case METRIC_half_operations: return EVALUATE_OPERATIONS(&counted, h);
    case METRIC_floating_point_operations:
    case METRIC_arithmetic_intensity:
    case METRIC_operations_per_second:
    case METRIC_roof:
    case METRIC_roof_pct: break;
    case METRIC_tensor_instructions: return evaluate_asked(&counted, COUNTER_TENSOR, WHY_NOT_ASKED_TENSOR);
    case METRIC_peak_float_per_second: return evaluate_peak(facts, false);
    case METRIC_peak_double_per_second: return evaluate_peak(facts, true);
    case METRIC_cycles_per_issue: return counted_value(&counted, COUNTER_CYCLES_PER_ISSUE);
    case METRIC_stall_long_scoreboard: return counted_value(&counted, COUNTER_STALL(long_scoreboard));
    case METRIC_stall_short_scoreboard:
        return evaluate_asked(&counted, COUNTER_STALL(short_scoreboard), WHY_NOT_ASKED);
    case METRIC_stall_barrier: return evaluate_asked(&counted, COUNTER_STALL(barrier), WHY_NOT_ASKED);
    case METRIC_stall_wait: return evaluate_asked(&counted, COUNTER_STALL(wait), WHY_NOT_ASKED);
    case METRIC_stall_math_pipe:
        return evaluate_asked(&counted, COUNTER_STALL(math_pipe_throttle), WHY_NOT_ASKED);
    case METRIC_stall_mio: return evaluate_asked(&counted, COUNTER_STALL(mio_throttle), WHY_NOT_ASKED);
    case METRIC_stall_lg: return evaluate_asked(&counted, COUNTER_STALL(lg_throttle), WHY_NOT_ASKED);
    case METRIC_stall_not_selected:
        return evaluate_asked(&counted, COUNTER_STALL(not_selected), WHY_NOT_ASKED);
    case METRIC_gld_coherent: return evaluate_global(&counted, true, GLOBAL_COHERENT);
    case METRIC_gld_incoherent: return evaluate_global(&counted, true, GLOBAL_INCOHERENT);
    case METRIC_gst_coherent: return evaluate_global(&counted, false, GLOBAL_COHERENT);
    case METRIC_gst_incoherent: return evaluate_global(&counted, false, GLOBAL_INCOHERENT);
    case METRIC_local_load: return scaled(counted_value(&counted, COUNTER_LOCAL_SECTORS(ld)), 1);
    case METRIC_local_store: return scaled(counted_value(&counted, COUNTER_LOCAL_SECTORS(st)), 1);
    case METRIC_branch: return counted_value(&counted, COUNTER_BRANCHES);
    case METRIC_divergent_branch: return counted_value(&counted, COUNTER_DIVERGENT_BRANCHES);
    case METRIC_instructions: return counted_value(&counted, COUNTER_INSTRUCTIONS);
    case METRIC_warp_serialize: return evaluate_serialize(&counted);
    case METRIC_cta_launched: return evaluate_blocks(facts);
    case METRIC_occupancy: return scaled(evaluate_occupancy(facts, false), 0.01);
    case METRIC_gputime: return scaled(evaluate_time(&counted, facts), 0.001);
    case METRIC_cputime: return evaluate_call(facts);
    case METRIC_COUNT: return value_none("there is no such metric");
    }
    /* DRAM bytes: the chip's name for them decides which one was taken. */
    bool read = metric == METRIC_dram_read_bytes;
    struct value value = counted_value(&counted, read ? COUNTER_DRAM_READ : COUNTER_DRAM_WRITE);
    if (!value.available && strcmp(value.why, WHY_NOT_TAKEN) == 0) {
        counted.why = NULL;
        value = counted_value(&counted, read ? COUNTER_DRAM_READ_GB20X : COUNTER_DRAM_WRITE_GB20X);
    }
    return value;
}
