/*
 * Graphs: work that was issued to a stream during capture, or that was added node by node, in order. A launch
 * of the graph executes it and costs the host one call; on the device the work runs as in a stream.
 */
#include "simt/device/device_internal.h"

#include <stdlib.h>

struct model_graph {
    uint32_t shown; /* the number used in events */
    struct model_node *nodes;
    size_t count;
};

static void node_fini(struct model_node *node)
{
    if (node->kind == NODE_LAUNCH)
        model_launch_fini(&node->launch);
}

void model_graph_free(struct model_graph *graph)
{
    if (!graph)
        return;
    for (size_t i = 0; i < graph->count; i++)
        node_fini(&graph->nodes[i]);
    free(graph->nodes);
    free(graph);
}

static bool node_append(struct model_graph *graph, const struct model_node *node)
{
    struct model_node *grown = model_grow(graph->nodes, graph->count, sizeof *grown);

    if (!grown)
        return false;
    graph->nodes = grown;
    graph->nodes[graph->count++] = *node;
    return true;
}

enum status model_capture(struct model *model, struct model_stream *stream, const struct model_node *node,
                          struct error *error)
{
    (void)model;
    return node_append(stream->capture, node) ? STATUS_OK : model_no_memory(error);
}

/* The model owns the graph afterwards. False: no memory. */
static bool graph_register(struct model *model, struct model_graph *graph, uint64_t *handle)
{
    struct model_graph **grown = model_grow(model->graphs, model->graph_count, sizeof *grown);

    if (!grown)
        return false;
    model->graphs = grown;
    graph->shown = (uint32_t)model->graph_count + 1;
    model->graphs[model->graph_count++] = graph;
    *handle = model->graph_count;
    return true;
}

enum status model_graph_begin(struct device *device, uint64_t handle, struct error *error)
{
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, handle, error);

    if (!stream)
        return STATUS_STATE;
    if (stream < model->streams + 2 * model->gpus || stream->capture)
        return error_set(error, STATUS_USAGE,
                         "Only a created stream can be captured into a graph, and only one graph at a time.");
    struct model_call call = model_call_begin(model, "cuStreamBeginCapture", CALL_STREAM, stream);
    stream->capture = calloc(1, sizeof *stream->capture);
    return model_call_end(model, &call, model->gpu->host.call_ns,
                          stream->capture ? STATUS_OK : model_no_memory(error));
}

enum status model_graph_end(struct device *device, uint64_t handle, uint64_t *graph, struct error *error)
{
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, handle, error);

    if (!stream)
        return STATUS_STATE;
    if (!stream->capture)
        return error_set(error, STATUS_STATE, "The stream is not being captured: begin a graph first.");
    struct model_call call = model_call_begin(model, "cuStreamEndCapture", CALL_STREAM, stream);
    if (!graph_register(model, stream->capture, graph))
        return model_call_end(model, &call, 0, model_no_memory(error));
    stream->capture = NULL;
    return model_call_end(model, &call, model->gpu->host.call_ns, STATUS_OK);
}

static struct model_graph *graph_find(struct model *model, uint64_t handle, struct error *error)
{
    if (handle && handle <= model->graph_count && model->graphs[handle - 1])
        return model->graphs[handle - 1];
    error_set(error, STATUS_STATE, "There is no graph %llu on the model: it was destroyed, or never made.",
              (unsigned long long)handle);
    return NULL;
}

static enum status node_run(struct model *model, struct model_node *node, const struct model_place *place,
                            struct model_call *call, struct error *error)
{
    uint64_t id;

    switch (node->kind) {
    case NODE_NOTHING: break;
    case NODE_COPY: return model_copy(model, &node->copy, place, &id, error);
    case NODE_SET: return model_set(model, &node->set, place, error);
    case NODE_HOST: return model_host_function(model, node->host.fn, node->host.argument, place, error);
    case NODE_LAUNCH: return model_launch_run(model, &node->launch, place, call, error);
    }
    return STATUS_OK;
}

enum status model_graph_launch(struct device *device, uint64_t handle, uint64_t stream_handle,
                               struct error *error)
{
    struct model *model = model_of(device);
    struct model_graph *graph = graph_find(model, handle, error);
    struct model_stream *stream = model_stream_find(model, stream_handle, error);
    enum status status = STATUS_OK;

    if (!graph || !stream)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuGraphLaunch", CALL_LAUNCH, stream);
    model->now += model->gpu->host.launch_ns;
    for (size_t i = 0; i < graph->count && status == STATUS_OK; i++) {
        const struct model_place place = {.stream = stream,
                                          .correlation = call.correlation,
                                          .graph = graph->shown,
                                          .graph_node = (uint32_t)i + 1};
        status = node_run(model, &graph->nodes[i], &place, &call, error);
    }
    return model_call_end(model, &call, 0, status);
}

enum status model_graph_destroy(struct device *device, uint64_t handle, struct error *error)
{
    struct model *model = model_of(device);
    struct model_graph *graph = graph_find(model, handle, error);

    if (!graph)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuGraphDestroy", CALL_OTHER, NULL);
    model->graphs[handle - 1] = NULL;
    model_graph_free(graph);
    return model_call_end(model, &call, model->gpu->host.call_ns, STATUS_OK);
}

/* --- node by node --------------------------------------------------------------------------------------- */

