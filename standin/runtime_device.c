/* SPDX-License-Identifier: Apache-2.0 */
/* The properties and limits of the modelled GPU; if there are several, all are equal. Limits
 * that the model's rows do not give are those that CUDA documents for all GPUs since compute capability 7.5.
 */
#include "standin/driver.h"

#include "core/hardware/arch.h"
#include "core/hardware/device_sheet.h"
#include "standin/standin.h"

#include <cuda.h>
#include <stdio.h>
#include <string.h>

/* ---- the device ---- */

#define CONSTANT_BYTES 65536
#define PRINTF_BYTES_PER_MULTIPROCESSOR 65536u /* an H200's default, 8,650,752 for 132 of them */
#define PRINTF_BYTES_LEAST 524288u
#define FETCH_BYTES_MOST 128u

/* One schedule, and what cudaDeviceMask has. */
static bool flags_are_known(unsigned flags)
{
    const unsigned schedule = flags & cudaDeviceScheduleMask;

    return (flags & ~(unsigned)cudaDeviceMask) == 0 && (schedule & (schedule - 1)) == 0;
}

STANDIN_API cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    cudaError_t code = standin_enter_facts();

    if (code == cudaSuccess && flags & cudaInitDeviceFlagsAreValid && !flags_are_known(device_flags))
        code = cudaErrorInvalidValue;
    standin_leave(code);
    return code ? code : cudaSetDevice(device);
}

STANDIN_API cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess && !flags_are_known(flags))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess)
        driver_flags_set(standin_gpu(), flags);
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    if (!flags)
        return standin_null();
    cudaError_t lost = standin_enter_facts();

    if (lost == cudaSuccess) /* an H200 maps memory of the host whatever the program sets */
        *flags = driver_flags(standin_gpu()) | cudaDeviceMapHost;
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    return wanted ? cudaGetDevice(device) : standin_null();
}

static int has_ability(enum device_attribute ability)
{
    return standin_info()->compute_capability >= device_ability_since(ability);
}

static void take_limits(struct cudaDeviceProp *properties, uint32_t capability)
{
    const struct {
        enum device_limit limit;
        int *sizes, count;
    } limits[] = {
        {DEVICE_LIMIT_BLOCK, properties->maxThreadsDim, 3},
        {DEVICE_LIMIT_GRID, properties->maxGridSize, 3},
        {DEVICE_LIMIT_TEXTURE_1D, &properties->maxTexture1D, 1},
        {DEVICE_LIMIT_TEXTURE_2D, properties->maxTexture2D, 2},
        {DEVICE_LIMIT_TEXTURE_3D, properties->maxTexture3D, 3},
        {DEVICE_LIMIT_LAYERED_1D, properties->maxTexture1DLayered, 2},
        {DEVICE_LIMIT_LAYERED_2D, properties->maxTexture2DLayered, 3},
    };

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (int size = 0; size < limits[i].count; size++)
            limits[i].sizes[size] = (int)device_limit_sizes(limits[i].limit, capability)[size];
}

