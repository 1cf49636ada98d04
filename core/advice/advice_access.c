/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules on a kernel's accesses: more sectors of global memory, more wavefronts of shared memory than the
 * words need, and local memory. Counts are of one launch. A share of the time is the time that the excess
 * takes if nothing overlaps it; it is computed only from measured times, since problems on the device model
 * are small.
 */
#include "core/advice/advice_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECTOR_BYTES 32
#define L1_WORTH_SAYING_PCT 10
/* Cycles per wavefront and multiprocessor; also of a sector that hits in L1, which takes a pass of its own at
 * most. In 65 pairs measured on an H100 (docs/results/gains.md) a conflict
 * costs 0 to 1.08 cycles, in one more pair 1.5. */
#define CONFLICT_COST 1.1
/* The same of a sector that does not hit in L1, an upper bound: on an H200 loads of 16 lines each take 4.5 cycles a
 * sector (load-pattern:scattered), stores to a column 3.8 (transpose:naive). */
#define MISS_COST 4.6

#define EXCESS_CAP                                                                                        \
    "no more than the share of the time that 1.1 cycles of a multiprocessor for each excess sector that " \
    "hits in L1, 4.6 for each other, and the bytes that DRAM did not need at 90 % of its peak take; "
#define AT_PEAK(what) \
    "time of the " what " at DRAM's peak bandwidth, as a share of the time measured on a GPU"
#define ONE_A_CYCLE(what) \
    "time of the " what " at one per cycle and multiprocessor, as a share of the time measured on a GPU"
#define COALESCING "a misaligned start costs 1.25x, the least of all uncoalesced patterns"
#define CONFLICTS "a 2-way conflict in every tenth instruction gives 1.1x"
#define SECTORS_TIME                                                                                      \
    ADVICE_H200                                                                                           \
    "in compaction with one atomic per word, storing 8x the sectors takes 0.8 % of the time at the peak " \
    "bandwidth, and removing the excess gains nothing"
#define CONFLICTS_TIME \
    ADVICE_H200        \
    "conflicts in less than 7 % of the cycles cost at most 2 % of the time (prefetch)"
#define MEMORY_WAIT                                                                                      \
    "cycles that a warp waits for global or local memory, of those between its instructions, where the " \
    "time was measured on a GPU"
#define WAITING_HIDES                                                                                        \
    "measured on an H100: in prefetch:smem-rolling warps wait 73 to 77 % of the time for memory, and "       \
    "padding "                                                                                               \
    "gains nothing though up to 30 % of the cycles are conflicts; in smem-batched 59 to 61 %, and it gains " \
    "a fifth of their share; half is chosen"

/* The time that this many sectors, or wavefronts of shared memory, take if nothing overlaps them, in per cent
 * of the time; negative: there is no time of that provenance. */
static double share_pct(struct advice_judging *judging, double count, bool wavefronts, enum provenance timed)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *time = advice_read(judging, METRIC_time_ns);
    double seconds = time && time->provenance == timed ? time->number * 1e-9 : 0;
    double a_second = advice_number(judging, METRIC_theoretical_bandwidth_bytes_per_second, 0) / SECTOR_BYTES;
    if (wavefronts)
        a_second = fmin(kernel->multiprocessors, fmax(kernel->blocks, 1)) * kernel->clock_hz;
    return seconds > 0 && a_second > 0 ? 100 * count / a_second / seconds : -1;
}

/* ---- more than the ideal ---- */
enum { EXCESS_RATIO, EXCESS_SHARE, EXCESS_TIME, EXCESS_WAITING };

struct excess {
    enum metric real, ideal, other; /* other: the same metric for the other direction */
    const char *sentence;
    bool ways;   /* bank conflicts: the ratio is the number of ways */
    bool cached; /* L1 keeps what was moved */
};

/* What fewer load sectors gain where some of them hit in L1: those cause no traffic below it, since later
 * requests use the other bytes of a sector, and cost no more than their passes through L1. What misses is
 * needed as far as it is no more than the ideal. Without a time only the ratio is known. */
static double gain_beside_l1(struct advice_judging *judging, double real, double ideal)
{
    const struct value *time = advice_read(judging, METRIC_time_ns);
    double of_sectors = 1 - ideal / real, hit = advice_number(judging, METRIC_l1_hit_pct, 0) / 100;
    double misses = real * (1 - hit);
    double passes = time ? share_pct(judging, real - ideal, true, time->provenance) : -1;
    if (passes < 0)
        return of_sectors;
    return fmin(of_sectors, fmax(0, 1 - ideal / fmax(misses, ideal)) + CONFLICT_COST * passes / 100);
}

/* The share of the time that more sectors than needed can cost: their cycles in L1 and on the way to L2, and the bytes
 * that DRAM moves for them. A kernel that waits for the latency of its accesses has little of either, and fewer
 * sectors gain it little. 1: it is not known. */