static const struct {
    enum model_node_kind kind;
    const char *add, *change; /* the driver's functions */
} node_rows[] = {[SIMT_NODE_NOTHING] = {NODE_NOTHING, "cuGraphAddEmptyNode", "cuGraphExecUpdate"},
                 [SIMT_NODE_COPY] = {NODE_COPY, "cuGraphAddMemcpyNode", "cuGraphExecMemcpyNodeSetParams"},
                 [SIMT_NODE_SET] = {NODE_SET, "cuGraphAddMemsetNode", "cuGraphExecMemsetNodeSetParams"},
                 [SIMT_NODE_KERNEL] = {NODE_LAUNCH, "cuGraphAddKernelNode", "cuGraphExecKernelNodeSetParams"},
                 [SIMT_NODE_HOST] = {NODE_HOST, "cuGraphAddHostNode", "cuGraphExecHostNodeSetParams"}};

static enum status node_make(struct model *model, const struct simt_node *asked, struct model_node *node,
                             struct error *error)
{
    *node = (struct model_node){.kind = node_rows[asked->kind].kind};
    switch (asked->kind) {
    case SIMT_NODE_NOTHING: break;
    case SIMT_NODE_COPY: node->copy = model_copy_of_rows(model, &asked->rows, true); break;
    case SIMT_NODE_SET: node->set = asked->fill; break;
    case SIMT_NODE_KERNEL: return model_launch_make(model, &asked->launch, &node->launch, error);
    case SIMT_NODE_HOST:
        node->host.fn = asked->function;
        node->host.argument = asked->argument;
        break;
    }
    return STATUS_OK;
}

enum status simt_device_graph_create(struct device *device, uint64_t *graph, struct error *error)
{
    struct model *model = model_of(device);
    struct model_graph *made = calloc(1, sizeof *made);
    struct model_call call = model_call_begin(model, "cuGraphCreate", CALL_OTHER, NULL);
    bool whole = made && graph_register(model, made, graph);

    if (!whole)
        free(made);
    return model_call_end(model, &call, model->gpu->host.call_ns, whole ? STATUS_OK : model_no_memory(error));
}

enum status simt_device_graph_add(struct device *device, uint64_t handle, const struct simt_node *asked,
                                  struct error *error)
{
    struct model *model = model_of(device);
    struct model_graph *graph = graph_find(model, handle, error);
    struct model_node node;

    if (!graph)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, node_rows[asked->kind].add, CALL_OTHER, NULL);
    enum status status = node_make(model, asked, &node, error);
    if (status == STATUS_OK && !node_append(graph, &node)) {
        node_fini(&node);
        status = model_no_memory(error);
    }
    return model_call_end(model, &call, model->gpu->host.call_ns, status);
}

enum status simt_device_graph_change(struct device *device, uint64_t handle, uint32_t index,
                                     const struct simt_node *asked, struct error *error)
{
    struct model *model = model_of(device);
    struct model_graph *graph = graph_find(model, handle, error);
    struct model_node node;

    if (!graph)
        return STATUS_STATE;
    if (index >= graph->count)
        return error_set(error, STATUS_STATE, "The graph has %zu nodes: there is no node %u.", graph->count,
                         index);
    struct model_call call = model_call_begin(model, node_rows[asked->kind].change, CALL_OTHER, NULL);
    enum status status = node_make(model, asked, &node, error);
    if (status == STATUS_OK) {
        node_fini(&graph->nodes[index]);
        graph->nodes[index] = node;
    }
    return model_call_end(model, &call, model->gpu->host.call_ns, status);
}

static enum status nodes_copy(struct model_graph *to, const struct model_graph *from, struct error *error)
{
    enum status status = STATUS_OK;

    for (size_t i = 0; i < from->count && status == STATUS_OK; i++) {
        struct model_node node = from->nodes[i];
        if (node.kind == NODE_LAUNCH)
            status = model_launch_copy(&node.launch, &from->nodes[i].launch, error);
        if (status == STATUS_OK && !node_append(to, &node)) {
            node_fini(&node);
            status = model_no_memory(error);
        }
    }
    return status;
}

enum status simt_device_graph_copy(struct device *device, uint64_t handle, const char *name, uint64_t *copy,
                                   struct error *error)
{
    struct model *model = model_of(device);
    const struct model_graph *graph = graph_find(model, handle, error);

    if (!graph)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, name, CALL_OTHER, NULL);
    struct model_graph *made = calloc(1, sizeof *made);
    enum status status = made ? nodes_copy(made, graph, error) : model_no_memory(error);
    if (status == STATUS_OK && !graph_register(model, made, copy))
        status = model_no_memory(error);
    if (status != STATUS_OK)
        model_graph_free(made);
    return model_call_end(model, &call, model->gpu->host.call_ns, status);
}

enum status simt_device_graph_replace(struct device *device, uint64_t handle, uint64_t from,
                                      struct error *error)
{
    struct model *model = model_of(device);
    struct model_graph *graph = graph_find(model, handle, error), *other = graph_find(model, from, error);

    if (!graph || !other)
        return STATUS_STATE;
    other->shown = graph->shown;
    model->graphs[handle - 1] = other;
    model->graphs[from - 1] = NULL;
    model_graph_free(graph);
    return STATUS_OK;
}

uint32_t simt_device_graph_node_count(struct device *device, uint64_t handle)
{
    const struct model_graph *graph = graph_find(model_of(device), handle, NULL);

    return graph ? (uint32_t)graph->count : 0;
}

enum simt_node_kind simt_device_graph_node_kind(struct device *device, uint64_t handle, uint32_t index)
{
    const struct model_graph *graph = graph_find(model_of(device), handle, NULL);

    for (int kind = 0; graph && index < graph->count && kind <= SIMT_NODE_HOST; kind++)
        if (node_rows[kind].kind == graph->nodes[index].kind)
            return (enum simt_node_kind)kind;
    return SIMT_NODE_NOTHING;
}
