/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Life and dispatch. An event is checked and its times are converted to session ns here. Events with an end
 * are then held (intake_publish.c), the others are processed at once. Malformed events are counted by kind
 * and left out.
 */
#include "core/intake/intake_internal.h"

#include <stdlib.h>
#include <string.h>

enum status intake_create(struct intake **intake, struct session *session, uint32_t process, uint32_t run,
                          struct error *error)
{
    struct intake *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "to read the events of a process");
    const struct process_row *row = session_process(session, process);
    uint64_t seed = (uint64_t)(uintptr_t)made;
    made->session = session;
    made->process = process;
    made->fallback_run = run;
    made->clock = row && row->clock == CLOCK_MODEL ? CLOCK_MODEL : CLOCK_WALL;
    made->open_run = made->range_free = NONE;
    made->stats.watermark_ns = INT64_MIN;
    idmap_init(&made->demangled, INTAKE_STRINGS_MAX, seed);
    idmap_init(&made->shapes, INTAKE_SHAPES_MAX, seed);
    idmap_init(&made->stream_ids, INTAKE_STREAMS_MAX, seed);
    idmap_init(&made->thread_ids, INTAKE_THREADS_MAX, seed);
    idmap_init(&made->range_ids, INTAKE_OPEN_RANGES_MAX, seed);
    idmap_init(&made->run_ids, INTAKE_RUNS_MAX, seed);
    idmap_init(&made->path_ids, INTAKE_STRINGS_MAX, seed);
    idmap_init(&made->file_ids, INTAKE_STRINGS_MAX, seed);
    idmap_init(&made->functions, INTAKE_FUNCTIONS_MAX, seed);
    idmap_init(&made->stacks, INTAKE_STACKS_MAX, seed);
    idmap_init(&made->graphs, INTAKE_GRAPHS_MAX, seed);
    idmap_init(&made->series_ids, INTAKE_SERIES_MAX, seed);
    for (size_t i = 0; i < INTAKE_DEVICES_MAX; i++)
        made->devices[i] = NONE;
    for (size_t i = 0; i < KERNEL_CACHE; i++)
        made->kernels[i].kernel = NONE;
    *intake = made;
    return STATUS_OK;
}

void intake_destroy(struct intake *intake)
{
    if (!intake)
        return;
    for (uint32_t i = 0; i < intake->pending_count; i++)
        free(intake->pending[i].values);
    idmap_fini(&intake->demangled);
    idmap_fini(&intake->shapes);
    idmap_fini(&intake->stream_ids);
    idmap_fini(&intake->thread_ids);
    idmap_fini(&intake->range_ids);
    idmap_fini(&intake->run_ids);
    idmap_fini(&intake->path_ids);
    idmap_fini(&intake->file_ids);
    idmap_fini(&intake->functions);
    idmap_fini(&intake->stacks);
    intake_free_paths(intake);
    idmap_fini(&intake->graphs);
    idmap_fini(&intake->series_ids);
    joins_fini(&intake->joins);
    held_fini(&intake->held);
    free(intake->edges);
    intake->range_capacity = 0;
    intake->edge_room = 0;
    intake_count_memory(intake);
    free(intake->strings);
    free(intake->streams);
    free(intake->threads);
    free(intake->ranges);
    free(intake->runs);
    free(intake->series);
    free(intake->samplings);
    free(intake);
}

/* ---- announcements ---- */
static void take_process(struct intake *intake, const uint8_t *bytes, size_t size_bytes)
{
    if (session_is_anonymous(intake->session))
        return;
    char *text = malloc(size_bytes + 1);
    if (!text) {
        intake->stats.malformed++;
        return;
    }
    while (size_bytes > 0 && bytes[size_bytes - 1] == '\0')
        size_bytes--;
    for (size_t i = 0; i < size_bytes; i++)
        text[i] = bytes[i] == '\0' ? ' ' : (char)bytes[i];
    session_set_process_command(intake->session, intake->process,
                                session_add_string(intake->session, text, size_bytes));
    free(text);
}

static void take_blob(struct intake *intake, const struct event *event, const uint8_t *blob)
{
    if (!blob || event->blob.size_bytes > WIRE_BLOB_MAX_BYTES) {
        intake->stats.malformed++;
        return;
    }
    switch (event->blob.type) {
    case BLOB_STRING:
        intake_add_string(intake, event->blob.id, (const char *)blob, event->blob.size_bytes);
        break;
    case BLOB_DEVICE: intake_add_device(intake, event->blob.id, blob, event->blob.size_bytes); break;
    case BLOB_PROCESS: take_process(intake, blob, event->blob.size_bytes); break;
    default: intake->stats.malformed++; break;
    }
}

