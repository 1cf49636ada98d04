/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What waits for what, as far as times do not say it by themselves: the source of each wait for an event, the
 * node of a graph that another follows, what long calls waited for, and threads that go on when another's
 * call has ended. All by order of issue and by ends: `by_stream` has the operations of each stream in order
 * of issue, which is that of their starts and ends.
 */
#include "core/base/array.h"
#include "core/base/idmap.h"
#include "core/replay/replay_internal.h"

#include <stdlib.h>
#include <string.h>

#define SOON_NS 20000      /* what starts so soon after an event's source waited for it */
#define OVERLAP_NS 500     /* times of two streams may cross by so much */
#define HAND_GAP_NS 100000 /* a gap of a thread that another thread may have ended */
#define BLOCKED_NS 15000   /* shorter calls of a kind that need not wait did not */
#define BLOCKED_TIMES 1.8  /* and so did those below so many medians */
#define RETURN_NS 60000    /* a call returns by then after what it waited for */
#define QUEUE_RETURN_NS 8000
#define QUEUE_FULL 400    /* operations that are issued and have not ended; a stream holds some 1,000 */
#define QUEUE_HOSTS 32    /* with host functions among them: H200, 110 */
#define OWN_LATE_PART 8   /* H200: copies of 580 us end 16 us after the call */
#define OWN_LATE_NS 10000 /* a copy that its call waits for may end so long after it: H200, pageable memory */

static enum status sort_by_stream(struct replay *replay, struct error *error)
{
    replay->by_stream = array_make(replay->operation_count + 1, sizeof *replay->by_stream);
    replay->stream_first = calloc(replay->stream_count + 2, sizeof *replay->stream_first);
    if (!replay->by_stream || !replay->stream_first)
        return error_no_memory(error, "to replay the run");
    uint32_t *first = replay->stream_first + 1;
    for (size_t i = 0; i < replay->operation_count; i++)
        first[replay->operations[i].stream + 1]++;
    for (size_t s = 1; s <= replay->stream_count; s++)
        first[s] += first[s - 1];
    for (size_t i = 0; i < replay->operation_count; i++)
        replay->by_stream[first[replay->operations[i].stream]++] = (uint32_t)i;
    return STATUS_OK; /* stream_first[s] now begins s, since first[s] has gone on to its end */
}

/* In by_stream, the first place in [low, high) whose operation was issued by a call that began at time_ns or
 * later; or, by_end, that ended after it. */
