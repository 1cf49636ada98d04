/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of CUDA graphs in a counter run. CUPTI gives no range to a kernel that a graph launches, so a launch of
 * a graph is split: its nodes run one by one, in an order that the graph allows, as plain launches and copies,
 * which are measured like any other; then the graph itself is launched with those nodes disabled, and they are
 * enabled again. All runs once, in the program's order, on the program's memory.
 *
 * The nodes run on a thread of their own, since CUPTI neither reports nor measures calls made within a callback.
 *
 * A list of the graphs that the program instantiated, under a lock that is not held across a call of CUDA.
 * `copy` is a clone from when it was instantiated or updated: the program may edit its graph afterwards. Nodes are enabled and disabled
 * by the handles of the program's graph, and CUDA takes no others. So a graph that the program destroys is kept while what was instantiated
 * from it lives: the driver is given a clone to destroy in its place. A driver that does not look at the changed parameter refuses the
 * handles afterwards, and the graph is not split.
 */
#include "cupti/agent/agent.h"
#include "cupti/agent/counters/counters.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define NODES 4096 /* of a graph that is split, at most */

#define GRAPH_FUNCTION_LIST(X)                                        \
    X(cuGraphClone, "cuGraphClone")                                   \
    X(cuGraphDestroy, "cuGraphDestroy")                               \
    X(cuGraphGetNodes, "cuGraphGetNodes")                             \
    X(cuGraphGetEdges, "cuGraphGetEdges_v2")                          \
    X(cuGraphNodeFindInClone, "cuGraphNodeFindInClone")               \
    X(cuGraphNodeGetType, "cuGraphNodeGetType")                       \
    X(cuGraphNodeSetEnabled, "cuGraphNodeSetEnabled")                 \
    X(cuGraphKernelNodeGetParams, "cuGraphKernelNodeGetParams_v2")    \
    X(cuGraphKernelNodeGetAttribute, "cuGraphKernelNodeGetAttribute") \
    X(cuGraphMemcpyNodeGetParams, "cuGraphMemcpyNodeGetParams")       \
    X(cuGraphMemsetNodeGetParams, "cuGraphMemsetNodeGetParams")       \
    X(cuLaunchKernelEx, "cuLaunchKernelEx")                           \
    X(cuMemcpy3D, "cuMemcpy3D_v2")                                    \
    X(cuMemsetD2D8, "cuMemsetD2D8_v2")                                \
    X(cuMemsetD2D16, "cuMemsetD2D16_v2")                              \
    X(cuMemsetD2D32, "cuMemsetD2D32_v2")                              \
    X(cuCtxSetCurrent, "cuCtxSetCurrent")                             \
    X(cuCtxSynchronize, "cuCtxSynchronize")

static struct {
#define GRAPH_MEMBER(name, symbol) __typeof__(&name) name;
    GRAPH_FUNCTION_LIST(GRAPH_MEMBER)
#undef GRAPH_MEMBER
    bool whole;
} cuda;

struct graph_node {
    CUgraphNode handle, copy; /* handle: of the program's graph */
    CUgraphNodeType type;
};

struct counted_graph {
    struct counted_graph *next;
    CUgraphExec exec;
    CUgraph original, copy;
    CUgraphNode *handles;     /* of the nodes of `original`, as it lists them */
    struct graph_node *nodes; /* of `copy`, in an order in which they may run */
    size_t count, ran;        /* ran: the first so many are disabled, since they ran alone */
    uint32_t splits;
    const char *obstacle; /* why it cannot be split, static text, or NULL */
    bool kept;            /* the program has destroyed `original`, which is ours now */
    CUcontext context;    /* of the launch that is being split */
    CUresult result;
};

static struct {
    pthread_mutex_t lock;
    struct counted_graph *first;
} graphs = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread bool own_calls; /* this thread's calls are not the program's */

static void cuda_find(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    cuda.whole = library != NULL;
#define GRAPH_LOOKUP(name, symbol)                      \
    if (library) {                                      \
        void *address = dlsym(library, symbol);         \
        memcpy(&cuda.name, &address, sizeof cuda.name); \
        cuda.whole &= address != NULL;                  \
    }
    GRAPH_FUNCTION_LIST(GRAPH_LOOKUP)
#undef GRAPH_LOOKUP
}

