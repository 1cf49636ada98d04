/*
 * The catalogue of metrics, and what a value is.
 *
 * A value is a number (or a word), a unit (the metric's), a provenance, whether it is derived, and if it is not there, why.
 * A derived value has the weakest provenance of its inputs. *Not available* and *zero* never look alike. Static data; any thread.
 */
#ifndef CORE_METRIC_H
#define CORE_METRIC_H

#include "core/arch.h"
#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum provenance { PROVENANCE_EXPECTED, PROVENANCE_MODELLED, PROVENANCE_MEASURED, PROVENANCE_COUNT }; /* weakest first */
const char *provenance_text(enum provenance provenance); /* "expected" */

/* What the counters say of a number that they do not hold as such: it is at least, or at most, so much. */
#define VALUE_BOUND_LIST(X) X(EXACT, "exact") X(AT_LEAST, "at-least") X(AT_MOST, "at-most")
#define VALUE_BOUND_ENUM(id, text) VALUE_##id,
enum value_bound { VALUE_BOUND_LIST(VALUE_BOUND_ENUM) VALUE_BOUND_COUNT };
#undef VALUE_BOUND_ENUM
const char *value_bound_text(enum value_bound bound);

struct value {
    bool available;
    bool derived;
    enum value_bound bound;
    enum provenance provenance;
    double number;
    const char *word; /* static text instead of a number, or NULL */
    const char *why;  /* static or session-owned sentence when not available */
};

