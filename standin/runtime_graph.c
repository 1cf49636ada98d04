/*
 * Graphs, as streams are captured into them. The model keeps one object for a graph and for what is
 * instantiated of it: it goes when both have been destroyed. Graphs made node by node are refused.
 */
#include "standin/standin.h"

#include "core/base/array.h"

struct graph {
    uint64_t number; /* the model's */
    unsigned handles; /* the graph's own, and its executables */
};

static struct graph *graphs;
static size_t graph_count, graph_capacity;

static struct graph *graph_find(uint64_t number)
{
    for (size_t i = 0; i < graph_count; i++)
        if (graphs[i].number == number && graphs[i].handles > 0)
            return &graphs[i];
    return NULL;
}

static cudaError_t graph_release(uint64_t number)
{
    cudaError_t lost = standin_enter();
    struct graph *graph = graph_find(number);
    struct error error;

    if (lost || !graph)
        return standin_leave(lost ? lost : cudaErrorInvalidResourceHandle);
    if (--graph->handles > 0)
        return standin_leave(cudaSuccess);
    return standin_leave_status(standin_device()->ops->graph_destroy(standin_device(), number, &error), &error);
}

STANDIN_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    cudaError_t lost = standin_enter();
    struct error error;

    (void)mode;
    if (lost)
        return standin_leave(lost);
    return standin_leave_status(
        standin_device()->ops->graph_begin(standin_device(), standin_stream(stream), &error), &error);
}

STANDIN_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    cudaError_t lost = standin_enter();
    uint64_t number = 0;
    struct error error;

    if (lost)
        return standin_leave(lost);
    if (!array_grow(graphs, graph_capacity, graph_count, 1))
        return standin_leave(cudaErrorMemoryAllocation);
    enum status status =
        standin_device()->ops->graph_end(standin_device(), standin_stream(stream), &number, &error);
    if (status == STATUS_OK)
        graphs[graph_count++] = (struct graph){.number = number, .handles = 1};
    *graph = (cudaGraph_t)(uintptr_t)number;
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                             unsigned long long flags)
{
    standin_enter_closed();
    struct graph *found = graph_find((uint64_t)(uintptr_t)graph);

    (void)flags;
    if (!found)
        return standin_leave(cudaErrorInvalidValue);
    found->handles++;
    *executable = (cudaGraphExec_t)(uintptr_t)graph;
    return standin_leave(cudaSuccess);
}

STANDIN_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                      unsigned long long flags)
{
    return cudaGraphInstantiate(executable, graph, flags);
}

STANDIN_API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost)
        return standin_leave(lost);
    return standin_leave_status(standin_device()->ops->graph_launch(standin_device(),
                                                                    (uint64_t)(uintptr_t)executable,
                                                                    standin_stream(stream), &error),
                                &error);
}

STANDIN_API cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
    (void)executable, (void)stream;
    return standin_leave(standin_enter());
}

STANDIN_API cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return graph_release((uint64_t)(uintptr_t)graph);
}

STANDIN_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    return graph_release((uint64_t)(uintptr_t)executable);
}
