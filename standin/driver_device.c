/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's devices, their contexts, and the functions by name. Each thread has a stack of current
 * contexts; the uppermost one is that of the thread's GPU, which cudaSetDevice sets, too. */
#include "standin/driver.h"

#include "standin/absent.h"

#include <stdio.h>
#include <string.h>

#define VERSIONS_MAX 4 /* cuCtxCreate_v4 is the newest of any function */

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxDetach(CUcontext context);

CUresult driver_result(cudaError_t code)
{
    switch ((int)code) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorMissingConfiguration: return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
    default: return (CUresult)code;
    }
}

/* ---- begin ---- */
STANDIN_API CUresult cuInit(unsigned flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    standin_enter_closed();
    driver_initialised = true;
    standin_leave(cudaSuccess);
    cudaError_t code = standin_enter_facts();
    driver_initialised = code == cudaSuccess;
    return driver_result(standin_leave(code));
}

STANDIN_API CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* ---- functions by name ---- */
static const struct standin_name *name_find(const char *text)
{
    size_t low = 0, high = driver_name_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(text, driver_names[middle].name);
        if (order == 0)
            return &driver_names[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* The form of the name for default streams of threads, NAME_ptsz or NAME_ptds, if it has one. */
static const struct standin_name *name_of_threads(const char *name)
{
    char form[160];

    snprintf(form, sizeof form, "%s_ptsz", name);
    const struct standin_name *found = name_find(form);
    if (found)
        return found;
    snprintf(form, sizeof form, "%s_ptds", name);
    found = name_find(form);
    return found ? found : name_find(name);
}

/* The newest form of the function that programs of this CUDA version know: NAME, NAME_v2 ... */
static const struct standin_name *name_find_version(const char *text, int version, bool of_threads,
                                                    bool *too_old)
{
    const struct standin_name *best = NULL;
    char numbered[128];

    for (int form = 1; form <= VERSIONS_MAX; form++) {
        snprintf(numbered, sizeof numbered, form == 1 ? "%s" : "%s_v%d", text, form);
        const struct standin_name *found = of_threads ? name_of_threads(numbered) : name_find(numbered);
        if (found && found->version <= version)
            best = found;
        else if (found && !best)
            *too_old = true;
    }
    return best;
}

STANDIN_API CUresult cuGetProcAddress(const char *text, void **function, int version, cuuint64_t flags,
                                      CUdriverProcAddressQueryResult *result)
{
    bool too_old = false;

    const bool of_threads = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
    if (!text || !function)
        standin_crash("a null pointer for the name, or for the function's address");
    if (flags &
        ~(cuuint64_t)(CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM))
        return CUDA_ERROR_INVALID_VALUE;
    const struct standin_name *name = name_find_version(text, version, of_threads, &too_old);
    *function = NULL;
    if (name)
        memcpy(function, &name->function, sizeof *function);
    if (result)
        *result = name      ? CU_GET_PROC_ADDRESS_SUCCESS
                  : too_old ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                            : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return name || result || !*text ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *text, void **function, int version, cuuint64_t flags);
STANDIN_API CUresult cuGetProcAddress(const char *text, void **function, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(text, function, version, flags, NULL);
}

/* NVIDIA's libraries look for tables that are not public, and accept that there are none. */
STANDIN_API CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    (void)id;
    *table = NULL;
    return CUDA_ERROR_NOT_FOUND;
}

/* ---- the device ---- */
/* Also for devices that are not the thread's. */
static CUresult device_check(CUdevice device)
{
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);

    return code                            ? driver_result(code)
           : device < 0 || device >= count ? CUDA_ERROR_INVALID_DEVICE
                                           : CUDA_SUCCESS;
}

STANDIN_API CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = ordinal;
    return device_check(ordinal);
}

STANDIN_API CUresult cuDeviceGetCount(int *count)
{
    return driver_result(cudaGetDeviceCount(count));
}

STANDIN_API CUresult cuDeviceGetName(char *name, int bytes, CUdevice device)
{
    struct cudaDeviceProp facts;
    cudaError_t code = cudaGetDeviceProperties(&facts, device);

    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    if (code == cudaSuccess && bytes <= 0)
        standin_crash("a name of no bytes to write to");
    if (code == cudaSuccess)
        snprintf(name, (size_t)bytes, "%s", facts.name);
    return driver_result(code);
}

STANDIN_API CUresult cuDeviceGetUuid(CUuuid *id, CUdevice device)
{
    struct cudaDeviceProp facts;
    cudaError_t code = id ? cudaGetDeviceProperties(&facts, device) : cudaErrorInvalidValue;

    if (code == cudaSuccess)
        memcpy(id, &facts.uuid, sizeof *id);
    return driver_result(code);
}

STANDIN_API CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp facts;
    cudaError_t code = bytes ? cudaGetDeviceProperties(&facts, device) : cudaErrorInvalidValue;

    if (code == cudaSuccess)
        *bytes = facts.totalGlobalMem;
    return driver_result(code);
}

