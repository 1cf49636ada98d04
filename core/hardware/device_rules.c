/*
 * Rows are sorted by the first compute capability that they hold for; the last row not above the device's is
 * used.
 */
#include "core/hardware/device_rules.h"

#include <stddef.h>

const uint32_t *device_limit_sizes(enum device_limit limit, uint32_t compute_capability)
{
    static const struct {
        enum device_limit limit;
        uint32_t since, sizes[DEVICE_LIMIT_SIZES];
    } rows[] = {
        {DEVICE_LIMIT_BLOCK, 10, {512, 512, 64}},
        {DEVICE_LIMIT_BLOCK, 20, {1024, 1024, 64}},
        {DEVICE_LIMIT_GRID, 10, {65535, 65535, 1}},
        {DEVICE_LIMIT_GRID, 20, {65535, 65535, 65535}},
        {DEVICE_LIMIT_GRID, 30, {2147483647, 65535, 65535}},
        {DEVICE_LIMIT_TEXTURE_1D, 10, {8192}},
        {DEVICE_LIMIT_TEXTURE_1D, 20, {65536}},
        {DEVICE_LIMIT_TEXTURE_1D, 60, {131072}},
        {DEVICE_LIMIT_TEXTURE_2D, 10, {65536, 32768}},
        {DEVICE_LIMIT_TEXTURE_2D, 20, {65536, 65535}},
        {DEVICE_LIMIT_TEXTURE_2D, 30, {65536, 65536}},
        {DEVICE_LIMIT_TEXTURE_2D, 60, {131072, 65536}},
        {DEVICE_LIMIT_TEXTURE_3D, 10, {2048, 2048, 2048}},
        {DEVICE_LIMIT_TEXTURE_3D, 30, {4096, 4096, 4096}},
        {DEVICE_LIMIT_TEXTURE_3D, 60, {16384, 16384, 16384}},
        {DEVICE_LIMIT_LAYERED_1D, 10, {8192, 512}},
        {DEVICE_LIMIT_LAYERED_1D, 20, {16384, 2048}},
        {DEVICE_LIMIT_LAYERED_1D, 60, {32768, 2048}},
        {DEVICE_LIMIT_LAYERED_2D, 10, {8192, 8192, 512}},
        {DEVICE_LIMIT_LAYERED_2D, 20, {16384, 16384, 2048}},
        {DEVICE_LIMIT_LAYERED_2D, 60, {32768, 32768, 2048}},
    };
    const uint32_t *found = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].limit == limit && (found == NULL || rows[i].since <= compute_capability))
            found = rows[i].sizes;
    return found;
}

uint32_t device_ability_since(enum device_attribute ability)
{
    switch (ability) {
    case DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY: return 12;
    case DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: return 20;
    case DEVICE_ATTRIBUTE_MANAGED_MEMORY: return 30;
    case DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED: return 35;
    case DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED: return 60;
    case DEVICE_ATTRIBUTE_CLUSTER_LAUNCH: return 90;
    default: return 0;
    }
}
