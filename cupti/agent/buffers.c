/*
 * At most BUFFERS_MAX buffers are ever made; each is idle here or with CUPTI. When all are with CUPTI it
 * gets none, drops the records, and `refused` counts it.
 */
#include "cupti/agent/buffers.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *idle[BUFFERS_MAX];
static unsigned idle_count, made;
static uint64_t refused;

uint8_t *buffers_take(size_t *size_bytes)
{
    uint8_t *buffer = NULL;
    pthread_mutex_lock(&lock);
    if (idle_count > 0)
        buffer = idle[--idle_count];
    else if (made < BUFFERS_MAX && (buffer = aligned_alloc(64, BUFFERS_BYTES)))
        made++;
    refused += !buffer;
    pthread_mutex_unlock(&lock);
    *size_bytes = buffer ? BUFFERS_BYTES : 0;
    return buffer;
}

void buffers_give_back(uint8_t *buffer)
{
    pthread_mutex_lock(&lock);
    if (idle_count < BUFFERS_MAX)
        idle[idle_count++] = buffer;
    pthread_mutex_unlock(&lock);
}

uint64_t buffers_refused(void)
{
    pthread_mutex_lock(&lock);
    uint64_t count = refused;
    refused = 0;
    pthread_mutex_unlock(&lock);
    return count;
}
