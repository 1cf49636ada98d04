/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs: stream capture, and what is done with a whole graph (its nodes: runtime_node.c). While a stream is
 * captured, streams that wait for an event recorded in the capture join it: the model runs the nodes of a
 * graph in the order in which they were captured or added.
 */
#include "standin/graph/graph.h"

#include "core/base/array.h"

#include <pthread.h>
#include <stdlib.h>

/* A stream, or an event (stream 0), that belongs to the capture of `origin`. `work` counts what a stream was
 * given, `waited` how much of it the origin, or a stream that is not joined itself, waits for; an event has
 * the work of its stream, `of`, when it was recorded. */
struct joined {
    uint64_t stream, event, origin, of;
    uint32_t work, waited;
};

static struct joined *joined;
static size_t joined_count, joined_capacity;

/* ---- members of a capture ---- */
static bool capture_join(struct joined member)
{
    if (!array_grow(joined, joined_capacity, joined_count, 1))
        return false;
    joined[joined_count++] = member;
    return true;
}

static struct joined *joined_find(uint64_t stream)
{
    for (size_t i = 0; i < joined_count; i++)
        if (stream && joined[i].stream == stream)
            return &joined[i];
    return NULL;
}

uint64_t graph_origin(uint64_t stream)
{
    for (size_t i = 0; i < joined_count; i++)
        if (stream && joined[i].stream == stream)
            return joined[i].origin;
    return 0;
}

/* ---- handles of streams ---- */
uint64_t standin_stream(cudaStream_t stream)
{
    uint64_t number = standin_number(stream);
    uint64_t origin = graph_origin(number);

    if (standin_device() && number < HANDLES_OF_EVENTS && !standin_stream_lives(number))
        standin_crash("a stream that was destroyed, or never created");
    return origin ? origin : number;
}

cudaError_t standin_check_stream(cudaStream_t stream)
{
    const uint64_t handle = (uint64_t)(uintptr_t)stream;

    return standin_stream_lives(standin_stream(stream))         ? cudaSuccess
           : handle < HANDLES_MAX && handle & HANDLES_OF_EVENTS ? cudaErrorContextIsDestroyed
                                                                : cudaErrorInvalidResourceHandle;
}

/* ---- what a capture takes ---- */
bool graph_takes_record(uint64_t stream, uint64_t event)
{
    const struct joined *member = joined_find(stream);
    bool kept = false;

    for (size_t i = joined_count; i-- > 0;) /* what it was recorded for last counts */
        if (joined[i].stream == 0 && joined[i].event == event)
            joined[i] = joined[--joined_count];
    member = joined_find(stream);
    if (member)
        kept = capture_join(
            (struct joined){.event = event, .origin = member->origin, .of = stream, .work = member->work});
    return kept;
}

bool graph_takes_event(uint64_t stream, uint64_t event, bool record, enum status *status, struct error *error)
{
    const uint64_t captured = simt_device_graph_captured(standin_device(), graph_origin(stream));
    const struct simt_node node = {.kind = record ? SIMT_NODE_RECORD : SIMT_NODE_WAIT, .event = event};

    if (captured)
        *status = simt_device_graph_add(standin_device(), captured, &node, error);
    return captured != 0;
}

void graph_forget(uint64_t stream)
{
    for (size_t i = joined_count; i-- > 0;)
        if (stream && joined[i].stream == stream)
            joined[i] = joined[--joined_count];
}

static void capture_part(uint64_t origin)
{
    size_t kept = 0;

    for (size_t i = 0; i < joined_count; i++)
        if (joined[i].origin != origin)
            joined[kept++] = joined[i];
    joined_count = kept;
}

static void graph_free(struct graph *graph);

/* ---- capture ---- */
static struct capture {
    uint64_t origin;
    struct graph *graph;
    bool given; /* the graph was there before */
    bool invalid;
    enum cudaStreamCaptureMode mode;
    pthread_t thread; /* that began it */
} * captures;
static size_t capture_count, capture_capacity;