static double share_of_excess(struct advice_judging *judging, double more, double missed)
{
    const struct value *time = advice_read(judging, METRIC_time_ns);
    if (!time)
        return 1;
    double cycles = CONFLICT_COST * (more - missed) + MISS_COST * missed;
    double passes = share_pct(judging, cycles, true, time->provenance);
    double moved = advice_number(judging, METRIC_dram_read_bytes, 0) +
                   advice_number(judging, METRIC_dram_write_bytes, 0);
    double bytes =
        share_pct(judging, advice_dram_excess(judging) * moved / SECTOR_BYTES, false, time->provenance);
    return passes < 0 ? 1 : (passes + fmax(bytes, 0) / ADVICE_DRAM_ATTAINABLE) / 100;
}

/* Hits in L1 cause no traffic to L2: later requests use the other bytes of a sector. */
static void say_what_l1_has(struct advice *advice, struct advice_judging *judging)
{
    double hit_pct = advice_number(judging, METRIC_l1_hit_pct, 0);
    if (hit_pct < L1_WORTH_SAYING_PCT)
        return;
    size_t used = strlen(advice->text);
    snprintf(advice->text + used, sizeof advice->text - used, ", but %.0f %% of the sectors hit in L1",
             hit_pct);
    advice_add_metric(advice, judging, METRIC_l1_hit_pct);
}

static bool judge_excess(struct advice_judging *judging, const struct excess *excess)
{
    const struct value *real = advice_read(judging, excess->real),
                       *ideal = advice_read(judging, excess->ideal);
    if (!real || !ideal || ideal->number <= 0)
        return false;
    double ratio = real->number / ideal->number, more = real->number - ideal->number;
    double all = real->number + advice_number(judging, excess->other, 0);
    double share = share_pct(judging, more, excess->ways, PROVENANCE_MEASURED);
    if (!advice_beyond(judging, EXCESS_RATIO, ratio) ||
        !advice_beyond(judging, EXCESS_SHARE, 100 * more / all) ||
        (share >= 0 && !advice_beyond(judging, EXCESS_TIME, share)) ||
        (excess->ways && share >= 0 && !advice_beyond(judging, EXCESS_WAITING, advice_waiting_pct(judging))))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text, excess->sentence,
             ideal->bound == VALUE_AT_MOST ? "at least " : "", ratio);
    if (excess->ways)
        snprintf(
            advice->how, sizeof advice->how,
            "pad each row by one word, or swizzle: on average %.3g lanes of a warp want different words of "
            "one bank",
            ratio);
    advice_add_metric(advice, judging, excess->real);
    advice_add_metric(advice, judging, excess->ideal);
    if (excess->cached)
        say_what_l1_has(advice, judging);
    advice->gain = 1 - 1 / ratio;
    if (excess->cached)
        advice->gain = gain_beside_l1(judging, real->number, ideal->number);
    if (!excess->ways) {
        double hit = excess->cached ? advice_number(judging, METRIC_l1_hit_pct, 0) / 100 : 0;
        double missed = fmin(fmax(0, real->number * (1 - hit) - ideal->number), more);
        advice->gain =
            fmin(fmax(advice->gain, advice_dram_excess(judging)), share_of_excess(judging, more, missed));
    }
    if (excess->ways && share >= 0)
        advice->gain = fmin(advice->gain, CONFLICT_COST * share / 100);
    advice_cap_gain(advice, judging);
    return true;
}

static bool judge_loads(struct advice_judging *judging)
{
    static const struct excess excess = {.real = METRIC_global_load_sectors,
                                         .ideal = METRIC_global_load_ideal_sectors,
                                         .other = METRIC_global_store_sectors,
                                         .sentence = "Global loads move %s%.3gx the sectors they need",
                                         .cached = true};
    return judge_excess(judging, &excess);
}

static const struct advice_rule uncoalesced_loads = {
    .id = "uncoalesced_loads",
    .priority = ADVICE_HIGH,
    .of_kernel = judge_loads,
    .limits = {[EXCESS_RATIO] = {"load sectors / ideal load sectors", "x", false, 1.1, COALESCING},
               [EXCESS_SHARE] = {"excess load sectors as a share of all global sectors", "%", false, 5,
                                 ADVICE_CHOSEN},
               [EXCESS_TIME] = {AT_PEAK("excess load sectors"), "%", false, 1, SECTORS_TIME}},
    .gain =
        "1 - ideal load sectors / load sectors; where sectors hit in L1 no more than 1 - ideal load sectors "
        "/ those that miss, and 1.1 cycles of a multiprocessor for each excess sector; or 1 - needed bytes "
        "/ bytes moved by DRAM if that is more; " EXCESS_CAP ADVICE_CAP,
    .now = "let neighbouring lanes read neighbouring words from an aligned start; or read rows into a "
           "shared tile",
    .taught = "copy-stride",
    .source = ADVICE_GUIDE "Coalesced Access to Global Memory",
    .workload = "copy-stride,stride=2",
    .twin = "copy-stride,stride=1",
    .line = {ADVICE_LINE_LOAD, CODE_SECTORS, CODE_COST_COUNT, NULL},
    .access = true,
    .memory_wait = true,
};

