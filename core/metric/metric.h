/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue of metrics: what each one is, which counters and formula give it, and how it is printed.
 * Static data and pure functions; any thread.
 */
#ifndef CORE_METRIC_METRIC_H
#define CORE_METRIC_METRIC_H

#include "core/base/error.h"
#include "core/base/value.h"
#include "core/hardware/access.h"
#include "core/hardware/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define METRIC(id, ...) METRIC_##id,
enum metric {
#include "core/metric/metric_rows.h"
    METRIC_COUNT
};

/* A group of the panel: its id, as --counters takes it, and its title. */
#define METRIC_GROUP_LIST(X)                  \
    X(TIME, "time", "time, bandwidth")        \
    X(GLOBAL, "global", "global memory")      \
    X(SHARED, "shared", "shared memory")      \
    X(OCCUPANCY, "occupancy", "occupancy")    \
    X(DIVERGENCE, "divergence", "divergence") \
    X(MEMORY, "memory", "caches and DRAM")    \
    X(ARITHMETIC, "arithmetic", "arithmetic") \
    X(MATRICES, "matrices", "tensor cores")   \
    X(CLUSTERS, "clusters", "clusters, TMA")  \
    X(EXCHANGE, "exchange", "between lanes")  \
    X(STALLS, "stalls", "stalls")             \
    X(OLD, "old", "old profiler's counters") /* by the names they had there */
#define METRIC_GROUP_ENUM(name, id, text) METRIC_GROUP_##name,
enum metric_group { METRIC_GROUP_LIST(METRIC_GROUP_ENUM) METRIC_GROUP_COUNT };
#undef METRIC_GROUP_ENUM

enum metric_better { METRIC_LOWER, METRIC_HIGHER, METRIC_NEITHER };

/* How the value of a metric is obtained. */
enum metric_how {
    HOW_COUNTER,             /* the number of its counter */
    HOW_SUM,                 /* its counters, each times its weight */
    HOW_HIT_RATE,            /* its counter, a percentage; values outside 0 to 100 are rejected */
    HOW_SHARE,               /* 100 x its first counter / its second, at most 100 */
    HOW_ACCESSES,            /* a quantity of memory accesses: struct metric_accesses */
    HOW_TIME,                /* from the trace run; without one, from its counter */
    HOW_EFFECTIVE_BANDWIDTH, /* bytes of the algorithm / time */
    HOW_DRAM_BANDWIDTH,      /* DRAM bytes / time, of one launch */
    HOW_CALL,                /* time that the launching call took on the host, in us */
    HOW_LAUNCH,              /* from the launch and its device alone: EXPECTED, without any run or counter */
    HOW_SCALED,              /* another metric x factor */
    HOW_COMBINED             /* from other metrics (inputs), each of which may come from a different run */
};

/* Which quantity of the accesses to a memory space a metric is. */
enum metric_loads { LOADS, STORES, LOADS_AND_STORES };
enum access_quantity {
    QUANTITY_REQUESTS,    /* shared memory: instructions */
    QUANTITY_TRANSFERS,   /* sectors; shared memory: wavefronts */
    QUANTITY_IDEAL,       /* the fewest transfers that could serve it */
    QUANTITY_EXCESS,      /* transfers - ideal */
    QUANTITY_PER_REQUEST, /* transfers / requests */
    QUANTITY_BYTES_RATIO, /* bytes wanted / bytes moved */
    QUANTITY_COHERENT,    /* requests that touch no more sectors than they need */
    QUANTITY_INCOHERENT   /* the other requests */
};
struct metric_accesses {
    enum access_space space;
    enum metric_loads loads;
    enum access_quantity quantity;
};

/* HOW_LAUNCH: which property of the launch or the device. */
enum metric_fact {
    FACT_BANDWIDTH,
    FACT_OCCUPANCY,
    FACT_OCCUPANCY_LIMITER,
    FACT_BLOCKS,
    FACT_PEAK_FLOAT,
    FACT_PEAK_DOUBLE,
    FACT_L1_BANDWIDTH
};

/* Further runs that have a metric besides the counter run: the trace run (times), the memory run (DRAM bytes,
 * in one pass). */
#define METRIC_OF_TRACE 1u
#define METRIC_OF_MEMORY 2u