static struct graph *capture_graph(uint64_t origin)
{
    for (size_t i = 0; i < capture_count; i++)
        if (captures[i].origin == origin)
            return captures[i].graph;
    return NULL;
}

static void capture_forget(uint64_t origin)
{
    for (size_t i = capture_count; i-- > 0;)
        if (captures[i].origin == origin)
            captures[i] = captures[--capture_count];
}

void graph_abandon(uint64_t origin)
{
    struct graph *graph = capture_graph(origin);
    uint64_t number;

    if (!graph)
        return;
    capture_part(origin);
    capture_forget(origin);
    simt_device_graph_end(standin_device(), origin, &number, NULL);
}

/* ---- what a capture forbids ---- */
static __thread enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

static struct capture *capture_find(uint64_t origin)
{
    for (size_t i = 0; i < capture_count; i++)
        if (origin && captures[i].origin == origin)
            return &captures[i];
    return NULL;
}

/* CUDA's documentation of cudaThreadExchangeStreamCaptureMode. */
static bool capture_forbids(const struct capture *capture)
{
    const bool own =
        pthread_equal(capture->thread, pthread_self()) && capture->mode != cudaStreamCaptureModeRelaxed;

    switch (thread_mode) {
    case cudaStreamCaptureModeGlobal: return own || capture->mode == cudaStreamCaptureModeGlobal;
    case cudaStreamCaptureModeThreadLocal: return own;
    case cudaStreamCaptureModeRelaxed:
    default: return false;
    }
}

cudaError_t graph_forbids(void)
{
    cudaError_t code = cudaSuccess;

    for (size_t i = 0; i < capture_count; i++)
        if (capture_forbids(&captures[i])) {
            captures[i].invalid = true;
            code = cudaErrorStreamCaptureUnsupported;
        }
    return code;
}

cudaError_t graph_forbids_device(void)
{
    cudaError_t code = cudaSuccess;

    for (size_t i = 0; i < capture_count; i++)
        if (!captures[i].invalid) {
            captures[i].invalid = true;
            code = cudaErrorStreamCaptureUnsupported;
        }
    return code;
}

/* The legacy stream waits for each blocking stream, and they for it. */
static cudaError_t legacy_forbidden(void)
{
    cudaError_t code = cudaSuccess;

    for (size_t i = 0; i < joined_count; i++) {
        struct capture *capture = joined[i].stream ? capture_find(joined[i].origin) : NULL;
        bool non_blocking = true;
        uint32_t gpu;
        if (capture && !capture->invalid &&
            simt_device_stream(standin_device(), joined[i].stream, &gpu, &non_blocking) && !non_blocking) {
            capture->invalid = true;
            code = cudaErrorStreamCaptureImplicit;
        }
    }
    return code;
}

/* Does a stream capture for which the legacy stream waits? */
static bool legacy_is_captured(void)
{
    bool non_blocking;
    uint32_t gpu;

    for (size_t i = 0; i < joined_count; i++)
        if (joined[i].stream && simt_device_stream(standin_device(), joined[i].stream, &gpu, &non_blocking) &&
            !non_blocking)
            return true;
    return false;
}

static cudaError_t capture_invalidate(struct capture *capture, cudaError_t code)
{
    const bool before = capture->invalid;

    capture->invalid = true;
    return before ? cudaErrorStreamCaptureInvalidated : code;
}

cudaError_t graph_forbids_wait(uint64_t stream)
{
    struct capture *capture = capture_find(graph_origin(stream));
    cudaError_t code = stream == DEVICE_STREAM_DEFAULT ? legacy_forbidden() : cudaSuccess;

    if (capture)
        return capture_invalidate(capture, cudaErrorStreamCaptureUnsupported);
    return code ? code : graph_forbids();
}

cudaError_t graph_takes_nothing(uint64_t stream)
{
    const uint64_t captured = simt_device_graph_captured(standin_device(), graph_origin(stream));
    const struct simt_node node = {.kind = SIMT_NODE_NOTHING};
    cudaError_t code = graph_forbids_work(stream);
    struct error error;

    return code ? code : error_of_status(simt_device_graph_add(standin_device(), captured, &node, &error));
}