static uint32_t place_of(const struct replay *replay, uint32_t stream, int64_t time_ns, bool by_end)
{
    uint32_t low = replay->stream_first[stream], high = replay->stream_first[stream + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct replay_operation *operation = &replay->operations[replay->by_stream[middle]];
        bool before =
            by_end ? operation->end_ns <= time_ns : replay->calls[operation->call].start_ns < time_ns;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t replay_ended(const struct replay *replay, uint32_t stream, int64_t end_ns, size_t call)
{
    uint32_t place = place_of(replay, stream, end_ns, true);
    while (place > replay->stream_first[stream]) {
        uint32_t at = replay->by_stream[--place];
        if (replay->operations[at].call < call)
            return at;
    }
    return NONE;
}

uint32_t replay_running(const struct replay *replay, uint32_t stream, int64_t time_ns, size_t call)
{
    uint32_t place = place_of(replay, stream, time_ns, true);
    if (place == replay->stream_first[stream + 1])
        return NONE;
    uint32_t at = replay->by_stream[place];
    const struct replay_operation *operation = &replay->operations[at];
    return operation->start_ns < time_ns && operation->call < call ? at : NONE;
}

/* ---- events ---- */

/* What a recorded event waits for: the last operation of its stream that was issued before the call that recorded
 * it; in the legacy stream that of any blocking stream of the context that ended last. NONE: there is none. */
static uint32_t recorded_operation(const struct replay *replay, const struct replay_stream_wait *wait)
{
    const struct replay_stream *of = &replay->streams[wait->record];
    uint32_t best = NONE;
    for (uint32_t s = 0; s < replay->stream_count; s++) {
        const struct replay_stream *stream = &replay->streams[s];
        bool with =
            s == wait->record || ((of->flags & STREAM_DEFAULT) != 0 && stream->context == of->context &&
                                  (stream->flags & STREAM_NON_BLOCKING) == 0);
        uint32_t issued = with ? place_of(replay, s, wait->record_ns, false) : replay->stream_first[s];
        if (issued == replay->stream_first[s])
            continue;
        uint32_t last = replay->by_stream[issued - 1];
        if (best == NONE || replay->operations[last].end_ns > replay->operations[best].end_ns)
            best = last;
    }
    return best;
}

/* The operation of another stream that a wait was for: issued before it, and ended just before the first
 * operation after it began. If there is none, and one stream alone was still at work, that one's last. */
static uint32_t event_source(const struct replay *replay, const struct replay_stream_wait *wait,
                             const struct replay_operation *operation)
{
    uint32_t best = NONE, running = NONE, others = 0;
    for (uint32_t s = 0; s < replay->stream_count; s++) {
        uint32_t first = replay->stream_first[s];
        if (s == wait->stream || replay->streams[s].process != replay->streams[wait->stream].process)
            continue;
        uint32_t issued = place_of(replay, s, wait->time_ns, false);
        if (issued == first)
            continue;
        uint32_t last = replay->by_stream[issued - 1];
        if (replay->operations[last].end_ns > wait->time_ns) {
            running = last;
            others++;
        }
        uint32_t ended = place_of(replay, s, operation->start_ns + OVERLAP_NS, true);
        ended = ended < issued ? ended : issued;
        if (ended == first)
            continue;
        uint32_t at = replay->by_stream[ended - 1];
        if (operation->start_ns - replay->operations[at].end_ns < SOON_NS &&
            (best == NONE || replay->operations[at].end_ns > replay->operations[best].end_ns))
            best = at;
    }
    if (best == NONE && others == 1 && replay->operations[running].end_ns <= operation->start_ns + OVERLAP_NS)
        best = running;
    return best;
}

static int by_to(const void *a, const void *b)
{
    const struct replay_edge *left = a, *right = b;
    return (left->to > right->to) - (left->to < right->to);
}

static enum status find_events(struct replay *replay, struct error *error)
{
    for (size_t i = 0; i < replay->wait_count; i++) {
        const struct replay_stream_wait *wait = &replay->waits[i];
        if (wait->stream == NONE)
            continue;
        uint32_t place = place_of(replay, wait->stream, wait->time_ns, false);
        if (place == replay->stream_first[wait->stream + 1])
            continue;
        uint32_t to = replay->by_stream[place];
        uint32_t from = wait->record_ns == INT64_MIN ? event_source(replay, wait, &replay->operations[to])
                        : wait->record == NONE       ? NONE
                                                     : recorded_operation(replay, wait);
        if (from == NONE || from >= to)
            continue;
        if (!array_grow(replay->events, replay->event_room, replay->event_count, 1))
            return error_no_memory(error, "to replay the run");
        replay->events[replay->event_count++] = (struct replay_edge){to, from};
        replay->facts.waits_found++;
    }
    if (replay->event_count > 0)
        qsort(replay->events, replay->event_count, sizeof *replay->events, by_to);
    return STATUS_OK;
}

/* ---- nodes of a launch ---- */

/* Of a graph whose edges were recorded, its nodes as they ran in its first launch: in each other launch the nodes of a
 * stream come in the same order. Nodes that did no work pass on what they depend on. */
struct graph_shape {
    uint32_t process, graph;
    uint32_t node_first, node_end;             /* of `nodes`, in order of their start */
    uint32_t dependency_first, dependency_end; /* of `dependencies`, in order of `to` */
};

struct graph_shapes {
    struct graph_shape *items;
    size_t count, room;
    const struct graph_node_row **rows; /* of a graph its nodes, then its edges in order of their node */
    size_t row_count;
    struct replay_edge *dependencies; /* of nodes, by their place among those of the graph */
    size_t dependency_count, dependency_room;
};

static int by_graph(const void *a, const void *b)
{
    const struct graph_node_row *left = *(const struct graph_node_row *const *)a,
                                *right = *(const struct graph_node_row *const *)b;
    const bool left_edge = left->dependency != NONE, right_edge = right->dependency != NONE;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    if (left->graph != right->graph)
        return left->graph < right->graph ? -1 : 1;
    if (left_edge != right_edge)
        return left_edge ? 1 : -1;
    if (!left_edge && left->start_ns != right->start_ns)
        return left->start_ns < right->start_ns ? -1 : 1;
    return (left->node > right->node) - (left->node < right->node);
}

#define THROUGH_MOST 64u /* nodes without work that one depends on; of more the graph's edges are not used */

/* Adds what a node depends on; places: of nodes that did work, by their numbers. Clears *known where it passes more nodes
 * without work than it can. False: no memory. */
static bool add_dependencies(struct graph_shapes *shapes, const struct graph_node_row *node, uint32_t to,
                             const struct graph_node_row *const *edges, uint32_t edge_count,
                             const struct idmap *places, bool *known)
{
    uint32_t through[THROUGH_MOST] = {node->node}, count = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = 0, high = edge_count;
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            if (edges[middle]->node < through[i])
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < edge_count && edges[low]->node == through[i]; low++) {
            const uint32_t from = idmap_find(places, edges[low]->dependency);
            if (from != IDMAP_NONE) {
                if (!array_grow(shapes->dependencies, shapes->dependency_room, shapes->dependency_count, 1))
                    return false;
                shapes->dependencies[shapes->dependency_count++] = (struct replay_edge){to, from};
            } else if (count < THROUGH_MOST) {
                through[count++] = edges[low]->dependency;
            } else {
                *known = false;
            }
        }
    }
    return true;
}

