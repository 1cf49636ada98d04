/*
 * The catalogue's words: a WORDS_id for each id of METRIC_LIST, with meaning, formula, the workload that
 * teaches it (NULL: none yet), better direction, exact, derived. docs/metrics.md is written from it
 * (tests/unit/test_metric_sheet.c).
 */
#include "core/metric.h"

#include <string.h>

/* clang-format off: tables */
#define WORDS(m, f, t, b, e, d) \
    .meaning = (m), .formula = (f), .taught = (t), .better = METRIC_##b, .exact = (e), .derived = (d)

#define REQUESTS(direction, instruction, teaches)                                         \
    WORDS("warp instructions that " direction " global memory with at least one lane on", \
          "counted: L1 requests of " instruction, teaches, LOWER, true, false)
#define SECTORS(direction, instruction, teaches)                                                            \
    WORDS("32-byte pieces of memory these requests touch", "counted: instrumented sectors of " instruction, \
          teaches, LOWER, true, false)
#define IDEAL_SECTORS(teaches)                                                                              \
    WORDS(                                                                                                  \
        "the fewest sectors that could hold the bytes the lanes want",                                      \
        "sum over requests of ceil(distinct bytes / 32), worked out from the sums of bytes, requests and "  \
        "widths: "                                                                                          \
        "exact when all lanes take part; else the most the sums allow, so that excess is never overstated", \
        teaches, NEITHER, false, true)
#define EXCESS_SECTORS(teaches)                                                                         \
    WORDS("uncoalesced: sectors beyond the fewest possible", "sectors - ideal sectors", teaches, LOWER, \
          false, true)
#define SECTORS_PER_REQUEST(teaches)                                                               \
    WORDS("sectors one warp instruction touches: 4 for 32 neighbouring 4-byte words, 32 at worst", \
          "sectors / requests", teaches, LOWER, true, true)
#define BYTES_RATIO(direction, teaches)                                        \
    WORDS("share of the bytes " direction " in sectors that a lane asked for", \
          "distinct bytes wanted / (32 x sectors)", teaches, HIGHER, true, true)
#define INSTRUCTIONS(direction, instruction)                                                                \
    WORDS("warp instructions that " direction " shared memory with at least one lane on",                   \
          "counted: instrumented " instruction " with a lane on, also of generic addresses", "bank-stride", \
          LOWER, true, false)
#define WAVEFRONTS(instruction)                               \
    WORDS("passes over the 32 banks these instructions take", \
          "counted: instrumented wavefronts of " instruction, "bank-stride", LOWER, true, false)
#define IDEAL_WAVEFRONTS                                                                                    \
    WORDS("the passes they would take without a conflict",                                                  \
          "sum over instructions of ceil(active lanes x bytes / 128), worked out from the sums of "         \
          "instructions and widths: "                                                                       \
          "exact when none is wider than 4 bytes or all lanes take part; else the most the sums allow, so " \
          "that conflicts are "                                                                             \
          "never overstated",                                                                               \
          "bank-stride", NEITHER, false, true)
#define CONFLICTS                                                                                         \
    WORDS("extra passes because lanes want different words of one bank", "wavefronts - ideal wavefronts", \
          "bank-stride", LOWER, false, true)
#define LOCAL_SECTORS(direction, op)                                              \
    WORDS("sectors " direction " for spilled registers and indexed local arrays", \
          "counted: L1 sectors of local " op, NULL, LOWER, true, false)
#define DRAM_BYTES(direction, formula)                                                                   \
    WORDS("bytes " direction " device memory, by anybody, while the kernel ran", formula, "copy-stride", \
          LOWER, false, false)

#define WORDS_time_ns                                                                                      \
    WORDS("time on the GPU, from the first block's start to the last block's end",                         \
          "end - start of the kernel record of the trace run; where there is none, gpu__time_duration of " \
          "the counter run",                                                                               \
          NULL, LOWER, false, false)
#define WORDS_effective_bandwidth_bytes_per_second                                                     \
    WORDS("bytes the algorithm must read and write, per second: the useful part of the traffic",       \
          "bytes the algorithm reads and writes / time; above the theoretical bandwidth where caches " \
          "served a part",                                                                             \
          "copy-offset", HIGHER, false, true)
