/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of graphs that have graphs of their own, conditional nodes and child graphs; those that record an
 * event or wait for one, in the stream in which the graph is launched; and nodes of any kind by one function.
 */
#include "standin/graph/graph.h"

#include <stdlib.h>

/* ---- conditional nodes ---- */
/* A handle is the address of its value, which kernels set (cudaGraphSetConditional). */
STANDIN_API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t in,
                                                         unsigned value, unsigned flags)
{
    cudaError_t code = node_add_begin(in, handle);
    struct graph *graph = (struct graph *)(void *)in;
    device_pointer address;
    struct error error;

    if (code)
        return code;
    if (!graph_lives(graph) || flags & ~(unsigned)cudaGraphCondAssignDefault)
        return standin_leave(cudaErrorInvalidValue);
    graph_root(graph)->conditions++;
    enum status status = graph_allocate(graph, sizeof value, false, &address, &error);
    if (status == STATUS_OK && flags & cudaGraphCondAssignDefault)
        status =
            simt_device_graph_condition(standin_device(), graph_root(graph)->number, address, value, &error);
    if (status == STATUS_OK)
        *handle = address;
    return standin_leave_status(status, &error);
}

#define BODIES_MAX 4096u

/* Gives the node its bodies. */
static bool bodies_make(struct node *node, const uint64_t *numbers, uint32_t count)
{
    node->bodies = calloc(count, sizeof *node->bodies);
    for (uint32_t i = 0; node->bodies && i < count; i++) {
        struct graph *body = graph_new();
        if (!body)
            return false;
        body->number = numbers[i];
        body->parent = node->graph;
        node->bodies[node->body_count++] = (cudaGraph_t)(void *)body;
    }
    return node->bodies != NULL;
}

static cudaError_t add_condition(cudaGraphNode_t *handle, cudaGraph_t in,
                                 struct cudaConditionalNodeParams *asked)
{
    static const enum simt_condition kinds[] = {[cudaGraphCondTypeIf] = SIMT_CONDITION_IF,
                                                [cudaGraphCondTypeWhile] = SIMT_CONDITION_WHILE,
                                                [cudaGraphCondTypeSwitch] = SIMT_CONDITION_SWITCH};
    struct graph *graph = (struct graph *)(void *)in;
    uint64_t numbers[BODIES_MAX];
    const struct simt_node node = {.kind = SIMT_NODE_CONDITION,
                                   .condition_kind = kinds[asked->type],
                                   .condition = asked->handle,
                                   .bodies = numbers,
                                   .body_count = asked->size};
    struct error error;
    enum status status = graph_list_nodes(graph)
                             ? simt_device_graph_add(standin_device(), graph->number, &node, &error)
                             : error_no_memory(&error, "for a graph's node");

    if (status == STATUS_OK &&
        (!graph_list_nodes(graph) || !bodies_make(graph->nodes[graph->count - 1], numbers, asked->size)))
        status = error_no_memory(&error, "for a graph's node");
    if (status == STATUS_OK) {
        graph_root(graph)->conditions_used++;
        asked->phGraph_out = graph->nodes[graph->count - 1]->bodies;
        *handle = (cudaGraphNode_t)(void *)graph->nodes[graph->count - 1];
    }
    return standin_leave_status(status, &error);
}

static cudaError_t condition_add(cudaGraphNode_t *handle, cudaGraph_t graph,
                                 struct cudaConditionalNodeParams *asked)
{
    cudaError_t code = node_add_begin(graph, asked);
    const uint32_t most[] = {
        [cudaGraphCondTypeIf] = 2, [cudaGraphCondTypeWhile] = 1, [cudaGraphCondTypeSwitch] = BODIES_MAX};

    if (code)
        return code;
    if ((unsigned)asked->type > cudaGraphCondTypeSwitch || asked->size == 0 ||
        asked->size > most[asked->type] || !standin_of_device(asked->handle))
        return standin_leave(cudaErrorInvalidValue);
    return add_condition(handle, graph, asked);
}

/* ---- child graphs ---- */
static enum status node_of_graph(const struct graph *child, uint64_t *body, struct simt_node *node,
                                 struct error *error)
{
    if (child->memory)
        return error_set(error, STATUS_UNSUPPORTED,
                         "The program adds a graph as the child of another that allocates memory or has "
                         "conditional nodes, which the device model does not support: add its nodes to the "
                         "other graph.");
    *node =
        (struct simt_node){.kind = SIMT_NODE_GRAPH, .child = child->number, .bodies = body, .body_count = 1};
    return STATUS_OK;
}

