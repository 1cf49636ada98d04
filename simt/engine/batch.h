/*
 * The blocks of a launch in batches of one block per multiprocessor, in ascending order. A batch's blocks are
 * run; then the logs of their L1 misses and writes are replayed into the L2, while the next batch's blocks
 * run. Logs are replayed in the order of multiprocessors, so that the caches' counts do not depend on the
 * number of workers. Without modelled caches all blocks are one batch.
 *
 * The work of a phase (a batch's blocks, and the playing of the batch before) is dealt out in hands: hand w
 * is one part of the playing, and of n hands' blocks every n-th few of neighbouring ones. Worker w takes from
 * hand w first, so that a multiprocessor's modelled cache stays in one processor's real one, and then from
 * the others. A block may wait for an earlier one: the first that nobody has taken is the next of its hand's
 * worker, who may be late and comes. The worker that finishes the last piece of a phase deals out the next;
 * no other worker runs then.
 */
#ifndef SIMT_ENGINE_BATCH_H
#define SIMT_ENGINE_BATCH_H

#include "simt/engine/worker.h"

#include <pthread.h>

#define BATCH_HANDS_MAX 64

/* A multiprocessor's, from launch to launch. */
struct batch_multiprocessor {
    struct cache_l1 *l1; /* made when its first block runs */
    uint64_t l1_bytes, launch;
    bool l1_lines;
};

struct batch_hand {
    _Alignas(64) atomic_uint_least64_t left; /* phase << 32 | pieces not taken */
    uint32_t pieces;
};

struct batches {
    struct run *run;
    struct cache_l2 *l2; /* NULL: no caches */
    struct batch_multiprocessor *multiprocessors;
    struct cache_log **logs[2]; /* of the multiprocessors, for every other batch; made with their L1 */
    uint32_t multiprocessor_count;
    uint64_t l1_bytes, launch;
    bool l1_lines;
    uint32_t blocks, blocks_before; /* of the batch; of the one before, to be played */
    uint32_t parity;                /* of the batch */
    uint32_t pieces;                /* of the phase */
    uint32_t hand_count;
    struct batch_hand hands[BATCH_HANDS_MAX];
    atomic_uint_least64_t first; /* block of the batch */
    atomic_uint phase;
    _Alignas(64) atomic_uint done; /* pieces; apart from what workers only read */
    _Alignas(64) pthread_mutex_t mutex;
    pthread_cond_t next_phase;
    uint32_t sleepers;
};

/* The fields above `blocks` are set. */
void batches_begin(struct batches *batches);
void batches_fini(struct batches *batches);
/* Asked from within a block: has nobody taken some earlier one yet? */
bool batches_keep_earlier(const struct batches *batches, uint64_t number);
/* The caches of the worker's block's multiprocessor, its log empty. False: no memory. */
bool batches_take_multiprocessor(struct batches *batches, struct worker *worker, uint32_t index);
/* How a block of the worker ended. */
void batches_note_end(struct batches *batches, struct worker *worker, uint64_t number, enum block_end end);
/* One worker's share of the work; returns when all is done or the launch is to end. */
void batches_work(struct batches *batches, struct worker *worker);

#endif
