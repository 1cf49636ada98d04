/*
 * The parameters of the driver's launch calls, in one common form. Pure, except that it reads the call's
 * parameters, which are valid only in its callback.
 */
#ifndef CUPTI_AGENT_LAUNCH_PARAMS_H
#define CUPTI_AGENT_LAUNCH_PARAMS_H

#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>

struct launch_params {
    CUfunction function;
    CUstream stream;
    bool per_thread_stream; /* stream 0 of the call is the per-thread default stream */
    bool cooperative;
    uint32_t grid[3], block[3], cluster[3], dynamic_shared_bytes;
};

/* id: of the driver's API. False: the call is not a kernel launch. */
bool launch_params_read(CUpti_CallbackId id, const void *call_params, struct launch_params *params);

#endif
