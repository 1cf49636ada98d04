/*
 * Joins an API call and its launch, copy or set into one row: most rows are launches, and the call would
 * double each.
 *
 * Takes the events in recorder_order's order. A call that launched, copied or set something waits for that,
 * and the later events of its track wait behind it, so that the order within every track is kept. After 50 ms
 * of events the call is written alone. Work whose call is not the first waiting one is also written alone,
 * and then so is the call. The recorder's thread.
 */
#ifndef CORE_RECORDING_WRITER_RECORDER_JOIN_H
#define CORE_RECORDING_WRITER_RECORDER_JOIN_H

#include "core/recording/writer/recorder_order.h"

struct recorder_join;

struct joined_event {
    struct ordered_event event;
    bool has_call; /* of a launch, copy or set: */
    struct ordered_event
        call; /* came before; the row of its work lacks only its track, name, domain, context and stream */
};

struct recorder_join *recorder_join_create(const struct session *session,
                                           struct recorder_order *order); /* NULL: out of memory */
void recorder_join_destroy(struct recorder_join *join);
size_t recorder_join_bytes(const struct recorder_join *join); /* its memory */

enum join_result { JOIN_EVENT, JOIN_NOTHING, JOIN_NO_MEMORY };
/* The next event; nothing if all others wait or there are none. now_ns: of the session, by clock; used once
 * all events are taken. flush: none may wait any longer. last: the session has ended, too. */
enum join_result recorder_join_next(struct recorder_join *join, const int64_t now_ns[CLOCK_COUNT], bool flush,
                                    bool last, struct joined_event *joined);

/* The time up to which all events of a clock were given out: now_ns, or the end of the first call that waits.
 */
int64_t recorder_join_until_ns(const struct recorder_join *join, enum clock_kind clock, int64_t now_ns);

#endif
