/*
 * Advice: rules over the values of a kernel, or of a run, that say what is wrong with it, by how much, what
 * to do now, and where that is taught. Most to gain first; nothing for what has nothing wrong. Pure functions
 * over values; any thread. The table of rules, thresholds and sources is docs/advice.md, written from here.
 *
 * A gain is an upper bound, never a promise: the share of the time that would go if all of the time were what
 * the rule speaks of. A rule whose values are not there is not judged, and says nothing.
 */
#ifndef CORE_ADVICE_ADVICE_H
#define CORE_ADVICE_ADVICE_H

#include "core/analysis/overlap.h"
#include "core/hardware/occupancy.h"
#include "core/metric/metric.h"

enum advice_scope { ADVICE_OF_KERNEL, ADVICE_OF_RUN };

/* The order is that of the sheet, and of equal gains. */
#define ADVICE_RULE_LIST(X)                              \
    X(UNCOALESCED_LOADS, "uncoalesced_loads", KERNEL)    \
    X(UNCOALESCED_STORES, "uncoalesced_stores", KERNEL)  \
    X(LOAD_CONFLICTS, "shared_load_conflicts", KERNEL)   \
    X(STORE_CONFLICTS, "shared_store_conflicts", KERNEL) \
    X(SPILLS, "local_memory", KERNEL)                    \
    X(DIVERGENCE, "divergence", KERNEL)                  \
    X(OCCUPANCY, "occupancy", KERNEL)                    \
    X(TAIL, "tail_wave", KERNEL)                         \
    X(ATOMICS, "atomics", KERNEL)                        \
    X(LONG_SCOREBOARD, "long_scoreboard", KERNEL)        \
    X(DOUBLE_PRECISION, "double_precision", KERNEL)      \
    X(UNEXPLAINED, "unexplained", KERNEL)                \
    X(BANDWIDTH_BOUND, "bandwidth_bound", KERNEL)        \
    X(LAUNCH_BOUND, "launch_bound", RUN)                 \
    X(DEFAULT_STREAM, "default_stream", RUN)             \
    X(PAGEABLE_COPIES, "pageable_copies", RUN)           \
    X(SMALL_COPIES, "small_copies", RUN)                 \
    X(LOW_OVERLAP, "low_overlap", RUN)
#define ADVICE_ENUM(name, id, scope) ADVICE_##name,
enum advice_rule { ADVICE_RULE_LIST(ADVICE_ENUM) ADVICE_RULE_COUNT };
#undef ADVICE_ENUM

/* A rule fires when all of its limits hold. */
struct advice_limit {
    const char *what, *unit;
    bool below; /* the value must be below the number; else above */
    double number;
};
#define ADVICE_LIMITS_MAX 4

struct advice_rule_info {
    struct advice_limit limits[ADVICE_LIMITS_MAX]; /* as many as have a `what` */
    const char *gain;                              /* formula of the most there is to gain */
    const char *now;                               /* what to do */
    const char *taught;                            /* the workload that teaches it */
    const char *source;                            /* where the thresholds come from */
};
const struct advice_rule_info *advice_rule_info(enum advice_rule rule); /* NULL past the end */
const char *advice_rule_id(enum advice_rule rule);                      /* "uncoalesced_loads" */
enum advice_scope advice_rule_scope(enum advice_rule rule);

/* What a rule looked at: a metric by its id, or a figure of the run. */
struct advice_evidence {
    const char *id, *unit;
    struct value value;
};
#define ADVICE_EVIDENCE_MAX 4

struct advice {
    enum advice_rule rule;
    bool fine;      /* nothing is wrong: how far it can go is reached */
    char text[240]; /* what is wrong, one sentence without a full stop */
    char where[80]; /* "transpose.cu:42", the line it is at; "" not known (core/advice/advice_lines.h) */
    char how[160];  /* what would lift it here, in numbers; "" when the rule's `now` says all */
    struct advice_evidence evidence[ADVICE_EVIDENCE_MAX];
    size_t evidence_count;
    enum provenance provenance; /* the weakest of the evidence */
    double gain;    /* share of the kernel's or the run's time on the device, at most; 0 nothing to gain */
    double gain_ns; /* of one launch, or of the run; 0: the time is not known */
};

struct advice_list {
    struct advice items[ADVICE_RULE_COUNT]; /* most to gain first */
    size_t count, judged;                   /* rules that fired; that had their values */
};

struct advice_kernel {
    struct value values[METRIC_COUNT]; /* of the kernel's own device, or expected where it has none */
    const struct arch *arch;           /* NULL: not known */
    struct occupancy_input shape;
    double blocks;
    uint32_t multiprocessors; /* 0: not known */
    double clock_hz;          /* of the multiprocessors; 0: not known */
};

/* Copies between host and device; the smaller ones in each direction apart. */
#define ADVICE_SMALL_COPY_BYTES (64u << 10)
#define ADVICE_PAGEABLE_BYTES (1u << 20)
struct advice_run {
    enum provenance provenance;
    struct overlap overlap;
    uint64_t launches;              /* of kernels */
    uint64_t launch_calls;          /* calls that started kernels; a graph's launch is one */
    double call_ns, call_kernel_ns; /* sums over them: of the calls, and of the kernels they started */
    uint64_t pageable_copies;       /* from or to pageable memory, of more than ADVICE_PAGEABLE_BYTES */
    double pageable_ns;
    uint64_t small_copies;               /* of less than ADVICE_SMALL_COPY_BYTES */
    double small_ns, small_mergeable_ns; /* mergeable: per direction, (count - 1) x the shortest of them */
};

/* Does a rule look at it? The others need not be filled in. */
bool advice_uses(enum metric metric);

void advice_of_kernel(const struct advice_kernel *kernel, struct advice_list *list);
void advice_of_run(const struct advice_run *run, struct advice_list *list);

#endif
