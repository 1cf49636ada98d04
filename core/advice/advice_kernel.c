/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules on how a kernel fills the device: lanes, warps and blocks, what they wait for, which unit is
 * used. Values are those of one launch. A rule that fires only if others have not comes after them.
 */
#include "core/advice/advice_internal.h"
#include "core/base/append.h"
#include "core/hardware/roofline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Cycles of an L2 slice for one atomic, an upper bound: float additions to one word take three. On an H100
 * atomics in 26 % of a slice's cycles hold up the kernel for all of its time (atomics:global, lanes=16). */
#define ATOMIC_PASS_CYCLES 4

/* ---- lanes ---- */
enum { DIVERGENCE_LANES };

static bool judge_divergence(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *active = advice_read(judging, METRIC_active_threads_per_warp);
    uint32_t lanes = kernel->arch ? kernel->arch->warp_lanes : 0, threads = kernel->shape.threads_per_block;
    if (!active || lanes == 0 || threads == 0)
        return false;
    double full = threads / ceil((double)threads / lanes); /* the last warp of a block may have fewer */
    if (!advice_beyond(judging, DIVERGENCE_LANES, 100 * active->number / full))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text, "Only %.1f of %.3g lanes are active on average",
             active->number, full);
    advice_add_metric(advice, judging, METRIC_active_threads_per_warp);
    advice_add_metric(advice, judging, METRIC_divergent_branch);
    advice->gain = 1 - active->number / full;
    return true;
}

static const struct advice_rule divergence = {
    .id = "divergence",
    .priority = ADVICE_HIGH,
    .of_kernel = judge_divergence,
    .limits = {[DIVERGENCE_LANES] =
                   {"active threads per warp as a share of the threads that a warp has with this block size",
                    "%", true, 80, "bounds checks and the last warps of a reduction cost less than 20 %"}},
    .gain = "1 - active threads per warp / threads that a warp has with this block size",
    .now = "let all lanes of a warp take the same path: branch on the warp's index, or sort the data "
           "by path; or compute both paths and select",
    .taught = "divergence",
    .source = ADVICE_GUIDE "Branching and Divergence",
    .workload = "divergence:lane",
    .twin = "divergence:warp",
    .line = {ADVICE_LINE_ANY, CODE_DIVERGENT, CODE_THREADS, NULL},
};

enum { PARTIAL_LANES, PARTIAL_BLOCKS };

static double resident_blocks(const struct advice_kernel *kernel, struct occupancy *occupancy);

/* Lanes that no thread has, since a block's threads are no multiple of a warp's lanes. Where blocks wait for a place, the
 * same threads in full warps need as many places fewer; else they only need fewer issue slots. */
static bool judge_partial_warps(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *slots = advice_read(judging, METRIC_issue_slots_pct);
    struct occupancy occupancy;
    double resident = resident_blocks(kernel, &occupancy);
    if (!slots || !(resident > 0) || kernel->arch->warp_lanes == 0)
        return false;
    double lanes = kernel->arch->warp_lanes, threads = kernel->shape.threads_per_block,
           full = threads / (lanes * ceil(threads / lanes));
    if (!advice_beyond(judging, PARTIAL_LANES, 100 * full) ||
        !advice_beyond(judging, PARTIAL_BLOCKS, kernel->blocks / kernel->multiprocessors))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "Blocks of %.0f threads leave %.0f of the %.0f lanes of their warps empty, in each instruction",
             threads, lanes * ceil(threads / lanes) - threads, lanes * ceil(threads / lanes));
    snprintf(
        advice->how, sizeof advice->how,
        "give a block whole warps, such as 128 or 256 threads: several of the pieces that have %.0f threads "
        "each now",
        threads);
    advice_add_metric(advice, judging, METRIC_active_threads_per_warp);
    advice_add_metric(advice, judging, METRIC_issue_slots_pct);
    advice->gain = (1 - full) * (kernel->blocks > resident ? 1 : slots->number / 100);
    advice->gain = fmax(0, fmin(advice->gain, 1 - advice_dram_needs(judging)));
    return true;
}

static const struct advice_rule partial_warps = {
    .id = "partial_warps",
    .of_kernel = judge_partial_warps,
    .limits = {[PARTIAL_LANES] = {"threads of a block as a share of the lanes of its warps", "%", true, 80,
                                  "as of divergence"},
               [PARTIAL_BLOCKS] = {"blocks / multiprocessors", "x", false, 2,
                                   "with fewer, blocks are what is missing"}},
    .gain =
        "the share of empty lanes; where all blocks are resident at once, of the issue slots that are used; no "
        "more than what the needed bytes at 90 % of DRAM's peak leave of the time",
    .now = "launch blocks whose threads are a multiple of 32, such as 128 or 256",
    .taught = "block-size",
    .source = ADVICE_GUIDE "Thread and Block Heuristics; " ADVICE_H200
                           "blocks of 256 threads in place of 8 took 25 % of the time",
};

/* Blocks that can be resident on the whole device; 0: not known. */
static double resident_blocks(const struct advice_kernel *kernel, struct occupancy *occupancy)
{
    if (!kernel->arch || kernel->multiprocessors == 0 || kernel->shape.threads_per_block == 0)
        return 0;
    *occupancy = occupancy_compute(kernel->arch, &kernel->shape);
    return (double)occupancy->blocks * kernel->multiprocessors;
}

