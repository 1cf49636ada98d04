/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One lane of a track: events in order that never overlap, in blocks, with sums over them. Inside core only.
 *
 * A block is LANE_BLOCK events. An event takes 41 bytes: start and duration 4 each, its item 32, and a
 * sixteenth of the block's head. What is too long for 4 bytes goes to a side table. Over the blocks lie
 * nodes with the longest duration of 16 blocks, of 16 of these and so on: 0.3 bytes an event. Blocks lie in
 * chunks that grow with the lane from one block on, by an eighth to a quarter of it, up to
 * LANE_CHUNK_BLOCKS: a thread that made three calls costs little, and 40 lanes waste little at their ends. A
 * long lane also has an index by time, of 0.25 to 0.5 byte an event in memory (core/session/lane_fold.c).
 *
 * Nothing but the chunks' pointers and the upper nodes, 0.005 byte an event, grows with a lane whose events
 * leave memory: the lower nodes of a full-sized chunk lie in it and go with it, and what is left of evicted
 * chunks is merged two by two, the oldest first, so that it grows with the logarithm of the events.
 *
 * One writer appends; readers pass a count they have loaded with lane_count and see only what lies below it.
 */
#ifndef CORE_SESSION_LANE_H
#define CORE_SESSION_LANE_H

#include "core/base/table.h"
#include "core/session/session.h"

#include <stdbool.h>
#include <stddef.h>

#define LANE_BLOCK SESSION_FOLD_EVENTS
#define LANE_LEVELS 5u /* level 0: one block; a node of the last level covers more than 1 M events */
#define LANE_CHUNK_BLOCKS 128u
#define LANE_MERGES 21u /* levels of merging; a lane has fewer than UINT32_MAX events */

struct lane_block {
    int64_t start_ns;                  /* of its first event */
    int64_t busy_ns;                   /* covered by all earlier events of the lane */
    uint32_t starts_ns[LANE_BLOCK];    /* since start_ns */
    uint32_t durations_ns[LANE_BLOCK]; /* both: UINT32_MAX: look in longs */
};

/* A chunk whose events were evicted keeps for each block its start, the busy time before it, and the duration
 * of its longest event: 2 bytes per event. Its events are then shown evenly spread over the block's time,
 * not overlapping, with the same sum. Folded again, two chunks of which as much is left have a unit for two
 * blocks, and so on; at the boundaries of units counts and busy time stay exact. */
struct lane_fold {
    int64_t start_ns, busy_ns;
    uint32_t name; /* of the longest event: kernel, string or measurement, depending on the kind */
    uint8_t kind, flags, a, b;
    uint32_t longest_ns;
};

#define LANE_FOLD_NONE 255u
struct lane_folds { /* one allocation */
    /* The events while they are loaded again (lane_refill_lay); NULL: they are not; LANE_MERGED:
     * they cannot be. */
    struct lane_block *_Atomic refilled;
    uint32_t first_block, count; /* count: units */
    uint32_t shift;              /* a unit is 1 << shift blocks */
    /* Blocks too long for shares of 4 bytes are kept whole: their place, by block. */
    const uint8_t *kept; /* LANE_FOLD_NONE: not */
    const struct lane_block *blocks;
    struct lane_fold folds[];
};
extern struct lane_block lane_merged[1];
#define LANE_MERGED lane_merged

struct lane_chunk {
    /* Of struct lane_block, whose items follow in the same allocation; with LANE_CHUNK_FOLDED added: of
     * struct lane_folds. */
    _Atomic uintptr_t memory;
};
#define LANE_CHUNK_FOLDED 1u

struct lane_long { /* an event with a start or duration that does not fit into a block */
    uint64_t index;
    int64_t start_ns, duration_ns;
};

struct lane_times;