static bool judge_stores(struct advice_judging *judging)
{
    static const struct excess excess = {.real = METRIC_global_store_sectors,
                                         .ideal = METRIC_global_store_ideal_sectors,
                                         .other = METRIC_global_load_sectors,
                                         .sentence = "Global stores move %s%.3gx the sectors they need"};
    return judge_excess(judging, &excess);
}

static const struct advice_rule uncoalesced_stores = {
    .id = "uncoalesced_stores",
    .priority = ADVICE_HIGH,
    .of_kernel = judge_stores,
    .limits = {[EXCESS_RATIO] = {"store sectors / ideal store sectors", "x", false, 1.1, COALESCING},
               [EXCESS_SHARE] = {"excess store sectors as a share of all global sectors", "%", false, 5,
                                 ADVICE_CHOSEN},
               [EXCESS_TIME] = {AT_PEAK("excess store sectors"), "%", false, 1, SECTORS_TIME}},
    .gain = "1 - ideal store sectors / store sectors, or 1 - needed bytes / bytes moved by DRAM if that is "
            "more; " EXCESS_CAP ADVICE_CAP,
    .now = "transpose a tile in shared memory, so that neighbouring lanes write neighbouring words",
    .taught = "transpose",
    .source = ADVICE_GUIDE "Coalesced Access to Global Memory; " ADVICE_H200
                           "in transpose, 8x the sectors took 7x the time",
    .workload = "transpose:naive",
    .twin = "transpose:pad",
    .line = {ADVICE_LINE_STORE, CODE_SECTORS, CODE_COST_COUNT, NULL},
    .access = true,
    .memory_wait = true,
};

static bool judge_load_conflicts(struct advice_judging *judging)
{
    static const struct excess excess = {.real = METRIC_shared_load_wavefronts,
                                         .ideal = METRIC_shared_load_ideal_wavefronts,
                                         .other = METRIC_shared_store_wavefronts,
                                         .sentence = "Shared loads take %s%.3gx the wavefronts they need",
                                         .ways = true};
    return judge_excess(judging, &excess);
}

static const struct advice_rule load_conflicts = {
    .id = "shared_load_conflicts",
    .priority = ADVICE_MEDIUM,
    .of_kernel = judge_load_conflicts,
    .limits = {[EXCESS_RATIO] = {"shared load wavefronts / ideal", "x", false, 1.1, CONFLICTS},
               [EXCESS_SHARE] = {"shared load conflicts as a share of all shared wavefronts", "%", false, 5,
                                 ADVICE_CHOSEN},
               [EXCESS_TIME] = {ONE_A_CYCLE("shared load conflicts"), "%", false, 5, CONFLICTS_TIME},
               [EXCESS_WAITING] = {MEMORY_WAIT, "%", true, 50, WAITING_HIDES}},
    .gain = "the smaller of 1 - ideal shared load wavefronts / shared load wavefronts, and 1.1 x the "
            "conflicts' share of the time (the last limit); " ADVICE_CAP,
    .now = "pad each row by one word, or swizzle: XOR the column index with the row index",
    .taught = "bank-stride",
    .source = ADVICE_GUIDE "Shared Memory and Memory Banks",
    .workload = "bank-stride:32-bit,stride=2",
    .twin = "bank-stride:32-bit,stride=1",
    .line = {ADVICE_LINE_LOAD, CODE_WAVEFRONTS, CODE_COST_COUNT, NULL},
    .access = true,
};

static bool judge_store_conflicts(struct advice_judging *judging)
{
    static const struct excess excess = {.real = METRIC_shared_store_wavefronts,
                                         .ideal = METRIC_shared_store_ideal_wavefronts,
                                         .other = METRIC_shared_load_wavefronts,
                                         .sentence = "Shared stores take %s%.3gx the wavefronts they need",
                                         .ways = true};
    return judge_excess(judging, &excess);
}