double advice_resident_blocks(const struct advice_kernel *kernel)
{
    struct occupancy occupancy;
    return resident_blocks(kernel, &occupancy);
}

#define OCCUPANCY_TINY 12.5      /* chosen: 8 warps of 64 hide no latency, also where they are all */
#define OCCUPANCY_WAITING_PCT 50 /* chosen: most of the cycles between two instructions of a warp */

/* The change that would make one more block resident. Returns the share of the time that it leaves at least, which falls
 * by no more than the warps grow: where a block is too small, and where shared memory leaves so few warps that they wait
 * for memory most of the time, that is to all that fit otherwise. */
static double say_lift(struct advice *advice, struct advice_judging *judging,
                       const struct occupancy *occupancy)
{
    const struct advice_kernel *kernel = judging->kernel;
    struct occupancy_input shape = kernel->shape;
    uint32_t wanted = occupancy->blocks + 1;
    if (occupancy->limiter == OCCUPANCY_REGISTERS) {
        while (shape.registers_per_thread > 1 && occupancy_compute(kernel->arch, &shape).blocks < wanted)
            shape.registers_per_thread--;
        if (occupancy_compute(kernel->arch, &shape).blocks >= wanted)
            snprintf(advice->how, sizeof advice->how,
                     "use %u registers per thread instead of %u (__launch_bounds__): %u blocks then fit on a "
                     "multiprocessor in place of %u",
                     shape.registers_per_thread, kernel->shape.registers_per_thread, wanted,
                     occupancy->blocks);
    } else if (occupancy->limiter == OCCUPANCY_SHARED) {
        uint32_t unit = kernel->arch->shared_unit_bytes > 0 ? kernel->arch->shared_unit_bytes : 128;
        while (shape.shared_bytes_per_block > unit && occupancy_compute(kernel->arch, &shape).blocks < wanted)
            shape.shared_bytes_per_block -=
                shape.shared_bytes_per_block % unit ? shape.shared_bytes_per_block % unit : unit;
        const uint32_t bytes = shape.shared_bytes_per_block;
        shape.shared_bytes_per_block = 0;
        const uint32_t without = occupancy_compute(kernel->arch, &shape).blocks;
        const bool tiny = occupancy->percent <= OCCUPANCY_TINY && without > wanted &&
                          advice_waiting_pct(judging) >= OCCUPANCY_WAITING_PCT;
        shape.shared_bytes_per_block = bytes;
        if (occupancy_compute(kernel->arch, &shape).blocks >= wanted)
            snprintf(
                advice->how, sizeof advice->how,
                "use less shared memory, or ask for no more than is used: with %u bytes per block instead of %u, %u "
                "blocks fit on a multiprocessor in place of %u, without any %u",
                bytes, kernel->shape.shared_bytes_per_block, wanted, occupancy->blocks, without);
        if (tiny)
            return (double)occupancy->blocks / without;
    } else {
        snprintf(advice->how, sizeof advice->how,
                 "make the blocks larger: of %u threads only %u block%s fit%s on a multiprocessor",
                 kernel->shape.threads_per_block, occupancy->blocks, occupancy->blocks == 1 ? "" : "s",
                 occupancy->blocks == 1 ? "s" : "");
        return occupancy->percent / 100;
    }
    return (double)occupancy->blocks / wanted;
}

/* Share of the tensor cores' peak, in per cent; negative: not known. */
static double tensor_use_pct(struct advice_judging *judging)
{
    const struct arch *arch = judging->kernel->arch;
    if (arch && arch->compute_capability < 70)
        return 0;
    double use = advice_number(judging, METRIC_tensor_peak_pct, -1);
    return use < 0 && advice_number(judging, METRIC_tensor_instructions, -1) == 0 ? 0 : use;
}

/* Is the use known of every unit that could be the limit (DRAM, L2, L1, shared memory, single and double
 * precision, tensor cores, issue slots)? If not, one of them could be used fully, and no rule says that the
 * device is hardly used. The device model has no peak of L2. */
static bool knows_all_units(struct advice_judging *judging)
{
    const struct value *roof = advice_read(judging, METRIC_roof_pct);
    return roof && (roof->bound == VALUE_EXACT || roof->provenance != PROVENANCE_MEASURED) &&
           tensor_use_pct(judging) >= 0 && advice_read(judging, METRIC_instructions);
}

static void use_more(double pct, const char *name, double *use, const char **unit)
{
    pct = fmin(pct, 100); /* PTX has instructions that machine code leaves out */
    if (pct > *use) {
        *use = pct;
        *unit = name;
    }
}

double advice_use_pct(struct advice_judging *judging, const char **unit)
{
    const struct advice_kernel *kernel = judging->kernel;
    double effective = advice_number(judging, METRIC_effective_bandwidth_bytes_per_second, -1),
           peak = advice_number(judging, METRIC_theoretical_bandwidth_bytes_per_second, 0),
           instructions = advice_number(judging, METRIC_instructions, -1),
           time_ns = advice_number(judging, METRIC_time_ns, 0), use = -1;
    const char *roof = advice_word(judging, METRIC_roof);
    *unit = "";
    use_more(advice_number(judging, METRIC_dram_peak_pct, -1), "DRAM's bandwidth", &use, unit);
    use_more(tensor_use_pct(judging), "the tensor cores", &use, unit);
    use_more(advice_number(judging, METRIC_roof_pct, -1), roof ? roofline_bound_name(roof) : "its roof", &use,
             unit);
    use_more(advice_number(judging, METRIC_issue_slots_pct, -1), "the issue slots", &use, unit);
    if (effective >= 0 && peak > 0)
        use_more(100 * effective / peak, "DRAM's bandwidth", &use, unit);
    if (instructions >= 0 && time_ns > 0 && kernel->clock_hz > 0 && kernel->arch->issue_slots > 0)
        use_more(100 * instructions /
                     ((double)kernel->arch->issue_slots * kernel->multiprocessors * kernel->clock_hz *
                      time_ns * 1e-9),
                 "the issue slots", &use, unit);
    return use;
}

