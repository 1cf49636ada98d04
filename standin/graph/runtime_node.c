/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of graphs: made one by one, changed, and asked for. The model runs them in the order in which they
 * are made, which satisfies their dependencies: a node depends on nodes that are there.
 */
#include "standin/graph/graph.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a node is ---- */
/* The code of an H200 for parameters that it does not take. */
typedef cudaError_t node_checker(const void *params);
/* Makes a node of the parameters of its kind of node. */
typedef enum status node_maker(const void *params, struct simt_node *node, struct error *error);

static cudaError_t check_kernel(const void *params)
{
    const struct cudaKernelNodeParams *asked = params;

    return standin_check_launch(asked->func, asked->gridDim, asked->blockDim, asked->sharedMemBytes);
}

static cudaError_t check_set(const void *params)
{
    const struct cudaMemsetParams *asked = params;
    const bool element = asked->elementSize == 1 || asked->elementSize == 2 || asked->elementSize == 4;
    const uint64_t to = (uint64_t)(uintptr_t)asked->dst;
    const uint64_t row = (uint64_t)asked->width * asked->elementSize;
    struct simt_allocation at;

    if (!element || asked->width == 0 || asked->height == 0 || to % asked->elementSize ||
        (asked->height > 1 && asked->pitch < row) || !simt_device_allocation(standin_device(), to, &at))
        return cudaErrorInvalidValue;
    return (asked->height - 1) * asked->pitch + row <= at.address + at.size_bytes - to
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

/* The side of a copy that is the device's; memory of the host that the device knows is taken, too. */
static cudaError_t check_side(const void *pointer, size_t bytes, bool of_device)
{
    struct simt_allocation at;
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    const bool known = simt_device_allocation(standin_device(), address, &at);

    if (!pointer || (of_device && !known))
        return cudaErrorInvalidValue;
    return known && bytes > at.address + at.size_bytes - address ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t check_copy(const void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t code =
        check_side(to, bytes, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice);
    return code ? code
                : check_side(from, bytes, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice);
}

static enum status node_of_kernel(const void *params, struct simt_node *node, struct error *error)
{
    const struct cudaKernelNodeParams *asked = params;
    const struct binary_kernel *kernel = binary_kernel_find(asked->func);

    if (!kernel)
        return error_set(error, STATUS_STATE,
                         "No kernel is registered at the address that a graph's node names.");
    if (asked->extra)
        return error_set(
            error, STATUS_UNSUPPORTED,
            "A graph's node passes the arguments of %s in one buffer (extra), which the device model does "
            "not support: use kernelParams.",
            binary_kernel_name(kernel));
    *node = (struct simt_node){.kind = SIMT_NODE_KERNEL,
                               .launch = {.kernel = binary_kernel_name(kernel),
                                          .grid = {asked->gridDim.x, asked->gridDim.y, asked->gridDim.z},
                                          .block = {asked->blockDim.x, asked->blockDim.y, asked->blockDim.z},
                                          .dynamic_shared_bytes = asked->sharedMemBytes,
                                          .arguments = asked->kernelParams}};
    return binary_kernel_image(kernel, &node->launch.image, error);
}

static enum status node_of_set(const void *params, struct simt_node *node, struct error *error)
{
    const struct cudaMemsetParams *asked = params;
    bool element = asked->elementSize == 1 || asked->elementSize == 2 || asked->elementSize == 4;

    if (!element || asked->width == 0 || asked->height == 0)
        return error_set(error, STATUS_USAGE, "A graph's memset node sets %zu x %zu elements of %u bytes.",
                         asked->width, asked->height, asked->elementSize);
    *node = (struct simt_node){.kind = SIMT_NODE_SET,
                               .fill = {.destination = (uint64_t)(uintptr_t)asked->dst,
                                        .value = asked->value,
                                        .value_bytes = asked->elementSize,
                                        .row_bytes = asked->width * asked->elementSize,
                                        .rows = asked->height,
                                        .pitch = asked->pitch}};
    return STATUS_OK;
}

static enum status rows_of_copy(struct simt_rows *rows, enum cudaMemcpyKind kind, struct error *error)
{
    if (kind == cudaMemcpyDefault)
        kind = standin_of_device(rows->destination)
                   ? standin_of_device(rows->source) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice
                   : cudaMemcpyDeviceToHost;
    switch (kind) {
    case cudaMemcpyHostToDevice: rows->direction = DEVICE_COPY_TO_DEVICE; return STATUS_OK;
    case cudaMemcpyDeviceToHost: rows->direction = DEVICE_COPY_TO_HOST; return STATUS_OK;
    case cudaMemcpyDeviceToDevice: rows->direction = DEVICE_COPY_ON_DEVICE; return STATUS_OK;
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault: break;
    }
    return error_set(
        error, STATUS_UNSUPPORTED,
        "A graph's node copies within the host's memory, which the device model does not support.");
}

struct piece {
    void *to;
    const void *from;
    size_t bytes;
    enum cudaMemcpyKind kind;
};

static cudaError_t check_piece(const void *params)
{
    const struct piece *asked = params;

    return asked->bytes ? check_copy(asked->to, asked->from, asked->bytes, asked->kind)
                        : cudaErrorInvalidValue;
}

static enum status node_of_piece(const void *params, struct simt_node *node, struct error *error)
{
    const struct piece *asked = params;

    *node = (struct simt_node){.kind = SIMT_NODE_COPY,
                               .rows = {.destination = (uint64_t)(uintptr_t)asked->to,
                                        .source = (uint64_t)(uintptr_t)asked->from,
                                        .row_bytes = asked->bytes,
                                        .rows = 1}};
    return rows_of_copy(&node->rows, asked->kind, error);
}

/* Offsets in bytes: without arrays, positions and extents are bytes, rows, slices. */
static uint64_t place_of(const struct cudaPitchedPtr *pointer, const struct cudaPos *at)
{
    return (uint64_t)(uintptr_t)pointer->ptr + (at->z * pointer->ysize + at->y) * pointer->pitch + at->x;
}

static cudaError_t check_3d(const void *params)
{
    const struct cudaMemcpy3DParms *asked = params;

    if (asked->extent.width == 0 || asked->extent.height == 0 || asked->extent.depth == 0 ||
        !(asked->srcArray || asked->srcPtr.ptr) || !(asked->dstArray || asked->dstPtr.ptr))
        return cudaErrorInvalidValue;
    return (unsigned)asked->kind > cudaMemcpyDefault ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
}

static enum status node_of_copy(const void *params, struct simt_node *node, struct error *error)
{
    const struct cudaMemcpy3DParms *asked = params;
    bool slices = asked->extent.depth > 1 && (asked->srcPtr.ysize != asked->extent.height ||
                                              asked->dstPtr.ysize != asked->extent.height);

    if (asked->srcArray || asked->dstArray || slices)
        return error_set(
            error, STATUS_UNSUPPORTED,
            "A graph's node copies %s, which the device model does not support: issue the copy to a "
            "stream.",
            slices ? "a part of each slice" : "from or to an array");
    *node = (struct simt_node){.kind = SIMT_NODE_COPY,
                               .rows = {.destination = place_of(&asked->dstPtr, &asked->dstPos),
                                        .source = place_of(&asked->srcPtr, &asked->srcPos),
                                        .row_bytes = asked->extent.width,
                                        .rows = asked->extent.height * asked->extent.depth,
                                        .destination_pitch = asked->dstPtr.pitch,
                                        .source_pitch = asked->srcPtr.pitch}};
    return rows_of_copy(&node->rows, asked->kind, error);
}

static cudaError_t check_host(const void *params)
{
    const struct cudaHostNodeParams *asked = params;

    return asked->fn ? cudaSuccess : cudaErrorInvalidValue;
}

static enum status node_of_host(const void *params, struct simt_node *node, struct error *error)
{
    const struct cudaHostNodeParams *asked = params;

    (void)error;
    *node = (struct simt_node){.kind = SIMT_NODE_HOST, .function = asked->fn, .argument = asked->userData};
    return STATUS_OK;
}

/* ---- adding ---- */
cudaError_t node_add(cudaGraphNode_t *handle, cudaGraph_t in, enum cudaGraphNodeType type,
                     const struct simt_node *node, enum status status, struct error *error)
{
    struct graph *graph = (struct graph *)(void *)in;

    if (status == STATUS_OK)
        status = graph_list_nodes(graph) ? simt_device_graph_add(standin_device(), graph->number, node, error)
                                         : error_no_memory(error, "for a graph's node");
    if (status == STATUS_OK && !graph_list_nodes(graph))
        status = error_no_memory(error, "for a graph's node");
    if (status == STATUS_OK) {
        struct node *made = graph->nodes[graph->count - 1];
        made->type = type;
        *handle = (cudaGraphNode_t)(void *)made;
    }
    return standin_leave_status(status, error);
}

cudaError_t node_add_begin(cudaGraph_t graph, const void *params)
{
    cudaError_t lost = standin_enter();

    if (lost || !graph || !params)
        return standin_leave(lost ? lost : cudaErrorInvalidValue);
    return cudaSuccess;
}

bool node_lives(cudaGraphNode_t handle)
{
    const struct node *node = (const struct node *)(void *)handle;

    return node && graph_lives(node->graph);
}

bool node_is_of(cudaGraphNode_t handle, const struct graph *graph)
{
    return node_lives(handle) && ((struct node *)(void *)handle)->graph == graph;
}

cudaError_t node_add_after(cudaGraphNode_t *handle, cudaGraph_t graph, struct nodes after, const void *params)
{
    cudaError_t code = node_add_begin(graph, params);
    bool wrong = !handle || !graph_lives((struct graph *)(void *)graph) || (after.count > 0 && !after.list);

    if (code)
        return code;
    for (size_t i = 0; i < after.count && !wrong; i++) {
        wrong = !node_is_of(after.list[i], (struct graph *)(void *)graph);
        for (size_t k = 0; k < i && !wrong; k++)
            wrong = after.list[k] == after.list[i];
    }
    return wrong ? standin_leave(cudaErrorInvalidValue) : cudaSuccess;
}

static cudaError_t add_made(cudaGraphNode_t *handle, cudaGraph_t graph, struct nodes after,
                            enum cudaGraphNodeType type, node_checker *check, node_maker *make,
                            const void *asked)
{
    cudaError_t code = node_add_after(handle, graph, after, asked);
    struct simt_node node;
    struct error error;

    if (code)
        return code;
    code = check(asked);
    return code ? standin_leave(code)
                : node_add(handle, graph, type, &node, make(asked, &node, &error), &error);
}

/* What the program said a copy's direction is, which an executable's may not change. */
static cudaError_t keep_kind(cudaError_t code, const cudaGraphNode_t *handle, enum cudaMemcpyKind kind)
{
    if (code == cudaSuccess) {
        ((struct node *)(void *)*handle)->kind = kind;
        ((struct node *)(void *)*handle)->kind_known = true;
    }
    return code;
}

STANDIN_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *handle, cudaGraph_t graph,
                                               const cudaGraphNode_t *dependencies, size_t dependency_count,
                                               const struct cudaKernelNodeParams *asked)
{
    return add_made(handle, graph, (struct nodes){dependencies, dependency_count}, cudaGraphNodeTypeKernel,
                    check_kernel, node_of_kernel, asked);
}

STANDIN_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *handle, cudaGraph_t graph,
                                               const cudaGraphNode_t *dependencies, size_t dependency_count,
                                               const struct cudaMemcpy3DParms *asked)
{
    return add_made(handle, graph, (struct nodes){dependencies, dependency_count}, cudaGraphNodeTypeMemcpy,
                    check_3d, node_of_copy, asked);
}

