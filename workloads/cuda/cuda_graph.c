/*
 * A graph is captured from a stream, instantiated at its end and known by the executable's handle; the
 * graph itself is destroyed then.
 */
#include "workloads/cuda/cuda_device.h"

enum status cuda_graph_begin(struct device *device, uint64_t stream, struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    int result = cuda->driver.cuStreamBeginCapture_v2(cuda_handle_of(stream), CUDA_CAPTURE_THREAD_LOCAL);

    return result ? cuda_driver_refuse(&cuda->driver, result, error, "Beginning a graph") : STATUS_OK;
}

enum status cuda_graph_end(struct device *device, uint64_t stream, uint64_t *graph, struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    cuda_handle captured, executable;
    int result = cuda->driver.cuStreamEndCapture(cuda_handle_of(stream), &captured);

    if (result)
        return cuda_driver_refuse(&cuda->driver, result, error, "Ending a graph");
    result = cuda->driver.cuGraphInstantiateWithFlags(&executable, captured, 0);
    cuda->driver.cuGraphDestroy(captured);
    if (result)
        return cuda_driver_refuse(&cuda->driver, result, error, "Preparing a graph for launch");
    *graph = cuda_number_of(executable);
    return STATUS_OK;
}

enum status cuda_graph_launch(struct device *device, uint64_t graph, uint64_t stream, struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    int result = cuda->driver.cuGraphLaunch(cuda_handle_of(graph), cuda_handle_of(stream));

    return result ? cuda_driver_refuse(&cuda->driver, result, error, "Launching a graph") : STATUS_OK;
}

enum status cuda_graph_destroy(struct device *device, uint64_t graph, struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    int result = cuda->driver.cuGraphExecDestroy(cuda_handle_of(graph));

    return result ? cuda_driver_refuse(&cuda->driver, result, error, "Destroying a graph") : STATUS_OK;
}