struct lane {
    _Atomic uint64_t count;
    struct lane_times *_Atomic times; /* NULL: the lane is short */
    int64_t last_end_ns;              /* writer */
    int64_t busy_ns;                  /* writer */
    struct lane_pool *pool;           /* writer: memory for full-sized chunks; NULL: none */
    struct table chunks;              /* struct lane_chunk */
    uint32_t folded;                  /* writer: chunks 0...folded-1 are */
    /* Writer: of the full-sized ones, how many runs of 1 << level chunks are merged, the oldest first; [0]:
     * those that are not. */
    uint32_t runs[LANE_MERGES];
    _Atomic uint64_t recorded; /* events that a recording has */
    /* Created when first needed, since a lane of few events needs none; NULL: no rows. */
    struct table
        *_Atomic longest_ns[LANE_LEVELS]; /* uint32_t; UINT32_MAX: the longest among `longs` in its range */
    struct table *_Atomic longs;          /* struct lane_long, ascending */
};

/* pool: gives and keeps full-sized chunks; NULL: none, every chunk is allocated by itself. */
void lane_init(struct lane *lane, struct lane_pool *pool);
void lane_fini(struct lane *lane);

/* Writer: start_ns must not be before the end of the last event, nor after end_ns. False if memory ran out:
 * nothing was added. */
bool lane_append(struct lane *lane, int64_t start_ns, int64_t end_ns, const struct item *item,
                 _Atomic size_t *memory_bytes);

static inline uint64_t lane_count(const struct lane *lane)
{
    return atomic_load_explicit(&lane->count, memory_order_acquire);
}

/* Writer: has the index by time a table that a newer one has replaced? */
bool lane_times_has_older(const struct lane *lane);
/* Writer: takes it out of the lane, and sets its size in `*bytes`; readers may still use it, so free it
 * later. */
void *lane_times_take_older(struct lane *lane, size_t *bytes);

/* Writer: the start and end of the next chunk to be folded; false: there is none, because it is the last one,
 * or not recorded yet. */
struct lane_span {
    int64_t start_ns, end_ns;
};
bool lane_foldable(const struct lane *lane, bool recorded, struct lane_span *span);
/* Writer: folds this chunk. Returns the memory of its events and its size in `*bytes`; readers may still use
 * it, so call lane_chunk_free later. NULL: no memory for the sums, nothing was done. */
void *lane_fold(struct lane *lane, size_t *bytes, _Atomic size_t *memory_bytes);
/* Writer: merges the oldest two runs of a level, if there are more than `keep`. Sets the two parts that it
 * replaces, each of *bytes, which readers may still use: free them later. False: there are not, one is
 * refilled, or no memory: nothing was done. */
bool lane_merge_runs(struct lane *lane, uint32_t level, uint32_t keep, void *replaced[2], size_t *bytes,
                     _Atomic size_t *memory_bytes);
/* Bytes of a folded full-sized chunk, or of a run of them, without blocks that are kept whole. */
size_t lane_folds_bytes(void);
/* The first event after this one that is not in the same evicted chunk or run; the index itself if its events
 * are in memory. */
uint64_t lane_folded_end(const struct lane *lane, uint64_t index);

/* The event at index, which must be below a count that the caller has loaded. */
int64_t lane_start_ns(const struct lane *lane, uint64_t index);
int64_t lane_duration_ns(const struct lane *lane, uint64_t index);
struct item lane_item(const struct lane *lane, uint64_t index);
void lane_event(const struct lane *lane, uint64_t index, int64_t *start_ns, int64_t *end_ns,
                struct item *item);

/* The first event of [0, count) that starts at time_ns or later; count if there is none. O(1) where the
 * density of events is about the lane's average, O(log n) at most. */
uint64_t lane_find_start(const struct lane *lane, uint64_t count, int64_t time_ns);

/* What lies before a time. */
struct lane_edge {
    uint64_t started; /* events that start before it */
    int64_t busy_ns;  /* covered before it */
    bool inside;      /* the last event started continues after it */
};
struct lane_edge lane_edge_at(const struct lane *lane, uint64_t count, int64_t time_ns);

/* A search for the longest event of a range, in steps, so that the memory of many searches can be prefetched
 * together: the event is at index if level is 0, else below the node that begins at index. */
struct lane_longest {
    uint64_t index; /* UINT64_MAX: the range is empty */
    int64_t duration_ns;
    uint32_t level;
};
struct lane_longest lane_longest_begin(const struct lane *lane, uint64_t first, uint64_t end);
/* Descends one level, and prefetches the memory of the next step. */
void lane_longest_step(const struct lane *lane, struct lane_longest *longest);
/* The first of the longest ones; UINT64_MAX if the range is empty. O(log n). */
uint64_t lane_longest(const struct lane *lane, uint64_t first, uint64_t end);

