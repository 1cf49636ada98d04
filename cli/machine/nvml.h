/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA's management library (NVML), opened at run time: the state of a GPU. The functions used are declared
 * here, so that it compiles without NVIDIA's headers; names, numbers and signatures are those of the NVML API
 * reference. If a driver's NVML lacks a function, only that number is not available.
 *
 * It never starts CUDA. A call may take milliseconds, and more when the driver is busy: do not call it on the
 * screen's thread (cli/machine/health.h has its own). One thread at a time.
 */
#ifndef CLI_MACHINE_NVML_H
#define CLI_MACHINE_NVML_H

#include "core/base/error.h"
#include "core/hardware/device_health.h"

#include <stdbool.h>

#define NVML_LIBRARY "libnvidia-ml.so.1"

struct nvml;

/* STATUS_NO_DEVICE with a sentence if there is no such library, or it finds no driver. */
enum status nvml_open(struct nvml **nvml, const char *library, struct error *error);
void nvml_close(struct nvml *nvml); /* NULL: nothing */

/* The GPU with this UUID (of struct device_info), or, if it is all zeros, number `index` in NVML's order. A
 * value that NVML does not give is not available, with its reason or HEALTH_UNKNOWN. */
void nvml_health(const struct nvml *nvml, const uint8_t uuid[16], uint32_t index,
                 struct device_health *health);

/* The memory in use, and all, of the GPU with this number in NVML's order. False: there is no such GPU, or it
 * does not say. */
bool nvml_read_memory(const struct nvml *nvml, uint32_t index, uint64_t *used_bytes, uint64_t *total_bytes);

#endif