/* ---- the nodes of a graph, in an order ---- */

static bool type_runs(CUgraphNodeType type)
{
    return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
           type == CU_GRAPH_NODE_TYPE_MEMSET;
}

static size_t node_index(const CUgraphNode *nodes, size_t count, CUgraphNode node)
{
    size_t i = 0;
    while (i < count && nodes[i] != node)
        i++;
    return i;
}

/* Sets *nodes, freed by the caller, also if there are none. */
static bool nodes_list(CUgraph graph, CUgraphNode **nodes, size_t *count)
{
    *nodes = NULL;
    if (cuda.cuGraphGetNodes(graph, NULL, count) != CUDA_SUCCESS || *count > NODES)
        return false;
    *nodes = calloc(*count + 1, sizeof **nodes);
    return *nodes && (*count == 0 || cuda.cuGraphGetNodes(graph, *nodes, count) == CUDA_SUCCESS);
}

/* order: indices such that each edge's node `from` comes before its node `to`. */
static bool edges_sort(size_t *order, size_t count, const size_t *from, const size_t *to, size_t edges)
{
    size_t *waits = calloc(count + 1, sizeof *waits), sorted = 0;
    bool moved = waits != NULL;
    for (size_t e = 0; moved && e < edges; e++)
        waits[to[e]]++;
    while (moved && sorted < count) {
        moved = false;
        for (size_t i = 0; i < count; i++) {
            if (waits[i] != 0)
                continue;
            waits[i] = SIZE_MAX; /* taken */
            order[sorted++] = i;
            moved = true;
            for (size_t e = 0; e < edges; e++)
                waits[to[e]] -= from[e] == i;
        }
    }
    free(waits);
    return moved;
}

static bool nodes_order(CUgraph source, const CUgraphNode *nodes, size_t count, size_t *order)
{
    size_t edges = 0;
    if (cuda.cuGraphGetEdges(source, NULL, NULL, NULL, &edges) != CUDA_SUCCESS || edges > 16 * NODES)
        return false;
    CUgraphNode *from = calloc(edges + 1, sizeof *from), *to = calloc(edges + 1, sizeof *to);
    CUgraphEdgeData *data = calloc(edges + 1, sizeof *data);
    size_t *from_index = calloc(edges + 1, sizeof *from_index),
           *to_index = calloc(edges + 1, sizeof *to_index);
    bool done = from && to && data && from_index && to_index &&
                (edges == 0 || cuda.cuGraphGetEdges(source, from, to, data, &edges) == CUDA_SUCCESS);
    for (size_t e = 0; done && e < edges; e++) {
        from_index[e] = node_index(nodes, count, from[e]);
        to_index[e] = node_index(nodes, count, to[e]);
        done = from_index[e] < count && to_index[e] < count;
    }
    done = done && edges_sort(order, count, from_index, to_index, edges);
    free(from);
    free(to);
    free(data);
    free(from_index);
    free(to_index);
    return done;
}

static const char *type_obstacle(CUgraphNodeType type)
{
    if (type_runs(type) || type == CU_GRAPH_NODE_TYPE_EMPTY)
        return NULL;
    return type == CU_GRAPH_NODE_TYPE_HOST    ? "it calls functions of the host"
           : type == CU_GRAPH_NODE_TYPE_GRAPH ? "it has a graph within it"
                                              : "it has nodes that are no kernel, copy or set";
}

