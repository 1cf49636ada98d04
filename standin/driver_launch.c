/* SPDX-License-Identifier: Apache-2.0 */
/* Launches and attributes of kernels by the driver API. */
#include "standin/driver.h"

#include <stdlib.h>
#include <string.h>

/* ---- launches ---- */
/* The arguments lie in one buffer, laid out as the kernel's parameters; *arguments is freed by the caller. */
static CUresult unpack_arguments(CUfunction function, void **extra, void ***arguments)
{
    char *buffer = NULL;
    size_t bytes = 0, end = 0;
    struct simt_kernel facts;
    uint32_t capability;

    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2)
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            bytes = *(const size_t *)extra[1];
    cudaError_t code = standin_enter();
    if (code == cudaSuccess)
        code = standin_kernel_facts(function, &facts, &capability);
    if (standin_leave(code))
        return driver_result(code);
    for (uint32_t i = 0; i < facts.parameter_count; i++)
        end = facts.parameters[i].offset + facts.parameters[i].size_bytes;
    if (bytes > end)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES; /* as an H200 says it */
    *arguments = calloc(facts.parameter_count + 1u, sizeof **arguments);
    if (!*arguments)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < facts.parameter_count; i++)
        (*arguments)[i] = buffer + facts.parameters[i].offset;
    return CUDA_SUCCESS;
}

static cudaLaunchConfig_t config_convert(const CUlaunchConfig *config)
{
    return (cudaLaunchConfig_t){.gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ},
                                .blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ},
                                .dynamicSmemBytes = config->sharedMemBytes,
                                .stream = config->hStream,
                                .attrs = (void *)config->attrs, /* of the same layout */
                                .numAttrs = config->numAttrs};
}

STANDIN_API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments,
                                      void **extra)
{
    void **unpacked = NULL;

    if (!config || (arguments && extra))
        return CUDA_ERROR_INVALID_VALUE;
    if (driver_unloaded(function))
        return CUDA_ERROR_INVALID_HANDLE;
    const cudaLaunchConfig_t same = config_convert(config);
    CUresult result = extra ? unpack_arguments(function, extra, &unpacked) : CUDA_SUCCESS;

    if (result == CUDA_SUCCESS)
        result = driver_result(cudaLaunchKernelExC(&same, function, extra ? unpacked : arguments));
    free(unpacked);
    return result;
}

STANDIN_API CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                    unsigned block_x, unsigned block_y, unsigned block_z,
                                    unsigned shared_bytes, CUstream stream, void **arguments, void **extra)
{
    const CUlaunchConfig config = {.gridDimX = grid_x,
                                   .gridDimY = grid_y,
                                   .gridDimZ = grid_z,
                                   .blockDimX = block_x,
                                   .blockDimY = block_y,
                                   .blockDimZ = block_z,
                                   .sharedMemBytes = shared_bytes,
                                   .hStream = stream};

    return cuLaunchKernelEx(&config, function, arguments, extra);
}

STANDIN_API CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                               unsigned grid_z, unsigned block_x, unsigned block_y,
                                               unsigned block_z, unsigned shared_bytes, CUstream stream,
                                               void **arguments)
{
    return driver_result(cudaLaunchCooperativeKernel(function, (dim3){grid_x, grid_y, grid_z},
                                                     (dim3){block_x, block_y, block_z}, arguments,
                                                     shared_bytes, stream));
}

STANDIN_API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *argument)
{
    return driver_result(cudaLaunchHostFunc(stream, function, argument));
}

/* ---- attributes ---- */
STANDIN_API CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    struct cudaFuncAttributes facts;
    cudaError_t code = value && (unsigned)attribute < CU_FUNC_ATTRIBUTE_MAX
                           ? cudaFuncGetAttributes(&facts, function)
                           : cudaErrorInvalidValue;

    if (code != cudaSuccess)
        return driver_result(code);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = facts.maxThreadsPerBlock; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)facts.sharedSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)facts.constSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)facts.localSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = facts.numRegs; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = facts.ptxVersion; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = facts.binaryVersion; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = facts.maxDynamicSharedSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = facts.preferredShmemCarveout; break;
    default: *value = 0; break;
    }
    return CUDA_SUCCESS;
}

