/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA device: core/hardware/device.h over the CUDA driver API, in the primary context of one GPU.
 * libcuda is opened at run time; an image of workloads/frame/image.h becomes a module at its first launch.
 * One thread drives it.
 */
#ifndef WORKLOADS_CUDA_CUDA_H
#define WORKLOADS_CUDA_CUDA_H

#include "core/hardware/device.h"
#include "core/hardware/device_info.h"

#define CUDA_LIBRARY "libcuda.so.1" /* the driver's, wherever it lies */

/* How many GPUs the driver sees. STATUS_NO_DEVICE with a sentence if there is no driver, or none that works.
 * Starts the driver in this process. */
enum status cuda_count_devices(const char *library, uint32_t *count, struct error *error);

/* Describes a GPU without creating a context on it. As above, and STATUS_NO_DEVICE if there is no such GPU.
 */
enum status cuda_describe(const char *library, uint32_t ordinal, struct device_description *device,
                          struct error *error);

/* STATUS_NO_DEVICE with a sentence if there is no driver or no such GPU. Close it with device->ops->close. */
enum status cuda_device_open(const char *library, uint32_t ordinal, struct device **device,
                             struct error *error);

#endif