static bool shape_add(struct graph_shapes *shapes, size_t first, size_t end)
{
    const struct graph_node_row *const *rows = shapes->rows + first;
    const uint32_t all = (uint32_t)(end - first);
    struct idmap places;
    bool fine = array_grow(shapes->items, shapes->room, shapes->count, 1), known = true;
    uint32_t nodes = 0;
    idmap_init(&places, all, 0);
    for (; fine && nodes < all && rows[nodes]->dependency == NONE; nodes++)
        fine = idmap_put(&places, rows[nodes]->node, nodes);
    struct graph_shape shape = {.process = rows[0]->process,
                                .graph = rows[0]->graph,
                                .node_first = (uint32_t)first,
                                .node_end = (uint32_t)first + nodes,
                                .dependency_first = (uint32_t)shapes->dependency_count};
    for (uint32_t i = 0; fine && known && i < nodes; i++)
        fine = add_dependencies(shapes, rows[i], i, rows + nodes, all - nodes, &places, &known);
    idmap_fini(&places);
    shape.dependency_end = (uint32_t)shapes->dependency_count;
    if (!known)
        shape.node_end = shape.node_first;
    if (fine)
        shapes->items[shapes->count++] = shape;
    return fine;
}

static enum status find_shapes(const struct replay *replay, struct graph_shapes *shapes, struct error *error)
{
    const uint32_t count = session_graph_node_count(replay->session);
    shapes->rows = count == 0 ? NULL : array_make(count, sizeof *shapes->rows);
    if (!shapes->rows)
        return count == 0 ? STATUS_OK : error_no_memory(error, "to replay the run");
    shapes->row_count = count;
    for (uint32_t i = 0; i < count; i++)
        shapes->rows[i] = session_graph_node(replay->session, i);
    qsort(shapes->rows, count, sizeof *shapes->rows, by_graph);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && shapes->rows[end]->graph == shapes->rows[first]->graph &&
               shapes->rows[end]->process == shapes->rows[first]->process)
            end++;
        if (!shape_add(shapes, first, end))
            return error_no_memory(error, "to replay the run");
    }
    return STATUS_OK;
}
/* Of a graph without recorded edges each node follows the node of its launch that ended last before it began; one that
 * follows none begins a branch, as the first does. Branches lie in streams of their own: where they join, the node
 * follows the one before it in its stream, too, and the next node after the last one of a branch that one. The last of
 * these may be more than there is, which gains less. */
#define JOINS_MOST 4096u /* nodes of a launch; of more no last ones of branches are looked for */
#define NODES_BACK 64    /* of many nodes: their ends come nearly in the order of their starts */
static uint32_t find_node(const struct replay *replay, uint32_t at, bool of_stream)
{
    const struct replay_operation *operation = &replay->operations[at];
    uint32_t found = NONE;
    for (uint32_t k = at, back = 0; k > 0 && back < NODES_BACK; back++) {
        const struct replay_operation *before = &replay->operations[--k];
        if (before->call != operation->call)
            break;
        if (before->end_ns <= operation->start_ns + OVERLAP_NS &&
            (!of_stream || before->stream == operation->stream) &&
            (found == NONE || before->end_ns > replay->operations[found].end_ns))
            found = k;
    }
    return found;
}

static bool add_join(struct replay *replay, uint32_t to, uint32_t from)
{
    if (from == NONE || from == replay->operations[to].source)
        return true;
    if (!array_grow(replay->events, replay->event_room, replay->event_count, 1))
        return false;
    replay->events[replay->event_count++] = (struct replay_edge){to, from};
    return true;
}