cudaError_t graph_invalidates(uint64_t stream, cudaError_t code)
{
    struct capture *capture = capture_find(graph_origin(stream));

    return capture ? capture_invalidate(capture, code) : code;
}

bool graph_captures_event(uint64_t event)
{
    for (size_t i = 0; i < joined_count; i++)
        if (joined[i].stream == 0 && joined[i].event == event && capture_find(joined[i].origin))
            return true;
    return false;
}

cudaError_t graph_forbids_callback(uint64_t stream)
{
    struct capture *capture = capture_find(graph_origin(stream));

    return capture ? capture_invalidate(capture, cudaErrorStreamCaptureUnsupported)
                   : graph_forbids_work(stream);
}

cudaError_t graph_forbids_event(uint64_t event)
{
    for (size_t i = 0; i < joined_count; i++)
        if (joined[i].stream == 0 && joined[i].event == event && capture_find(joined[i].origin))
            return capture_invalidate(capture_find(joined[i].origin), cudaErrorCapturedEvent);
    return graph_forbids();
}

cudaError_t graph_forbids_work(uint64_t stream)
{
    struct joined *member = joined_find(stream);
    const struct capture *capture = member ? capture_find(member->origin) : NULL;

    if (stream == DEVICE_STREAM_DEFAULT)
        return legacy_forbidden();
    if (capture && capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (member)
        member->work++;
    return cudaSuccess;
}

bool graph_takes_wait(uint64_t stream, uint64_t event, cudaError_t *code)
{
    struct joined *waiting = joined_find(stream), *other;
    struct capture *capture = capture_find(graph_origin(stream));
    double ns;

    *code = cudaSuccess;
    for (size_t i = 0; i < joined_count; i++) {
        const struct joined from = joined[i];
        if (from.event != event || from.stream != 0)
            continue;
        if (!waiting && capture_join((struct joined){.stream = stream, .origin = from.origin}))
            waiting = joined_find(stream);
        other = joined_find(from.of);
        if (other && other->stream != other->origin && other != waiting && from.work > other->waited) {
            other->waited = from.work;
            if (waiting)
                waiting->work++;
        }
        return true;
    }
    if (!capture || simt_device_event_elapsed(standin_device(), event, event, &ns, NULL) != STATUS_OK)
        return capture != NULL; /* an event that was never recorded is complete */
    *code = capture_invalidate(capture, cudaErrorStreamCaptureIsolation);
    return true;
}

/* Is there work in a stream of the capture for which its first stream does not wait? */
static bool capture_is_unjoined(uint64_t origin)
{
    for (size_t i = 0; i < joined_count; i++)
        if (joined[i].stream && joined[i].origin == origin && joined[i].stream != origin &&
            joined[i].work > joined[i].waited)
            return true;
    return false;
}

/* `graph` NULL: a new one. */
static cudaError_t capture_begin(cudaStream_t stream, struct graph *graph, enum cudaStreamCaptureMode mode)
{
    cudaError_t lost = standin_enter();
    uint64_t origin = standin_stream(stream);
    struct error error;
    enum status status;

    if (lost == cudaSuccess && (unsigned)mode > cudaStreamCaptureModeRelaxed)
        lost = cudaErrorInvalidValue;
    if (lost)
        return standin_leave(lost);
    if (origin == DEVICE_STREAM_DEFAULT)
        return standin_leave(cudaErrorStreamCaptureUnsupported);
    if (graph_origin(origin))
        return standin_leave(cudaErrorIllegalState);
    struct graph *made = graph ? graph : graph_new();
    if (!made || !array_grow(captures, capture_capacity, capture_count, 1)) {
        if (!graph)
            free(made);
        return standin_leave(cudaErrorMemoryAllocation);
    }
    if (graph)
        status = simt_device_graph_capture(standin_device(), graph->number, origin, &error);
    else
        status = simt_device_graph_begin(standin_device(), origin, &error);
    if (status == STATUS_OK && !capture_join((struct joined){.stream = origin, .origin = origin}))
        status = error_no_memory(&error, "to capture a stream");
    if (status == STATUS_OK) {
        made->number = simt_device_graph_captured(standin_device(), origin);
        captures[capture_count++] = (struct capture){
            .origin = origin, .graph = made, .given = graph, .mode = mode, .thread = pthread_self()};
    } else if (!graph) {
        free(made);
    }
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return capture_begin(stream, NULL, mode);
}

/* Nodes run in the order in which they are captured: they follow all that the graph has. */
STANDIN_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                      const cudaGraphNode_t *dependencies,
                                                      const cudaGraphEdgeData *edges, size_t count,
                                                      enum cudaStreamCaptureMode mode)
{
    (void)edges;
    for (size_t i = 0; i < count; i++)
        if (!dependencies || !node_is_of(dependencies[i], (struct graph *)(void *)graph))
            return standin_null();
    return graph ? capture_begin(stream, (struct graph *)(void *)graph, mode) : standin_null();
}