/* id, title, the same in 13 cells at most (but for old names), unit, group. The order is the order of panels and tables. */
#define METRIC_LIST(X)                                                                                                           \
    X(time_ns, "time", "time", "ns", TIME)                                                                                       \
    X(effective_bandwidth_bytes_per_second, "effective bandwidth", "eff. BW", "B/s", TIME)                                       \
    X(dram_bandwidth_bytes_per_second, "DRAM bandwidth", "DRAM BW", "B/s", TIME)                                                 \
    X(theoretical_bandwidth_bytes_per_second, "theoretical bandwidth", "theo. BW", "B/s", TIME)                                  \
    X(global_load_requests, "load requests", "ld requests", "requests", GLOBAL)                                                  \
    X(global_load_sectors, "load sectors", "ld sectors", "sectors", GLOBAL)                                                      \
    X(global_load_ideal_sectors, "ideal load sectors", "ld ideal", "sectors", GLOBAL)                                            \
    X(global_load_excess_sectors, "excess load sectors", "ld excess", "sectors", GLOBAL)                                         \
    X(global_load_sectors_per_request, "sectors per load request", "ld sec/req", "sectors/request", GLOBAL)                      \
    X(global_load_bytes_wanted_per_byte_moved, "load bytes wanted / moved", "ld used", "ratio", GLOBAL)                          \
    X(global_store_requests, "store requests", "st requests", "requests", GLOBAL)                                                \
    X(global_store_sectors, "store sectors", "st sectors", "sectors", GLOBAL)                                                    \
    X(global_store_ideal_sectors, "ideal store sectors", "st ideal", "sectors", GLOBAL)                                          \
    X(global_store_excess_sectors, "excess store sectors", "st excess", "sectors", GLOBAL)                                       \
    X(global_store_sectors_per_request, "sectors per store request", "st sec/req", "sectors/request", GLOBAL)                    \
    X(global_store_bytes_wanted_per_byte_moved, "store bytes wanted / moved", "st used", "ratio", GLOBAL)                        \
    X(shared_load_instructions, "shared load instructions", "sh ld instr", "instructions", SHARED)                               \
    X(shared_load_wavefronts, "shared load wavefronts", "sh ld waves", "wavefronts", SHARED)                                     \
    X(shared_load_ideal_wavefronts, "ideal shared load wavefronts", "sh ld ideal", "wavefronts", SHARED)                         \
    X(shared_load_conflicts, "shared load bank conflicts", "ld conflicts", "wavefronts", SHARED)                                 \
    X(shared_store_instructions, "shared store instructions", "sh st instr", "instructions", SHARED)                             \
    X(shared_store_wavefronts, "shared store wavefronts", "sh st waves", "wavefronts", SHARED)                                   \
    X(shared_store_ideal_wavefronts, "ideal shared store wavefronts", "sh st ideal", "wavefronts", SHARED)                       \
    X(shared_store_conflicts, "shared store bank conflicts", "st conflicts", "wavefronts", SHARED)                               \
    X(achieved_occupancy_pct, "achieved occupancy", "ach. occup.", "%", OCCUPANCY)\
    X(theoretical_occupancy_pct, "theoretical occupancy", "theo. occup.", "%", OCCUPANCY)                                        \
    X(occupancy_limiter, "occupancy limited by", "occup. limit", "", OCCUPANCY)                                                  \
    X(active_threads_per_warp, "active threads per warp", "active thr.", "threads", DIVERGENCE)                                  \
    X(working_threads_per_warp, "working threads per warp", "working thr.", "threads", DIVERGENCE)                               \
    X(dram_read_bytes, "DRAM bytes read", "DRAM read", "B", MEMORY)                                                              \
    X(dram_write_bytes, "DRAM bytes written", "DRAM written", "B", MEMORY)                                                       \
    X(dram_peak_pct, "share of DRAM peak", "of DRAM peak", "%", MEMORY)                                                          \
    X(l1_hit_pct, "L1 hit rate", "L1 hits", "%", MEMORY)                                                                         \
    X(l2_hit_pct, "L2 hit rate", "L2 hits", "%", MEMORY)                                                                         \
    X(atomic_passes, "passes of atomics in L2", "atom. passes", "passes", MEMORY)                                                \
    X(atomic_busiest_pct, "atomics, busiest L2 slice", "atom. slice", "%", MEMORY)                                               \
    X(local_load_sectors, "local load sectors", "local ld", "sectors", MEMORY)                                                   \
    X(local_store_sectors, "local store sectors", "local st", "sectors", MEMORY)                                                 \
    X(wide_memory_instructions, "8- and 16-byte accesses", "wide access", "instructions", MEMORY)                                \
    X(float_operations, "single-precision operations", "single op.", "operations", ARITHMETIC)                                   \
    X(double_operations, "double-precision operations", "double op.", "operations", ARITHMETIC)                                  \
    X(half_operations, "half-precision operations", "half op.", "operations", ARITHMETIC)                                        \
    X(floating_point_operations, "floating-point operations", "float op.", "operations", ARITHMETIC)                             \
    X(tensor_instructions, "tensor-core instructions", "tensor instr", "instructions", ARITHMETIC)                               \
    X(arithmetic_intensity, "arithmetic intensity", "intensity", "FLOP/B", ARITHMETIC)                                           \
    X(operations_per_second, "operations per second", "op. rate", "FLOP/s", ARITHMETIC)                                          \
    X(peak_float_per_second, "peak, single precision", "peak single", "FLOP/s", ARITHMETIC)                                      \
    X(peak_double_per_second, "peak, double precision", "peak double", "FLOP/s", ARITHMETIC)                                     \
    X(roof, "roof above it", "roof", "", ARITHMETIC)                                                                             \
    X(roof_pct, "share of its roof", "of its roof", "%", ARITHMETIC)                                                             \
    X(cycles_per_issue, "between a warp's instructions", "issue every", "cycles", STALLS)                                        \
    X(stall_long_scoreboard, "waiting for memory", "wait memory", "cycles", STALLS)                                              \
    X(stall_short_scoreboard, "waiting for shared memory", "wait shared", "cycles", STALLS)                                      \
    X(stall_barrier, "waiting at a barrier", "wait barrier", "cycles", STALLS)                                                   \
    X(stall_wait, "waiting for a fixed latency", "wait latency", "cycles", STALLS)                                               \
    X(stall_math_pipe, "waiting for an arithmetic pipe", "wait pipe", "cycles", STALLS)                                          \
    X(stall_mio, "waiting for the shared-memory queue", "wait sh queue", "cycles", STALLS)                                       \
    X(stall_lg, "waiting for the memory queue", "wait queue", "cycles", STALLS)                                                  \
    X(stall_not_selected, "ready, another one was chosen", "not chosen", "cycles", STALLS)                                       \
    X(gld_coherent, "gld_coherent", "gld_coherent", "accesses", OLD)                                                             \
    X(gld_incoherent, "gld_incoherent", "gld_incoherent", "accesses", OLD)                                                       \
    X(gst_coherent, "gst_coherent", "gst_coherent", "accesses", OLD)                                                             \
    X(gst_incoherent, "gst_incoherent", "gst_incoherent", "accesses", OLD)                                                       \
    X(local_load, "local_load", "local_load", "sectors", OLD)                                                                    \
    X(local_store, "local_store", "local_store", "sectors", OLD)                                                                 \
    X(branch, "branch", "branch", "branches", OLD)                                                                               \
    X(divergent_branch, "divergent_branch", "divergent_branch", "branches", OLD)                                                 \
    X(instructions, "instructions", "instructions", "instructions", OLD)                                                         \
    X(warp_serialize, "warp_serialize", "warp_serialize", "wavefronts", OLD)                                                     \
    X(cta_launched, "cta_launched", "cta_launched", "blocks", OLD)                                                               \
    X(occupancy, "occupancy", "occupancy", "ratio", OLD)                                                                         \
    X(gputime, "gputime", "gputime", "us", OLD)                                                                                  \
    X(cputime, "cputime", "cputime", "us", OLD)

#define METRIC_ENUM(id, title, brief, unit, group) METRIC_##id,
enum metric { METRIC_LIST(METRIC_ENUM) METRIC_COUNT };
#undef METRIC_ENUM

enum metric_group { METRIC_GROUP_TIME, METRIC_GROUP_GLOBAL, METRIC_GROUP_SHARED, METRIC_GROUP_OCCUPANCY, METRIC_GROUP_DIVERGENCE, METRIC_GROUP_MEMORY,
                    METRIC_GROUP_ARITHMETIC, METRIC_GROUP_STALLS,
                    METRIC_GROUP_OLD, /* the old command-line profiler's counters, by their names */
                    METRIC_GROUP_COUNT };

