/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each slot is a sequence lock without a writer's lock: its correlation is 0 while its words change, and
 * the words are relaxed atomics, so that a reader who meets a writer reads garbage but no data race, and
 * finds out by the correlation.
 */
#include "cupti/agent/agent.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (sizeof(struct event) / 8)

struct launches {
    _Atomic uint32_t correlation[LAUNCHES_SLOTS]; /* 0: free */
    struct {
        _Atomic uint64_t call[WORDS], shape[WORDS];
    } slots[LAUNCHES_SLOTS];
};

struct launches *launches_create(void)
{
    return calloc(1, sizeof(struct launches));
}

void launches_destroy(struct launches *launches)
{
    free(launches);
}

static void event_store(_Atomic uint64_t *words, const struct event *event)
{
    uint64_t plain[WORDS];
    memcpy(plain, event, sizeof plain);
    for (size_t i = 0; i < WORDS; i++)
        atomic_store_explicit(&words[i], plain[i], memory_order_relaxed);
}

static void event_fetch(_Atomic uint64_t *words, struct event *event)
{
    uint64_t plain[WORDS];
    for (size_t i = 0; i < WORDS; i++)
        plain[i] = atomic_load_explicit(&words[i], memory_order_relaxed);
    memcpy(event, plain, sizeof plain);
}

void launches_enter(struct launches *launches, const struct event *call, const struct event *shape)
{
    uint32_t slot = call->call.correlation % LAUNCHES_SLOTS;
    atomic_store_explicit(&launches->correlation[slot], 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    event_store(launches->slots[slot].call, call);
    event_store(launches->slots[slot].shape, shape);
    atomic_store_explicit(&launches->correlation[slot], call->call.correlation, memory_order_release);
}

void launches_end(struct launches *launches, uint32_t correlation)
{
    uint32_t expected = correlation;
    atomic_compare_exchange_strong_explicit(&launches->correlation[correlation % LAUNCHES_SLOTS], &expected,
                                            0, memory_order_relaxed, memory_order_relaxed);
}

bool launches_find(struct launches *launches, uint32_t correlation, struct event *call, struct event *shape)
{
    uint32_t slot = correlation % LAUNCHES_SLOTS;
    if (correlation == 0 ||
        atomic_load_explicit(&launches->correlation[slot], memory_order_acquire) != correlation)
        return false;
    event_fetch(launches->slots[slot].call, call);
    event_fetch(launches->slots[slot].shape, shape);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&launches->correlation[slot], memory_order_relaxed) == correlation &&
           call->call.correlation == correlation;
}

size_t launches_take_old(struct launches *launches, int64_t before_ns, struct event *calls,
                         struct event *shapes, size_t room, int64_t *oldest_ns)
{
    size_t taken = 0;
    *oldest_ns = INT64_MAX;
    for (uint32_t slot = 0; slot < LAUNCHES_SLOTS; slot++) {
        uint32_t correlation = atomic_load_explicit(&launches->correlation[slot], memory_order_relaxed);
        struct event call, shape;
        if (correlation == 0 || !launches_find(launches, correlation, &call, &shape))
            continue;
        if (call.call.start_ns >= before_ns || taken == room) {
            if (call.call.start_ns < *oldest_ns)
                *oldest_ns = call.call.start_ns;
            continue;
        }
        calls[taken] = call;
        shapes[taken++] = shape;
        launches_end(launches, correlation);
    }
    return taken;
}