#define METRIC_COUNTERS_MAX 12
#define METRIC_INPUTS_MAX 16
struct metric_input {
    enum metric metric;
    bool divides;  /* more of it makes less of the value */
    bool optional; /* without it there is still a value, a bound */
    bool used;     /* false: the list has ended */
};

/* A row of the catalogue. Fields that `how` does not use are zero. */
struct metric_info {
    const char *id, *title, *brief, *unit; /* brief: shown where the title is too long */
    enum metric_group group;
    const char *meaning; /* one line, plain words */
    const char *formula; /* how it is computed from counters, one line */
    const char *taught;  /* the workload that teaches it, or NULL */
    enum metric_better better;
    bool exact; /* an exact count given by the rules, not a rate with noise */
    bool derived;
    enum metric_how how;
    unsigned runs;                             /* METRIC_OF_ bits */
    const char *counters[METRIC_COUNTERS_MAX]; /* CUPTI's counters, as named on GH100; NULL ends the list */
    uint8_t weights[METRIC_COUNTERS_MAX];      /* HOW_SUM */
    struct metric_accesses accesses;           /* HOW_ACCESSES */
    enum metric_fact fact;                     /* HOW_LAUNCH */
    enum metric of;                            /* HOW_SCALED */
    double factor;                             /* HOW_SCALED; HOW_LAUNCH: 0 is 1 */
    struct metric_input inputs[METRIC_INPUTS_MAX]; /* HOW_COMBINED */
    const char *zero;          /* HOW_SHARE: why there is no value if the second counter is 0 */
    const char *asked_by;      /* taken only on request: --counters +asked_by; or NULL */
    const char *not_asked;     /* ... the reason where it was not */
    const char *not_modelled;  /* why the device model does not have it; NULL: the default reason */
    const char *two_passes_on; /* prefix of names of chips on which this metric alone needs two passes */
};

const struct metric_info *metric_info(enum metric metric);
/* Does the metric follow from the launch and its device alone? Then it is EXPECTED, and needs no run or
 * counter. */
bool metric_from_launch(enum metric metric);
enum metric metric_find(const char *id);                /* METRIC_COUNT when unknown */
const char *metric_group_text(enum metric_group group); /* "shared memory" */
const char *metric_group_id(enum metric_group group);   /* "stalls", as --counters takes it */

/* The CUPTI counters that a metric needs on a chip ("GH100"), most preferred first; NULL ends the list. None:
 * the chip does not have them, or the metric needs none. */
struct metric_counters {
    const char *names[METRIC_COUNTERS_MAX + 1];
};
struct metric_counters metric_counters(enum metric metric, const char *chip);
/* The alternative name of a counter on some chips; NULL if all chips use the same. */
const char *metric_counter_alias(const char *counter);

/*
 * Which metrics of the catalogue a counter run takes. If a kernel is replayed, DRAM bytes include the lines
 * that replaying left dirty in the L2 cache. A memory run therefore takes the metrics that fit into one pass
 * on the chip (DRAM, and time); a counter run takes the rest.
 */
enum metric_share { METRIC_SHARE_ALL, METRIC_SHARE_COUNTERS, METRIC_SHARE_MEMORY };
/* Metrics that are computed from other metrics (metric_inputs) are taken in no run; their inputs are. */
bool metric_in_share(enum metric metric, const char *chip, enum metric_share share);

/* Taken only if named, since it costs passes that the catalogue's other counters do not need. */
bool metric_when_asked(enum metric metric);

/* The metrics from which a combined metric is computed, and its value: bytes come from the memory run,
 * operations from the counter run, time from the trace run. No inputs: the metric is not a combined one.
 * arch: the device's; NULL: not known. */
const struct metric_input *metric_inputs(enum metric metric, size_t *count);
struct value metric_combine(enum metric metric, const struct value inputs[METRIC_INPUTS_MAX],
                            const struct arch *arch);

/* The accesses of one launch of a kernel, by space and by loads (0) and stores (1), as the rules or the
 * device model count them. */
