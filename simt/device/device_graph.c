/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs: work that was issued to a stream during capture, or that was added node by node, in order. A launch
 * of the graph executes it and costs the host one call; on the device the work runs as in a stream.
 */
#include "simt/device/device_internal.h"

#include "core/base/function_name.h"

#include <stdlib.h>
#include <string.h>

struct model_graph {
    uint32_t shown;  /* the number used in events */
    uint64_t handle; /* 0: it has none */
    struct model_node *nodes;
    size_t count;
    struct graph_condition { /* set at each launch */
        uint64_t address;
        uint32_t value;
    } * conditions;
    size_t condition_count;
};

static void node_fini(struct model *model, struct model_node *node)
{
    if (node->kind == NODE_LAUNCH)
        model_launch_fini(&node->launch);
    if (node->kind != NODE_CONDITION && node->kind != NODE_GRAPH)
        return;
    for (uint32_t i = 0; i < node->condition.body_count; i++)
        model_graph_free(model, node->condition.bodies[i]);
    free(node->condition.bodies);
}

void model_graph_free(struct model *model, struct model_graph *graph)
{
    if (!graph)
        return;
    if (graph->handle)
        model->graphs[graph->handle - 1] = NULL;
    for (size_t i = 0; i < model->stream_count; i++)
        if (model->streams[i].capture == graph)
            model->streams[i].capture = NULL;
    for (size_t i = 0; i < graph->count; i++)
        node_fini(model, &graph->nodes[i]);
    free(graph->nodes);
    free(graph->conditions);
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
    *handle = graph->handle = model->graph_count;
    return true;
}

static bool can_capture(const struct model *model, const struct model_stream *stream, struct error *error)
{
    const bool legacy = stream < model->streams + 2 * model->gpus && (stream - model->streams) % 2 == 0;

    if (!legacy && !stream->capture)
        return true;
    error_set(error, STATUS_USAGE,
              "The legacy stream cannot be captured into a graph, and others only into one graph at a time.");
    return false;
}

enum status simt_device_graph_begin(struct device *device, uint64_t handle, struct error *error)
{
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, handle, error);

    if (!stream)
        return STATUS_STATE;
    if (!can_capture(model, stream, error))
        return STATUS_USAGE;
    struct model_call call = model_call_begin(model, "cuStreamBeginCapture", CALL_STREAM, stream);
    uint64_t graph;
    stream->capture = calloc(1, sizeof *stream->capture);
    if (stream->capture && !graph_register(model, stream->capture, &graph)) {
        free(stream->capture);
        stream->capture = NULL;
    }
    return model_call_end(model, &call, model->gpu->host.call_ns,
                          stream->capture ? STATUS_OK : model_no_memory(error));
}

enum status simt_device_graph_end(struct device *device, uint64_t handle, uint64_t *graph,
                                  struct error *error)
{
    struct model *model = model_of(device);
    struct model_stream *stream = model_stream_find(model, handle, error);

    if (!stream)
        return STATUS_STATE;
    if (!stream->capture)
        return error_set(error, STATUS_STATE, "The stream is not being captured: begin a graph first.");
    struct model_call call = model_call_begin(model, "cuStreamEndCapture", CALL_STREAM, stream);
    *graph = stream->capture->handle;
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

static enum status graph_run(struct model *model, const struct model_graph *graph,
                             const struct model_place *place, struct model_call *call, struct error *error);

static enum status condition_read(struct model *model, const struct model_node *node, uint32_t *value,
                                  struct error *error)
{
    uint8_t *bytes;
    enum status status =
        memory_access(model->memory, node->condition.condition, sizeof *value, false, &bytes, error);

