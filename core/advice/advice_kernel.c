/*
 * The rules on how a kernel fills the device: lanes, warps and blocks, what they wait for, which unit is
 * used. Values are those of one launch. A rule that is silent where others speak stands behind them.
 */
#include "core/advice/advice_internal.h"

#include <math.h>
#include <stdio.h>

#define ATOMIC_PASS_CYCLES 3 /* of the L2, at most: of floats, from one to the next at one word */

/* ---- lanes ---- */
enum { DIVERGENCE_LANES };

static bool judge_divergence(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *active = advice_read(judging, METRIC_active_threads_per_warp);
    uint32_t lanes = kernel->arch != NULL ? kernel->arch->warp_lanes : 0,
             threads = kernel->shape.threads_per_block;
    if (active == NULL || lanes == 0 || threads == 0)
        return false;
    double full = threads / ceil((double)threads / lanes); /* the last warp of a block may have fewer */
    if (!advice_beyond(judging, DIVERGENCE_LANES, 100 * active->number / full))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text, "Only %.1f of %.3g lanes take part in an instruction",
             active->number, full);
    advice_add_metric(advice, judging, METRIC_active_threads_per_warp);
    advice_add_metric(advice, judging, METRIC_divergent_branch);
    advice->gain = 1 - active->number / full;
    return true;
}

static const struct advice_rule divergence = {
    .id = "divergence",
    .of_kernel = judge_divergence,
    .limits =
        {[DIVERGENCE_LANES] = {"active threads per warp, of those the block's shape gives a warp", "%", true,
                               80, "what a bounds check and a reduction's last warps cost stays below 20 %"}},
    .gain = "1 - active threads per warp / threads that the block's shape gives a warp",
    .now = "let all lanes of a warp take the same way: branch on the warp's number, sort the data by its "
           "way, or compute both ways and select",
    .taught = "divergence",
    .source = ADVICE_GUIDE "Branching and Divergence",
    .workload = "divergence:lane",
    .twin = "divergence:warp",
    .line = {ADVICE_LINE_ANY, CODE_DIVERGENT, CODE_THREADS, NULL},
};

/* Blocks resident on the whole device; 0: not known. */
static double resident_blocks(const struct advice_kernel *kernel, struct occupancy *occupancy)
{
    if (kernel->arch == NULL || kernel->multiprocessors == 0 || kernel->shape.threads_per_block == 0)
        return 0;
    *occupancy = occupancy_compute(kernel->arch, &kernel->shape);
    return (double)occupancy->blocks * kernel->multiprocessors;
}

/* What would let one block more be resident. */
static void say_lift(struct advice *advice, const struct advice_kernel *kernel,
                     const struct occupancy *occupancy)
{
    struct occupancy_input shape = kernel->shape;
    uint32_t wanted = occupancy->blocks + 1;
    if (occupancy->limiter == OCCUPANCY_REGISTERS) {
        while (shape.registers_per_thread > 1 && occupancy_compute(kernel->arch, &shape).blocks < wanted)
            shape.registers_per_thread--;
        snprintf(advice->how, sizeof advice->how,
                 "with %u registers a thread instead of %u, %u blocks fit a multiprocessor instead of %u",
                 shape.registers_per_thread, kernel->shape.registers_per_thread,
                 occupancy_compute(kernel->arch, &shape).blocks, occupancy->blocks);
    } else if (occupancy->limiter == OCCUPANCY_SHARED) {
        uint32_t unit = kernel->arch->shared_unit_bytes > 0 ? kernel->arch->shared_unit_bytes : 128;
        while (shape.shared_bytes_per_block > unit && occupancy_compute(kernel->arch, &shape).blocks < wanted)
            shape.shared_bytes_per_block -=
                shape.shared_bytes_per_block % unit ? shape.shared_bytes_per_block % unit : unit;
        snprintf(advice->how, sizeof advice->how,
                 "with %u bytes of shared memory a block instead of %u, %u blocks fit a multiprocessor "
                 "instead of %u",
                 shape.shared_bytes_per_block, kernel->shape.shared_bytes_per_block,
                 occupancy_compute(kernel->arch, &shape).blocks, occupancy->blocks);
    } else {
        snprintf(advice->how, sizeof advice->how,
                 "%u blocks of %u threads are resident: larger blocks bring more warps", occupancy->blocks,
                 kernel->shape.threads_per_block);
    }
}

