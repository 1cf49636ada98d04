/* SPDX-License-Identifier: Apache-2.0 */
/* The contract: docs/export.schema.json says what each field is. Rows refer to others by their place in these
 * arrays. */
#include "cli/export/export.h"
#include "cli/output/answer.h"
#include "cli/output/json.h"
#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT_SCHEMA 1
#define LINES_DEPTH 2 /* a line per row */

/* Writes an index or id, which may be missing. */
static void write_id(struct json *json, const char *key, uint32_t id)
{
    if (id == NONE)
        json_null(json, key);
    else
        json_integer(json, key, id);
}

static void write_text(struct json *json, const char *key, const struct session *session, uint32_t string)
{
    if (string == 0)
        json_null(json, key);
    else
        json_string(json, key, session_string(session, string));
}

static void write_time(struct json *json, const char *key, int64_t time_ns)
{
    if (time_ns == INT64_MIN)
        json_null(json, key);
    else
        json_integer(json, key, time_ns);
}

static const char *clock_text(uint8_t clock)
{
    return clock == CLOCK_MODEL ? "model" : "wall";
}

static void write_processes(struct json *json, const struct session *session)
{
    json_open(json, "processes", '[');
    const struct process_row *row;
    for (uint32_t i = 0; (row = session_process(session, i)); i++) {
        int32_t status = atomic_load_explicit(&row->exit_status, memory_order_acquire);
        json_open(json, NULL, '{');
        json_integer(json, "pid", row->pid);
        json_integer(json, "parent_pid", row->parent_pid);
        write_id(json, "rank", row->rank < 0 ? NONE : (uint32_t)row->rank);
        write_text(json, "host", session, row->host);
        write_text(json, "program", session, row->program);
        write_text(json, "command", session, atomic_load_explicit(&row->command, memory_order_acquire));
        json_string(json, "mode", run_mode_text((enum run_mode)row->mode));
        json_string(json, "clock", clock_text(row->clock));
        json_integer(json, "start_ns", row->start_ns);
        write_time(json, "end_ns", atomic_load_explicit(&row->end_ns, memory_order_acquire));
        write_id(json, "exit_status", status < 0 ? NONE : (uint32_t)status);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_devices(struct json *json, const struct session *session)
{
    json_open(json, "devices", '[');
    for (uint32_t i = 0; i < session_device_count(session); i++) {
        const struct device_row *row = session_device(session, i);
        char name[sizeof row->info.name + 1] = {0};
        memcpy(name, row->info.name, sizeof row->info.name);
        json_open(json, NULL, '{');
        write_id(json, "process", row->process);
        json_integer(json, "ordinal", row->ordinal);
        json_string(json, "name", name);
        json_bool(json, "is_model", row->info.is_model);
        json_integer(json, "compute_capability", row->info.compute_capability);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_runs(struct json *json, const struct session *session)
{
    json_open(json, "runs", '[');
    const struct run_row *row;
    for (uint32_t i = 0; (row = session_run(session, i)); i++) {
        int verified = atomic_load_explicit(&row->verified, memory_order_acquire);
        json_open(json, NULL, '{');
        write_id(json, "process", row->process);
        write_id(json, "device", row->device);
        json_integer(json, "group", row->group);
        write_text(json, "workload", session, row->workload);
        write_text(json, "variant", session, row->variant);
        write_text(json, "params", session, row->params);
        write_text(json, "program", session, row->workload ? 0 : row->program);
        json_string(json, "mode", run_mode_text((enum run_mode)row->mode));
        json_string(json, "clock", clock_text(row->clock));
        json_integer(json, "start_ns", row->start_ns);
        write_time(json, "end_ns", atomic_load_explicit(&row->end_ns, memory_order_acquire));
        if (verified < 0)
            json_null(json, "verified");
        else
            json_bool(json, "verified", verified > 0);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_dimensions(struct json *json, const char *key, uint32_t x, uint32_t y, uint32_t z)
{
    json_open(json, key, '[');
    json_integer(json, NULL, x);
    json_integer(json, NULL, y);
    json_integer(json, NULL, z);
    json_close(json, ']');
}

static void write_kernels(struct json *json, const struct session *session, struct short_names *names)
{
    char name[2048];
    static const struct shape_row unknown;
    json_open(json, "kernels", '[');
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct kernel_row *row = session_kernel(session, i);
        const struct shape_row *found = session_shape(session, row->shape), *shape = found ? found : &unknown;
        json_open(json, NULL, '{');
        write_id(json, "run", row->run);
        write_id(json, "device", row->device);
        report_short_name(names, kernel_full_name(session, i), SHORT_NAME_WHOLE, name, sizeof name);
        write_text(json, "name", session, shape->name);
        json_string(json, "short_name", name);
        write_text(json, "mangled", session, shape->mangled);
        write_dimensions(json, "grid", shape->grid[0], shape->grid[1], shape->grid[2]);
        write_dimensions(json, "block", shape->block[0], shape->block[1], shape->block[2]);
        write_dimensions(json, "cluster", shape->cluster[0], shape->cluster[1], shape->cluster[2]);
        json_integer(json, "registers_per_thread", shape->registers_per_thread);
        json_integer(json, "static_shared_bytes", shape->static_shared_bytes);
        json_integer(json, "dynamic_shared_bytes", shape->dynamic_shared_bytes);
        json_integer(json, "local_bytes_per_thread", shape->local_bytes_per_thread);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_tracks(struct json *json, const struct session *session)
{
    json_open(json, "tracks", '[');
    for (uint32_t i = 0; i < session_track_count(session); i++) {
        const struct track_row *row = session_track(session, i);
        char name[80];
        session_track_name(session, i, name, sizeof name);
        json_open(json, NULL, '{');
        json_string(json, "name", name);
        json_string(json, "kind", track_kind_text((enum track_kind)row->kind));
        json_string(json, "clock", clock_text(row->clock));
        write_id(json, "process", row->process);
        write_id(json, "device", row->device);
        write_id(json, "context", row->context);
        write_id(json, "stream", row->stream);
        write_id(json, "thread", row->thread);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_measurements(struct json *json, const struct session *session)
{
    uint32_t values = session_value_count(session);
    json_open(json, "measurements", '[');
    for (uint32_t i = 0; i < session_measurement_count(session); i++) {
        const struct measurement_row *row = session_measurement(session, i);
        json_open(json, NULL, '{');
        write_id(json, "kernel", row->kernel);
        json_integer(json, "correlation", row->correlation);
        json_integer(json, "passes", row->passes);
        json_integer(json, "start_ns", row->start_ns);
        json_integer(json, "end_ns", row->end_ns);
        json_open(json, "counters", '{');
        for (uint32_t v = 0; v < row->values && row->first_value < values && v < values - row->first_value;
             v++) {
            const struct value_row *value = session_value(session, row->first_value + v);
            json_number(json, session_string(session, value->counter), value->number);
        }
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* ---- events ---- */

static void write_call(struct json *json, const struct item *item)
{
    struct export_call call;
    if (!export_call(item, &call)) {
        json_null(json, "call");
        return;
    }
    json_open(json, "call", '{');
    json_integer(json, "start_ns", call.start_ns);
    json_integer(json, "duration_ns", call.duration_ns);
    json_integer(json, "thread", call.thread);
    json_close(json, '}');
}

static void write_range(struct json *json, const struct session *session, const struct item *item)
{
    char color[12];
    snprintf(color, sizeof color, "%08x", item->range.color);
    write_text(json, "domain", session, item->range.domain);
    json_string(json, "argb", color);
    json_integer(json, "depth", item->range.depth);
    json_number(json, "payload", item->range.payload);
}

static void write_details(struct json *json, const struct session *session, const struct item *item)
{
    switch ((enum item_kind)item->kind) {
    case ITEM_LAUNCH:
        write_id(json, "kernel", item->launch.kernel);
        write_id(json, "graph", item->launch.graph ? item->launch.graph : NONE);
        json_bool(json, "whole_graph", item->flags & ITEM_WHOLE_GRAPH);
        write_call(json, item);
        break;
    case ITEM_COPY:
        json_string(json, "copy", copy_kind_id(item->a));
        json_string(json, "source", memory_kind_text(item_copy_source(item)));
        json_string(json, "destination", memory_kind_text(item_copy_destination(item)));
        json_integer(json, "size_bytes", (int64_t)(item->copy.size_bytes & INT64_MAX));
        json_bool(json, "asynchronous", item->flags & ITEM_ASYNC);
        write_call(json, item);
        break;
    case ITEM_SET:
        json_string(json, "destination", memory_kind_text(item->a));
        json_integer(json, "size_bytes", (int64_t)(item->set.size_bytes & INT64_MAX));
        write_call(json, item);
        break;
    case ITEM_CALL:
        json_string(json, "api", api_domain_text(item->a));
        json_integer(json, "result", item->call.result);
        break;
    case ITEM_RANGE: write_range(json, session, item); break;
    case ITEM_MEASUREMENT: write_id(json, "measurement", item->measurement.measurement); break;
    case ITEM_SYNC:
    case ITEM_OVERHEAD: break;
    }
}

struct json_writing {
    struct json json;
    const struct session *session;
};

static void write_event_fields(struct json_writing *writing, const struct export_event *event)
{
    struct json *json = &writing->json;
    json_string(json, "kind", item_kind_text(event->item.kind));
    json_string(json, "name", export_name(writing->session, &event->item));
    json_integer(json, "track", event->track);
    json_integer(json, "lane", event->lane);
    json_integer(json, "start_ns", event->start_ns);
    json_integer(json, "duration_ns", event->duration_ns);
    json_integer(json, "correlation", event->item.correlation);
    json_bool(json, "unfinished", event->item.flags & ITEM_UNFINISHED);
    write_details(json, writing->session, &event->item);
}

static void write_event(void *context, const struct export_event *event)
{
    struct json_writing *writing = context;
    json_open(&writing->json, NULL, '{');
    write_event_fields(writing, event);
    json_close(&writing->json, '}');
}

/* ---- events as they come ---- */
struct export_events {
    const struct session *session;
    FILE *out;
    uint64_t *written; /* of each lane of each track, SESSION_TRACK_LANES_MAX of a track */
    size_t tracks;
    uint64_t count, evicted;
};

struct export_events *export_events_begin(const struct session *session, FILE *out)
{
    struct export_events *events = memory_zeroed(1, sizeof *events);
    struct json json;
    *events = (struct export_events){.session = session, .out = out};
    json_init(&json, out, 0);
    json_open(&json, NULL, '{');
    answer_print(&json);
    json_integer(&json, "schema", EXPORT_EVENTS_SCHEMA);
    json_close(&json, '}');
    return events;
}

static void write_live_event(struct export_events *events, uint32_t track, uint32_t lane, uint64_t index)
{
    struct export_event event = {.row = session_track(events->session, track), .track = track, .lane = lane};
    struct json_writing writing = {.session = events->session};
    int64_t end_ns;
    char name[EXPORT_LANE_BYTES];
    if (!session_event(events->session, (struct event_ref){track, lane, index}, &event.start_ns, &end_ns,
                       &event.item))
        return;
    if (event.item.flags & ITEM_FOLDED) {
        events->evicted++;
        return;
    }
    event.duration_ns = end_ns - event.start_ns;
    export_lane_name(events->session, track, lane, name);
    json_init(&writing.json, events->out, 0);
    json_open(&writing.json, NULL, '{');
    json_string(&writing.json, "on", name);
    json_string(&writing.json, "clock", clock_text(event.row->clock));
    write_event_fields(&writing, &event);
    json_close(&writing.json, '}');
    events->count++;
}

void export_events_step(struct export_events *events)
{
    const size_t tracks = session_track_count(events->session);
    if (tracks > events->tracks) {
        uint64_t *written = memory_zeroed(tracks * SESSION_TRACK_LANES_MAX, sizeof *written);
        if (events->written)
            memcpy(written, events->written, events->tracks * SESSION_TRACK_LANES_MAX * sizeof *written);
        free(events->written);
        events->written = written;
        events->tracks = tracks;
    }
    for (uint32_t track = 0; track < tracks; track++) {
        for (uint32_t lane = 0;
             lane < session_lane_count(events->session, track) && lane < SESSION_TRACK_LANES_MAX; lane++) {
            uint64_t *written = &events->written[track * SESSION_TRACK_LANES_MAX + lane];
            const uint64_t count = session_lane_count_events(events->session, track, lane);
            for (; *written < count && session_track(events->session, track)->kind != TRACK_COPY_ENGINE;
                 ++*written)
                write_live_event(events, track, lane, *written);
        }
    }
    fflush(events->out);
}

void export_events_end(struct export_events *events)
{
    struct json json;
    export_events_step(events);
    json_init(&json, events->out, 0);
    json_open(&json, NULL, '{');
    json_bool(&json, "end", true);
    json_integer(&json, "events", (int64_t)events->count);
    json_integer(&json, "evicted_before_written", (int64_t)events->evicted);
    json_close(&json, '}');
    free(events->written);
    free(events);
}

void export_json(const struct export *export)
{
    const struct session *session = export->session;
    struct json_writing writing = {.session = session};
    struct json *json = &writing.json;
    json_init(json, export->out, LINES_DEPTH);
    json_open(json, NULL, '{');
    json_integer(json, "schema", EXPORT_SCHEMA);
    json_string(json, "lanescope", LANESCOPE_VERSION);
    json_integer(json, "start_ns", session_start_ns(session));
    write_processes(json, session);
    write_devices(json, session);
    write_runs(json, session);
    write_kernels(json, session, export->names);
    write_tracks(json, session);
    write_measurements(json, session);
    json_open(json, "events", '[');
    export_visit(export, write_event, &writing);
    json_close(json, ']');
    export_samples_json(export, json);
    report_instructions_json(json, session);
    json_close(json, '}');
}
