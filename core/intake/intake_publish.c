/* SPDX-License-Identifier: Apache-2.0 */
/* Held events become events of tracks, in order of end. Times of held events are session ns already. */
#include "core/intake/intake_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define JOIN_WAIT_NS 20000000 /* of watermark: a blocking copy's call ends a little after the copy */
#define NO_WATERMARK_NS 1000000000

/* ---- graphs ---- */
static void graph_node_add(struct intake *intake, const struct graph_node_row *row)
{
    struct graph_node_row own = *row;
    own.process = intake->process;
    if (intake->graph_nodes_added == INTAKE_GRAPH_NODES_MAX ||
        session_add_graph_node(intake->session, &own) == NONE)
        intake->stats.unkept[EVENT_GRAPH_EDGE]++;
    else
        intake->graph_nodes_added++;
}

/* Keeps the edges of a graph that is launched for the first time. Returns whether it has any. */
static bool keep_edges(struct intake *intake, uint32_t graph)
{
    size_t kept = 0;
    for (size_t i = 0; i < intake->edge_count; i++) {
        const struct waiting_edge edge = intake->edges[i];
        if (edge.graph == graph)
            graph_node_add(intake, &(struct graph_node_row){
                                       .graph = graph, .node = edge.node, .dependency = edge.dependency});
        else
            intake->edges[kept++] = edge;
    }
    const bool had = kept < intake->edge_count;
    intake->edge_count = kept;
    return had;
}

/* A node of a graph that ran; of its first launch the rows are kept, with its edges. */
static void keep_graph_node(struct intake *intake, uint32_t graph, uint32_t node, uint32_t correlation,
                            uint32_t stream, int64_t start_ns)
{
    if (graph == 0 || correlation == 0 || correlation == IDMAP_NONE)
        return;
    uint32_t first = idmap_find(&intake->graphs, graph);
    if (first == IDMAP_NONE) {
        first = keep_edges(intake, graph) ? correlation : 0;
        idmap_put(&intake->graphs, graph, first);
    }
    if (first == correlation)
        graph_node_add(
            intake,
            &(struct graph_node_row){
                .graph = graph, .node = node, .dependency = NONE, .stream = stream, .start_ns = start_ns});
}

/* ---- events ---- */

struct call_time {
    int64_t start_ns;
    uint32_t duration_ns, thread;
};

/* The call that issued the device work: start INT64_MIN if it is not known. */
static struct call_time call_of(const struct intake *intake, uint32_t correlation)
{
    const struct join *join = joins_find(&intake->joins, correlation);
    if (!join)
        return (struct call_time){.start_ns = INT64_MIN};
    int64_t duration_ns = join->end_ns - join->start_ns;
    return (struct call_time){.start_ns = join->start_ns,
                              .duration_ns = duration_ns < UINT32_MAX ? (uint32_t)duration_ns : UINT32_MAX,
                              .thread = join->thread};
}

static void event_add(struct intake *intake, uint8_t kind, uint32_t track, int64_t start_ns, int64_t end_ns,
                      const struct item *item)
{
    /* NONE: more streams or threads than are kept of a process */
    if (track == NONE || !session_add_event(intake->session, track, start_ns, end_ns, item))
        intake->stats.unkept[kind]++;
}

/* A launch of a whole graph has no shape; it gets one with this name, so that its time is in the list of
 * kernels too. */
static uint32_t graph_shape(struct intake *intake, uint32_t graph)
{
    char text[64];
    int length = snprintf(text, sizeof text, "(whole launch of graph %u)", graph);
    struct shape_row row = {.name = session_add_string(intake->session, text, (size_t)length)};
    row.mangled = row.name;
    return session_add_shape(intake->session, &row);
}

