/*
 * The inside of core/analysis/overlap*.c: the device work of a range in order of start, and the analyses of
 * it. overlap_collect.c collects it; overlap.c adds up what is busy; overlap_serial.c finds which operation
 * waited for which other, overlap_calls.c waits for events, overlap_sum.c adds them up; amdahl.c finds which
 * operations ran alone.
 */
#ifndef CORE_ANALYSIS_OVERLAP_INTERNAL_H
#define CORE_ANALYSIS_OVERLAP_INTERNAL_H

#include "core/analysis/overlap.h"
#include "core/base/sliced_sort.h"
#include "core/session/lane_merge.h"
#include "core/session/session_walk.h"

#define SOON_NS 20000 /* work that starts this soon after other work ended may have waited for it */

/* What work runs on: kernels, sets, and copies by kind. */
enum overlap_engine { ENGINE_KERNELS, ENGINE_SETS, ENGINE_COPIES };

struct operation {
    uint64_t index; /* of its event in the lane */
    int64_t start_ns, end_ns;
    int64_t call_start_ns; /* INT64_MIN: not known */
    uint32_t call_duration_ns, call_thread;
    uint32_t track, lane;
    uint32_t kernel; /* its row; NONE of other work */
    uint32_t graph;  /* KERNEL: of which it is a node; 0: none */
    float share; /* KERNEL: of the device's places for blocks that one launch takes, 1 at most; NAN: not known
                  */
    uint8_t engine; /* enum overlap_engine; a copy: ENGINE_COPIES + enum copy_kind */
    bool async;     /* COPY: by an asynchronous call */
    bool pageable;  /* COPY: host memory that is pageable */
    bool fills;     /* KERNEL: known to fill the device by itself */
};

/* A thread of the host was in a call that waits. */
struct blocked {
    int64_t start_ns, end_ns;
    uint32_t process, thread, correlation; /* correlation 0: the call is that of an operation */
    enum serial_reason reason;
};

/* What is issued into a stream from then on waits for an event. The host does not. */
struct stream_wait {
    int64_t call_ns;
    uint32_t process, context, stream, correlation;
};

struct work {
    const struct session *session;
    int64_t start_ns, end_ns;     /* the range */
    struct operation *operations; /* in order of start */
    size_t count, capacity;
    struct blocked *blocked;
    size_t blocked_count, blocked_capacity;
    struct stream_wait *stream_waits;
    size_t stream_wait_count, stream_wait_capacity;
    size_t *by_end; /* the operations in order of end; NULL without stream_waits */
    bool folded;    /* some of it was evicted from memory */
};

/* What is asked about: a run, or everything on one clock. */
struct scope {
    const struct session *session;
    struct run_scope of;
    uint8_t clock;
    int64_t until_ns; /* the end of the range, or of the run */
    uint32_t kernels; /* there were when it began */
    float *shares;    /* by kernel row: of its device's places that a launch takes; NAN: not known; -1: not
                         looked at */
};

struct collector {
    struct scope scope;
    struct work *work;
    struct lane_merge others;  /* lanes of calls and waits, taken one after the other: not begun */
    size_t other;              /* the one in hand */
    struct lane_merge streams; /* in order of start */
    uint64_t events, done;     /* about how many there are */
    uint64_t operations;       /* of these, about */
};

/* The device work of a run (NONE: of all on one clock) in this range, for work_free to free, also when it
 * fails. Of the events there are when it begins. */
enum status work_collect(struct work *work, const struct session *session, uint32_t run, int64_t start_ns,
                         int64_t end_ns, struct error *error);
/* The same in slices; collector_end says whether what was collected can be used. */
enum status collector_begin(struct collector *collector, struct work *work, const struct session *session,
                            uint32_t run, int64_t start_ns, int64_t end_ns, struct error *error);
enum slice collector_step(struct collector *collector, size_t *left);
enum status collector_end(const struct collector *collector, struct error *error);
void collector_fini(struct collector *collector);
void work_free(struct work *work);
enum status work_no_memory(const struct work *work, struct error *error);

/* A window of time opens or closes on a device. */
struct boundary {
    int64_t time_ns;
    uint32_t device; /* number among the devices seen here */
    int8_t step;     /* +1, -1 */
    uint8_t what;    /* enum serial_reason, or one of those below */
};
#define BOUNDARY_UNISSUED SERIAL_COUNT /* SAME_STREAM, of work that the host, waiting, had not issued yet */
#define BOUNDARY_ALONE (SERIAL_COUNT + 1) /* one stream alone is busy */
#define BOUNDARY_COUNT (SERIAL_COUNT + 2)

/* An operation waited; its ends are boundaries too. */
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

/* Sorts the waits found in the calls, and the operations by their end, for the look-ups below; a call that
 * made a stream wait did not make the host wait. Call it once, after the work is collected. */
struct calls_sort {
    struct work *work;
    int stage;
    bool sorting; /* sort is of this stage */
    struct slice_sort sort;
    size_t at, kept;
};
enum slice calls_sort_step(struct calls_sort *calls, size_t *left);
/* The last blocked time of a thread that ends at time_ns or before; the count when there is none. */
size_t overlap_blocked_find(const struct work *work, uint32_t process, uint32_t thread, int64_t time_ns);
/* When the operation waited for an event of another stream; previous: the one before it in its own stream,
 * NULL when the range has none. False: it did not. */
bool overlap_event_window(const struct work *work, const struct operation *operation,
                          const struct operation *previous, int64_t *since_ns, int64_t *until_ns);

/* Fill serialised_ns and what waited. */
struct serial;
struct serial *serial_begin(struct work *work); /* NULL: no memory */
enum slice serial_step(struct serial *serial, struct overlap *overlap, size_t *left);
double serial_progress(const struct serial *serial); /* 0...1 */
void serial_free(struct serial *serial);

/* Lay the waits over the time in which one stream alone was busy. */
struct adder {
    const struct work *work;
    struct windows *windows;
    struct slice_sort sort;
    int stage;
    uint8_t reason;    /* of the stage that is about one */
    size_t at;         /* boundary, or wait */
    uint8_t *reasons;  /* by boundary: of the time from it to the next */
    int64_t *until_ns; /* by boundary: of one reason, before it */
    int64_t open[BOUNDARY_COUNT], sum_ns;
    size_t waiting;           /* the operation whose wait is summed; work->count: none */
    struct overlap_wait wait; /* its */
};
enum slice adder_step(struct adder *adder, struct overlap *overlap, size_t *left);
void adder_fini(struct adder *adder);

/* Fill least_ns and least_engine. Zeros to begin with; loads are the caller's to free. */
struct least {
    struct load *loads; /* by device */
    size_t count, capacity, at;
};
enum slice least_step(struct least *least, const struct work *work, struct overlap *overlap, size_t *left);

#endif
