/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of a power of two, linear probing; a slot is a hash and a row number. */
#include "core/base/lookup.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64u

/* The finaliser of MurmurHash3: every bit of the input reaches every bit of the output. */
static uint64_t hash_mix(uint64_t value)
{
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdu;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53u;
    return value ^ (value >> 33);
}

uint32_t lookup_hash(uint64_t seed, const void *bytes, size_t size_bytes)
{
    const uint8_t *at = bytes;
    uint64_t hash = hash_mix(seed ^ size_bytes);
    for (; size_bytes >= 8; at += 8, size_bytes -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = hash_mix(hash ^ word) + seed;
    }
    uint64_t word = 0;
    memcpy(&word, at, size_bytes);
    return (uint32_t)hash_mix(hash ^ word);
}

void lookup_fini(struct lookup *lookup)
{
    free(lookup->slots);
    *lookup = (struct lookup){0};
}

uint32_t lookup_find(const struct lookup *lookup, uint32_t hash, lookup_equal *equal, const void *context,
                     const void *key)
{
    if (lookup->capacity == 0)
        return LOOKUP_NONE;
    uint32_t mask = lookup->capacity - 1;
    for (uint32_t at = hash & mask; lookup->slots[at].row != LOOKUP_NONE; at = (at + 1) & mask)
        if (lookup->slots[at].hash == hash && equal(context, lookup->slots[at].row, key))
            return lookup->slots[at].row;
    return LOOKUP_NONE;
}

static void slot_put(struct lookup_slot *slots, uint32_t capacity, struct lookup_slot slot)
{
    uint32_t at = slot.hash & (capacity - 1);
    while (slots[at].row != LOOKUP_NONE)
        at = (at + 1) & (capacity - 1);
    slots[at] = slot;
}

bool lookup_reserve(struct lookup *lookup)
{
    if (lookup->count < lookup->capacity / 4 * 3)
        return true;
    if (lookup->capacity > UINT32_MAX / 4)
        return false;
    uint32_t capacity = lookup->capacity == 0 ? FIRST_CAPACITY : lookup->capacity * 2;
    struct lookup_slot *slots = malloc((size_t)capacity * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xff, (size_t)capacity * sizeof *slots);
    for (uint32_t i = 0; i < lookup->capacity; i++)
        if (lookup->slots[i].row != LOOKUP_NONE)
            slot_put(slots, capacity, lookup->slots[i]);
    free(lookup->slots);
    lookup->slots = slots;
    lookup->capacity = capacity;
    return true;
}

void lookup_add(struct lookup *lookup, uint32_t hash, uint32_t row)
{
    slot_put(lookup->slots, lookup->capacity, (struct lookup_slot){.hash = hash, .row = row});
    lookup->count++;
}