#define WORDS_global_load_requests REQUESTS("read", "LDG and cp.async", "copy-offset")
#define WORDS_global_load_sectors SECTORS("read", "LDG and cp.async", "copy-offset")
#define WORDS_global_load_ideal_sectors IDEAL_SECTORS("copy-offset")
#define WORDS_global_load_excess_sectors EXCESS_SECTORS("copy-offset")
#define WORDS_global_load_sectors_per_request SECTORS_PER_REQUEST("copy-offset")
#define WORDS_global_load_bytes_wanted_per_byte_moved BYTES_RATIO("read", "copy-stride")
#define WORDS_global_store_requests REQUESTS("write", "STG", "transpose")
#define WORDS_global_store_sectors SECTORS("write", "STG", "transpose")
#define WORDS_global_store_ideal_sectors IDEAL_SECTORS("transpose")
#define WORDS_global_store_excess_sectors EXCESS_SECTORS("transpose")
#define WORDS_global_store_sectors_per_request SECTORS_PER_REQUEST("transpose")
#define WORDS_global_store_bytes_wanted_per_byte_moved BYTES_RATIO("written", "copy-stride")
#define WORDS_shared_load_instructions INSTRUCTIONS("read", "LDS")
#define WORDS_shared_load_wavefronts WAVEFRONTS("LDS")
#define WORDS_shared_load_ideal_wavefronts IDEAL_WAVEFRONTS
#define WORDS_shared_load_conflicts CONFLICTS
#define WORDS_shared_store_instructions INSTRUCTIONS("write", "STS")
#define WORDS_shared_store_wavefronts WAVEFRONTS("STS")
#define WORDS_shared_store_ideal_wavefronts IDEAL_WAVEFRONTS
#define WORDS_shared_store_conflicts CONFLICTS
#define WORDS_achieved_occupancy_pct                                                            \
    WORDS("resident warps while a multiprocessor is busy, as a share of the most there can be", \
          "counted: active warps per active cycle / most warps", NULL, HIGHER, false, false)
#define WORDS_theoretical_occupancy_pct                                                                    \
    WORDS("the occupancy that block size, registers and shared memory allow",                              \
          "resident blocks x warps per block / most warps, by the limits of the compute capability", NULL, \
          HIGHER, true, true)
#define WORDS_occupancy_limiter                                                                         \
    WORDS("what keeps more blocks from being resident",                                                 \
          "the least of the limits by warps, blocks, registers and shared memory", NULL, NEITHER, true, \
          true)
#define WORDS_active_threads_per_warp                                                  \
    WORDS("lanes that take part in an instruction, on average: 32 without divergence", \
          "counted: thread instructions / warp instructions", NULL, HIGHER, false, false)
#define WORDS_working_threads_per_warp                                                                       \
    WORDS("lanes for which an instruction does something: a short path has guards in place of a branch",     \
          "counted: thread instructions whose guard is on / warp instructions", "divergence", HIGHER, false, \
          false)
#define WORDS_dram_read_bytes DRAM_BYTES("read from", "counted: DRAM bytes, by the memory run in one pass")
#define WORDS_dram_write_bytes                                                                             \
    DRAM_BYTES("written to",                                                                               \
               "counted: DRAM bytes, by the memory run in one pass; without one, in several passes, with " \
               "what restoring memory between them leaves in the L2, up to about the bytes the kernel "    \
               "itself writes")
#define WORDS_dram_peak_pct                                                                          \
    WORDS("how near device memory was to the most it can do", "counted: DRAM throughput / its peak", \
          "copy-offset", NEITHER, false, false)
#define WORDS_l1_hit_pct                                                                          \
    WORDS("sectors found in the multiprocessor's own cache", "counted: L1 sector hits / lookups", \
          "copy-stride", HIGHER, false, false)
#define WORDS_l2_hit_pct                                               \
    WORDS("sectors found in the cache that all multiprocessors share", \
          "counted: L2 sector hits / lookups, taken in two replays", "copy-stride", HIGHER, false, false)
#define WORDS_atomic_passes                                                                             \
    WORDS("what the L2's slices do one after the other: a lane for each word of a sector of a request", \
          "counted: cycles in which the slices' atomic units take something in; of each sector of a "   \
          "request as many as lanes have one word of it, up to 2 % more where it spans over 512 bytes", \
          "atomics", LOWER, false, false)