static double use_pct(struct advice_judging *judging)
{
    const char *unit;
    return advice_use_pct(judging, &unit);
}

enum { OCCUPANCY_PERCENT, OCCUPANCY_WAVES, OCCUPANCY_USE };

static bool judge_occupancy(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    struct occupancy occupancy;
    double resident = resident_blocks(kernel, &occupancy), use = use_pct(judging);
    if (resident <= 0 || !knows_all_units(judging))
        return false;
    double waves = kernel->blocks / resident;
    if (kernel->blocks == resident && occupancy.percent <= OCCUPANCY_TINY)
        waves = nextafter(1, 2);
    if (!advice_beyond(judging, OCCUPANCY_PERCENT, occupancy.percent) ||
        !advice_beyond(judging, OCCUPANCY_WAVES, waves) || !advice_beyond(judging, OCCUPANCY_USE, use))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "Occupancy is limited to %.3g %% by %s, and no unit of the device is used more than %.0f %%",
             occupancy.percent, occupancy_limiter_text(occupancy.limiter), use);
    double left = say_lift(advice, judging, &occupancy);
    advice_add_metric(advice, judging, METRIC_theoretical_occupancy_pct);
    advice_add_metric(advice, judging, METRIC_achieved_occupancy_pct);
    advice_add_metric(advice, judging, METRIC_dram_peak_pct);
    advice_add_metric(advice, judging, METRIC_roof_pct);
    advice->gain = 1 - fmax(left, use / 100);
    advice_cap_gain(advice, judging);
    return true;
}

static const struct advice_rule occupancy_low = {
    .id = "occupancy",
    .priority = ADVICE_MEDIUM,
    .of_kernel = judge_occupancy,
    .limits =
        {[OCCUPANCY_PERCENT] =
             {"theoretical occupancy", "%", true, 50,
              ADVICE_H200
              "in registers, 50 % was as fast as more; in occupancy-smem, 25 % took 2.8x the time of 100 %"},
         [OCCUPANCY_WAVES] =
             {"blocks / blocks that are resident at once", "x", false, 1,
              "with fewer, all blocks are resident and no block waits for a slot; up to 12.5 % also a "
              "grid that fills the slots exactly, which was made for them"},
         [OCCUPANCY_USE] = {"use of the busiest unit, where that of each is known: DRAM, L2, L1, shared "
                            "memory, single and double "
                            "precision, tensor cores, issue slots",
                            "%", true, 60,
                            "chosen: a device that is used more has little latency left to hide"}},
    .gain =
        "1 - the larger of use and, of registers and shared memory, blocks / (blocks + 1) that are resident, else "
        "theoretical occupancy; of shared memory, up to 12.5 % and if warps wait for memory for half of the time and more, "
        "blocks / blocks without it; " ADVICE_CAP,
    .now = "use less of the resource that limits it, or give each thread more independent work; that "
           "hides latency too",
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
    snprintf(advice->text, sizeof advice->text, "The last of %.0f waves fills only %.0f of %.0f block slots",
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
                         "blocks / (multiprocessors x resident blocks); a single wave has no tail"},
         [TAIL_EMPTY] = {"empty block slots of the last wave as a share of the block slots of all waves", "%",
                         false, 20, "with five waves or more the share cannot be larger"}},
    .gain = "1 - waves / waves rounded up",
    .now = "choose a grid that is a multiple of the blocks resident at once; or launch only that many blocks "
           "and let them loop over the work; smaller blocks make the last wave cheaper",
    .taught = "block-size",
    .source = "a block stays resident until it ends",
    .workload = "bank-stride:32-bit,stride=1,blocks=1100",
    .twin = "bank-stride:32-bit,stride=1,blocks=1056",
};

enum { ATOMICS_CYCLES };

/* Do the driver's own functions for malloc, free or printf make the atomics? In older recordings, which do not say what a
 * kernel calls, they alone load without an instruction of the kernel that does. */
static bool calls_driver(struct advice_judging *judging)
{
    double requests = advice_number(judging, METRIC_global_load_requests, 0),
           sectors = advice_number(judging, METRIC_global_load_sectors, -1);
    return (judging->kernel->calls & (SHAPE_ALLOCATES | SHAPE_PRINTS)) != 0 ||
           (sectors >= 0 && requests > 2 * sectors);
}

