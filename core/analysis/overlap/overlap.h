/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Concurrency of streams and engines over a time range: union, intersection, serialised time, and why; from
 * events alone (times, streams, calls, kinds of memory; never from names). Reader side, any thread. Walks the
 * events of the range once, in slices if that is wanted, and in batches of 131,072 operations: it holds about
 * 250 bytes for each operation of a batch and for each that is still running, whatever the length of the run.
 * An operation is a kernel, copy or set on a stream.
 *
 * Serialised time is time in which the operations of one stream alone were running on a device while another
 * operation, B, was waiting for one of these reasons. Each instant counts once, for the first that holds in
 * this order: work that was queued and held on the device goes before work that the host had not issued.
 *
 * DEFAULT_STREAM: B was queued and its stream was free, and it started within 20 us of the end of an
 * operation of its context's legacy default stream (B's stream is not NON_BLOCKING), or B is on the default
 * stream and that was on a blocking one. Counted while that operation ran.
 *
 * ONE_ENGINE: B is a copy, queued, its stream was free, and it started within 20 us of the end of a copy of
 * the same kind in another stream. Counted while that copy ran.
 *
 * EVENT_WAIT: B's stream had a wait for an event behind what lies before B in it, B was queued, its
 * stream was free, and it started within 20 us of the end of an operation of another stream of its process,
 * issued before the wait. Counted while that operation ran.
 *
 * PAGEABLE: B was not issued because its thread was inside an asynchronous copy from or to pageable memory;
 * or B is such a copy itself, issued, its stream was free, and it had not started.
 *
 * IMPLICIT_SYNC: B was not issued because its thread was inside an allocation or a free that outlasted all
 * that had been issued when it began.
 *
 * RESOURCES: B is a kernel, queued, its stream was free, and it started by 20 us after the end of a kernel of
 * another stream whose blocks alone fill the device (by its limits and the launch's shape). Counted while
 * that kernel ran.
 *
 * SAME_STREAM: B was queued while the operation before it in its own stream ran, and that one used another
 * engine, or both are kernels and that one is not known to fill the device. Two nodes of one launch of a
 * graph are no such pair: their order is the graph's.
 *
 * EXPLICIT_SYNC: B was not issued because its thread was inside a synchronisation or a synchronous copy.
 *
 * SAME_STREAM again, after that: as above, but the host waited instead of queueing B.
 *
 * Waits of the host are followed back from B's call as long as less than 100 us lie between them, and count
 * only while neither B's own stream nor the default stream's rule would have held B anyway. If the trace has
 * no calls, B counts as queued since the start of the operation within 20 us of whose end it started; reasons
 * on the host are then not found. A host that is busy with other work gives no reason, nor does the first
 * operation of all: such time is not counted.
 */
#ifndef CORE_ANALYSIS_OVERLAP_OVERLAP_H
#define CORE_ANALYSIS_OVERLAP_OVERLAP_H

#include "core/session/session.h"

#define SERIAL_REASON_LIST(X)                                                                     \
    X(SAME_STREAM, same_stream, "same stream")                                                    \
    X(DEFAULT_STREAM, default_stream, "the legacy default stream waits for all others")           \
    X(ONE_ENGINE, one_engine, "one copy engine per direction")                                    \
    X(PAGEABLE, pageable, "pageable memory: the copy waits for the host")                         \
    X(IMPLICIT_SYNC, implicit_sync, "an allocation or another call that synchronises implicitly") \
    X(EXPLICIT_SYNC, explicit_sync, "the host waited")                                            \
    X(RESOURCES, resources, "the device was full")                                                \
    X(EVENT_WAIT, event_wait, "an event of another stream")
#define SERIAL_ENUM(name, id, text) SERIAL_##name,
enum serial_reason { SERIAL_REASON_LIST(SERIAL_ENUM) SERIAL_COUNT };
#undef SERIAL_ENUM

/* An operation that waited, and its part of the serialised time of one reason. If two operations waited at
 * the same time, this time counts fully for both. */
struct overlap_wait {
    struct event_ref event;
    int64_t serialised_ns, start_ns; /* start_ns: of the wait */
    uint8_t reason;                  /* enum serial_reason */
};
#define OVERLAP_WAITS_MAX 24

struct overlap {
    int64_t span_ns;                     /* first start to last end of device work in the range */
    int64_t kernel_busy_ns;              /* union of all kernels */
    int64_t copy_busy_ns;                /* union of all copies and sets */
    int64_t copy_hidden_ns;              /* part of copy_busy_ns during which kernels ran */
    int64_t any_busy_ns;                 /* union of everything */
    double mean_active_streams;          /* streams busy, over any_busy_ns */
    int64_t serialised_ns[SERIAL_COUNT]; /* as told above; devices added up */
    uint64_t operations;
    uint64_t waited[SERIAL_COUNT]; /* operations that waited for this reason in serialised time */
    struct overlap_wait waits[OVERLAP_WAITS_MAX]; /* the longest, longest first */
    uint32_t wait_count;
    /* A lower bound of the time that the work would take if everything that can overlap did, in any order:
     * the time that the busiest engine needs. Copies of one kind run one after the other. Kernels share a
     * device by the block slots that they occupy; a kernel whose slots are not known has the device alone.
     * Kernels together never need longer than they took, nor less than the longest of them. */
    int64_t least_ns;
    uint8_t least_engine; /* see overlap_engine_text */
};

/* Over one run (NONE: everything on the wall clock, or on the model's clock if there is no other), clipped to
 * [start_ns, end_ns). core/session/session_walk.h decides which work belongs to a run. STATUS_STATE: some of
 * it was evicted from memory, or the computation would take more memory than is free; STATUS_MEMORY: an
 * allocation failed. */
enum status overlap_compute(const struct session *session, uint32_t run, int64_t start_ns, int64_t end_ns,
                            struct overlap *overlap, struct error *error);
/* The same from the device work alone, in a fraction of the time: no waits, and of serialised_ns only DEFAULT_STREAM,
 * before which no other reason holds. What rules on runs read (core/advice/advice_busy.c). */
enum status overlap_sums(const struct session *session, uint32_t run, int64_t start_ns, int64_t end_ns,
                         struct overlap *overlap, struct error *error);
/* overlap_compute in steps, over the events that exist at the begin: each step handles a limited number of events
 * and operations, and *overlap is set when the job is done. After a failure only the end function may be
 * called. Readers must hold the session during a step, not between steps. */
struct overlap_job;
enum status overlap_begin(struct overlap_job **job, const struct session *session, uint32_t run,
                          int64_t start_ns, int64_t end_ns, struct error *error);
enum status overlap_step(struct overlap_job *job, size_t most, struct overlap *overlap, bool *done,
                         struct error *error);
double overlap_progress(const struct overlap_job *job); /* 0...1 */
void overlap_end(struct overlap_job *job);              /* at any time; NULL: nothing */
const char *overlap_engine_text(uint8_t engine);        /* "kernels", "sets", "copies to the device" */
const char *serial_reason_text(enum serial_reason reason);
const char *serial_reason_id(enum serial_reason reason); /* "same_stream" */

#endif
