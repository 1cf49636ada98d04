/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of core/analysis/overlap*.c: the device work of a range in order of start, and the analyses of
 * it. overlap_collect.c collects it; overlap.c adds up what is busy; overlap_serial.c finds which operation
 * waited for which other, overlap_calls.c waits for events, overlap_sum.c adds them up; amdahl.c finds which
 * operations ran alone.
 */
#ifndef CORE_ANALYSIS_OVERLAP_OVERLAP_INTERNAL_H
#define CORE_ANALYSIS_OVERLAP_OVERLAP_INTERNAL_H

#include "core/analysis/overlap/overlap.h"
#include "core/base/sort.h"
#include "core/session/session_walk.h"

/* An overlap is worked out in batches of operations in order of start. Of a batch, the operations before
 * `own` began in an earlier one and still matter, those from `next` on belong to the next one and are looked
 * at because they may have waited in the time of this one. So memory does not grow with the number of
 * operations. Chosen: 36 MB; an operation that waited for one which began more than BATCH_AHEAD operations
 * before it has only that part of its wait which lies in its own batch. */
#define BATCH_OPERATIONS 131072u
#define BATCH_AHEAD 16384u

#define HOST_GAP_NS 100000 /* the most that the host does between two waits if it only issues more work */
#define SOON_NS 20000      /* work that starts this soon after other work ended may have waited for it */

/* The engines: kernels, memsets, and copies by kind. */
enum overlap_engine { ENGINE_KERNELS, ENGINE_SETS, ENGINE_COPIES };

struct operation {
    uint64_t index; /* of its event in the lane */
    int64_t start_ns, end_ns;
    int64_t call_start_ns; /* INT64_MIN: not known */
    uint32_t call_duration_ns, call_thread;
    uint32_t track, lane;
    uint32_t kernel; /* its row; NONE of other work */
    uint32_t graph;  /* KERNEL: the graph that it is a node of; 0: none */
    float share; /* KERNEL: the share of the device's block slots that one launch takes, 1 at most; NAN: not
                    known */
    uint8_t engine; /* enum overlap_engine; a copy: ENGINE_COPIES + enum copy_kind */
    bool async;     /* COPY: by an asynchronous call */
    bool pageable;  /* COPY: host memory that is pageable */
    bool fills;     /* KERNEL: it fills the device alone, as far as known */
};

/* A time in which a host thread was in a call that waits. */
struct blocked {
    int64_t start_ns, end_ns;
    uint32_t process, thread, correlation; /* correlation 0: the call that issued an operation */
    enum serial_reason reason;
};

/* A wait that the host puts into a stream: what is issued into it afterwards waits for an event, the host
 * does not. */
struct stream_wait {
    int64_t call_ns;
    uint32_t process, context, stream, correlation;
};

struct work {
    const struct session *session;
    int64_t start_ns, end_ns;     /* the range */
    struct operation *operations; /* in order of start */
    size_t count, capacity;
    size_t own, next;                     /* as told above; without batches 0 and count */
    int64_t batch_start_ns, batch_end_ns; /* the batch's part of the time: from its first own operation to the
                                             first of the next batch */
    struct blocked *blocked;
    size_t blocked_count, blocked_capacity;
    struct stream_wait *stream_waits;
    size_t stream_wait_count, stream_wait_capacity;
    size_t *by_end; /* the operations in order of end; NULL if there are no stream_waits */
    bool folded;    /* some of it was evicted from memory */
    bool sums;      /* the device work alone is collected (overlap_sums) */
};

/* What is analysed: a run, or everything on one clock. */
struct scope {
    const struct session *session;
    struct run_scope of;
    uint8_t clock;
    int64_t until_ns; /* the end of the range, or of the run */
    uint32_t kernels; /* there were when it began */
    float *shares;    /* by kernel row: the share of block slots that a launch takes; NAN: not known; -1: not
                         computed yet */
};

struct collector {
    struct scope scope;
    struct work *work;
    struct lane_merge others;  /* lanes of calls and waits, which are read one after the other */
    size_t other;              /* the one in hand */
    struct lane_merge streams; /* in order of start */
    uint64_t events, done;     /* about how many there are */
    uint64_t operations;       /* of these, about */
    uint64_t passed;           /* operations of earlier batches */
    size_t batch, ahead;       /* operations to collect at a time; 0: all */
};

/* Collects the device work of a run (NONE: everything on one clock) in this range, from the events that exist
 * now. The caller frees with work_free, also after a failure. */
enum status work_collect(struct work *work, const struct session *session, uint32_t run, int64_t start_ns,
                         int64_t end_ns, struct error *error);
/* The same in steps, and in batches of this size; collector_end says whether the collected work can be used.
 */