STANDIN_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    if (!properties)
        return standin_null();
    cudaError_t code = standin_enter_facts();

    if (code == cudaSuccess && (device < 0 || device >= standin_gpus()))
        code = cudaErrorInvalidDevice;
    if (code != cudaSuccess)
        return standin_leave(code);
    const struct device_info *info = standin_info();
    const int capability = (int)info->compute_capability;
    *properties = (struct cudaDeviceProp){
        .totalGlobalMem = info->memory_bytes,
        .sharedMemPerBlock = info->shared_bytes_per_block,
        .regsPerBlock = (int)info->registers_per_block,
        .warpSize = 32,
        .memPitch = 2147483647,
        .maxThreadsPerBlock = (int)info->max_threads_per_block,
        .totalConstMem = CONSTANT_BYTES,
        .major = capability / 10,
        .minor = capability % 10,
        .textureAlignment = TEXTURE_ALIGNMENT_BYTES,
        .texturePitchAlignment = TEXTURE_PITCH_BYTES,
        .multiProcessorCount = (int)info->multiprocessors,
        .canMapHostMemory = has_ability(DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY),
        .maxTextureCubemap = 32768,
        .maxTextureCubemapLayered = {32768, 2046},
        .surfaceAlignment = 512,
        .concurrentKernels = (int)info->concurrent_kernels,
        .streamPrioritiesSupported = has_ability(DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED),
        .hostRegisterSupported = 1,
        .clusterLaunch = has_ability(DEVICE_ATTRIBUTE_CLUSTER_LAUNCH),
        .ECCEnabled = (int)info->ecc,
        .asyncEngineCount = (int)info->copy_engines,
        .unifiedAddressing = has_ability(DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING),
        .memoryBusWidth = (int)info->memory_bus_bits,
        .l2CacheSize = (int)info->l2_bytes,
        .maxThreadsPerMultiProcessor = (int)info->max_threads_per_multiprocessor,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .sharedMemPerMultiprocessor = info->shared_bytes_per_multiprocessor,
        .regsPerMultiprocessor = (int)info->registers_per_multiprocessor,
        .managedMemory = has_ability(DEVICE_ATTRIBUTE_MANAGED_MEMORY),
        .concurrentManagedAccess = has_ability(DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS),
        .sharedMemPerBlockOptin = info->shared_bytes_per_block_optin,
        .maxBlocksPerMultiProcessor = (int)info->max_blocks_per_multiprocessor,
        .reservedSharedMemPerBlock = info->shared_bytes_reserved_per_block,
        .memoryPoolsSupported = 1,
        .cooperativeLaunch = has_ability(DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH),
        .computePreemptionSupported = has_ability(DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED),
        .pciBusID = device,
    };
    take_limits(properties, info->compute_capability);
    snprintf(properties->name, sizeof properties->name, "%s", info->name);
    memcpy(&properties->uuid, info->uuid, sizeof properties->uuid);
    properties->uuid.bytes[sizeof properties->uuid.bytes - 1] ^= (char)device;
    return standin_leave(cudaSuccess);
}