#define WORDS_atomic_busiest_pct                                                                            \
    WORDS("cycles in which the L2 slice with the most atomics takes one in: 80 at most, of floats 33",      \
          "counted: that slice's passes / cycles of the L2; at one word whole numbers reach 80, floats 33", \
          "histogram", LOWER, false, false)
#define WORDS_local_load_sectors LOCAL_SECTORS("read", "loads")
#define WORDS_local_store_sectors LOCAL_SECTORS("written", "stores")

#define WORDS_dram_bandwidth_bytes_per_second                                                          \
    WORDS("bytes that device memory moved per second, wasted ones too: more of it is not better",      \
          "(DRAM bytes read + written) / time, of one launch; what of it was useful is the effective " \
          "bandwidth",                                                                                 \
          "copy-stride", NEITHER, false, true)
#define WORDS_theoretical_bandwidth_bytes_per_second                                      \
    WORDS("what device memory could move per second; about nine tenths of it can be had", \
          "memory clock x bus width x 2 / 8, of the device", "copy-offset", NEITHER, false, true)
#define COHERENT(direction, op)                                                                        \
    WORDS("coalesced " direction "s; once transactions of one group of multiprocessors: here of all",  \
          direction                                                                                    \
          " requests - " op "_incoherent: those that touch no more sectors than their bytes "          \
          "need; the model with --cc 1.x counts transactions by those rules (1.0, 1.1: of half-warps " \
          "that coalesce; 1.2, 1.3: all)",                                                             \
          "copy-offset", NEITHER, false, true)
#define INCOHERENT(direction, op)                                                                      \
    WORDS("uncoalesced " direction "s; once a transaction per lane, and 0 from 1.2 on: here requests", \
          "requests that touch more sectors than their bytes need, which the model counts; a GPU's "   \
          "counts only say: at most the less of requests and excess sectors; the model with --cc 1.x " \
          "counts transactions by those rules",                                                        \
          "copy-offset", LOWER, false, true)
#define OLD_LOCAL(direction, op)                                                                         \
    WORDS("local memory " direction "; once transactions of one group of multiprocessors: here sectors", \
          "local " op " sectors", "registers", LOWER, false, true)
#define WORDS_gld_coherent COHERENT("load", "gld")
#define WORDS_gld_incoherent INCOHERENT("load", "gld")
#define WORDS_gst_coherent COHERENT("store", "gst")
#define WORDS_gst_incoherent INCOHERENT("store", "gst")
#define WORDS_local_load OLD_LOCAL("read", "load")
#define WORDS_local_store OLD_LOCAL("written", "store")
#define WORDS_branch                                                                                     \
    WORDS("branches of warps; once those taken, and barriers, of one multiprocessor: here all executed", \
          "counted: instrumented branch instructions; ptxas makes short branches into predicates, "      \
          "which the model leaves as they are",                                                          \
          "divergence", LOWER, false, false)
#define WORDS_divergent_branch                                                                          \
    WORDS("branches at which the lanes of a warp part; once of one multiprocessor: here of all",        \
          "counted: branches whose active lanes have more than one target", "divergence", LOWER, false, \
          false)
#define WORDS_instructions                                                                              \
    WORDS("instructions that warps executed; once of one multiprocessor: here of all",                  \
          "counted: instructions executed by warps; the model counts PTX's, a GPU the machine's", NULL, \
          LOWER, false, false)
#define WORDS_warp_serialize                                                                           \
    WORDS("bank conflicts; once warps of one multiprocessor, constants too: here extra passes of all", \
          "shared load bank conflicts + shared store bank conflicts", "bank-stride", LOWER, false, true)
#define WORDS_cta_launched                                                                        \
    WORDS("blocks; once those that one group of multiprocessors started: here all of the launch", \
          "grid x * y * z", "block-size", NEITHER, true, true)
#define WORDS_occupancy                                                                              \
    WORDS("resident warps / most there can be: worked out from the launch, as it was, not measured", \
          "theoretical occupancy / 100", "occupancy-smem", HIGHER, true, true)
#define WORDS_gputime WORDS("microseconds on the GPU, as it was", "time / 1000", NULL, LOWER, false, true)
#define WORDS_cputime                                                                          \
    WORDS("microseconds in the call that launched it, as it was; what tracing costs is in it", \
          "end - start of the API call, of the trace run", NULL, LOWER, false, true)