static void publish_kernel(struct intake *intake, const struct event *event)
{
    bool whole = (event->flags & KERNEL_FROM_GRAPH_TRACE) != 0;
    uint32_t shape =
        whole ? graph_shape(intake, event->kernel.graph) : intake_shape(intake, event->kernel.shape);
    struct call_time call = call_of(intake, event->kernel.correlation);
    struct item item = {
        .kind = ITEM_LAUNCH, .flags = whole ? ITEM_WHOLE_GRAPH : 0, .correlation = event->kernel.correlation};
    item.launch.call_start_ns = call.start_ns;
    item.launch.call_duration_ns = call.duration_ns;
    item.launch.call_thread = call.thread;
    item.launch.kernel =
        intake_kernel(intake, event->kernel.start_ns, shape, intake_device(intake, event->device));
    item.launch.graph = event->kernel.graph;
    if (shape == NONE) {
        intake->stats.malformed++; /* its name was lost, but its times are valid */
        intake->attributed++;
    }
    if (!whole)
        keep_graph_node(intake, event->kernel.graph, (uint32_t)event->kernel.graph_node,
                        event->kernel.correlation, event->kernel.stream, event->kernel.start_ns);
    intake_launch_site(intake, event->kernel.stack, &item, event->kernel.start_ns, event->kernel.end_ns);
    event_add(intake, event->kind,
              intake_stream_track(intake, event, event->kernel.context, event->kernel.stream),
              event->kernel.start_ns, event->kernel.end_ns, &item);
}

static void publish_copy(struct intake *intake, const struct event *event)
{
    struct call_time call = call_of(intake, event->copy.correlation);
    struct item item = {
        .kind = ITEM_COPY,
        .flags = (event->flags & COPY_ASYNC) != 0 ? ITEM_ASYNC : 0,
        .a = event->copy.copy_kind < COPY_KIND_COUNT ? event->copy.copy_kind : (uint8_t)COPY_OTHER,
        .b = (uint8_t)((event->copy.source_memory & 15u) | (event->copy.destination_memory & 15u) << 4),
        .correlation = event->copy.correlation};
    item.copy.call_start_ns = call.start_ns;
    item.copy.call_duration_ns = call.duration_ns;
    item.copy.call_thread = call.thread;
    item.copy.size_bytes = event->copy.size_bytes;
    keep_graph_node(intake, event->copy.graph, event->copy.graph_node, event->copy.correlation,
                    event->copy.stream, event->copy.start_ns);
    intake_launch_site(intake, event->copy.stack, &item, event->copy.start_ns, event->copy.end_ns);
    event_add(intake, event->kind,
              intake_stream_track(intake, event, event->copy.context, event->copy.stream),
              event->copy.start_ns, event->copy.end_ns, &item);
}

static void publish_set(struct intake *intake, const struct event *event)
{
    struct call_time call = call_of(intake, event->set.correlation);
    struct item item = {.kind = ITEM_SET, .a = event->set.memory, .correlation = event->set.correlation};
    item.set.call_start_ns = call.start_ns;
    item.set.call_duration_ns = call.duration_ns;
    item.set.call_thread = call.thread;
    item.set.size_bytes = event->set.size_bytes;
    keep_graph_node(intake, event->set.graph, event->set.graph_node, event->set.correlation,
                    event->set.stream, event->set.start_ns);
    intake_launch_site(intake, event->set.stack, &item, event->set.start_ns, event->set.end_ns);
    event_add(intake, event->kind, intake_stream_track(intake, event, event->set.context, event->set.stream),
              event->set.start_ns, event->set.end_ns, &item);
}

static void publish_call(struct intake *intake, const struct event *event)
{
    if (joins_is_inner(&intake->joins, event)) {
        intake->stats.inner_calls++;
        return;
    }
    struct item item = {.kind = ITEM_CALL,
                        .a = event->call.domain,
                        .b = event->call.category,
                        .correlation = event->call.correlation};
    item.call.name = intake_string(intake, event->call.name);
    item.call.result = event->call.result;
    item.call.context = event->call.context;
    item.call.stream = event->call.stream;
    event_add(intake, event->kind, intake_thread_track(intake, event->call.thread, TRACK_CALLS),
              event->call.start_ns, event->call.end_ns, &item);
}

static void publish_sync(struct intake *intake, const struct event *event)
{
    uint32_t thread = event->sync.thread;
    if (thread == 0) /* CUPTI's synchronisation records do not give it */
        thread = call_of(intake, event->sync.correlation).thread;
    struct item item = {
        .kind = ITEM_SYNC, .a = event->sync.sync_kind, .correlation = event->sync.correlation};
    item.sync.context = event->sync.context;
    item.sync.stream = event->sync.stream;
    item.sync.thread = thread;
    event_add(intake, event->kind, intake_thread_track(intake, thread, TRACK_SYNCS), event->sync.start_ns,
              event->sync.end_ns, &item);
}