/* Takes what the nodes of `source` do, in an order in which they may run. Returns why it cannot, or NULL. */
static const char *nodes_read(struct counted_graph *graph, CUgraph source)
{
    static const char unreadable[] = "its nodes cannot be read, or are more than 4,096";
    CUgraphNode *nodes = NULL;
    size_t *order = NULL, count = 0;
    const char *obstacle = NULL;
    if (graph->copy)
        cuda.cuGraphDestroy(graph->copy);
    free(graph->nodes);
    graph->nodes = NULL;
    if (cuda.cuGraphClone(&graph->copy, source) != CUDA_SUCCESS) {
        graph->copy = NULL;
        return "it has nodes that CUDA does not copy (memory allocated in a graph, for one)";
    }
    if (!nodes_list(source, &nodes, &count) || count != graph->count ||
        !(graph->nodes = calloc(count + 1, sizeof *graph->nodes)) ||
        !(order = calloc(count + 1, sizeof *order)) || !nodes_order(source, nodes, count, order))
        obstacle = unreadable;
    for (size_t i = 0; !obstacle && i < count; i++) {
        struct graph_node *node = &graph->nodes[i];
        node->handle = graph->handles[order[i]];
        if (cuda.cuGraphNodeGetType(nodes[order[i]], &node->type) != CUDA_SUCCESS ||
            cuda.cuGraphNodeFindInClone(&node->copy, nodes[order[i]], graph->copy) != CUDA_SUCCESS)
            obstacle = unreadable;
        else
            obstacle = type_obstacle(node->type);
    }
    free(nodes);
    free(order);
    return obstacle;
}

/* ---- the list ---- */

/* It is out of the list. */
static void graph_free(struct counted_graph *graph)
{
    bool shared = false;
    pthread_mutex_lock(&graphs.lock);
    for (const struct counted_graph *other = graphs.first; other; other = other->next)
        shared |= other->original == graph->original;
    pthread_mutex_unlock(&graphs.lock);
    if (graph->kept && !shared)
        cuda.cuGraphDestroy(graph->original);
    if (graph->copy)
        cuda.cuGraphDestroy(graph->copy);
    free(graph->handles);
    free(graph->nodes);
    free(graph);
}

static struct counted_graph **graph_link(CUgraphExec exec)
{
    struct counted_graph **link = &graphs.first;
    while (*link && (*link)->exec != exec)
        link = &(*link)->next;
    return link;
}

/* Takes it out of the list; the caller frees it. */
static struct counted_graph *graph_take(CUgraphExec exec)
{
    pthread_mutex_lock(&graphs.lock);
    struct counted_graph **link = graph_link(exec), *graph = *link;
    if (graph)
        *link = graph->next;
    pthread_mutex_unlock(&graphs.lock);
    return graph;
}

static void graph_put(struct counted_graph *graph)
{
    pthread_mutex_lock(&graphs.lock);
    graph->next = graphs.first;
    graphs.first = graph;
    pthread_mutex_unlock(&graphs.lock);
}

static void graph_made(const cuGraphInstantiateWithFlags_params *params)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, cuda_find);
    struct counted_graph *old = graph_take(*params->phGraphExec), *graph = calloc(1, sizeof *graph);
    if (old)
        graph_free(old);
    if (!graph)
        return;
    graph->exec = *params->phGraphExec;
    graph->original = params->hGraph;
    if (!cuda.whole)
        graph->obstacle = "the driver is older than lanescope knows";
    else if (!nodes_list(params->hGraph, &graph->handles, &graph->count))
        graph->obstacle = "its nodes cannot be read, or are more than 4,096";
    else
        graph->obstacle = nodes_read(graph, params->hGraph);
    graph_put(graph);
}

static void graph_updated(const cuGraphExecUpdate_params *params)
{
    struct counted_graph *graph = graph_take(params->hGraphExec);
    if (!graph)
        return;
    if (!graph->obstacle)
        graph->obstacle = nodes_read(graph, params->hGraph);
    graph_put(graph);
}

/* handle: of a node that is destroyed, or of an executable graph that is edited. */
static void graph_changed(const void *handle)
{
    pthread_mutex_lock(&graphs.lock);
    for (struct counted_graph *graph = graphs.first; graph; graph = graph->next)
        if (graph->exec == handle)
            graph->obstacle = "the program set parameters of its nodes after it was instantiated";
        else if (graph->handles &&
                 node_index(graph->handles, graph->count, (CUgraphNode)(uintptr_t)handle) < graph->count)
            graph->obstacle = "the program destroyed nodes of the graph that it was instantiated from";
    pthread_mutex_unlock(&graphs.lock);
}