/* The first node of a launch that begins after one has ended, if that is the last of its stream; NONE. */
static uint32_t find_joined(const struct replay *replay, uint32_t at, uint32_t end)
{
    const struct replay_operation *last = &replay->operations[at];
    uint32_t found = NONE;
    for (uint32_t i = at + 1; i < end; i++) {
        if (replay->operations[i].stream == last->stream)
            return NONE;
        if (found == NONE && replay->operations[i].start_ns + OVERLAP_NS >= last->end_ns)
            found = i;
    }
    return found;
}

/* Of a launch whose nodes are in several streams. */
static bool find_joins(struct replay *replay, uint32_t first, uint32_t end)
{
    bool fine = true;
    for (uint32_t i = first; fine && i < end; i++) {
        const struct replay_operation *operation = &replay->operations[i];
        const uint32_t joined = end - first <= JOINS_MOST ? find_joined(replay, i, end) : NONE;
        if (operation->source != NONE)
            fine = add_join(replay, i, find_node(replay, i, true));
        if (joined != NONE)
            fine = fine && add_join(replay, joined, i);
    }
    return fine;
}

static const struct graph_shape *shape_find(const struct graph_shapes *shapes, uint32_t process,
                                            uint32_t graph)
{
    size_t low = 0, high = shapes->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct graph_shape *shape = &shapes->items[middle];
        if (shape->process < process || (shape->process == process && shape->graph < graph))
            low = middle + 1;
        else
            high = middle;
    }
    return low < shapes->count && shapes->items[low].process == process && shapes->items[low].graph == graph
               ? &shapes->items[low]
               : NULL;
}

#define SHAPE_STREAMS 64u

/* The operations of a launch that are the nodes of the shape, in its order; the stream of the launch may be another one
 * than that of the first launch. False: they are others. */
static bool match_nodes(const struct replay *replay, const struct graph_node_row *const *nodes,
                        uint32_t first, uint32_t end, uint32_t *operations)
{
    struct {
        uint32_t theirs, own, next;
    } streams[SHAPE_STREAMS];
    uint32_t count = 0;
    const uint32_t own = replay->streams[replay->operations[first].stream].stream;
    for (uint32_t i = 0; i < end - first; i++) {
        uint32_t at = 0, of = nodes[i]->stream;
        while (at < count && streams[at].theirs != of)
            at++;
        if (at == SHAPE_STREAMS)
            return false;
        if (at == count) {
            streams[count].theirs = of;
            streams[count].own = of == nodes[0]->stream ? own : of;
            streams[count++].next = first;
        }
        while (streams[at].next < end &&
               replay->streams[replay->operations[streams[at].next].stream].stream != streams[at].own)
            streams[at].next++;
        if (streams[at].next == end)
            return false;
        operations[i] = streams[at].next++;
    }
    return true;
}

/* What the nodes of a launch follow, by the edges of its graph: the last that ended is the source. `operations` has room
 * for its nodes. False: no memory; *known: the launch has the nodes of the shape. */
static bool follow_shape(struct replay *replay, const struct graph_shapes *shapes,
                         const struct graph_shape *shape, uint32_t first, uint32_t end, uint32_t *operations,
                         bool *known)
{
    bool fine = true;
    *known = shape->node_end - shape->node_first == end - first &&
             match_nodes(replay, shapes->rows + shape->node_first, first, end, operations);
    if (!*known)
        return true;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = shape->dependency_first; fine && i < shape->dependency_end; i++) {
            const struct replay_edge edge = shapes->dependencies[i];
            const uint32_t to = operations[edge.to], from = operations[edge.from];
            struct replay_operation *operation = &replay->operations[to];
            if (from >= to)
                continue; /* they ran at once */
            if (pass == 1)
                fine = add_join(replay, to, from);
            else if (operation->source == NONE ||
                     replay->operations[from].end_ns > replay->operations[operation->source].end_ns)
                operation->source = from;
        }
    return fine;
}

static void begin_branches(struct replay *replay, uint32_t first, uint32_t end)
{
    for (uint32_t i = first + 1; i < end; i++) {
        struct replay_operation *operation = &replay->operations[i];
        if (operation->source == NONE && (operation->flags & REPLAY_OPERATION_GRAPH) != 0 &&
            operation->kind == REPLAY_KERNEL)
            operation->kind = REPLAY_GRAPH;
    }
}

