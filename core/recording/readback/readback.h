/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read-back: events that were evicted (session_set_memory_limit) are reloaded from the recording for the
 * range of time that is shown. They are put back into their chunks, so that readers of the session find them,
 * exact, by the usual functions. A separate thread reads; the range may be changed at any time.
 *
 * readback_look and readback_stop belong to one thread, that of the screen. Only this thread puts events back
 * and evicts them again, so that the data does not change while it draws. It never waits for the file.
 * Reloaded events take `most_bytes` at most; events outside the range are evicted to make room. Times: ns of
 * a clock.
 */
#ifndef CORE_RECORDING_READBACK_READBACK_H
#define CORE_RECORDING_READBACK_READBACK_H

#include "core/session/session.h"

struct readback;

/* The share of a memory limit for reloaded events: the rest is for the session itself. */
static inline size_t readback_share(size_t limit_bytes)
{
    return limit_bytes / 8 + (limit_bytes > (size_t)16 << 20 ? (size_t)4 << 20 : limit_bytes / 4);
}

/* The session must have its tables loaded, and stay until readback_stop; path: its recording, which may still
 * be being written. STATUS_MEMORY. */
enum status readback_start(struct readback **readback, struct session *session, const char *path,
                           size_t most_bytes, struct error *error);
/* Evicts all reloaded events. Waits for threads that hold the session; afterwards only its writer, and
 * threads that read events which were never evicted, may use the session. */
void readback_stop(struct readback *readback);

struct readback_range {
    enum clock_kind clock;
    int64_t start_ns, end_ns;
    const uint32_t *tracks; /* these first if there is not enough room; copied */
    size_t track_count;
};
#define READBACK_TRACKS_MOST 128u

#define READBACK_KIND_LIST(X)                                                          \
    X(WHOLE) /* no event of the range is folded, or all were reloaded */               \
    X(READING)                                                                         \
    X(PART)     /* some of it was not found in the recording */                        \
    X(MERGED)   /* of some of it too little is left to place the recording's events */ \
    X(TRACKS)   /* all of the named tracks is there, but maybe not all of others */    \
    X(TOO_MUCH) /* it needs more memory than is available */                           \
    X(FAILED)
#define READBACK_ENUM(name) READBACK_##name,
enum readback_kind { READBACK_KIND_LIST(READBACK_ENUM) };
#undef READBACK_ENUM

struct readback_state {
    enum readback_kind kind;
    uint64_t events;    /* TOO_MUCH: what would have to be read */
    uint64_t most;      /* TOO_MUCH: how much there is room for, roughly */
    struct error error; /* FAILED */
};

/* Called by the drawing thread before it draws, while it holds the session: adds the events that were read
 * meanwhile, and requests this range if part of it is folded. */
void readback_look(struct readback *readback, const struct readback_range *range);
/* The state of the range last given to readback_look. Same thread. */
void readback_state(const struct readback *readback, struct readback_state *state);
/* Grows when there is something new to look at. Any thread. */
uint64_t readback_changes(const struct readback *readback);
/* Waits until the current range is read, or cannot be: for a single picture, and for tests. Same thread; look
 * again afterwards. */
void readback_wait(struct readback *readback);

#endif
