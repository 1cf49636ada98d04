/* No data: one reader per kind of launch call, each of which fills all fields that its call has. */
#include "cupti/agent/launch_params.h"

#include <string.h>

static void read_plain(const cuLaunchKernel_params *call, struct launch_params *params)
{
    params->function = call->f;
    params->stream = call->hStream;
    params->grid[0] = call->gridDimX;
    params->grid[1] = call->gridDimY;
    params->grid[2] = call->gridDimZ;
    params->block[0] = call->blockDimX;
    params->block[1] = call->blockDimY;
    params->block[2] = call->blockDimZ;
    params->dynamic_shared_bytes = call->sharedMemBytes;
}

static void read_cooperative(const cuLaunchCooperativeKernel_params *call, struct launch_params *params)
{
    params->function = call->f;
    params->stream = call->hStream;
    params->cooperative = true;
    params->grid[0] = call->gridDimX;
    params->grid[1] = call->gridDimY;
    params->grid[2] = call->gridDimZ;
    params->block[0] = call->blockDimX;
    params->block[1] = call->blockDimY;
    params->block[2] = call->blockDimZ;
    params->dynamic_shared_bytes = call->sharedMemBytes;
}

static bool read_extended(const cuLaunchKernelEx_params *call, struct launch_params *params)
{
    const CUlaunchConfig *config = call->config;
    if (!config)
        return false;
    params->function = call->f;
    params->stream = config->hStream;
    params->grid[0] = config->gridDimX;
    params->grid[1] = config->gridDimY;
    params->grid[2] = config->gridDimZ;
    params->block[0] = config->blockDimX;
    params->block[1] = config->blockDimY;
    params->block[2] = config->blockDimZ;
    params->dynamic_shared_bytes = config->sharedMemBytes;
    for (unsigned i = 0; config->attrs && i < config->numAttrs; i++) {
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
            params->cooperative = config->attrs[i].value.cooperative != 0;
        } else if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            params->cluster[0] = config->attrs[i].value.clusterDim.x;
            params->cluster[1] = config->attrs[i].value.clusterDim.y;
            params->cluster[2] = config->attrs[i].value.clusterDim.z;
        }
    }
    return true;
}

bool launch_params_read(CUpti_CallbackId id, const void *call_params, struct launch_params *params)
{
    memset(params, 0, sizeof *params);
    params->per_thread_stream = id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
                                id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz ||
                                id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: read_plain(call_params, params); return true;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
        read_cooperative(call_params, params);
        return true;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: return read_extended(call_params, params);
    default: return false;
    }
}
