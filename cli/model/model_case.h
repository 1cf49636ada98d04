/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One case of a bundled workload, run in this process on the device model and at small size: it takes a tenth
 * of a second. Callbacks in the options receive the costs. One thread.
 */
#ifndef CLI_MODEL_MODEL_CASE_H
#define CLI_MODEL_MODEL_CASE_H

#include "core/base/error.h"
#include "simt/device/device.h"
#include "workloads/frame/own_image.h"

/* A user's kernels that the case runs in place of the bundled ones. */
struct model_own {
    const struct own_image *image;
    const char *path, *text; /* of the source, as the image's lines name it; the text outlives what is made */
    const bool *changed;     /* by line of it, from 0: is it other than in the file that it began with? */
    uint32_t line_count;
};

/* spec as typed; if it names several cases, the first is run. own NULL: with the bundled kernels. */
enum status model_case_run(const char *spec, const struct model_own *own, struct simt_options *options,
                           struct error *error);

/* The text of a kernel's source file: bundled, or the user's. NULL: it is not known. */
const char *model_case_text(const struct model_own *own, const char *path);

#endif
