/*
 * What the driver's launch calls say, in one form. Pure but for reading the call's own parameters, which are
 * valid in its callback only.
 */
#ifndef CUPTI_AGENT_LAUNCH_PARAMS_H
#define CUPTI_AGENT_LAUNCH_PARAMS_H

#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>

struct launch_params {
    CUfunction function;
    CUstream stream;
    bool per_thread_stream; /* the call's stream 0 is the per-thread default stream */
    bool cooperative;
    uint32_t grid[3], block[3], cluster[3], dynamic_shared_bytes;
};

/* id: of the driver's API. False: not a launch of a kernel. */
bool launch_params_read(CUpti_CallbackId id, const void *call_params, struct launch_params *params);

#endif