static void take_stream(struct intake *intake, const struct event *event)
{
    struct intake_stream *stream = intake_stream(intake, event->stream.context, event->stream.stream, true);
    if (!stream) {
        intake->stats.unkept[EVENT_STREAM]++;
        return;
    }
    stream->flags = event->flags;
    stream->priority = event->stream.priority;
}

static void take_notice(struct intake *intake, const struct event *event)
{
    struct notice_row row = {.text = intake_string(intake, event->notice.text),
                             .status = event->notice.status < STATUS_COUNT ? event->notice.status : STATUS_OK,
                             .process = intake->process,
                             .severity = event->notice.severity <= SEVERITY_ERROR ? event->notice.severity
                                                                                  : (uint8_t)SEVERITY_ERROR};
    if (row.text == 0 || !intake_time(intake, event->notice.time_ns, &row.time_ns) ||
        intake->notices_added == INTAKE_ROWS_MAX) {
        intake->stats.malformed++;
        return;
    }
    intake->notices_added++;
    session_add_notice(intake->session, &row);
}

static void take_dropped(struct intake *intake, const struct event *event)
{
    struct drop_row row = {.count = event->dropped.count,
                           .process = intake->process,
                           .kind = event->dropped.kind,
                           .reason = event->dropped.reason};
    if (row.kind >= EVENT_KIND_COUNT || row.reason > DROP_MEMORY || row.count > INT64_MAX ||
        !intake_time(intake, event->dropped.time_ns, &row.time_ns) ||
        intake->drops_added == INTAKE_ROWS_MAX) {
        intake->stats.malformed++;
        return;
    }
    intake->drops_added++;
    intake->lost = true;
    session_add_drop(intake->session, &row);
}

void intake_tell_loss(struct intake *intake)
{
    intake->lost = true;
}

/* ---- what happened ---- */
/* Device work of a correlation has arrived: its launch, and all earlier ones on its stream, are no longer
 * open. */
static void work_came(struct intake *intake, uint32_t correlation, uint32_t context, uint32_t stream)
{
    joins_done(&intake->joins, correlation);
    const struct join *call = joins_find(&intake->joins, correlation);
    struct intake_stream *there = !call ? NULL : intake_stream(intake, context, stream, true);
    if (there && call->start_ns > there->done_call_ns) {
        there->done_call_ns = call->start_ns;
        intake->joins.open_changed |= intake->joins.open_count > 0;
    }
}

static void take_work(struct intake *intake, const struct event *event)
{
    struct event own = *event;
    bool sound = false;
    switch (event->kind) { /* each kind has its times and ids in other fields */
    case EVENT_KERNEL:
        sound = intake_times(intake, &own.kernel.start_ns, &own.kernel.end_ns);
        work_came(intake, own.kernel.correlation, own.kernel.context, own.kernel.stream);
        break;
    case EVENT_COPY:
        sound = intake_times(intake, &own.copy.start_ns, &own.copy.end_ns);
        work_came(intake, own.copy.correlation, own.copy.context, own.copy.stream);
        break;
    default:
        sound = intake_times(intake, &own.set.start_ns, &own.set.end_ns);
        work_came(intake, own.set.correlation, own.set.context, own.set.stream);
        break;
    }
    if (!sound) {
        intake->stats.malformed++;
        return;
    }
    intake_hold(intake, own.kernel.end_ns, &own);
}
_Static_assert(offsetof(struct event, kernel.end_ns) == offsetof(struct event, copy.end_ns) &&
                   offsetof(struct event, kernel.end_ns) == offsetof(struct event, set.end_ns),
               "take_work reads the end of any of them");

static void take_call(struct intake *intake, const struct event *event)
{
    struct event own = *event;
    if (!intake_times(intake, &own.call.start_ns, &own.call.end_ns)) {
        intake->stats.malformed++;
        return;
    }
    joins_call(&intake->joins, &own);
    intake_hold(intake, own.call.end_ns, &own);
}

static void take_call_begin(struct intake *intake, const struct event *event)
{
    struct event own = *event;
    if (!intake_time(intake, event->call.start_ns, &own.call.start_ns)) {
        intake->stats.malformed++;
        return;
    }
    joins_begin(&intake->joins, &own);
}

/* SYNC and OVERHEAD have start and end in the same fields. */
static void take_span(struct intake *intake, const struct event *event)
{
    struct event own = *event;
    if (!intake_times(intake, &own.sync.start_ns, &own.sync.end_ns)) {
        intake->stats.malformed++;
        return;
    }
    intake_hold(intake, own.sync.end_ns, &own);
}
_Static_assert(offsetof(struct event, sync.start_ns) == offsetof(struct event, overhead.start_ns) &&
                   offsetof(struct event, sync.end_ns) == offsetof(struct event, overhead.end_ns),
               "take_span reads the times of either");

