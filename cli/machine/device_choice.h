/*
 * The device on which workloads and kernels run: the command line's choice, made once when a session starts.
 * With `auto` it is a GPU if the driver sees one and the agent can watch it, else the device model.
 *
 * Plain data, the caller's.
 */
#ifndef CLI_MACHINE_DEVICE_CHOICE_H
#define CLI_MACHINE_DEVICE_CHOICE_H

#include "cli/options/options.h"
#include "core/base/error.h"
#include "core/hardware/device_attribute.h"
#include "simt/timing/gpu.h"

struct device_choice {
    bool gpu; /* runs on a GPU */
    const struct gpu
        *model;    /* runs on the device model, as this GPU; NULL: it does not. With both the GPU is first */
    bool small;    /* the workloads' problems are small */
    char why[512]; /* why auto took the model, a sentence; empty: it did not have to */
    struct device_description
        looked;     /* the GPU as the driver describes it, where auto looked; else nothing in it */
    char note[320]; /* what must be said wherever the model's numbers are; empty without the model */
};

/* Is there anything to choose? A program runs on the model only where it is asked for. */
bool device_is_chosen(const struct options *options);

/*
 * USAGE when options do not fit the device they ask for, or there is no such model; NO_DEVICE when a GPU is
 * asked for and there is none. Looks for a GPU in a process of its own, so that the driver is never started
 * in this one; to be called before threads are.
 */
enum status device_choose(const struct options *options, struct device_choice *choice, struct error *error);

/* USAGE when an option is given that means nothing on what is used: a GPU, the device model, or both. */
enum status device_check(const struct options *options, bool gpu, bool model, struct error *error);

/* The model that --model names, or the default; NULL and USAGE when there is none of that id. */
const struct gpu *device_model(const char *id, struct error *error);

#endif
