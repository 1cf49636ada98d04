/*
 * Which counters a metric takes on which chip, and in which run. Names as the host API of CUPTI 13.0 lists
 * them for TU102 to GB20B. TU1xx has no cp.async, so no ldgsts counters; GA10B, GB10B and GB20B have no DRAM
 * counters (memory shared with the CPU); GB20x has DRAM bytes by other names; all others have GH100's names.
 */
#include "core/metric_counters.h"

#include "core/metric.h"

#include <string.h>

#define MOST_COUNTERS 12

#define LOAD_SECTORS COUNTER_GLOBAL_SECTORS(ld), COUNTER_GLOBAL_SECTORS(ldgsts)
#define LOAD_BYTES COUNTER_GLOBAL_BYTES(ld), COUNTER_GLOBAL_BYTES(ldgsts)
#define WIDTHS COUNTER_WIDTH(8), COUNTER_WIDTH(16), COUNTER_WIDTH(64), COUNTER_WIDTH(128)
#define SHARED_IDEAL(op)                                                                                    \
    COUNTER_SHARED_WAVEFRONTS(op), COUNTER_SHARED_INSTRUCTIONS(op), COUNTER_WIDTH(64), COUNTER_WIDTH(128)
#define LOAD_IDEAL LOAD_SECTORS, LOAD_BYTES, COUNTER_GLOBAL_REQUESTS(ld), WIDTHS, COUNTER_GENERIC(ld)
#define STORE_IDEAL                                                                            \
    COUNTER_GLOBAL_SECTORS(st), COUNTER_GLOBAL_BYTES(st), COUNTER_GLOBAL_REQUESTS(st), WIDTHS, \
        COUNTER_GENERIC(st)

