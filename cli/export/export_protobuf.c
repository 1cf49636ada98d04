/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two formats of protocol buffers, whose field numbers are published and do not change.
 *
 * Perfetto's TracePacket: a track per process and,
 * below it, one per lane, so that the slices of a track never overlap; each event as the begin and the end of a slice; flows by
 * the correlation of a call and its work. Times are whole ns. Names are interned: each is written once.
 *
 * pprof's Profile: launches, copies and sets by call path (the functions that the recording has, else the ranges in which the
 * work was issued), with their number and their time on the device; and the samples of source lines, where there are any.
 *
 * A message is a field in the one around it, with its length before it, so it is built by itself first.
 */
#include "cli/export/export.h"

#include "cli/output/memory.h"

#include "core/analysis/code_costs.h"
#include "core/base/idmap.h"
#include "core/session/stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SEQUENCE 1u      /* of packets: all are of one */
#define NAME_BYTES 8192u /* longer names are cut */
#define MESSAGE_BYTES (2 * NAME_BYTES)
#define NAMES_MOST (1u << 24)

/* The field numbers that are used. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK_UUID = 11,
    EVENT_CATEGORY = 22,
    EVENT_FLOW = 47
};
enum { SLICE_BEGIN = 1, SLICE_END = 2 };
enum { INTERNED_NAME = 2, NAME_IID = 1, NAME_TEXT = 2 };
enum { ANNOTATION_UINT = 3, ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10 };

struct message {
    size_t size; /* the bytes behind it are not set */
    uint8_t bytes[MESSAGE_BYTES];
};

struct perfetto_writing {
    const struct export *export;
    struct idmap names; /* address of a text -> its id */
    int64_t origin_ns;
    bool begun; /* the first packet says that nothing is interned before it */
};

