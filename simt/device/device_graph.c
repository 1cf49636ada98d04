/*
 * Graphs: the work that was issued to a stream during capture, in order. A launch of the graph executes it
 * and costs the host one call; on the device the work runs as in a stream.
 */
#include "simt/device/device_internal.h"

#include <stdlib.h>

struct model_graph {
    uint32_t shown; /* the number used in events */
    struct model_node *nodes;
    size_t count;
};

void model_graph_free(struct model_graph *graph)
{
    if (!graph)
        return;
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].kind == NODE_LAUNCH)
            model_launch_fini(&graph->nodes[i].launch);
    free(graph->nodes);
    free(graph);
}

enum status model_capture(struct model *model, struct model_stream *stream, const struct model_node *node,
                          struct error *error)
{
    struct model_graph *graph = stream->capture;
    struct model_node *grown = model_grow(graph->nodes, graph->count, sizeof *grown);

    (void)model;
    if (!grown)
        return model_no_memory(error);
    graph->nodes = grown;
    graph->nodes[graph->count++] = *node;
    return STATUS_OK;
}

enum status model_graph_begin(struct device *device, uint64_t handle, struct error *error)
{
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, handle, error);

    if (!stream)
        return STATUS_STATE;
    if (stream < model->streams + 2 || stream->capture)
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
    struct model_graph **grown = model_grow(model->graphs, model->graph_count, sizeof *grown);
    if (!grown)
        return model_no_memory(error);
    model->graphs = grown;
    struct model_call call = model_call_begin(model, "cuStreamEndCapture", CALL_STREAM, stream);
    stream->capture->shown = (uint32_t)model->graph_count + 1;
    model->graphs[model->graph_count++] = stream->capture;
    stream->capture = NULL;
    *graph = model->graph_count;
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
    case NODE_COPY: return model_copy(model, &node->copy, place, &id, error);
    case NODE_SET:
        return model_set(model, node->set.destination, node->set.byte, node->set.bytes, place, error);
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