static bool guess_nodes(struct replay *replay, uint32_t first, uint32_t end)
{
    bool several = false;
    for (uint32_t i = first + 1; i < end; i++) {
        replay->operations[i].source = find_node(replay, i, false);
        several |= replay->operations[i].stream != replay->operations[first].stream;
    }
    return !several || (replay->operations[first].flags & REPLAY_OPERATION_GRAPH) == 0 ||
           find_joins(replay, first, end);
}

/* The graph that a call launched, which its operations still have as their source; NONE. */
static uint32_t take_graph(struct replay *replay, uint32_t first, uint32_t end)
{
    uint32_t graph = NONE;
    for (uint32_t i = first; i < end; i++) {
        struct replay_operation *operation = &replay->operations[i];
        graph = operation->source != NONE ? operation->source : graph;
        operation->source = NONE;
    }
    for (uint32_t i = first; graph != NONE && i < end; i++) /* its copies and sets do not say it */
        replay->operations[i].flags |= REPLAY_OPERATION_GRAPH;
    return graph;
}

static enum status find_nodes(struct replay *replay, struct error *error)
{
    struct graph_shapes shapes = {0};
    enum status status = find_shapes(replay, &shapes, error);
    uint32_t *operations = status == STATUS_OK ? array_make(shapes.row_count + 1, sizeof *operations) : NULL;
    bool fine = operations;
    for (size_t call = 0; fine && call < replay->call_count; call++) {
        const uint32_t first = replay->calls[call].operations, end = replay_operations_end(replay, call);
        const uint32_t graph = take_graph(replay, first, end);
        const struct graph_shape *shape =
            graph == NONE ? NULL
                          : shape_find(&shapes, replay->threads[replay->calls[call].thread].process, graph);
        bool known = false;
        if (shape)
            fine = follow_shape(replay, &shapes, shape, first, end, operations, &known);
        if (fine && !known)
            fine = guess_nodes(replay, first, end);
        begin_branches(replay, first, end);
    }
    if (fine && replay->event_count > 0)
        qsort(replay->events, replay->event_count, sizeof *replay->events, by_to);
    free(operations);
    free(shapes.items);
    free(shapes.rows);
    free(shapes.dependencies);
    return fine ? STATUS_OK : status != STATUS_OK ? status : error_no_memory(error, "to replay the run");
}

/* ---- calls ---- */

#define NAMES_MAX 256 /* further names have no median of their own */

struct durations { /* of the calls of one name, by powers of the fourth root of 2 */
    uint64_t counts[4 * 64];
    uint64_t count;
};

/* Half of a power of 2 is split in four: within 19 % of the duration. */
static unsigned duration_class(int64_t duration_ns)
{
    uint64_t ns = duration_ns > 4 ? (uint64_t)duration_ns : 4;
    unsigned power = 63u - (unsigned)__builtin_clzll(ns);
    return 4 * power + (unsigned)(ns >> (power - 2) & 3u);
}

/* The median duration of calls of each name, as the upper end of its class. */
static int64_t *call_medians(const struct replay *replay, uint32_t *names, size_t *name_count)
{
    struct durations *durations = NULL;
    size_t room = 0;
    *name_count = 0;
    for (size_t i = 0; i < replay->call_count; i++) {
        const struct replay_call *call = &replay->calls[i];
        size_t at = 0;
        while (at < *name_count && names[at] != call->name)
            at++;
        if (at == *name_count) {
            if (at == NAMES_MAX || !array_grow_zeroed(durations, room, at, 1))
                continue;
            names[(*name_count)++] = call->name;
        }
        durations[at].counts[duration_class(call->end_ns - call->start_ns)]++;
        durations[at].count++;
    }
    int64_t *medians = calloc(*name_count + 1, sizeof *medians);
    for (size_t at = 0; medians && at < *name_count; at++) {
        uint64_t seen = 0;
        for (unsigned class = 8; class < 4 * 64; class ++) {
            seen += durations[at].counts[class];
            if (2 * seen >= durations[at].count) {
                medians[at] = (INT64_C(5) + (class & 3u)) << (class / 4 - 2);
                break;
            }
        }
    }
    free(durations);
    return medians;
}

/* The operation of the process, issued before the call, that ended last before the call's end, while the
 * call waited and by slack_ns before its end; NONE. */