/* Atomics on few words, or on words in one L2 slice, keep this slice busy while the others are idle. */
static bool judge_atomics(struct advice_judging *judging)
{
    const struct value *busiest = advice_read(judging, METRIC_atomic_busiest_pct);
    if (!busiest)
        return false;
    if (!advice_beyond(judging, ATOMICS_CYCLES, busiest->number))
        return true;
    struct advice *advice = advice_add(judging);
    if (calls_driver(judging)) {
        snprintf(
            advice->text, sizeof advice->text,
            "Threads wait for one another in %s, whose atomics take %.0f %% of the cycles of one slice of "
            "the L2 cache",
            judging->kernel->calls & SHAPE_ALLOCATES ? "malloc and free"
            : judging->kernel->calls & SHAPE_PRINTS  ? "printf"
                                                     : "functions of the driver (malloc, free, printf)",
            busiest->number);
        snprintf(
            advice->how, sizeof advice->how,
            "allocate one buffer before the launch and give each thread its part, or use an array of fixed "
            "size in the thread; print from the host");
    } else {
        snprintf(
            advice->text, sizeof advice->text,
            "Atomics concentrate on one slice of the L2 cache, which accepts them in %.0f %% of its cycles",
            busiest->number);
    }
    advice_add_metric(advice, judging, METRIC_atomic_busiest_pct);
    advice_add_metric(advice, judging, METRIC_atomic_passes);
    advice_add_metric(advice, judging, METRIC_time_ns);
    advice->gain = fmin(1, ATOMIC_PASS_CYCLES * busiest->number / 100);
    advice_cap_gain(advice, judging);
    return true;
}

static const struct advice_rule atomics = {
    .id = "atomics",
    .of_kernel = judge_atomics,
    .limits = {[ATOMICS_CYCLES] =
                   {"passes of atomics in the busiest L2 slice as a share of its cycles", "%", false, 22,
                    ADVICE_H200
                    "histogram with one set of bins has 79 to 84 % and takes 90 times the time of one set "
                    "per block; compaction with one atomic per thread has 78 %, atomics 23 to 57 %; "
                    "compaction with one atomic per block has 21 % and is limited by something else"}},
    .gain = "the smaller of 1 and 4 x that share: a slice delays a kernel even if it accepts atomics in only "
            "a quarter of its cycles; " ADVICE_CAP,
    .now = "let each warp or block add up its values in registers or shared memory and issue one atomic; or "
           "keep several copies of the words, each for some of the blocks, and add up the copies at the end",
    .taught = "histogram",
    .source = "the L2 cache executes atomics on one word one after the other",
    .workload = "atomics:global,lanes=32,n=262144",
    .twin = "atomics:shared,lanes=32,n=262144",
    .line = {ADVICE_LINE_ATOMIC, CODE_PASSES, CODE_INSTRUCTIONS, NULL},
    .memory_wait = true,
};

enum { LATENCY_PEAK, LATENCY_WAITING, LATENCY_LOADS, LATENCY_CYCLES, LATENCY_HOST };

#define FEW_WARPS_PCT 25 /* chosen: 16 warps of 64 */

/* Warps that registers or shared memory keep out would hide the latency first. Returns the share of the time that all of
 * them leave at least; 0: that is not what is missing. */
static double say_what_keeps_warps_out(struct advice *advice, const struct advice_kernel *kernel)
{
    struct occupancy occupancy;
    double resident = resident_blocks(kernel, &occupancy);
    const bool registers = resident > 0 && occupancy.limiter == OCCUPANCY_REGISTERS;
    if (!(resident > 0) || occupancy.percent > FEW_WARPS_PCT || kernel->blocks <= resident ||
        (!registers && occupancy.limiter != OCCUPANCY_SHARED))
        return 0;
    char what[48];
    if (registers)
        snprintf(what, sizeof what, "%u registers a thread", kernel->shape.registers_per_thread);
    else
        snprintf(what, sizeof what, "%u bytes of shared memory a block",
                 kernel->shape.shared_bytes_per_block);
    const double most = kernel->arch->max_warps_per_multiprocessor;
    size_t used = strlen(advice->text);
    append_text(advice->text, sizeof advice->text, &used, "; %s leave room for %.0f of %.0f warps", what,
                occupancy.percent / 100 * most, most);
    snprintf(advice->how, sizeof advice->how,
             "use fewer of the %.40s, so that more warps hide the waits: %s; then "
             "load words early",
             what,
             registers ? "seldom needed code in a kernel of its own (a template's flag), __launch_bounds__"
                       : "smaller tiles");
    return occupancy.percent / 100;
}

/* The article's three checks before prefetching. It asks for a large loop; here a warp with many loads counts
 * as one, unrolled or not. */