/* The node runs a copy of the child, which can be changed and destroyed afterwards. */
STANDIN_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *handle, cudaGraph_t in,
                                                   const cudaGraphNode_t *dependencies,
                                                   size_t dependency_count, cudaGraph_t child)
{
    cudaError_t code = node_add_after(handle, in, (struct nodes){dependencies, dependency_count}, child);
    struct graph *graph = (struct graph *)(void *)in;
    struct simt_node node;
    uint64_t body = 0;
    struct error error;

    if (code)
        return code;
    if (child == in)
        standin_crash("the graph itself as its child");
    if (!graph_lives((struct graph *)(void *)child))
        return standin_leave(cudaErrorInvalidValue);
    enum status status = node_of_graph((struct graph *)(void *)child, &body, &node, &error);
    standin_enter_closed(); /* node_add leaves */
    code = node_add(handle, in, cudaGraphNodeTypeGraph, &node, status, &error);
    if (code == cudaSuccess && !bodies_make(graph->nodes[graph->count - 1], &body, 1))
        code = cudaErrorMemoryAllocation;
    return standin_leave(code);
}

STANDIN_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t handle, cudaGraph_t *child)
{
    cudaError_t code = node_add_begin((cudaGraph_t)(void *)handle, child);
    const struct node *node = (const struct node *)(void *)handle;

    if (code)
        return code;
    if (node->type != cudaGraphNodeTypeGraph || node->body_count == 0)
        return standin_leave(cudaErrorInvalidValue);
    *child = node->bodies[0];
    return standin_leave(cudaSuccess);
}

STANDIN_API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable,
                                                             cudaGraphNode_t handle, cudaGraph_t child)
{
    cudaError_t code = node_change_begin(executable, handle, child);
    struct simt_node node;
    uint64_t body;
    struct error error;

    if (code)
        return code;
    const struct node *own = (const struct node *)(void *)handle;
    const struct graph *with = (const struct graph *)(void *)child;
    if (own->type != cudaGraphNodeTypeGraph || !graph_lives(with))
        return standin_leave(cudaErrorInvalidValue);
    if (own->body_count &&
        simt_device_graph_node_count(standin_device(), ((struct graph *)(void *)own->bodies[0])->number) !=
            simt_device_graph_node_count(standin_device(), with->number))
        return standin_leave(cudaErrorGraphExecUpdateFailure);
    enum status status = node_of_graph((struct graph *)(void *)child, &body, &node, &error);
    return node_change(executable, handle, &node, status, &error);
}

/* ---- events ---- */
static cudaError_t add_event(cudaGraphNode_t *handle, cudaGraph_t graph, struct nodes after, bool record,
                             cudaEvent_t event)
{
    cudaError_t code = node_add_after(handle, graph, after, event);
    const struct simt_node node = {.kind = record ? SIMT_NODE_RECORD : SIMT_NODE_WAIT,
                                   .event = code ? 0 : standin_event(event)};
    struct error error;

    if (code)
        return code;
    standin_enter_closed(); /* node_add leaves */
    code = node_add(handle, graph, record ? cudaGraphNodeTypeEventRecord : cudaGraphNodeTypeWaitEvent, &node,
                    STATUS_OK, &error);
    if (code == cudaSuccess)
        ((struct node *)(void *)*handle)->event = node.event;
    return standin_leave(code);
}

STANDIN_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *handle, cudaGraph_t graph,
                                                    const cudaGraphNode_t *dependencies,
                                                    size_t dependency_count, cudaEvent_t event)
{
    return add_event(handle, graph, (struct nodes){dependencies, dependency_count}, true, event);
}

STANDIN_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *handle, cudaGraph_t graph,
                                                  const cudaGraphNode_t *dependencies,
                                                  size_t dependency_count, cudaEvent_t event)
{
    return add_event(handle, graph, (struct nodes){dependencies, dependency_count}, false, event);
}

static cudaError_t get_event(cudaGraphNode_t handle, enum cudaGraphNodeType type, cudaEvent_t *event)
{
    cudaError_t code = node_add_begin((cudaGraph_t)(void *)handle, event);
    const struct node *node = (const struct node *)(void *)handle;

    if (code)
        return code;
    if (!node_lives(handle) || node->type != type)
        return standin_leave(cudaErrorInvalidValue);
    *event = standin_event_handle(node->event);
    return standin_leave(cudaSuccess);
}