/* Both APIs have the same numbers. */
STANDIN_API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    if (value &&
        attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) { /* not in the runtime API */
        struct cudaDeviceProp facts;
        *value = 1;
        return driver_result(cudaGetDeviceProperties(&facts, device));
    }
    return driver_result(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

STANDIN_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    struct cudaDeviceProp facts;
    cudaError_t code = major && minor ? cudaGetDeviceProperties(&facts, device) : cudaErrorInvalidValue;

    if (code == cudaSuccess) {
        *major = facts.major;
        *minor = facts.minor;
    }
    return driver_result(code);
}

STANDIN_API CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device)
{
    struct cudaDeviceProp facts;
    cudaError_t code = properties ? cudaGetDeviceProperties(&facts, device) : cudaErrorInvalidValue;

    if (code != cudaSuccess)
        return driver_result(code);
    *properties = (CUdevprop){.maxThreadsPerBlock = facts.maxThreadsPerBlock,
                              .sharedMemPerBlock = (int)facts.sharedMemPerBlock,
                              .totalConstantMemory = (int)facts.totalConstMem,
                              .SIMDWidth = facts.warpSize,
                              .memPitch = (int)facts.memPitch,
                              .regsPerBlock = facts.regsPerBlock,
                              .clockRate = (int)standin_info()->core_clock_khz,
                              .textureAlign = (int)facts.textureAlignment};
    memcpy(properties->maxThreadsDim, facts.maxThreadsDim, sizeof properties->maxThreadsDim);
    memcpy(properties->maxGridSize, facts.maxGridSize, sizeof properties->maxGridSize);
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuDeviceGetPCIBusId(char *text, int bytes, CUdevice device)
{
    return driver_result(cudaDeviceGetPCIBusId(text, bytes, device));
}

STANDIN_API CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text)
{
    return driver_result(cudaDeviceGetByPCIBusId(device, text));
}

STANDIN_API CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    return driver_result(cudaDeviceCanAccessPeer(can, device, peer));
}

STANDIN_API CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice device,
                                             CUdevice peer)
{
    return driver_result(cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)attribute, device, peer));
}

STANDIN_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    return peer ? driver_result(cudaDeviceEnablePeerAccess(driver_gpu(peer), flags))
                : CUDA_ERROR_INVALID_CONTEXT;
}

STANDIN_API CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    return peer ? driver_result(cudaDeviceDisablePeerAccess(driver_gpu(peer))) : CUDA_ERROR_INVALID_CONTEXT;
}

/* NULL: the thread's. */
static int gpu_of_context(CUcontext context)
{
    return context ? driver_gpu(context) : standin_gpu();
}

STANDIN_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                  CUcontext from_context, size_t bytes)
{
    return driver_result(cudaMemcpyPeer(driver_pointer(to), gpu_of_context(to_context), driver_pointer(from),
                                        gpu_of_context(from_context), bytes));
}

STANDIN_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                       CUcontext from_context, size_t bytes, CUstream stream)
{
    return driver_result(cudaMemcpyPeerAsync(driver_pointer(to), gpu_of_context(to_context),
                                             driver_pointer(from), gpu_of_context(from_context), bytes,
                                             stream));
}

/* ---- the primary context ---- */
STANDIN_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    CUresult result = context ? device_check(device) : CUDA_ERROR_INVALID_VALUE;

    if (result)
        return result;
    driver_held[device].held++;
    *context = driver_context(device);
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    CUresult result = device_check(device);

    if (result == CUDA_SUCCESS && driver_held[device].held == 0)
        result = CUDA_ERROR_INVALID_CONTEXT;
    if (result == CUDA_SUCCESS)
        driver_held[device].held--;
    return result;
}

STANDIN_API CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    CUresult result = device_check(device);

    if (result == CUDA_SUCCESS) {
        standin_enter_facts();
        standin_reset(cudaErrorContextIsDestroyed);
        standin_leave(cudaSuccess);
        driver_held[device].held = 0;
    }
    return result;
}

/* One schedule, and what CU_CTX_FLAGS_MASK has. */
static bool flags_are_known(unsigned flags)
{
    const unsigned schedule = flags & CU_CTX_SCHED_MASK;

    return (flags & ~(unsigned)CU_CTX_FLAGS_MASK) == 0 && (schedule & (schedule - 1)) == 0;
}

STANDIN_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
    CUresult result = flags_are_known(flags) ? device_check(device) : CUDA_ERROR_INVALID_VALUE;

    if (result == CUDA_SUCCESS)
        driver_held[device].flags = flags;
    return result;
}

STANDIN_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    CUresult result = flags && active ? device_check(device) : CUDA_ERROR_INVALID_VALUE;

    if (result)
        return result;
    *flags = driver_held[device].flags;
    *active = driver_held[device].held > 0;
    return CUDA_SUCCESS;
}

