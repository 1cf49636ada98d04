/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA 12's runtime where it differs from CUDA 13's: functions with names of their own (names_12.txt), and
 * functions that took other arguments or wrote other structures under the same name (cuda_12_functions). The
 * layouts and signatures are those of the headers of CUDA 12.9.
 */
#include "standin/absent.h"

#include <string.h>

/* clang-format off */
struct properties_12 {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int deviceOverlap;
    int multiProcessorCount;
    int kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    int computeMode;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture1DLinear;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    int cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseCudaArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
};
#define SHARED_MEMBERS(X) \
    X(name) X(uuid) X(luid) X(luidDeviceNodeMask) X(totalGlobalMem) X(sharedMemPerBlock) \
    X(regsPerBlock) X(warpSize) X(memPitch) X(maxThreadsPerBlock) X(maxThreadsDim) X(maxGridSize) \
    X(totalConstMem) X(major) X(minor) X(textureAlignment) X(texturePitchAlignment) \
    X(multiProcessorCount) X(integrated) X(canMapHostMemory) X(maxTexture1D) X(maxTexture1DMipmap) \
    X(maxTexture2D) X(maxTexture2DMipmap) X(maxTexture2DLinear) X(maxTexture2DGather) \
    X(maxTexture3D) X(maxTexture3DAlt) X(maxTextureCubemap) X(maxTexture1DLayered) \
    X(maxTexture2DLayered) X(maxTextureCubemapLayered) X(maxSurface1D) X(maxSurface2D) \
    X(maxSurface3D) X(maxSurface1DLayered) X(maxSurface2DLayered) X(maxSurfaceCubemap) \
    X(maxSurfaceCubemapLayered) X(surfaceAlignment) X(concurrentKernels) X(ECCEnabled) X(pciBusID) \
    X(pciDeviceID) X(pciDomainID) X(tccDriver) X(asyncEngineCount) X(unifiedAddressing) \
    X(memoryBusWidth) X(l2CacheSize) X(persistingL2CacheMaxSize) X(maxThreadsPerMultiProcessor) \
    X(streamPrioritiesSupported) X(globalL1CacheSupported) X(localL1CacheSupported) \
    X(sharedMemPerMultiprocessor) X(regsPerMultiprocessor) X(managedMemory) X(isMultiGpuBoard) \
    X(multiGpuBoardGroupID) X(hostNativeAtomicSupported) X(pageableMemoryAccess) \
    X(concurrentManagedAccess) X(computePreemptionSupported) X(canUseHostPointerForRegisteredMem) \
    X(cooperativeLaunch) X(sharedMemPerBlockOptin) X(pageableMemoryAccessUsesHostPageTables) \
    X(directManagedMemAccessFromHost) X(maxBlocksPerMultiProcessor) X(accessPolicyMaxWindowSize) \
    X(reservedSharedMemPerBlock) X(hostRegisterSupported) X(sparseCudaArraySupported) \
    X(hostRegisterReadOnlySupported) X(timelineSemaphoreInteropSupported) X(memoryPoolsSupported) \
    X(gpuDirectRDMASupported) X(gpuDirectRDMAFlushWritesOptions) X(gpuDirectRDMAWritesOrdering) \
    X(memoryPoolSupportedHandleTypes) X(deferredMappingCudaArraySupported) X(ipcEventSupported) \
    X(clusterLaunch) X(unifiedFunctionPointers)
/* clang-format on */

/* Under the name without _v2 CUDA 12 has the structure of CUDA 11, which is its first part. */
#define PROPERTIES_11_BYTES offsetof(struct properties_12, hostRegisterSupported)

/* ---- properties ---- */
static cudaError_t properties_get(struct properties_12 *to, int device)
{
    struct cudaDeviceProp from;
    cudaError_t code = cudaGetDeviceProperties(&from, device);

    if (code != cudaSuccess)
        return code;
    memset(to, 0, sizeof *to);
#define TAKE(member) memcpy(&to->member, &from.member, sizeof to->member);
    SHARED_MEMBERS(TAKE)
#undef TAKE
    to->clockRate = (int)standin_info()->core_clock_khz;
    to->memoryClockRate = (int)standin_info()->memory_clock_khz;
    to->deviceOverlap = from.asyncEngineCount > 0;
    to->maxTexture1DLinear = from.maxTexture1D;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties_v2(struct properties_12 *properties, int device);
STANDIN_API cudaError_t cudaGetDeviceProperties_v2(struct properties_12 *properties, int device)
{
    return properties_get(properties, device);
}

static cudaError_t properties_get_11(void *properties, int device)
{
    struct properties_12 all;
    cudaError_t code = properties_get(&all, device);

    if (code == cudaSuccess)
        memcpy(properties, &all, PROPERTIES_11_BYTES);
    return code;
}

/* ---- functions that CUDA 13 has under the name without _v2 ---- */
cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end);
STANDIN_API cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return cudaEventElapsedTime(ms, start, end);
}

cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location);
STANDIN_API cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                                         struct cudaMemLocation location)
{
    return cudaMemAdvise(pointer, bytes, advice, location);
}

cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                    unsigned flags, cudaStream_t stream);
STANDIN_API cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes,
                                                struct cudaMemLocation location, unsigned flags,
                                                cudaStream_t stream)
{
    return cudaMemPrefetchAsync(pointer, bytes, location, flags, stream);
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t count);
STANDIN_API cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                    const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                                    size_t count)
{
    return cudaGraphAddDependencies(graph, from, to, edges, count);
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                const cudaGraphEdgeData *edges, size_t count,
                                struct cudaGraphNodeParams *asked);
STANDIN_API cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph,
                                            const cudaGraphNode_t *dependencies,
                                            const cudaGraphEdgeData *edges, size_t count,
                                            struct cudaGraphNodeParams *asked)
{
    return cudaGraphAddNode(node, graph, dependencies, edges, count, asked);
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges,
                                        size_t *count);
STANDIN_API cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                    unsigned long long *id, cudaGraph_t *graph,
                                                    const cudaGraphNode_t **dependencies,
                                                    const cudaGraphEdgeData **edges, size_t *count)
{
    return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, edges, count);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies, size_t *count);
STANDIN_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                    unsigned long long *id, cudaGraph_t *graph,
                                                    const cudaGraphNode_t **dependencies, size_t *count)
{
    return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, NULL, count);
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                   const cudaGraphEdgeData *edges, size_t count,
                                                   unsigned flags);
STANDIN_API cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream,
                                                               cudaGraphNode_t *dependencies,
                                                               const cudaGraphEdgeData *edges, size_t count,
                                                               unsigned flags)
{
    return cudaStreamUpdateCaptureDependencies(stream, dependencies, edges, count, flags);
}

/* ---- functions of CUDA before 4.0 ---- */
cudaError_t cudaThreadSynchronize(void);
STANDIN_API cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void);
STANDIN_API cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
STANDIN_API cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
STANDIN_API cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);
STANDIN_API cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}

/* ---- other arguments under the same name ---- */
static cudaError_t add_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                    size_t count)
{
    return cudaGraphAddDependencies(graph, from, to, NULL, count);
}

static cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                            size_t count, struct cudaGraphNodeParams *asked)
{
    return cudaGraphAddNode(node, graph, dependencies, NULL, count, asked);
}

static cudaError_t capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                unsigned long long *id)
{
    return cudaStreamGetCaptureInfo(stream, status, id, NULL, NULL, NULL, NULL);
}

static cudaError_t memory_advise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
    return cudaMemAdvise(
        pointer, bytes, advice,
        (struct cudaMemLocation){.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                                 .id = device < 0 ? 0 : device});
}

static cudaError_t memory_prefetch(const void *pointer, size_t bytes, int device, cudaStream_t stream)
{
    return cudaMemPrefetchAsync(
        pointer, bytes,
        (struct cudaMemLocation){.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                                 .id = device < 0 ? 0 : device},
        0, stream);
}

static cudaError_t update_dependencies(cudaStream_t stream, cudaGraphNode_t *dependencies, size_t count,
                                       unsigned flags)
{
    return cudaStreamUpdateCaptureDependencies(stream, dependencies, NULL, count, flags);
}

/* Whose arguments or order of edges the model has not under this name. */
#define REFUSES(function)                             \
    static cudaError_t refuse_##function(void)        \
    {                                                 \
        return (cudaError_t)absent_refuse(#function); \
    }
REFUSES(cudaGraphRemoveDependencies)
REFUSES(cudaGraphGetEdges)
REFUSES(cudaGraphNodeGetDependencies)
REFUSES(cudaGraphNodeGetDependentNodes)

#define FUNCTION(name, function)            \
    {                                       \
        name, (void (*)(void))(function), 0 \
    }
const struct standin_name cuda_12_functions[] = {
    FUNCTION("cudaGetDeviceProperties", properties_get_11),
    FUNCTION("cudaGraphAddDependencies", add_dependencies),
    FUNCTION("cudaGraphAddNode", add_node),
    FUNCTION("cudaGraphGetEdges", refuse_cudaGraphGetEdges),
    FUNCTION("cudaGraphNodeGetDependencies", refuse_cudaGraphNodeGetDependencies),
    FUNCTION("cudaGraphNodeGetDependentNodes", refuse_cudaGraphNodeGetDependentNodes),
    FUNCTION("cudaGraphRemoveDependencies", refuse_cudaGraphRemoveDependencies),
    FUNCTION("cudaMemAdvise", memory_advise),
    FUNCTION("cudaMemPrefetchAsync", memory_prefetch),
    FUNCTION("cudaMemPrefetchAsync_ptsz", memory_prefetch),
    FUNCTION("cudaStreamGetCaptureInfo", capture_info),
    FUNCTION("cudaStreamUpdateCaptureDependencies", update_dependencies),
};
const size_t cuda_12_function_count = sizeof cuda_12_functions / sizeof *cuda_12_functions;