static void publish_overhead(struct intake *intake, const struct event *event)
{
    struct item item = {.kind = ITEM_OVERHEAD};
    item.overhead.name = intake_string(intake, event->overhead.name);
    event_add(intake, event->kind, intake_thread_track(intake, event->overhead.thread, TRACK_OVERHEAD),
              event->overhead.start_ns, event->overhead.end_ns, &item);
}

static void publish_measurement(struct intake *intake, const struct event *event)
{
    struct item item = {.kind = ITEM_MEASUREMENT, .correlation = event->measurement.correlation};
    item.measurement.measurement = event->measurement.id; /* the session's index: see measurement_settle */
    event_add(intake, event->kind,
              intake_replay_track(intake, event, event->measurement.context, event->measurement.stream),
              event->measurement.start_ns, event->measurement.end_ns, &item);
}

/* ---- ranges ---- */
static void publish_range(struct intake *intake, const struct event *begin, int64_t end_ns, uint32_t depth,
                          uint8_t flags)
{
    struct item item = {.kind = ITEM_RANGE, .flags = flags};
    item.range.name = intake_string(intake, begin->range.name);
    item.range.domain = intake_string(intake, begin->range.domain);
    item.range.color = begin->range.color;
    item.range.depth = depth;
    item.range.payload = begin->range.payload;
    event_add(intake, begin->kind, intake_thread_track(intake, begin->range.thread, TRACK_RANGES),
              begin->range.time_ns, end_ns, &item);
}

static void range_unlink(struct intake *intake, struct intake_thread *thread, const struct open_range *range)
{
    *(range->older != NONE ? &intake->ranges[range->older].newer : &thread->oldest) = range->newer;
    *(range->newer != NONE ? &intake->ranges[range->newer].older : &thread->newest) = range->older;
    thread->open_ranges--;
}

static void range_close(struct intake *intake, uint32_t slot, int64_t end_ns, uint8_t flags)
{
    struct open_range *range = &intake->ranges[slot];
    publish_range(intake, &range->begin, end_ns, range->depth, flags);
    struct intake_thread *thread = intake_thread(intake, range->begin.range.thread);
    if (thread)
        range_unlink(intake, thread, range);
    idmap_remove(&intake->range_ids, range->begin.range.id);
    range->newer = intake->range_free;
    intake->range_free = slot;
}

static void range_begin(struct intake *intake, const struct event *event)
{
    struct intake_thread *thread = intake_thread(intake, event->range.thread);
    if (thread && intake->lost)
        while (thread->open_ranges >= INTAKE_OPEN_AFTER_LOSS)
            range_close(intake, thread->oldest, event->range.time_ns, ITEM_UNFINISHED);
    uint32_t slot = intake->range_free;
    if (slot == NONE && array_grow(intake->ranges, intake->range_capacity, intake->range_count, 1))
        slot = intake->range_count;
    if (!thread || slot == NONE || idmap_find(&intake->range_ids, event->range.id) != IDMAP_NONE ||
        !idmap_put(&intake->range_ids, event->range.id, slot)) {
        intake->stats.unmatched_ranges++;
        intake->stats.malformed++;
        return;
    }
    if (slot == intake->range_count)
        intake->range_count++;
    else
        intake->range_free = intake->ranges[slot].newer;
    intake->ranges[slot] = (struct open_range){
        .begin = *event, .depth = thread->open_ranges++, .older = thread->newest, .newer = NONE};
    *(thread->newest != NONE ? &intake->ranges[thread->newest].newer : &thread->oldest) = slot;
    thread->newest = slot;
}

static void range_end(struct intake *intake, const struct event *event)
{
    uint32_t slot = idmap_find(&intake->range_ids, event->range.id);
    if (slot == IDMAP_NONE) {
        intake->stats.unmatched_ranges++;
        return;
    }
    range_close(intake, slot, event->range.time_ns, 0);
}