enum status collector_begin(struct collector *collector, struct work *work, const struct session *session,
                            uint32_t run, int64_t start_ns, int64_t end_ns, size_t batch, size_t ahead,
                            bool sums, struct error *error);
enum slice collector_step(struct collector *collector, size_t *left);
/* Begins to collect the next batch: of the work, keeps what it needs. SLICE_DONE: there is none. */
enum slice collector_next(struct collector *collector);
enum status collector_end(const struct collector *collector, struct error *error);
void collector_fini(struct collector *collector);
void work_free(struct work *work);
enum status work_no_memory(const struct work *work, struct error *error);

/* As overlap_begin, with another size of the batches. */
enum status overlap_begin_batches(struct overlap_job **job, const struct session *session, uint32_t run,
                                  int64_t start_ns, int64_t end_ns, size_t batch, size_t ahead, bool sums,
                                  struct error *error);

/* The start or the end of a time window on a device. */
struct boundary {
    int64_t time_ns;
    uint32_t device; /* number among the devices seen here */
    int8_t step;     /* +1, -1 */
    uint8_t what;    /* enum serial_reason, or one of those below */
};
#define BOUNDARY_UNISSUED SERIAL_COUNT    /* SAME_STREAM, of work not issued since the host waited */
#define BOUNDARY_ALONE (SERIAL_COUNT + 1) /* one stream alone is busy */
#define BOUNDARY_COUNT (SERIAL_COUNT + 2)

/* The time in which an operation waited; its start and end are boundaries too. */
struct wait {
    int64_t start_ns, end_ns;
    size_t operation; /* of the work's */
    uint32_t device;
    uint8_t reason;
};

struct windows {
    struct boundary *boundaries;
    size_t boundary_count, boundary_capacity;
    struct wait *waits;
    size_t wait_count, wait_capacity;
};

/* Sorts the waits found in the calls, and the operations by their end, for the look-ups below; removes host
 * waits of calls that only made a stream wait. Call it once, after the work is collected. */
struct calls_sort {
    struct work *work;
    int stage;
    bool sorting; /* sort is of this stage */
    struct slice_sort sort;
    size_t at, kept;
};
enum slice calls_sort_step(struct calls_sort *calls, size_t *left);
/* The index of the thread's last blocked time that ends at time_ns or before; the count if there is none. */
size_t overlap_blocked_find(const struct work *work, uint32_t process, uint32_t thread, int64_t time_ns);
/* Finds when the operation waited for an event of another stream; previous: the one before it in its own
 * stream, NULL if the range has none. False: it did not wait. */
bool overlap_event_window(const struct work *work, const struct operation *operation,
                          const struct operation *previous, int64_t *since_ns, int64_t *until_ns);

/* Fills serialised_ns and the operations that waited. */
struct serial;
struct carried_waits;
struct serial *serial_begin(struct work *work, struct carried_waits *carried); /* NULL: no memory */
enum slice serial_step(struct serial *serial, struct overlap *overlap, size_t *left);
double serial_progress(const struct serial *serial); /* 0...1 */
void serial_free(struct serial *serial);

/* What an operation of the next batch waited in this one's time. */
struct carried_wait {
    struct overlap_wait wait;
    int64_t operation_start_ns;
};
struct carried_waits {
    struct carried_wait *items;
    size_t count, capacity;
};

/* Combines the waits with the times in which only one stream was busy. */
struct adder {
    const struct work *work;
    struct windows *windows;
    struct slice_sort sort;
    int stage;
    uint8_t reason;    /* of the stage that is about one */
    size_t at;         /* boundary, or wait */
    uint8_t *reasons;  /* by boundary: the reason for the time from it to the next */
    int64_t *until_ns; /* by boundary: serialised time of one reason before it */
    int64_t open[BOUNDARY_COUNT], sum_ns;
    int64_t total_ns[SERIAL_COUNT]; /* of each reason */
    size_t found;                   /* the boundary that was looked for last */
    size_t waiting;                 /* the operation whose wait is being summed; work->count: none */
    struct overlap_wait wait;       /* its */
    struct carried_waits *carried;  /* between batches */
};
enum slice adder_step(struct adder *adder, struct overlap *overlap, size_t *left);
void adder_fini(struct adder *adder);

/* Adds the batch's own operations, and fills least_ns and least_engine from all so far. Starts zeroed, and
 * with at 0 for each batch; the caller frees loads. */
struct least {
    struct load *loads;         /* by device */
    size_t count, capacity, at; /* at: of the batch's own operations */
};
enum slice least_step(struct least *least, const struct work *work, struct overlap *overlap, size_t *left);

#endif
