/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams, events and host functions: the driver's handles, as numbers. A graph is captured from a stream,
 * instantiated at its end and known by the executable's handle; the graph itself is destroyed then.
 */
#include "workloads/cuda/cuda_device.h"

enum status cuda_stream_sync(struct device *device, uint64_t stream, struct error *error)
{
    int result = cuda_of(device)->driver.cuStreamSynchronize(cuda_handle_of(stream));

    return result ? cuda_driver_refuse(&cuda_of(device)->driver, result, error, "Waiting for a stream")
                  : STATUS_OK;
}

enum status cuda_stream_create(struct device *device, bool non_blocking, uint64_t *stream,
                               struct error *error)
{
    cuda_handle handle;
    int result = cuda_of(device)->driver.cuStreamCreate(&handle, non_blocking ? CUDA_STREAM_NON_BLOCKING : 0);

    if (result)
        return cuda_driver_refuse(&cuda_of(device)->driver, result, error, "Creating a stream");
    *stream = cuda_number_of(handle);
    return STATUS_OK;
}

enum status cuda_stream_destroy(struct device *device, uint64_t stream, struct error *error)
{
    int result = cuda_of(device)->driver.cuStreamDestroy_v2(cuda_handle_of(stream));

    return result ? cuda_driver_refuse(&cuda_of(device)->driver, result, error, "Destroying a stream")
                  : STATUS_OK;
}

enum status cuda_event_create(struct device *device, uint64_t *event, struct error *error)
{
    cuda_handle handle;
    int result = cuda_of(device)->driver.cuEventCreate(&handle, CUDA_EVENT_DEFAULT);

    if (result)
        return cuda_driver_refuse(&cuda_of(device)->driver, result, error, "Creating an event");
    *event = cuda_number_of(handle);
    return STATUS_OK;
}

enum status cuda_event_destroy(struct device *device, uint64_t event, struct error *error)
{
    int result = cuda_of(device)->driver.cuEventDestroy_v2(cuda_handle_of(event));

    return result ? cuda_driver_refuse(&cuda_of(device)->driver, result, error, "Destroying an event")
                  : STATUS_OK;
}

enum status cuda_event_record(struct device *device, uint64_t event, uint64_t stream, struct error *error)
{
    int result = cuda_of(device)->driver.cuEventRecord(cuda_handle_of(event), cuda_handle_of(stream));

    return result ? cuda_driver_refuse(&cuda_of(device)->driver, result, error, "Recording an event")
                  : STATUS_OK;
}

enum status cuda_event_wait(struct device *device, uint64_t stream, uint64_t event, struct error *error)
{
    int result = cuda_of(device)->driver.cuStreamWaitEvent(cuda_handle_of(stream), cuda_handle_of(event), 0);

    return result ? cuda_driver_refuse(&cuda_of(device)->driver, result, error,
                                       "Making a stream wait for an event")
                  : STATUS_OK;
}

enum status cuda_event_elapsed(struct device *device, uint64_t start, uint64_t end, double *ns,
                               struct error *error)
{
    float milliseconds = 0;
    int result = cuda_of(device)->driver.cuEventSynchronize(cuda_handle_of(end));

    if (result == CUDA_RESULT_SUCCESS)
        result = cuda_of(device)->driver.cuEventElapsedTime(&milliseconds, cuda_handle_of(start),
                                                            cuda_handle_of(end));
    if (result)
        return cuda_driver_refuse(&cuda_of(device)->driver, result, error,
                                  "Reading the time between two events");
    *ns = (double)milliseconds * 1e6;
    return STATUS_OK;
}

enum status cuda_sync(struct device *device, struct error *error)
{
    int result = cuda_of(device)->driver.cuCtxSynchronize();

    return result ? cuda_driver_refuse(&cuda_of(device)->driver, result, error, "Waiting for the device")
                  : STATUS_OK;
}

enum status cuda_host_function(struct device *device, uint64_t stream, void (*fn)(void *), void *argument,
                               struct error *error)
{
    int result = cuda_of(device)->driver.cuLaunchHostFunc(cuda_handle_of(stream), fn, argument);

    return result ? cuda_driver_refuse(&cuda_of(device)->driver, result, error, "Enqueueing a host function")
                  : STATUS_OK;
}

/* ---- graphs ---- */

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