enum metric_better { METRIC_LOWER, METRIC_HIGHER, METRIC_NEITHER };

struct metric_info {
    const char *id, *title, *brief, *unit; /* brief: the title where that has no room */
    enum metric_group group;
    const char *meaning;  /* one line, plain words */
    const char *formula;  /* how it is computed from which counters, one line */
    const char *taught;   /* the workload that teaches it, or NULL */
    enum metric_better better;
    bool exact;           /* a count that equals the rules, not a rate with noise */
    bool derived;
};

const struct metric_info *metric_info(enum metric metric);
/* Does it follow from the launch and its device alone? Then it is EXPECTED, without any run or counter. */
bool metric_from_launch(enum metric metric);
enum metric metric_find(const char *id); /* METRIC_COUNT when unknown */
const char *metric_group_text(enum metric_group group); /* "shared memory" */
const char *metric_group_id(enum metric_group group);   /* "stalls", as --counters takes it */
enum metric_group metric_group_find(const char *id);    /* METRIC_GROUP_COUNT when unknown */

/* The CUPTI counters a metric needs on a chip ("GH100"), most preferred first; ends with NULL. Empty: computed from facts alone. */
const char *const *metric_counters(enum metric metric, const char *chip);

/*
 * Which of the catalogue's metrics a counter run takes. DRAM bytes hold also what replaying leaves dirty in the L2 cache, unless the
 * kernel runs once: a memory run takes what fits one pass on the chip (DRAM, and time), a counter run beside it the rest.
 */
enum metric_share { METRIC_SHARE_ALL, METRIC_SHARE_COUNTERS, METRIC_SHARE_MEMORY };
/* What follows from other metrics (metric_inputs) is in none: its inputs are. */
bool metric_in_share(enum metric metric, const char *chip, enum metric_share share);

/* Only taken when named: the catalogue's other counters are had without the passes it would cost. */
bool metric_when_asked(enum metric metric);

/*
 * The metrics that a value follows from where it follows from nothing else, and the value: bytes are of the memory run, operations of
 * the counter run, time of the trace run. None: the metric is not of that kind.
 */
#define METRIC_INPUTS_MAX 8
struct metric_input {
    enum metric metric;
    bool divides; /* more of it makes less of the value */
};
const struct metric_input *metric_inputs(enum metric metric, size_t *count);
struct value metric_combine(enum metric metric, const struct value inputs[METRIC_INPUTS_MAX]);

/*
 * The CUPTI counters to collect for what a user chose: metric ids, ids of groups and CUPTI names separated by ',', or "" for the
 * catalogue's share; a choice that begins with '+' is taken beside that share, but not by a memory run. `choice` is cut into its words; names point into it or at static text, in the order wanted, each once. The count, at most `most`.
 */
size_t metric_choose_counters(char *choice, const char *chip, enum metric_share share, const char **names, size_t most);

/* Raw counters of one measured launch. The device model's are catalogue metrics: the prefix and the id. */
#define METRIC_MODEL_PREFIX "model."
struct counter_sample {
    const char *counter;
    double number;
};

/* What is known of a launch without counters. Zeros: not known. */
struct metric_facts {
    const struct arch *arch;
    uint32_t threads_per_block, registers_per_thread, static_shared_bytes, dynamic_shared_bytes, shared_config_bytes;
    double time_ns;          /* of the trace run; 0 unknown */
    double call_ns;          /* that the launch's call took on the host; 0 unknown */
    double effective_bytes;  /* 0: the algorithm does not say */
    double blocks;           /* of the launch */
    double theoretical_bytes_per_second; /* of the device's memory */
    double multiprocessor_hz;            /* multiprocessors x their clock */
};

/* The metric's value from the counters and facts given, or derived of them: MEASURED, or MODELLED when the
 * device model counted. */
struct value metric_evaluate(enum metric metric, const struct counter_sample *samples, size_t count, const struct metric_facts *facts);

/* How a count stands to another of the same metric: equal; a bound that the other keeps; or neither. */
enum value_agreement { VALUE_EQUAL, VALUE_WITHIN, VALUE_DIFFERENT };
enum value_agreement value_compare(const struct value *value, const struct value *other);

/* "4.02 us", "1.34 TB/s", "12.5 %", "131,072", ">=131,072", "n/a": short, with unit, at most `size_bytes`. ASCII. */
void metric_format(enum metric metric, const struct value *value, char *text, size_t size_bytes);
/* The same in at most `cells` characters where that can be: a count that is longer gets three figures, "16.3 M", and keeps its bound; "29.4 TFLOP/s" becomes "29.4TFLOP/s" or "29.4 T". It may still be longer: a column then shows no number. */
void metric_format_within(enum metric metric, const struct value *value, size_t cells, char *text, size_t size_bytes);
/* A difference of two values with its sign, "+969 GB/s", "=" for none; one of percentages is in percentage points, "+11.1 pp". */
void metric_format_change(enum metric metric, double difference, size_t cells, char *text, size_t size_bytes);
/* "0.319x", "132x", "1,234x": at least so many figures. */
void metric_format_ratio(double ratio, int figures, char *text, size_t size_bytes);

#endif
