/*
 * A track and its lanes: which lane takes an event. Inside core only.
 *
 * The row comes first, so that a table of tracks is a table of track rows to readers. The writer finds the
 * first lane whose last event has ended in a tree of minima over the lanes' ends, so that an event costs
 * O(log lanes).
 */
#ifndef CORE_SESSION_TRACK_H
#define CORE_SESSION_TRACK_H

#include "core/session/lane.h"

struct track {
    struct track_row row;
    struct table lanes;     /* struct lane */
    struct lane_pool *pool; /* their chunks' */
    /* writer */
    int64_t last_end_ns;
    int64_t *ends_ns; /* tree: node n is the minimum of 2n and 2n+1; leaves from tree_lanes on; a missing
                         lane: INT64_MIN */
    uint32_t tree_lanes;
    uint32_t engines[COPY_KIND_COUNT]; /* the copy engines' tracks; NONE until needed */
};

void track_init(struct track *track, const struct track_row *row, struct lane_pool *pool);
void track_fini(struct track *track);

enum track_result { TRACK_ADDED, TRACK_ADDED_LATE, TRACK_TOO_MANY_LANES, TRACK_NO_MEMORY };

/* Adds the event to the first lane from first_lane on that takes it. */
enum track_result track_add(struct track *track, int64_t start_ns, int64_t end_ns, const struct item *item,
                            uint32_t first_lane, _Atomic size_t *memory_bytes);

#endif