    if (status == STATUS_OK)
        memcpy(value, bytes, sizeof *value);
    return status;
}

/* The body that the value selects; NULL: none. */
static const struct model_graph *condition_body(const struct model_node *node, uint32_t value)
{
    uint32_t body = node->condition.kind == SIMT_CONDITION_SWITCH ? value
                    : value                                       ? 0
                    : node->condition.kind == SIMT_CONDITION_IF   ? 1
                                                                  : node->condition.body_count;

    return body < node->condition.body_count ? node->condition.bodies[body] : NULL;
}

static enum status condition_run(struct model *model, const struct model_node *node,
                                 const struct model_place *place, struct model_call *call,
                                 struct error *error)
{
    const struct model_graph *body;
    uint32_t value;
    enum status status;

    do {
        status = condition_read(model, node, &value, error);
        body = status == STATUS_OK ? condition_body(node, value) : NULL;
        if (body)
            status = graph_run(model, body, place, call, error);
    } while (status == STATUS_OK && body && body->count > 0 && node->condition.kind == SIMT_CONDITION_WHILE);
    return status;
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
    case NODE_CONDITION: return condition_run(model, node, place, call, error);
    case NODE_GRAPH: return graph_run(model, node->condition.bodies[0], place, call, error);
    case NODE_RECORD: return model_event_record(model, place->stream, node->event, error);
    case NODE_WAIT: return model_event_wait(model, place->stream, node->event, error);
    }
    return STATUS_OK;
}

/* Nodes of a body, and of a graph in a graph, have the numbers that they have there. */
static enum status graph_run(struct model *model, const struct model_graph *graph,
                             const struct model_place *place, struct model_call *call, struct error *error)
{
    enum status status = STATUS_OK;

    for (size_t i = 0; i < graph->count && status == STATUS_OK; i++) {
        struct model_place own = *place;
        own.graph_node = (uint32_t)i + 1;
        status = node_run(model, &graph->nodes[i], &own, call, error);
    }
    return status;
}

static enum status conditions_set(struct model *model, const struct model_graph *graph, struct error *error)
{
    enum status status = STATUS_OK;

    for (size_t i = 0; i < graph->condition_count && status == STATUS_OK; i++) {
        const struct graph_condition *condition = &graph->conditions[i];
        uint8_t *bytes;
        status =
            memory_access(model->memory, condition->address, sizeof condition->value, true, &bytes, error);
        if (status == STATUS_OK)
            memcpy(bytes, &condition->value, sizeof condition->value);
    }
    for (size_t i = 0; i < graph->count && status == STATUS_OK; i++)
        if (graph->nodes[i].kind == NODE_GRAPH)
            status = conditions_set(model, graph->nodes[i].condition.bodies[0], error);
    return status;
}

enum status simt_device_graph_launch(struct device *device, uint64_t handle, uint64_t stream_handle,
                                     struct error *error)
{
    struct model *model = model_of(device);
    struct model_graph *graph = graph_find(model, handle, error);
    struct model_stream *stream = model_stream_find(model, stream_handle, error);

    if (!graph || !stream)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuGraphLaunch", CALL_LAUNCH, stream);
    const struct model_place place = {
        .stream = stream, .correlation = call.correlation, .graph = graph->shown};
    model->now += model->gpu->host.launch_ns;
    enum status status = conditions_set(model, graph, error);
    if (status == STATUS_OK)
        status = graph_run(model, graph, &place, &call, error);
    return model_call_end(model, &call, 0, status);
}

enum status simt_device_graph_destroy(struct device *device, uint64_t handle, struct error *error)
{
    struct model *model = model_of(device);
    struct model_graph *graph = graph_find(model, handle, error);

    if (!graph)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuGraphDestroy", CALL_STREAM, NULL);
    model_graph_free(model, graph);
    return model_call_end(model, &call, model->gpu->host.call_ns, STATUS_OK);
}

/* --- node by node --------------------------------------------------------------------------------------- */

