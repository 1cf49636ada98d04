/*
 * A queue of events, a heap ordered by time; events of equal time keep the order of insertion. One thread.
 * Bounded: if it is full, held_push fails and the owner pops the first event to make room.
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
    struct event *events;  /* by slot; in a free slot `sequence` is the next free slot */
    uint32_t count, capacity, free_slot, order;
};

/* Bytes of its memory, and how many it takes more when it is full. */
static inline size_t held_bytes(const struct held *held)
{
    return held->capacity * (sizeof *held->keys + sizeof *held->events);
}
static inline bool held_is_full(const struct held *held)
{
    return held->count == held->capacity;
}

void held_fini(struct held *held); /* a zeroed one is empty */

/* False: HELD_MAX events are held already, or no memory. */
bool held_push(struct held *held, int64_t time_ns, const struct event *event);

/* Returns the first event and its time; the event stays valid until held_pop. The queue must not be empty. */
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