STANDIN_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *handle)
{
    cudaError_t lost = standin_enter();
    uint64_t origin = (uint64_t)(uintptr_t)stream, number;
    struct error error;

    if (handle)
        *handle = NULL;
    if (lost)
        return standin_leave(lost);
    if (graph_origin(origin) != origin && graph_origin(origin)) {
        capture_find(graph_origin(origin))->invalid = true;
        return standin_leave(cudaErrorStreamCaptureUnmatched);
    }
    if (!capture_find(origin))
        return standin_leave(cudaErrorIllegalState);
    const struct capture capture = *capture_find(origin);
    const cudaError_t wrong = capture.invalid               ? cudaErrorStreamCaptureInvalidated
                              : capture_is_unjoined(origin) ? cudaErrorStreamCaptureUnjoined
                                                            : cudaSuccess;
    capture_part(origin);
    capture_forget(origin);
    enum status status = simt_device_graph_end(standin_device(), origin, &number, &error);
    if (status == STATUS_OK && wrong) {
        if (!capture.given) {
            simt_device_graph_destroy(standin_device(), capture.graph->number, &error);
            graph_free(capture.graph);
        }
        return standin_leave(wrong);
    }
    if (status == STATUS_OK && handle) /* not asked for: a graph that was given */
        *handle = (cudaGraph_t)(void *)capture.graph;
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    if (!status)
        return standin_null();
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess && standin_number(stream) == DEVICE_STREAM_DEFAULT && legacy_is_captured())
        lost = cudaErrorStreamCaptureImplicit;
    if (lost)
        return standin_leave(lost);
    standin_stream(stream);
    const struct capture *capture = capture_find(graph_origin((uint64_t)(uintptr_t)stream));

    *status = !capture           ? cudaStreamCaptureStatusNone
              : capture->invalid ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
    return standin_leave(lost);
}

/* The next node depends on the last one. */
STANDIN_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                 unsigned long long *id, cudaGraph_t *handle,
                                                 const cudaGraphNode_t **dependencies,
                                                 const cudaGraphEdgeData **edges, size_t *count)
{
    if (!status)
        return standin_null();
    static __thread cudaGraphNode_t last;
    cudaError_t lost = standin_enter();
    uint64_t origin = graph_origin((uint64_t)(uintptr_t)stream);
    struct graph *graph = capture_graph(origin);

    *status = graph ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (lost || !graph)
        return standin_leave(lost);
    if (!graph_list_nodes(graph))
        return standin_leave(cudaErrorMemoryAllocation);
    last = graph->count ? (cudaGraphNode_t)(void *)graph->nodes[graph->count - 1] : NULL;
    if (id)
        *id = origin;
    if (handle)
        *handle = (cudaGraph_t)(void *)graph;
    if (dependencies)
        *dependencies = &last;
    if (edges)
        *edges = NULL;
    if (count)
        *count = last != NULL;
    return standin_leave(cudaSuccess);
}