void intake_event_use(struct intake *intake, const struct event_use_row *row, uint8_t kind)
{
    struct event_use_row own = *row;
    own.process = intake->process;
    if (intake->event_uses_added == INTAKE_EVENT_USES_MAX ||
        session_add_event_use(intake->session, &own) == NONE)
        intake->stats.unkept[kind]++;
    else
        intake->event_uses_added++;
}

static void take_event_record(struct intake *intake, const struct event *event)
{
    if (event->event_record.correlation == 0 || event->event_record.record == 0) {
        intake->stats.malformed++;
        return;
    }
    intake_event_use(intake,
                     &(struct event_use_row){.correlation = event->event_record.correlation,
                                             .context = event->event_record.context,
                                             .stream = event->event_record.stream,
                                             .event = event->event_record.event,
                                             .use = EVENT_USE_RECORD,
                                             .record = event->event_record.record},
                     event->kind);
}

/* Waits until its graph is launched, which few are: instantiating one copies it twice. */
static void take_graph_edge(struct intake *intake, const struct event *event)
{
    const struct waiting_edge edge = {event->graph_edge.graph, event->graph_edge.node,
                                      event->graph_edge.dependency};
    if (edge.graph == 0 || edge.node == edge.dependency || edge.dependency == NONE) {
        intake->stats.malformed++;
        return;
    }
    if (intake->edge_count == INTAKE_EDGES_WAITING) {
        intake->edge_count /= 2;
        memmove(intake->edges, intake->edges + INTAKE_EDGES_WAITING - intake->edge_count,
                intake->edge_count * sizeof *intake->edges);
    }
    if (array_grow(intake->edges, intake->edge_room, intake->edge_count, 1))
        intake->edges[intake->edge_count++] = edge;
    else
        intake->stats.unkept[event->kind]++;
}

/* Among the rows of what waits for what, of which a program may have as many. */
static void take_collective(struct intake *intake, const struct event *event)
{
    const uint64_t sequence = event->collective.sequence, bytes = event->collective.bytes;
    const struct collective_row row = {.process = intake->process,
                                       .correlation = event->collective.correlation,
                                       .group = intake_string(intake, event->collective.communicator),
                                       .function = intake_string(intake, event->collective.function),
                                       .ranks = event->collective.ranks,
                                       .sequence = sequence < INT64_MAX ? (int64_t)sequence : -1,
                                       .bytes = bytes < INT64_MAX ? (int64_t)bytes : -1};
    if (row.correlation == 0 || row.group == 0)
        intake->stats.malformed++;
    else if (intake->event_uses_added == INTAKE_EVENT_USES_MAX ||
             session_add_collective(intake->session, &row) == NONE)
        intake->stats.unkept[event->kind]++;
    else
        intake->event_uses_added++;
}

static void take_sync(struct intake *intake, const struct event *event)
{
    const bool stream = event->sync.sync_kind == SYNC_STREAM_WAIT_EVENT;
    take_span(intake, event);
    if ((stream || event->sync.sync_kind == SYNC_EVENT) && event->sync.record != 0 &&
        event->sync.correlation != 0)
        intake_event_use(
            intake,
            &(struct event_use_row){.correlation = event->sync.correlation,
                                    .context = event->sync.context,
                                    .stream = event->sync.stream,
                                    .event = event->sync.event,
                                    .use = stream ? EVENT_USE_STREAM_WAITS : EVENT_USE_HOST_WAITS,
                                    .record = event->sync.record},
            EVENT_EVENT_RECORD);
}

static void take_range(struct intake *intake, const struct event *event)
{
    struct event own = *event;
    if (!intake_time(intake, event->range.time_ns, &own.range.time_ns)) {
        intake->stats.malformed++;
        return;
    }
    intake_hold(intake, own.range.time_ns, &own);
}

static void take_sample(struct intake *intake, const struct event *event)
{
    struct event own = *event;
    int64_t end_ns;
    if (!intake_sample(intake, &own, &end_ns)) {
        intake->stats.malformed++;
        return;
    }
    intake_hold(intake, end_ns, &own);
}

static void take_watermark(struct intake *intake, const struct event *event)
{
    int64_t time_ns;
    if (!intake_time(intake, event->watermark.time_ns, &time_ns)) {
        intake->stats.malformed++;
        return;
    }
    if (time_ns > intake->stats.watermark_ns) {
        intake->stats.watermark_ns = time_ns;
        if (time_ns > intake->last_ns)
            intake->last_ns = time_ns;
        session_set_now(intake->session, intake->clock, time_ns);
    }
    intake_publish(intake, intake->stats.watermark_ns, true);
    intake_flush_samples(intake);
    intake_show_open(intake);
}

