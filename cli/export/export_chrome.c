/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace event format that Chrome's viewers define, as an object with metadata: complete events, a thread
 * per lane, so that the events of one never overlap; a flow from each call to what it asked for; counters.
 * docs/export.md.
 */
#include "cli/export/export.h"
#include "cli/report/data/report_data.h"

#include <inttypes.h>
#include <string.h>

#define CHROME_SCHEMA "1"
#define LINES_DEPTH 2 /* a line per event */

struct chrome_writing {
    const struct export *export;
    const struct session *session;
    struct json json;
    int64_t origin_ns; /* time 0 of the trace */
    int64_t flows;
};

/* Lanes are numbered across all tracks, one thread each. */
static int64_t thread_of(uint32_t track, uint32_t lane)
{
    return (int64_t)track * SESSION_TRACK_LANES_MAX + lane + 1;
}

static void write_metadata(struct json *json, const char *name, int64_t process, int64_t thread,
                           const char *text, int64_t number)
{
    json_open(json, NULL, '{');
    json_string(json, "name", name);
    json_string(json, "ph", "M");
    json_integer(json, "pid", process);
    if (thread > 0)
        json_integer(json, "tid", thread);
    json_open(json, "args", '{');
    if (text)
        json_string(json, "name", text);
    else
        json_integer(json, "sort_index", number);
    json_close(json, '}');
    json_close(json, '}');
}

static bool has_tracks(const struct export *export, uint32_t process)
{
    for (uint32_t track = 0; track < session_track_count(export->session); track++) {
        const struct track_row *row = session_track(export->session, track);
        if (row->process == process && export_takes(export, row))
            return true;
    }
    return false;
}

static void write_processes(struct chrome_writing *writing)
{
    for (uint32_t i = 0; i < session_process_count(writing->session); i++) {
        const struct process_row *row = session_process(writing->session, i);
        char name[512];
        if (!has_tracks(writing->export, i) && !export_samples_of(writing->export, i))
            continue;
        snprintf(name, sizeof name, "%.300s, pid %d on %.100s%s%s",
                 session_string(writing->session, row->program), row->pid,
                 session_string(writing->session, row->host), row->mode == RUN_TRACE ? "" : ", ",
                 row->mode == RUN_TRACE ? "" : run_mode_text((enum run_mode)row->mode));
        write_metadata(&writing->json, "process_name", (int64_t)i + 1, 0, name, 0);
        write_metadata(&writing->json, "process_sort_index", (int64_t)i + 1, 0, NULL, i);
    }
}

/* An arrow from the program's call to the device's work. */
static void write_threads(struct chrome_writing *writing)
{
    static const uint8_t order[TRACK_KIND_COUNT] = {
        [TRACK_RANGES] = 0,   [TRACK_CALLS] = 1,  [TRACK_SYNCS] = 2,
        [TRACK_OVERHEAD] = 3, [TRACK_STREAM] = 4, [TRACK_MEASUREMENTS] = 5};
    for (uint32_t track = 0; track < session_track_count(writing->session); track++) {
        const struct track_row *row = session_track(writing->session, track);
        uint32_t lanes = session_lane_count(writing->session, track);
        for (uint32_t lane = 0; export_takes(writing->export, row) && lane < lanes; lane++) {
            int64_t thread = thread_of(track, lane);
            char name[EXPORT_LANE_BYTES];
            export_lane_name(writing->session, track, lane, name);
            write_metadata(&writing->json, "thread_name", (int64_t)row->process + 1, thread, name, 0);
            write_metadata(&writing->json, "thread_sort_index", (int64_t)row->process + 1, thread, NULL,
                           order[row->kind < TRACK_KIND_COUNT ? row->kind : TRACK_STREAM] * 10000000 +
                               thread);
        }
    }
}

static void write_where(struct chrome_writing *writing, uint32_t process, int64_t thread, int64_t ns)
{
    json_integer(&writing->json, "pid", (int64_t)process + 1);
    json_integer(&writing->json, "tid", thread);
    export_write_us(&writing->json, "ts", ns - writing->origin_ns);
}

static void write_launch_args(struct json *json, const struct session *session, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = row ? session_shape(session, row->shape) : NULL;
    char text[80];
    if (!shape)
        return;
    snprintf(text, sizeof text, "%ux%ux%u", shape->grid[0], shape->grid[1], shape->grid[2]);
    json_string(json, "grid", text);
    snprintf(text, sizeof text, "%ux%ux%u", shape->block[0], shape->block[1], shape->block[2]);
    json_string(json, "block", text);
    json_integer(json, "registers per thread", shape->registers_per_thread);
    json_integer(json, "static shared bytes", shape->static_shared_bytes);
    json_integer(json, "dynamic shared bytes", shape->dynamic_shared_bytes);
}