/* The order of the nodes is that in which they are made. */
STANDIN_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                            cudaGraphNode_t *dependencies,
                                                            const cudaGraphEdgeData *edges, size_t count,
                                                            unsigned flags)
{
    cudaError_t lost = standin_enter();

    (void)edges;
    for (size_t i = 0; i < count && lost == cudaSuccess; i++)
        if (!dependencies ||
            !node_is_of(dependencies[i], capture_graph(graph_origin((uint64_t)(uintptr_t)stream))))
            lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess && flags > cudaStreamSetCaptureDependencies)
        lost = cudaErrorInvalidValue;
    return standin_leave(lost                                        ? lost
                         : graph_origin((uint64_t)(uintptr_t)stream) ? cudaSuccess
                                                                     : cudaErrorIllegalState);
}

STANDIN_API cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    if (!mode)
        standin_crash("a null pointer for the mode");
    const enum cudaStreamCaptureMode before = thread_mode;

    thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}

/* ---- memory of nodes ---- */
static size_t memory_bytes, memory_bytes_high;
static struct graph_memory **graph_memories; /* all */
static size_t graph_memories_count, graph_memories_capacity;
static device_pointer *owned; /* addresses of all graphs' allocations */
static size_t owned_count, owned_capacity;

cudaError_t graph_frees(uint64_t address)
{
    for (size_t i = 0; i < graph_memories_count; i++)
        for (size_t k = 0; k < graph_memories[i]->count; k++) {
            struct graph_allocation *allocation = &graph_memories[i]->allocations[k];
            if (allocation->address == address && allocation->allocated) {
                allocation->allocated = false;
                return cudaSuccess;
            }
        }
    return cudaErrorInvalidValue;
}

bool graph_has_memory(uint64_t address)
{
    for (size_t i = 0; i < owned_count; i++)
        if (owned[i] == address)
            return true;
    return false;
}

size_t graph_memory_bytes(bool high)
{
    return high ? memory_bytes_high : memory_bytes;
}

struct graph *graph_root(struct graph *graph)
{
    while (graph->parent)
        graph = graph->parent;
    return graph;
}

struct graph_allocation *graph_allocation_find(const struct graph *graph, uint64_t address)
{
    for (size_t i = 0; graph && graph->memory && i < graph->memory->count; i++)
        if (graph->memory->allocations[i].address == address)
            return &graph->memory->allocations[i];
    return NULL;
}

enum status graph_allocate(struct graph *of, size_t size_bytes, bool of_node, device_pointer *address,
                           struct error *error)
{
    struct graph *graph = graph_root(of);
    struct graph_memory *memory = graph->memory ? graph->memory : calloc(1, sizeof *memory);

    if (!memory)
        return error_no_memory(error, "for a graph's memory");
    if (!graph->memory && !array_grow(graph_memories, graph_memories_capacity, graph_memories_count, 1)) {
        free(memory);
        return error_no_memory(error, "for a graph's memory");
    }
    if (!graph->memory) {
        memory->owners = 1;
        graph_memories[graph_memories_count++] = memory;
    }
    graph->memory = memory;
    if (!array_grow(memory->allocations, memory->capacity, memory->count, 1) ||
        !array_grow(owned, owned_capacity, owned_count, 1))
        return error_no_memory(error, "for a graph's memory");
    enum status status = simt_device_memory_alloc(standin_device(), size_bytes, address, error);
    if (status != STATUS_OK)
        return status;
    memory->allocations[memory->count++] =
        (struct graph_allocation){.address = *address, .size_bytes = size_bytes, .of_node = of_node};
    owned[owned_count++] = *address;
    memory_bytes += size_bytes;
    memory_bytes_high = memory_bytes > memory_bytes_high ? memory_bytes : memory_bytes_high;
    return STATUS_OK;
}

