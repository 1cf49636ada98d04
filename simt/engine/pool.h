/*
 * A pool of threads: pool_run calls one function on the calling thread and on all others that wake while it
 * runs. The pool is made once; threads are started at first use. One thread calls pool_ready and pool_run,
 * the threads are the pool's and end with it.
 */
#ifndef SIMT_ENGINE_POOL_H
#define SIMT_ENGINE_POOL_H

#include "core/base/error.h"

#include <stdint.h>

struct pool;

/* workers: calling thread included, at least 1. */
enum status pool_create(struct pool **pool, uint32_t workers, struct error *error);
void pool_destroy(struct pool *pool);

/* Begins threads where so many others have not begun yet; how many there are, `others` at most. */
uint32_t pool_ready(struct pool *pool, uint32_t others);

/*
 * work(argument, 0) on this thread; work(argument, i) with i from 1 to others on threads of the pool that
 * come before it is over. What work does must be complete when any one of the calls returns: those that come
 * too late are not made. Returns when all calls have returned. others: at most what pool_ready gave.
 */
void pool_run(struct pool *pool, uint32_t others, void (*work)(void *argument, uint32_t index),
              void *argument);

#endif