/* Both APIs have the same numbers. */
STANDIN_API CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    return driver_result(cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value));
}

STANDIN_API CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    return driver_result(cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config));
}

STANDIN_API CUresult cuFuncGetName(const char **name, CUfunction function)
{
    if (!name || !function)
        return CUDA_ERROR_INVALID_VALUE;
    standin_enter_closed();
    const struct binary_kernel *kernel = binary_kernel_find(function);
    *name = kernel ? binary_kernel_name(kernel) : NULL;
    standin_leave(cudaSuccess);
    return kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

STANDIN_API CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
    cudaError_t code = standin_enter();
    struct simt_kernel facts;
    uint32_t capability;

    if (code == cudaSuccess && (!function || !offset))
        code = cudaErrorInvalidValue;
    if (code == cudaSuccess)
        code = standin_kernel_facts(function, &facts, &capability);
    if (code == cudaSuccess && index >= facts.parameter_count)
        code = cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *offset = facts.parameters[index].offset;
        if (bytes)
            *bytes = facts.parameters[index].size_bytes;
    }
    return driver_result(standin_leave(code));
}

STANDIN_API CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                                          CUdevice device)
{
    if (device < 0 || device >= standin_gpus())
        return CUDA_ERROR_INVALID_DEVICE;
    return cuFuncGetAttribute(value, attribute, (CUfunction)(uintptr_t)kernel);
}

STANDIN_API CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                                          CUdevice device)
{
    (void)device;
    return cuFuncSetAttribute((CUfunction)(uintptr_t)kernel, attribute, value);
}

STANDIN_API CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
    (void)device;
    return cuFuncSetCacheConfig((CUfunction)(uintptr_t)kernel, config);
}

STANDIN_API CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
    return cuFuncGetName(name, (CUfunction)(uintptr_t)kernel);
}

STANDIN_API CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes)
{
    return cuFuncGetParamInfo((CUfunction)(uintptr_t)kernel, index, offset, bytes);
}

/* ---- occupancy ---- */
STANDIN_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                                 int threads, size_t shared_bytes)
{
    return driver_result(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes));
}

STANDIN_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                                          int threads, size_t shared_bytes,
                                                                          unsigned flags)
{
    (void)flags;
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes);
}

/* The block size with the most resident threads; of equal ones the largest, as CUDA's documentation describes
 * it. */
STANDIN_API CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                                      CUoccupancyB2DSize shared_of_block, size_t shared_bytes,
                                                      int block_limit)
{
    struct cudaFuncAttributes facts;
    CUresult result = driver_result(cudaFuncGetAttributes(&facts, function));
    int most = facts.maxThreadsPerBlock, best = 0, blocks = 0;

    if (result == CUDA_SUCCESS && block_limit > 0 && block_limit < most)
        most = block_limit;
    for (int threads = (most + 31) / 32 * 32; threads > 0 && result == CUDA_SUCCESS; threads -= 32) {
        int tried = threads < most ? threads : most;
        result = cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, tried, shared_of_block ? shared_of_block(tried) : shared_bytes);
        if (blocks * tried > best) {
            best = blocks * tried;
            *block = tried;
            *grid = blocks * (int)standin_info()->multiprocessors;
        }
    }
    return result;
}

STANDIN_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                               CUoccupancyB2DSize shared_of_block,
                                                               size_t shared_bytes, int block_limit,
                                                               unsigned flags)
{
    (void)flags;
    return cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of_block, shared_bytes,
                                            block_limit);
}

STANDIN_API CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                                  const CUlaunchConfig *config)
{
    const cudaLaunchConfig_t same = config_convert(config);

    return driver_result(cudaOccupancyMaxActiveClusters(clusters, function, &same));
}