/* The program's graph is about to be destroyed: CUPTI's parameters are the driver's own, which goes by what is in them. */
static void graph_destroyed(CUgraph *place)
{
    CUgraph original = *place, instead = NULL;
    bool needed = false;
    pthread_mutex_lock(&graphs.lock);
    for (const struct counted_graph *graph = graphs.first; graph; graph = graph->next)
        needed |= graph->original == original && !graph->obstacle;
    pthread_mutex_unlock(&graphs.lock);
    if (needed && cuda.cuGraphClone(&instead, original) != CUDA_SUCCESS)
        instead = NULL;
    pthread_mutex_lock(&graphs.lock);
    for (struct counted_graph *graph = graphs.first; graph; graph = graph->next) {
        if (graph->original != original)
            continue;
        graph->kept = instead != NULL;
        if (!instead) { /* its handle may be another graph's soon */
            graph->original = NULL;
            graph->obstacle = "the program destroyed the graph that it was instantiated from";
        }
    }
    pthread_mutex_unlock(&graphs.lock);
    if (instead)
        *place = instead;
}

void counters_graph_call(enum counters_call call, const CUpti_CallbackData *data)
{
    bool enter = data->callbackSite == CUPTI_API_ENTER;
    const CUresult *result = data->functionReturnValue;
    bool done = !enter && result && *result == CUDA_SUCCESS;
    if (own_calls)
        return;
    own_calls = true;
    if (call == COUNTERS_GRAPH_MADE && done) {
        /* Every way to instantiate begins with the same two parameters, and every way to update. */
        graph_made(data->functionParams);
    } else if (call == COUNTERS_GRAPH_UPDATED && done) {
        graph_updated(data->functionParams);
    } else if (call == COUNTERS_GRAPH_GONE && enter) {
        struct counted_graph *graph =
            graph_take(((const cuGraphExecDestroy_params *)data->functionParams)->hGraphExec);
        if (graph)
            graph_free(graph);
    } else if (call == COUNTERS_GRAPH_DESTROYED && enter) {
        CUgraph *place;
        memcpy(&place, &data->functionParams, sizeof place); /* away with const */
        graph_destroyed(place);
    } else if (call == COUNTERS_GRAPH_CHANGED && enter) {
        graph_changed(*(void *const *)data->functionParams);
    }
    own_calls = false;
}

/* ---- a launch that is split ---- */

static CUresult run_kernel(CUgraphNode node)
{
    CUDA_KERNEL_NODE_PARAMS kernel = {0};
    CUlaunchAttribute attributes[2];
    static const CUlaunchAttributeID ids[] = {CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                              CU_LAUNCH_ATTRIBUTE_COOPERATIVE};
    CUresult result = cuda.cuGraphKernelNodeGetParams(node, &kernel);
    CUlaunchConfig config = {.gridDimX = kernel.gridDimX,
                             .gridDimY = kernel.gridDimY,
                             .gridDimZ = kernel.gridDimZ,
                             .blockDimX = kernel.blockDimX,
                             .blockDimY = kernel.blockDimY,
                             .blockDimZ = kernel.blockDimZ,
                             .sharedMemBytes = kernel.sharedMemBytes,
                             .attrs = attributes};
    if (result != CUDA_SUCCESS)
        return result;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        CUlaunchAttribute *attribute = &attributes[config.numAttrs];
        memset(attribute, 0, sizeof *attribute);
        attribute->id = ids[i];
        if (cuda.cuGraphKernelNodeGetAttribute(node, ids[i], &attribute->value) == CUDA_SUCCESS &&
            (ids[i] == CU_LAUNCH_ATTRIBUTE_COOPERATIVE ? attribute->value.cooperative != 0
                                                       : attribute->value.clusterDim.x != 0))
            config.numAttrs++;
    }
    return cuda.cuLaunchKernelEx(&config, kernel.func ? kernel.func : (CUfunction)kernel.kern,
                                 kernel.kernelParams, kernel.extra);
}

