/* SPDX-License-Identifier: Apache-2.0 */
/* Moves elements of a load or store between memory and the slots of a frame: one loop per size in memory and
 * in the slot. */
#include "simt/engine/warp_memory.h"

#include <string.h>

#define LOAD(element, result)                                                       \
    do {                                                                            \
        result *restrict to = (result *)destination;                                \
        if (active == WARP_ALL_LANES) {                                             \
            for (int lane = 0; lane < WARP_LANES; lane++) {                         \
                element value;                                                      \
                memcpy(&value, (const void *)(base + address[lane]), sizeof value); \
                to[lane] = (result)value;                                           \
            }                                                                       \
            break;                                                                  \
        }                                                                           \
        for (uint32_t left = active; left; left &= left - 1) {                      \
            int lane = __builtin_ctz(left);                                         \
            element value;                                                          \
            memcpy(&value, (const void *)(base + address[lane]), sizeof value);     \
            to[lane] = (result)value;                                               \
        }                                                                           \
    } while (0)

#define STORE(element, from_type)                                             \
    do {                                                                      \
        const from_type *restrict from = (const from_type *)source;           \
        if (active == WARP_ALL_LANES) {                                       \
            for (int lane = 0; lane < WARP_LANES; lane++) {                   \
                element value = (element)from[lane];                          \
                memcpy((void *)(base + address[lane]), &value, sizeof value); \
            }                                                                 \
            break;                                                            \
        }                                                                     \
        for (uint32_t left = active; left; left &= left - 1) {                \
            int lane = __builtin_ctz(left);                                   \
            element value = (element)from[lane];                              \
            memcpy((void *)(base + address[lane]), &value, sizeof value);     \
        }                                                                     \
    } while (0)

static void load_wide(bool sign, uint32_t size_bytes, void *destination, uintptr_t base,
                      const uint64_t *address, uint32_t active)
{
    switch (size_bytes) {
    case 1:
        if (sign)
            LOAD(int8_t, int64_t);
        else
            LOAD(uint8_t, uint64_t);
        break;
    case 2:
        if (sign)
            LOAD(int16_t, int64_t);
        else
            LOAD(uint16_t, uint64_t);
        break;
    case 4:
        if (sign)
            LOAD(int32_t, int64_t);
        else
            LOAD(uint32_t, uint64_t);
        break;
    default: LOAD(uint64_t, uint64_t); break;
    }
}

static void load_narrow(bool sign, uint32_t size_bytes, void *destination, uintptr_t base,
                        const uint64_t *address, uint32_t active)
{
    switch (size_bytes) {
    case 1:
        if (sign)
            LOAD(int8_t, int32_t);
        else
            LOAD(uint8_t, uint32_t);
        break;
    case 2:
        if (sign)
            LOAD(int16_t, int32_t);
        else
            LOAD(uint16_t, uint32_t);
        break;
    default: LOAD(uint32_t, uint32_t); break;
    }
}

void warp_load_element(const struct program_instruction *instruction, uint8_t *frame, uint32_t k,
                       uintptr_t base, const uint64_t address[32], uint32_t active)
{
    uint32_t size_bytes = warp_element_bytes(instruction);
    uint8_t *slot = frame + instruction->destination[k];
    bool sign = instruction->sign_extended;
    base += (uintptr_t)k * size_bytes;
    if (size_bytes == 16) {
        load_wide(false, 8, slot, base, address, active);
        load_wide(false, 8, slot + WARP_LANES * sizeof(uint64_t), base + 8, address, active);
    } else if (size_bytes == 8 || instruction->destination_bytes == 8) {
        load_wide(sign, size_bytes, slot, base, address, active);
    } else {
        load_narrow(sign, size_bytes, slot, base, address, active);
        if (sign && instruction->destination_bytes == 2) /* bits above the register's width are 0 */
            for (uint32_t left = active; left; left &= left - 1)
                ((uint32_t *)(void *)slot)[__builtin_ctz(left)] &= 0xffff;
    }
}

void warp_store_element(const struct program_instruction *instruction, const uint8_t *frame, uint32_t k,
                        uintptr_t base, const uint64_t address[32], uint32_t active)
{
    uint32_t size_bytes = warp_element_bytes(instruction);
    const void *source = frame + instruction->source[1 + k];
    bool wide = instruction->destination_bytes == 8;
    base += (uintptr_t)k * size_bytes;
    switch (size_bytes) {
    case 1:
        if (wide)
            STORE(uint8_t, uint64_t);
        else
            STORE(uint8_t, uint32_t);
        break;
    case 2:
        if (wide)
            STORE(uint16_t, uint64_t);
        else
            STORE(uint16_t, uint32_t);
        break;
    case 4:
        if (wide)
            STORE(uint32_t, uint64_t);
        else
            STORE(uint32_t, uint32_t);
        break;
    case 8: STORE(uint64_t, uint64_t); break;
    default:
        STORE(uint64_t, uint64_t);
        source = (const uint8_t *)source + WARP_LANES * sizeof(uint64_t);
        base += 8;
        STORE(uint64_t, uint64_t);
        break;
    }
}
