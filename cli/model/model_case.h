/*
 * One case of a bundled workload, run in this process on the device model and at small size: it takes a tenth
 * of a second. Callbacks in the options receive the costs. One thread.
 */
#ifndef CLI_MODEL_MODEL_CASE_H
#define CLI_MODEL_MODEL_CASE_H

#include "core/base/error.h"
#include "simt/device/device.h"

/* spec as typed; if it names several cases, the first is run. */
enum status model_case_run(const char *spec, struct simt_options *options, struct error *error);

#endif