static uint32_t ended_before(const struct replay *replay, size_t at, int64_t slack_ns)
{
    const struct replay_call *call = &replay->calls[at];
    uint32_t process = replay->threads[call->thread].process, best = NONE;
    for (uint32_t s = 0; s < replay->stream_count; s++) {
        uint32_t ended =
            replay->streams[s].process == process ? replay_ended(replay, s, call->end_ns, at) : NONE;
        if (ended != NONE &&
            (best == NONE || replay->operations[ended].end_ns > replay->operations[best].end_ns))
            best = ended;
    }
    if (best == NONE)
        return NONE;
    int64_t end_ns = replay->operations[best].end_ns;
    return end_ns > call->start_ns && call->end_ns - end_ns <= slack_ns ? best : NONE;
}

/* A synchronisation without a record of what it waits for says it by its name. */
static void wait_by_name(struct replay *replay, struct replay_call *call)
{
    const char *name = session_string(replay->session, call->name);
    uint32_t process = replay->threads[call->thread].process, stream = call->source;
    call->source = NONE;
    if (strstr(name, "EventSynchronize")) {
        call->wait = REPLAY_WAITS_EVENT;
    } else if (strstr(name, "StreamSynchronize")) {
        for (size_t s = 0; s < replay->stream_count && call->wait == REPLAY_WAITS_NOT; s++)
            if (replay->streams[s].process == process && replay->streams[s].stream == stream) {
                call->wait = REPLAY_WAITS_STREAM;
                call->source = (uint32_t)s;
            }
    } else if (strstr(name, "Synchronize")) {
        for (size_t c = 0; c < replay->context_count && call->wait == REPLAY_WAITS_NOT; c++)
            if (replay->contexts[c].process == process) {
                call->wait = REPLAY_WAITS_CONTEXT;
                call->source = (uint32_t)c;
            }
    }
}

/* A copy that blocks its call: it ran within it, and is no asynchronous one between pinned memory and device. The last piece
 * that the host stages of pageable memory may still run when the call returns. */
static bool waits_for_own(const struct replay *replay, size_t at)
{
    const struct replay_call *call = &replay->calls[at];
    for (uint32_t i = call->operations; i < replay_operations_end(replay, at); i++) {
        const struct replay_operation *own = &replay->operations[i];
        bool pageable = own->kind == REPLAY_IN_PAGEABLE || own->kind == REPLAY_OUT_PAGEABLE;
        bool blocks = (own->flags & REPLAY_OPERATION_ASYNC) == 0;
        int64_t late_ns = pageable && blocks ? (own->end_ns - own->start_ns) / OWN_LATE_PART : 0;
        late_ns = late_ns > OWN_LATE_NS ? late_ns : OWN_LATE_NS;
        if ((pageable || blocks) && own->start_ns < call->end_ns && own->end_ns <= call->end_ns + late_ns)
            return true;
    }
    return false;
}

static void find_wait(struct replay *replay, size_t at, int64_t median_ns)
{
    struct replay_call *call = &replay->calls[at];
    int64_t duration_ns = call->end_ns - call->start_ns;
    if (call->category == CALL_SYNC && call->wait == REPLAY_WAITS_NOT)
        wait_by_name(replay, call);
    else if (call->wait == REPLAY_WAITS_NOT)
        call->source = NONE;
    if (call->wait == REPLAY_WAITS_EVENT && (call->flags & REPLAY_CALL_KNOWN) != 0) {
        uint32_t known = recorded_operation(replay, &replay->waits[call->source]);
        bool could = known != NONE && replay->operations[known].call < at &&
                     replay->operations[known].end_ns <= call->end_ns;
        call->source = could ? known : NONE;
    } else if (call->wait == REPLAY_WAITS_EVENT) {
        const bool asks = call->category == CALL_STREAM; /* until it is over, now and then */
        call->source = ended_before(replay, at, asks ? INT64_MAX : RETURN_NS);
        if (asks && call->source == NONE)
            call->wait = REPLAY_WAITS_NOT;
    }
    if (call->wait != REPLAY_WAITS_NOT)
        return;
    if ((call->category == CALL_COPY || call->category == CALL_OTHER) && waits_for_own(replay, at)) {
        call->wait = REPLAY_WAITS_OWN;
        return;
    }
    bool memory = call->category == CALL_ALLOC || call->category == CALL_FREE;
    bool issues = call->category == CALL_LAUNCH || call->category == CALL_COPY || call->category == CALL_SET;
    bool is_long = call->category == CALL_FREE || (double)duration_ns > BLOCKED_TIMES * (double)median_ns;
    if (duration_ns <= BLOCKED_NS || (!memory && !issues) || (call->flags & REPLAY_CALL_LOADS) != 0)
        return;
    uint32_t source = ended_before(replay, at, RETURN_NS);
    if (source == NONE && issues && duration_ns > RETURN_NS) { /* a host function may have left the queue */
        source = ended_before(replay, at, INT64_MAX);
        if (source != NONE && call->operations - source < (replay->hosts ? QUEUE_HOSTS : QUEUE_FULL))
            source = NONE;
    }
    /* Where the queue is full for most of the run, the median is that of calls that wait for it. */
    bool is_full =
        issues && source != NONE && call->operations - source >= (replay->hosts ? QUEUE_HOSTS : QUEUE_FULL);
    if (issues && !is_full)
        source = ended_before(replay, at, QUEUE_RETURN_NS);
    if ((is_long || is_full) && source != NONE) {
        call->wait = memory ? REPLAY_WAITS_FREE : REPLAY_WAITS_QUEUE;
        call->source = source;
    }
}