/* Attributes are read from the properties, so that both are always equal. */
STANDIN_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    if (!value)
        return standin_null();
    struct cudaDeviceProp facts;
    cudaError_t code = cudaGetDeviceProperties(&facts, device);

    if (code != cudaSuccess)
        return code;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = facts.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = facts.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = facts.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = facts.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = facts.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = facts.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = facts.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)facts.sharedMemPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)facts.sharedMemPerBlockOptin; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = (int)facts.sharedMemPerMultiprocessor; break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = (int)facts.reservedSharedMemPerBlock; break;
    case cudaDevAttrTotalConstantMemory: *value = (int)facts.totalConstMem; break;
    case cudaDevAttrWarpSize: *value = facts.warpSize; break;
    case cudaDevAttrMaxPitch: *value = (int)facts.memPitch; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = facts.regsPerBlock; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = facts.regsPerMultiprocessor; break;
    case cudaDevAttrClockRate: *value = (int)standin_info()->core_clock_khz; break;
    case cudaDevAttrMemoryClockRate: *value = (int)standin_info()->memory_clock_khz; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = facts.memoryBusWidth; break;
    case cudaDevAttrL2CacheSize: *value = facts.l2CacheSize; break;
    case cudaDevAttrMultiProcessorCount: *value = facts.multiProcessorCount; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = facts.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = facts.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = facts.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = facts.minor; break;
    case cudaDevAttrAsyncEngineCount: *value = facts.asyncEngineCount; break;
    case cudaDevAttrGpuOverlap: *value = facts.asyncEngineCount > 0; break;
    case cudaDevAttrComputePreemptionSupported: *value = facts.computePreemptionSupported; break;
    case cudaDevAttrMaxTexture1DWidth: *value = facts.maxTexture1D; break;
    case cudaDevAttrMaxTexture2DWidth: *value = facts.maxTexture2D[0]; break;
    case cudaDevAttrMaxTexture2DHeight: *value = facts.maxTexture2D[1]; break;
    case cudaDevAttrMaxTexture3DWidth: *value = facts.maxTexture3D[0]; break;
    case cudaDevAttrMaxTexture3DHeight: *value = facts.maxTexture3D[1]; break;
    case cudaDevAttrMaxTexture3DDepth: *value = facts.maxTexture3D[2]; break;
    case cudaDevAttrMaxTexture1DLayeredWidth: *value = facts.maxTexture1DLayered[0]; break;
    case cudaDevAttrMaxTexture1DLayeredLayers: *value = facts.maxTexture1DLayered[1]; break;
    case cudaDevAttrMaxTexture2DLayeredWidth: *value = facts.maxTexture2DLayered[0]; break;
    case cudaDevAttrMaxTexture2DLayeredHeight: *value = facts.maxTexture2DLayered[1]; break;
    case cudaDevAttrMaxTexture2DLayeredLayers: *value = facts.maxTexture2DLayered[2]; break;
    case cudaDevAttrStreamPrioritiesSupported: *value = facts.streamPrioritiesSupported; break;
    case cudaDevAttrHostRegisterSupported: *value = facts.hostRegisterSupported; break;
    case cudaDevAttrClusterLaunch: *value = facts.clusterLaunch; break;
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported: *value = 1; break;
    case cudaDevAttrEccEnabled: *value = facts.ECCEnabled; break;
    case cudaDevAttrTextureAlignment: *value = (int)facts.textureAlignment; break;
    default:
        if (attribute <= 0 || attribute >= cudaDevAttrMax) {
            standin_enter_closed();
            return standin_leave(cudaErrorInvalidValue);
        }
        *value = 0; /* a feature that the model does not have */
        break;
    }
    return cudaSuccess;
}

STANDIN_API cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess)
        lost = graph_forbids_device();
    if (lost)
        return standin_leave(lost);
    enum status status = simt_device_sync(standin_device(), &error);
    standin_pool_release();
    return standin_leave_status(status, &error);
}

/* The model keeps its device, and __device__ variables their values. */
STANDIN_API cudaError_t cudaDeviceReset(void)
{
    cudaError_t lost = standin_enter_facts();
    struct error error;

    if (lost || standin_reset(cudaErrorDevicesUnavailable))
        return standin_leave(lost);
    simt_device_sync(standin_device(), &error);
    standin_destroy_streams();
    standin_free_all();
    return standin_leave(cudaSuccess);
}

STANDIN_API cudaError_t cudaDriverGetVersion(int *version)
{
    if (!version)
        return standin_null();
    *version = CUDART_VERSION;
    return cudaSuccess;
}

STANDIN_API cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return standin_null();
    *version = CUDART_VERSION;
    return cudaSuccess;
}

STANDIN_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    cudaError_t lost = standin_enter();

    return standin_leave(lost                                          ? lost
                         : (unsigned)config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue
                                                                       : cudaSuccess);
}

/* ---- limits: those that the model applies, and those that it only stores ---- */
static size_t limits[] = {[cudaLimitPrintfFifoSize] = 0, /* by the GPU's size, when it is read */
                          [cudaLimitDevRuntimeSyncDepth] = 2,
                          [cudaLimitDevRuntimePendingLaunchCount] = 2048,
                          [cudaLimitMaxL2FetchGranularity] = 64,
                          [cudaLimitPersistingL2CacheSize] = 0};

static enum simt_limit model_limit(enum cudaLimit limit)
{
    return limit == cudaLimitStackSize        ? SIMT_LIMIT_STACK
           : limit == cudaLimitMallocHeapSize ? SIMT_LIMIT_HEAP
                                              : SIMT_LIMIT_COUNT;
}

#define STACK_STEP_BYTES 16u