/* ---- contexts ---- */
/* The thread's GPU may have been set by cudaSetDevice since. */
static void top_refresh(void)
{
    if (driver_contexts.depth > 0)
        driver_contexts.stack[driver_contexts.depth - 1] = driver_context(standin_gpu());
}

static void gpu_of_top(void)
{
    if (driver_contexts.depth > 0)
        standin_gpu_set(driver_gpu(driver_contexts.stack[driver_contexts.depth - 1]));
}

STANDIN_API CUresult cuCtxPushCurrent(CUcontext context)
{
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (device_check(driver_gpu(context)))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (driver_contexts.depth == CONTEXTS_MAX)
        return CUDA_ERROR_OUT_OF_MEMORY;
    top_refresh();
    driver_contexts.stack[driver_contexts.depth++] = context;
    gpu_of_top();
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxPopCurrent(CUcontext *context)
{
    if (!driver_initialised || driver_contexts.depth == 0)
        return driver_initialised ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_NOT_INITIALIZED;
    top_refresh();
    driver_contexts.depth--;
    if (context)
        *context = driver_contexts.stack[driver_contexts.depth];
    gpu_of_top();
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxGetCurrent(CUcontext *context)
{
    if (!driver_initialised || !context)
        return driver_initialised ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_INITIALIZED;
    top_refresh();
    *context = driver_contexts.depth ? driver_contexts.stack[driver_contexts.depth - 1] : NULL;
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxSetCurrent(CUcontext context)
{
    if (!driver_initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (context && device_check(driver_gpu(context)))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (driver_contexts.depth > 0)
        driver_contexts.depth--;
    if (!context)
        return CUDA_SUCCESS;
    driver_contexts.stack[driver_contexts.depth++] = context;
    gpu_of_top();
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    CUresult result = context && flags_are_known(flags) ? device_check(device) : CUDA_ERROR_INVALID_VALUE;

    if (result)
        return result;
    driver_held[device].created++;
    *context = driver_context(device);
    return cuCtxPushCurrent(*context);
}

STANDIN_API CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *parameters, unsigned flags,
                                 CUdevice device)
{
    (void)parameters;
    return cuCtxCreate_v2(context, flags, device);
}

/* What the program allocated stays until it ends. */
STANDIN_API CUresult cuCtxDestroy(CUcontext context)
{
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (device_check(driver_gpu(context)) || driver_held[driver_gpu(context)].created == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    CUresult result = driver_contexts.depth > 0 ? driver_result(cudaDeviceSynchronize()) : CUDA_SUCCESS;
    driver_held[driver_gpu(context)].created--;
    top_refresh();
    if (driver_contexts.depth > 0 && driver_contexts.stack[driver_contexts.depth - 1] == context)
        cuCtxPopCurrent(NULL);
    return result;
}

STANDIN_API CUresult cuCtxDetach(CUcontext context)
{
    if (!context || device_check(driver_gpu(context)))
        return CUDA_ERROR_INVALID_VALUE;
    return driver_held[driver_gpu(context)].created ? cuCtxDestroy(context) : CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxGetDevice(CUdevice *device)
{
    const cudaError_t closed = driver_opens(true, standin_gpu());

    if (closed || !device)
        return closed ? driver_result(closed) : CUDA_ERROR_INVALID_VALUE;
    *device = standin_gpu();
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxGetFlags(unsigned *flags)
{
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = driver_held[standin_gpu()].flags;
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    if (!id)
        return CUDA_ERROR_INVALID_VALUE;
    *id = (unsigned long long)driver_gpu(context ? context : driver_context(standin_gpu())) + 1;
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    (void)context;
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = 3020;
    return CUDA_SUCCESS;
}

#undef cuCtxSynchronize
CUresult cuCtxSynchronize(void);
STANDIN_API CUresult cuCtxSynchronize(void)
{
    return driver_result(cudaDeviceSynchronize());
}

STANDIN_API CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    return driver_result(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

STANDIN_API CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    return driver_result(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

STANDIN_API CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    *config = CU_FUNC_CACHE_PREFER_NONE;
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    return (unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    return driver_result(cudaDeviceGetStreamPriorityRange(least, greatest));
}

STANDIN_API CUresult cuProfilerStart(void)
{
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuProfilerStop(void)
{
    return CUDA_SUCCESS;
}

/* ---- functions by name, in the runtime API ---- */
STANDIN_API cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                                         unsigned version, unsigned long long flags,
                                                         enum cudaDriverEntryPointQueryResult *result)
{
    CUdriverProcAddressQueryResult found;
    cudaError_t lost = standin_enter();

    if (lost != cudaSuccess)
        return standin_leave(lost);
    CUresult code = cuGetProcAddress_v2(symbol, function, (int)version, flags, &found);
    if (code != CUDA_SUCCESS)
        return standin_leave(cudaErrorInvalidValue);
    if (result) /* of the same numbers */
        *result = (enum cudaDriverEntryPointQueryResult)found;
    return standin_leave(cudaSuccess);
}

STANDIN_API cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                                enum cudaDriverEntryPointQueryResult *result)
{
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, result);
}
