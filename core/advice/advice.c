/* The table of rules, and the order of what they say. */
#include "core/advice/advice_internal.h"

#include <stdlib.h>

#define GUIDE "CUDA C++ Best Practices Guide, "
#define H200 "measured on an H200: "

/* clang-format off */ /* a table */
/* Of times that a GPU took: what is short on the device model is short because problems are small there. */
#define AT_PEAK(what) what " at DRAM's peak bandwidth, of the time a GPU took"
#define ONE_A_CYCLE(what) what ", one a cycle and multiprocessor, of the time a GPU took"

static const struct advice_rule_info infos[ADVICE_RULE_COUNT] = {
    [ADVICE_UNCOALESCED_LOADS] = {.limits = {{"load sectors / ideal load sectors", "x", false, 1.1},
                                             {"excess load sectors, of all global sectors", "%", false, 5},
                                             {AT_PEAK("excess load sectors"), "%", false, 1}},
                                  .gain = "1 - ideal load sectors / load sectors",
                                  .now = "let neighbouring lanes read neighbouring words from an aligned "
                                         "start, or read rows into a shared tile",
                                  .taught = "copy-stride",
                                  .source = GUIDE "Coalesced Access to Global Memory; 1.25x (a start off its "
                                                  "sector) is the least that a wrong pattern costs"},
    [ADVICE_UNCOALESCED_STORES] = {.limits = {{"store sectors / ideal store sectors", "x", false, 1.1},
                                              {"excess store sectors, of all global sectors", "%", false, 5},
                                              {AT_PEAK("excess store sectors"), "%", false, 1}},
                                   .gain = "1 - ideal store sectors / store sectors",
                                   .now = "let neighbouring lanes write neighbouring words: turn a tile in "
                                          "shared memory, write it by rows",
                                   .taught = "transpose",
                                   .source =
                                       GUIDE "Coalesced Access to Global Memory; " H200
                                             "transpose, 8x the sectors took 7x the time; compaction "
                                             "with an atomic a word, 8x in 0.8 % of the time at the peak "
                                             "bandwidth, and nothing to gain"},
    [ADVICE_LOAD_CONFLICTS] =
        {.limits = {{"shared load wavefronts / ideal", "x", false, 1.1},
                    {"shared load conflicts, of all shared wavefronts", "%", false, 5},
                    {ONE_A_CYCLE("shared load conflicts"), "%", false, 2}},
         .gain =
             "the less of 1 - ideal shared load wavefronts / shared load wavefronts, and of 1.5 x the last "
             "of these",
         .now = "pad each row by one word, or swizzle: mix the column's number with the row's by XOR",
         .taught = "bank-stride",
         .source = GUIDE
         "Shared Memory and Memory Banks; a 2-way conflict of every tenth instruction is 1.1x; " H200
         "conflicts that fill a share of the cycles cost from nothing to 1.5 times that (prefetch, "
         "bank-stride, scan), and below 2 % less than 1 % of the time"},
    [ADVICE_STORE_CONFLICTS] =
        {.limits = {{"shared store wavefronts / ideal", "x", false, 1.1},
                    {"shared store conflicts, of all shared wavefronts", "%", false, 5},
                    {ONE_A_CYCLE("shared store conflicts"), "%", false, 2}},
         .gain = "the less of 1 - ideal shared store wavefronts / shared store wavefronts, and of 1.5 x the "
                 "last of these",
         .now = "pad each row by one word, or swizzle: mix the column's number with the row's by XOR",
         .taught = "bank-stride",
         .source =
             GUIDE "Shared Memory and Memory Banks; a 2-way conflict of every tenth instruction is 1.1x"},
    [ADVICE_SPILLS] = {.limits = {{"local sectors, of local and global ones", "%", false, 5},
                                  {AT_PEAK("local sectors"), "%", false, 1}},
                       .gain = "local sectors / (local sectors + global sectors)",
                       .now = "allow more registers (a larger maxrregcount or __launch_bounds__), keep fewer "
                              "values alive, index local arrays by "
                              "constants only",
                       .taught = "registers",
                       .source =
                           GUIDE "Local Memory; " H200
                                 "registers, 94 % of the sectors were spills and took 87 % of the time"},
    [ADVICE_DIVERGENCE] =
        {.limits = {{"active threads per warp, of those the block's shape gives a warp", "%", true, 80}},
         .gain = "1 - active threads per warp / threads that the block's shape gives a warp",
         .now = "let all lanes of a warp take the same way: branch on the warp's number, sort the data by "
                "its way, or compute both ways "
                "and select",
         .taught = "divergence",
         .source = GUIDE
         "Branching and Divergence; what a bounds check and a reduction's last warps cost stays below 20 %"},
    [ADVICE_OCCUPANCY] =
        {.limits = {{"theoretical occupancy", "%", true, 50},
                    {"blocks / blocks that are resident at once", "x", false, 1},
                    {"share of the memory's bandwidth, and of the issue slots, in use", "%", true, 60}},
         .gain = "1 - theoretical occupancy / 100 %",
         .now = "use less of what limits it; or give each thread more independent work, which hides latency "
                "as well",
         .taught = "occupancy-smem",
         .source =
             GUIDE "Occupancy; " H200
                   "registers, 50 % was as fast as more; occupancy-smem, 25 % took 2.8x the time of 100 %"},
    [ADVICE_TAIL] =
        {.limits = {{"waves of blocks", "waves", false, 1},
                    {"places for blocks that stay empty in the last wave, of all waves' places", "%", false,
                     20}},
         .gain = "1 - waves / waves rounded up",
         .now = "choose a grid that is a multiple of the blocks resident at once, or let as many blocks loop "
                "over the work; smaller "
                "blocks make the last wave cheaper",
         .taught = "block-size",
         .source =
             "blocks / (multiprocessors x resident blocks); from five waves on it cannot be more than 20 %"},
    [ADVICE_ATOMICS] =
        {.limits = {{"passes of atomics in the busiest slice of L2, of its cycles", "%", false, 22}},
         .gain = "the less of 1 and 3 x that share: an addition of floats takes three cycles from one to the next",
         .now = "let each warp or block add up what it has, in registers or shared memory, and do one atomic "
                "for all; or spread the words: a copy each for some blocks, added up at the end",
         .taught = "histogram",
         .source = H200 "histogram with one set of bins, 79 to 84 % and 90 times the time of a set per block; "
                        "compaction that asks once a thread, 78 %; atomics, 23 to 57 %; compaction that asks "
                        "once a block, 21 %, and waits for something else"},
    [ADVICE_LONG_SCOREBOARD] =
        {.limits = {{"share of DRAM's peak", "%", true, 60},
                    {"a warp's waiting for memory, of the cycles between its instructions", "%", false, 60},
                    {"load requests of each warp", "requests", false, 8},
                    {"waiting for each load request", "cycles", false, 250}},
         .gain = "the less of waiting for memory / cycles between instructions, and 1 - share of DRAM's peak",
         .now =
             "prefetch: ask for the next passes' words before this one's are worked on, into registers or, "
             "asynchronously, into shared memory; or let more warps be resident",
         .taught = "prefetch",
         .source = "the prefetching article's three checks: bandwidth not saturated, long-scoreboard stalls "
                   "dominate, a large loop; " H200
                   "prefetch in four blocks, 700 cycles a load without, 30 to 170 with it, at half the time. "
                   "Only where no rule on global or local memory fires, and not above 5,000 cycles a load: "
                   "those of mapped host memory took 33,000"},
    [ADVICE_DOUBLE_PRECISION] =
        {.limits = {{"double-precision operations, of those in single and double precision", "%", false, 10},
                    {"memory instructions of 8 and 16 bytes a lane", "instructions", true, 1},
                    {"double-precision operations / their peak, of the time", "%", false, 5}},
         .gain = "1 - (operations / peak in single precision) / time",
         .now = "write constants as 0.7f and call sinf, sqrtf, ... : one double makes the expression double, "
                "with a conversion on each side",
         .taught = "math",
         .source =
             GUIDE "Arithmetic Instructions, Type Conversion Instructions; " H200
                   "math, double constants took 5.6x the time. Kernels with words of 8 bytes may mean it"},
    [ADVICE_UNEXPLAINED] =
        {.limits = {{"the most used of DRAM, issue slots, L1, shared memory and the double-precision units",
                     "%", true, 10},
                    {"time", "ns", false, 20000},
                    {"blocks / multiprocessors", "x", false, 1}},
         .gain = "1 - share of time in which the most used unit is in use",
         .now =
             "ask what its warps wait for: --counters +stalls, or --runs lines; mapped host memory, constants "
             "read at several words and blocks of a warp are not counted, nor atomics in older recordings",
         .taught = "histogram",
         .source = H200
         "histogram with one set of bins, whose atomics meet in the L2 cache, 0.4 % and 90 times the time of "
         "a set per block; of 665 kernels of the curriculum none with another cause. Only where no other "
         "rule fires"},
    [ADVICE_BANDWIDTH_BOUND] =
        {.limits = {{"share of DRAM peak", "%", false, 70}},
         .gain = "0: stop here",
         .now = "stop here: only moving fewer bytes (smaller types, fused kernels, reuse) makes it faster",
         .taught = "copy-offset",
         .source =
             H200 "transpose with padding, 75 to 76 %; its plain copy, 63 %; about nine tenths of the peak "
                  "can be had. Only where no rule on accesses fires"},
    [ADVICE_LAUNCH_BOUND] =
        {.limits = {{"calls that start kernels", "calls", false, 20},
                    {"(time in these calls - time in their kernels), of the span", "%", false, 10}},
         .gain = "(time in launch calls - time in their kernels) / span of work on the device",
         .now = "fuse the small kernels, give each launch more work, or capture the sequence into a graph",
         .taught = "launch",
         .source = H200
         "launch, a call takes 4.3 us under tracing and a small kernel 0.7 us; tracing makes calls dearer"},
    [ADVICE_DEFAULT_STREAM] =
        {.limits = {{"serialised by the legacy default stream, of the device's busy time", "%", false, 10}},
         .gain = "serialised time / busy time of the device",
         .now = "use streams of your own for all work, created non-blocking, or compile with "
                "--default-stream per-thread",
         .taught = "default-stream",
         .source =
             "core/analysis/overlap's definition of serialised time; " H200 "default-stream, 66 % of the busy time"},
    [ADVICE_PAGEABLE_COPIES] =
        {.limits = {{"time in pageable copies of more than 1 MiB, of the device's busy time", "%", false,
                     10}},
         .gain = "time in pageable copies / busy time of the device: all of it could be hidden",
         .now = "allocate the host's buffer pinned (cudaMallocHost) or pin it (cudaHostRegister); then the "
                "copy can be asynchronous",
         .taught = "host-copy",
         .source = GUIDE "Pinned Memory; " H200 "host-copy, no slower up to 1 MiB, 5 times slower at 4 MiB"},
    [ADVICE_SMALL_COPIES] =
        {.limits = {{"copies between host and device of less than 64 KiB", "copies", false, 16},
                    {"time that merging them saves, of the device's busy time", "%", false, 10}},
         .gain = "sum over directions of (copies - 1) x the shortest / busy time of the device",
         .now = "gather the pieces in one pinned buffer and copy that once",
         .taught = "host-copy",
         .source = GUIDE "Data Transfer Between Host and Device; " H200
                         "host-copy, below 64 KiB a copy's cost is that of the call"},
    [ADVICE_LOW_OVERLAP] =
        {.limits = {{"copies under kernels, of what could be", "%", true, 50},
                    {"busy time of kernels per launch", "ns", false, 10000},
                    {"what is not hidden of the shorter of copies and kernels, of the device's busy time",
                     "%", false, 25}},
         .gain = "1 - time that the busiest engine needs / busy time of the device",
         .now = "cut the work into chunks and give each a stream of its own: copy in, "
                "kernel and copy out then overlap",
         .taught = "n-way",
         .source = GUIDE "Asynchronous and Overlapping Transfers with Computation; under "
                         "10 us a kernel cannot be cut: launches take some us"},
};
/* clang-format on */