static cudaError_t limit_check(enum cudaLimit limit)
{
    if ((size_t)limit >= sizeof limits / sizeof *limits)
        return cudaErrorInvalidValue;
    /* Kernels that launch kernels cannot wait for them since 9.0. */
    return limit == cudaLimitDevRuntimeSyncDepth && standin_info()->compute_capability >= 90
               ? cudaErrorUnsupportedLimit
               : cudaSuccess;
}

STANDIN_API cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    if (!value)
        return standin_null();
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess)
        lost = limit_check(limit);
    if (lost == cudaSuccess && limit == cudaLimitPrintfFifoSize && limits[limit] == 0)
        limits[limit] = (size_t)PRINTF_BYTES_PER_MULTIPROCESSOR * standin_info()->multiprocessors;
    if (lost == cudaSuccess)
        *value = model_limit(limit) == SIMT_LIMIT_COUNT
                     ? limits[limit]
                     : simt_device_limit(standin_device(), model_limit(limit));
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess)
        lost = limit_check(limit);
    if (lost == cudaSuccess &&
        ((limit == cudaLimitMaxL2FetchGranularity && value > FETCH_BYTES_MOST) ||
         (limit == cudaLimitPersistingL2CacheSize && value > standin_info()->l2_bytes)))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess)
        lost = graph_forbids();
    if (lost != cudaSuccess)
        return standin_leave(lost);
    if (limit == cudaLimitStackSize)
        value = (value + STACK_STEP_BYTES - 1) / STACK_STEP_BYTES * STACK_STEP_BYTES;
    if (limit == cudaLimitPrintfFifoSize && value < PRINTF_BYTES_LEAST)
        value = PRINTF_BYTES_LEAST;
    if (model_limit(limit) == SIMT_LIMIT_COUNT) {
        limits[limit] = value;
        return standin_leave(cudaSuccess);
    }
    return standin_leave_status(simt_device_limit_set(standin_device(), model_limit(limit), value, &error),
                                &error);
}

STANDIN_API cudaError_t cudaProfilerStart(void)
{
    return standin_leave(standin_enter());
}

STANDIN_API cudaError_t cudaProfilerStop(void)
{
    return standin_leave(standin_enter());
}

/* ---- several GPUs ---- */

/*
 * Several modelled GPUs (--gpus N): which one a thread uses, and what they reach of each other. All are equal
 * and joined by the link to the host; cudaGetDeviceProperties tells them apart by uuid and bus number.
 */

static cudaError_t check_gpu(cudaError_t lost, int device)
{
    return lost != cudaSuccess                      ? lost
           : device < 0 || device >= standin_gpus() ? cudaErrorInvalidDevice
                                                    : cudaSuccess;
}

STANDIN_API cudaError_t cudaGetDeviceCount(int *count)
{
    if (!count)
        return standin_null();
    cudaError_t lost = standin_enter_facts();

    if (lost == cudaSuccess)
        *count = standin_gpus();
    told_gpus_asked();
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaGetDevice(int *device)
{
    if (!device)
        return standin_null();
    cudaError_t lost = standin_enter_facts();

    if (lost == cudaSuccess)
        *device = standin_gpu();
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaSetDevice(int device)
{
    cudaError_t code = check_gpu(standin_enter_facts(), device);

    if (code == cudaSuccess)
        standin_gpu_set(device);
    if (code == cudaSuccess)
        driver_takes_runtime(true, standin_gpu());
    return standin_leave(code);
}

STANDIN_API cudaError_t cudaDeviceGetPCIBusId(char *text, int bytes, int device)
{
    cudaError_t code = check_gpu(standin_enter_facts(), device);

    if (code == cudaSuccess && (!text || bytes <= 0))
        code = cudaErrorInvalidValue;
    if (code == cudaSuccess && snprintf(text, (size_t)bytes, "0000:%02x:00.0", (unsigned)device) >= bytes)
        code = cudaErrorInvalidValue; /* cut */
    return standin_leave(code);
}

STANDIN_API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    cudaError_t lost = standin_enter_facts();
    unsigned domain = 0, bus = 0;

    if (lost == cudaSuccess && (!device || !text))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess && sscanf(text, "%x:%x:", &domain, &bus) != 2)
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess)
        lost = check_gpu(lost, domain == 0 && bus < 256 ? (int)bus : -1);
    if (lost == cudaSuccess)
        *device = (int)bus;
    return standin_leave(lost);
}

