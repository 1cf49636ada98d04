/* SPDX-License-Identifier: Apache-2.0 */
/* Events that wait: for their place in the order of time, and for the call that made them. */
#include "core/intake/intake_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- events in the order of time ---- */

/*
 * The heap holds keys (time, order, slot), four children a node, so that a level is one cache line; events
 * lie in slots that never move while they are held. Free slots are a list through the events' sequence
 * numbers.
 */

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
    if (!keys)
        return false;
    held->keys = keys;
    struct event *events = realloc(held->events, capacity * sizeof *events);
    if (!events)
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

/* ---- calls by correlation id ---- */

/*
 * Slots by correlation modulo JOINS_SLOTS, and beside them the list of the open ones. A slot has one call;
 * one of another correlation replaces it, unless the existing call is newer or has priority.
 */

void joins_fini(struct joins *joins)
{
    free(joins->slots);
    joins->slots = NULL;
    joins->open_count = 0;
}

static struct join *slot_of(const struct joins *joins, uint32_t correlation)
{
    return &joins->slots[correlation & (JOINS_SLOTS - 1)];
}

static bool makes_device_work(uint8_t category)
{
    return category != CALL_OTHER && category != CALL_STREAM && category != CALL_MODULE;
}

/* The slot of a correlation, emptied if another call had it; NULL if that call is newer or matters more, or
 * if memory ran out. */
static struct join *slot_take(struct joins *joins, uint32_t correlation, bool matters)
{
    if (correlation == 0)
        return NULL;
    if (!joins->slots) {
        joins->slots = calloc(JOINS_SLOTS, sizeof *joins->slots);
        if (!joins->slots)
            return NULL;
    }
    struct join *slot = slot_of(joins, correlation);
    if (slot->correlation == correlation)
        return slot;
    bool newer = slot->correlation == 0 || (int32_t)(correlation - slot->correlation) > 0;
    if (!newer || (!matters && slot->called && makes_device_work(slot->category)))
        return NULL;
    *slot = (struct join){.correlation = correlation};
    return slot;
}

void joins_forget(struct joins *joins, uint32_t i)
{
    struct join *slot = slot_of(joins, joins->open[i]);
    if (slot->correlation == joins->open[i])
        slot->open = false;
    memmove(&joins->open[i], &joins->open[i + 1], (joins->open_count - i - 1) * sizeof joins->open[0]);
    joins->open_count--;
    joins->open_changed = true;
}

static void open_close(struct joins *joins, const struct join *slot)
{
    for (uint32_t i = 0; i < joins->open_count; i++) {
        if (joins->open[i] == slot->correlation) {
            joins_forget(joins, i);
            return;
        }
    }
}

void joins_begin(struct joins *joins, const struct event *call)
{
    struct join *slot = slot_take(joins, call->call.correlation, true);
    if (!slot || slot->done || slot->open || joins->open_count == JOINS_OPEN_MAX)
        return;
    if (!slot->called) {
        slot->start_ns = call->call.start_ns;
        slot->thread = call->call.thread;
    }
    slot->shape = call->call.shape;
    slot->context = call->call.context;
    slot->stream = call->call.stream;
    slot->open = true;
    joins->open[joins->open_count++] = slot->correlation;
    joins->open_changed = true;
}

static bool call_contains(const struct join *slot, const struct event *call)
{
    return slot->start_ns <= call->call.start_ns && slot->end_ns >= call->call.end_ns;
}

void joins_call(struct joins *joins, const struct event *call)
{
    joins->calls_seen = true;
    struct join *slot = slot_take(joins, call->call.correlation, makes_device_work(call->call.category));
    if (!slot || (slot->called && call_contains(slot, call)))
        return;
    slot->start_ns = call->call.start_ns;
    slot->end_ns = call->call.end_ns;
    slot->thread = call->call.thread;
    slot->category = call->call.category;
    slot->domain = call->call.domain;
    slot->called = true;
    if (call->call.result != 0 && slot->open)
        open_close(joins, slot);
}

void joins_done(struct joins *joins, uint32_t correlation)
{
    struct join *slot = slot_take(joins, correlation, true);
    if (!slot)
        return;
    slot->done = true;
    if (slot->open)
        open_close(joins, slot);
}

const struct join *joins_find(const struct joins *joins, uint32_t correlation)
{
    if (correlation == 0 || !joins->slots)
        return NULL;
    const struct join *slot = slot_of(joins, correlation);
    return slot->correlation == correlation && slot->called ? slot : NULL;
}

bool joins_is_inner(const struct joins *joins, const struct event *call)
{
    const struct join *outer = joins_find(joins, call->call.correlation);
    return outer && call_contains(outer, call) && outer->thread == call->call.thread &&
           (outer->start_ns != call->call.start_ns || outer->end_ns != call->call.end_ns ||
            outer->domain != call->call.domain);
}

const struct join *joins_open(const struct joins *joins, uint32_t i)
{
    const struct join *slot = slot_of(joins, joins->open[i]);
    return slot->correlation == joins->open[i] && slot->open ? slot : NULL;
}
