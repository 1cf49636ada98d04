/*
 * Events of many lanes in order of start: a heap of cursors, one a lane. Holds one event a lane, whatever the
 * number of events. Reader side, any thread; of a session with a memory limit the caller holds it.
 */
#ifndef CORE_SESSION_LANE_MERGE_H
#define CORE_SESSION_LANE_MERGE_H

#include "core/session/session_walk.h"

/* A lane and its next event. */
struct lane_cursor {
    struct event_ref ref;
    uint64_t count; /* events there were when it was opened */
    int64_t start_ns, end_ns;
    struct item item;
};
/* The event at the cursor; false: the lane has none, or none that starts before until_ns. */
bool lane_cursor_load(struct lane_cursor *cursor, const struct session *session, int64_t until_ns);

/* Zeros, but for session and until_ns, to begin with. */
struct lane_merge {
    const struct session *session;
    int64_t until_ns; /* events that start then or later are left out */
    struct lane_cursor *items;
    size_t count, capacity; /* count 0, once it has begun: all was passed */
};
/* Adds a lane from event `first` on. False: no memory. Nothing is added of a lane without such events. */
bool lane_merge_add(struct lane_merge *merge, uint32_t track, uint32_t lane, uint64_t first);
/* Adds the streams of a run, without the events that ended before from_ns. False: no memory. */
bool lane_merge_add_streams(struct lane_merge *merge, const struct run_scope *scope, int64_t from_ns);
/* After the last lane: items[0] is the event that starts first, of equals the one that ends first. */
void lane_merge_begin(struct lane_merge *merge);
/* To the next event. */
void lane_merge_next(struct lane_merge *merge);
void lane_merge_fini(struct lane_merge *merge);

#endif
