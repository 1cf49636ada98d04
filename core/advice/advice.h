/*
 * Advice: rules over the values of a kernel, or of a run, that say what is wrong with it, by how much, what
 * to do now, and where that is taught. Most to gain first; nothing for what has nothing wrong. Pure functions
 * over values; any thread.
 *
 * A rule is one row beside its condition, in one of core/advice/advice_access.c, core/advice/advice_kernel.c
 * and core/advice/advice_run.c; nothing else names it. docs/advice.md is written from the rows.
 *
 * A gain is an upper bound, never a promise: the share of the time that would go if all of the time were what
 * the rule speaks of. A rule whose values are not there is not judged, and says nothing.
 */
#ifndef CORE_ADVICE_ADVICE_H
#define CORE_ADVICE_ADVICE_H

#include "core/analysis/code_costs.h"
#include "core/analysis/overlap.h"
#include "core/analysis/partition.h"
#include "core/hardware/occupancy.h"
#include "core/metric/metric.h"

/* A rule fires when all of its limits hold. */
struct advice_limit {
    const char *what, *unit;
    bool below; /* the value must be below the number; else above */
    double number;
    const char *source; /* where the number comes from */
};
#define ADVICE_LIMITS_MAX 5

/* Which line of the source an advice speaks of: the one where most of a cost is (core/advice/advice_lines.h).
 */
struct advice_line {
    enum advice_line_kind {
        ADVICE_LINE_NONE,
        ADVICE_LINE_ANY, /* instruction */
        ADVICE_LINE_LOAD,
        ADVICE_LINE_STORE,
        ADVICE_LINE_DOUBLE
    } kind;
    enum code_cost cost, otherwise; /* otherwise: where the first was not counted */
    const char *reason;             /* of CODE_SAMPLES: only those; NULL: all */
};

struct advice_judging; /* core/advice/advice_internal.h */

struct advice_rule {
    const char *id; /* "uncoalesced_loads" */
    /* The condition: false where a value that it needs is not there. One of the two is set. */
    bool (*of_kernel)(struct advice_judging *judging);
    bool (*of_run)(struct advice_judging *judging);
    struct advice_limit limits[ADVICE_LIMITS_MAX]; /* as many as have a `what` */
    const char *gain;                              /* formula of the most there is to gain */
    const char *now;                               /* what to do */
    const char *taught;                            /* the workload that teaches it */
    const char *source;                            /* what it is built on */
    const char *workload, *twin; /* cases that it fires on, and not; on the device model with few blocks */
    struct advice_line line;
    bool access;      /* about accesses that move, or repeat, more than they need */
    bool memory_wait; /* what it speaks of makes warps wait for global or local memory */
};
#define ADVICE_RULES_MAX 32
/* In the order of the sheet, and of equal gains; NULL past the end. */
const struct advice_rule *advice_rule_at(size_t index);
const struct advice_rule *advice_rule_find(const char *id); /* NULL: there is none */

/* What a rule looked at: a metric by its id, or a figure of the run. */
struct advice_evidence {
    const char *id, *unit;
    struct value value;
};
#define ADVICE_EVIDENCE_MAX 4

struct advice {
    const struct advice_rule *rule;
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
    struct advice items[ADVICE_RULES_MAX]; /* most to gain first */
    size_t count, judged;                  /* rules that fired; that had their values */
    size_t judged_by_values;               /* of these, by more than what follows from the launch */
    enum provenance weakest; /* of the values that the rules read, but for what follows from the launch */
};

/* Was more judged of a kernel than what follows from its launch, which any launch has and which says little
 * alone? */
bool advice_has_judged(const struct advice_list *list);

struct advice_kernel {
    /* Of the kernel's own device, or expected where it has none. With `read` set they are not looked at: it
     * is asked for each value that a rule reads, once. */
    struct value values[METRIC_COUNT];
    struct value (*read)(const void *context, enum metric metric);
    const void *context;
    const struct arch *arch; /* NULL: not known */
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
    struct partition partition; /* from the first kernel to the last, of the device on which that is longest;
                                   no operations: not known */
    struct advice_idle {        /* by class: what most of it was, and how much that is */
        const char *name;       /* of a call or range, from outside; NULL: has none */
        int64_t ns;
        uint64_t times; /* pieces of idle time */
    } idle[PARTITION_COUNT];
    uint64_t few_blocks_launches;
    bool few_blocks_beside;               /* of several streams: they are meant to run side by side */
    double few_blocks_ns;                 /* of kernels with fewer blocks than half the multiprocessors, */
    uint32_t few_blocks_kernel;           /* the kernel row with most of it; NONE: none */
    uint64_t few_blocks, multiprocessors; /* its blocks, of how many multiprocessors */
    uint64_t launches;                    /* of kernels */
    uint64_t launch_calls;                /* calls that started kernels; a graph's launch is one */
    double call_ns, call_kernel_ns;       /* sums over them: of the calls, and of the kernels they started */
    uint64_t pageable_copies;             /* from or to pageable memory, of more than ADVICE_PAGEABLE_BYTES */
    double pageable_ns;
    uint64_t small_copies;               /* of less than ADVICE_SMALL_COPY_BYTES */
    double small_ns, small_mergeable_ns; /* mergeable: per direction, (count - 1) x the shortest of them */
};

void advice_of_kernel(const struct advice_kernel *kernel, struct advice_list *list);
void advice_of_run(const struct advice_run *run, struct advice_list *list);

#endif