/* How far the memory's bandwidth or the issue slots are used, whichever is more; negative: neither is known.
 */
static double use_pct(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    double use = advice_number(judging, METRIC_dram_peak_pct, -1);
    double effective = advice_number(judging, METRIC_effective_bandwidth_bytes_per_second, -1);
    double peak = advice_number(judging, METRIC_theoretical_bandwidth_bytes_per_second, 0);
    double instructions = advice_number(judging, METRIC_instructions, -1),
           time_ns = advice_number(judging, METRIC_time_ns, 0);
    if (effective >= 0 && peak > 0)
        use = fmax(use, 100 * effective / peak);
    if (instructions >= 0 && time_ns > 0 && kernel->clock_hz > 0 && kernel->arch->issue_slots > 0)
        use = fmax(use, 100 * instructions /
                            ((double)kernel->arch->issue_slots * kernel->multiprocessors * kernel->clock_hz *
                             time_ns * 1e-9));
    return use;
}

enum { OCCUPANCY_PERCENT, OCCUPANCY_WAVES, OCCUPANCY_USE };

static bool judge_occupancy(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    struct occupancy occupancy;
    double resident = resident_blocks(kernel, &occupancy), use = resident > 0 ? use_pct(judging) : -1;
    if (resident <= 0 || use < 0)
        return false;
    if (!advice_beyond(judging, OCCUPANCY_PERCENT, occupancy.percent) ||
        !advice_beyond(judging, OCCUPANCY_WAVES, kernel->blocks / resident) ||
        !advice_beyond(judging, OCCUPANCY_USE, use))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "Occupancy can be %.3g %% at most, limited by %s, and %.0f %% of the device is used",
             occupancy.percent, occupancy_limiter_text(occupancy.limiter), use);
    say_lift(advice, kernel, &occupancy);
    advice_add_metric(advice, judging, METRIC_theoretical_occupancy_pct);
    advice_add_metric(advice, judging, METRIC_achieved_occupancy_pct);
    advice_add_metric(advice, judging, METRIC_dram_peak_pct);
    advice_add_metric(advice, judging, METRIC_effective_bandwidth_bytes_per_second);
    advice->gain = 1 - occupancy.percent / 100;
    return true;
}

static const struct advice_rule occupancy_low = {
    .id = "occupancy",
    .of_kernel = judge_occupancy,
    .limits = {[OCCUPANCY_PERCENT] =
                   {"theoretical occupancy", "%", true, 50,
                    ADVICE_H200
                    "registers, 50 % was as fast as more; occupancy-smem, 25 % took 2.8x the time of 100 %"},
               [OCCUPANCY_WAVES] = {"blocks / blocks that are resident at once", "x", false, 1,
                                    "fewer blocks are all resident: there is no other to take the place"},
               [OCCUPANCY_USE] = {"share of the memory's bandwidth, and of the issue slots, in use", "%",
                                  true, 60, "chosen: what is used more has little to hide"}},
    .gain = "1 - theoretical occupancy / 100 %",
    .now =
        "use less of what limits it; or give each thread more independent work, which hides latency as well",
    .taught = "occupancy-smem",
    .source = ADVICE_GUIDE "Occupancy",
    .workload = "occupancy-smem:copy,kib=200,n=4325376",
    .twin = "occupancy-smem:copy,kib=0,n=4325376",
};

enum { TAIL_WAVES, TAIL_EMPTY };