static bool judge_latency(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *waits = advice_read(judging, METRIC_stall_long_scoreboard),
                       *cycles = advice_read(judging, METRIC_cycles_per_issue),
                       *peak = advice_read(judging, METRIC_dram_peak_pct),
                       *loads = advice_read(judging, METRIC_global_load_requests);
    double warps = kernel->blocks * ceil(kernel->shape.threads_per_block / 32.0);
    const struct value *instructions = advice_read(judging, METRIC_instructions);
    if (!waits || !cycles || !peak || !loads || !instructions || !(cycles->number > 0) || !(warps > 0))
        return false;
    double share = fmin(100 * waits->number / cycles->number, 100), each = loads->number / warps;
    double of_load = waits->number * instructions->number / fmax(loads->number, 1);
    if (!advice_beyond(judging, LATENCY_PEAK, peak->number) ||
        !advice_beyond(judging, LATENCY_WAITING, share) || !advice_beyond(judging, LATENCY_LOADS, each) ||
        !advice_beyond(judging, LATENCY_CYCLES, of_load) || !advice_beyond(judging, LATENCY_HOST, of_load))
        return true;
    /* Wasted accesses and spills explain the wait; waits for shared memory are another stall reason. */
    for (size_t i = 0; i < judging->list->count; i++)
        if (judging->list->items[i].rule->memory_wait)
            return true;
    if (advice_l2_use(judging) >= ADVICE_L2_BOUND)
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "Warps wait for memory %.0f %% of their time, but use only %.0f %% of DRAM's bandwidth", share,
             peak->number);
    snprintf(advice->how, sizeof advice->how,
             "load the words of the next iterations before those of this one are used: each warp makes %.0f "
             "load requests and waits %.0f cycles for each",
             each, of_load);
    advice_add_metric(advice, judging, METRIC_stall_long_scoreboard);
    advice_add_metric(advice, judging, METRIC_cycles_per_issue);
    advice_add_metric(advice, judging, METRIC_dram_peak_pct);
    advice_add_metric(advice, judging, METRIC_global_load_requests);
    advice->gain = fmin(fmin(share, 100 - peak->number) / 100, 1 - advice_l2_use(judging));
    advice->gain = fmin(advice->gain, 1 - say_what_keeps_warps_out(advice, kernel));
    advice_cap_gain(advice, judging);
    return true;
}

static const struct advice_rule long_scoreboard = {
    .id = ADVICE_LATENCY,
    .of_kernel = judge_latency,
    .limits = {[LATENCY_PEAK] = {"share of DRAM's peak", "%", true, 60,
                                 "the prefetching article: bandwidth not saturated"},
               [LATENCY_WAITING] =
                   {"cycles that a warp waits for memory as a share of the cycles between its instructions",
                    "%", false, 60, "the prefetching article: long-scoreboard stalls dominate"},
               [LATENCY_LOADS] = {"load requests per warp", "requests", false, 8,
                                  "the prefetching article: a large loop"},
               [LATENCY_CYCLES] = {"wait for each load request", "cycles", false, 250,
                                   ADVICE_H200 "in prefetch with four blocks, a load waits 700 cycles "
                                               "without prefetching; with it 30 to 170, in half the time"},
               [LATENCY_HOST] = {"wait for each load request", "cycles", true, 5000,
                                 ADVICE_H200 "loads of mapped host memory wait 33,000 cycles"}},
    .gain =
        "the smallest of wait for memory / cycles between instructions, 1 - share of DRAM's peak, 1 - share of "
        "60 % of the L2 cache's peak (from 90 % on the rule does not fire), and, where registers or shared memory "
        "leave room for a quarter of the warps at most, 1 - theoretical occupancy; " ADVICE_CAP,
    .now = "prefetch: load the words of the next iterations before those of this one are used; into "
           "registers or asynchronously into shared memory; or make more warps resident",
    .taught = "prefetch",
    .source = "the prefetching article's three checks. Only where no rule on global or local memory fires",
    .workload = "prefetch:loop,blocks=4",
    .twin = "prefetch:smem-rolling-async-pad,blocks=4",
    .line = {ADVICE_LINE_ANY, CODE_SAMPLES, CODE_COST_COUNT, "long_scoreboard"},
};

enum { DOUBLE_SHARE, DOUBLE_WORDS, DOUBLE_TIME };

/* Double arithmetic is probably unintended if the kernel neither reads nor writes anything wide enough for a
 * double. */
static bool judge_double(struct advice_judging *judging)
{
    const struct value *doubles = advice_read(judging, METRIC_double_operations),
                       *floats = advice_read(judging, METRIC_float_operations),
                       *wide = advice_read(judging, METRIC_wide_memory_instructions),
                       *time = advice_read(judging, METRIC_time_ns);
    double peak = advice_number(judging, METRIC_peak_double_per_second, 0),
           peak_float = advice_number(judging, METRIC_peak_float_per_second, 0);
    if (!doubles || !floats || !wide || !time || !(time->number > 0) || !(peak > 0) || !(peak_float > 0))
        return false;
    double all = doubles->number + floats->number, share = 100 * doubles->number / fmax(all, 1);
    if (!advice_beyond(judging, DOUBLE_SHARE, share) ||
        (!judging->kernel->no_doubles && !advice_beyond(judging, DOUBLE_WORDS, wide->number)) ||
        !advice_beyond(judging, DOUBLE_TIME, 100e9 * doubles->number / peak / time->number))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "%.0f %% of the operations are in double precision, but the kernel reads and writes no doubles",
             share);
    advice_add_metric(advice, judging, METRIC_double_operations);
    advice_add_metric(advice, judging, METRIC_float_operations);
    advice_add_metric(advice, judging, METRIC_wide_memory_instructions);
    advice_add_metric(advice, judging, METRIC_time_ns);
    advice->gain = fmax(1 - 1e9 * all / peak_float / time->number, 0);
    return true;
}

