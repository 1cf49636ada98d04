/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times at which work on a modelled device would run. A clock in ns simulates streams, copy engines,
 * concurrent kernels, events and the legacy default stream. It does not execute work.
 *
 * Work is added in the order in which the host issues it, each with the host's time. Since work that is added
 * later was also issued later, the clock can be advanced to the host's time at any moment, and further to the
 * end of an operation for which the host waits. All arithmetic uses integers: the same work has the same
 * times on every machine. One thread.
 *
 * The rules:
 *   - the work of a stream runs in order, one after the other;
 *   - work of the legacy default stream begins when all work issued before it in blocking streams has ended,
 * and work issued after it in those streams begins when it has ended; non-blocking streams are not affected;
 *   - the device has two copy engines (one for copies to and one for copies from the device), one for both,
 * or none: then a copy runs alone on the device; an engine does one copy at a time;
 *   - kernels, sets and copies within the device share the multiprocessors: each can use a share of the
 * device; the earliest gets its share, the next one gets what is left of its share and runs slower
 * accordingly; work waits while less than one multiprocessor is free;
 *   - with one hardware queue per engine (before Hyper-Q, compute capability 3.5) an engine takes its work in
 *     the order of issue, and work that may not start blocks the work after it; else work starts in the order
 * in which it becomes ready;
 *   - with one queue and concurrent kernels (2.x, 3.0), work on another engine that waits for the end of a
 * kernel is signalled late: when all kernels issued directly after that kernel and before its end have ended
 * too
 *     ("delays a signal that normally occurs after each kernel completion": NVIDIA, How to Overlap Data
 * Transfers in CUDA C/C++, of a C2050);
 *   - several GPUs share the clock, and each has its own default stream, engines and multiprocessors; work of
 * one waits for work of another only through `after`;
 *   - between the end of work on one engine and the start of work on another that waited for it, handover_ns
 * pass.
 */
#ifndef SIMT_DEVICE_SCHEDULE_H
#define SIMT_DEVICE_SCHEDULE_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_WHOLE 1000000 /* shares of the device are in millionths */
#define SCHEDULE_NONE UINT64_MAX

enum schedule_kind {
    SCHEDULE_KERNEL,
    SCHEDULE_ON_DEVICE, /* a set, a copy within the device */
    SCHEDULE_TO_DEVICE,
    SCHEDULE_TO_HOST,
    SCHEDULE_HOST, /* a function on the host; one thread runs all of them */
    SCHEDULE_MARK  /* an event is recorded, or a stream waits for an event: takes no time */
};

struct schedule_limits {
    uint32_t gpus;         /* 0: one */
    uint32_t copy_engines; /* 0, 1 for both directions, 2 or more: one per direction */
    uint32_t kernels;      /* maximum at the same time; at least 1 */
    uint32_t least_share;  /* the share of one multiprocessor */
    bool one_queue_per_engine;
    int64_t submit_ns; /* from the end of the host's call to the arrival at the device */
    int64_t handover_ns;
};

struct schedule_work {
    enum schedule_kind kind;
    uint32_t stream;   /* from schedule_stream_add; below `gpus`: the legacy default stream of that GPU */
    int64_t issued_ns; /* not earlier than that of the work added before */
    int64_t alone_ns;  /* its duration if nothing else runs */
    uint32_t share;    /* KERNEL: share of the device that it then uses, 1 ... SCHEDULE_WHOLE */
    uint64_t after;    /* work of another stream that must end first, or SCHEDULE_NONE */
    uint64_t tag;      /* for the caller */
};

struct schedule_ended {
    uint64_t id, tag;
    int64_t start_ns, end_ns;
};

struct schedule;
enum status schedule_create(struct schedule **schedule, const struct schedule_limits *limits,
                            struct error *error);
void schedule_destroy(struct schedule *schedule);

/* The default streams always exist. Work of a removed stream continues; the stream's number may be reused. */
enum status schedule_stream_add(struct schedule *schedule, uint32_t gpu, bool non_blocking, uint32_t *stream,
                                struct error *error);
void schedule_stream_remove(struct schedule *schedule, uint32_t stream);

/* Ids count up from 0. */
enum status schedule_add(struct schedule *schedule, const struct schedule_work *work, uint64_t *id,
                         struct error *error);

/* Simulates everything up to until_ns. Must not be later than the host's time: see above. */
void schedule_advance(struct schedule *schedule, int64_t until_ns);
/* Advances the clock until the given work has ended, or all work of a stream (and all work that must end
 * before it), or all work of a GPU, or all work. Returns the time of the end, or 0 if there was no work. */
int64_t schedule_wait(struct schedule *schedule, uint64_t id);
int64_t schedule_wait_stream(struct schedule *schedule, uint32_t stream);
int64_t schedule_wait_gpu(struct schedule *schedule, uint32_t gpu);
int64_t schedule_wait_all(struct schedule *schedule);
/* Advances the clock until one more work that takes time has ended; 0: there is none. */
int64_t schedule_wait_next(struct schedule *schedule);

/* Takes the next work that has ended, in the order of the ends; false: no more. Afterwards its id may be used
 * only for `after` and schedule_wait. */
bool schedule_take(struct schedule *schedule, struct schedule_ended *ended);

#endif
