/*
 * Events held back until their time has come: a heap by time, equal times in the order they came in. One
 * thread. Bounded: a full one says so, and its owner takes the first out to make room.
 */
#ifndef CORE_BASE_EVENT_QUEUE_H
#define CORE_BASE_EVENT_QUEUE_H

#include "core/base/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HELD_MAX (1u << 20)

struct held_key {
    int64_t time_ns;
    uint32_t order, slot;
};

struct held {
    struct held_key *keys; /* heap: the smallest first */
    struct event *events;  /* by slot; a free one's `sequence` is the next free one */
    uint32_t count, capacity, free_slot, order;
};

void held_fini(struct held *held); /* a zeroed one is empty */

/* False: HELD_MAX are held, or no memory. */
bool held_push(struct held *held, int64_t time_ns, const struct event *event);

/* The first event's time and the event, which stays where it is until held_pop. There must be one. */
static inline int64_t held_time_ns(const struct held *held)
{
    return held->keys[0].time_ns;
}
static inline const struct event *held_first(const struct held *held)
{
    return &held->events[held->keys[0].slot];
}
void held_pop(struct held *held);

#endif
