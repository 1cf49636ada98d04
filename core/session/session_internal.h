/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of struct session, for the files that implement it: session*.c, samples*.c, lod.c and
 * core/recording/readback.
 */
#ifndef CORE_SESSION_SESSION_INTERNAL_H
#define CORE_SESSION_SESSION_INTERNAL_H

#include "core/base/lookup.h"
#include "core/base/table.h"
#include "core/session/lane.h"
#include "core/session/session.h"

/* ---- tracks ---- */

/*
 * A track and its lanes: which lane takes an event. Inside core only.
 *
 * The row comes first, so that a table of tracks is a table of track rows to readers. The writer finds the
 * first lane whose last event has ended in a tree of minima over the lanes' ends, so that an event costs
 * O(log lanes).
 */

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

/* ---- the session ---- */

struct string_row {
    const char *text; /* terminated, lies in the arena */
    uint32_t size_bytes;
    bool code; /* text only of a source or an instruction */
};

/* The memory for the texts of strings: blocks never move, the newest has room. */
struct string_block {
    struct string_block *next;
    size_t used, size_bytes;
    char text[];
};

/* The threads that hold the session (epoch-based reclamation): each slot has the epoch in which its hold
 * began. An eviction ends the current epoch; holds that begin later cannot reach the evicted memory. */
struct session_holds {
    _Atomic uint64_t epoch;                     /* from 1 */
    _Atomic uint64_t since[SESSION_HOLDS_MOST]; /* 0: free */
};

struct retired { /* evicted memory that readers may still use, in the order of epochs */
    struct retired *next;
    void *memory;
    size_t bytes;
    uint64_t epoch;
    void (*release)(struct retired *retired); /* if this is a header; NULL: a lane's chunk */
};

#define SAMPLES_FOLDS 5u /* how often samples can be folded: core/session/samples_internal.h */

struct session_limit {
    size_t bytes;           /* SIZE_MAX: none */
    size_t asked_bytes;     /* by session_set_memory_limit */
    size_t uncounted_bytes; /* measured: what the process holds beside; bytes is what was asked less this */
    bool measured;
    size_t fold_at; /* eviction begins at this many bytes in use */
    bool recorded;
    bool lags; /* at the last look the recording was behind */
    struct retired *first, **last;
    size_t retired_bytes;
    size_t sample_bytes[SAMPLES_FOLDS + 1]; /* full chunks folded 0, 1, 2, ... times */
};

/* A snapshot that readers copy while the writer replaces it: an odd version means that it is being replaced.
 */
#define OPEN_LAUNCH_WORDS (sizeof(struct open_launch) / sizeof(uint64_t))
_Static_assert(sizeof(struct open_launch) % sizeof(uint64_t) == 0, "a launch is copied in words");
#define OPEN_BLOCK 32u
_Static_assert(SESSION_OPEN_LAUNCHES_MAX % OPEN_BLOCK == 0, "blocks are whole");
struct open_block {
    _Atomic uint64_t words[OPEN_BLOCK][OPEN_LAUNCH_WORDS];
};
struct open_launches {
    _Atomic uint32_t version;
    _Atomic uint32_t count;
    struct open_block *_Atomic blocks[SESSION_OPEN_LAUNCHES_MAX / OPEN_BLOCK]; /* made when first needed */
    struct open_launch *rows;                                                  /* writer */
    uint32_t row_count, row_room;                                              /* writer */
};

struct session {
    int64_t start_ns;
    uint32_t origin, counting; /* strings */
    bool anonymous;            /* writer */
    uint64_t salt;             /* of the names in the place of others, when it is anonymous */
    uint64_t seed;
    _Atomic size_t memory_bytes;
    _Atomic size_t beside_bytes; /* the part of these that session_count_memory added */
    _Atomic size_t
        refilled_bytes;   /* of reloaded events (core/recording/readback/readback.h), in addition to these */
    struct table strings; /* struct string_row; row 0 is the empty string */
#define SESSION_TABLE_FIELD(noun) struct table noun##_rows;
    SESSION_TABLE_LIST(SESSION_TABLE_FIELD)
#undef SESSION_TABLE_FIELD
    struct table samplings;                                                        /* struct sampling */
    struct lookup string_lookup, shape_lookup, kernel_lookup, track_lookup;        /* writer */
    struct lookup function_lookup, instruction_lookup, stall_lookup, tally_lookup; /* writer */
    struct lookup stack_lookup, launch_site_lookup, group_lookup;                  /* writer */
    uint64_t source_bytes;                                                         /* writer */
    struct string_block *string_blocks;                                            /* writer */
    uint64_t text_bytes;                                                           /* writer: of all blocks */
    bool sums_given; /* writer: session_set_kernel_sums sets the kernels' sums */
    struct open_launches open;
    struct session_limit limit; /* writer */
    struct lane_pool pool;      /* writer */
    struct session_holds *holds;
    _Atomic int64_t now_ns[CLOCK_COUNT], first_ns[CLOCK_COUNT], folded_until_ns[CLOCK_COUNT],
        samples_folded_until_ns[CLOCK_COUNT];
    _Atomic bool recording_ended;
    _Atomic uint64_t events, launches, late, refused, no_memory, dropped, told;
    _Atomic uint64_t samples_cut, samples_late, samples_refused;
};

/* Events or samples of [start_ns, end_ns) exist on the clock. Writer. */
void session_see(struct session *session, enum clock_kind clock, int64_t start_ns, int64_t end_ns);

/* The epoch in which the oldest hold began; UINT64_MAX: there is none. Memory evicted in an earlier epoch can
 * be freed. */
uint64_t session_oldest_hold(const struct session *session);
/* Writer: evicts the oldest events and samples if more than limit.fold_at is in use. */
void session_fold_when_full(struct session *session);
/* Writer: memory that current readers may use, but no new reader finds. */
void session_retire(struct session *session, struct retired *retired);
/* Writer: frees the memory that no reader can use any more. */
void session_free_retired(struct session *session);
bool session_holds_init(struct session *session); /* false: no memory */
void session_holds_fini(struct session *session); /* frees what was retired, too */
void session_limit_init(struct session *session);

/* The lane, or NULL when there is none. */
const struct lane *session_lane(const struct session *session, uint32_t track, uint32_t lane);

/* lookup_reserve; what it allocates is added to the session's memory. */
bool session_reserve(struct session *session, struct lookup *lookup);
/* A row to be filled in and published; NULL (counted) if memory ran out. */
void *session_row_next(struct session *session, struct table *table);
/* Publishes a copy of the row; NONE (counted) if memory ran out. */
uint32_t session_row_add(struct session *session, struct table *table, const void *row);

/* Adds one to a counter that only the writer changes. */
static inline void counter_add(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

#endif