static bool judge_tail(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    struct occupancy occupancy;
    double resident = resident_blocks(kernel, &occupancy);
    if (resident <= 0)
        return false;
    double waves = kernel->blocks / resident, empty = 1 - waves / ceil(waves);
    if (!advice_beyond(judging, TAIL_WAVES, waves) || !advice_beyond(judging, TAIL_EMPTY, 100 * empty))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text, "The last of %.0f waves fills %.0f of %.0f places for blocks",
             ceil(waves), kernel->blocks - resident * (ceil(waves) - 1), resident);
    advice_add_metric(advice, judging, METRIC_cta_launched);
    advice_add_metric(advice, judging, METRIC_theoretical_occupancy_pct);
    advice->gain = empty;
    return true;
}

static const struct advice_rule tail_wave = {
    .id = "tail_wave",
    .of_kernel = judge_tail,
    .limits =
        {[TAIL_WAVES] = {"waves of blocks", "waves", false, 1,
                         "blocks / (multiprocessors x resident blocks); one wave has no last one behind it"},
         [TAIL_EMPTY] = {"places for blocks that stay empty in the last wave, of all waves' places", "%",
                         false, 20, "from five waves on it cannot be more"}},
    .gain = "1 - waves / waves rounded up",
    .now = "choose a grid that is a multiple of the blocks resident at once, or let as many blocks loop over "
           "the work; smaller blocks make the last wave cheaper",
    .taught = "block-size",
    .source = "blocks are resident until they end",
    .workload = "bank-stride:32-bit,stride=1,blocks=1100",
    .twin = "bank-stride:32-bit,stride=1,blocks=1056",
};

enum { ATOMICS_CYCLES };

/* Few words, or many in one place: a slice of L2 has so much to do while others wait. */
static bool judge_atomics(struct advice_judging *judging)
{
    const struct value *busiest = advice_read(judging, METRIC_atomic_busiest_pct);
    if (busiest == NULL)
        return false;
    if (!advice_beyond(judging, ATOMICS_CYCLES, busiest->number))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "Atomics meet in the L2 cache: one of its slices takes them in %.0f %% of its cycles",
             busiest->number);
    advice_add_metric(advice, judging, METRIC_atomic_busiest_pct);
    advice_add_metric(advice, judging, METRIC_atomic_passes);
    advice_add_metric(advice, judging, METRIC_time_ns);
    advice->gain = fmin(1, ATOMIC_PASS_CYCLES * busiest->number / 100);
    return true;
}

static const struct advice_rule atomics = {
    .id = "atomics",
    .of_kernel = judge_atomics,
    .limits = {[ATOMICS_CYCLES] =
                   {"passes of atomics in the busiest slice of L2, of its cycles", "%", false, 22,
                    ADVICE_H200 "histogram with one set of bins, 79 to 84 % and 90 times the time of a set "
                                "per block; compaction that asks once a thread, 78 %; atomics, 23 to 57 %; "
                                "compaction that asks once a block, 21 %, and waits for something else"}},
    .gain = "the less of 1 and 3 x that share: an addition of floats takes three cycles from one to the next",
    .now = "let each warp or block add up what it has, in registers or shared memory, and do one atomic for "
           "all; or spread the words: a copy each for some blocks, added up at the end",
    .taught = "histogram",
    .source = "L2 does the atomics on one word one after the other",
    .workload = "atomics:global,lanes=32,n=262144",
    .twin = "atomics:shared,lanes=32,n=262144",
    .memory_wait = true,
};

enum { LATENCY_PEAK, LATENCY_WAITING, LATENCY_LOADS, LATENCY_CYCLES, LATENCY_HOST };

/* The article's three checks before prefetching; a warp with many loads stands for the large loop, unrolled
 * or not. */