/* ---- access to the memory of another GPU ---- */
STANDIN_API cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!can)
        return standin_null();
    cudaError_t code = check_gpu(check_gpu(standin_enter_facts(), device), peer);

    if (code == cudaSuccess)
        *can = device != peer;
    return standin_leave(code);
}

static cudaError_t peer_allow(int peer, bool allowed, unsigned flags)
{
    cudaError_t code = check_gpu(standin_enter(), peer);
    const uint32_t gpu = (uint32_t)standin_gpu(), other = (uint32_t)peer;

    if (code == cudaSuccess && flags)
        code = cudaErrorInvalidValue;
    if (code == cudaSuccess && peer == standin_gpu())
        code = allowed ? cudaErrorPeerAccessUnsupported : cudaErrorPeerAccessNotEnabled;
    if (code == cudaSuccess && simt_device_allowed(standin_device(), gpu, other) == allowed)
        code = allowed ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled;
    if (code == cudaSuccess)
        simt_device_allow(standin_device(), gpu, other, allowed);
    return standin_leave(code);
}

STANDIN_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return peer_allow(peer, true, flags);
}

STANDIN_API cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return peer_allow(peer, false, 0);
}

/* Addresses tell the GPUs: copies need no access to each other's memory. */
static cudaError_t check_both(int to_gpu, int from_gpu)
{
    cudaError_t code = check_gpu(check_gpu(standin_enter(), to_gpu), from_gpu);

    return standin_leave(code);
}

STANDIN_API cudaError_t cudaMemcpyPeer(void *to, int to_gpu, const void *from, int from_gpu, size_t bytes)
{
    cudaError_t code = check_both(to_gpu, from_gpu);

    return code == cudaSuccess ? cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice) : code;
}

STANDIN_API cudaError_t cudaMemcpyPeerAsync(void *to, int to_gpu, const void *from, int from_gpu,
                                            size_t bytes, cudaStream_t stream)
{
    cudaError_t code = check_both(to_gpu, from_gpu);

    if (code == cudaSuccess && graph_origin(standin_number(stream))) { /* no node copies between GPUs */
        standin_enter();
        return standin_leave(graph_forbids_callback(standin_number(stream)));
    }
    return code == cudaSuccess ? cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream) : code;
}

/* ---- pools: a handle is the number of the GPU, plus 1 ---- */
STANDIN_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    if (!pool)
        return standin_null();
    cudaError_t code = check_gpu(standin_enter_facts(), device);

    if (code == cudaSuccess)
        *pool = (cudaMemPool_t)(uintptr_t)(device + 1);
    return standin_leave(code);
}

/* Access to a pool is access to all memory of its GPU: the model does not tell allocations of a pool apart.
 */
STANDIN_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                             size_t count)
{
    cudaError_t code = standin_enter();
    const int owner = (int)((uintptr_t)pool & 0xffff) - 1;

    if (code == cudaSuccess && !standin_is_pool(pool))
        code = cudaErrorInvalidValue;
    if (code == cudaSuccess && count > 0 && !list)
        standin_crash("a null pointer for the accesses");
    for (size_t i = 0; i < count && code == cudaSuccess; i++) {
        code = list[i].location.type == cudaMemLocationTypeDevice ? check_gpu(code, list[i].location.id)
                                                                  : cudaErrorInvalidValue;
        const bool known =
            list[i].flags == cudaMemAccessFlagsProtNone || list[i].flags == cudaMemAccessFlagsProtReadWrite;
        if (code == cudaSuccess && !known)
            code =
                list[i].flags == cudaMemAccessFlagsProtRead ? cudaErrorNotSupported : cudaErrorInvalidValue;
        if (code == cudaSuccess && list[i].location.id == owner &&
            list[i].flags == cudaMemAccessFlagsProtNone)
            code = cudaErrorInvalidDevice; /* a GPU has access to its own pool */
        if (code == cudaSuccess && list[i].location.id != owner)
            simt_device_allow(standin_device(), (uint32_t)list[i].location.id, (uint32_t)owner,
                              list[i].flags != cudaMemAccessFlagsProtNone);
    }
    return standin_leave(code);
}