static const struct advice_rule store_conflicts = {
    .id = "shared_store_conflicts",
    .priority = ADVICE_MEDIUM,
    .of_kernel = judge_store_conflicts,
    .limits = {[EXCESS_RATIO] = {"shared store wavefronts / ideal", "x", false, 1.1, CONFLICTS},
               [EXCESS_SHARE] = {"shared store conflicts as a share of all shared wavefronts", "%", false, 5,
                                 ADVICE_CHOSEN},
               [EXCESS_TIME] = {ONE_A_CYCLE("shared store conflicts"), "%", false, 5, CONFLICTS_TIME},
               [EXCESS_WAITING] = {MEMORY_WAIT, "%", true, 50, WAITING_HIDES}},
    .gain = "the smaller of 1 - ideal shared store wavefronts / shared store wavefronts, and 1.1 x the "
            "conflicts' share of the time (the last limit); " ADVICE_CAP,
    .now = "pad each row by one word, or swizzle: XOR the column index with the row index",
    .taught = "bank-stride",
    .source = ADVICE_GUIDE "Shared Memory and Memory Banks",
    .workload = "prefetch:smem-batched,distance=8,blocks=4",
    .twin = "prefetch:smem-batched-pad,distance=8,blocks=4",
    .line = {ADVICE_LINE_STORE, CODE_WAVEFRONTS, CODE_COST_COUNT, NULL},
    .access = true,
};

/* ---- local memory ---- */
enum { SPILLS_SHARE, SPILLS_TIME, SPILLS_MODELLED };

#define LOCAL_ROW(id, text, how) [ADVICE_LOCAL_##id] = {text, how},
static const struct {
    const char *text, *how;
} locals[] = {ADVICE_LOCAL_LIST(LOCAL_ROW)};
#undef LOCAL_ROW

static bool judge_spills(struct advice_judging *judging)
{
    const struct value *loads = advice_read(judging, METRIC_local_load_sectors),
                       *stores = advice_read(judging, METRIC_local_store_sectors);
    if (!loads || !stores)
        return false;
    if (loads->number <= 0) /* what is only written are arguments of printf: the kernel reads back the rest */
        return true;
    double local = loads->number + stores->number;
    double all = local + advice_number(judging, METRIC_global_load_sectors, 0) +
                 advice_number(judging, METRIC_global_store_sectors, 0);
    double share = share_pct(judging, local, false, PROVENANCE_MEASURED),
           modelled = share_pct(judging, local, false, PROVENANCE_MODELLED);
    if (local <= 0 || !advice_beyond(judging, SPILLS_SHARE, 100 * local / all) ||
        (share >= 0 && !advice_beyond(judging, SPILLS_TIME, share)) ||
        (modelled >= 0 && !advice_beyond(judging, SPILLS_MODELLED, modelled)))
        return true;
    struct advice *advice = advice_add(judging);
    const struct advice_kernel *kernel = judging->kernel;
    enum advice_local what = kernel->local ? kernel->local(kernel->context) : ADVICE_LOCAL_SOME;
    if (what == ADVICE_LOCAL_SOME && loads->provenance == PROVENANCE_MODELLED)
        what = ADVICE_LOCAL_ARRAYS;
    snprintf(advice->text, sizeof advice->text, "Local memory (%s) takes %.0f %% of the sectors",
             locals[what].text, 100 * local / all);
    snprintf(advice->how, sizeof advice->how, "%s", locals[what].how);
    advice_add_metric(advice, judging, METRIC_local_load_sectors);
    advice_add_metric(advice, judging, METRIC_local_store_sectors);
    double missed = local * (1 - advice_number(judging, METRIC_l1_hit_pct, 0) / 100);
    advice->gain = fmin(local / all, share_of_excess(judging, local, missed));
    return true;
}

static const struct advice_rule local_memory = {
    .id = "local_memory",
    .of_kernel = judge_spills,
    .limits = {[SPILLS_SHARE] = {"local sectors as a share of local and global sectors", "%", false, 5,
                                 ADVICE_CHOSEN},
               [SPILLS_TIME] = {AT_PEAK("local sectors"), "%", false, 1, SECTORS_TIME},
               [SPILLS_MODELLED] = {"the same on the device model", "%", false, 0.01,
                                    "chosen: problems are small on the model"}},
    .gain =
        "local sectors / (local sectors + global sectors); no more than their "
        "share of the time at 1.1 cycles of a multiprocessor where they hit in L1, else 4.6, and the bytes "
        "that DRAM did not need at 90 % of its peak",
    .now = "allow more registers (a larger maxrregcount or __launch_bounds__); keep fewer values alive; "
           "index local arrays by constants only",
    .taught = "registers",
    .source = ADVICE_GUIDE "Local Memory; " ADVICE_H200
                           "in registers, 94 % of the sectors were spills and took 87 % of the time",
    .workload = "local-array:variable",
    .twin = "local-array:constant",
    .line = {ADVICE_LINE_ANY, CODE_LOCAL_SECTORS, CODE_COST_COUNT, NULL},
    .access = true,
    .memory_wait = true,
};

static const struct advice_rule *const rules[] = {&uncoalesced_loads, &uncoalesced_stores, &load_conflicts,
                                                  &store_conflicts, &local_memory};
const struct advice_family advice_access_rules = {rules, sizeof rules / sizeof *rules};
