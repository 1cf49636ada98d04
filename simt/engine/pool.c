/* One mutex protects everything. Jobs are numbered, so that a thread that wakes late sees that its job is
 * over. */
#include "simt/engine/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct pool_thread {
    struct pool *pool;
    uint32_t index;
    pthread_t thread;
};

struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    struct pool_thread *threads;
    uint32_t most, started; /* threads besides the caller's: maximum; started */
    uint64_t job;
    bool open, ends; /* threads may join the job; the pool must end */
    uint32_t wanted, inside;
    void (*work)(void *argument, uint32_t index);
    void *argument;
};

enum status pool_create(struct pool **pool, uint32_t workers, struct error *error)
{
    struct pool *made = calloc(1, sizeof *made);
    struct pool_thread *threads = calloc(workers ? workers : 1, sizeof *threads);
    if (!made || !threads) {
        free(made);
        free(threads);
        return error_no_memory(error, "for %u workers", workers);
    }
    made->threads = threads;
    made->most = workers ? workers - 1 : 0;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->wake, NULL);
    pthread_cond_init(&made->done, NULL);
    *pool = made;
    return STATUS_OK;
}

static void *pool_thread_main(void *argument)
{
    struct pool_thread *self = argument;
    struct pool *pool = self->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->ends && (pool->job == seen || !pool->open || self->index > pool->wanted))
            pthread_cond_wait(&pool->wake, &pool->mutex);
        if (pool->ends)
            break;
        seen = pool->job;
        pool->inside++;
        pthread_mutex_unlock(&pool->mutex);
        pool->work(pool->argument, self->index);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->inside == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* Signals to the process are not delivered to these threads. */
static void pool_start(struct pool *pool, uint32_t count)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->started < count) {
        struct pool_thread *thread = &pool->threads[pool->started];
        *thread = (struct pool_thread){.pool = pool, .index = pool->started + 1};
        if (pthread_create(&thread->thread, NULL, pool_thread_main, thread) != 0)
            break; /* continue with fewer threads */
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

uint32_t pool_ready(struct pool *pool, uint32_t others)
{
    others = others < pool->most ? others : pool->most;
    if (pool->started < others) {
        pthread_mutex_lock(&pool->mutex);
        pool_start(pool, others);
        pthread_mutex_unlock(&pool->mutex);
    }
    return others < pool->started ? others : pool->started;
}

void pool_run(struct pool *pool, uint32_t others, void (*work)(void *argument, uint32_t index),
              void *argument)
{
    if (others > 0) {
        pthread_mutex_lock(&pool->mutex);
        pool->work = work;
        pool->argument = argument;
        pool->wanted = others;
        pool->open = true;
        pool->job++;
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
    work(argument, 0);
    if (others > 0) {
        pthread_mutex_lock(&pool->mutex);
        pool->open = false;
        while (pool->inside > 0)
            pthread_cond_wait(&pool->done, &pool->mutex);
        pthread_mutex_unlock(&pool->mutex);
    }
}

void pool_destroy(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->ends = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->started; i++)
        pthread_join(pool->threads[i].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->threads);
    free(pool);
}