void intake_close_ranges(struct intake *intake)
{
    for (uint32_t slot = 0; slot < intake->range_count; slot++)
        if (idmap_find(&intake->range_ids, intake->ranges[slot].begin.range.id) == slot)
            range_close(intake, slot, intake->last_ns, ITEM_UNFINISHED);
}

static void publish_mark(struct intake *intake, const struct event *event)
{
    struct intake_thread *thread = intake_thread(intake, event->range.thread);
    publish_range(intake, event, event->range.time_ns, !thread ? 0 : thread->open_ranges, 0);
}

/* ---- holding and publishing ---- */
static void publish_one(struct intake *intake, const struct event *event)
{
    switch (event->kind) {
    case EVENT_KERNEL: publish_kernel(intake, event); break;
    case EVENT_COPY: publish_copy(intake, event); break;
    case EVENT_SET: publish_set(intake, event); break;
    case EVENT_CALL: publish_call(intake, event); break;
    case EVENT_SYNC: publish_sync(intake, event); break;
    case EVENT_OVERHEAD: publish_overhead(intake, event); break;
    case EVENT_MEASUREMENT: publish_measurement(intake, event); break;
    case EVENT_RANGE_BEGIN: range_begin(intake, event); break;
    case EVENT_RANGE_END: range_end(intake, event); break;
    case EVENT_MARK: publish_mark(intake, event); break;
    case EVENT_SAMPLE: intake_publish_sample(intake, event); break;
    default: intake->stats.malformed++; break;
    }
    intake_count_refused(intake, event->kind);
}

/* The correlation by which an event finds its call; 0: it needs no call. */
static uint32_t call_needed(const struct event *event)
{
    switch (event->kind) {
    case EVENT_KERNEL: return event->kernel.correlation;
    case EVENT_COPY: return event->copy.correlation;
    case EVENT_SET: return event->set.correlation;
    case EVENT_SYNC: return event->sync.thread == 0 ? event->sync.correlation : 0;
    default: return 0;
    }
}

static bool waits_for_call(const struct intake *intake, const struct event *event, int64_t limit_ns)
{
    uint32_t correlation = call_needed(event);
    return correlation != 0 && intake->joins.calls_seen &&
           limit_ns - held_time_ns(&intake->held) < JOIN_WAIT_NS && !joins_find(&intake->joins, correlation);
}

void intake_publish(struct intake *intake, int64_t limit_ns, bool wait)
{
    while (intake->held.count > 0 && held_time_ns(&intake->held) < limit_ns) {
        const struct event *event = held_first(&intake->held);
        if (wait && waits_for_call(intake, event, limit_ns))
            break;
        publish_one(intake, event);
        held_pop(&intake->held);
    }
}

void intake_count_memory(struct intake *intake)
{
    size_t bytes = held_bytes(&intake->held) + joins_bytes(&intake->joins) +
                   intake->range_capacity * sizeof *intake->ranges +
                   intake->edge_room * sizeof *intake->edges;
    if (bytes == intake->counted_bytes)
        return;
    session_count_memory(intake->session, (int64_t)bytes - (int64_t)intake->counted_bytes);
    intake->counted_bytes = bytes;
}

#define HELD_LEAST 4096u /* events that may be held however small the session's limit is */

/* The queue doubles when it is full. */
static bool may_hold(const struct intake *intake)
{
    const struct held *held = &intake->held;
    return !held_is_full(held) || held->capacity < HELD_LEAST ||
           session_has_room_beside(intake->session, held_bytes(held));
}

void intake_hold(struct intake *intake, int64_t time_ns, const struct event *event)
{
    if (time_ns > intake->last_ns)
        intake->last_ns = time_ns;
    if (!may_hold(intake) || !held_push(&intake->held, time_ns, event)) {
        /* HELD_MAX events are held, or there is no memory for more, or the session's limit allows no more:
         * the first one is published early. */
        if (intake->held.count == 0) {
            intake->stats.malformed++;
            return;
        }
        publish_one(intake, held_first(&intake->held));
        held_pop(&intake->held);
        held_push(&intake->held, time_ns, event);
    }
    intake_publish(intake, time_ns - NO_WATERMARK_NS, false);
}

