/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reloads evicted events from the recording, in the order in which they were recorded: finds the evicted
 * (folded) chunks of lanes in a range of time, and the chunk that each event belongs to.
 *
 * A recording has no lanes: a session that gets its events in order assigns them to the same lanes again.
 * Here reading begins in the middle of that order, so a lane is identified only from an event on that begins
 * one of its blocks (the start of each block is kept), or that is still in the lane because it was never
 * evicted; events offered to a lane before that are discarded. A chunk counts as reloaded when it agrees with
 * all sums kept of it (core/session/lane.h), so an event in a wrong place is never shown: its chunk
 * stays missing, and another attempt begins earlier.
 *
 * One thread, which holds the session in refill_plan and around refill_take. Times: ns of one clock.
 */
#ifndef CORE_RECORDING_READER_REFILL_H
#define CORE_RECORDING_READER_REFILL_H

#include "core/session/session.h"

struct refill;
struct lane;
struct lane_block;

struct refill_want {
    enum clock_kind clock;
    int64_t start_ns, end_ns;
    uint32_t kinds;         /* of tracks: bits of enum track_kind */
    const uint32_t *tracks; /* only these; NULL: all of the kinds */
    size_t track_count;
};

/* Kinds of tracks whose events are in tables of their own. Each table is best read separately: a chunk of few
 * events may span a long time. */
#define REFILL_GROUP_COUNT 5u
extern const uint32_t refill_groups[REFILL_GROUP_COUNT];
#define REFILL_ALL_KINDS ((1u << TRACK_KIND_COUNT) - 1)

struct refill_extent {
    uint64_t chunks;          /* to be taken */
    uint64_t events;          /* in these */
    uint64_t merged;          /* chunks of the range that cannot be: too little is known of them */
    size_t bytes;             /* of these */
    size_t all_bytes;         /* with those of the range that are already refilled */
    int64_t start_ns, end_ns; /* the events to offer end after start_ns, and most of them by end_ns */
};

/* NULL: out of memory. */
struct refill *refill_plan(const struct session *session, const struct refill_want *want,
                           struct refill_extent *extent);
void refill_destroy(struct refill *refill); /* frees also the chunks that were not taken */

/* Offers an event, in the order of the recording. False: memory ran out. */
bool refill_take(struct refill *refill, uint32_t track, int64_t start_ns, int64_t end_ns,
                 const struct item *item);
uint64_t refill_missing(const struct refill *refill); /* chunks not taken yet */
/* Number of events on its clock that were offered since the last one that ended within the extent. */
uint64_t refill_rows_after(const struct refill *refill);
/* Starts another try: all events are offered again, from an earlier one on. Chunks that are complete stay. */
void refill_again(struct refill *refill);

struct refill_chunk {
    struct lane *lane;
    uint32_t chunk;
    struct lane_block *blocks; /* memory to be freed */
};
/* The next complete chunk, which the caller then owns; false: there are no more. */
bool refill_next(struct refill *refill, struct refill_chunk *chunk);

/* ---- reading a range ---- */

/*
 * Reads evicted events of a range of time from the recording that a session was loaded from, or is recorded
 * to. The recording is open only while it is read, so that its writer can close it. One thread at a time,
 * any; other threads may read the session, and its writer may write it.
 */

struct range_reader;

/* NULL: out of memory. The session must stay until range_reader_destroy. */
struct range_reader *range_reader_create(const struct session *session, const char *path);
void range_reader_destroy(struct range_reader *reader);

/* Open or close the recording. STATUS_STATE: it is locked, or has been replaced. */
enum status range_reader_open(struct range_reader *reader, struct error *error);
void range_reader_close(struct range_reader *reader);

/* While it is open: offers recorded events to the plan of `want` until the plan has all of them. Chunks may
 * be missing although the status is OK: their events were deleted, never recorded, or lie too far apart in
 * the recording. *stop, set by any thread, ends the read soon. */
enum status range_reader_read(struct range_reader *reader, struct refill *refill,
                              const struct refill_want *want, const struct refill_extent *extent,
                              const _Atomic bool *stop, struct error *error);

#endif
