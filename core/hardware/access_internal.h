/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What core/hardware/access, core/hardware/coalesce and core/hardware/bank are built from: the active lanes'
 * addresses in a row, the step from one to the next where it is the same, and a set of distinct numbers. In a
 * header because the device model counts every memory instruction it runs.
 */
#ifndef CORE_HARDWARE_ACCESS_INTERNAL_H
#define CORE_HARDWARE_ACCESS_INTERNAL_H

#include "core/hardware/access.h"

#include <stddef.h>
#include <string.h>

/* Is there a memory instruction of this width? A 12-byte access is three of 4 bytes. */
static inline bool access_is_instruction(uint32_t width_bytes)
{
    return width_bytes && width_bytes <= 16 && !(width_bytes & (width_bytes - 1));
}

/* Of the `together` (at least one) lanes from `first` on, those that are active. */
static inline uint32_t access_group(const struct warp_access *access, uint32_t first, uint32_t together)
{
    return access->active & (UINT32_MAX >> (WARP_LANES - together)) << first;
}

static inline void access_move(struct warp_access *access, uint64_t bytes)
{
    for (int lane = 0; lane < WARP_LANES; lane++)
        access->address[lane] += bytes;
}

/* The active lanes' addresses in the order of the lanes; returns their number. *at points into the access if
 * the active lanes are neighbours, else to `storage`. */
static inline uint32_t access_gather(const struct warp_access *access, uint64_t storage[WARP_LANES],
                                     const uint64_t **at)
{
    uint32_t active = access->active, count = 0;
    if (!active) {
        *at = storage;
        return 0;
    }
    uint32_t first = (uint32_t)__builtin_ctz(active), run = active >> first;
    if (!(run & (run + 1))) {
        *at = access->address + first;
        return (uint32_t)__builtin_popcount(active);
    }
    for (; active; active &= active - 1)
        storage[count++] = access->address[__builtin_ctz(active)];
    *at = storage;
    return count;
}

#define ACCESS_STEP_MAX ((int64_t)1 << 40) /* larger steps could wrap around the address space */

/* Is each of the count > 0 addresses one step from the one before, all up or all down? *step in bytes; 0 if
 * there is one address. */
static inline bool access_step(const uint64_t *at, uint32_t count, int64_t *step)
{
    if (count < 2) {
        *step = 0;
        return true;
    }
    uint64_t first = at[1] - at[0], differs = 0;
    if (at[count - 1] - at[0] != first * (count - 1))
        return false;
    for (uint32_t i = 2; i < count; i++)
        differs |= (at[i] - at[i - 1]) ^ first;
    *step = (int64_t)first;
    return !differs && *step <= ACCESS_STEP_MAX && *step >= -ACCESS_STEP_MAX &&
           (at[count - 1] >= at[0]) == (*step >= 0);
}

/* The most distinct numbers of one warp instruction: 32 lanes that touch 3 words of 4 bytes each (8 bytes,
 * misaligned). */
#define NUMBER_SET_MAX 96
#define NUMBER_SET_SLOTS 128

/* Distinct numbers in the order of their insertion, in the caller's array. */
struct number_set {
    uint64_t *numbers; /* room for NUMBER_SET_MAX, or for the most that can occur */
    uint32_t count;
    uint8_t slots[NUMBER_SET_SLOTS]; /* index + 1 of a number that hashes or moved here; 0: none */
};

static inline void number_set_init(struct number_set *set, uint64_t *numbers)
{
    set->numbers = numbers;
    set->count = 0;
    memset(set->slots, 0, sizeof set->slots);
}

/* The number's index; if it is new, this is the count before the call. */
static inline uint32_t number_set_add(struct number_set *set, uint64_t number)
{
    size_t slot = (size_t)((number * 0x9e3779b97f4a7c15u) >> 57);
    while (set->slots[slot]) {
        uint32_t index = set->slots[slot] - 1u;
        if (set->numbers[index] == number)
            return index;
        slot = (slot + 1) % NUMBER_SET_SLOTS;
    }
    set->numbers[set->count] = number;
    set->slots[slot] = (uint8_t)++set->count;
    return set->count - 1;
}

#endif