STANDIN_API cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                             struct cudaMemLocation *location)
{
    cudaError_t lost = standin_enter();

    (void)pool;
    if (lost == cudaSuccess && !location)
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess)
        *flags = location->type == cudaMemLocationTypeDevice && location->id == standin_gpu()
                     ? cudaMemAccessFlagsProtReadWrite
                     : cudaMemAccessFlagsProtNone;
    return standin_leave(lost);
}

/* ---- attributes ---- */

/* Attributes of streams and devices that change nothing on the model. */

/* ---- streams ---- */
/* Those of launches that streams have, too. */
static bool stream_has(cudaStreamAttrID attribute)
{
    return attribute == cudaLaunchAttributeAccessPolicyWindow ||
           attribute == cudaLaunchAttributeSynchronizationPolicy ||
           attribute == cudaLaunchAttributePriority || attribute == cudaLaunchAttributeMemSyncDomainMap ||
           attribute == cudaLaunchAttributeMemSyncDomain;
}

static cudaError_t enter_attribute(cudaStreamAttrID attribute, const cudaStreamAttrValue *value)
{
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess && !value)
        standin_crash("a null pointer for the attribute's value");
    return lost == cudaSuccess && !stream_has(attribute) ? cudaErrorInvalidValue : lost;
}

STANDIN_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                               const cudaStreamAttrValue *value)
{
    cudaError_t lost = enter_attribute(attribute, value);

    (void)stream;
    return standin_leave(lost ? lost : standin_take_attribute(attribute, value));
}

/* The model keeps no attribute: each has its default. */
STANDIN_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                               cudaStreamAttrValue *value)
{
    cudaError_t lost = enter_attribute(attribute, value);

    (void)stream;
    if (lost == cudaSuccess)
        memset(value, 0, sizeof *value);
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    (void)to, (void)from;
    return standin_leave(standin_enter());
}

STANDIN_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    if (!id)
        return standin_null();
    *id = standin_stream(stream);
    return standin_leave(standin_enter());
}

STANDIN_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    cudaError_t code = standin_enter();
    bool non_blocking;
    uint32_t gpu = 0;

    if (code == cudaSuccess && !device)
        standin_crash("a null pointer for the device");
    if (code == cudaSuccess &&
        !simt_device_stream(standin_device(), standin_stream(stream), &gpu, &non_blocking))
        code = cudaErrorInvalidResourceHandle;
    if (code == cudaSuccess)
        *device = (int)gpu;
    return standin_leave(code);
}

STANDIN_API cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return standin_leave(standin_enter());
}

/* ---- devices and pools ---- */
/* The size of banks could be chosen on 3.x alone. */
STANDIN_API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    cudaError_t lost = standin_enter();

    return standin_leave(lost                                                ? lost
                         : (unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue
                                                                             : cudaSuccess);
}

STANDIN_API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    if (!config)
        return standin_null();
    *config = cudaSharedMemBankSizeFourByte;
    return standin_leave(standin_enter());
}

STANDIN_API cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                                  int peer)
{
    int can = 0;
    cudaError_t code = cudaDeviceCanAccessPeer(&can, device, peer);

    if (code == cudaSuccess && (!can || !value))
        code = value ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    if (code == cudaSuccess) /* the link to the host joins them: no atomics, no arrays */
        *value = attribute == cudaDevP2PAttrAccessSupported;
    standin_enter_closed();
    return standin_leave(code);
}
