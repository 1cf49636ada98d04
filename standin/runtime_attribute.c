/*
 * Attributes of streams, pools and devices that change nothing on the model, and what programs ask for by
 * name. An access policy window sets aside a part of L2, which the model does not have: it is said once.
 */
#include "standin/standin.h"

#include <cuda.h>
#include <string.h>

/* ---- streams ---- */
#define LAUNCH_ATTRIBUTE_MOST cudaLaunchAttributeNvlinkUtilCentricScheduling /* the last one of 13.0 */

static bool said_window;

/* Those of launches that streams have, too. */
static bool stream_has(cudaStreamAttrID attribute)
{
    return attribute == cudaLaunchAttributeAccessPolicyWindow ||
           attribute == cudaLaunchAttributeSynchronizationPolicy ||
           attribute == cudaLaunchAttributePriority || attribute == cudaLaunchAttributeMemSyncDomainMap ||
           attribute == cudaLaunchAttributeMemSyncDomain;
}

cudaError_t standin_take_attribute(cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value)
{
    static const char text[] = "The program sets aside a part of the L2 cache (access policy window), which "
                               "the device model does not "
                               "have: the hits that are counted are those without it.";

    const struct cudaAccessPolicyWindow *window = &value->accessPolicyWindow;

    switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
        if (window->num_bytes > standin_info()->l2_bytes || !(window->hitRatio >= 0 && window->hitRatio <= 1))
            return cudaErrorInvalidValue;
        break;
    case cudaLaunchAttributeSynchronizationPolicy:
        if (value->syncPolicy < cudaSyncPolicyAuto || value->syncPolicy > cudaSyncPolicyBlockingSync)
            return cudaErrorInvalidValue;
        break;
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        if ((unsigned)value->clusterSchedulingPolicyPreference > cudaClusterSchedulingPolicyLoadBalancing)
            return cudaErrorInvalidValue;
        break;
    default:
        if ((unsigned)attribute > LAUNCH_ATTRIBUTE_MOST)
            return cudaErrorInvalidValue;
    }
    if (attribute == cudaLaunchAttributeAccessPolicyWindow && value->accessPolicyWindow.num_bytes &&
        !said_window) {
        said_window = true;
        told_notice(SEVERITY_WARNING, STATUS_OK, text);
    }
    return cudaSuccess;
}

STANDIN_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                               const cudaStreamAttrValue *value)
{
    cudaError_t lost = standin_enter();

    (void)stream;
    if (lost == cudaSuccess && !value)
        standin_crash("a null pointer for the attribute's value");
    if (lost == cudaSuccess && !stream_has(attribute))
        lost = cudaErrorInvalidValue;
    return standin_leave(lost ? lost : standin_take_attribute(attribute, value));
}

/* The model keeps no attribute: each has its default. */
STANDIN_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                               cudaStreamAttrValue *value)
{
    cudaError_t lost = standin_enter();

    (void)stream;
    if (lost == cudaSuccess && !value)
        standin_crash("a null pointer for the attribute's value");
    if (lost == cudaSuccess && !stream_has(attribute))
        lost = cudaErrorInvalidValue;
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

/* ---- functions by name ---- */
STANDIN_API cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                                         unsigned version, unsigned long long flags,
                                                         enum cudaDriverEntryPointQueryResult *result)
{
    CUdriverProcAddressQueryResult found;
    cudaError_t lost = standin_enter();

    if (lost != cudaSuccess)
        return standin_leave(lost);
    CUresult code = cuGetProcAddress(symbol, function, (int)version, flags, &found);
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

/* ---- sets in three dimensions ---- */
STANDIN_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                                          cudaStream_t stream)
{
    if (extent.depth > 1 && extent.height > to.ysize)
        return standin_null();
    for (size_t z = 0; z < extent.depth; z++) {
        char *slice = (char *)to.ptr + z * to.pitch * to.ysize;
        cudaError_t code = cudaMemset2DAsync(slice, to.pitch, value, extent.width, extent.height, stream);
        if (code != cudaSuccess)
            return code;
    }
    return cudaSuccess;
}

STANDIN_API cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return cudaMemset3DAsync(to, value, extent, NULL);
}