/* Prefetch hints for the queries of a later draw: they prefetch the memory that lane_edge_at and lane_longest
 * will read. Call `far` some time before `near`. */
void lane_expect_far(const struct lane *lane, int64_t time_ns);
void lane_expect_near(const struct lane *lane, uint64_t count, int64_t time_ns);
void lane_expect_longest(const struct lane *lane, uint64_t index);
void lane_expect_event(const struct lane *lane, uint64_t index);

/* ---- inside the lane ---- */
static inline struct table *lane_nodes(const struct lane *lane, uint32_t level)
{
    return atomic_load_explicit(&lane->longest_ns[level], memory_order_acquire);
}

static inline struct table *lane_longs(const struct lane *lane)
{
    return atomic_load_explicit(&lane->longs, memory_order_acquire);
}

struct lane_place {
    uint32_t chunk, block;
};

/* Eight chunks of 1 block, four of 2, four of 4, ..., then only ones of LANE_CHUNK_BLOCKS. */
#define LANE_CHUNK_DOUBLINGS 7u
#define LANE_CHUNKS_EACH 4u
_Static_assert(1u << LANE_CHUNK_DOUBLINGS == LANE_CHUNK_BLOCKS, "chunks grow up to their most");

static inline struct lane_place lane_place_of(uint64_t block)
{
    uint32_t number = (uint32_t)block; /* a lane has fewer than UINT32_MAX events */
    uint32_t doublings = 29u - (uint32_t)__builtin_clz(number | LANE_CHUNKS_EACH);
    if (doublings > LANE_CHUNK_DOUBLINGS)
        doublings = LANE_CHUNK_DOUBLINGS;
    uint32_t of_size = number >> doublings;
    return (struct lane_place){.chunk = LANE_CHUNKS_EACH * doublings + of_size,
                               .block = number - (of_size << doublings)};
}

static inline uint32_t lane_chunk_doublings(uint32_t chunk)
{
    uint32_t doublings = chunk < LANE_CHUNKS_EACH ? 0 : chunk / LANE_CHUNKS_EACH - 1;
    return doublings < LANE_CHUNK_DOUBLINGS ? doublings : LANE_CHUNK_DOUBLINGS;
}

static inline uint32_t lane_chunk_blocks(uint32_t chunk)
{
    return 1u << lane_chunk_doublings(chunk);
}

/* The number of the chunk's first block. */
static inline uint64_t lane_chunk_first(uint32_t chunk)
{
    uint32_t doublings = lane_chunk_doublings(chunk);
    return (uint64_t)(chunk - LANE_CHUNKS_EACH * doublings) << doublings;
}

/* The chunks from this block on are full-sized. Their nodes of the first two levels lie in the chunk, after
 * the items; those of the chunks before, and all of the upper levels, in tables. */
#define LANE_FULL_FROM (LANE_CHUNKS_EACH << LANE_CHUNK_DOUBLINGS)
#define LANE_FULL_CHUNK (LANE_CHUNKS_EACH * (LANE_CHUNK_DOUBLINGS + 1u))
#define LANE_CHUNK_LEVELS 2u
#define LANE_CHUNK_NODES (LANE_CHUNK_BLOCKS + LANE_CHUNK_BLOCKS / LANE_BLOCK)

static inline size_t lane_chunk_bytes(uint32_t blocks)
{
    return blocks * (sizeof(struct lane_block) + LANE_BLOCK * sizeof(struct item)) +
           (blocks == LANE_CHUNK_BLOCKS ? LANE_CHUNK_NODES * sizeof(uint32_t) : 0);
}

/* Frees the memory of a chunk, of this size. */
void lane_chunk_free(struct lane_pool *pool, void *memory, size_t bytes);

static inline struct lane_chunk *lane_chunk_at(const struct lane *lane, uint32_t chunk)
{
    return table_at(&lane->chunks, chunk);
}