#define WORDS_wide_memory_instructions                                                                    \
    WORDS("memory instructions of 8 and 16 bytes a lane, of all spaces: doubles, pointers and vectors",   \
          "counted: instrumented memory instructions of 64 and of 128 bits", "word-size", NEITHER, false, \
          false)
#define OPERATIONS(kind, op)                                                                               \
    WORDS("additions, multiplications and their fusions in " kind ", of all lanes",                        \
          "counted: lanes of " op "ADD + lanes of " op "MUL + 2 x lanes of " op "FMA; steps of divisions " \
          "and functions too, of which the model counts only what PTX spells out",                         \
          "math", NEITHER, false, false)
#define WORDS_float_operations OPERATIONS("single precision", "F")
#define WORDS_double_operations OPERATIONS("double precision", "D")
#define WORDS_half_operations                                                                            \
    WORDS("the same in half precision: also of kernels without any, since ptxas loads constants so",     \
          "counted: lanes of HADD + lanes of HMUL + 2 x lanes of HFMA, by which ptxas loads constants; " \
          "the model: those PTX spells out, of packed forms both halves",                                \
          NULL, NEITHER, false, false)
#define WORDS_floating_point_operations                                                              \
    WORDS("floating-point operations in single and double precision; halves and tensor cores apart", \
          "single-precision + double-precision operations", "matmul-ab", NEITHER, false, true)
#define WORDS_tensor_instructions                                                                        \
    WORDS("warp instructions of the tensor cores, whose operations are not among the others",            \
          "counted: warp instructions that the tensor pipe executed; on GH100 also the HFMA2 that load " \
          "constants",                                                                                   \
          NULL, NEITHER, false, false)
#define WORDS_arithmetic_intensity                                                                       \
    WORDS("operations for each byte that device memory moves: the roofline's horizontal axis",           \
          "floating-point operations / (DRAM bytes read + written), medians of their runs", "matmul-ab", \
          HIGHER, false, true)
#define WORDS_operations_per_second                                             \
    WORDS("floating-point operations per second: the roofline's vertical axis", \
          "floating-point operations / time, medians of their runs", "matmul-ab", HIGHER, false, true)
#define PEAK(kind, field)                                                                    \
    WORDS("operations that the device could do per second in " kind,                         \
          "2 x " kind " lanes of the compute capability x multiprocessors x clock: a fused " \
          "multiplication and addition in each lane and cycle, half without fusing",         \
          "math", NEITHER, false, true)
#define WORDS_peak_float_per_second PEAK("single precision", float_lanes)
#define WORDS_peak_double_per_second PEAK("double precision", double_lanes)
#define WORDS_roof                                                                                        \
    WORDS("what would limit the kernel if nothing but memory's bandwidth and arithmetic did",             \
          "the longest of DRAM bytes / theoretical bandwidth, single-precision operations / their peak, " \
          "double-precision operations / theirs",                                                         \
          "matmul-ab", NEITHER, false, true)
#define WORDS_roof_pct                                                                                  \
    WORDS("how near the kernel is to the roofline: 100 % is as fast as its bytes and operations allow", \
          "the time of the roof above it / time, medians of their runs; operations that are not fused " \
          "reach half of arithmetic's peak",                                                            \
          "matmul-ab", HIGHER, false, true)
#define WORDS_cycles_per_issue                                                                              \
    WORDS("cycles from one of a warp's instructions to its next: what the waiting below adds up to",        \
          "counted: resident warps x cycles / instructions issued; the model: the same, of its own", "ilp", \
          LOWER, false, false)
#define STALL(what, reason, teaches)                     \
    WORDS("cycles a warp waits, per instruction, " what, \
          "counted: warps stalled by " reason " / issue cycle", teaches, LOWER, false, false)
#define WORDS_stall_long_scoreboard                                                                         \
    WORDS("cycles a warp waits, per instruction, for global, local or texture memory",                      \
          "counted: warps stalled by the long scoreboard / issue cycle; the model: what a lone warp waits " \
          "for these, and all waiting beyond that where memory's bandwidth or latency sets the time",       \
          "prefetch", LOWER, false, false)
#define WORDS_stall_short_scoreboard \
    STALL("for shared memory, special functions or a shuffle", "the short scoreboard", "bank-stride")
