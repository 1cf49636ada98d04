/*
 * The times at which work on a modelled device would run: streams, copy engines, concurrent kernels, events
 * and the legacy default stream are simulated on a clock in ns. No work is executed here.
 *
 * Work is added in the order in which the host issues it, each with the host's time. Work that is added later
 * was issued later, so the clock can be advanced to the host's time at any moment, and further to the end of
 * an operation for which the host waits. All arithmetic is in whole numbers: the same work has the same times
 * everywhere. One thread.
 *
 * The rules:
 *   - work of a stream runs in order, one after the other;
 *   - work of the legacy default stream begins when all issued before it in blocking streams has ended, and
 *     what is issued after it in those begins when it has ended; non-blocking streams take no part;
 *   - copies to and from the device have an engine each (two engines), one for both, or none: then a copy has
 *     the device for itself; an engine does one copy at a time;
 *   - kernels, sets and copies within the device share the multiprocessors: each can use a share of the
 *     device, the earliest has first choice, the next gets what is left of it and runs that much slower;
 *     work that finds less than one multiprocessor free waits;
 *   - with one hardware queue per engine (before Hyper-Q, compute capability 3.5) an engine takes its work in
 *     the order of issue, and what may not start holds up what is behind it; else what is ready first goes
 *     first;
 *   - with one queue and kernels side by side (2.x, 3.0), the signal that a kernel has ended, for which work
 * on another engine waits, comes when all kernels issued right behind it, with nothing else between, have
 *     ended too, as far as they were issued before it ended ("delays a signal that normally occurs after each
 *     kernel completion": NVIDIA, How to Overlap Data Transfers in CUDA C/C++, of a C2050);
 *   - from the end of work on one engine to the start of work on another that waited for it lies handover_ns.
 */
#ifndef SIMT_DEVICE_SCHEDULE_H
#define SIMT_DEVICE_SCHEDULE_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_WHOLE 1000000 /* a share of the device: millionths */
#define SCHEDULE_NONE UINT64_MAX

enum schedule_kind {
    SCHEDULE_KERNEL,
    SCHEDULE_ON_DEVICE, /* a set, a copy within the device */
    SCHEDULE_TO_DEVICE,
    SCHEDULE_TO_HOST,
    SCHEDULE_HOST, /* a function on the host; there is one thread for them */
    SCHEDULE_MARK  /* an event is recorded, or a stream waits for one: takes no time */
};

struct schedule_limits {
    uint32_t copy_engines; /* 0, 1, 2 and more: one per direction */
    uint32_t kernels;      /* side by side; at least 1 */
    uint32_t least_share;  /* a multiprocessor's */
    bool one_queue_per_engine;
    int64_t submit_ns; /* from the end of the host's call to the device */
    int64_t handover_ns;
};

struct schedule_work {
    enum schedule_kind kind;
    uint32_t stream;   /* schedule_stream_add's; 0: the legacy default stream */
    int64_t issued_ns; /* not before that of the work added before */
    int64_t alone_ns;  /* how long it takes when nothing else runs */
    uint32_t share;    /* KERNEL: of the device it uses then, 1 ... SCHEDULE_WHOLE */
    uint64_t after;    /* of another stream, or SCHEDULE_NONE: begins when that has ended */
    uint64_t tag;      /* the caller's */
};

struct schedule_ended {
    uint64_t id, tag;
    enum schedule_kind kind;
    uint32_t stream;
    int64_t issued_ns, start_ns, end_ns;
};

struct schedule;
enum status schedule_create(struct schedule **schedule, const struct schedule_limits *limits,
                            struct error *error);
void schedule_destroy(struct schedule *schedule);

/* Stream 0 is there from the start. A removed stream's work goes on; its number may be given again. */
enum status schedule_stream_add(struct schedule *schedule, bool non_blocking, uint32_t *stream,
                                struct error *error);
void schedule_stream_remove(struct schedule *schedule, uint32_t stream);

/* Ids count up from 0. */
enum status schedule_add(struct schedule *schedule, const struct schedule_work *work, uint64_t *id,
                         struct error *error);

/* Plays all that happens up to then. Never further than the host's time: see above. */
void schedule_advance(struct schedule *schedule, int64_t until_ns);
/* Advances the clock until the work has ended, or all work of a stream (with all work that must end before
 * it), or all work; returns the time of the end, or 0 if there was none. */
int64_t schedule_wait(struct schedule *schedule, uint64_t id);
int64_t schedule_wait_stream(struct schedule *schedule, uint32_t stream);
int64_t schedule_wait_all(struct schedule *schedule);
/* Play until one more work has ended that takes time; 0: there is none that could. */
int64_t schedule_wait_next(struct schedule *schedule);

/* Takes the next work that has ended, in the order of the ends; false: no more. After that its id is only
 * good for `after` and schedule_wait. */
bool schedule_take(struct schedule *schedule, struct schedule_ended *ended);

#endif
