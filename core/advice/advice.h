/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice: rules over the values of a kernel or a run that say what is wrong with it, by how much, what to do,
 * and which lesson explains it. Advice is sorted by gain; a kernel or run without problems has none, or only
 * one marked `fine`. Pure functions over values; any thread.
 *
 * A rule is one row beside its condition, in one of core/advice/advice_access.c, core/advice/advice_kernel.c,
 * core/advice/advice_idle.c and core/advice/advice_busy.c; no other place lists it. docs/advice.md is
 * generated from the rows.
 *
 * A gain is an upper bound, not a prediction: the share of the time that would be saved if the cause that the
 * rule names took all of that time. A rule whose values are not available is not evaluated and gives no
 * advice.
 *
 * advice_name_lines finds the source line that causes most of what an advice names.
 */
#ifndef CORE_ADVICE_ADVICE_H
#define CORE_ADVICE_ADVICE_H

#include "core/analysis/code_costs.h"
#include "core/analysis/overlap/overlap.h"
#include "core/analysis/partition.h"
#include "core/analysis/run_times.h"
#include "core/analysis/steps.h"
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

/* Which cost decides what source line an advice names: the line with the largest part of this cost
 * (core/advice/advice.h). */
struct advice_line {
    enum advice_line_kind {
        ADVICE_LINE_NONE,
        ADVICE_LINE_ANY, /* instruction */
        ADVICE_LINE_LOAD,
        ADVICE_LINE_STORE,
        ADVICE_LINE_ATOMIC, /* in global memory, with a result or without */
        ADVICE_LINE_DOUBLE
    } kind;
    enum code_cost cost, otherwise; /* otherwise: used if `cost` was not counted */
    const char *reason;             /* of CODE_SAMPLES: count only these reasons; NULL: all */
};

/* What a kernel of loads that all hit in L2 reaches of that cache's peak, measured on an H200: 58 %. */
#define ADVICE_L2_ATTAINABLE 0.6
#define ADVICE_L2_BOUND \
    0.9 /* of what is attainable: loads wait for that cache's bandwidth, not for its latency */

struct advice_judging; /* core/advice/advice_internal.h */

/* The priority of the recommendation that a rule stands for, in the list of the CUDA C Best Practices Guide
 * (appendix "Recommendations and Best Practices"). That list does not have every rule. */
#define ADVICE_PRIORITY_LIST(X) X(UNRANKED, "") X(HIGH, "high") X(MEDIUM, "medium") X(LOW, "low")
#define ADVICE_PRIORITY_ENUM(id, text) ADVICE_##id,
enum advice_priority { ADVICE_PRIORITY_LIST(ADVICE_PRIORITY_ENUM) };
#undef ADVICE_PRIORITY_ENUM
const char *advice_priority_text(enum advice_priority priority); /* "" where the list has none */

struct advice_rule {
    const char *id; /* "uncoalesced_loads" */
    /* Evaluates the condition. Returns false if a value that it needs is not available. Exactly one of the
     * two functions is set. */
    bool (*of_kernel)(struct advice_judging *judging);
    bool (*of_run)(struct advice_judging *judging);
    struct advice_limit limits[ADVICE_LIMITS_MAX]; /* as many as have a `what` */
    const char *gain;                              /* formula of the upper bound of the gain */
    const char *now;                               /* what to do: begins with the action */
    const char *taught;                            /* the workload that teaches it */
    enum advice_priority priority;
    const char *source;          /* the document or measurement that it is based on */
    const char *workload, *twin; /* a case in which it fires, and one in which it does not; few blocks */
    const char
        *edit; /* the edit of the replay (core/replay/edits.h) that the rule explains; NULL: of a kernel
                         ADVICE_KERNEL_EDIT, of a run none */
    struct advice_line line;
    bool access;      /* the rule finds accesses that move more bytes than needed, or repeat accesses */
    bool memory_wait; /* what the rule finds makes warps wait for global or local memory */
};
#define ADVICE_RULES_MAX 40
/* The rules in the order of docs/advice.md, which is also the order of equal gains; NULL past the end. */
const struct advice_rule *advice_rule_at(size_t index);
const struct advice_rule *advice_rule_find(const char *id); /* NULL: there is none */
/* Every rule on a kernel explains why it could take less time: as much as its bound leaves it. */
#define ADVICE_KERNEL_EDIT "bounds"
#define ADVICE_LATENCY "long_scoreboard"
#define ADVICE_LONG_BLOCKS "long_blocks" /* the rule whose gain is that of each kernel with enough blocks */
const char *advice_rule_edit(const struct advice_rule *rule); /* id; NULL: it explains none */
#define ADVICE_TAUGHT_TEXT 80
/* "lesson transpose, priority high": where to read on. */
const char *advice_taught_text(const struct advice_rule *rule, char text[ADVICE_TAUGHT_TEXT]);

