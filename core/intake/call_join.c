/*
 * Slots by correlation modulo JOINS_SLOTS, and beside them the list of the open ones. A slot has one call;
 * one of another correlation replaces it, unless the existing call is newer or has priority.
 */
#include "core/intake/call_join.h"

#include <stdlib.h>
#include <string.h>

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
    if (joins->slots == NULL) {
        joins->slots = calloc(JOINS_SLOTS, sizeof *joins->slots);
        if (joins->slots == NULL)
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
    if (slot == NULL || slot->done || slot->open || joins->open_count == JOINS_OPEN_MAX)
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
    if (slot == NULL || (slot->called && call_contains(slot, call)))
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
    if (slot == NULL)
        return;
    slot->done = true;
    if (slot->open)
        open_close(joins, slot);
}

const struct join *joins_find(const struct joins *joins, uint32_t correlation)
{
    if (correlation == 0 || joins->slots == NULL)
        return NULL;
    const struct join *slot = slot_of(joins, correlation);
    return slot->correlation == correlation && slot->called ? slot : NULL;
}

bool joins_is_inner(const struct joins *joins, const struct event *call)
{
    const struct join *outer = joins_find(joins, call->call.correlation);
    return outer != NULL && call_contains(outer, call) && outer->thread == call->call.thread &&
           (outer->start_ns != call->call.start_ns || outer->end_ns != call->call.end_ns ||
            outer->domain != call->call.domain);
}

const struct join *joins_open(const struct joins *joins, uint32_t i)
{
    const struct join *slot = slot_of(joins, joins->open[i]);
    return slot->correlation == joins->open[i] && slot->open ? slot : NULL;
}