#define ADVICE_ID(name, id, scope) [ADVICE_##name] = {id, ADVICE_OF_##scope},
static const struct {
    const char *id;
    enum advice_scope scope;
} names[ADVICE_RULE_COUNT] = {ADVICE_RULE_LIST(ADVICE_ID)};
#undef ADVICE_ID

const char *advice_rule_id(enum advice_rule rule)
{
    return (unsigned)rule < ADVICE_RULE_COUNT ? names[rule].id : "";
}

enum advice_scope advice_rule_scope(enum advice_rule rule)
{
    return names[rule].scope;
}

const struct advice_rule_info *advice_rule_info(enum advice_rule rule)
{
    return (unsigned)rule < ADVICE_RULE_COUNT ? &infos[rule] : NULL;
}

bool advice_beyond(enum advice_rule rule, size_t limit, double value)
{
    const struct advice_limit *at = &infos[rule].limits[limit];
    return at->below ? value < at->number : value > at->number;
}

struct advice *advice_add(struct advice_list *list, enum advice_rule rule)
{
    struct advice *advice = &list->items[list->count++];
    *advice = (struct advice){.rule = rule, .provenance = PROVENANCE_MEASURED};
    return advice;
}

void advice_add_evidence(struct advice *advice, const char *id, const char *unit, struct value value)
{
    advice->evidence[advice->evidence_count++] = (struct advice_evidence){id, unit, value};
    if (value.provenance < advice->provenance)
        advice->provenance = value.provenance;
}

static int compare_gain(const void *a, const void *b)
{
    const struct advice *left = a, *right = b;
    if (left->gain != right->gain)
        return left->gain < right->gain ? 1 : -1;
    return (left->rule > right->rule) - (left->rule < right->rule);
}

void advice_list_sort(struct advice_list *list)
{
    qsort(list->items, list->count, sizeof *list->items, compare_gain);
}
