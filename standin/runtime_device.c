/* The properties and limits of the modelled GPU; if there are several, all are equal (runtime_peer.c). Limits
 * that the model's rows do not give are those that CUDA documents for all GPUs since compute capability 7.5.
 */
#include "standin/context.h"
#include "standin/standin.h"

#include "core/hardware/arch.h"

#include <stdio.h>
#include <string.h>

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
        .maxThreadsDim = {(int)info->max_threads_per_block, (int)info->max_threads_per_block, BLOCK_Z_MOST},
        .maxGridSize = {GRID_X_MOST, GRID_YZ_MOST, GRID_YZ_MOST},
        .totalConstMem = CONSTANT_BYTES,
        .major = capability / 10,
        .minor = capability % 10,
        .textureAlignment = TEXTURE_ALIGNMENT_BYTES,
        .texturePitchAlignment = TEXTURE_PITCH_BYTES,
        .multiProcessorCount = (int)info->multiprocessors,
        .canMapHostMemory = 1,
        .maxTexture1D = 131072,
        .maxTexture2D = {131072, 65536},
        .maxTexture3D = {16384, 16384, 16384},
        .maxTexture1DLayered = {32768, 2048},
        .maxTexture2DLayered = {32768, 32768, 2048},
        .maxTextureCubemap = 32768,
        .maxTextureCubemapLayered = {32768, 2046},
        .surfaceAlignment = 512,
        .concurrentKernels = 1,
        .ECCEnabled = (int)info->ecc,
        .asyncEngineCount = (int)info->copy_engines,
        .unifiedAddressing = 1,
        .memoryBusWidth = (int)info->memory_bus_bits,
        .l2CacheSize = (int)info->l2_bytes,
        .maxThreadsPerMultiProcessor = (int)info->max_threads_per_multiprocessor,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .sharedMemPerMultiprocessor = info->shared_bytes_per_multiprocessor,
        .regsPerMultiprocessor = (int)info->registers_per_multiprocessor,
        .managedMemory = 1,
        .concurrentManagedAccess = 1,
        .sharedMemPerBlockOptin = info->shared_bytes_per_block_optin,
        .maxBlocksPerMultiProcessor = (int)info->max_blocks_per_multiprocessor,
        .reservedSharedMemPerBlock = info->shared_bytes_reserved_per_block,
        .memoryPoolsSupported = 1,
        .cooperativeLaunch = 1,
        .computePreemptionSupported = capability >= 60,
        .pciBusID = device,
    };
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
    enum status status = standin_device()->ops->sync(standin_device(), &error);
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
    standin_device()->ops->sync(standin_device(), &error);
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
