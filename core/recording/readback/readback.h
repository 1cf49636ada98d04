/*
 * Read-back: events that have left memory (session_set_memory_limit) come back from the recording for the
 * range of time that is looked at, and are then where they were: whoever reads the session finds them, exact,
 * with no other way to ask. A thread of its own reads; the range may be changed at any time.
 *
 * readback_look and readback_stop belong to one thread, the screen's, which is the one that puts events back
 * and lets them go: what it draws does not change while it draws. It never waits for the file. Events that
 * came back take `most_bytes` at most, and let go of what lies elsewhere. Times: ns of a clock.
 */
#ifndef CORE_RECORDING_READBACK_READBACK_H
#define CORE_RECORDING_READBACK_READBACK_H

#include "core/session/session.h"

struct readback;

/* Of a memory limit, what should be for events that come back: the rest is the session's own. */
static inline size_t readback_share(size_t limit_bytes)
{
    return limit_bytes / 8 + (limit_bytes > (size_t)16 << 20 ? (size_t)4 << 20 : limit_bytes / 4);
}

/* The session must have been given its tables, and stay until readback_stop; path: its recording, be it
 * written still. STATUS_MEMORY. */
enum status readback_start(struct readback **readback, struct session *session, const char *path,
                           size_t most_bytes, struct error *error);
/* All that came back has left again. Waits for who holds the session; no other thread may enter it any more
 * but its writer and those that read what never left. */
void readback_stop(struct readback *readback);

struct readback_range {
    enum clock_kind clock;
    int64_t start_ns, end_ns;
    const uint32_t *tracks; /* these first, where there is no room for all; copied */
    size_t track_count;
};
#define READBACK_TRACKS_MOST 128u

#define READBACK_KIND_LIST(X)                                                \
    X(WHOLE) /* nothing of the range is folded, or nothing is any more */    \
    X(READING)                                                               \
    X(PART)     /* some of it could not be found in the recording */         \
    X(TRACKS)   /* of the tracks that were named all, of others maybe not */ \
    X(TOO_MUCH) /* it would take more memory than there is for it */         \
    X(FAILED)
#define READBACK_ENUM(name) READBACK_##name,
enum readback_kind { READBACK_KIND_LIST(READBACK_ENUM) };
#undef READBACK_ENUM

struct readback_state {
    enum readback_kind kind;
    uint64_t events;    /* TOO_MUCH: that would have to be read */
    uint64_t most;      /* TOO_MUCH: that there is room for, about */
    struct error error; /* FAILED */
};

/* The thread that draws, before it does, holding the session: what has been read is put back, and this range
 * is read next if something of it is folded. */
void readback_look(struct readback *readback, const struct readback_range *range);
/* Of the range that was looked at last. The same thread. */
void readback_state(const struct readback *readback, struct readback_state *state);
/* Grows when there is something to look at anew. Any thread. */
uint64_t readback_changes(const struct readback *readback);
/* Wait until what is looked at is read, or cannot be: for what draws one picture, and for tests. The same
 * thread; looks again afterwards. */
void readback_wait(struct readback *readback);

#endif
