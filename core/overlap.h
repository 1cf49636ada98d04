/*
 * Concurrency of streams and engines over a time range: union, intersection, serialised share, and why; from events alone.
 * Reader side, any thread. Walks the events of the range once.
 */
#ifndef CORE_OVERLAP_H
#define CORE_OVERLAP_H

#include "core/session.h"

#define SERIAL_REASON_LIST(X)                                                                     \
    X(SAME_STREAM, "same stream")                                                                 \
    X(DEFAULT_STREAM, "the legacy default stream waits for all others")                           \
    X(ONE_ENGINE, "one copy engine per direction")                                                \
    X(PAGEABLE, "pageable memory: the copy waits for the host")                                   \
    X(IMPLICIT_SYNC, "an allocation or another call that synchronises implicitly")                \
    X(EXPLICIT_SYNC, "the host waited")                                                           \
    X(RESOURCES, "the device was full")
#define SERIAL_ENUM(name, text) SERIAL_##name,
enum serial_reason { SERIAL_REASON_LIST(SERIAL_ENUM) SERIAL_COUNT };
#undef SERIAL_ENUM

struct overlap {
    int64_t span_ns;        /* first start to last end of device work in the range */
    int64_t kernel_busy_ns; /* union of all kernels */
    int64_t copy_busy_ns;   /* union of all copies and sets */
    int64_t copy_hidden_ns; /* of copy_busy_ns, the part under kernels */
    int64_t any_busy_ns;    /* union of everything */
    double mean_active_streams; /* over any_busy_ns */
    int64_t serialised_ns[SERIAL_COUNT]; /* time one operation waited though another stream or engine was free, by reason */
    uint64_t operations;
};

/* Over one run (NONE: all), clipped to [start_ns, end_ns). */
enum status overlap_compute(const struct session *session, uint32_t run, int64_t start_ns, int64_t end_ns, struct overlap *overlap,
                            struct error *error);
const char *serial_reason_text(enum serial_reason reason);
const char *serial_reason_id(enum serial_reason reason); /* "same_stream" */

#endif