STANDIN_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *handle, cudaGraph_t graph,
                                                 const cudaGraphNode_t *dependencies, size_t dependency_count,
                                                 void *to, const void *from, size_t bytes,
                                                 enum cudaMemcpyKind kind)
{
    const struct piece asked = {to, from, bytes, kind};

    return keep_kind(add_made(handle, graph, (struct nodes){dependencies, dependency_count},
                              cudaGraphNodeTypeMemcpy, check_piece, node_of_piece, &asked),
                     handle, kind);
}

STANDIN_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *handle, cudaGraph_t graph,
                                               const cudaGraphNode_t *dependencies, size_t dependency_count,
                                               const struct cudaMemsetParams *asked)
{
    return add_made(handle, graph, (struct nodes){dependencies, dependency_count}, cudaGraphNodeTypeMemset,
                    check_set, node_of_set, asked);
}

STANDIN_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *handle, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies, size_t dependency_count,
                                             const struct cudaHostNodeParams *asked)
{
    return add_made(handle, graph, (struct nodes){dependencies, dependency_count}, cudaGraphNodeTypeHost,
                    check_host, node_of_host, asked);
}

static cudaError_t add_nothing(cudaGraphNode_t *handle, cudaGraph_t graph, enum cudaGraphNodeType type)
{
    const struct simt_node node = {.kind = SIMT_NODE_NOTHING};
    struct error error;

    return node_add(handle, graph, type, &node, STATUS_OK, &error);
}