static bool judge_latency(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *waits = advice_read(judging, METRIC_stall_long_scoreboard),
                       *cycles = advice_read(judging, METRIC_cycles_per_issue),
                       *peak = advice_read(judging, METRIC_dram_peak_pct),
                       *loads = advice_read(judging, METRIC_global_load_requests);
    double warps = kernel->blocks * ceil(kernel->shape.threads_per_block / 32.0);
    const struct value *instructions = advice_read(judging, METRIC_instructions);
    if (waits == NULL || cycles == NULL || peak == NULL || loads == NULL || instructions == NULL ||
        !(cycles->number > 0) || !(warps > 0))
        return false;
    double share = fmin(100 * waits->number / cycles->number, 100), each = loads->number / warps;
    double of_load = waits->number * instructions->number / fmax(loads->number, 1);
    if (!advice_beyond(judging, LATENCY_PEAK, peak->number) ||
        !advice_beyond(judging, LATENCY_WAITING, share) || !advice_beyond(judging, LATENCY_LOADS, each) ||
        !advice_beyond(judging, LATENCY_CYCLES, of_load) || !advice_beyond(judging, LATENCY_HOST, of_load))
        return true;
    /* What wasted accesses and spills cost is what is waited for; for shared memory a warp waits otherwise.
     */
    for (size_t i = 0; i < judging->list->count; i++)
        if (judging->list->items[i].rule->memory_wait)
            return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "Warps wait for memory %.0f %% of their time, with %.0f %% of its bandwidth in use", share,
             peak->number);
    snprintf(advice->how, sizeof advice->how, "each warp loads %.0f times and waits %.0f cycles each time",
             each, of_load);
    advice_add_metric(advice, judging, METRIC_stall_long_scoreboard);
    advice_add_metric(advice, judging, METRIC_cycles_per_issue);
    advice_add_metric(advice, judging, METRIC_dram_peak_pct);
    advice_add_metric(advice, judging, METRIC_global_load_requests);
    advice->gain = fmin(share, 100 - peak->number) / 100;
    return true;
}

static const struct advice_rule long_scoreboard = {
    .id = "long_scoreboard",
    .of_kernel = judge_latency,
    .limits =
        {[LATENCY_PEAK] = {"share of DRAM's peak", "%", true, 60,
                           "the prefetching article: bandwidth not saturated"},
         [LATENCY_WAITING] = {"a warp's waiting for memory, of the cycles between its instructions", "%",
                              false, 60, "the prefetching article: long-scoreboard stalls dominate"},
         [LATENCY_LOADS] = {"load requests of each warp", "requests", false, 8,
                            "the prefetching article: a large loop"},
         [LATENCY_CYCLES] =
             {"waiting for each load request", "cycles", false, 250,
              ADVICE_H200
              "prefetch in four blocks, 700 cycles a load without, 30 to 170 with it, at half the time"},
         [LATENCY_HOST] = {"waiting for each load request", "cycles", true, 5000,
                           ADVICE_H200 "those of mapped host memory took 33,000"}},
    .gain = "the less of waiting for memory / cycles between instructions, and 1 - share of DRAM's peak",
    .now = "prefetch: ask for the next passes' words before this one's are worked on, into registers or, "
           "asynchronously, into shared memory; or let more warps be resident",
    .taught = "prefetch",
    .source = "the prefetching article's three checks. Only where no rule on global or local memory fires",
    .workload = "prefetch:loop,blocks=4",
    .twin = "prefetch:smem-rolling-async-pad,blocks=4",
    .line = {ADVICE_LINE_ANY, CODE_SAMPLES, CODE_COST_COUNT, "long_scoreboard"},
};

enum { DOUBLE_SHARE, DOUBLE_WORDS, DOUBLE_TIME };

