/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of a run went: for each device of the run every nanosecond, from the start of its first
 * operation to the end of its last, in exactly one class. From events alone. An operation is a kernel, copy
 * or set on a stream. Reader side, any thread.
 *
 * While something runs, the class is that of the first that runs in this order: a kernel, a collective, a
 * copy or set. So copies and collectives have only the time that no kernel hides. A collective is a kernel of
 * such a name, and whatever was issued within a range (NVTX) of such a name.
 *
 * While nothing runs the device is idle, until an operation B starts. B's launching thread is asked what it
 * did. Inside a call the class is the call's, but for the part in which code was loaded or compiled. Outside
 * calls for at most PARTITION_PAUSE_NS of the idle time (of a program that is not Python's PARTITION_OWN_NS), it was on
 * its way from one call to the next, in the program's own code: both are launching, and classes of their own. A launch call of more than PARTITION_PAUSE_NS that is the first one of its kernel in the
 * run loads the kernel's code (lazy loading): on H200 and H100 all calls but those took less. Outside for
 * longer, it was the program's own work. From the return of B's call on, B is under way: for
 * PARTITION_LATENCY_NS that is still the launch, then B waits on the device. Idle time that begins after B's
 * call has returned is the device's, also between two nodes of one launch of a graph. Launching after a wait
 * that ended in the idle time, or at most PARTITION_PAUSE_NS before it, and with no longer pause since, is
 * put down to the wait: without it the work would have been issued while the device ran.
 *
 * Collectives: work that exchanges data with other devices, told by names alone. Pure; any thread.
 */
#ifndef CORE_ANALYSIS_PARTITION_H
#define CORE_ANALYSIS_PARTITION_H

#include "core/session/session.h"

#include <stdbool.h>

/* Chosen from an eager training step of PyTorch that is launch bound on an H100's host: pauses up to 0.1 ms
 * sum up to 483 ms, up to 1 ms to 662 ms, up to 3 ms to 666 ms. */
#define PARTITION_PAUSE_NS INT64_C(1000000)
#define PARTITION_OWN_NS \
    INT64_C(100000) /* chosen: compiled code between two calls that takes longer does work of its own */
#define PARTITION_LATENCY_NS INT64_C(20000) /* chosen: a launch reaches an idle device within 10 us */

/* id, a letter for bars, the name in few words, and as a sentence */
#define PARTITION_CLASS_LIST(X)                                                                       \
    X(KERNEL, kernels, 'K', "kernels", "kernels ran")                                                 \
    X(COLLECTIVE, collectives, 'N', "collectives, not hidden", "collectives ran and no other kernel") \
    X(COPY, copies, 'C', "copies, not hidden", "copies or sets ran and no kernel")                    \
    X(LAUNCH, idle_launch, 'l', "idle: in launch calls", "idle: the host was in a launch call")       \
    X(BETWEEN, idle_between, 'b', "idle: between calls", "idle: the host was between two CUDA calls") \
    X(TRANSFER, idle_transfer, 'c', "idle: in copy calls",                                            \
      "idle: the host was in a call that copies or sets")                                             \
    X(SYNC, idle_sync, 's', "idle: the host waited", "idle: the host waited, or had just waited")     \
    X(ALLOC, idle_alloc, 'a', "idle: allocating", "idle: the host allocated or freed memory")         \
    X(MODULE, idle_module, 'm', "idle: loading code", "idle: code was loaded or compiled")            \
    X(CALL, idle_call, 'x', "idle: in other CUDA calls", "idle: the host was in another CUDA call")   \
    X(HOST, idle_host, 'h', "idle: outside CUDA", "idle: the program's own work outside CUDA")        \
    X(TOOL, idle_tool, 't', "idle: tracing itself", "idle: the tracing itself")                       \
    X(DEVICE, idle_device, 'd', "idle: issued, not started", "idle: issued work had not started")     \
    X(UNKNOWN, idle_unknown, '?', "idle: cause not traced", "idle: which call issued the work was not traced")
#define PARTITION_ENUM(name, id, letter, brief, text) PARTITION_##name,
enum partition_class { PARTITION_CLASS_LIST(PARTITION_ENUM) PARTITION_COUNT };
#undef PARTITION_ENUM
#define PARTITION_IDLE_FIRST PARTITION_LAUNCH

/* Idle time of one class and one name: of the call, of what was loaded, or, in the program's own code, of the
 * innermost range (NVTX), else of the place that issued the kernel which ended it, where all launches of that kernel
 * are from one. */
struct partition_blame {
    int64_t ns;
    uint64_t times; /* idle times that have some of it */
    uint64_t gap;   /* the last of them */
    uint32_t name;  /* string; 0: none, or past the first 4,096 names */
    uint32_t place; /* 1 + stack row of that place; 0: none */
    uint8_t part;   /* enum partition_class */
    bool alike;     /* stands for ranges whose names differ only in their numbers; name is one of these */
};
#define PARTITION_BLAMES_MAX 32u

/* An idle time, as far as it is of one class. */
struct partition_gap {
    int64_t start_ns, end_ns; /* of all of it */
    int64_t ns;               /* of the class */
    uint32_t process, thread; /* that issued the operation which ended it */
    uint32_t name;            /* as in partition_blame, of the longest piece of the class */
    uint32_t device;
};
#define PARTITION_GAPS_MAX 4u

struct partition {
    uint32_t device; /* device row; NONE: not known */
    int64_t first_ns,
        last_ns; /* from the first start to the last end of its operations, clipped to the range: the span */
    int64_t ns[PARTITION_COUNT];  /* add up to last_ns - first_ns */
    int64_t copy_hidden_ns;       /* copies and sets while kernels or collectives ran */
    int64_t collective_hidden_ns; /* collectives while other kernels ran */
    uint64_t operations;
    uint64_t times[PARTITION_COUNT]; /* number of gaps that have time of this idle class; of other classes the
                                        number of operations */
    uint64_t
        rounds[PARTITION_COUNT]; /* of an idle class: gaps, those with no kernel between them as one. Buffers
                                    that are allocated and filled one by one before a kernel are one round */
    struct partition_blame blames[PARTITION_BLAMES_MAX]; /* of idle time, longest first */
    uint32_t blame_count;
    struct partition_gap gaps[PARTITION_COUNT][PARTITION_GAPS_MAX]; /* longest first; ns 0: no more */
};

struct partition_list {
    struct partition *items; /* the run's devices, longest span first */
    size_t count;
};

/* For one run (NONE: everything on the wall clock, or on the model's clock if there is no other), clipped to
 * [start_ns, end_ns). core/session/session_walk.h decides which events belong to a run. Walks the run's
 * operations once; memory grows with lanes and devices, not with events. STATUS_STATE: some were evicted from
 * memory; STATUS_MEMORY. */
enum status partition_compute(const struct session *session, uint32_t run, int64_t start_ns, int64_t end_ns,
                              struct partition_list *list, struct error *error);
void partition_free(struct partition_list *list);
/* Adds the devices up: times, blames and the longest gaps. With several devices the total has no device,
 * first_ns or last_ns, and of the blames only the 32 first met. */
void partition_total(const struct partition_list *list, struct partition *total);
/* Copies that no kernel hides outside of a run's steps, where they take longer than the steps: a run is about
 * them too. Else 0. */
int64_t partition_copies_beside_ns(const struct partition *whole, const struct partition *steps);
/* The idle time of the classes that are set-up: allocating, loading code, other CUDA calls and the program's
 * own work, where it came in PARTITION_ONCE rounds at most. */
#define PARTITION_ONCE 2 /* chosen: once or twice is a change of phase, not a loop */
int64_t partition_set_up_ns(const struct partition *whole);
/* "91 % of first to last is set-up", which no rule judges; false: less than half of it is. */
#define PARTITION_SET_UP_TEXT 80
bool partition_set_up_text(const struct partition *whole, char text[PARTITION_SET_UP_TEXT]);
/* The largest of the other classes, where kernels ran for less than half of the span: what rules find of
 * kernels says little of such a run. Else PARTITION_KERNEL. */
enum partition_class partition_mostly(const struct partition *partition);
/* The sum of the classes: the span, or of a total the sum of the spans. */
int64_t partition_sum_ns(const struct partition *partition);

/* By the name of the program: its interpreter takes most of the time between two calls. */
bool process_runs_python(const struct session *session, uint32_t process);

bool partition_blame_named(const struct partition_blame *blame);
/* The name, and "step #" for ranges called "step 1", "step 2"; of a place "before train.py:42 step"; from the program,
 * with control characters as they are. */
void partition_blame_name(const struct session *session, const struct partition_blame *blame, char *text,
                          size_t size_bytes);
/* The innermost range on a track of ranges at time_ns, the one that begins last (one that is opened in a function and outlives
 * it lies deeper than what comes after it): the name; 0: none, or the track is NONE. *until_ns: how long this stays so. */
uint32_t partition_range_at(const struct session *session, uint32_t track, int64_t time_ns,
                            int64_t *until_ns);
/* Are the names equal except for their numbers: "step 12" and "step 9"? */
bool partition_names_alike(const char *a, const char *b);
int64_t partition_span_ns(const struct partition *partition);
const char *partition_class_text(enum partition_class part);
/* Is an overhead of this name lanescope's and CUPTI's own time? */
bool partition_is_tool(const char *overhead);
const char *partition_class_brief(enum partition_class part); /* "idle: launching" */
const char *partition_class_id(enum partition_class part);    /* "idle_launch" */
char partition_class_letter(enum partition_class part);       /* 'K' */
/* Divides the cells of a bar among the classes so that they add up to it: each class gets the whole cells of
 * its share, those with the largest remainders one more. All 0 if the span is empty. */
void partition_deal(const int64_t ns[PARTITION_COUNT], int cells, int dealt[PARTITION_COUNT]);

/* Is it a kernel that exchanges data with other devices, by its name: of NCCL, RCCL, NVSHMEM, or a
 * framework's own all-reduce? */
bool kernel_is_collective(const char *name);

#endif
