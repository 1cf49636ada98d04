/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map from ids of another process (64 bits, any values) to our own numbers below UINT32_MAX. Open
 * addressing; bounded, so that another process cannot make it grow without limit. One thread.
 */
#ifndef CORE_BASE_IDMAP_H
#define CORE_BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDMAP_NONE UINT32_MAX

struct idmap_slot {
    uint64_t id;
    uint32_t number; /* IDMAP_NONE: empty */
};

struct idmap {
    struct idmap_slot *slots;
    uint32_t capacity, count, most;
    uint64_t seed;
};

void idmap_init(struct idmap *map, uint32_t most, uint64_t seed); /* allocates nothing */
void idmap_fini(struct idmap *map);
uint32_t idmap_find(const struct idmap *map, uint64_t id); /* IDMAP_NONE: not there */
bool idmap_put(struct idmap *map, uint64_t id,
               uint32_t number); /* adds or replaces; false: full, or no memory */
void idmap_remove(struct idmap *map, uint64_t id);

#endif