/* The sums of an evicted (folded) chunk, also after it was refilled; NULL: it was never evicted. */
static inline struct lane_folds *lane_chunk_folds(const struct lane_chunk *chunk)
{
    uintptr_t memory = atomic_load_explicit(&chunk->memory, memory_order_acquire);
    return memory & LANE_CHUNK_FOLDED ? (struct lane_folds *)(memory - LANE_CHUNK_FOLDED) : NULL;
}

/* NULL: the chunk is folded. */
static inline struct lane_block *lane_chunk_whole(const struct lane_chunk *chunk)
{
    uintptr_t memory = atomic_load_explicit(&chunk->memory, memory_order_acquire);
    if (memory & LANE_CHUNK_FOLDED) {
        struct lane_block *refilled = atomic_load_explicit(
            &((struct lane_folds *)(memory - LANE_CHUNK_FOLDED))->refilled, memory_order_acquire);
        return refilled != LANE_MERGED ? refilled : NULL;
    }
    return (struct lane_block *)memory;
}

static inline struct item *lane_chunk_items(struct lane_block *blocks, uint32_t chunk)
{
    return (struct item *)(void *)(blocks + lane_chunk_blocks(chunk));
}

/* A full-sized chunk's nodes: of its blocks, then of 16 blocks each. */
static inline uint32_t *lane_chunk_nodes(struct lane_block *blocks)
{
    return (uint32_t *)((char *)blocks + lane_chunk_bytes(LANE_CHUNK_BLOCKS)) - LANE_CHUNK_NODES;
}

/* The blocks from `first` to before `end` of which the event at this block can only be told together. */
struct lane_unit {
    uint64_t first, end;
};
struct lane_unit lane_fold_unit(const struct lane_folds *folds, uint64_t block);
static inline struct lane_unit lane_unit_at(const struct lane *lane, uint64_t block)
{
    const struct lane_folds *folds = lane_chunk_folds(lane_chunk_at(lane, lane_place_of(block).chunk));
    return folds ? lane_fold_unit(folds, block) : (struct lane_unit){block, block + 1};
}

/* The next `count` nodes from `first` on, none past a multiple of 16: in `room`, or where they lie. */
const uint32_t *lane_node_run(const struct lane *lane, uint32_t level, uint64_t first, uint64_t count,
                              uint32_t room[LANE_BLOCK]);

const struct lane_block *lane_fold_block(const struct lane *lane, uint64_t block, struct lane_block *room);
struct item lane_fold_item(const struct lane *lane, uint64_t block);

/* The start of a block and the busy time before it: exact also if the block is folded. */
struct lane_head {
    int64_t start_ns, busy_ns;
};
struct lane_head lane_head_at(const struct lane *lane, uint64_t block);

/* The block; if it is folded, `room`, filled with its events spread out. */
static inline const struct lane_block *lane_block_at(const struct lane *lane, uint64_t block,
                                                     struct lane_block *room)
{
    struct lane_place place = lane_place_of(block);
    const struct lane_block *blocks = lane_chunk_whole(lane_chunk_at(lane, place.chunk));
    return blocks ? &blocks[place.block] : lane_fold_block(lane, block, room);
}

/* Adds the event at index, the next one, to the index by time. False if memory ran out. */
bool lane_times_add(struct lane *lane, uint64_t index, int64_t start_ns, _Atomic size_t *memory_bytes);
void lane_times_free(struct lane *lane);
/* Bounds for a search: the first event at time_ns or later is in [*low, *high) of [0, count), or at its end;
 * *guess: about where. */
void lane_times_find(const struct lane *lane, uint64_t count, int64_t time_ns, uint64_t *low, uint64_t *high,
                     uint64_t *guess);

/* ---- memory of chunks ---- */

/*
 * Memory for the full-sized chunks of lanes, in huge pages where the system has them: at ten million events a
 * frame looks at some thousand places of 400 MB, and finding their pages takes longer than reading them.
 * Inside core only; the session's writer.
 */

#define LANE_POOL_READY 128u /* freed chunks that keep their pages: 11 MB */