static CUresult run_set(CUgraphNode node)
{
    CUDA_MEMSET_NODE_PARAMS set = {0};
    CUresult result = cuda.cuGraphMemsetNodeGetParams(node, &set);
    /* The pitch of one row is not looked at, and may be 0. */
    size_t pitch = set.height > 1 ? set.pitch : set.width * set.elementSize;
    if (result != CUDA_SUCCESS)
        return result;
    switch (set.elementSize) {
    case 1: return cuda.cuMemsetD2D8(set.dst, pitch, (unsigned char)set.value, set.width, set.height);
    case 2: return cuda.cuMemsetD2D16(set.dst, pitch, (unsigned short)set.value, set.width, set.height);
    default: return cuda.cuMemsetD2D32(set.dst, pitch, set.value, set.width, set.height);
    }
}

static CUresult run_node(const struct graph_node *node)
{
    CUDA_MEMCPY3D copy;
    CUresult result = CUDA_SUCCESS;
    if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
        result = run_kernel(node->copy);
    else if (node->type == CU_GRAPH_NODE_TYPE_MEMSET)
        result = run_set(node->copy);
    else if (node->type == CU_GRAPH_NODE_TYPE_MEMCPY &&
             (result = cuda.cuGraphMemcpyNodeGetParams(node->copy, &copy)) == CUDA_SUCCESS)
        result = cuda.cuMemcpy3D(&copy);
    return result == CUDA_SUCCESS ? cuda.cuCtxSynchronize() : result;
}

static CUresult node_enable(const struct counted_graph *graph, size_t i, bool enable)
{
    return type_runs(graph->nodes[i].type)
               ? cuda.cuGraphNodeSetEnabled(graph->exec, graph->nodes[i].handle, enable)
               : CUDA_SUCCESS;
}

static void *run_nodes(void *argument)
{
    struct counted_graph *graph = argument;
    graph->result = cuda.cuCtxSetCurrent(graph->context);
    if (graph->result == CUDA_SUCCESS)
        graph->result = cuda.cuCtxSynchronize();
    for (graph->ran = 0; graph->result == CUDA_SUCCESS && graph->ran < graph->count; graph->ran++)
        if ((graph->result = run_node(&graph->nodes[graph->ran])) != CUDA_SUCCESS)
            break;
    return NULL;
}

/* Disables all nodes, or none. */
static bool nodes_disable(struct counted_graph *graph)
{
    size_t i = 0;
    while (i < graph->count && node_enable(graph, i, false) == CUDA_SUCCESS)
        i++;
    if (i == graph->count)
        return true;
    while (i > 0)
        node_enable(graph, --i, true);
    return false;
}

static void tell_obstacle(const char *obstacle)
{
    static _Atomic bool told;
    if (!atomic_exchange(&told, true))
        agent_notice(SEVERITY_INFO, STATUS_UNSUPPORTED,
                     "Kernels of a CUDA graph are not measured: %s. A trace run shows them.", obstacle);
}

struct counted_graph *counters_graph_split(const CUpti_CallbackData *data)
{
    CUgraphExec exec = ((const cuGraphLaunch_params *)data->functionParams)->hGraph;
    uint32_t limit = agent.config.launches_per_sync ? 0 : agent.config.launches;
    pthread_mutex_lock(&graphs.lock);
    struct counted_graph *graph = *graph_link(exec);
    const char *obstacle = graph ? graph->obstacle : "lanescope did not see how it was made";
    pthread_mutex_unlock(&graphs.lock);
    if (obstacle) {
        tell_obstacle(obstacle);
        return NULL;
    }
    pthread_t thread;
    if (limit && graph->splits >= limit)
        return NULL;
    own_calls = true;
    bool split = nodes_disable(graph);
    if (!split) {
        graph->obstacle = "the driver does not disable its nodes";
        tell_obstacle(graph->obstacle);
    } else {
        graph->splits++;
        graph->ran = 0;
        graph->context = data->context;
        if (pthread_create(&thread, NULL, run_nodes, graph) == 0)
            pthread_join(thread, NULL);
        for (size_t i = graph->ran; i < graph->count; i++) /* what failed is left to the graph */
            node_enable(graph, i, true);
    }
    own_calls = false;
    return split ? graph : NULL;
}

void counters_graph_join(struct counted_graph *graph)
{
    own_calls = true;
    for (size_t i = 0; i < graph->ran; i++)
        node_enable(graph, i, true);
    own_calls = false;
}
