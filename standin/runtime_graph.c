/*
 * Graphs by stream capture. A graph and the executables instantiated from it share one row, with a count of
 * its handles: the program may destroy the graph and launch the executable. While a stream is captured,
 * streams that wait for an event recorded in it join the capture: the model runs a graph's nodes in the order
 * in which they were captured.
 */
#include "standin/standin.h"

#include "core/base/array.h"

#include <stdlib.h>

struct graph {
    uint64_t number; /* the model's number of the graph */
    size_t handles;
};

struct joined {
    uint64_t stream, event,
        origin; /* a stream, or an event (stream 0), that belongs to the capture of `origin` */
};

static struct joined *joined;
static size_t joined_count, joined_capacity;

/* ---- members of a capture ---- */
static bool join(uint64_t stream, uint64_t event, uint64_t origin)
{
    if (!array_grow(joined, joined_capacity, joined_count, 1))
        return false;
    joined[joined_count++] = (struct joined){stream, event, origin};
    return true;
}

uint64_t graph_origin(uint64_t stream)
{
    for (size_t i = 0; i < joined_count; i++)
        if (stream && joined[i].stream == stream)
            return joined[i].origin;
    return 0;
}

bool graph_takes_record(uint64_t stream, uint64_t event)
{
    uint64_t origin = graph_origin(stream);

    return origin && join(0, event, origin);
}

bool graph_takes_wait(uint64_t stream, uint64_t event)
{
    for (size_t i = 0; i < joined_count; i++)
        if (joined[i].event == event && joined[i].stream == 0)
            return graph_origin(stream) || join(stream, 0, joined[i].origin);
    return false;
}

void graph_forget(uint64_t stream)
{
    for (size_t i = joined_count; i-- > 0;)
        if (stream && joined[i].stream == stream)
            joined[i] = joined[--joined_count];
}

static void part(uint64_t origin)
{
    size_t kept = 0;

    for (size_t i = 0; i < joined_count; i++)
        if (joined[i].origin != origin)
            joined[kept++] = joined[i];
    joined_count = kept;
}

/* ---- capture ---- */
STANDIN_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    cudaError_t lost = standin_enter();
    uint64_t origin = standin_stream(stream);
    struct error error;

    (void)mode;
    if (lost)
        return standin_leave(lost);
    if (origin == DEVICE_STREAM_DEFAULT)
        return standin_leave(cudaErrorStreamCaptureUnsupported);
    if (graph_origin(origin))
        return standin_leave(cudaErrorIllegalState);
    enum status status = standin_device()->ops->graph_begin(standin_device(), origin, &error);
    if (status == STATUS_OK && !join(origin, 0, origin))
        status = error_no_memory(&error, "to capture a stream");
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *handle)
{
    cudaError_t lost = standin_enter();
    uint64_t origin = (uint64_t)(uintptr_t)stream;
    struct error error;

    *handle = NULL;
    if (lost)
        return standin_leave(lost);
    if (graph_origin(origin) != origin)
        return standin_leave(graph_origin(origin) ? cudaErrorStreamCaptureUnmatched : cudaErrorIllegalState);
    struct graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return standin_leave(cudaErrorMemoryAllocation);
    part(origin);
    graph->handles = 1;
    enum status status = standin_device()->ops->graph_end(standin_device(), origin, &graph->number, &error);
    if (status == STATUS_OK)
        *handle = (cudaGraph_t)(void *)graph;
    else
        free(graph);
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    cudaError_t lost = standin_enter();

    *status = graph_origin((uint64_t)(uintptr_t)stream) ? cudaStreamCaptureStatusActive
                                                        : cudaStreamCaptureStatusNone;
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    static __thread enum cudaStreamCaptureMode mine = cudaStreamCaptureModeGlobal;
    enum cudaStreamCaptureMode before = mine;

    mine = *mode;
    *mode = before;
    return cudaSuccess;
}

/* ---- graphs ---- */
STANDIN_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t handle,
                                             unsigned long long flags)
{
    cudaError_t lost = standin_enter();
    struct graph *graph = (struct graph *)(void *)handle;

    (void)flags;
    if (lost)
        return standin_leave(lost);
    if (!graph)
        return standin_leave(cudaErrorInvalidValue);
    graph->handles++;
    *executable = (cudaGraphExec_t)(void *)graph;
    return standin_leave(cudaSuccess);
}

STANDIN_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t handle,
                                                      unsigned long long flags)
{
    return cudaGraphInstantiate(executable, handle, flags);
}

STANDIN_API cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
    (void)executable, (void)stream;
    return standin_leave(standin_enter());
}

STANDIN_API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    cudaError_t lost = standin_enter();
    const struct graph *graph = (const struct graph *)(void *)executable;
    struct error error;

    if (lost)
        return standin_leave(lost);
    if (!graph)
        return standin_leave(cudaErrorInvalidValue);
    return standin_leave_status(
        standin_device()->ops->graph_launch(standin_device(), graph->number, standin_stream(stream), &error),
        &error);
}

static cudaError_t handle_drop(void *handle)
{
    cudaError_t lost = standin_enter();
    struct graph *graph = handle;
    struct error error;
    enum status status = STATUS_OK;

    if (lost)
        return standin_leave(lost);
    if (!graph)
        return standin_leave(cudaErrorInvalidValue);
    if (--graph->handles == 0) {
        status = standin_device()->ops->graph_destroy(standin_device(), graph->number, &error);
        free(graph);
    }
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return handle_drop(graph);
}

STANDIN_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    return handle_drop(executable);
}
