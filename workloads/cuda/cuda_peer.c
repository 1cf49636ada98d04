/* Access and copies between two devices of this process. */
#include "workloads/cuda/cuda_device.h"

/* Two CUDA devices have the same ops. */
static struct cuda_device *peer_of(struct device *device)
{
    return (struct cuda_device *)device;
}

enum status cuda_peer_access(struct device *device, struct device *other, bool *direct, struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    int can = 0, result = cuda->driver.cuDeviceCanAccessPeer(&can, cuda->ordinal, peer_of(other)->ordinal);

    *direct = can != 0;
    return result ? cuda_driver_refuse(&cuda->driver, result, error,
                                       "Querying whether GPU %d can access the memory of GPU %d",
                                       cuda->ordinal, peer_of(other)->ordinal)
                  : STATUS_OK;
}

enum status cuda_peer_enable(struct device *device, struct device *other, bool enable, struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    int result = enable ? cuda->driver.cuCtxEnablePeerAccess(peer_of(other)->context, 0)
                        : cuda->driver.cuCtxDisablePeerAccess(peer_of(other)->context);

    return result
               ? cuda_driver_refuse(&cuda->driver, result, error,
                                    "%s access of GPU %d to the memory of GPU %d",
                                    enable ? "Enabling" : "Disabling", cuda->ordinal, peer_of(other)->ordinal)
               : STATUS_OK;
}

enum status cuda_peer_copy(struct device *device, device_pointer destination, struct device *other,
                           device_pointer source, size_t bytes, uint64_t stream, struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    int result = cuda->driver.cuMemcpyPeerAsync(destination, cuda->context, source, peer_of(other)->context,
                                                bytes, cuda_handle_of(stream));

    return result
               ? cuda_driver_refuse(&cuda->driver, result, error, "Copying %zu bytes from GPU %d to GPU %d",
                                    bytes, peer_of(other)->ordinal, cuda->ordinal)
               : STATUS_OK;
}
