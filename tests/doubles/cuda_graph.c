/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of the stand-in for libcuda: a chain of nodes, listed from last to first, as nothing says in which order a driver lists
 * them. As on an H200, nodes are disabled by the handles of the graph that was instantiated and by no others, also not by those of
 * its clone, nor when it is gone. CUDA_DOUBLE_GRAPH_FAULT=N: the N-th kernel of a graph that is launched alone fails.
 */
#include "tests/doubles/cuda_graph.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#undef cuGraphKernelNodeGetParams
#undef cuGraphGetEdges
#undef cuMemcpy3D
#undef cuMemsetD2D8
#undef cuMemsetD2D16
#undef cuMemsetD2D32

#define NODES_MAX 8

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    size_t index;
    CUgraphNodeType type;
    const char *kernel;
    unsigned blocks;
};

struct CUgraph_st {
    size_t count;
    struct CUgraphNode_st nodes[NODES_MAX];
};

struct CUgraphExec_st {
    struct CUgraph_st *source; /* NULL: gone */
    unsigned enabled[NODES_MAX];
};

static struct CUgraphExec_st exec;
static char order[256];               /* of what ran: a letter each */
static struct CUgraph_st *graphs[64]; /* a driver's graphs are nobody's leaks */

static void keep_graph(struct CUgraph_st *graph)
{
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        if (!graphs[i]) {
            graphs[i] = graph;
            return;
        }
    }
    abort();
}

/* ---- for the test ---- */

__attribute__((visibility("default"))) void *double_graph(const char *nodes)
{
    struct CUgraph_st *graph = calloc(1, sizeof *graph);
    for (; graph && *nodes; nodes++) {
        struct CUgraphNode_st *node = &graph->nodes[graph->count];
        *node = (struct CUgraphNode_st){graph, graph->count, CU_GRAPH_NODE_TYPE_KERNEL, "node", 0};
        node->type = *nodes == 'c'   ? CU_GRAPH_NODE_TYPE_MEMCPY
                     : *nodes == 's' ? CU_GRAPH_NODE_TYPE_MEMSET
                     : *nodes == 'e' ? CU_GRAPH_NODE_TYPE_EMPTY
                     : *nodes == 'h' ? CU_GRAPH_NODE_TYPE_HOST
                                     : CU_GRAPH_NODE_TYPE_KERNEL;
        node->blocks = (unsigned)(*nodes - '0');
        graph->count++;
    }
    keep_graph(graph);
    return graph;
}

__attribute__((visibility("default"))) void *double_graph_exec(void *graph)
{
    exec.source = graph;
    for (size_t i = 0; i < NODES_MAX; i++)
        exec.enabled[i] = 1;
    return &exec;
}

__attribute__((visibility("default"))) void double_graph_destroy(void *graph)
{
    cuGraphDestroy(graph);
}

__attribute__((visibility("default"))) size_t double_graph_enabled(void)
{
    size_t count = 0;
    for (size_t i = 0; exec.source && i < exec.source->count; i++)
        count += exec.enabled[i] && exec.source->nodes[i].type != CU_GRAPH_NODE_TYPE_EMPTY;
    return count;
}

__attribute__((visibility("default"))) const char *double_graph_order(void)
{
    return order;
}

static void note(char letter)
{
    size_t length = strlen(order);
    if (length + 1 < sizeof order)
        order[length] = letter;
}

/* ---- the driver ---- */

/* CUPTI sees these calls, whoever makes them. */
static void tell_cupti(const struct cupti_double_call *call)
{
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD),
         *symbol = cupti ? dlsym(cupti, "double_call") : NULL;
    cupti_double_call *tell;
    memcpy(&tell, &symbol, sizeof tell);
    if (tell)
        tell(call);
}

CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
    *clone = malloc(sizeof **clone);
    if (!*clone)
        return CUDA_ERROR_OUT_OF_MEMORY;
    **clone = *graph;
    for (size_t i = 0; i < graph->count; i++)
        (*clone)->nodes[i].graph = *clone;
    keep_graph(*clone);
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    if (exec.source == graph)
        exec.source = NULL;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        if (graphs[i] == graph)
            graphs[i] = NULL;
    free(graph);
    return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    for (size_t i = 0; nodes && i < *count && i < graph->count; i++)
        nodes[i] = &graph->nodes[graph->count - 1 - i];
    *count = graph->count;
    return CUDA_SUCCESS;
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
                            size_t *count)
{
    const size_t edges = graph->count > 0 ? graph->count - 1 : 0;
    for (size_t i = 0; from && data && i < *count && i < edges; i++) {
        from[i] = &graph->nodes[i];
        to[i] = &graph->nodes[i + 1];
    }
    *count = edges;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
    *node = &clone->nodes[original->index];
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    *type = node->type;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec handle, CUgraphNode node, unsigned int enabled)
{
    if (!handle->source || node->graph != handle->source)
        return CUDA_ERROR_INVALID_VALUE;
    handle->enabled[node->index] = enabled;
    tell_cupti(&(struct cupti_double_call){.function = "cuGraphNodeSetEnabled", .params = &handle});
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    *params = (CUDA_KERNEL_NODE_PARAMS){.func = (CUfunction)(uintptr_t)node->kernel,
                                        .gridDimX = node->blocks,
                                        .gridDimY = 1,
                                        .gridDimZ = 1,
                                        .blockDimX = 32,
                                        .blockDimY = 1,
                                        .blockDimZ = 1};
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID id, CUkernelNodeAttrValue *value)
{
    (void)node, (void)id;
    memset(value, 0, sizeof *value);
    return CUDA_SUCCESS;
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params)
{
    (void)node;
    memset(params, 0, sizeof *params);
    return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params)
{
    (void)node;
    *params = (CUDA_MEMSET_NODE_PARAMS){.elementSize = 4, .width = 1, .height = 1};
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra)
{
    static unsigned launches;
    const char *fault = getenv("CUDA_DOUBLE_GRAPH_FAULT");
    (void)arguments, (void)extra;
    const CUresult result =
        fault && (unsigned)atoi(fault) == ++launches ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    tell_cupti(&(struct cupti_double_call){.function = "cuLaunchKernelEx",
                                           .kernel = (const char *)(uintptr_t)function,
                                           .blocks = config->gridDimX,
                                           .correlation = 1000 + config->gridDimX,
                                           .result = (int)result});
    if (result == CUDA_SUCCESS)
        note((char)('0' + config->gridDimX));
    return result;
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
    (void)copy;
    note('c');
    return CUDA_SUCCESS;
}

CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height)
{
    (void)to, (void)pitch, (void)value, (void)width, (void)height;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height)
{
    (void)to, (void)pitch, (void)value, (void)width, (void)height;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height)
{
    (void)to, (void)value, (void)width, (void)height;
    note(pitch == 4 ? 's' : '?');
    return CUDA_SUCCESS;
}
