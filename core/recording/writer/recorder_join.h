/*
 * Joins an API call and its launch, copy or set into one row: most rows are launches, and the call would
 * double each.
 *
 * Takes the events in the order of struct recorder_order. A call that launched, copied or set something waits
 * for that, and the later events of its track wait behind it, so that the order within every track is kept.
 * After 50 ms of events the call is written alone. Work whose call is not the first waiting one is also
 * written alone, and then so is the call. The recorder's thread.
 *
 * struct recorder_order: the order in which a session's events are recorded: by end, over all lanes, and such
 * that session_add_event, given the events in this order, lays every one in the lane it lies in now. So a
 * recording needs no lanes, and a replay is the same session.
 *
 * A lane's next event may go out when every lower lane of its track has already gone beyond its start (it
 * would be refused there); one that may not yet waits. A copy also lies in a lane of its engine's track,
 * under the same rule; both go out as one. Reads published counts only; the recorder's thread.
 */
#ifndef CORE_RECORDING_WRITER_RECORDER_JOIN_H
#define CORE_RECORDING_WRITER_RECORDER_JOIN_H

#include "core/session/session.h"

struct recorder_order;

struct ordered_event {
    uint32_t track, lane;
    uint64_t index;
    int64_t start_ns, end_ns;
    struct item item;
};

struct recorder_order *recorder_order_create(const struct session *session); /* NULL: out of memory */
void recorder_order_destroy(struct recorder_order *order);
size_t recorder_order_bytes(const struct recorder_order *order); /* its memory */

/* Reads what was published since the last refresh; false if memory ran out (nothing is lost: try again). */
bool recorder_order_refresh(struct recorder_order *order);

/* All events given out are in the recording: the session may evict them. */
void recorder_order_recorded(struct recorder_order *order);

/* Events published by the last refresh but not given out (copies counted once): 0 at the end. */
uint64_t recorder_order_waiting(const struct recorder_order *order);

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
