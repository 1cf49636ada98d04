/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device on which workloads and kernels run: the command line's choice, made once when a session starts.
 * With `auto` it is a GPU if the driver sees one and the agent can watch it, else the device model. GPUs are
 * looked for without starting the driver in this process: a child asks the driver and exits. Call it before
 * threads are started.
 *
 * Plain data, the caller's.
 */
#ifndef CLI_MACHINE_DEVICE_CHOICE_H
#define CLI_MACHINE_DEVICE_CHOICE_H

#include "cli/options/options.h"
#include "core/base/error.h"
#include "core/hardware/device_info.h"
#include "simt/timing/gpu.h"

#include <stddef.h>
#include <stdint.h>

#define GPU_LOOK_MAX 16

/* What CUDA's driver reports about its GPUs, at most `most` of them in `gpus` (may be NULL), in its order.
 * Returns how many there are; 0, and `why`, a sentence. Takes as long as the driver needs to start, at most
 * 20 s. */
uint32_t gpu_look(struct device_description *gpus, size_t most, char *why, size_t why_bytes);

struct device_choice {
    bool gpu;                /* runs on a GPU */
    const struct gpu *model; /* the GPU that the device model imitates; NULL: runs do not use the model. With
                                both, the GPU is first */
    bool small;              /* the workloads' problems are small */
    char why[512];           /* why auto chose the model, a sentence; empty: it did not */
    struct device_description looked; /* the GPU as the driver describes it, with auto and both; else empty */
    uint32_t gpus;                    /* number of GPUs that the driver sees, likewise */
    char note[320];                   /* the note to show with the model's numbers; empty without the model */
};

/* Is a device to be chosen? A program runs on the model only on request. */
bool device_is_chosen(const struct options *options);

/* STATUS_USAGE: options do not fit the chosen device, or there is no such model; STATUS_NO_DEVICE: a GPU was
 * requested and there is none. Looks for a GPU in another process, so that the driver is never started in
 * this one; call it before threads are started. */
enum status device_choose(const struct options *options, struct device_choice *choice, struct error *error);

/* STATUS_USAGE: an option was given that has no meaning on the devices in use: a GPU, the device model, or
 * both. */
enum status device_check(const struct options *options, bool gpu, bool model, struct error *error);

/* The model of --model, or the default; NULL and STATUS_USAGE if there is none with that id. */
const struct gpu *device_model(const char *id, struct error *error);

#endif