struct access_counts {
    uint64_t requests;  /* shared memory: instructions */
    uint64_t transfers; /* sectors, or wavefronts */
    uint64_t ideal_transfers;
    uint64_t bytes_wanted, bytes_moved; /* only for global and local memory, as are the two below */
    uint64_t coherent, incoherent;      /* requests, classified as in core/hardware/coalesce.h */
    bool data_dependent; /* some accesses have addresses that depend on data, so the counts are incomplete */
};
struct access_totals {
    struct access_counts of[ACCESS_SPACE_COUNT][2];
};
/* The value of a metric that follows from the accesses; for all other metrics not available, with a reason.
 */
struct value metric_of_accesses(enum metric metric, const struct access_totals *totals,
                                enum provenance provenance);
bool metric_follows_from_accesses(enum metric metric);

/* The CUPTI counters to collect for a user's choice: metric ids, group ids and CUPTI names separated by ',',
 * or "" for the default of the catalogue; a choice that begins with '+' is taken in addition to this default,
 * but not by a memory run. `choice` is split in place; names point into it or at static text, in the given
 * order, each once. Returns the count, at most `most`. */
size_t metric_choose_counters(char *choice, const char *chip, enum metric_share share, const char **names,
                              size_t most);

/* Raw counters of one measured launch. The device model's have the prefix and the id of the metric as their
 * name. */
#define METRIC_MODEL_PREFIX "model."
struct counter_sample {
    const char *counter;
    double number;
};

/* The facts of a launch that are known without counters. Zeros: not known. */
struct metric_facts {
    const struct arch *arch;
    uint32_t threads_per_block, registers_per_thread, static_shared_bytes, dynamic_shared_bytes,
        shared_config_bytes;
    double time_ns;                      /* of the trace run; 0 unknown */
    double call_ns;                      /* time of the launch's call on the host; 0 unknown */
    double effective_bytes;              /* 0: the algorithm does not say */
    double blocks;                       /* of the launch */
    double theoretical_bytes_per_second; /* of the device's memory */
    double multiprocessor_hz;            /* multiprocessors x their clock */
    /* Per sample 1 + the metric whose counter of the model it is, or 0: so that names are not compared again
     * for each of many launches. NULL: not known. */
    const uint16_t *model_metrics;
};

/* The metric's value from the given counters and facts: MEASURED, or MODELLED if the device model counted. */
struct value metric_evaluate(enum metric metric, const struct counter_sample *samples, size_t count,
                             const struct metric_facts *facts);

/* "4.02 us", "1.34 TB/s", "12.5 %", "131,072", ">=131,072", "n/a": short, with unit, at most `size_bytes`.
 * ASCII. */
void metric_format(enum metric metric, const struct value *value, char *text, size_t size_bytes);
/* The same in at most `cells` characters if possible: a long count gets three figures, "16.3 M", and keeps
 * its bound; "29.4 TFLOP/s" becomes "29.4 T". A number and its unit stay apart. The text may still be longer;
 * a column then shows no number. */
void metric_format_within(enum metric metric, const struct value *value, size_t cells, char *text,
                          size_t size_bytes);
/* The difference of two values with its sign, "+969 GB/s", "=" for none; of percentages in percentage points,
 * "+11.1 pp". */
void metric_format_change(enum metric metric, double difference, size_t cells, char *text, size_t size_bytes);
/* The change of a number in per cent or as a factor: "-68 %", "+40 %", "3.10x", "132x"; "=" for no change. */
void metric_format_relative(double ratio, char *text, size_t size_bytes);
/* How many times as fast: "3.1x faster", "2.0x slower", "4.2 % slower", "as fast" up to 1 %. */
void metric_format_faster(double factor, char *text, size_t size_bytes);
/* "0.319x", "132x", "1,234x": with at least this many figures. */
void metric_format_ratio(double ratio, int figures, char *text, size_t size_bytes);

/* ---- counts of the model ---- */

/*
 * Values from the counts of the device model. Internal to core/metric.
 *
 * The model's samples are catalogue metrics themselves, named METRIC_MODEL_PREFIX + id. If the model did not
 * count a metric, the catalogue's formula gives the value from its inputs, if these are available; such a
 * value is marked as derived.
 */

/* Do these samples come from the model? One sample with a model's name is enough, so that modelled numbers
 * are never taken for measured ones. */
bool metric_is_modelled(const struct counter_sample *samples, size_t count);
/* The metric of a counter of the model; METRIC_COUNT: it is none. */
enum metric metric_of_model_counter(const char *counter);

#endif
