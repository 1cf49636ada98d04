/* The driver's devices, their contexts, and the functions by name. Each thread has a stack of current
 * contexts; the uppermost one is that of the thread's GPU, which cudaSetDevice sets, too. */
#include "standin/driver.h"

#include "standin/absent.h"

#include <stdio.h>
#include <string.h>

#define CONTEXTS_MAX 64 /* most contexts on a thread's stack */
#define VERSIONS_MAX 4  /* cuCtxCreate_v4 is the newest of any function */

static __thread CUcontext stack[CONTEXTS_MAX];
static __thread unsigned depth;

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
    return flags ? CUDA_ERROR_INVALID_VALUE : driver_result(standin_leave(standin_enter()));
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
        return CUDA_ERROR_INVALID_VALUE;
    const struct standin_name *name = name_find_version(text, version, of_threads, &too_old);
    *function = NULL;
    if (name)
        memcpy(function, &name->function, sizeof *function);
    if (result)
        *result = name      ? CU_GET_PROC_ADDRESS_SUCCESS
                  : too_old ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                            : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return name || result ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
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

    if (code == cudaSuccess)
        snprintf(name, bytes > 0 ? (size_t)bytes : 0, "%s", facts.name);
    return driver_result(code);
}

STANDIN_API CUresult cuDeviceGetUuid(CUuuid *id, CUdevice device)
{
    struct cudaDeviceProp facts;
    cudaError_t code = cudaGetDeviceProperties(&facts, device);

    if (code == cudaSuccess)
        memcpy(id, &facts.uuid, sizeof *id);
    return driver_result(code);
}

STANDIN_API CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp facts;
    cudaError_t code = cudaGetDeviceProperties(&facts, device);

    if (code == cudaSuccess)
        *bytes = facts.totalGlobalMem;
    return driver_result(code);
}

/* Both APIs have the same numbers. */
STANDIN_API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    if (attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) { /* not in the runtime API */
        struct cudaDeviceProp facts;
        *value = 1;
        return driver_result(cudaGetDeviceProperties(&facts, device));
    }
    return driver_result(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

STANDIN_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    struct cudaDeviceProp facts;
    cudaError_t code = cudaGetDeviceProperties(&facts, device);

    if (code == cudaSuccess) {
        *major = facts.major;
        *minor = facts.minor;
    }
    return driver_result(code);
}

STANDIN_API CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device)
{
    struct cudaDeviceProp facts;
    cudaError_t code = cudaGetDeviceProperties(&facts, device);

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

STANDIN_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                  CUcontext from_context, size_t bytes)
{
    return driver_result(cudaMemcpyPeer(driver_pointer(to), driver_gpu(to_context), driver_pointer(from),
                                        driver_gpu(from_context), bytes));
}

STANDIN_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                       CUcontext from_context, size_t bytes, CUstream stream)
{
    return driver_result(cudaMemcpyPeerAsync(driver_pointer(to), driver_gpu(to_context), driver_pointer(from),
                                             driver_gpu(from_context), bytes, stream));
}

/* ---- the primary context ---- */
STANDIN_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    *context = driver_context(device);
    return device_check(device);
}

STANDIN_API CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    return device_check(device);
}

STANDIN_API CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    CUresult result = device_check(device);

    return result ? result : driver_result(cudaDeviceSynchronize());
}

STANDIN_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
    (void)flags;
    return device_check(device);
}

STANDIN_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    *flags = CU_CTX_SCHED_AUTO;
    *active = 1;
    return device_check(device);
}

/* ---- contexts ---- */
/* The thread's GPU may have been set by cudaSetDevice since. */
static void top_refresh(void)
{
    if (depth > 0)
        stack[depth - 1] = driver_context(standin_gpu());
}

static void gpu_of_top(void)
{
    if (depth > 0)
        standin_gpu_set(driver_gpu(stack[depth - 1]));
}

STANDIN_API CUresult cuCtxPushCurrent(CUcontext context)
{
    if (!context || device_check(driver_gpu(context)))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth == CONTEXTS_MAX)
        return CUDA_ERROR_OUT_OF_MEMORY;
    top_refresh();
    stack[depth++] = context;
    gpu_of_top();
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxPopCurrent(CUcontext *context)
{
    if (depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    top_refresh();
    depth--;
    if (context)
        *context = stack[depth];
    gpu_of_top();
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxGetCurrent(CUcontext *context)
{
    top_refresh();
    *context = depth ? stack[depth - 1] : NULL;
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxSetCurrent(CUcontext context)
{
    if (context && device_check(driver_gpu(context)))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth > 0)
        depth--;
    if (!context)
        return CUDA_SUCCESS;
    stack[depth++] = context;
    gpu_of_top();
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    CUresult result = cuDevicePrimaryCtxRetain(context, device);

    (void)flags;
    return result ? result : cuCtxPushCurrent(*context);
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
        return CUDA_ERROR_INVALID_CONTEXT;
    top_refresh();
    if (depth > 0 && stack[depth - 1] == context)
        cuCtxPopCurrent(NULL);
    return driver_result(cudaDeviceSynchronize());
}

STANDIN_API CUresult cuCtxDetach(CUcontext context)
{
    return cuCtxDestroy(context);
}

STANDIN_API CUresult cuCtxGetDevice(CUdevice *device)
{
    *device = standin_gpu();
    return depth ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

STANDIN_API CUresult cuCtxGetFlags(unsigned *flags)
{
    *flags = CU_CTX_SCHED_AUTO;
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    *id = (unsigned long long)driver_gpu(context ? context : driver_context(standin_gpu())) + 1;
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    (void)context;
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
    *config = CU_FUNC_CACHE_PREFER_NONE;
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    (void)config;
    return CUDA_SUCCESS;
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
