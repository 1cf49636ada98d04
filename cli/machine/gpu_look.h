/*
 * Looks for GPUs without starting the driver in this process: a child asks the driver and exits. Call it
 * before threads are started.
 */
#ifndef CLI_MACHINE_GPU_LOOK_H
#define CLI_MACHINE_GPU_LOOK_H

#include "core/hardware/device_info.h"

#include <stddef.h>
#include <stdint.h>

#define GPU_LOOK_MAX 16

/* What CUDA's driver reports about its GPUs, at most `most` of them in `gpus` (may be NULL), in its order.
 * Returns how many there are; 0, and `why`, a sentence. Takes as long as the driver needs to start, at most
 * 20 s. */
uint32_t gpu_look(struct device_description *gpus, size_t most, char *why, size_t why_bytes);

#endif