STANDIN_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *handle, cudaGraph_t graph,
                                              const cudaGraphNode_t *dependencies, size_t dependency_count)
{
    cudaError_t code = node_add_after(handle, graph, (struct nodes){dependencies, dependency_count}, graph);

    return code ? code : add_nothing(handle, graph, cudaGraphNodeTypeEmpty);
}

STANDIN_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *handle, cudaGraph_t graph,
                                                 const cudaGraphNode_t *dependencies, size_t dependency_count,
                                                 struct cudaMemAllocNodeParams *asked)
{
    cudaError_t code = node_add_after(handle, graph, (struct nodes){dependencies, dependency_count}, asked);
    device_pointer address = 0;
    struct error error;

    if (code)
        return code;
    if (asked->bytesize == 0 || asked->poolProps.allocType != cudaMemAllocationTypePinned ||
        asked->poolProps.location.type != cudaMemLocationTypeDevice || asked->poolProps.location.id < 0 ||
        asked->poolProps.location.id >= standin_gpus())
        return standin_leave(cudaErrorInvalidValue);
    enum status status =
        graph_allocate((struct graph *)(void *)graph, asked->bytesize, true, &address, &error);
    if (status != STATUS_OK)
        return standin_leave_status(status, &error);
    asked->dptr = (void *)(uintptr_t)address;
    return add_nothing(handle, graph, cudaGraphNodeTypeMemAlloc);
}