struct lane_pool {                       /* zeros: empty, and keeps no pages */
    char *at, *end;                      /* of the newest arena */
    void *ready, *released;              /* freed chunks, linked through their first words */
    unsigned ready_count, ready_most;    /* ready_most: at most LANE_POOL_READY */
    void *arenas;                        /* a list too */
    size_t arena_bytes, in_memory_bytes; /* of all; as many are in memory, further ones in the file */
    int file;
    bool has_file;
};

/* Beyond so many bytes chunks lie in this file, which the caller keeps open: the system writes them to it
 * instead of keeping them. Where the file has no room, in memory. */
void lane_pool_use_file(struct lane_pool *pool, int file, size_t in_memory_bytes);
/* Freed chunks may keep pages of this many bytes. */
void lane_pool_keep(struct lane_pool *pool, size_t bytes);
/* Of freed chunks that keep their pages. */
size_t lane_pool_kept_bytes(const struct lane_pool *pool);
void lane_pool_fini(struct lane_pool *pool); /* all chunks go */

/* ---- inside of core/session/lane_*.c ---- */

/* How a lane keeps times that have no room in 32 bits, for the files of core/session that read them one by
 * one. */

static inline const struct lane_long *lane_long_at(const struct lane *lane, uint32_t row)
{
    return table_at(lane_longs(lane), row);
}

/* The first row of `longs` at or after the event at index. */
static inline uint32_t lane_long_find(const struct lane *lane, uint64_t index)
{
    uint32_t low = 0, high = table_count(lane_longs(lane));
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lane_long_at(lane, middle)->index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline int64_t lane_start_in(const struct lane *lane, const struct lane_block *block, uint64_t index)
{
    uint32_t since_ns = block->starts_ns[index % LANE_BLOCK];
    return since_ns < UINT32_MAX ? block->start_ns + since_ns
                                 : lane_long_at(lane, lane_long_find(lane, index))->start_ns;
}

static inline int64_t lane_duration_in(const struct lane *lane, const struct lane_block *block,
                                       uint64_t index)
{
    uint32_t duration_ns = block->durations_ns[index % LANE_BLOCK];
    return duration_ns < UINT32_MAX ? duration_ns
                                    : lane_long_at(lane, lane_long_find(lane, index))->duration_ns;
}

/*
 * A folded chunk that gets the events again which had left memory: laid where they were, readers find them
 * there with nothing else changed, since all that was kept of them (where blocks begin, what is busy before
 * them, long events, the longest of all) still holds. They are made on any one thread, in memory of its own,
 * while readers see the folds; one thread lays them and lifts them again, and frees them as the memory limit
 * does: when all who held the session then have let go. Inside core only.
 */

/* Is the chunk folded, and not refilled now? */
static inline bool lane_chunk_is_folded(const struct lane *lane, uint32_t chunk)
{
    return !lane_chunk_whole(lane_chunk_at(lane, chunk));
}

/* Was it merged with others, so that what is left does not tell whether events are its own? */
static inline bool lane_chunk_is_merged(const struct lane *lane, uint32_t chunk)
{
    const struct lane_folds *folds = lane_chunk_folds(lane_chunk_at(lane, chunk));
    return folds && atomic_load_explicit(&folds->refilled, memory_order_acquire) == LANE_MERGED;
}

/* Memory for the chunk's events, lane_chunk_bytes of it, to be freed with free; NULL: no memory. */
struct lane_block *lane_refill_begin(uint32_t chunk);
/* Adds the event at index of the chunk, in ascending order. False: the lane had no such event. */
bool lane_refill_put(const struct lane *lane, struct lane_block *blocks, uint64_t index, int64_t start_ns,
                     int64_t end_ns, const struct item *item);
/* After all events were added: are they the evicted ones? Compares each block's start, sum and longest event,
 * and completes the block. The caller holds the session. */
bool lane_refill_fits(const struct lane *lane, uint32_t chunk, struct lane_block *blocks);

/* False: it is refilled already, or was merged with others meanwhile. */
bool lane_refill_lay(struct lane *lane, uint32_t chunk, struct lane_block *blocks);
/* Takes its memory away again; readers may still use it. */
struct lane_block *lane_refill_lift(struct lane *lane, uint32_t chunk);

#endif
