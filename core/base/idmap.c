/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of a power of two, linear probing from the id's hash; at most three quarters are in use. */
#include "core/base/idmap.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 16u

void idmap_init(struct idmap *map, uint32_t most, uint64_t seed)
{
    *map = (struct idmap){.most = most, .seed = seed | 1u};
}

void idmap_fini(struct idmap *map)
{
    free(map->slots);
    map->slots = NULL;
    map->capacity = map->count = 0;
}

static uint32_t home_of(const struct idmap *map, uint64_t id)
{
    uint64_t hash = (id ^ map->seed) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32) * map->seed;
    return (uint32_t)(hash >> 32) & (map->capacity - 1);
}

/* The slot of the id, or the empty slot where it belongs. */
static uint32_t slot_of(const struct idmap *map, uint64_t id)
{
    uint32_t at = home_of(map, id);
    while (map->slots[at].number != IDMAP_NONE && map->slots[at].id != id)
        at = (at + 1) & (map->capacity - 1);
    return at;
}

uint32_t idmap_find(const struct idmap *map, uint64_t id)
{
    return map->capacity == 0 ? IDMAP_NONE : map->slots[slot_of(map, id)].number;
}

static bool idmap_grow(struct idmap *map)
{
    struct idmap old = *map;
    uint32_t capacity = old.capacity == 0 ? FIRST_CAPACITY : old.capacity * 2;
    struct idmap_slot *slots = malloc((size_t)capacity * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xff, (size_t)capacity * sizeof *slots);
    map->slots = slots;
    map->capacity = capacity;
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.slots[i].number != IDMAP_NONE)
            map->slots[slot_of(map, old.slots[i].id)] = old.slots[i];
    free(old.slots);
    return true;
}

bool idmap_put(struct idmap *map, uint64_t id, uint32_t number)
{
    if (map->capacity > 0) {
        struct idmap_slot *slot = &map->slots[slot_of(map, id)];
        if (slot->number != IDMAP_NONE) {
            slot->number = number;
            return true;
        }
    }
    if (map->count >= map->most || (map->count >= map->capacity / 4 * 3 && !idmap_grow(map)))
        return false;
    map->slots[slot_of(map, id)] = (struct idmap_slot){.id = id, .number = number};
    map->count++;
    return true;
}

void idmap_remove(struct idmap *map, uint64_t id)
{
    if (map->capacity == 0)
        return;
    uint32_t mask = map->capacity - 1, hole = slot_of(map, id);
    if (map->slots[hole].number == IDMAP_NONE)
        return;
    map->count--;
    /* Close the hole: move back every later entry of the cluster whose home slot is not between the hole and
     * the entry. */
    for (uint32_t at = (hole + 1) & mask; map->slots[at].number != IDMAP_NONE; at = (at + 1) & mask) {
        uint32_t home = home_of(map, map->slots[at].id);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
    }
    map->slots[hole].number = IDMAP_NONE;
}