STANDIN_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *handle, cudaGraph_t graph,
                                                const cudaGraphNode_t *dependencies, size_t dependency_count,
                                                void *pointer)
{
    cudaError_t code = node_add_after(handle, graph, (struct nodes){dependencies, dependency_count}, pointer);

    if (code)
        return code;
    struct graph_allocation *allocation =
        graph_allocation_find(graph_root((struct graph *)(void *)graph), (uint64_t)(uintptr_t)pointer);
    if (!graph_has_memory((uint64_t)(uintptr_t)pointer) || (allocation && allocation->freed_in))
        return standin_leave(cudaErrorInvalidValue);
    if (allocation)
        allocation->freed_in = true;
    return add_nothing(handle, graph, cudaGraphNodeTypeMemFree);
}

/* ---- changing ---- */
cudaError_t node_change(void *in, cudaGraphNode_t handle, const struct simt_node *node, enum status status,
                        struct error *error)
{
    const struct graph *graph = in;

    if (status == STATUS_OK)
        status = simt_device_graph_change(standin_device(), graph->number,
                                          ((struct node *)(void *)handle)->index, node, error);
    return standin_leave_status(status, error);
}

cudaError_t node_change_begin(const void *graph, cudaGraphNode_t node, const void *params)
{
    cudaError_t lost = standin_enter();

    if (lost || !graph_lives(graph) || !node_lives(node) || !params ||
        ((struct node *)(void *)node)->index >= ((const struct graph *)graph)->count)
        return standin_leave(lost ? lost : cudaErrorInvalidValue);
    return cudaSuccess;
}

static void *graph_of_node(cudaGraphNode_t node)
{
    return node_lives(node) ? ((struct node *)(void *)node)->graph : NULL;
}

static cudaError_t change_made(void *graph, cudaGraphNode_t handle, enum cudaGraphNodeType type,
                               node_checker *check, node_maker *make, const void *asked)
{
    cudaError_t code = node_change_begin(graph, handle, asked);
    struct simt_node node;
    struct error error;

    if (code)
        return code;
    code = ((struct node *)(void *)handle)->type == type ? check(asked) : cudaErrorInvalidValue;
    return code ? standin_leave(code) : node_change(graph, handle, &node, make(asked, &node, &error), &error);
}

STANDIN_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                     const struct cudaKernelNodeParams *asked)
{
    return change_made(graph_of_node(node), node, cudaGraphNodeTypeKernel, check_kernel, node_of_kernel,
                       asked);
}

STANDIN_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                         const struct cudaKernelNodeParams *asked)
{
    if (!asked)
        standin_crash("a null pointer for the parameters");
    return change_made(executable, node, cudaGraphNodeTypeKernel, check_kernel, node_of_kernel, asked);
}

STANDIN_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                     const struct cudaMemcpy3DParms *asked)
{
    return change_made(graph_of_node(node), node, cudaGraphNodeTypeMemcpy, check_3d, node_of_copy, asked);
}

STANDIN_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                         const struct cudaMemcpy3DParms *asked)
{
    return change_made(executable, node, cudaGraphNodeTypeMemcpy, check_3d, node_of_copy, asked);
}

static cudaError_t change_piece(void *graph, cudaGraphNode_t handle, struct piece asked)
{
    const struct node *node = (const struct node *)(void *)handle;

    /* An executable keeps the kinds of memory that it copies between. */
    if (graph != graph_of_node(handle) && node_lives(handle) && node->kind_known && node->kind != asked.kind)
        return standin_null();
    return change_made(graph, handle, cudaGraphNodeTypeMemcpy, check_piece, node_of_piece, &asked);
}