/* Host functions stand in the stream of what their thread issued last: their records do not name it. */
static enum status find_hosts(struct replay *replay, struct error *error)
{
    uint32_t *streams = malloc((replay->thread_count + 1) * sizeof *streams);
    bool *held = calloc(replay->stream_count + 1, sizeof *held);
    for (size_t t = 0; streams && t < replay->thread_count; t++)
        streams[t] = NONE;
    for (size_t i = 0; streams && held && i < replay->call_count; i++) {
        const struct replay_call *call = &replay->calls[i];
        uint32_t end = replay_operations_end(replay, i);
        for (uint32_t k = call->operations; k < end; k++) {
            struct replay_operation *operation = &replay->operations[k];
            streams[call->thread] = operation->stream;
            operation->held = held[operation->stream];
            held[operation->stream] = false;
        }
        if (call->operations == end && streams[call->thread] != NONE) {
            const char *name = session_string(replay->session, call->name);
            const bool hosts = strstr(name, "LaunchHostFunc") || strstr(name, "StreamAddCallback");
            held[streams[call->thread]] |= hosts;
            replay->hosts |= hosts;
        }
    }
    enum status status = streams && held ? STATUS_OK : error_no_memory(error, "to replay the run");
    free(streams);
    free(held);
    return status;
}

/* Makes or asks for something, and neither issues work nor waits for any: a stream, an event, the free memory. Events
 * that are recorded or waited for order the work. */
