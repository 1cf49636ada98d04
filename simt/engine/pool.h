/*
 * A pool of threads: pool_run calls one function on the calling thread and on all threads that wake while the
 * job runs. The pool is made once; its threads are started at first use and end with it. One thread calls
 * pool_ready and pool_run.
 */
#ifndef SIMT_ENGINE_POOL_H
#define SIMT_ENGINE_POOL_H

#include "core/base/error.h"

#include <stdint.h>

struct pool;

/* workers: includes the calling thread, at least 1. */
enum status pool_create(struct pool **pool, uint32_t workers, struct error *error);
void pool_destroy(struct pool *pool);

/* Starts threads until there are `others` of them; returns how many there are, at most `others`. */
uint32_t pool_ready(struct pool *pool, uint32_t others);

/*
 * Calls work(argument, 0) on this thread, and work(argument, i) with i from 1 to `others` on threads of the
 * pool that join in time. When one of the calls returns, the whole work must be complete: threads that join
 * later make no call. Returns when all calls have returned. others: at most the result of pool_ready.
 */
void pool_run(struct pool *pool, uint32_t others, void (*work)(void *argument, uint32_t index),
              void *argument);

#endif