/* A value that a rule used: a metric by its id, or a figure of the run. */
struct advice_evidence {
    const char *id, *unit;
    struct value value;
};
#define ADVICE_EVIDENCE_MAX 5

struct advice {
    const struct advice_rule *rule;
    bool fine;      /* no problem: the kernel is at its limit */
    char text[240]; /* what is wrong, one sentence without a full stop */
    char where[80]; /* the source line, "transpose.cu:42"; "" if not known (core/advice/advice.h) */
    char how[200];  /* what to do with this kernel, in numbers; as `now` it begins with the action. "": `now`
                       is enough */
    struct advice_evidence evidence[ADVICE_EVIDENCE_MAX];
    size_t evidence_count;
    enum provenance provenance; /* the weakest of the evidence */
    double gain;    /* upper bound, as a share of the kernel's or run's time on the device; 0: no gain */
    double gain_ns; /* time of one launch, or of the run; 0: not known */
};

/* What is said of a kernel, in one word and a sentence: the same wherever it is said. Green is earned: every
 * rule was evaluated, or the kernel is near a limit of the device. */
#define ADVICE_STATE_LIST(X)                                                                               \
    X(UNCHECKED, "not_checked") /* grey: too little was counted for all rules; no problem was found */     \
    X(LIMIT, "limit")           /* grey: the launch leaves the device partly empty, which is no mistake */ \
    X(FINE, "fine")             /* green: checked, and nothing found */                                    \
    X(GAIN, "gain")             /* amber: there is something to gain */
#define ADVICE_STATE_ENUM(id, text) ADVICE_STATE_##id,
enum advice_state { ADVICE_STATE_LIST(ADVICE_STATE_ENUM) ADVICE_STATE_COUNT };
#undef ADVICE_STATE_ENUM
const char *advice_state_text(enum advice_state state); /* "not_checked" */

struct advice_list {
    enum advice_state state; /* of a kernel */
    char said[240];          /* that, as a sentence without a full stop; "": nothing was counted */
    size_t count, judged;    /* rules that fired; rules whose values were available */
    size_t judged_by_values; /* of these, rules that used more than what follows from the launch */
    double use_pct;          /* of the unit that the kernel uses most; negative: not known */
    const char *unit;        /* its name, "DRAM's bandwidth" */
    enum provenance weakest; /* provenances of the values read, without those that follow from the launch */
    struct advice items[ADVICE_RULES_MAX]; /* most to gain first */
};

/* Was a rule evaluated that needs more than values that follow from the launch? Those values are always
 * available, and alone they say little. */
bool advice_has_judged(const struct advice_list *list);

/* What most of a kernel's local memory is for; as a sentence has it, and what to do about it. The compiler
 * alone spills: PTX, which the device model runs, has no spills. */
#define ADVICE_LOCAL_LIST(X)                                                                                \
    X(SOME, "spilled registers, arrays, the stack of calls", "")                                            \
    X(ARRAYS, "arrays and variables with an address",                                                       \
      "index local arrays by constants only (unroll the loops over them), so that they become registers; "  \
      "or keep them in shared memory")                                                                      \
    X(STACK, "the stack of calls",                                                                          \
      "make the recursion a loop, or let the function be inlined (__forceinline__)")                        \
    X(ANGLES, "the slow path of sin, cos and tan for large angles",                                         \
      "bring the angles below 105,615 (in float), where no table is read: subtract whole turns before, or " \
      "use sinpi and cospi")
#define ADVICE_LOCAL_ENUM(id, text, how) ADVICE_LOCAL_##id,
enum advice_local { ADVICE_LOCAL_LIST(ADVICE_LOCAL_ENUM) };
#undef ADVICE_LOCAL_ENUM

struct advice_kernel {
    /* The kernel's values on its own device, or expected values if it did not run on one. If `read` is set,
     * `values` is ignored and `read` is called once for each value that a rule reads. */
    struct value values[METRIC_COUNT];
    struct value (*read)(const void *context, enum metric metric);
    enum advice_local (*local)(const void *context); /* NULL: not known; called if the rule fires */
    const void *context;
    const struct arch *arch; /* NULL: not known */
    struct occupancy_input shape;
    double blocks;
    uint32_t multiprocessors; /* 0: not known */
    double clock_hz;          /* clock of the multiprocessors; 0: not known */
    double l2_bytes;          /* size of the L2 cache; 0: not known */
    bool no_doubles;          /* its arguments are known, and none is of doubles */
    uint16_t calls;           /* SHAPE_DIVIDES and the like */
    bool float_product;       /* a matrix product that the tensor cores could do (session_advice.c) */
};

