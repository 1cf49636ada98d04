/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace event format that Chrome's viewers define, as an object with metadata: complete events, a thread
 * per lane, so that the events of one never overlap; a flow from each call to what it asked for; counters.
 * docs/export.md.
 */
#include "cli/export/export.h"
#include "cli/report/data/report_data.h"

#include "core/base/append.h"
#include "core/base/idmap.h"

#include <inttypes.h>
#include <string.h>

#define CHROME_SCHEMA "1"
#define LINES_DEPTH 2 /* a line per event */
#define LINKED_MOST (1u << 26)

struct chrome_writing {
    const struct export *export;
    const struct session *session;
    struct json json;
    int64_t origin_ns;   /* time 0 of the trace */
    struct idmap linked; /* correlations of the first process that have a flow */
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

static void write_three(struct json *json, const char *key, uint32_t x, uint32_t y, uint32_t z)
{
    json_open(json, key, '[');
    json_integer(json, NULL, x);
    json_integer(json, NULL, y);
    json_integer(json, NULL, z);
    json_close(json, ']');
}

static void write_launch_args(struct json *json, const struct session *session, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = row ? session_shape(session, row->shape) : NULL;
    if (!shape)
        return;
    write_three(json, "grid", shape->grid[0], shape->grid[1], shape->grid[2]);
    write_three(json, "block", shape->block[0], shape->block[1], shape->block[2]);
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
    if (event->row->device != NONE && event->row->kind == TRACK_STREAM) {
        const struct device_row *device = session_device(writing->session, event->row->device);
        json_integer(json, "device", device ? device->ordinal : 0);
        json_integer(json, "context", event->row->context);
        json_integer(json, "stream", event->row->stream);
    }
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

/* The correlation, by which TraceLens finds the two ends of a call, where it is unique; else a number above all of these. */
static int64_t flow_id(struct chrome_writing *writing, const struct export_event *event)
{
    const uint32_t correlation = event->item.correlation;
    writing->flows++;
    if (event->row->process != 0 || correlation == 0 ||
        idmap_find(&writing->linked, correlation) != IDMAP_NONE ||
        !idmap_put(&writing->linked, correlation, 0))
        return ((int64_t)1 << 32) + writing->flows;
    return correlation;
}

static void write_flow(struct chrome_writing *writing, const struct export_event *event)
{
    struct export_call call;
    int64_t from = export_call(&event->item, &call) ? find_call(writing, event->row->process, &call) : 0;
    if (from == 0)
        return;
    const int64_t id = flow_id(writing, event);
    for (int end = 0; end < 2; end++) {
        json_open(&writing->json, NULL, '{');
        json_string(&writing->json, "name", item_kind_text(event->item.kind));
        json_string(&writing->json, "cat", "ac2g");
        json_string(&writing->json, "ph", end ? "f" : "s");
        if (end)
            json_string(&writing->json, "bp",
                        "e"); /* binds to the slice that begins at this time, not to the next one */
        json_integer(&writing->json, "id", id);
        write_where(writing, event->row->process, end ? thread_of(event->track, event->lane) : from,
                    end ? event->start_ns : call.start_ns);
        json_close(&writing->json, '}');
    }
}

/* As PyTorch's profiler names them, so that programs that read its traces read these. */
static const char *category_of(const struct session *session, const struct item *item)
{
    static const char *const categories[] = {
        [ITEM_LAUNCH] = "kernel",     [ITEM_COPY] = "gpu_memcpy",       [ITEM_SET] = "gpu_memset",
        [ITEM_CALL] = "cuda_runtime", [ITEM_RANGE] = "user_annotation", [ITEM_SYNC] = "cuda_sync",
        [ITEM_OVERHEAD] = "overhead", [ITEM_MEASUREMENT] = "replay"};
    if (item->kind == ITEM_CALL && item->a == API_DRIVER)
        return "cuda_driver";
    if (item->kind == ITEM_RANGE) {
        const char *domain = session_string(session, item->range.domain);
        return strcmp(domain, "PyTorch") == 0 || strcmp(domain, "cpu_op") == 0 ? "cpu_op"
               : strcmp(domain, "Python") == 0 || strcmp(domain, "python_function") == 0
                   ? "python_function"
                   : categories[ITEM_RANGE];
    }
    return categories[item->kind];
}

/* The name in the trace: of a copy "Memcpy HtoD (Pinned -> Device)", by which other programs know it for one. */
static const char *name_of(const struct session *session, const struct item *item, char text[80])
{
    static const char *const directions[] = {
        [COPY_HTOD] = "HtoD", [COPY_DTOH] = "DtoH", [COPY_DTOD] = "DtoD", [COPY_HTOH] = "HtoH",
        [COPY_PTOP] = "PtoP", [COPY_HTOA] = "HtoA", [COPY_ATOH] = "AtoH", [COPY_ATOA] = "AtoA",
        [COPY_ATOD] = "AtoD", [COPY_DTOA] = "DtoA"};
    if (item->kind == ITEM_SET)
        return "Memset (Device)";
    if (item->kind != ITEM_COPY)
        return export_name(session, item);
    const char *direction = item->a < sizeof directions / sizeof *directions ? directions[item->a] : NULL;
    size_t length = (size_t)snprintf(text, 80, "Memcpy %s (", direction ? direction : "other");
    append_text(text, 80, &length, "%s -> ", memory_kind_text(item_copy_source(item)));
    append_text(text, 80, &length, "%s)", memory_kind_text(item_copy_destination(item)));
    for (char *word = text; (word = strpbrk(word, "(>")); word++)
        if (word[1 + (*word == '>')] >= 'a')
            word[1 + (*word == '>')] = (char)(word[1 + (*word == '>')] - 'a' + 'A');
    return text;
}

/* The rank, where all of the session is one's. */
static void write_rank(struct json *json, const struct session *session)
{
    const struct process_row *first = session_process(session, 0);
    for (uint32_t i = 0; i < session_process_count(session); i++)
        if (session_process(session, i)->rank != first->rank)
            return;
    if (!first || first->rank < 0)
        return;
    json_open(json, "distributedInfo", '{');
    json_integer(json, "rank", first->rank);
    json_close(json, '}');
}

static void write_event(void *context, const struct export_event *event)
{
    struct chrome_writing *writing = context;
    struct json *json = &writing->json;
    char text[80];
    json_open(json, NULL, '{');
    json_string(json, "name", name_of(writing->session, &event->item, text));
    json_string(json, "cat", category_of(writing->session, &event->item));
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
    idmap_init(&writing.linked, LINKED_MOST, 1);
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
    write_rank(json, session);
    json_open(json, "traceEvents", '[');
    write_processes(&writing);
    write_threads(&writing);
    export_visit(export, write_event, &writing);
    export_counters(export, json, writing.origin_ns);
    export_samples_chrome(export, json, writing.origin_ns);
    json_close(json, ']');
    json_close(json, '}');
    idmap_fini(&writing.linked);
}