static const struct advice_rule double_precision = {
    .id = "double_precision",
    .priority = ADVICE_LOW,
    .of_kernel = judge_double,
    .limits =
        {[DOUBLE_SHARE] = {"double-precision operations as a share of those in single and double precision",
                           "%", false, 10, ADVICE_CHOSEN},
         [DOUBLE_WORDS] =
             {"memory instructions of 8 and 16 bytes a lane", "instructions", true, 1,
              "a kernel with 8-byte words may need double precision, unless its arguments say that "
              "they are floats"},
         [DOUBLE_TIME] = {"double-precision operations / their peak rate, as a share of the time", "%", false,
                          5, ADVICE_CHOSEN}},
    .gain = "1 - (operations / peak in single precision) / time",
    .now = "write constants as 0.7f and call sinf, sqrtf, ...; one double makes the expression double, with "
           "a conversion on each side",
    .taught = "math",
    .source = ADVICE_GUIDE "Arithmetic Instructions, Type Conversion Instructions; " ADVICE_H200
                           "in math, double constants took 5.6x the time",
    .workload = "math:double-constants,n=262144",
    .twin = "math:float-constants,n=262144",
    .line = {ADVICE_LINE_DOUBLE, CODE_INSTRUCTIONS, CODE_COST_COUNT, NULL},
};

enum { BARRIER_SHARE, BARRIER_WARPS, BARRIER_USE };

/* Warps that wait for the rest of their block, where that was counted. */
static bool judge_barriers(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *waits = advice_read(judging, METRIC_stall_barrier),
                       *cycles = advice_read(judging, METRIC_cycles_per_issue);
    double warps = ceil(kernel->shape.threads_per_block / 32.0), use = use_pct(judging);
    if (!waits || !cycles || !(cycles->number > 0))
        return false;
    double share = fmin(100 * waits->number / cycles->number, 100);
    if (!advice_beyond(judging, BARRIER_SHARE, share) || !advice_beyond(judging, BARRIER_WARPS, warps) ||
        !advice_beyond(judging, BARRIER_USE, use))
        return true;
    for (size_t i = 0; i < judging->list->count; i++)
        if (judging->list->items[i].rule->access)
            return true; /* it keeps some warps from the barrier */
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "Warps wait at barriers for the others of their block for %.0f %% of their time", share);
    if (warps > 1)
        snprintf(
            advice->how, sizeof advice->how,
            "use __syncwarp where only the lanes of a warp exchange data; else smaller blocks than of %.0f "
            "warps, and fewer barriers in the loop",
            warps);
    advice_add_metric(advice, judging, METRIC_stall_barrier);
    advice_add_metric(advice, judging, METRIC_cycles_per_issue);
    advice->gain = fmin(share, 100 - fmax(use, 0)) / 100;
    advice_cap_gain(advice, judging);
    return true;
}

static const struct advice_rule barriers = {
    .id = "barriers",
    .of_kernel = judge_barriers,
    .limits = {[BARRIER_SHARE] = {"cycles that a warp waits at barriers as a share of the cycles between its "
                                  "instructions (--counters +stalls)",
                                  "%", false, 30, ADVICE_CHOSEN},
               [BARRIER_WARPS] = {"warps of a block", "warps", false, 1, "one warp waits for no other"},
               [BARRIER_USE] = {"use of the busiest unit", "%", true, 60, "as of occupancy"}},
    .gain = "the smaller of that share and 1 - use of the busiest unit; " ADVICE_CAP,
    .now = "use __syncwarp where only the lanes of a warp exchange data, smaller blocks, or fewer barriers",
    .taught = "block-size",
    .source = ADVICE_GUIDE "Synchronization Instruction",
    .line = {ADVICE_LINE_ANY, CODE_SAMPLES, CODE_COST_COUNT, "barrier"},
    .memory_wait = true,
};

enum { IDLE_EXPLAINED, IDLE_USE, IDLE_WARPS, IDLE_TIME };

#define FIXED_CYCLES 6   /* between dependent instructions of arithmetic */
#define SHARED_CYCLES 33 /* of a load of shared memory, measured on an H100 and an H200 */

/* Warps that wait for long between their instructions, though neither memory nor shared memory nor what depends on the last
 * result can take so long: where a block has several warps that is at barriers, else in slow functions. */
static bool judge_idle_warps(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *cycles = advice_read(judging, METRIC_cycles_per_issue),
                       *waits = advice_read(judging, METRIC_stall_long_scoreboard),
                       *instructions = advice_read(judging, METRIC_instructions),
                       *time = advice_read(judging, METRIC_time_ns),
                       *shared = advice_read(judging, METRIC_shared_load_wavefronts);
    double warps = ceil(kernel->shape.threads_per_block / 32.0), use = use_pct(judging);
    if (!cycles || !waits || !instructions || !time || !shared || !(cycles->number > 0) ||
        !(instructions->number > 0) || !knows_all_units(judging))
        return false;
    if (judging->list->count > 0 || advice_read(judging, METRIC_stall_barrier))
        return true; /* which says it better */
    double slots = advice_number(judging, METRIC_issue_slots_pct, 100) / 100;
    double explained =
        (waits->number + FIXED_CYCLES + SHARED_CYCLES * shared->number / instructions->number) /
        (cycles->number * (1 - slots / 2)); /* ready warps wait for a slot, too */
    if (!advice_beyond(judging, IDLE_EXPLAINED, 100 * explained) || !advice_beyond(judging, IDLE_USE, use) ||
        !advice_beyond(judging, IDLE_WARPS, warps) || !advice_beyond(judging, IDLE_TIME, time->number))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(
        advice->text, sizeof advice->text,
        "Warps wait %.0f cycles between instructions, and loads and dependent instructions explain %.0f %% of it "
        "at most: the rest are barriers, in blocks of %.0f warps, or slow functions",
        cycles->number, 100 * explained, warps);
    snprintf(
        advice->how, sizeof advice->how,
        "use __syncwarp where only the lanes of a warp exchange data, or smaller blocks; --counters +stalls "
        "counts the waits at barriers");
    advice_add_metric(advice, judging, METRIC_cycles_per_issue);
    advice_add_metric(advice, judging, METRIC_stall_long_scoreboard);
    advice_add_metric(advice, judging, METRIC_shared_load_wavefronts);
    advice_add_metric(advice, judging, METRIC_issue_slots_pct);
    advice->gain = 1 - fmax(explained, use / 100);
    return true;
}

