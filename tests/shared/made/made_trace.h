/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces made by hand for the tests of overlap: device work, calls, and what was worked out by hand of them.
 * Times in us.
 */
#ifndef TESTS_SHARED_MADE_MADE_TRACE_H
#define TESTS_SHARED_MADE_MADE_TRACE_H

#include "core/analysis/overlap/overlap.h"

#define UNKNOWN (-1)                    /* the call is not in the trace */
#define EVERYTHING INT64_MIN, INT64_MAX /* the range */

enum work {
    KERNEL,
    LARGE_KERNEL,
    TO_DEVICE,
    TO_HOST,
    SET
}; /* a large kernel has more blocks than the device has places */
enum how { ASYNC, PAGEABLE_ASYNC, SYNCHRONOUS };

struct operation {
    uint32_t stream;
    enum work work;
    int64_t start, end, call_start, call_end;
    enum how how;
    uint32_t device;
    uint32_t graph; /* of which it is a node; 0: none */
};

struct call {
    enum call_category category;
    int64_t start, end;
    uint32_t thread;
    uint32_t told; /* the call tells this stream to wait for an event; 0: it does not */
};

struct trace {
    const char *name;
    uint8_t stream_flags[4]; /* by stream; stream 0 is the legacy default stream where it is marked */
    uint32_t issuer[4];      /* thread that issues a stream's work */
    struct operation operations[16];
    struct call calls[8];
    int64_t kernel_busy, copy_busy, copy_hidden;
    int64_t serialised[SERIAL_COUNT];
};

#define DEFAULT_0 .stream_flags = {STREAM_DEFAULT}
#define ALL_FREE \
    .stream_flags = {STREAM_DEFAULT, STREAM_NON_BLOCKING, STREAM_NON_BLOCKING, STREAM_NON_BLOCKING}

extern const struct trace traces[];
extern const size_t trace_count;

const struct trace *trace_find(const char *name); /* fails the test when there is none */
/* An empty run and, of the trace, all operations and calls. names: given to the run's workload, variant and
 * program and to the kernels; NULL: they have none. */
struct session *trace_session(const struct trace *trace, const char *names);
void trace_add(struct session *session, const struct trace *trace, const struct operation *operation,
               uint32_t run);

#endif
