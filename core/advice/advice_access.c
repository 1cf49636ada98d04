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
    enum metric requests; /* each of which touches a sector more if it is not aligned; 0: not said */
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

#define GATHER_HIT_PCT 25 /* chosen: of a walk along rows or columns the next steps hit what this one left */

/* Do the loads go where an index says? Their sectors hit in no cache, since what lies beside a word is not read soon. A walk
 * with a stride wastes as many sectors each time, and a whole number a request where each lane has its own. */
static bool is_gather(struct advice_judging *judging)
{
    const struct value *l1 = advice_read(judging, METRIC_l1_hit_pct),
                       *l2 = advice_read(judging, METRIC_l2_hit_pct);
    double requests = advice_number(judging, METRIC_global_load_requests, 0),
           each = advice_number(judging, METRIC_global_load_sectors, 0) / fmax(requests, 1);
    return l1 && l2 && l1->number < GATHER_HIT_PCT && l2->number < GATHER_HIT_PCT &&
           fabs(each - round(each)) > 0.02;
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
    /* Neighbouring words that begin within a sector touch one sector more, whatever their number. */
    const double requests = excess->requests ? advice_number(judging, excess->requests, 0) : 0;
    if (more <= requests && ideal->number >= 2 * requests)
        snprintf(advice->how, sizeof advice->how,
                 "let the words of a warp begin at a multiple of 32 bytes: it writes %.3g sectors, and %.3g "
                 "where they are aligned",
                 real->number / requests, ideal->number / requests);
    if (excess->cached && is_gather(judging))
        snprintf(advice->how, sizeof advice->how,
                 "sort or bin what is read by its index, so that neighbouring lanes read neighbouring words: "
                 "caches have few of the sectors (L1 %.0f %%, L2 %.0f %%), as where a[i[k]] is read",
                 advice_number(judging, METRIC_l1_hit_pct, 0), advice_number(judging, METRIC_l2_hit_pct, 0));
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
                                         .requests = METRIC_global_store_requests,
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

/* The slow path of sinf, cosf and tanf stores seven words of a product for each of their warps, loads six words of 2 / pi
 * for it, and then two or three of the seven (nvcc 13). */
#define ANGLE_STORES 7
#define ANGLE_LOADS 3
#define ANGLE_TABLE 6
#define LOCAL_SECTORS 4 /* of a request: a word a lane */
#define MORE_STORES \
    1.5 /* chosen: what is spilled is loaded at least as often as stored, but on paths that end early */

static enum advice_local local_by_counts(const struct value *loads, const struct value *stores,
                                         double requests)
{
    double calls = stores->number / LOCAL_SECTORS / ANGLE_STORES, each = loads->number / LOCAL_SECTORS;
    if (loads->provenance == PROVENANCE_MODELLED)
        return ADVICE_LOCAL_ARRAYS;
    if (each >= (ANGLE_LOADS - 1) * calls && each <= ANGLE_LOADS * calls * 1.05 &&
        requests >= ANGLE_TABLE * calls * 0.95)
        return ADVICE_LOCAL_ANGLES;
    return stores->number > MORE_STORES * loads->number ? ADVICE_LOCAL_ARRAYS : ADVICE_LOCAL_SOME;
}

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
    if (what == ADVICE_LOCAL_SOME)
        what = local_by_counts(loads, stores, advice_number(judging, METRIC_global_load_requests, -1));
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

/* ---- words that are too small ---- */
enum { NARROW_BYTES, NARROW_WANTED, NARROW_REQUESTS, NARROW_DRAM, NARROW_WAVES };

#define WIDE_BYTES 16 /* the widest access of a lane */

/* Lanes that each load or store a byte or two in order: each request moves a sector or two, and the device is busy with
 * requests long before it is with bytes. */
static bool judge_narrow(struct advice_judging *judging)
{
    const struct value *loads = advice_read(judging, METRIC_global_load_requests),
                       *stores = advice_read(judging, METRIC_global_store_requests),
                       *in = advice_read(judging, METRIC_global_load_sectors),
                       *out = advice_read(judging, METRIC_global_store_sectors),
                       *lanes = advice_read(judging, METRIC_active_threads_per_warp),
                       *instructions = advice_read(judging, METRIC_instructions),
                       *peak = advice_read(judging, METRIC_dram_peak_pct);
    double resident = advice_resident_blocks(judging->kernel);
    if (!loads || !stores || !in || !out || !lanes || !instructions || !peak || !(lanes->number > 0) ||
        !(resident > 0) || !(loads->number + stores->number > 0))
        return false;
    double wanted = in->number * advice_number(judging, METRIC_global_load_bytes_wanted_per_byte_moved, 0) +
                    out->number * advice_number(judging, METRIC_global_store_bytes_wanted_per_byte_moved, 0);
    double requests = loads->number + stores->number,
           bytes = wanted * SECTOR_BYTES / requests / lanes->number;
    if (!advice_beyond(judging, NARROW_BYTES, bytes) ||
        !advice_beyond(judging, NARROW_WANTED, 100 * wanted / (in->number + out->number)) ||
        !advice_beyond(judging, NARROW_REQUESTS, 100 * requests / fmax(instructions->number, 1)) ||
        !advice_beyond(judging, NARROW_DRAM, peak->number) ||
        !advice_beyond(judging, NARROW_WAVES, judging->kernel->blocks / resident))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(
        advice->text, sizeof advice->text,
        "Lanes load and store %.1f bytes each at a time, %.1f sectors a request; DRAM is at %.0f %% of its "
        "peak",
        bytes, (in->number + out->number) / requests, peak->number);
    advice_add_metric(advice, judging, METRIC_global_load_requests);
    advice_add_metric(advice, judging, METRIC_global_store_requests);
    advice_add_metric(advice, judging, METRIC_dram_peak_pct);
    advice->gain = 1 - bytes / WIDE_BYTES;
    advice_cap_gain(advice, judging);
    return true;
}

static const struct advice_rule narrow_access = {
    .id = "narrow_access",
    .of_kernel = judge_narrow,
    .limits = {[NARROW_BYTES] = {"bytes that a lane loads or stores at a time", "bytes", true, 2.1,
                                 "words of 4 bytes fill the requests of a warp"},
               [NARROW_WANTED] = {"bytes that lanes want of those that are moved", "%", false, 90,
                                  "lanes that read one word together want few bytes, and no wider ones"},
               [NARROW_REQUESTS] = {"requests of global memory as a share of the instructions", "%", false, 4,
                                    ADVICE_H200 "a table of tones, a byte a thread, has 10 %"},
               [NARROW_DRAM] = {"share of DRAM's peak", "%", true, 60, ADVICE_CHOSEN},
               [NARROW_WAVES] = {"blocks / blocks that are resident at once", "x", false, 1,
                                 "fewer threads would leave the device emptier"}},
    .gain = "1 - bytes / 16; " ADVICE_CAP,
    .now = "load and store 4 or 16 bytes a thread (uchar4, uint4), and let each thread do as many elements",
    .taught = "word-size",
    .source = ADVICE_GUIDE "Coalesced Access to Global Memory; " ADVICE_H200
                           "16 bytes a thread in place of 1 took 21 % of the time",
    .workload = "word-size:8,n=16777216",
    .twin = "word-size:128,n=2097152",
    .access = true,
    .memory_wait = true,
};

/* ---- sums that are kept in global memory ---- */
enum { AGAIN_SHARE, AGAIN_TIMES, AGAIN_WAIT };

/* Stores of neighbouring words beyond the bytes that DRAM wrote and that L2 can hold went to places that were stored before. */
static bool judge_stores_again(struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *stores = advice_read(judging, METRIC_global_store_ideal_sectors),
                       *written = advice_read(judging, METRIC_dram_write_bytes),
                       *requests = advice_read(judging, METRIC_global_store_requests);
    double warps = kernel->blocks * ceil(kernel->shape.threads_per_block / 32.0);
    if (!stores || !written || !requests || !(kernel->l2_bytes > 0) || !(warps > 0))
        return false;
    double stored = stores->number * SECTOR_BYTES, again = stored - written->number - kernel->l2_bytes;
    if (!advice_beyond(judging, AGAIN_SHARE, 100 * again / fmax(stored, 1)) ||
        !advice_beyond(judging, AGAIN_TIMES, requests->number / warps) ||
        !advice_beyond(judging, AGAIN_WAIT, advice_waiting_pct(judging)))
        return true;
    struct advice *advice = advice_add(judging);
    snprintf(advice->text, sizeof advice->text,
             "At least %.0f %% of the stored bytes go to places that the kernel has stored before: each warp "
             "stores %.0f times",
             100 * again / stored, requests->number / warps);
    advice_add_metric(advice, judging, METRIC_global_store_ideal_sectors);
    advice_add_metric(advice, judging, METRIC_dram_write_bytes);
    advice->gain = 1;
    advice_cap_gain(advice, judging);
    return true;
}

static const struct advice_rule stores_again = {
    .id = "stores_again",
    .of_kernel = judge_stores_again,
    .limits =
        {[AGAIN_SHARE] = {"stored bytes that neither DRAM wrote nor the L2 cache can hold, as a share of "
                          "the stored bytes",
                          "%", false, 25, ADVICE_CHOSEN},
         [AGAIN_TIMES] = {"store requests of a warp", "requests", false, 8,
                          "a loop that stores in each round"},
         [AGAIN_WAIT] = {MEMORY_WAIT, "%", false, 50, "the next round loads what this one has stored"}},
    .gain = "all; " ADVICE_CAP,
    .now =
        "let each thread add up in a register and store once behind the loop; __restrict__ on the pointers "
        "lets the compiler do so",
    .taught = "reduction",
    .source = ADVICE_GUIDE "Global Memory; " ADVICE_H200
                           "a sum kept in global memory took 1.9x the time of one in a register",
    .line = {ADVICE_LINE_STORE, CODE_SECTORS, CODE_COST_COUNT, NULL},
    .access = true,
    .memory_wait = true,
};

static const struct advice_rule *const rules[] = {&uncoalesced_loads, &uncoalesced_stores, &load_conflicts,
                                                  &store_conflicts,   &local_memory,       &narrow_access,
                                                  &stores_again};
const struct advice_family advice_access_rules = {rules, sizeof rules / sizeof *rules};
