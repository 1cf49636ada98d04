/*
 * The heap holds keys (time, order, slot), four children a node, so that a level is one cache line; events
 * lie in slots that never move while they are held. Free slots are a list through the events' sequence
 * numbers.
 */
#include "core/base/event_queue.h"

#include <stdlib.h>

#define FIRST_CAPACITY 1024u
#define ARITY 4u /* the children of a node share a cache line */

void held_fini(struct held *held)
{
    free(held->keys);
    free(held->events);
    *held = (struct held){0};
}

static bool key_is_before(const struct held_key *a, const struct held_key *b)
{
    return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && (int32_t)(a->order - b->order) < 0);
}

static bool held_grow(struct held *held)
{
    uint32_t capacity = held->capacity == 0 ? FIRST_CAPACITY : held->capacity * 2;
    struct held_key *keys = realloc(held->keys, capacity * sizeof *keys);
    if (keys == NULL)
        return false;
    held->keys = keys;
    struct event *events = realloc(held->events, capacity * sizeof *events);
    if (events == NULL)
        return false;
    held->events = events;
    for (uint32_t slot = held->capacity; slot < capacity; slot++)
        events[slot].sequence = slot + 1;
    held->free_slot = held->capacity;
    held->capacity = capacity;
    return true;
}

bool held_push(struct held *held, int64_t time_ns, const struct event *event)
{
    if (held->count == HELD_MAX || (held->count == held->capacity && !held_grow(held)))
        return false;
    uint32_t slot = held->free_slot;
    held->free_slot = held->events[slot].sequence;
    held->events[slot] = *event;
    struct held_key key = {.time_ns = time_ns, .order = held->order++, .slot = slot};
    uint32_t at = held->count++;
    while (at > 0 && key_is_before(&key, &held->keys[(at - 1) / ARITY])) {
        held->keys[at] = held->keys[(at - 1) / ARITY];
        at = (at - 1) / ARITY;
    }
    held->keys[at] = key;
    return true;
}

void held_pop(struct held *held)
{
    uint32_t slot = held->keys[0].slot;
    held->events[slot].sequence = held->free_slot;
    held->free_slot = slot;
    struct held_key key = held->keys[--held->count];
    uint32_t at = 0;
    for (;;) {
        uint32_t first = at * ARITY + 1;
        if (first >= held->count)
            break;
        uint32_t end = first + ARITY < held->count ? first + ARITY : held->count;
        uint32_t least = first;
        for (uint32_t child = first + 1; child < end; child++)
            if (key_is_before(&held->keys[child], &held->keys[least]))
                least = child;
        if (!key_is_before(&held->keys[least], &key))
            break;
        held->keys[at] = held->keys[least];
        at = least;
    }
    held->keys[at] = key;
}
