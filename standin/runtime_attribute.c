/*
 * Attributes of streams, pools and devices that change nothing on the model, and what programs ask for by
 * name. An access policy window sets aside a part of L2, which the model does not have: it is said once.
 */
#include "standin/standin.h"

#include <cuda.h>
#include <string.h>

/* ---- streams ---- */
static bool said_window;

cudaError_t standin_take_attribute(cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value)
{
    static const char text[] = "The program sets aside a part of the L2 cache (access policy window), which "
                               "the device model does not "
                               "have: the hits that are counted are those without it.";

    if (!value)
        return cudaErrorInvalidValue;
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
    return standin_leave(lost ? lost : standin_take_attribute(attribute, value));
}

/* The model keeps no attribute: each has its default. */
STANDIN_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                               cudaStreamAttrValue *value)
{
    cudaError_t lost = standin_enter();

    (void)stream, (void)attribute;
    if (lost == cudaSuccess && !value)
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

    if (code == cudaSuccess &&
        (!device || !simt_device_stream(standin_device(), standin_stream(stream), &gpu, &non_blocking)))
        code = device ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
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
    (void)config;
    return standin_leave(standin_enter());
}

STANDIN_API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    *config = cudaSharedMemBankSizeFourByte;
    return standin_leave(standin_enter());
}

STANDIN_API cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                                  int peer)
{
    int can = 0;
    cudaError_t code = cudaDeviceCanAccessPeer(&can, device, peer);

    if (code == cudaSuccess && (!can || !value))
        code = can ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
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

    if (lost == cudaSuccess && (!symbol || !function))
        lost = cudaErrorInvalidValue;
    if (lost != cudaSuccess)
        return standin_leave(lost);
    CUresult code = cuGetProcAddress(symbol, function, (int)version, flags, &found);
    if (result)
        *result = code == CUDA_SUCCESS ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    if (code != CUDA_SUCCESS)
        *function = NULL;
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