/* By accident: nothing that it reads or writes can hold a double. */
static bool judge_double(struct advice_judging *judging)
{
    const struct value *doubles = advice_read(judging, METRIC_double_operations),
                       *floats = advice_read(judging, METRIC_float_operations),
                       *wide = advice_read(judging, METRIC_wide_memory_instructions),
                       *time = advice_read(judging, METRIC_time_ns);
    double peak = advice_number(judging, METRIC_peak_double_per_second, 0),
           peak_float = advice_number(judging, METRIC_peak_float_per_second, 0);
    if (doubles == NULL || floats == NULL || wide == NULL || time == NULL || !(time->number > 0) ||
        !(peak > 0) || !(peak_float > 0))
        return false;
    double all = doubles->number + floats->number, share = 100 * doubles->number / fmax(all, 1);
    if (!advice_beyond(judging, DOUBLE_SHARE, share) || !advice_beyond(judging, DOUBLE_WORDS, wide->number) ||
        !advice_beyond(judging, DOUBLE_TIME, 100e9 * doubles->number / peak / time->number))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "%.0f %% of the operations are in double precision, and no word in memory is a double", share);
    advice_add_metric(advice, judging, METRIC_double_operations);
    advice_add_metric(advice, judging, METRIC_float_operations);
    advice_add_metric(advice, judging, METRIC_wide_memory_instructions);
    advice_add_metric(advice, judging, METRIC_time_ns);
    advice->gain = fmax(1 - 1e9 * all / peak_float / time->number, 0);
    return true;
}

static const struct advice_rule double_precision = {
    .id = "double_precision",
    .of_kernel = judge_double,
    .limits = {[DOUBLE_SHARE] = {"double-precision operations, of those in single and double precision", "%",
                                 false, 10, ADVICE_CHOSEN},
               [DOUBLE_WORDS] = {"memory instructions of 8 and 16 bytes a lane", "instructions", true, 1,
                                 "kernels with words of 8 bytes may mean it"},
               [DOUBLE_TIME] = {"double-precision operations / their peak, of the time", "%", false, 5,
                                ADVICE_CHOSEN}},
    .gain = "1 - (operations / peak in single precision) / time",
    .now = "write constants as 0.7f and call sinf, sqrtf, ... : one double makes the expression double, with "
           "a conversion on each side",
    .taught = "math",
    .source = ADVICE_GUIDE "Arithmetic Instructions, Type Conversion Instructions; " ADVICE_H200
                           "math, double constants took 5.6x the time",
    .workload = "math:double-constants,n=262144",
    .twin = "math:float-constants,n=262144",
    .line = {ADVICE_LINE_DOUBLE, CODE_INSTRUCTIONS, CODE_COST_COUNT, NULL},
};

/* What a multiprocessor does in a cycle at most: 4 sectors of L1, a wavefront of shared memory. */
static double unit_use_pct(struct advice_judging *judging, double time_ns)
{
    const struct advice_kernel *kernel = judging->kernel;
    double cycles = kernel->multiprocessors * kernel->clock_hz * time_ns * 1e-9;
    double sectors = advice_number(judging, METRIC_global_load_sectors, 0) +
                     advice_number(judging, METRIC_global_store_sectors, 0) +
                     advice_number(judging, METRIC_local_load_sectors, 0) +
                     advice_number(judging, METRIC_local_store_sectors, 0);
    double wavefronts = advice_number(judging, METRIC_shared_load_wavefronts, 0) +
                        advice_number(judging, METRIC_shared_store_wavefronts, 0);
    double doubles = advice_number(judging, METRIC_double_operations, 0),
           peak = advice_number(judging, METRIC_peak_double_per_second, 0);
    return 100 *
           fmax(fmax(sectors / 4, wavefronts) / cycles, peak > 0 ? doubles / peak / (time_ns * 1e-9) : 0);
}

enum { UNEXPLAINED_USE, UNEXPLAINED_TIME, UNEXPLAINED_BLOCKS };

