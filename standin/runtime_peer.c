/*
 * Several modelled GPUs (--gpus N): which one a thread uses, and what they reach of each other. All are equal
 * and joined by the link to the host; cudaGetDeviceProperties tells them apart by uuid and bus number.
 */
#include "standin/context.h"
#include "standin/standin.h"

#include <stdio.h>

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
