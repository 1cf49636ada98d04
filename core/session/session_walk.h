/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one way over a session's events that asks whose they are, and that knows which were evicted from
 * memory (session_set_memory_limit): those are stand-ins without sizes, whose sums would be wrong, so they
 * are not visited; the result says so. Reader side, any thread; of a session with a limit the caller
 * holds it.
 *
 * An event belongs to a run if it lies on a track of the run's process and clock, and
 * - a launch whose kernel is known: if the kernel row is the run's, whenever it ran: the GPU's clock and the
 *   host's may be apart, and the row is what the producer said;
 * - anything else: if it starts in [start_ns, end_ns) of the run; of a run that has not ended, from start_ns
 *   on. The end is excluded, since intake ends a run at the ns at which its process begins the next: what
 *   starts then is the next one's, and sums over runs count it once.
 * All of a run's events start in [from_ns, until_ns), which is its time widened to its first and last launch
 * and no further: the walks over all runs of a session pass each event about once.
 *
 * Not for walks that must stop and resume (core/analysis/overlap/overlap_collect.c, by run_scope;
 * tui/views/view_range.c) or that look for one event (tui/timeline/timeline_jump.c): those look at
 * ITEM_FOLDED themselves.
 */
#ifndef CORE_SESSION_SESSION_WALK_H
#define CORE_SESSION_SESSION_WALK_H

#include "core/session/session.h"

/* Whose events. */
struct run_scope {
    const struct session *session;
    const struct run_row *row; /* NULL: everything */
    uint32_t run;              /* NONE likewise */
    int64_t start_ns, end_ns;  /* of what is the run's by its time */
    int64_t from_ns, until_ns; /* of everything that is the run's */
};
/* The scope of a run as it is now. run NONE, or not in the session: everything. */
struct run_scope run_scope_of(const struct session *session, uint32_t run);
/* The run's clock; for everything the wall clock, unless the session has only the model's. */
uint8_t run_scope_clock(const struct run_scope *scope);
bool run_scope_has_track(const struct run_scope *scope, const struct track_row *track);
/* Of an event of such a track. */
bool run_scope_has_event(const struct run_scope *scope, const struct item *item, int64_t start_ns);
/* The first event of a lane that can belong to the run; if it was evicted, the first of its evicted group. */
uint64_t run_scope_first(const struct run_scope *scope, uint32_t track, uint32_t lane);

struct walk_event {
    struct event_ref ref;
    const struct track_row *track;
    int64_t start_ns, end_ns;
    struct item item;
};
/* False: no further. */
typedef bool walk_visitor(void *context, const struct walk_event *event);

struct walk {
    uint32_t run;    /* NONE: everything */
    unsigned tracks; /* kinds: WALK_TRACK(STREAM) | ... */
    unsigned items;  /* kinds: WALK_ITEM(COPY) | ...; 0: all */
};
#define WALK_TRACK(kind) (1u << TRACK_##kind)
#define WALK_ITEM(kind) (1u << ITEM_##kind)

/* Visits track by track, lane by lane, each lane in order of time, the events that exist when the walk comes
 * to the lane. True: all events of the scope are in memory; false: some, of any kind, may have been evicted,
 * so the visit is incomplete. */
bool session_walk(const struct session *session, const struct walk *walk, walk_visitor *visit, void *context);
/* How many events of these tracks the walk would visit, including other runs and kinds. Costs nothing per
 * event. */
uint64_t session_walk_events(const struct session *session, const struct walk *walk);

/*
 * Events of many lanes in order of start: a heap of cursors, one a lane. Holds one event a lane, whatever the
 * number of events. Reader side, any thread; of a session with a memory limit the caller holds it.
 */

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
