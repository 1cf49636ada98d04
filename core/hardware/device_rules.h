/*
 * Facts beyond core/hardware/arch that follow from the compute capability, for a device sheet without data of
 * the driver: the largest blocks, grids and textures, and abilities. Static data, any thread. Sources: CUDA
 * C++ Programming Guide, features and technical specifications per compute capability (1.x and 2.x: edition
 * 4.2); the sizes of textures are those that drivers of each generation report.
 */
#ifndef CORE_HARDWARE_DEVICE_RULES_H
#define CORE_HARDWARE_DEVICE_RULES_H

#include "core/hardware/device_attribute.h"

#include <stdint.h>

#define DEVICE_LIMIT_SIZES 3

enum device_limit {
    DEVICE_LIMIT_BLOCK,      /* threads in each direction */
    DEVICE_LIMIT_GRID,       /* blocks in each direction */
    DEVICE_LIMIT_TEXTURE_1D, /* texels */
    DEVICE_LIMIT_TEXTURE_2D,
    DEVICE_LIMIT_TEXTURE_3D,
    DEVICE_LIMIT_LAYERED_1D, /* texels; the last size is the number of layers */
    DEVICE_LIMIT_LAYERED_2D
};

/* The sizes, as many as the limit has; the rest are 0. */
const uint32_t *device_limit_sizes(enum device_limit limit, uint32_t compute_capability);

/* The first compute capability (90 for 9.0) with this ability; 0: it does not follow from the compute
 * capability. */
uint32_t device_ability_since(enum device_attribute ability);

#endif
