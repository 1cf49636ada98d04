/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the process's ids to the session's rows: strings, shapes, devices, streams, threads, each in a table
 * that is bounded (INTAKE_..._MAX). Times that no clock of this machine can have shown are refused.
 */
#include "core/intake/intake_internal.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/function_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE_START_NS \
    ((int64_t)86400 * 1000000000)      /* a process may have begun before the session, but not a day before */
#define AHEAD_NS ((int64_t)1000000000) /* clocks of one machine agree better than that, */
#define STEP_NS ((int64_t)86400 * 1000000000) /* unless one of them was set; by a day at most */

void intake_add_refused(struct intake *intake, uint8_t kind)
{
    intake->stats.refused[kind < EVENT_KIND_COUNT ? kind : 0] += intake->stats.malformed - intake->attributed;
    intake->attributed = intake->stats.malformed;
}

/* ---- times ---- */
static bool is_plausible(struct intake *intake, int64_t raw_ns)
{
    if (raw_ns <= intake->plausible_ns)
        return true;
    int64_t now_ns = clock_real_ns();
    intake->plausible_ns = now_ns + AHEAD_NS;
    if (raw_ns <= intake->plausible_ns)
        return true;
    if (raw_ns > now_ns + STEP_NS)
        return false;
    /* The clock was set back while the program ran: later times are as valid as earlier ones. */
    if (raw_ns - now_ns > intake->stats.ahead_ns)
        intake->stats.ahead_ns = raw_ns - now_ns;
    intake->plausible_ns = raw_ns;
    return true;
}

bool intake_time(struct intake *intake, int64_t raw_ns, int64_t *session_ns)
{
    if (intake->clock == CLOCK_MODEL) {
        *session_ns = raw_ns;
        return raw_ns >= 0 && raw_ns <= SESSION_TIME_MAX_NS;
    }
    int64_t zero_ns = session_start_ns(intake->session);
    if (raw_ns <= 0 || raw_ns < zero_ns - BEFORE_START_NS || !is_plausible(intake, raw_ns))
        return false;
    *session_ns = raw_ns - zero_ns;
    return *session_ns <= SESSION_TIME_MAX_NS;
}

bool intake_times(struct intake *intake, int64_t *start_ns, int64_t *end_ns)
{
    return *end_ns >= *start_ns && intake_time(intake, *start_ns, start_ns) &&
           intake_time(intake, *end_ns, end_ns);
}

/* ---- paths ---- */
static void free_path(struct intake *intake, uint32_t path)
{
    session_count_text(intake->session, -(int64_t)strlen(intake->paths[path]) - 1);
    free(intake->paths[path]);
}

bool intake_keep_path(struct intake *intake, uint32_t id, const char *text, size_t size_bytes)
{
    char *copy = strndup(text, size_bytes);
    uint32_t known = idmap_find(&intake->path_ids, id);
    if (copy)
        session_count_text(intake->session, (int64_t)strlen(copy) + 1);
    if (copy && known != IDMAP_NONE) {
        free_path(intake, known);
        intake->paths[known] = copy;
        return true;
    }
    if (!copy || !array_grow(intake->paths, intake->path_capacity, intake->path_count, 1) ||
        !idmap_put(&intake->path_ids, id, intake->path_count)) {
        if (copy)
            session_count_text(intake->session, -(int64_t)strlen(copy) - 1);
        free(copy);
        return false;
    }
    intake->paths[intake->path_count++] = copy;
    return true;
}

void intake_free_paths(struct intake *intake)
{
    for (uint32_t i = 0; i < intake->path_count; i++)
        free_path(intake, i);
    free(intake->paths);
}

const char *intake_path(const struct intake *intake, uint32_t id)
{
    uint32_t path = intake->path_count == 0 ? IDMAP_NONE : idmap_find(&intake->path_ids, id);
    return path == IDMAP_NONE ? NULL : intake->paths[path];
}

/* ---- strings and shapes ---- */
uint32_t intake_string(struct intake *intake, uint32_t id)
{
    if (id >= intake->string_capacity)
        return 0;
    const char *path = intake->strings[id] == 0 ? intake_path(intake, id) : NULL;
    if (path)
        intake->strings[id] = session_add_string(intake->session, path, strlen(path));
    return intake->strings[id];
}