/* ---- the encoding ---- */
static void put_varint(struct message *message, uint64_t value)
{
    for (; message->size < MESSAGE_BYTES; value >>= 7) {
        message->bytes[message->size++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        if (value <= 0x7f)
            return;
    }
}

static void put_number(struct message *message, unsigned field, uint64_t value)
{
    put_varint(message, field << 3);
    put_varint(message, value);
}

static void put_fixed(struct message *message, unsigned field, uint64_t value)
{
    put_varint(message, field << 3 | 1);
    for (int i = 0; i < 8 && message->size < MESSAGE_BYTES; i++)
        message->bytes[message->size++] = (uint8_t)(value >> 8 * i);
}

static void put_bytes(struct message *message, unsigned field, const void *bytes, size_t size_bytes)
{
    if (message->size + size_bytes + 16 > MESSAGE_BYTES)
        return;
    put_varint(message, field << 3 | 2);
    put_varint(message, size_bytes);
    memcpy(message->bytes + message->size, bytes, size_bytes);
    message->size += size_bytes;
}

static void put_text(struct message *message, unsigned field, const char *text)
{
    put_bytes(message, field, text, strnlen(text, NAME_BYTES));
}

static void put_message(struct message *message, unsigned field, const struct message *inner)
{
    put_bytes(message, field, inner->bytes, inner->size);
}

static void write_packet(struct perfetto_writing *writing, struct message *packet)
{
    struct message whole;
    whole.size = 0;
    put_number(packet, PACKET_SEQUENCE, SEQUENCE);
    put_number(packet, PACKET_FLAGS, writing->begun ? FLAG_NEEDS : FLAG_CLEARED | FLAG_NEEDS);
    writing->begun = true;
    put_varint(&whole, TRACE_PACKET << 3 | 2);
    put_varint(&whole, packet->size);
    fwrite(whole.bytes, 1, whole.size, writing->export->out);
    fwrite(packet->bytes, 1, packet->size, writing->export->out);
}

/* ---- tracks ---- */
static uint64_t uuid_of_process(uint32_t process)
{
    return UINT64_C(1) << 62 | process;
}

static uint64_t uuid_of_lane(uint32_t track, uint32_t lane)
{
    return (uint64_t)track * SESSION_TRACK_LANES_MAX + lane + 1;
}

static void write_process(struct perfetto_writing *writing, uint32_t index)
{
    const struct session *session = writing->export->session;
    const struct process_row *row = session_process(session, index);
    struct message packet, track, process;
    packet.size = track.size = process.size = 0;
    char name[512];
    snprintf(name, sizeof name, "%.300s on %.100s%s%s", session_string(session, row->program),
             session_string(session, row->host), row->mode == RUN_TRACE ? "" : ", ",
             row->mode == RUN_TRACE ? "" : run_mode_text((enum run_mode)row->mode));
    put_number(&process, PROCESS_PID, (uint64_t)index + 1); /* pids of several hosts may be the same */
    put_text(&process, PROCESS_NAME, name);
    put_number(&track, TRACK_UUID, uuid_of_process(index));
    put_message(&track, TRACK_PROCESS, &process);
    put_message(&packet, PACKET_TRACK, &track);
    write_packet(writing, &packet);
}

static void write_lane(struct perfetto_writing *writing, uint32_t index, uint32_t lane)
{
    struct message packet, track;
    packet.size = track.size = 0;
    char name[EXPORT_LANE_BYTES];
    export_lane_name(writing->export->session, index, lane, name);
    put_number(&track, TRACK_UUID, uuid_of_lane(index, lane));
    put_text(&track, TRACK_NAME, name);
    put_number(&track, TRACK_PARENT,
               uuid_of_process(session_track(writing->export->session, index)->process));
    put_message(&packet, PACKET_TRACK, &track);
    write_packet(writing, &packet);
}

static void write_tracks(struct perfetto_writing *writing)
{
    const struct session *session = writing->export->session;
    for (uint32_t i = 0; i < session_process_count(session); i++)
        write_process(writing, i);
    for (uint32_t i = 0; i < session_track_count(session); i++)
        for (uint32_t lane = 0; export_takes(writing->export, session_track(session, i)) &&
                                lane < session_lane_count(session, i);
             lane++)
            write_lane(writing, i, lane);
}

/* ---- events ---- */
/* Texts of a session and of the program do not move, so a text's address stands for it. */
static uint32_t intern_name(struct perfetto_writing *writing, struct message *packet, const char *name)
{
    struct message entry, interned;
    entry.size = interned.size = 0;
    uint32_t id = idmap_find(&writing->names, (uint64_t)(uintptr_t)name);
    if (id != IDMAP_NONE)
        return id;
    id = writing->names.count + 1;
    if (!idmap_put(&writing->names, (uint64_t)(uintptr_t)name, id))
        memory_end();
    put_number(&entry, NAME_IID, id);
    put_text(&entry, NAME_TEXT, name);
    put_message(&interned, INTERNED_NAME, &entry);
    put_message(packet, PACKET_INTERNED, &interned);
    return id;
}

static void put_annotation(struct message *event, const char *name, const char *text, uint64_t number)
{
    struct message annotation;
    annotation.size = 0;
    put_text(&annotation, ANNOTATION_NAME, name);
    if (text)
        put_text(&annotation, ANNOTATION_TEXT, text);
    else
        put_number(&annotation, ANNOTATION_UINT, number);
    put_message(event, EVENT_ANNOTATION, &annotation);
}

static void put_launch(struct message *event, const struct session *session, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = row ? session_shape(session, row->shape) : NULL;
    char text[80];
    if (!shape)
        return;
    snprintf(text, sizeof text, "%ux%ux%u", shape->grid[0], shape->grid[1], shape->grid[2]);
    put_annotation(event, "grid", text, 0);
    snprintf(text, sizeof text, "%ux%ux%u", shape->block[0], shape->block[1], shape->block[2]);
    put_annotation(event, "block", text, 0);
    put_annotation(event, "registers per thread", NULL, shape->registers_per_thread);
}

static void put_details(struct message *event, const struct session *session, const struct item *item)
{
    if (item->correlation)
        put_annotation(event, "correlation", NULL, item->correlation);
    if (item->kind == ITEM_LAUNCH)
        put_launch(event, session, item->launch.kernel);
    else if (item->kind == ITEM_COPY)
        put_annotation(event, "bytes", NULL, item->copy.size_bytes);
    else if (item->kind == ITEM_SET)
        put_annotation(event, "bytes", NULL, item->set.size_bytes);
}

static void write_slice(void *context, const struct export_event *visited)
{
    struct perfetto_writing *writing = context;
    const struct item *item = &visited->item;
    const bool flows = item->kind == ITEM_CALL || item->kind == ITEM_LAUNCH || item->kind == ITEM_COPY ||
                       item->kind == ITEM_SET;
    for (unsigned type = SLICE_BEGIN; type <= SLICE_END; type++) {
        struct message packet, event;
        packet.size = event.size = 0;
        const int64_t time_ns = visited->start_ns + (type == SLICE_END ? visited->duration_ns : 0);
        put_number(&packet, PACKET_TIMESTAMP, (uint64_t)(time_ns - writing->origin_ns));
        put_number(&event, EVENT_TYPE, type);
        put_number(&event, EVENT_TRACK_UUID, uuid_of_lane(visited->track, visited->lane));
        if (type == SLICE_BEGIN) {
            put_number(&event, EVENT_NAME_IID,
                       intern_name(writing, &packet, export_name(writing->export->session, item)));
            put_text(&event, EVENT_CATEGORY, item_kind_text(item->kind));
            put_details(&event, writing->export->session, item);
            if (flows && item->correlation)
                put_fixed(&event, EVENT_FLOW,
                          (uint64_t)(visited->row->process + 1) << 32 | item->correlation);
        }
        put_message(&packet, PACKET_EVENT, &event);
        write_packet(writing, &packet);
    }
}

void export_perfetto(const struct export *export)
{
    const enum clock_kind clock = export->clocks[CLOCK_MODEL] ? CLOCK_MODEL : CLOCK_WALL;
    const int64_t first_ns = session_first_ns(export->session, clock);
    struct perfetto_writing writing = {.export = export, .origin_ns = first_ns < 0 ? first_ns : 0};
    idmap_init(&writing.names, NAMES_MOST, 1);
    write_tracks(&writing);
    export_visit(export, write_slice, &writing);
    idmap_fini(&writing.names);
}

/* ---- pprof ---- */
enum {
    PROFILE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_TIME = 9,
    PROFILE_DURATION = 10,
    PROFILE_DEFAULT_TYPE = 14
};
enum { TYPE_TYPE = 1, TYPE_UNIT = 2, SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };
enum { VALUE_COUNT, VALUE_TIME, VALUE_SAMPLES, VALUES };
#define PATH_MOST 256u /* frames; the outermost of longer paths are left out */

struct pprof_writing {
    const struct export *export;
    struct idmap strings, functions, locations;
    uint32_t string_count;
};

static void write_field(const struct pprof_writing *writing, unsigned field, const struct message *message)
{
    struct message head = {.size = 0};
    put_varint(&head, field << 3 | 2);
    put_varint(&head, message->size);
    fwrite(head.bytes, 1, head.size, writing->export->out);
    fwrite(message->bytes, 1, message->size, writing->export->out);
}

/* The text's place in the table of strings, where it is put in the order of these calls. */
static uint32_t pprof_string(struct pprof_writing *writing, const char *text)
{
    const uint64_t key = *text ? (uint64_t)(uintptr_t)text : 0;
    uint32_t place = idmap_find(&writing->strings, key);
    if (place != IDMAP_NONE)
        return place;
    struct message message;
    message.size = strnlen(text, NAME_BYTES);
    memcpy(message.bytes, text, message.size);
    write_field(writing, PROFILE_STRING, &message);
    place = writing->string_count++;
    memory_check(idmap_put(&writing->strings, key, place) ? STATUS_OK : STATUS_MEMORY);
    return place;
}

static uint32_t pprof_function(struct pprof_writing *writing, const char *name, const char *file)
{
    const uint32_t name_at = pprof_string(writing, name), file_at = pprof_string(writing, file);
    const uint64_t key = (uint64_t)name_at << 32 | file_at;
    uint32_t id = idmap_find(&writing->functions, key);
    if (id != IDMAP_NONE)
        return id;
    struct message message = {.size = 0};
    id = writing->functions.count + 1;
    put_number(&message, FUNCTION_ID, id);
    put_number(&message, FUNCTION_NAME, name_at);
    put_number(&message, FUNCTION_SYSTEM_NAME, name_at);
    put_number(&message, FUNCTION_FILE, file_at);
    write_field(writing, PROFILE_FUNCTION, &message);
    memory_check(idmap_put(&writing->functions, key, id) ? STATUS_OK : STATUS_MEMORY);
    return id;
}

static uint32_t pprof_location(struct pprof_writing *writing, const char *name, const char *file,
                               uint32_t line)
{
    const uint32_t function = pprof_function(writing, name, file);
    const uint64_t key = (uint64_t)function << 32 | line;
    uint32_t id = idmap_find(&writing->locations, key);
    if (id != IDMAP_NONE)
        return id;
    struct message message = {.size = 0}, place = {.size = 0};
    id = writing->locations.count + 1;
    put_number(&place, LINE_FUNCTION, function);
    put_number(&place, LINE_NUMBER, line);
    put_number(&message, LOCATION_ID, id);
    put_message(&message, LOCATION_LINE, &place);
    write_field(writing, PROFILE_LOCATION, &message);
    memory_check(idmap_put(&writing->locations, key, id) ? STATUS_OK : STATUS_MEMORY);
    return id;
}

struct pprof_path {
    uint32_t locations[PATH_MOST]; /* the innermost first */
    size_t count;
};

static void write_sample(const struct pprof_writing *writing, const struct pprof_path *path,
                         const uint64_t values[VALUES])
{
    struct message message = {.size = 0};
    for (size_t i = 0; i < path->count; i++)
        put_number(&message, SAMPLE_LOCATION, path->locations[i]);
    for (size_t i = 0; i < VALUES; i++)
        put_number(&message, SAMPLE_VALUE, values[i]);
    write_field(writing, PROFILE_SAMPLE, &message);
}

static void write_sites(struct pprof_writing *writing)
{
    const struct session *session = writing->export->session;
    for (uint32_t i = 0; i < session_launch_site_count(session); i++) {
        const struct launch_site_row *site = session_launch_site(session, i);
        struct item item = {.kind = site->kind, .a = site->copy_kind};
        if (site->kind == ITEM_LAUNCH)
            item.launch.kernel = site->kernel;
        struct pprof_path path = {.count = 1};
        path.locations[0] = pprof_location(writing, export_name(session, &item), "", 0);
        for (uint32_t at = site->stack; at != NONE && path.count < PATH_MOST;) {
            const struct stack_row *frame = session_stack(session, at);
            path.locations[path.count++] = pprof_location(writing, session_string(session, frame->name),
                                                          session_string(session, frame->file), frame->line);
            at = frame->caller;
        }
        const uint64_t values[VALUES] = {atomic_load_explicit(&site->launches, memory_order_relaxed),
                                         atomic_load_explicit(&site->total_ns, memory_order_relaxed)};
        write_sample(writing, &path, values);
    }
}

/* The ranges of the issuing thread that are open at the call, the one that begins last first. */
static void add_ranges(struct pprof_writing *writing, const struct export_event *visited,
                       const struct export_call *call, struct pprof_path *path)
{
    const struct session *session = writing->export->session;
    int64_t starts_ns[PATH_MOST];
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        if (row->kind != TRACK_RANGES || row->process != visited->row->process || row->thread != call->thread)
            continue;
        for (uint32_t lane = 0; lane < session_lane_count(session, track) && path->count < PATH_MOST;
             lane++) {
            int64_t start_ns, end_ns;
            struct item item;
            const uint64_t index = session_lane_find(session, track, lane, call->start_ns);
            if (!session_event(session, (struct event_ref){track, lane, index}, &start_ns, &end_ns, &item) ||
                start_ns > call->start_ns)
                continue;
            size_t at = path->count++;
            for (; at > 1 && starts_ns[at - 1] <= start_ns; at--) {
                starts_ns[at] = starts_ns[at - 1];
                path->locations[at] = path->locations[at - 1];
            }
            starts_ns[at] = start_ns;
            path->locations[at] = pprof_location(writing, session_string(session, item.range.name), "", 0);
        }
    }
}