/* ---- launches still open ---- */
void intake_show_open(struct intake *intake)
{
    if (!intake->joins.open_changed)
        return;
    static _Thread_local struct open_launch launches[JOINS_OPEN_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < intake->joins.open_count;) {
        const struct join *join = joins_open(&intake->joins, i);
        const struct intake_stream *stream =
            !join ? NULL : intake_stream(intake, join->context, join->stream, false);
        /* Launches on a stream before a launch that is done are done, too: their records were lost. */
        if (!join || (stream && join->start_ns < stream->done_call_ns)) {
            joins_forget(&intake->joins, i);
            continue;
        }
        i++;
        launches[count++] = (struct open_launch){.process = intake->process,
                                                 .track = !stream ? NONE : stream->track,
                                                 .correlation = join->correlation,
                                                 .thread = join->thread,
                                                 .shape = intake_shape(intake, join->shape),
                                                 .call_start_ns = join->start_ns};
    }
    intake->joins.open_changed = false;
    session_set_open_launches(intake->session, intake->process, launches, count);
}

/* ---- measurements and their values ---- */

/*
 * Measurements: a MEASUREMENT says how many VALUEs follow; when all are there, one row and its values are
 * added at once.
 */

/* Adds pending measurement i with the values that have arrived, and holds its event for the replay track
 * until its time comes. */
static void measurement_settle(struct intake *intake, uint32_t i)
{
    struct pending_measurement pending = intake->pending[i];
    intake->pending[i] = intake->pending[--intake->pending_count];
    const struct event *event = &pending.event;
    uint32_t shape = intake_shape(intake, event->measurement.shape);
    struct measurement_row row = {.kernel = intake_kernel(intake, event->measurement.start_ns, shape,
                                                          intake_device(intake, event->device)),
                                  .correlation = event->measurement.correlation,
                                  .context = event->measurement.context,
                                  .stream = event->measurement.stream,
                                  .passes = event->measurement.passes,
                                  .values = pending.count,
                                  .start_ns = event->measurement.start_ns,
                                  .end_ns = event->measurement.end_ns};
    uint32_t measurement = session_add_measurement(intake->session, &row, pending.values);
    free(pending.values);
    /* Counting takes the model no time that could be drawn. */
    if (measurement != NONE && intake->clock != CLOCK_MODEL) {
        pending.event.measurement.id = measurement;
        intake_hold(intake, row.end_ns, &pending.event);
    }
}

void intake_measurement(struct intake *intake, const struct event *event)
{
    struct event own = *event;
    if (!intake_times(intake, &own.measurement.start_ns, &own.measurement.end_ns) ||
        event->measurement.values > INTAKE_VALUES_MAX ||
        intake_shape(intake, event->measurement.shape) == NONE) {
        intake->stats.malformed++;
        return;
    }
    if (intake->pending_count == INTAKE_PENDING_MAX) {
        intake->stats.malformed++;
        measurement_settle(intake, 0);
    }
    struct value_row *values = NULL;
    if (own.measurement.values > 0) {
        values = malloc(own.measurement.values * sizeof *values);
        if (!values) {
            intake->stats.malformed++;
            return;
        }
    }
    intake->pending[intake->pending_count++] = (struct pending_measurement){.event = own, .values = values};
    if (own.measurement.values == 0)
        measurement_settle(intake, intake->pending_count - 1);
}

void intake_value(struct intake *intake, const struct event *event)
{
    uint32_t counter = intake_string(intake, event->value.counter);
    for (uint32_t i = intake->pending_count; i-- > 0;) {
        struct pending_measurement *pending = &intake->pending[i];
        if (pending->event.measurement.id == event->value.measurement && counter != 0) {
            pending->values[pending->count++] =
                (struct value_row){.counter = counter, .number = event->value.number};
            if (pending->count == pending->event.measurement.values)
                measurement_settle(intake, i);
            return;
        }
    }
    intake->stats.malformed++;
}

void intake_settle_measurements(struct intake *intake)
{
    while (intake->pending_count > 0) {
        intake->stats.malformed++;
        measurement_settle(intake, intake->pending_count - 1);
    }
}