static void memory_drop(struct graph_memory *memory)
{
    if (!memory || --memory->owners > 0)
        return;
    for (size_t i = 0; i < memory->count; i++) {
        simt_device_memory_free(standin_device(), memory->allocations[i].address, NULL);
        memory_bytes -= memory->allocations[i].size_bytes;
        for (size_t k = 0; k < owned_count; k++)
            if (owned[k] == memory->allocations[i].address)
                owned[k--] = owned[--owned_count];
    }
    for (size_t i = graph_memories_count; i-- > 0;)
        if (graph_memories[i] == memory)
            graph_memories[i] = graph_memories[--graph_memories_count];
    free(memory->allocations);
    free(memory);
}

static cudaError_t memory_attribute(enum cudaGraphMemAttributeType attribute, uint64_t **value)
{
    static uint64_t bytes;

    switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent:
    case cudaGraphMemAttrReservedMemCurrent: bytes = graph_memory_bytes(false); break;
    case cudaGraphMemAttrUsedMemHigh:
    case cudaGraphMemAttrReservedMemHigh: bytes = graph_memory_bytes(true); break;
    default: return cudaErrorInvalidValue;
    }
    *value = &bytes;
    return cudaSuccess;
}

STANDIN_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                                       void *value)
{
    cudaError_t code = standin_enter();
    uint64_t *bytes;

    if (code == cudaSuccess)
        code = device == 0 ? memory_attribute(attribute, &bytes) : cudaErrorInvalidDevice;
    if (code == cudaSuccess)
        *(uint64_t *)value = *bytes;
    return standin_leave(code);
}

/* High marks alone can be set, to 0. */
STANDIN_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                                       void *value)
{
    cudaError_t code = standin_enter();
    bool high = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;

    if (code == cudaSuccess)
        code = device != 0                       ? cudaErrorInvalidDevice
               : high && *(uint64_t *)value == 0 ? cudaSuccess
                                                 : cudaErrorInvalidValue;
    if (code == cudaSuccess)
        memory_bytes_high = memory_bytes;
    return standin_leave(code);
}