STANDIN_API cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return get_event(node, cudaGraphNodeTypeEventRecord, event);
}

STANDIN_API cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return get_event(node, cudaGraphNodeTypeWaitEvent, event);
}

/* graph NULL: the node's own. */
static cudaError_t set_event(void *graph, cudaGraphNode_t handle, bool record, cudaEvent_t event)
{
    struct node *own = (struct node *)(void *)handle;
    void *changed = graph || !node_lives(handle) ? graph : own->graph;
    cudaError_t code = node_change_begin(changed, handle, event);
    const struct simt_node node = {.kind = record ? SIMT_NODE_RECORD : SIMT_NODE_WAIT,
                                   .event = code ? 0 : standin_event(event)};
    struct error error;

    if (code)
        return code;
    if (own->type != (record ? cudaGraphNodeTypeEventRecord : cudaGraphNodeTypeWaitEvent))
        return standin_leave(cudaErrorInvalidValue);
    if (!graph)
        own->event = node.event;
    return node_change(changed, handle, &node, STATUS_OK, &error);
}

STANDIN_API cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return set_event(NULL, node, true, event);
}

STANDIN_API cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return set_event(NULL, node, false, event);
}

STANDIN_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                             cudaEvent_t event)
{
    return set_event(executable, node, true, event);
}

STANDIN_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                           cudaEvent_t event)
{
    return set_event(executable, node, false, event);
}

/* ---- any kind ---- */
/* A node of any kind; all of them are made by the functions of their kinds. */
STANDIN_API cudaError_t cudaGraphAddNode(cudaGraphNode_t *handle, cudaGraph_t graph,
                                         const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges,
                                         size_t count, struct cudaGraphNodeParams *asked)
{
    (void)edges;
    if (!asked)
        return standin_null();
    switch (asked->type) {
    case cudaGraphNodeTypeKernel: {
        const struct cudaKernelNodeParams kernel = {.func = asked->kernel.func,
                                                    .gridDim = asked->kernel.gridDim,
                                                    .blockDim = asked->kernel.blockDim,
                                                    .sharedMemBytes = asked->kernel.sharedMemBytes,
                                                    .kernelParams = asked->kernel.kernelParams,
                                                    .extra = asked->kernel.extra};
        return cudaGraphAddKernelNode(handle, graph, dependencies, count, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(handle, graph, dependencies, count, &asked->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
        const struct cudaMemsetParams set = {.dst = asked->memset.dst,
                                             .pitch = asked->memset.pitch,
                                             .value = asked->memset.value,
                                             .elementSize = asked->memset.elementSize,
                                             .width = asked->memset.width,
                                             .height = asked->memset.height};
        return cudaGraphAddMemsetNode(handle, graph, dependencies, count, &set);
    }
    case cudaGraphNodeTypeHost: {
        const struct cudaHostNodeParams host = {.fn = asked->host.fn, .userData = asked->host.userData};
        return cudaGraphAddHostNode(handle, graph, dependencies, count, &host);
    }
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(handle, graph, dependencies, count);
    case cudaGraphNodeTypeMemAlloc: {
        struct cudaMemAllocNodeParams memory = {.poolProps = asked->alloc.poolProps,
                                                .bytesize = asked->alloc.bytesize};
        cudaError_t code = cudaGraphAddMemAllocNode(handle, graph, dependencies, count, &memory);
        asked->alloc.dptr = memory.dptr;
        return code;
    }
    case cudaGraphNodeTypeMemFree:
        return cudaGraphAddMemFreeNode(handle, graph, dependencies, count, asked->free.dptr);
    case cudaGraphNodeTypeConditional: return condition_add(handle, graph, &asked->conditional);
    case cudaGraphNodeTypeGraph:
        return cudaGraphAddChildGraphNode(handle, graph, dependencies, count, asked->graph.graph);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(handle, graph, dependencies, count, asked->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphAddEventWaitNode(handle, graph, dependencies, count, asked->eventWait.event);
    default: break;
    }
    if ((unsigned)asked->type >= cudaGraphNodeTypeCount)
        return standin_null();
    standin_enter_closed();
    return standin_leave(
        standin_refuse("The program adds a node of type %d to a graph, which the device model "
                       "does not have (docs/standin.md lists what it has).",
                       (int)asked->type));
}