#define WORDS_stall_barrier STALL("for the rest of its block at a barrier", "a barrier", "block-size")
#define WORDS_stall_wait STALL("for the fixed latency of its own last instruction", "a fixed latency", "ilp")
#define WORDS_stall_math_pipe STALL("for an arithmetic pipe that is busy", "a full math pipe", "math")
#define WORDS_stall_mio STALL("for room in the queue of shared memory", "a full MIO queue", "bank-stride")
#define WORDS_stall_lg \
    STALL("for room in the queue of global and local memory", "a full LG queue", "copy-stride")
#define WORDS_stall_not_selected \
    STALL("though ready: the scheduler chose another", "not being selected", "occupancy-smem")

#define METRIC_ROW(metric, metric_title, metric_brief, metric_unit, metric_group) \
    {.id = #metric,                                                               \
     .title = (metric_title),                                                     \
     .brief = (metric_brief),                                                     \
     .unit = (metric_unit),                                                       \
     .group = METRIC_GROUP_##metric_group,                                        \
     WORDS_##metric},
static const struct metric_info infos[METRIC_COUNT] = {METRIC_LIST(METRIC_ROW)};
/* clang-format on */

const struct metric_info *metric_info(enum metric metric)
{
    return (unsigned)metric < METRIC_COUNT ? &infos[metric] : NULL;
}

bool metric_from_launch(enum metric metric)
{
    return metric == METRIC_theoretical_occupancy_pct || metric == METRIC_occupancy_limiter ||
           metric == METRIC_theoretical_bandwidth_bytes_per_second || metric == METRIC_cta_launched ||
           metric == METRIC_peak_float_per_second || metric == METRIC_peak_double_per_second ||
           metric == METRIC_occupancy;
}

/* Waiting for memory, and what all waiting adds up to, cost GH100 no pass more (tests/data/plan.csv); the
 * other stalls do. The tensor pipe's count says little (docs/cupti-notes.md). */
bool metric_when_asked(enum metric metric)
{
    bool stall = infos[metric].group == METRIC_GROUP_STALLS && metric != METRIC_stall_long_scoreboard &&
                 metric != METRIC_cycles_per_issue;
    return stall || metric == METRIC_tensor_instructions;
}

enum metric metric_find(const char *id)
{
    for (unsigned metric = 0; metric < METRIC_COUNT; metric++) {
        if (strcmp(infos[metric].id, id) == 0) {
            return (enum metric)metric;
        }
    }
    return METRIC_COUNT;
}

const char *metric_group_text(enum metric_group group)
{
    switch (group) {
    case METRIC_GROUP_TIME: return "time, bandwidth";
    case METRIC_GROUP_GLOBAL: return "global memory";
    case METRIC_GROUP_SHARED: return "shared memory";
    case METRIC_GROUP_OCCUPANCY: return "occupancy";
    case METRIC_GROUP_DIVERGENCE: return "divergence";
    case METRIC_GROUP_MEMORY: return "caches and DRAM";
    case METRIC_GROUP_ARITHMETIC: return "arithmetic";
    case METRIC_GROUP_STALLS: return "stalls";
    case METRIC_GROUP_OLD: return "old profiler's counters";
    case METRIC_GROUP_COUNT: break;
    }
    return "unknown";
}

const char *metric_group_id(enum metric_group group)
{
    static const char *const ids[METRIC_GROUP_COUNT] = {[METRIC_GROUP_TIME] = "time",
                                                        [METRIC_GROUP_GLOBAL] = "global",
                                                        [METRIC_GROUP_SHARED] = "shared",
                                                        [METRIC_GROUP_OCCUPANCY] = "occupancy",
                                                        [METRIC_GROUP_DIVERGENCE] = "divergence",
                                                        [METRIC_GROUP_MEMORY] = "memory",
                                                        [METRIC_GROUP_ARITHMETIC] = "arithmetic",
                                                        [METRIC_GROUP_STALLS] = "stalls",
                                                        [METRIC_GROUP_OLD] = "old"};
    return ids[group];
}

enum metric_group metric_group_find(const char *id)
{
    enum metric_group group = 0;
    while (group < METRIC_GROUP_COUNT && strcmp(metric_group_id(group), id) != 0) {
        group++;
    }
    return group;
}

const char *provenance_text(enum provenance provenance)
{
    switch (provenance) {
    case PROVENANCE_EXPECTED: return "expected";
    case PROVENANCE_MODELLED: return "modelled";
    case PROVENANCE_MEASURED: return "measured";
    case PROVENANCE_COUNT: break;
    }
    return "unknown";
}
