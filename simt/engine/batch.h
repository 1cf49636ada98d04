/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of a launch in batches of one block per multiprocessor, in ascending order. The blocks of a
 * batch are run; then the logs of their L1 misses and writes are replayed into the L2, while the blocks of
 * the next batch run. Logs are replayed in the order of multiprocessors, so that the counts of the caches do
 * not depend on the number of workers. Without modelled caches all blocks are one batch.
 *
 * The work of a phase (the blocks of a batch, and the replay of the batch before) is divided into hands, one
 * per worker. Hand w has one part of the replay and, of n hands, every n-th group of neighbouring blocks.
 * Worker w first takes from hand w, so that a multiprocessor's modelled cache stays in the real cache of one
 * processor, and then from the other hands. A block may wait for an earlier one: the first block that is not
 * taken yet is the next one of some hand, whose worker may start late but will take it. The worker that
 * finishes the last piece of a phase distributes the next phase; no other worker runs then.
 *
 * A block that waits for a later one ends this order: no piece is taken any more, blocks that only poll are
 * parked, and simt/engine/batch runs these and what has not been taken in turns.
 */
#ifndef SIMT_ENGINE_BATCH_H
#define SIMT_ENGINE_BATCH_H

#include "simt/engine/worker.h"

#include <pthread.h>

#define BATCH_HANDS_MAX 64

/* State of a multiprocessor, kept from launch to launch. */
struct batch_multiprocessor {
    struct cache_l1 *l1; /* created when its first block runs */
    uint64_t l1_bytes, launch;
    bool l1_lines;
};

struct batch_hand {
    _Alignas(64) atomic_uint_least64_t left; /* phase << 32 | number of pieces not taken */
    uint32_t pieces;
};

struct batches {
    struct run *run;
    struct cache_l2 *l2; /* NULL: no caches */
    struct batch_multiprocessor *multiprocessors;
    struct cache_log **logs[2]; /* per multiprocessor, alternating between batches; created with the L1 */
    uint32_t multiprocessor_count;
    uint64_t l1_bytes, launch;
    bool l1_lines;
    uint32_t blocks, blocks_before; /* of this batch; of the batch before, to be replayed */
    uint32_t parity;                /* of the batch: 0 or 1 */
    uint32_t pieces;                /* of the phase */
    uint32_t hand_count, log_parts; /* log_parts: into which a log is divided for its replay */
    struct parked *parked;          /* blocks that wait for later ones, simt/engine/batch */
    struct batch_hand hands[BATCH_HANDS_MAX];
    atomic_uint_least64_t first; /* first block of the batch */
    atomic_uint phase;
    _Alignas(64) atomic_uint done; /* finished pieces; in a cache line of its own */
    _Alignas(64) pthread_mutex_t mutex;
    pthread_cond_t next_phase;
    uint32_t sleepers;
};

/* The fields above `blocks` must be set. */
void batches_begin(struct batches *batches);
void batches_fini(struct batches *batches);
/* Called from within a block: returns whether all blocks before this worker's block have ended. */
bool batches_have_ended_before(const struct worker *worker);
/* One worker's share of the work. Returns when everything is done, the launch must end, or a block waits for
 * a later one (run->turns). */
void batches_work(struct batches *batches, struct worker *worker);

/* ---- cooperative launches ---- */

/*
 * Blocks that are resident at the same time, each with storage of its own, and yield to each other when they
 * only poll memory or wait for each other: all blocks of a cooperative launch, as at the grid barrier of
 * cooperative_groups, or the blocks of clusters. Of clusters as many are resident as have a multiprocessor
 * for each of their blocks. Blocks of other launches are run so from the moment on at which one of them waits
 * for a later one: as many as the device holds at once, and the next one begins where one has ended. One
 * worker runs the blocks in turn, in ascending order (clusters by their number,
 * the blocks of a cluster by rank), so results and counts do not depend on the number of processors.
 */

/* Whether a launch is run in this way. */
bool cooperative_is(const struct run *run);
/* Replaces batches_work, for the only worker. */
void cooperative_work(struct batches *batches, struct worker *worker);
/* After batches_work, if run->turns: runs the parked blocks and all that have not been taken. */
void cooperative_take_over(struct batches *batches, struct worker *worker);
/* Number of polls after which a path yields. */
#define COOPERATIVE_POLLS_AT_ONCE 4 /* most waits are for another block, which then gets its turn */

#endif