STANDIN_API CUresult cuOccupancyMaxPotentialClusterSize(int *cluster, CUfunction function,
                                                        const CUlaunchConfig *config)
{
    const cudaLaunchConfig_t same = config_convert(config);

    return driver_result(cudaOccupancyMaxPotentialClusterSize(cluster, function, &same));
}

STANDIN_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks,
                                                             int threads)
{
    return driver_result(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads));
}

/* ---- streams and events ---- */

/* Streams and events by the driver API. */

/* ---- streams ---- */
STANDIN_API CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    return driver_result(cudaStreamCreateWithFlags(stream, flags));
}

STANDIN_API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    return driver_result(cudaStreamCreateWithPriority(stream, flags, priority));
}

STANDIN_API CUresult cuStreamDestroy(CUstream stream)
{
    return driver_result(cudaStreamDestroy(stream));
}

STANDIN_API CUresult cuStreamSynchronize(CUstream stream)
{
    return driver_result(cudaStreamSynchronize(stream));
}

STANDIN_API CUresult cuStreamQuery(CUstream stream)
{
    return driver_result(cudaStreamQuery(stream));
}

STANDIN_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    return driver_result(cudaStreamWaitEvent(stream, event, flags));
}

/* The codes that the function gets are of equal size. */
STANDIN_API CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *argument,
                                         unsigned flags)
{
    return driver_result(
        cudaStreamAddCallback(stream, (cudaStreamCallback_t)(void (*)(void))function, argument, flags));
}

STANDIN_API CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
    return driver_result(cudaStreamGetFlags(stream, flags));
}

STANDIN_API CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    return driver_result(cudaStreamGetPriority(stream, priority));
}

#undef cuStreamGetCtx
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context);
STANDIN_API CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    int gpu = 0;
    cudaError_t code = cudaStreamGetDevice(stream, &gpu);

    *context = driver_context(gpu);
    return driver_result(code);
}

STANDIN_API CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes,
                                            unsigned flags)
{
    return driver_result(cudaStreamAttachMemAsync(stream, driver_pointer(address), bytes, flags));
}

STANDIN_API CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    enum cudaStreamCaptureStatus same = cudaStreamCaptureStatusNone;
    cudaError_t code = cudaStreamIsCapturing(stream, &same);

    *status = (CUstreamCaptureStatus)same;
    return driver_result(code);
}

STANDIN_API CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    return driver_result(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode));
}

STANDIN_API CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    return driver_result(cudaStreamEndCapture(stream, graph));
}

STANDIN_API CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                                 unsigned long long flags)
{
    return driver_result(cudaGraphInstantiateWithFlags(executable, graph, flags));
}

STANDIN_API CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream)
{
    return driver_result(cudaGraphLaunch(executable, stream));
}

STANDIN_API CUresult cuGraphDestroy(CUgraph graph)
{
    return driver_result(cudaGraphDestroy(graph));
}

STANDIN_API CUresult cuGraphExecDestroy(CUgraphExec executable)
{
    return driver_result(cudaGraphExecDestroy(executable));
}

/* ---- events ---- */
STANDIN_API CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    return driver_result(cudaEventCreateWithFlags(event, flags));
}

STANDIN_API CUresult cuEventDestroy(CUevent event)
{
    return driver_result(cudaEventDestroy(event));
}

STANDIN_API CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return driver_result(cudaEventRecord(event, stream));
}

STANDIN_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    return driver_result(cudaEventRecordWithFlags(event, stream, flags));
}

STANDIN_API CUresult cuEventSynchronize(CUevent event)
{
    return driver_result(cudaEventSynchronize(event));
}

STANDIN_API CUresult cuEventQuery(CUevent event)
{
    return driver_result(cudaEventQuery(event));
}

STANDIN_API CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    return driver_result(cudaEventElapsedTime(ms, start, end));
}

#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end);
STANDIN_API CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    return cuEventElapsedTime_v2(ms, start, end);
}
