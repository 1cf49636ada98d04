/*
 * The blocks of a launch in batches of one block per multiprocessor, in ascending order: a batch's blocks are
 * run, each by whichever worker is free; then the logs of what their L1 caches let through are played into
 * the L2, which makes the caches' counts the same whatever the number of workers; then the next batch begins.
 * Where no caches are modelled all blocks are one batch.
 *
 * Workers take pieces of work: blocks of a batch, or parts of its playing. Who does the last piece of such a
 * phase makes the next one; nobody else works then.
 */
#ifndef SIMT_BATCH_H
#define SIMT_BATCH_H

#include "simt/worker.h"

#include <pthread.h>

/* A multiprocessor's, from launch to launch. */
struct batch_multiprocessor {
    struct cache_l1 *l1; /* made when its first block runs */
    uint64_t l1_bytes, launch;
};

struct batches {
    struct run *run;
    struct cache_l2 *l2; /* NULL: no caches */
    struct batch_multiprocessor *multiprocessors;
    struct cache_log **logs; /* of the multiprocessors; made with their L1 */
    uint32_t multiprocessor_count;
    uint64_t l1_bytes, launch;
    uint32_t pieces, blocks; /* of the phase; of the batch */
    bool playing;
    atomic_uint_least64_t first;  /* block of the batch */
    atomic_uint_least64_t ticket; /* phase << 32 | pieces not taken */
    atomic_uint done;             /* pieces */
    atomic_uint joined;           /* workers */
    pthread_mutex_t mutex;
    pthread_cond_t next_phase;
    uint32_t sleepers;
};

/* The fields above `pieces` are set. */
void batches_begin(struct batches *batches);
void batches_fini(struct batches *batches);
/* One worker's share of the work; returns when all is done or the launch is to end. */
void batches_work(struct batches *batches, struct worker *worker);

#endif