/* Memory of graphs is freed with them: nothing is kept that could be trimmed. */
STANDIN_API cudaError_t cudaDeviceGraphMemTrim(int device)
{
    cudaError_t code = standin_enter();

    return standin_leave(code ? code : device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

/* ---- graphs ---- */
static struct graph *graph_of(void *handle)
{
    return handle;
}

/* A handle that is used after its graph was destroyed is an invalid value, as on an H200: the structures
 * stay. */
static struct graph *destroyed;

bool graph_lives(const struct graph *graph)
{
    return graph && graph->self == graph && !graph->destroyed;
}

struct graph *graph_new(void)
{
    struct graph *graph = calloc(1, sizeof *graph);

    if (graph)
        graph->self = graph;
    return graph;
}

static bool graph_has_memory_nodes(const struct graph *graph)
{
    for (size_t i = 0; graph->memory && i < graph->memory->count; i++)
        if (graph->memory->allocations[i].of_node)
            return true;
    return false;
}

static void graph_free(struct graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        for (uint32_t body = 0; body < graph->nodes[i]->body_count; body++)
            graph_free(graph_of(graph->nodes[i]->bodies[body]));
        free(graph->nodes[i]->bodies);
        free(graph->nodes[i]);
    }
    free(graph->nodes);
    free(graph->edges);
    memory_drop(graph->memory);
    *graph = (struct graph){.destroyed = true, .next = destroyed};
    destroyed = graph;
}

bool graph_list_nodes(struct graph *graph)
{
    static const enum cudaGraphNodeType types[] = {
        [SIMT_NODE_NOTHING] = cudaGraphNodeTypeEmpty, [SIMT_NODE_COPY] = cudaGraphNodeTypeMemcpy,
        [SIMT_NODE_SET] = cudaGraphNodeTypeMemset,    [SIMT_NODE_KERNEL] = cudaGraphNodeTypeKernel,
        [SIMT_NODE_HOST] = cudaGraphNodeTypeHost,     [SIMT_NODE_CONDITION] = cudaGraphNodeTypeConditional,
        [SIMT_NODE_GRAPH] = cudaGraphNodeTypeGraph,   [SIMT_NODE_RECORD] = cudaGraphNodeTypeEventRecord,
        [SIMT_NODE_WAIT] = cudaGraphNodeTypeWaitEvent};
    uint32_t count = simt_device_graph_node_count(standin_device(), graph->number);

    while (graph->count < count) {
        uint32_t index = (uint32_t)graph->count;
        struct node *node = calloc(1, sizeof *node);
        if (!node || !array_grow(graph->nodes, graph->capacity, graph->count, 1)) {
            free(node);
            return false;
        }
        *node =
            (struct node){.graph = graph,
                          .index = index,
                          .type = types[simt_device_graph_node_kind(standin_device(), graph->number, index)]};
        graph->nodes[graph->count++] = node;
    }
    return true;
}

STANDIN_API cudaError_t cudaGraphCreate(cudaGraph_t *handle, unsigned flags)
{
    if (!handle)
        return standin_null();
    cudaError_t lost = standin_enter_facts();
    struct graph *graph = graph_new();
    struct error error;

    if (lost || !graph || flags) {
        free(graph);
        return standin_leave(lost ? lost : flags ? cudaErrorInvalidValue : cudaErrorMemoryAllocation);
    }
    enum status status = simt_device_graph_create(standin_device(), &graph->number, &error);
    if (status == STATUS_OK)
        *handle = (cudaGraph_t)(void *)graph;
    else
        free(graph);
    return standin_leave_status(status, &error);
}

/* A copy that is changed, launched and destroyed by itself. */
static cudaError_t graph_copy(const struct graph *graph, bool clone, void **handle)
{
    cudaError_t lost = standin_enter();
    struct graph *copy = graph_new();
    struct error error;

    if (lost == cudaSuccess && graph_lives(graph) && graph_has_memory_nodes(graph) &&
        (clone || graph->memory->owners > 1))
        lost = cudaErrorNotSupported; /* of such a graph there is one executable, and no clone */
    if (lost == cudaSuccess && !clone)
        lost = graph_forbids();
    if (lost == cudaSuccess && graph_lives(graph) && !clone &&
        (graph->circular || graph->conditions > graph->conditions_used))
        lost = cudaErrorInvalidValue;
    if (lost || !graph_lives(graph) || !copy) {
        free(copy);
        return standin_leave(lost                 ? lost
                             : graph_lives(graph) ? cudaErrorMemoryAllocation
                                                  : cudaErrorInvalidValue);
    }
    const char *call = clone ? "cuGraphClone" : "cuGraphInstantiateWithFlags";
    enum status status = simt_device_graph_copy(standin_device(), graph->number, call, &copy->number, &error);
    if (status != STATUS_OK) {
        free(copy);
        return standin_leave_status(status, &error);
    }
    copy->memory = graph->memory;
    if (copy->memory)
        copy->memory->owners++;
    copy->edge_count = graph->edge_count; /* the edges themselves are not asked for */
    for (size_t i = 0; graph_list_nodes(copy) && i < graph->count; i++) {
        copy->nodes[i]->type = graph->nodes[i]->type; /* the model knows nothing of memory nodes */
        copy->nodes[i]->kind = graph->nodes[i]->kind;
        copy->nodes[i]->kind_known = graph->nodes[i]->kind_known;
    }
    *handle = copy;
    return standin_leave(cudaSuccess);
}

STANDIN_API cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    if (!clone)
        return standin_null();
    void *copy = NULL;
    cudaError_t code = graph_copy(graph_of(graph), true, &copy);

    *clone = copy;
    return code;
}

STANDIN_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                             unsigned long long flags)
{
    const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                     cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagDeviceLaunch |
                                     cudaGraphInstantiateFlagUseNodePriority;

    if (!executable || flags & ~known)
        return standin_null();
    void *copy = NULL;
    cudaError_t code = graph_copy(graph_of(graph), false, &copy);

    if (code == cudaSuccess)
        graph_of(copy)->flags = flags;
    *executable = copy;
    return code;
}

STANDIN_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                      unsigned long long flags)
{
    return cudaGraphInstantiate(executable, graph, flags);
}