static const struct advice_rule unexplained_waits = {
    .id = "unexplained_waits",
    .of_kernel = judge_idle_warps,
    .limits =
        {[IDLE_EXPLAINED] =
             {"cycles between a warp's instructions that waits for memory, 33 cycles for each load of shared "
              "memory, 6 for a dependent instruction and waiting for a slot explain",
              "%", true, 60, ADVICE_CHOSEN},
         [IDLE_USE] = {"use of the busiest unit", "%", true, 50, ADVICE_CHOSEN},
         [IDLE_WARPS] = {"warps of a block", "warps", false, 3, "few warps wait little for each other"},
         [IDLE_TIME] = {"time", "ns", false, 20000, ADVICE_CHOSEN}},
    .gain = "1 - the larger of what is explained and use of the busiest unit",
    .now = "use __syncwarp where only the lanes of a warp exchange data, or smaller blocks",
    .taught = "block-size",
    .source = "only where no other rule fires and the waits at barriers were not counted",
    .line = {ADVICE_LINE_ANY, CODE_SAMPLES, CODE_COST_COUNT, "barrier"},
};

/* The most that a multiprocessor can do per cycle: 4 sectors of L1, one wavefront of shared memory. */
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

enum { SHORT_INSTRUCTIONS, SHORT_WAVES, SHORT_OCCUPANCY, SHORT_USE };

/* Blocks that end before a multiprocessor has filled its slots: starting them is what takes the time. */
static bool judge_short_blocks(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *instructions = advice_read(judging, METRIC_instructions),
                       *achieved = advice_read(judging, METRIC_achieved_occupancy_pct);
    struct occupancy occupancy = {0};
    double resident = resident_blocks(kernel, &occupancy), use = use_pct(judging),
           warps = kernel->blocks * ceil(kernel->shape.threads_per_block / 32.0);
    if (!instructions || !achieved || resident <= 0 || !(occupancy.percent > 0) || !(warps > 0) ||
        !knows_all_units(judging))
        return false;
    double each = instructions->number / warps, waves = kernel->blocks / resident,
           filled = 100 * achieved->number / occupancy.percent;
    if (!advice_beyond(judging, SHORT_INSTRUCTIONS, each) || !advice_beyond(judging, SHORT_WAVES, waves) ||
        !advice_beyond(judging, SHORT_OCCUPANCY, filled) || !advice_beyond(judging, SHORT_USE, use))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "Blocks end sooner than others start: %.3g instructions a warp, %.0f blocks for %.0f places, of "
             "which %.0f %% are filled",
             each, kernel->blocks, resident, filled);
    advice_add_metric(advice, judging, METRIC_instructions);
    advice_add_metric(advice, judging, METRIC_cta_launched);
    advice_add_metric(advice, judging, METRIC_achieved_occupancy_pct);
    advice_add_metric(advice, judging, METRIC_issue_slots_pct);
    advice->gain = 1 - fmax(use, 0) / 100;
    advice_cap_gain(advice, judging);
    return true;
}

static const struct advice_rule short_blocks = {
    .id = "short_blocks",
    .of_kernel = judge_short_blocks,
    .limits = {[SHORT_INSTRUCTIONS] = {"instructions of a warp", "instructions", true, 32,
                                       "chosen: a warp that computes an index, checks it and returns has 10"},
               [SHORT_WAVES] = {"blocks / blocks that are resident at once", "x", false, 20, ADVICE_CHOSEN},
               [SHORT_OCCUPANCY] = {"achieved occupancy as a share of the theoretical one", "%", true, 25,
                                    ADVICE_H200
                                    "a grid of which 0.6 % of the threads have work has 7 %, a triad of "
                                    "10 instructions a warp 79 %"},
               [SHORT_USE] = {"use of the busiest unit, where that of each is known", "%", true, 50,
                              ADVICE_CHOSEN}},
    .gain = "1 - use of the busiest unit; " ADVICE_CAP,
    .now = "launch fewer blocks: size the grid by the work that there is, not by the capacity; or launch as "
           "many blocks as are resident at once and let each loop over several pieces",
    .taught = "block-size",
    .source = "a multiprocessor starts blocks one after the other",
};

enum { UNEXPLAINED_USE, UNEXPLAINED_TIME, UNEXPLAINED_BLOCKS };

#define HOST_WAIT_CYCLES 5000 /* as LATENCY_HOST: a load of device memory waits for no more */
#define NO_WAIT_PCT 5         /* chosen */

/* What the waits for memory say of it, where there are no atomics: loads from the host wait for long; where warps wait for
 * no load of global or local memory, constants are what no counter shows. */