/* Copies between host and device. A bound on gains needs a fast link: PCIe 5 with 16 lanes. */
#define ADVICE_LINK_BYTES_PER_NS 64
#define ADVICE_SMALL_COPY_BYTES (64u << 10)
#define ADVICE_LAUNCH_LIMITED_NS 20000 /* chosen: shorter kernels are limited by their launches */
#define ADVICE_SAMPLED_NS 200000 /* chosen: the samples of shorter kernels are of what is around them, too */
#define ADVICE_PAGEABLE_BYTES (1u << 20)
struct advice_run {
    enum provenance provenance;
    struct overlap overlap;
    struct steps steps;       /* count 0: it has none */
    int64_t start_ns, end_ns; /* the span that is judged: the steps, else from the first kernel's start to the
                                 last one's end; if start is not before end, there are no kernels */
    int64_t first_ns, last_ns;  /* the whole run: from its first operation to its last one */
    struct partition partition; /* of the span, on its longest device; no operations: not known */
    struct advice_idle {        /* by class: the largest part of its idle time, and how long it was */
        char name[80]; /* name of a call or range, from the program, or "before train.py:42 step"; "": none */
        bool place;    /* the latter */
        int64_t ns;
        uint64_t times; /* pieces of idle time */
    } idle[PARTITION_COUNT];
    /* Kernels with at most half as many blocks as multiprocessors, without collectives: */
    uint64_t few_blocks_launches;
    double few_blocks_ns, few_blocks_gain_ns; /* gain: (1 - blocks / multiprocessors) of each kernel's time */
    bool few_blocks_beside; /* they are in several streams, so they are meant to run side by side */
    uint64_t few_blocks, multiprocessors; /* blocks of the longest such kernel, and multiprocessors of its
                                             device; 0: not known */
    double allocating_ns,                 /* of the latter those that call malloc or free */
        many_blocks_ns; /* of kernels with at least one for each multiprocessor, of more than ADVICE_SAMPLED_NS */
    uint64_t launches;              /* of kernels */
    uint64_t launch_calls;          /* calls that started kernels; a graph's launch is one */
    uint64_t graph_calls;           /* those that launched graphs */
    uint64_t host_functions;        /* that were put into streams, in the span judged */
    double call_ns, call_kernel_ns; /* sums: of the calls, and of the kernels that they started */
    uint64_t pageable_copies;       /* from or to pageable memory, of more than ADVICE_PAGEABLE_BYTES */
    double pageable_ns, pageable_needs_ns; /* needs: of their bytes at ADVICE_LINK_BYTES_PER_NS */
    uint64_t middle_copies;                /* from or to pageable memory, of ADVICE_SMALL_COPY_BYTES to
                                              ADVICE_PAGEABLE_BYTES: no slower than pinned ones */
    double middle_ns;
    uint64_t sets; /* operations that set memory, without those that empty a cache before a timing */
    double set_ns, set_bytes;
    double all_sets_ns;      /* of the whole run, all of them */
    double set_up_copies_ns; /* fill and read back a bundled workload's memory: the rules ignore them */
    double float_product_ns; /* matrix products on floats that do not use the tensor cores */
    double float_product_gain_ns;
    size_t devices; /* that the run used; 0: not known */
    double dram_pct,
        tensor_pct;    /* of the peak while kernels, copies inside the device or sets ran in the span, from
                          samples; NaN: not sampled */
    double active_pct; /* of the multiprocessors, the mean while they ran, from samples; NaN likewise */
    uint64_t small_copies; /* of less than ADVICE_SMALL_COPY_BYTES */
    double small_ns,
        small_needs_ns; /* the time that their bytes would take in one copy, at ADVICE_LINK_BYTES_PER_NS */
};

/* What to do: as the advice says, else as its rule. */
const char *advice_now(const struct advice *advice);
void advice_of_kernel(const struct advice_kernel *kernel, struct advice_list *list);
void advice_of_run(const struct advice_run *run, struct advice_list *list);

/* Can a source line be named for at least one advice of the list? */
bool advice_wants_lines(const struct advice_list *list);

/* Appends ", at transpose.cu:42" to each sentence and fills `where`; "most at" if other lines have a part of
 * the cost, "by the model" if the line comes from the model and the advice does not. Leaves advice alone if
 * the listing does not have its cost, or if it has a line already. On STATUS_MEMORY no advice is changed. */
enum status advice_name_lines(struct advice_list *list, const struct code_listing *listing);

#endif