static void write_work(void *context, const struct export_event *visited)
{
    struct pprof_writing *writing = context;
    const struct item *item = &visited->item;
    struct export_call call;
    if (item->kind != ITEM_LAUNCH && item->kind != ITEM_COPY && item->kind != ITEM_SET)
        return;
    struct pprof_path path = {.count = 1};
    path.locations[0] = pprof_location(writing, export_name(writing->export->session, item), "", 0);
    if (export_call(item, &call))
        add_ranges(writing, visited, &call, &path);
    const uint64_t values[VALUES] = {1, (uint64_t)visited->duration_ns};
    write_sample(writing, &path, values);
}

/* The samples of a kernel's source lines, inside of the kernel. */
static void write_lines(struct pprof_writing *writing, uint32_t kernel)
{
    struct code_listing listing;
    struct code_lines lines;
    if (memory_check(code_listing_make(writing->export->session, kernel, &listing, NULL)) != STATUS_OK)
        return;
    if (listing.count > 0 && listing.totals[CODE_SAMPLES] > 0 &&
        memory_check(code_lines_make(&listing, &lines, NULL)) == STATUS_OK) {
        const struct item item = {.kind = ITEM_LAUNCH, .launch.kernel = kernel};
        for (uint32_t i = 0; i < lines.count; i++) {
            const uint64_t values[VALUES] = {[VALUE_SAMPLES] = (uint64_t)lines.lines[i].costs[CODE_SAMPLES]};
            struct pprof_path path = {.count = 1};
            path.locations[0] = pprof_location(writing, export_name(writing->export->session, &item),
                                               lines.lines[i].file, lines.lines[i].line);
            if (values[VALUE_SAMPLES] > 0)
                write_sample(writing, &path, values);
        }
        code_lines_fini(&lines);
    }
    code_listing_fini(&listing);
}