static void say_unexplained(struct advice *advice, struct advice_judging *judging, double instructions)
{
    double waits = advice_number(judging, METRIC_stall_long_scoreboard, -1),
           cycles = advice_number(judging, METRIC_cycles_per_issue, -1),
           loads = advice_number(judging, METRIC_global_load_requests, 0);
    if (waits < 0 || !(cycles > 0) || advice_number(judging, METRIC_atomic_passes, -1) != 0)
        return;
    if (loads > 0 && 2 * waits > cycles && waits * instructions / loads > HOST_WAIT_CYCLES)
        snprintf(
            advice->how, sizeof advice->how,
            "copy what the kernel reads to device memory: each load waits %.0f cycles, as loads from the host do "
            "(cudaHostAlloc, managed memory)",
            waits * instructions / loads);
    else if (100 * waits < NO_WAIT_PCT * cycles)
        snprintf(
            advice->how, sizeof advice->how,
            "keep a table that lanes index differently in shared memory, not in constant memory, which is not "
            "counted: warps do not wait for global memory (%.1f %%); --runs lines names the line",
            100 * waits / cycles);
}

static bool judge_unexplained(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *time = advice_read(judging, METRIC_time_ns),
                       *instructions = advice_read(judging, METRIC_instructions),
                       *sectors = advice_read(judging, METRIC_global_load_sectors),
                       *wavefronts = advice_read(judging, METRIC_shared_load_wavefronts),
                       *peak = advice_read(judging, METRIC_dram_peak_pct);
    if (!time || !instructions || !sectors || !wavefronts || !peak || !kernel->arch ||
        kernel->multiprocessors == 0 || !(kernel->clock_hz > 0))
        return false;
    double use = fmax(use_pct(judging), unit_use_pct(judging, time->number));
    if (judging->list->count > 0 || !advice_beyond(judging, UNEXPLAINED_USE, use) ||
        !advice_beyond(judging, UNEXPLAINED_TIME, time->number) ||
        !advice_beyond(judging, UNEXPLAINED_BLOCKS, kernel->blocks / kernel->multiprocessors))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(
        advice->text, sizeof advice->text,
        "No unit that is counted is used more than %.2g %%, so the counters do not explain the time (DRAM, "
        "issue slots, L1, shared memory, double precision)",
        use);
    say_unexplained(advice, judging, instructions->number);
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
    .limits =
        {[UNEXPLAINED_USE] =
             {"use of the busiest of DRAM, issue slots, L1, shared memory and the double-precision units",
              "%", true, 10,
              ADVICE_H200 "histogram with one set of bins, whose atomics concentrate on one L2 slice, has "
                          "0.4 % and takes 90 times the time of one set per block; none of the curriculum's "
                          "665 kernels with another cause is below the limit"},
         [UNEXPLAINED_TIME] = {"time", "ns", false, 20000, ADVICE_CHOSEN},
         [UNEXPLAINED_BLOCKS] = {"blocks / multiprocessors", "x", false, 1,
                                 "with fewer, some multiprocessors are idle"}},
    .gain = "1 - use of the busiest unit",
    .now = "measure what the warps wait for with --counters +stalls or --runs lines; the counters do not "
           "show mapped host memory, constants of which one warp reads several words, or blocks of one warp, "
           "and in older recordings they do not show atomics",
    .taught = "histogram",
    .source = "only where no other rule fires",
};

enum { BANDWIDTH_PEAK };

/* Fires only if the bytes are not wasted. */
static bool judge_bandwidth(struct advice_judging *judging)
{
    const struct value *peak = advice_read(judging, METRIC_dram_peak_pct);
    if (!peak)
        return false;
    for (size_t i = 0; i < judging->list->count; i++)
        if (judging->list->items[i].rule->access)
            return true;
    if (!advice_beyond(judging, BANDWIDTH_PEAK, peak->number))
        return true;
    struct advice *advice = advice_add(judging);
    advice->fine = true;
    snprintf(advice->text, sizeof advice->text,
             "Device memory is at %.0f %% of its peak and no bandwidth is wasted", peak->number);
    advice_add_metric(advice, judging, METRIC_dram_peak_pct);
    advice_add_metric(advice, judging, METRIC_dram_bandwidth_bytes_per_second);
    return true;
}

static const struct advice_rule bandwidth_bound = {
    .id = "bandwidth_bound",
    .of_kernel = judge_bandwidth,
    .limits = {[BANDWIDTH_PEAK] = {"share of DRAM peak", "%", false, 70,
                                   ADVICE_H200 "transpose with padding reaches 75 to 76 %, its plain copy 63 "
                                               "%; about nine tenths of the peak are attainable"}},
    .gain = "0: the kernel is at its limit",
    .now = "stop here: only moving fewer bytes (smaller types, fused kernels, reuse) makes it faster",
    .taught = "copy-offset",
    .source = "only where no rule on accesses fires",
    .workload = "word-size:128,n=2097152",
    .twin = "word-size:8,n=2097152",
};

static const struct advice_rule *const rules[] = {
    &divergence,      &partial_warps,    &occupancy_low, &tail_wave,   &atomics,           &barriers,
    &long_scoreboard, &double_precision, &short_blocks,  &unexplained, &unexplained_waits, &bandwidth_bound};
const struct advice_family advice_kernel_rules = {rules, sizeof rules / sizeof *rules};