static void take_progress(struct intake *intake, const struct event *event)
{
    const uint32_t kernel = intake_string(intake, event->progress.kernel);

    if (event->progress.blocks == 0 || event->progress.ended > event->progress.blocks ||
        event->progress.elapsed_ns < 0) {
        intake->stats.malformed++;
        return;
    }
    intake->progress.number++;
    intake->progress.kernel = kernel ? intake_readable(intake, kernel) : 0;
    intake->progress.of = (struct progress){.launch = event->progress.launch,
                                            .blocks = event->progress.blocks,
                                            .ended = event->progress.ended,
                                            .executed = event->progress.executed,
                                            .elapsed_ns = event->progress.elapsed_ns,
                                            .over = event->flags & PROGRESS_OVER};
}

const struct intake_progress *intake_progress(const struct intake *intake)
{
    return &intake->progress;
}

void intake_event(struct intake *intake, const struct event *event, const uint8_t *blob)
{
    intake->stats.events++;
    switch (event->kind) {
    case EVENT_BLOB: take_blob(intake, event, blob); break;
    case EVENT_SHAPE: intake_add_shape(intake, event); break;
    case EVENT_CONTEXT: break; /* device work says its device itself */
    case EVENT_STREAM: take_stream(intake, event); break;
    case EVENT_KERNEL:
    case EVENT_COPY:
    case EVENT_SET: take_work(intake, event); break;
    case EVENT_CALL: take_call(intake, event); break;
    case EVENT_CALL_BEGIN: take_call_begin(intake, event); break;
    case EVENT_SYNC: take_sync(intake, event); break;
    case EVENT_OVERHEAD: take_span(intake, event); break;
    case EVENT_EVENT_RECORD: take_event_record(intake, event); break;
    case EVENT_GRAPH_EDGE: take_graph_edge(intake, event); break;
    case EVENT_COLLECTIVE: take_collective(intake, event); break;
    case EVENT_RANGE_BEGIN:
    case EVENT_RANGE_END:
    case EVENT_MARK: take_range(intake, event); break;
    case EVENT_MEASUREMENT: intake_measurement(intake, event); break;
    case EVENT_VALUE: intake_value(intake, event); break;
    case EVENT_RUN_BEGIN: intake_run_begin(intake, event); break;
    case EVENT_RUN_END: intake_run_end(intake, event); break;
    case EVENT_EXPECTED: intake_expected(intake, event); break;
    case EVENT_FUNCTION: intake_function(intake, event); break;
    case EVENT_INSTRUCTION: intake_instruction(intake, event); break;
    case EVENT_STALLS: intake_stalls(intake, event); break;
    case EVENT_INSTRUCTION_COUNT: intake_instruction_count(intake, event); break;
    case EVENT_STACK: intake_stack(intake, event); break;
    case EVENT_PROGRESS: take_progress(intake, event); break;
    case EVENT_ACCESS: intake_access(intake, event); break;
    case EVENT_WATERMARK: take_watermark(intake, event); break;
    case EVENT_DROPPED: take_dropped(intake, event); break;
    case EVENT_NOTICE: take_notice(intake, event); break;
    case EVENT_SERIES: intake_series(intake, event); break;
    case EVENT_SAMPLE: take_sample(intake, event); break;
    case EVENT_GOODBYE: intake_publish(intake, INT64_MAX, false); break;
    default: intake->stats.malformed++; break;
    }
    intake_count_refused(intake, event->kind);
    intake_count_memory(intake);
}

void intake_finish(struct intake *intake)
{
    if (intake->finished)
        return;
    intake->finished = true;
    intake_settle_measurements(intake);
    intake_publish(intake, INT64_MAX, false);
    intake_flush_samples(intake);
    intake_close_ranges(intake);
    if (intake->open_run != NONE) {
        const struct run_row *run = session_run(intake->session, intake->open_run);
        session_end_run(intake->session, intake->open_run,
                        intake->last_ns > run->start_ns ? intake->last_ns : run->start_ns, -1, 0);
        intake->open_run = NONE;
    }
    if (intake->joins.open_count > 0 || intake->joins.open_changed) {
        intake->joins.open_count = 0;
        intake->joins.open_changed = false;
        session_set_open_launches(intake->session, intake->process, NULL, 0);
    }
}

void intake_stats(const struct intake *intake, struct intake_stats *stats)
{
    *stats = intake->stats;
    stats->held = intake->held.count;
}
