/*
 * The order in which a session's events are recorded: by end, over all lanes, and such that
 * session_add_event, given the events in this order, lays every one in the lane it lies in now. So a
 * recording needs no lanes, and a replay is the same session.
 *
 * A lane's next event may go out when every lower lane of its track has already gone beyond its start (it
 * would be refused there); one that may not yet waits. A copy also lies in a lane of its engine's track,
 * under the same rule; both go out as one. Reads published counts only; the recorder's thread.
 */
#ifndef CORE_RECORDING_WRITER_RECORDER_ORDER_H
#define CORE_RECORDING_WRITER_RECORDER_ORDER_H

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

/* The next event, or false if there is none now. An event that waited for others during two refreshes is
 * given out nevertheless. last: the session has ended, so do not wait for events that are not there. */
bool recorder_order_next(struct recorder_order *order, bool last, struct ordered_event *event);

/* All events given out are in the recording: the session may evict them. */
void recorder_order_recorded(struct recorder_order *order);

/* Events published by the last refresh but not given out (copies counted once): 0 at the end. */
uint64_t recorder_order_waiting(const struct recorder_order *order);

#endif