void intake_add_string(struct intake *intake, uint32_t id, const char *text, size_t size_bytes)
{
    intake->string_bytes += size_bytes + 64; /* a repeated text counts, too: nobody can send it forever */
    if (id == 0 || id > INTAKE_STRINGS_MAX || intake->string_bytes > INTAKE_STRING_BYTES_MAX ||
        !session_has_room_for_text(intake->session)) {
        intake->stats.malformed++;
        return;
    }
    if (!array_grow_zeroed(intake->strings, intake->string_capacity, id, 1)) {
        intake->stats.malformed++;
        return;
    }
    idmap_remove(&intake->file_ids, id);
    if (size_bytes > 0 && text[0] == '/') {
        intake->strings[id] = 0;
        if (!intake_keep_path(intake, id, text, size_bytes))
            intake->stats.malformed++;
        return;
    }
    idmap_remove(&intake->path_ids, id);
    intake->strings[id] = session_add_string(intake->session, text, size_bytes);
}

uint32_t intake_readable(struct intake *intake, uint32_t mangled)
{
    uint32_t known = idmap_find(&intake->demangled, mangled);
    if (known != IDMAP_NONE)
        return known;
    char *text = demangle(session_string(intake->session, mangled));
    uint32_t name = !text ? mangled : session_add_string(intake->session, text, strlen(text));
    free(text);
    name = name == 0 ? mangled : name;
    idmap_put(&intake->demangled, mangled,
              name); /* if there is no room, the name is demangled again next time */
    return name;
}

void intake_add_shape(struct intake *intake, const struct event *event)
{
    struct shape_row row = {
        .mangled = intake_string(intake, event->shape.name),
        .grid = {event->shape.grid[0], event->shape.grid[1], event->shape.grid[2]},
        .block = {event->shape.block[0], event->shape.block[1], event->shape.block[2]},
        .cluster = {event->shape.cluster[0], event->shape.cluster[1], event->shape.cluster[2]},
        .registers_per_thread = event->shape.registers_per_thread,
        .flags = event->flags,
        .static_shared_bytes = event->shape.static_shared_bytes,
        .dynamic_shared_bytes = event->shape.dynamic_shared_bytes,
        .local_bytes_per_thread = event->shape.local_bytes_per_thread,
        .shared_config_bytes = event->shape.shared_config_bytes};
    row.name = intake_readable(intake, row.mangled);
    bool known = idmap_find(&intake->shapes, event->shape.id) != IDMAP_NONE;
    uint32_t shape = NONE;
    if (event->shape.id != 0 && (known || intake->shapes.count < INTAKE_SHAPES_MAX))
        shape = session_add_shape(intake->session, &row);
    if (shape == NONE || !idmap_put(&intake->shapes, event->shape.id, shape))
        intake->stats.malformed++;
}

uint32_t intake_shape(const struct intake *intake, uint32_t id)
{
    return idmap_find(&intake->shapes, id); /* IDMAP_NONE is NONE */
}
_Static_assert(IDMAP_NONE == NONE, "an id that is not there is no row");

/* ---- devices ---- */
/* The devices of this process that its other ring may have announced. */
static void devices_scan(struct intake *intake)
{
    uint32_t count = session_device_count(intake->session);
    for (; intake->devices_scanned < count; intake->devices_scanned++) {
        const struct device_row *row = session_device(intake->session, intake->devices_scanned);
        if (row->process == intake->process && row->ordinal < INTAKE_DEVICES_MAX)
            intake->devices[row->ordinal] = intake->devices_scanned;
    }
}

uint32_t intake_device(struct intake *intake, uint16_t ordinal)
{
    if (ordinal >= INTAKE_DEVICES_MAX)
        return NONE;
    if (intake->devices[ordinal] == NONE)
        devices_scan(intake);
    return intake->devices[ordinal];
}