static bool judge_unexplained(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *time = advice_read(judging, METRIC_time_ns),
                       *instructions = advice_read(judging, METRIC_instructions),
                       *sectors = advice_read(judging, METRIC_global_load_sectors),
                       *wavefronts = advice_read(judging, METRIC_shared_load_wavefronts),
                       *peak = advice_read(judging, METRIC_dram_peak_pct);
    if (time == NULL || instructions == NULL || sectors == NULL || wavefronts == NULL || peak == NULL ||
        kernel->arch == NULL || kernel->multiprocessors == 0 || !(kernel->clock_hz > 0))
        return false;
    double use = fmax(use_pct(judging), unit_use_pct(judging, time->number));
    if (judging->list->count > 0 || !advice_beyond(judging, UNEXPLAINED_USE, use) ||
        !advice_beyond(judging, UNEXPLAINED_TIME, time->number) ||
        !advice_beyond(judging, UNEXPLAINED_BLOCKS, kernel->blocks / kernel->multiprocessors))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text, "Not explained by counters: no unit above %.2g %%", use);
    snprintf(advice->how, sizeof advice->how,
             "of DRAM, issue slots, L1, shared memory and double-precision units none is used more");
    advice_add_metric(advice, judging, METRIC_time_ns);
    advice_add_metric(advice, judging, METRIC_dram_peak_pct);
    advice_add_metric(advice, judging, METRIC_instructions);
    advice_add_metric(advice, judging, METRIC_achieved_occupancy_pct);
    advice->gain = 1 - use / 100;
    return true;
}

static const struct advice_rule unexplained = {
    .id = "unexplained",
    .of_kernel = judge_unexplained,
    .limits = {[UNEXPLAINED_USE] =
                   {"the most used of DRAM, issue slots, L1, shared memory and the double-precision units",
                    "%", true, 10,
                    ADVICE_H200
                    "histogram with one set of bins, whose atomics meet in the L2 cache, 0.4 % and 90 times "
                    "the time of a set per block; of 665 kernels of the curriculum none with another cause"},
               [UNEXPLAINED_TIME] = {"time", "ns", false, 20000, ADVICE_CHOSEN},
               [UNEXPLAINED_BLOCKS] = {"blocks / multiprocessors", "x", false, 1,
                                       "with fewer a part of the device has nothing to do"}},
    .gain = "1 - share of time in which the most used unit is in use",
    .now = "ask what its warps wait for: --counters +stalls, or --runs lines; mapped host memory, constants "
           "read at several words and blocks of a warp are not counted, nor atomics in older recordings",
    .taught = "histogram",
    .source = "only where no other rule fires",
};

enum { BANDWIDTH_PEAK };

/* Only where the bytes are not wasted. */
static bool judge_bandwidth(struct advice_judging *judging)
{
    const struct value *peak = advice_read(judging, METRIC_dram_peak_pct);
    if (peak == NULL)
        return false;
    for (size_t i = 0; i < judging->list->count; i++)
        if (judging->list->items[i].rule->access)
            return true;
    if (!advice_beyond(judging, BANDWIDTH_PEAK, peak->number))
        return true;
    struct advice *advice = advice_add(judging);
    advice->fine = true;
    snprintf(advice->text, sizeof advice->text,
             "Device memory is at %.0f %% of its peak and no access wastes it", peak->number);
    advice_add_metric(advice, judging, METRIC_dram_peak_pct);
    advice_add_metric(advice, judging, METRIC_dram_bandwidth_bytes_per_second);
    return true;
}

static const struct advice_rule bandwidth_bound = {
    .id = "bandwidth_bound",
    .of_kernel = judge_bandwidth,
    .limits = {[BANDWIDTH_PEAK] = {"share of DRAM peak", "%", false, 70,
                                   ADVICE_H200 "transpose with padding, 75 to 76 %; its plain copy, 63 %; "
                                               "about nine tenths of the peak can be had"}},
    .gain = "0: stop here",
    .now = "stop here: only moving fewer bytes (smaller types, fused kernels, reuse) makes it faster",
    .taught = "copy-offset",
    .source = "only where no rule on accesses fires",
    .workload = "word-size:128,n=2097152",
    .twin = "word-size:8,n=2097152",
};

static const struct advice_rule *const rules[] = {&divergence,  &occupancy_low,   &tail_wave,
                                                  &atomics,     &long_scoreboard, &double_precision,
                                                  &unexplained, &bandwidth_bound};
const struct advice_family advice_kernel_rules = {rules, sizeof rules / sizeof *rules};
