/*
 * One lane of a track: events in order that never overlap, as columns, with sums over them. Inside core only.
 *
 * An event takes 44 bytes (start 8, duration 4, item 32; a duration of 4.29 s and more goes to a side table)
 * and its share of the nodes over it: a node sums up LANE_FANOUT events, or LANE_FANOUT nodes of the level
 * below: 1.6 bytes an event over all levels. Chunks start small, so that a thread that made three calls costs
 * little, and stop growing at LANE_CHUNK_EVENTS, so that 40 lanes waste little at their ends. A long lane
 * also has an index by time, of 0.5 to 1 byte an event (core/lane_times.c).
 *
 * One writer appends; readers pass a count they have loaded with lane_count and see only what lies below it.
 */
#ifndef CORE_LANE_H
#define CORE_LANE_H

#include "core/session.h"
#include "core/table.h"

#define LANE_FANOUT 16u
#define LANE_LEVELS \
    6u /* level 0 lies in the chunks, the others in tables; a node of the last one sums up 16 M events */
#define LANE_FIRST_EVENTS 64u
#define LANE_CHUNK_EVENTS 8192u

struct lane_node {
    int64_t busy_ns;    /* covered from the lane's first event through its last one */
    int64_t longest_ns; /* of its events */
    uint64_t longest;   /* the first event that takes longest_ns */
};

struct lane_chunk {
    int64_t *start_ns; /* owns the allocation, the other columns follow in it */
    struct lane_node *nodes;
    struct item *items;
    uint32_t *durations_ns; /* UINT32_MAX: look in lane.longs */
};

struct lane_long { /* an event that took UINT32_MAX ns or more */
    uint64_t index;
    int64_t duration_ns;
};

struct lane_times;

struct lane {
    _Atomic uint64_t count;
    struct lane_times *_Atomic times;    /* NULL: the lane is short */
    int64_t last_end_ns;                 /* writer */
    int64_t busy_ns;                     /* writer */
    struct table chunks;                 /* struct lane_chunk */
    struct table longs;                  /* struct lane_long, ascending */
    struct table nodes[LANE_LEVELS - 1]; /* level 1... */
};

void lane_init(struct lane *lane);
void lane_fini(struct lane *lane);

/* Writer: start_ns must not lie before the last event's end, nor after end_ns. False when memory ran out:
 * nothing was added. */
bool lane_append(struct lane *lane, int64_t start_ns, int64_t end_ns, const struct item *item,
                 _Atomic size_t *memory_bytes);

static inline uint64_t lane_count(const struct lane *lane)
{
    return atomic_load_explicit(&lane->count, memory_order_acquire);
}

/* Of the event at index, below a count the caller has loaded. */
int64_t lane_start_ns(const struct lane *lane, uint64_t index);
int64_t lane_duration_ns(const struct lane *lane, uint64_t index);
const struct item *lane_item(const struct lane *lane, uint64_t index);

/* First event of [0, count) that starts at time_ns or later; count when there is none. O(1) where events are
 * about as dense as in the lane as a whole, O(log n) at most. */
uint64_t lane_find_start(const struct lane *lane, uint64_t count, int64_t time_ns);
/* The caller will soon look at the events about time_ns: memory that is far away is asked for at once. */
void lane_expect(const struct lane *lane, uint64_t count, int64_t time_ns);
/* Sum of the durations of the events [0, index). O(1). */
int64_t lane_busy_before_ns(const struct lane *lane, uint64_t index);
/* The longest event of [first, end), the first one of equals; UINT64_MAX when the range is empty. O(log n).
 */
uint64_t lane_longest(const struct lane *lane, uint64_t first, uint64_t end);

/* Inside the lane: the event at index, the next one, joins the index by time. False when memory ran out. */
bool lane_times_add(struct lane *lane, uint64_t index, int64_t start_ns, _Atomic size_t *memory_bytes);
void lane_fetch(const struct lane *lane, uint64_t index);
/* Ask memory for an event that will be looked at as a whole. */
void lane_fetch_event(const struct lane *lane, uint64_t index);
void lane_times_free(struct lane *lane);

#endif