static const struct {
    enum model_node_kind kind;
    const char *add, *change; /* the driver's functions */
} node_rows[] = {
    [SIMT_NODE_NOTHING] = {NODE_NOTHING, "cuGraphAddEmptyNode", "cuGraphExecUpdate"},
    [SIMT_NODE_COPY] = {NODE_COPY, "cuGraphAddMemcpyNode", "cuGraphExecMemcpyNodeSetParams"},
    [SIMT_NODE_SET] = {NODE_SET, "cuGraphAddMemsetNode", "cuGraphExecMemsetNodeSetParams"},
    [SIMT_NODE_KERNEL] = {NODE_LAUNCH, "cuGraphAddKernelNode", "cuGraphExecKernelNodeSetParams"},
    [SIMT_NODE_HOST] = {NODE_HOST, "cuGraphAddHostNode", "cuGraphExecHostNodeSetParams"},
    [SIMT_NODE_CONDITION] = {NODE_CONDITION, "cuGraphAddNode", "cuGraphExecUpdate"},
    [SIMT_NODE_GRAPH] = {NODE_GRAPH, "cuGraphAddChildGraphNode", "cuGraphExecChildGraphNodeSetParams"},
    [SIMT_NODE_RECORD] = {NODE_RECORD, "cuGraphAddEventRecordNode", "cuGraphExecEventRecordNodeSetEvent"},
    [SIMT_NODE_WAIT] = {NODE_WAIT, "cuGraphAddEventWaitNode", "cuGraphExecEventWaitNodeSetEvent"}};

/* Makes the bodies, empty. */
static enum status condition_make(struct model *model, const struct simt_node *asked, struct model_node *node,
                                  struct error *error)
{
    node->condition.kind = asked->condition_kind;
    node->condition.condition = asked->condition;
    node->condition.bodies = calloc(asked->body_count, sizeof(struct model_graph *));
    for (uint32_t i = 0; node->condition.bodies && i < asked->body_count; i++) {
        struct model_graph *body = calloc(1, sizeof *body);
        if (!body || !graph_register(model, body, &asked->bodies[i])) {
            free(body);
            break;
        }
        node->condition.bodies[node->condition.body_count++] = body;
    }
    if (node->condition.bodies && node->condition.body_count == asked->body_count)
        return STATUS_OK;
    node_fini(model, node);
    return model_no_memory(error);
}

static enum status nodes_copy(struct model *model, struct model_graph *to, const struct model_graph *from,
                              struct error *error);

/* The body is a copy of the graph that is given. */
static enum status child_make(struct model *model, const struct simt_node *asked, struct model_node *node,
                              struct error *error)
{
    const struct model_graph *child = graph_find(model, asked->child, error);
    enum status status = child ? condition_make(model, asked, node, error) : STATUS_STATE;

    if (status != STATUS_OK)
        return status;
    status = nodes_copy(model, node->condition.bodies[0], child, error);
    if (status != STATUS_OK)
        node_fini(model, node);
    return status;
}

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
    case SIMT_NODE_CONDITION: return condition_make(model, asked, node, error);
    case SIMT_NODE_GRAPH: return child_make(model, asked, node, error);
    case SIMT_NODE_RECORD:
    case SIMT_NODE_WAIT: node->event = asked->event; break;
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

enum status simt_device_graph_condition(struct device *device, uint64_t handle, uint64_t condition,
                                        uint32_t value, struct error *error)
{
    struct model *model = model_of(device);
    struct model_graph *graph = graph_find(model, handle, error);
    struct graph_condition *grown =
        graph ? model_grow(graph->conditions, graph->condition_count, sizeof *grown) : NULL;

    if (!grown)
        return graph ? model_no_memory(error) : STATUS_STATE;
    graph->conditions = grown;
    graph->conditions[graph->condition_count++] =
        (struct graph_condition){.address = condition, .value = value};
    return STATUS_OK;
}

uint64_t simt_device_graph_captured(struct device *device, uint64_t stream)
{
    const struct model_stream *found = model_stream_find(model_of(device), stream, NULL);

    return found && found->capture ? found->capture->handle : 0;
}