static void write_args(struct chrome_writing *writing, const struct export_event *event)
{
    const struct item *item = &event->item;
    struct json *json = &writing->json;
    json_open(json, "args", '{');
    json_integer(json, "start_ns", event->start_ns);
    json_integer(json, "duration_ns", event->duration_ns);
    if (item->correlation)
        json_integer(json, "correlation", item->correlation);
    if (item->kind == ITEM_LAUNCH) {
        write_launch_args(json, writing->session, item->launch.kernel);
    } else if (item->kind == ITEM_COPY || item->kind == ITEM_SET) {
        uint64_t bytes = item->kind == ITEM_COPY ? item->copy.size_bytes : item->set.size_bytes;
        json_integer(json, "bytes", (int64_t)(bytes & INT64_MAX));
        if (item->kind == ITEM_COPY) {
            json_string(json, "from", memory_kind_text(item_copy_source(item)));
            json_string(json, "to", memory_kind_text(item_copy_destination(item)));
        }
    } else if (item->kind == ITEM_CALL && item->call.result != 0) {
        json_integer(json, "result", item->call.result);
    }
    if (item->flags & ITEM_UNFINISHED)
        json_bool(json, "unfinished", true);
    json_close(json, '}');
}

/* The thread in the trace of the call that begins at this time: the lane of the thread's calls that has it;
 * 0: none. */
static int64_t find_call(const struct chrome_writing *writing, uint32_t process,
                         const struct export_call *call)
{
    const struct session *session = writing->session;
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        if (row->kind != TRACK_CALLS || row->process != process || row->thread != call->thread ||
            !export_takes(writing->export, row))
            continue;
        uint32_t lanes = session_lane_count(writing->session, track);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            struct event_ref ref = {.track = track,
                                    .lane = lane,
                                    .index = session_lane_find(session, track, lane, call->start_ns)};
            if (ref.index < session_lane_count_events(session, track, lane) &&
                session_event_start_ns(session, ref) == call->start_ns)
                return thread_of(track, lane);
        }
    }
    return 0;
}

static void write_flow(struct chrome_writing *writing, const struct export_event *event)
{
    struct export_call call;
    int64_t from = export_call(&event->item, &call) ? find_call(writing, event->row->process, &call) : 0;
    if (from == 0)
        return;
    writing->flows++;
    for (int end = 0; end < 2; end++) {
        json_open(&writing->json, NULL, '{');
        json_string(&writing->json, "name", item_kind_text(event->item.kind));
        json_string(&writing->json, "cat", "flow");
        json_string(&writing->json, "ph", end ? "f" : "s");
        if (end)
            json_string(&writing->json, "bp",
                        "e"); /* binds to the slice that begins at this time, not to the next one */
        json_integer(&writing->json, "id", writing->flows);
        write_where(writing, event->row->process, end ? thread_of(event->track, event->lane) : from,
                    end ? event->start_ns : call.start_ns);
        json_close(&writing->json, '}');
    }
}

static void write_event(void *context, const struct export_event *event)
{
    struct chrome_writing *writing = context;
    struct json *json = &writing->json;
    json_open(json, NULL, '{');
    json_string(json, "name", export_name(writing->session, &event->item));
    json_string(json, "cat", item_kind_text(event->item.kind));
    json_string(json, "ph", "X");
    write_where(writing, event->row->process, thread_of(event->track, event->lane), event->start_ns);
    export_write_us(json, "dur", event->duration_ns);
    write_args(writing, event);
    json_close(json, '}');
    write_flow(writing, event);
}

void export_chrome(const struct export *export)
{
    const struct session *session = export->session;
    enum clock_kind clock = export->clocks[CLOCK_MODEL] ? CLOCK_MODEL : CLOCK_WALL;
    int64_t first_ns = session_first_ns(session, clock);
    struct chrome_writing writing = {
        .export = export, .session = session, .origin_ns = first_ns < 0 ? first_ns : 0};
    struct json *json = &writing.json;
    json_init(json, export->out, LINES_DEPTH);
    json_open(json, NULL, '{');
    json_string(json, "displayTimeUnit", "ns");
    json_open(json, "otherData", '{');
    json_string(json, "schema", CHROME_SCHEMA);
    json_string(json, "lanescope", LANESCOPE_VERSION);
    json_string(json, "clock", clock == CLOCK_MODEL ? "model" : "wall");
    char start[24]; /* more digits than a double has */
    snprintf(start, sizeof start, "%" PRId64, session_start_ns(session));
    json_string(json, "start_ns", start);
    json_integer(json, "origin_ns", writing.origin_ns);
    json_close(json, '}');
    json_open(json, "traceEvents", '[');
    write_processes(&writing);
    write_threads(&writing);
    export_visit(export, write_event, &writing);
    export_counters(export, json, writing.origin_ns);
    export_samples_chrome(export, json, writing.origin_ns);
    json_close(json, ']');
    json_close(json, '}');
}