void intake_add_device(struct intake *intake, uint32_t ordinal, const uint8_t *bytes, size_t size_bytes)
{
    if (ordinal >= INTAKE_DEVICES_MAX || size_bytes != sizeof(struct device_info)) {
        intake->stats.malformed++;
        return;
    }
    if (intake_device(intake, (uint16_t)ordinal) != NONE)
        return; /* announced by both rings of the process */
    struct device_row row = {.process = intake->process, .ordinal = ordinal};
    memcpy(&row.info, bytes, sizeof row.info);
    row.info.name[sizeof row.info.name - 1] = '\0';
    row.info.chip[sizeof row.info.chip - 1] = '\0';
    intake->devices[ordinal] = session_add_device(intake->session, &row);
}

/* ---- streams ---- */
struct intake_stream *intake_stream(struct intake *intake, uint32_t context, uint32_t stream, bool add)
{
    if (intake->last_stream < intake->stream_count) {
        struct intake_stream *last = &intake->streams[intake->last_stream];
        if (last->context == context && last->stream == stream)
            return last;
    }
    uint64_t id = (uint64_t)context << 32 | stream;
    uint32_t index = idmap_find(&intake->stream_ids, id);
    if (index == IDMAP_NONE) {
        if (!add || !array_grow(intake->streams, intake->stream_capacity, intake->stream_count, 1) ||
            !idmap_put(&intake->stream_ids, id, intake->stream_count))
            return NULL;
        index = intake->stream_count++;
        intake->streams[index] = (struct intake_stream){.context = context,
                                                        .stream = stream,
                                                        .track = NONE,
                                                        .replay_track = NONE,
                                                        .done_call_ns = INT64_MIN};
    }
    intake->last_stream = index;
    return &intake->streams[index];
}

static uint32_t track_of(struct intake *intake, const struct intake_stream *stream, uint32_t *track,
                         enum track_kind kind, uint32_t device)
{
    if (*track == NONE) {
        struct track_row row = {.kind = (uint8_t)kind,
                                .clock = intake->clock,
                                .flags = stream->flags,
                                .process = intake->process,
                                .device = device,
                                .context = stream->context,
                                .stream = stream->stream,
                                .thread = NONE,
                                .priority = stream->priority};
        *track = session_add_track(intake->session, &row);
    }
    return *track;
}

uint32_t intake_stream_track(struct intake *intake, const struct event *event, uint32_t context,
                             uint32_t stream)
{
    struct intake_stream *there = intake_stream(intake, context, stream, true);
    return !there
               ? NONE
               : track_of(intake, there, &there->track, TRACK_STREAM, intake_device(intake, event->device));
}

uint32_t intake_replay_track(struct intake *intake, const struct event *event, uint32_t context,
                             uint32_t stream)
{
    struct intake_stream *there = intake_stream(intake, context, stream, true);
    return !there ? NONE
                  : track_of(intake, there, &there->replay_track, TRACK_MEASUREMENTS,
                             intake_device(intake, event->device));
}

/* ---- threads ---- */
struct intake_thread *intake_thread(struct intake *intake, uint32_t thread)
{
    if (intake->last_thread < intake->thread_count && intake->threads[intake->last_thread].thread == thread)
        return &intake->threads[intake->last_thread];
    uint32_t index = idmap_find(&intake->thread_ids, thread);
    if (index == IDMAP_NONE) {
        if (!array_grow(intake->threads, intake->thread_capacity, intake->thread_count, 1) ||
            !idmap_put(&intake->thread_ids, thread, intake->thread_count))
            return NULL;
        index = intake->thread_count++;
        intake->threads[index] = (struct intake_thread){.thread = thread, .oldest = NONE, .newest = NONE};
        for (size_t i = 0; i < TRACK_KIND_COUNT; i++)
            intake->threads[index].tracks[i] = NONE;
    }
    intake->last_thread = index;
    return &intake->threads[index];
}

uint32_t intake_thread_track(struct intake *intake, uint32_t thread, enum track_kind kind)
{
    struct intake_thread *there = intake_thread(intake, thread);
    if (!there)
        return NONE;
    if (there->tracks[kind] == NONE) {
        struct track_row row = {.kind = (uint8_t)kind,
                                .clock = intake->clock,
                                .process = intake->process,
                                .device = NONE,
                                .context = NONE,
                                .stream = NONE,
                                .thread = thread};
        there->tracks[kind] = session_add_track(intake->session, &row);
    }
    return there->tracks[kind];
}
