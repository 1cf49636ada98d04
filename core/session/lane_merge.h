/* SPDX-License-Identifier: Apache-2.0 */
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
    uint64_t count; /* number of events when it was opened */
    int64_t start_ns, end_ns;
    struct item item;
};
/* Reads the event at the cursor; false: the lane has none, or none that starts before until_ns. */
bool lane_cursor_load(struct lane_cursor *cursor, const struct session *session, int64_t until_ns);

/* To begin with, set session and until_ns, and all else to zero. */
struct lane_merge {
    const struct session *session;
    int64_t until_ns; /* events that start at this time or later are left out */
    struct lane_cursor *items;
    size_t count, capacity; /* 0 after the merge has begun: all events were passed */
};
/* Adds a lane from event `first` on. False: no memory. A lane without such events is not added. */
bool lane_merge_add(struct lane_merge *merge, uint32_t track, uint32_t lane, uint64_t first);
/* Call it after the last lane was added: items[0] is then the event that starts first, of equal ones the one
 * that ends first. */
bool lane_merge_add_streams(struct lane_merge *merge, const struct run_scope *scope, int64_t from_ns);
/* After the last lane: items[0] is the event that starts first, of equals the one that ends first. */
void lane_merge_begin(struct lane_merge *merge);
/* To the next event. */
void lane_merge_next(struct lane_merge *merge);
void lane_merge_fini(struct lane_merge *merge);

#endif