static bool is_aside(const struct replay *replay, size_t at)
{
    static const char *const parts[] = {"Create",       "Destroy",    "GetInfo",
                                        "GetAttribute", "Properties", "Register"};
    const struct replay_call *call = &replay->calls[at];
    if ((call->category != CALL_OTHER && call->category != CALL_STREAM) || call->wait != REPLAY_WAITS_NOT ||
        (call->flags & REPLAY_CALL_LOADS) != 0 || call->operations != replay_operations_end(replay, at))
        return false;
    const char *name = session_string(replay->session, call->name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

static enum status find_waits(struct replay *replay, struct error *error)
{
    uint32_t names[NAMES_MAX];
    size_t name_count;
    int64_t *medians = call_medians(replay, names, &name_count);
    if (!medians)
        return error_no_memory(error, "to replay the run");
    size_t at = 0;
    for (size_t i = 0; i < replay->call_count; i++) {
        for (size_t tried = 0; tried < name_count && names[at] != replay->calls[i].name; tried++)
            at = at + 1 < name_count ? at + 1 : 0;
        find_wait(replay, i, medians[at]);
        replay->calls[i].flags |= is_aside(replay, i) ? REPLAY_CALL_ASIDE : 0;
    }
    free(medians);
    return STATUS_OK;
}

/* ---- threads ---- */

struct thread_last {
    uint32_t call; /* NONE: none */
    bool captures;
};

/* The last call of another thread of the process that ended in the gap before the call, and after which its
 * thread made no other; NONE. */
static uint32_t hand_of(const struct replay *replay, const struct thread_last *last, size_t at)
{
    const struct replay_call *call = &replay->calls[at];
    uint32_t own = last[call->thread].call, best = NONE;
    int64_t since_ns = own == NONE ? INT64_MIN : replay->calls[own].end_ns;
    if (own != NONE && call->start_ns - since_ns < HAND_GAP_NS)
        return NONE;
    for (size_t t = 0; t < replay->thread_count; t++) {
        uint32_t other = last[t].call;
        if (t == call->thread || other == NONE ||
            replay->threads[t].process != replay->threads[call->thread].process)
            continue;
        int64_t end_ns = replay->calls[other].end_ns;
        if (end_ns <= call->start_ns && end_ns > since_ns &&
            (best == NONE || end_ns > replay->calls[best].end_ns))
            best = other;
    }
    return best;
}

static void follow_capture(const struct replay *replay, struct thread_last *last, struct replay_call *call)
{
    if ((call->flags & REPLAY_CALL_LOADS) != 0) {
        const char *name = session_string(replay->session, call->name);
        last->captures = strstr(name, "BeginCapture") || (last->captures && !strstr(name, "EndCapture"));
    } else if (last->captures) {
        call->flags |= REPLAY_CALL_CAPTURED;
    }
}

static enum status find_hands(struct replay *replay, struct error *error)
{
    struct thread_last *last = malloc((replay->thread_count + 1) * sizeof *last);
    enum status status = last ? STATUS_OK : error_no_memory(error, "to replay the run");
    for (size_t t = 0; last && t < replay->thread_count; t++)
        last[t] = (struct thread_last){.call = NONE};
    for (size_t i = 0; i < replay->call_count && status == STATUS_OK; i++) {
        struct replay_call *call = &replay->calls[i];
        uint32_t from = replay->thread_count > 1 ? hand_of(replay, last, i) : NONE;
        follow_capture(replay, &last[call->thread], call);
        last[call->thread].call = (uint32_t)i;
        if (from == NONE)
            continue;
        if (!array_grow(replay->hands, replay->hand_room, replay->hand_count, 1))
            status = error_no_memory(error, "to replay the run");
        else
            replay->hands[replay->hand_count++] = (struct replay_edge){(uint32_t)i, from};
    }
    free(last);
    if (status == STATUS_OK && replay->hand_count > 0) {
        replay->call_ends_ns = array_make(replay->call_count + 1, sizeof *replay->call_ends_ns);
        if (!replay->call_ends_ns)
            status = error_no_memory(error, "to replay the run");
    }
    return status;
}

/* A copy to the host of a few bytes, of which the host waits for the end, is a result that it reads. Of an asynchronous
 * one, which the next call of its thread waits for (PyTorch's .item()), `source` is that call. */
static enum status find_reads(struct replay *replay, struct error *error)
{
    uint32_t *copies = malloc((replay->thread_count + 1) * sizeof *copies);
    for (size_t t = 0; copies && t < replay->thread_count; t++)
        copies[t] = NONE;
    for (size_t i = 0; copies && i < replay->call_count; i++) {
        struct replay_call *call = &replay->calls[i];
        const struct replay_operation *own = &replay->operations[call->operations];
        const uint32_t copied = copies[call->thread],
                       count = replay_operations_end(replay, i) - call->operations;
        bool read = count == 1 && replay_is_small(own) &&
                    (own->kind == REPLAY_OUT_PAGEABLE || own->kind == REPLAY_OUT_PINNED);
        copies[call->thread] = read && call->wait == REPLAY_WAITS_NOT ? (uint32_t)i : NONE;
        if (read && call->wait == REPLAY_WAITS_OWN)
            call->flags |= REPLAY_CALL_READ;
        if (copied == NONE || count > 0)
            continue;
        if (call->wait >= REPLAY_WAITS_CONTEXT && call->wait <= REPLAY_WAITS_EVENT &&
            call->start_ns - replay->calls[copied].end_ns <= replay->short_gap_ns) {
            call->flags |= REPLAY_CALL_READ;
            replay->calls[copied].flags |= REPLAY_CALL_READ;
            replay->calls[copied].source = (uint32_t)i;
        } else if (call->wait == REPLAY_WAITS_NOT && call->category != CALL_LAUNCH) {
            copies[call->thread] = copied; /* an event is recorded, or something is asked, between them */
        }
    }
    enum status status = copies ? STATUS_OK : error_no_memory(error, "to replay the run");
    free(copies);
    return status;
}

enum status replay_find_edges(struct replay *replay, struct error *error)
{
    enum status status = sort_by_stream(replay, error);
    if (status == STATUS_OK)
        status = find_events(replay, error);
    if (status == STATUS_OK)
        status = find_hosts(replay, error);
    if (status == STATUS_OK)
        status = find_waits(replay, error);
    if (status == STATUS_OK)
        status = find_hands(replay, error);
    if (status == STATUS_OK)
        status = find_reads(replay, error);
    if (status == STATUS_OK)
        status = find_nodes(replay, error);
    return status;
}