#define OPERATIONS(kind) \
    COUNTER_OPERATION(kind##add), COUNTER_OPERATION(kind##mul), COUNTER_OPERATION(kind##fma)
#define ALL_OPERATIONS OPERATIONS(f), OPERATIONS(d)

static const char *const counters[METRIC_COUNT][MOST_COUNTERS] = {
    [METRIC_time_ns] = {COUNTER_TIME},
    [METRIC_effective_bandwidth_bytes_per_second] = {NULL},
    [METRIC_dram_bandwidth_bytes_per_second] = {COUNTER_DRAM_READ, COUNTER_DRAM_WRITE, COUNTER_TIME},
    [METRIC_theoretical_bandwidth_bytes_per_second] = {NULL},
    [METRIC_global_load_requests] = {COUNTER_GLOBAL_REQUESTS(ld)},
    [METRIC_global_load_sectors] = {LOAD_SECTORS},
    [METRIC_global_load_ideal_sectors] = {LOAD_IDEAL},
    [METRIC_global_load_excess_sectors] = {LOAD_IDEAL},
    [METRIC_global_load_sectors_per_request] = {LOAD_SECTORS, COUNTER_GLOBAL_REQUESTS(ld)},
    [METRIC_global_load_bytes_wanted_per_byte_moved] = {LOAD_SECTORS, LOAD_BYTES},
    [METRIC_global_store_requests] = {COUNTER_GLOBAL_REQUESTS(st)},
    [METRIC_global_store_sectors] = {COUNTER_GLOBAL_SECTORS(st)},
    [METRIC_global_store_ideal_sectors] = {STORE_IDEAL},
    [METRIC_global_store_excess_sectors] = {STORE_IDEAL},
    [METRIC_global_store_sectors_per_request] = {COUNTER_GLOBAL_SECTORS(st), COUNTER_GLOBAL_REQUESTS(st)},
    [METRIC_global_store_bytes_wanted_per_byte_moved] = {COUNTER_GLOBAL_SECTORS(st),
                                                         COUNTER_GLOBAL_BYTES(st)},
    [METRIC_shared_load_instructions] = {COUNTER_SHARED_INSTRUCTIONS(ld)},
    [METRIC_shared_load_wavefronts] = {COUNTER_SHARED_WAVEFRONTS(ld)},
    [METRIC_shared_load_ideal_wavefronts] = {SHARED_IDEAL(ld)},
    [METRIC_shared_load_conflicts] = {SHARED_IDEAL(ld)},
    [METRIC_shared_store_instructions] = {COUNTER_SHARED_INSTRUCTIONS(st)},
    [METRIC_shared_store_wavefronts] = {COUNTER_SHARED_WAVEFRONTS(st)},
    [METRIC_shared_store_ideal_wavefronts] = {SHARED_IDEAL(st)},
    [METRIC_shared_store_conflicts] = {SHARED_IDEAL(st)},
    [METRIC_achieved_occupancy_pct] = {COUNTER_OCCUPANCY},
    [METRIC_theoretical_occupancy_pct] = {NULL},
    [METRIC_occupancy_limiter] = {NULL},
    [METRIC_active_threads_per_warp] = {COUNTER_ACTIVE_THREADS},
    [METRIC_working_threads_per_warp] = {COUNTER_WORKING_THREADS},
    [METRIC_dram_read_bytes] = {COUNTER_DRAM_READ},
    [METRIC_dram_write_bytes] = {COUNTER_DRAM_WRITE},
    [METRIC_dram_peak_pct] = {COUNTER_DRAM_PEAK},
    [METRIC_l1_hit_pct] = {COUNTER_L1_HIT},
    [METRIC_l2_hit_pct] = {COUNTER_L2_HIT},
    [METRIC_atomic_passes] = {COUNTER_ATOMIC_PASSES(sum)},
    [METRIC_atomic_busiest_pct] = {COUNTER_ATOMIC_PASSES(max), COUNTER_L2_CYCLES},
    [METRIC_local_load_sectors] = {COUNTER_LOCAL_SECTORS(ld)},
    [METRIC_local_store_sectors] = {COUNTER_LOCAL_SECTORS(st)},
    [METRIC_wide_memory_instructions] = {COUNTER_WIDTH(64), COUNTER_WIDTH(128)},
    [METRIC_float_operations] = {OPERATIONS(f)},
    [METRIC_double_operations] = {OPERATIONS(d)},
    [METRIC_half_operations] = {OPERATIONS(h)},
    [METRIC_floating_point_operations] = {ALL_OPERATIONS},
    [METRIC_tensor_instructions] = {COUNTER_TENSOR},
    [METRIC_arithmetic_intensity] = {ALL_OPERATIONS, COUNTER_DRAM_READ, COUNTER_DRAM_WRITE},
    [METRIC_operations_per_second] = {ALL_OPERATIONS, COUNTER_TIME},
    [METRIC_roof] = {ALL_OPERATIONS, COUNTER_DRAM_READ, COUNTER_DRAM_WRITE},
    [METRIC_roof_pct] = {ALL_OPERATIONS, COUNTER_DRAM_READ, COUNTER_DRAM_WRITE, COUNTER_TIME},
    [METRIC_peak_float_per_second] = {NULL},
    [METRIC_peak_double_per_second] = {NULL},
    [METRIC_cycles_per_issue] = {COUNTER_CYCLES_PER_ISSUE},
    [METRIC_stall_long_scoreboard] = {COUNTER_STALL(long_scoreboard)},
    [METRIC_stall_short_scoreboard] = {COUNTER_STALL(short_scoreboard)},
    [METRIC_stall_barrier] = {COUNTER_STALL(barrier)},
    [METRIC_stall_wait] = {COUNTER_STALL(wait)},
    [METRIC_stall_math_pipe] = {COUNTER_STALL(math_pipe_throttle)},
    [METRIC_stall_mio] = {COUNTER_STALL(mio_throttle)},
    [METRIC_stall_lg] = {COUNTER_STALL(lg_throttle)},
    [METRIC_stall_not_selected] = {COUNTER_STALL(not_selected)},
    [METRIC_gld_coherent] = {LOAD_IDEAL},
    [METRIC_gld_incoherent] = {LOAD_IDEAL},
    [METRIC_gst_coherent] = {STORE_IDEAL},
    [METRIC_gst_incoherent] = {STORE_IDEAL},
    [METRIC_local_load] = {COUNTER_LOCAL_SECTORS(ld)},
    [METRIC_local_store] = {COUNTER_LOCAL_SECTORS(st)},
    [METRIC_branch] = {COUNTER_BRANCHES},
    [METRIC_divergent_branch] = {COUNTER_DIVERGENT_BRANCHES},
    [METRIC_instructions] = {COUNTER_INSTRUCTIONS},
    [METRIC_warp_serialize] = {COUNTER_SHARED_WAVEFRONTS(ld), COUNTER_SHARED_INSTRUCTIONS(ld),
                               COUNTER_SHARED_WAVEFRONTS(st), COUNTER_SHARED_INSTRUCTIONS(st),
                               COUNTER_WIDTH(64), COUNTER_WIDTH(128)},
    [METRIC_cta_launched] = {NULL},
    [METRIC_occupancy] = {NULL},
    [METRIC_gputime] = {COUNTER_TIME},
    [METRIC_cputime] = {NULL},
};

/* A chip whose memory is the CPU's has no counters of it. */
#define NO_DRAM(chip)                                                                                 \
    {chip, METRIC_dram_read_bytes, {NULL}}, {chip, METRIC_dram_write_bytes, {NULL}},                  \
        {chip, METRIC_dram_peak_pct, {NULL}}, {chip, METRIC_dram_bandwidth_bytes_per_second, {NULL}}, \
        {chip, METRIC_arithmetic_intensity, {NULL}}, {chip, METRIC_roof, {NULL}},                     \
    {                                                                                                 \
        chip, METRIC_roof_pct,                                                                        \
        {                                                                                             \
            NULL                                                                                      \
        }                                                                                             \
    }

/* What a chip takes instead; its name begins with `chip`, the first row that fits counts. No counters: the
 * chip has none. */
static const struct replacement {
    const char *chip;
    enum metric metric;
    const char *counters[MOST_COUNTERS];
} replacements[] = {
    NO_DRAM("GA10B"),
    NO_DRAM("GB10B"),
    NO_DRAM("GB20B"),
    {"TU1", METRIC_global_load_sectors, {COUNTER_GLOBAL_SECTORS(ld)}},
    {"TU1",
     METRIC_global_load_ideal_sectors,
     {COUNTER_GLOBAL_SECTORS(ld), COUNTER_GLOBAL_BYTES(ld), COUNTER_GLOBAL_REQUESTS(ld), WIDTHS,
      COUNTER_GENERIC(ld)}},
    {"TU1",
     METRIC_global_load_excess_sectors,
     {COUNTER_GLOBAL_SECTORS(ld), COUNTER_GLOBAL_BYTES(ld), COUNTER_GLOBAL_REQUESTS(ld), WIDTHS,
      COUNTER_GENERIC(ld)}},
    {"TU1",
     METRIC_gld_coherent,
     {COUNTER_GLOBAL_SECTORS(ld), COUNTER_GLOBAL_BYTES(ld), COUNTER_GLOBAL_REQUESTS(ld), WIDTHS,
      COUNTER_GENERIC(ld)}},
    {"TU1",
     METRIC_gld_incoherent,
     {COUNTER_GLOBAL_SECTORS(ld), COUNTER_GLOBAL_BYTES(ld), COUNTER_GLOBAL_REQUESTS(ld), WIDTHS,
      COUNTER_GENERIC(ld)}},
    {"TU1",
     METRIC_global_load_sectors_per_request,
     {COUNTER_GLOBAL_SECTORS(ld), COUNTER_GLOBAL_REQUESTS(ld)}},
    {"TU1",
     METRIC_global_load_bytes_wanted_per_byte_moved,
     {COUNTER_GLOBAL_SECTORS(ld), COUNTER_GLOBAL_BYTES(ld)}},
    {"GB20",
     METRIC_dram_bandwidth_bytes_per_second,
     {COUNTER_DRAM_READ_GB20X, COUNTER_DRAM_WRITE_GB20X, COUNTER_TIME}},
    {"GB20", METRIC_dram_read_bytes, {COUNTER_DRAM_READ_GB20X}},
    {"GB20", METRIC_dram_write_bytes, {COUNTER_DRAM_WRITE_GB20X}},
    {"GB20",
     METRIC_arithmetic_intensity,
     {ALL_OPERATIONS, COUNTER_DRAM_READ_GB20X, COUNTER_DRAM_WRITE_GB20X}},
    {"GB20", METRIC_roof, {ALL_OPERATIONS, COUNTER_DRAM_READ_GB20X, COUNTER_DRAM_WRITE_GB20X}},
    {"GB20",
     METRIC_roof_pct,
     {ALL_OPERATIONS, COUNTER_DRAM_READ_GB20X, COUNTER_DRAM_WRITE_GB20X, COUNTER_TIME}},
};

static bool chip_begins(const char *chip, const char *text)
{
    return chip && strncmp(chip, text, strlen(text)) == 0;
}

const char *const *metric_counters(enum metric metric, const char *chip)
{
    static const char *const none[] = {NULL};
    if ((unsigned)metric >= METRIC_COUNT) {
        return none;
    }
    for (size_t i = 0; i < sizeof replacements / sizeof replacements[0]; i++) {
        const struct replacement *r = &replacements[i];
        if (r->metric == metric && chip_begins(chip, r->chip)) {
            return r->counters;
        }
    }
    return counters[metric];
}

bool metric_in_share(enum metric metric, const char *chip, enum metric_share share)
{
    bool memory = metric == METRIC_time_ns || metric == METRIC_dram_read_bytes ||
                  metric == METRIC_dram_write_bytes || metric == METRIC_dram_bandwidth_bytes_per_second ||
                  metric == METRIC_gputime ||
                  /* by itself two passes on TU1xx */
                  (metric == METRIC_dram_peak_pct && !chip_begins(chip, "TU1"));
    size_t inputs;
    metric_inputs(metric, &inputs);
    if (inputs > 0 || metric_when_asked(metric)) {
        return false;
    }
    return share == METRIC_SHARE_ALL || memory == (share == METRIC_SHARE_MEMORY);
}