void export_pprof(const struct export *export)
{
    static const char *const types[VALUES][2] = {
        {"operations", "count"}, {"device", "nanoseconds"}, {"samples", "count"}};
    const struct session *session = export->session;
    const enum clock_kind clock = export->clocks[CLOCK_MODEL] ? CLOCK_MODEL : CLOCK_WALL;
    struct pprof_writing writing = {.export = export};
    struct message message = {.size = 0};
    idmap_init(&writing.strings, NAMES_MOST, 1);
    idmap_init(&writing.functions, NAMES_MOST, 1);
    idmap_init(&writing.locations, NAMES_MOST, 1);
    pprof_string(&writing, ""); /* the first one */
    for (size_t i = 0; i < VALUES; i++) {
        message.size = 0;
        put_number(&message, TYPE_TYPE, pprof_string(&writing, types[i][0]));
        put_number(&message, TYPE_UNIT, pprof_string(&writing, types[i][1]));
        write_field(&writing, PROFILE_TYPE, &message);
    }
    message.size = 0;
    if (clock == CLOCK_WALL)
        put_number(&message, PROFILE_TIME, (uint64_t)session_start_ns(session));
    put_number(&message, PROFILE_DURATION,
               (uint64_t)(session_now_ns(session, clock) - session_first_ns(session, clock)));
    put_number(&message, PROFILE_DEFAULT_TYPE, pprof_string(&writing, types[VALUE_TIME][0]));
    fwrite(message.bytes, 1, message.size, export->out);
    if (session_launch_site_count(session) > 0)
        write_sites(&writing);
    else
        export_visit(export, write_work, &writing);
    for (uint32_t kernel = 0; kernel < session_kernel_count(session); kernel++)
        write_lines(&writing, kernel);
    idmap_fini(&writing.strings);
    idmap_fini(&writing.functions);
    idmap_fini(&writing.locations);
}