/* The executable takes over all of the graph's nodes, if they are as many and of the same types. */
STANDIN_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t handle,
                                            cudaGraphExecUpdateResultInfo *result)
{
    cudaError_t lost = standin_enter();
    struct graph *own = graph_of(executable), *graph = graph_of(handle);
    uint64_t number;
    struct error error;

    cudaGraphExecUpdateResultInfo ignored;

    result = result ? result : &ignored;
    if (lost || !graph_lives(own) || !graph_lives(graph))
        return standin_leave(lost ? lost : cudaErrorInvalidValue);
    if (!graph_list_nodes(graph))
        return standin_leave(cudaErrorMemoryAllocation);
    *result = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateSuccess};
    if (own->count != graph->count || own->edge_count != graph->edge_count)
        result->result = cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < own->count && result->result == cudaGraphExecUpdateSuccess; i++) {
        if (own->nodes[i]->type != graph->nodes[i]->type) {
            result->result = cudaGraphExecUpdateErrorNodeTypeChanged;
            result->errorNode = (cudaGraphNode_t)(void *)graph->nodes[i];
        } else if (own->nodes[i]->kind_known && graph->nodes[i]->kind_known &&
                   own->nodes[i]->kind != graph->nodes[i]->kind) {
            result->result = cudaGraphExecUpdateErrorParametersChanged;
            result->errorNode = (cudaGraphNode_t)(void *)graph->nodes[i];
        }
    }
    if (result->result != cudaGraphExecUpdateSuccess)
        return standin_leave(cudaErrorGraphExecUpdateFailure);
    enum status status =
        simt_device_graph_copy(standin_device(), graph->number, "cuGraphExecUpdate", &number, &error);
    if (status == STATUS_OK)
        status = simt_device_graph_replace(standin_device(), own->number, number, &error);
    return standin_leave_status(status, &error);
}

/* An H200 takes no graph into a capture, and has one code for it. */
static cudaError_t graph_forbids_graph(cudaStream_t stream)
{
    struct capture *capture = capture_find(graph_origin(standin_stream(stream)));

    if (capture)
        capture->invalid = true;
    return capture ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

STANDIN_API cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess)
        lost = graph_forbids_graph(stream);
    return standin_leave(lost                                ? lost
                         : graph_lives(graph_of(executable)) ? cudaSuccess
                                                             : cudaErrorInvalidValue);
}

/* Memory that a launch allocates is the program's until it is freed. */
static cudaError_t memory_launch(const struct graph *graph)
{
    const bool frees = graph->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
    struct graph_memory *memory = graph->memory;

    for (size_t i = 0; memory && i < memory->count; i++)
        if (memory->allocations[i].allocated && !frees)
            return cudaErrorInvalidValue;
    for (size_t i = 0; memory && i < memory->count; i++)
        memory->allocations[i].allocated = memory->allocations[i].of_node && !memory->allocations[i].freed_in;
    return cudaSuccess;
}

STANDIN_API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    cudaError_t lost = standin_enter();
    const struct graph *graph = graph_of(executable);
    struct error error;

    if (lost == cudaSuccess)
        lost = graph_forbids_graph(stream);
    if (lost || !graph_lives(graph))
        return standin_leave(lost ? lost : cudaErrorInvalidValue);
    lost = graph_forbids_work(standin_number(stream));
    if (lost == cudaSuccess)
        lost = memory_launch(graph);
    if (lost)
        return standin_leave(lost);
    const uint64_t number = standin_stream(stream);
    enum status status = simt_device_graph_launch(standin_device(), graph->number, number, &error);
    return standin_leave_status(status, &error);
}

static cudaError_t graph_drop(struct graph *graph)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost || !graph_lives(graph) || graph->parent)
        return standin_leave(lost ? lost : cudaErrorInvalidValue);
    enum status status = simt_device_graph_destroy(standin_device(), graph->number, &error);
    graph_free(graph);
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return graph_drop(graph_of(graph));
}

STANDIN_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    return graph_drop(graph_of(executable));
}