STANDIN_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                                       size_t bytes, enum cudaMemcpyKind kind)
{
    return change_piece(graph_of_node(node), node, (struct piece){to, from, bytes, kind});
}

STANDIN_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                           void *to, const void *from, size_t bytes,
                                                           enum cudaMemcpyKind kind)
{
    return change_piece(executable, node, (struct piece){to, from, bytes, kind});
}

STANDIN_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                                     const struct cudaMemsetParams *asked)
{
    return change_made(graph_of_node(node), node, cudaGraphNodeTypeMemset, check_set, node_of_set, asked);
}

STANDIN_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                         const struct cudaMemsetParams *asked)
{
    if (asked && asked->height > 1) /* of an executable only sets of one row can be changed */
        return standin_null();
    return change_made(executable, node, cudaGraphNodeTypeMemset, check_set, node_of_set, asked);
}

STANDIN_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                                   const struct cudaHostNodeParams *asked)
{
    return change_made(graph_of_node(node), node, cudaGraphNodeTypeHost, check_host, node_of_host, asked);
}

STANDIN_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                       const struct cudaHostNodeParams *asked)
{
    return change_made(executable, node, cudaGraphNodeTypeHost, check_host, node_of_host, asked);
}

/* ---- asking ---- */
/* nodes NULL: their number alone. */
STANDIN_API cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *count)
{
    if (!count)
        return standin_null();
    cudaError_t code = node_add_begin(handle, count);
    struct graph *graph = (struct graph *)(void *)handle;

    if (code)
        return code;
    if (!graph_list_nodes(graph))
        return standin_leave(cudaErrorMemoryAllocation);
    size_t room = nodes ? *count : 0;
    for (size_t i = 0; i < room; i++)
        nodes[i] = i < graph->count ? (cudaGraphNode_t)(void *)graph->nodes[i] : NULL;
    *count = nodes && room < graph->count ? room : graph->count;
    return standin_leave(cudaSuccess);
}

STANDIN_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    if (!type)
        return standin_null();
    cudaError_t code = node_add_begin((cudaGraph_t)(void *)node, type);

    if (code)
        return code;
    *type = ((struct node *)(void *)node)->type;
    return standin_leave(cudaSuccess);
}

STANDIN_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t node,
                                                 cudaGraph_t clone)
{
    cudaError_t code = node_add_begin(clone, node);
    const struct graph *graph = (const struct graph *)(void *)clone;

    if (code)
        return code;
    if (!graph_lives(graph) || !node_lives(node) || ((struct node *)(void *)node)->graph == graph)
        return standin_leave(cudaErrorInvalidValue);
    uint32_t index = ((struct node *)(void *)node)->index;
    *found = index < graph->count ? (cudaGraphNode_t)(void *)graph->nodes[index] : NULL;
    return standin_leave(*found ? cudaSuccess : cudaErrorInvalidValue);
}

static bool edge_find(const struct graph *graph, uint32_t from, uint32_t to)
{
    for (size_t i = 0; graph->edges && i < graph->edge_count; i++)
        if (graph->edges[i].from == from && graph->edges[i].to == to)
            return true;
    return false;
}

/* The order in which nodes run is that in which they were made. */
static cudaError_t edge_add(struct graph *graph, cudaGraphNode_t before, cudaGraphNode_t after)
{
    const struct node *from = (const struct node *)(void *)before, *to = (const struct node *)(void *)after;

    if (!node_lives(before) || !node_lives(after) || from->graph != graph || to->graph != graph ||
        from == to || edge_find(graph, from->index, to->index))
        return cudaErrorInvalidValue;
    if (edge_find(graph, to->index, from->index)) {
        graph->circular = true; /* said when it is instantiated, as on an H200 */
        return cudaSuccess;
    }
    if (from->index > to->index)
        return standin_refuse("A graph's node is made to depend on a node that was added after it, "
                              "which the device model does not support: add it first.");
    if (!array_grow(graph->edges, graph->edge_capacity, graph->edge_count, 1))
        return cudaErrorMemoryAllocation;
    graph->edges[graph->edge_count++] = (struct edge){from->index, to->index};
    return cudaSuccess;
}

STANDIN_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                 const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                                 size_t count)
{
    cudaError_t code = node_add_begin(graph, graph);

    (void)edges;
    if (code)
        return code;
    if (!graph_lives((struct graph *)(void *)graph) || (count > 0 && (!from || !to)))
        code = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && code == cudaSuccess; i++)
        code = edge_add((struct graph *)(void *)graph, from[i], to[i]);
    return standin_leave(code);
}