enum status simt_device_graph_capture(struct device *device, uint64_t handle, uint64_t stream_handle,
                                      struct error *error)
{
    struct model *model = model_of(device);
    struct model_graph *graph = graph_find(model, handle, error);
    struct model_stream *stream = model_stream_find(model, stream_handle, error);

    if (!graph || !stream)
        return STATUS_STATE;
    if (!can_capture(model, stream, error))
        return STATUS_USAGE;
    struct model_call call = model_call_begin(model, "cuStreamBeginCaptureToGraph", CALL_STREAM, stream);
    stream->capture = graph;
    return model_call_end(model, &call, model->gpu->host.call_ns, STATUS_OK);
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
        node_fini(model, &node);
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
        node_fini(model, &graph->nodes[index]);
        graph->nodes[index] = node;
    }
    return model_call_end(model, &call, model->gpu->host.call_ns, status);
}

/* A copy has copies of the bodies, which have no handles. */
static enum status bodies_copy(struct model *model, struct model_node *node, struct error *error)
{
    struct model_graph **from = node->condition.bodies;
    uint32_t count = node->condition.body_count;
    enum status status = STATUS_OK;

    node->condition.bodies = calloc(count, sizeof *from);
    node->condition.body_count = 0;
    for (uint32_t i = 0; node->condition.bodies && i < count && status == STATUS_OK; i++) {
        struct model_graph *body = calloc(1, sizeof *body);
        if (!body)
            break;
        node->condition.bodies[node->condition.body_count++] = body;
        status = nodes_copy(model, body, from[i], error);
    }
    if (status == STATUS_OK && node->condition.body_count < count)
        status = model_no_memory(error);
    if (status != STATUS_OK)
        node_fini(model, node);
    return status;
}

static enum status nodes_copy(struct model *model, struct model_graph *to, const struct model_graph *from,
                              struct error *error)
{
    enum status status = STATUS_OK;

    if (from->condition_count > 0) {
        to->conditions = malloc(from->condition_count * sizeof *to->conditions);
        if (!to->conditions)
            return model_no_memory(error);
        memcpy(to->conditions, from->conditions, from->condition_count * sizeof *to->conditions);
        to->condition_count = from->condition_count;
    }
    for (size_t i = 0; i < from->count && status == STATUS_OK; i++) {
        struct model_node node = from->nodes[i];
        if (node.kind == NODE_LAUNCH)
            status = model_launch_copy(&node.launch, &from->nodes[i].launch, error);
        if (node.kind == NODE_CONDITION || node.kind == NODE_GRAPH)
            status = bodies_copy(model, &node, error);
        if (status == STATUS_OK && !node_append(to, &node)) {
            node_fini(model, &node);
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
    struct model_call call = model_call_begin(model, name, api_category(name), NULL);
    struct model_graph *made = calloc(1, sizeof *made);
    enum status status = made ? nodes_copy(model, made, graph, error) : model_no_memory(error);
    if (status == STATUS_OK && !graph_register(model, made, copy))
        status = model_no_memory(error);
    if (status != STATUS_OK)
        model_graph_free(model, made);
    return model_call_end(model, &call, model->gpu->host.call_ns, status);
}

enum status simt_device_graph_replace(struct device *device, uint64_t handle, uint64_t from,
                                      struct error *error)
{
    struct model *model = model_of(device);
    struct model_graph *graph = graph_find(model, handle, error), *other = graph_find(model, from, error);

    if (!graph || !other)
        return STATUS_STATE;
    const uint32_t shown = graph->shown;
    model_graph_free(model, graph);
    other->handle = handle;
    other->shown = shown;
    model->graphs[handle - 1] = other;
    model->graphs[from - 1] = NULL;
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

    for (int kind = 0; graph && index < graph->count && kind <= SIMT_NODE_WAIT; kind++)
        if (node_rows[kind].kind == graph->nodes[index].kind)
            return (enum simt_node_kind)kind;
    return SIMT_NODE_NOTHING;
}
