/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path is walked from its end. `until_ns` is the time before which nothing is known yet: what holds a thing
 * may end after it began (it left room for it, or a measured time is early), so each part is cut there, and
 * parts never overlap.
 */
#include "core/replay/replay_path.h"

#include "core/base/array.h"
#include "core/replay/replay_internal.h"

#include <stdlib.h>

const char *replay_part_text(enum replay_part part)
{
#define PART_TEXT(id, text) [REPLAY_PART_##id] = text,
    static const char *const texts[REPLAY_PARTS] = {REPLAY_PART_LIST(PART_TEXT)};
    return texts[part];
}

/* ---- the trace ---- */

void replay_trace_free(struct replay *replay)
{
    struct replay_trace *trace = replay->trace;
    if (!trace)
        return;
    free(trace->starts_ns);
    free(trace->call_starts_ns);
    free(trace->call_ends_ns);
    free(trace->from);
    free(trace->call_from);
    free(trace);
    replay->trace = NULL;
}

enum status replay_keep_trace(struct replay *replay, struct error *error)
{
    struct replay_trace *trace = replay->trace ? replay->trace : calloc(1, sizeof *trace);
    size_t operations = replay->operation_count + 1, calls = replay->call_count + 1;
    if (!trace || replay->trace)
        return trace ? STATUS_OK : error_no_memory(error, "to trace a replay");
    replay->trace = trace;
    trace->starts_ns = calloc(operations, sizeof *trace->starts_ns);
    trace->from = calloc(operations, sizeof *trace->from);
    trace->call_starts_ns = calloc(calls, sizeof *trace->call_starts_ns);
    trace->call_ends_ns = calloc(calls, sizeof *trace->call_ends_ns);
    trace->call_from = calloc(calls, sizeof *trace->call_from);
    if (trace->starts_ns && trace->from && trace->call_starts_ns && trace->call_ends_ns && trace->call_from)
        return STATUS_OK;
    replay_trace_free(replay);
    return error_no_memory(error, "to trace a replay");
}

/* ---- the walk ---- */

struct path_walk {
    const struct replay *replay;
    uint32_t *stream_tracks, *thread_tracks;
    size_t first, end; /* calls */
    int64_t begin_ns, until_ns;
    replay_path_visit *visit;
    void *context;
};

static void add_part(struct path_walk *walk, int64_t start_ns, enum replay_part part, uint32_t track,
                     uint32_t at)
{
    start_ns = start_ns < walk->begin_ns ? walk->begin_ns : start_ns;
    if (start_ns >= walk->until_ns)
        return;
    walk->visit(walk->context, &(struct replay_segment){start_ns, walk->until_ns, track, at, (uint8_t)part});
    walk->until_ns = start_ns;
}

static enum replay_part part_of(const struct replay_operation *operation)
{
    return operation->kind <= REPLAY_GRAPH ? REPLAY_PART_KERNEL
           : operation->kind == REPLAY_SET ? REPLAY_PART_SET
                                           : REPLAY_PART_COPY;
}

/* The call that hands over to this one; NONE. */
static uint32_t hand_to(const struct replay *replay, size_t call)
{
    size_t low = 0, high = replay->hand_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (replay->hands[middle].to < call)
            low = middle + 1;
        else
            high = middle;
    }
    return low < replay->hand_count && replay->hands[low].to == call ? replay->hands[low].from : NONE;
}

/* The call that this one began after: that of its thread before it, or the one that handed over. */
static uint32_t call_before(const struct replay *replay, size_t at)
{
    uint16_t thread = replay->calls[at].thread;
    size_t before = at;
    while (before > 0 && replay->calls[before - 1].thread != thread)
        before--;
    uint32_t own = before > 0 ? (uint32_t)(before - 1) : NONE, hand = hand_to(replay, at);
    if (hand == NONE || own == NONE)
        return hand == NONE ? own : hand;
    return replay->trace->call_ends_ns[own] > replay->trace->call_ends_ns[hand] ? own : hand;
}

/* What is walked to next: an operation, or a call from its end or, with `begun`, from its begin. */
struct place {
    bool operation, begun;
    uint32_t at; /* NONE: the path has begun */
};

static struct place walk_operation(struct path_walk *walk, uint32_t at)
{
    const struct replay *replay = walk->replay;
    const struct replay_trace *trace = replay->trace;
    const struct replay_operation *operation = &replay->operations[at];
    uint32_t from = trace->from[at];
    add_part(walk, trace->starts_ns[at], part_of(operation), walk->stream_tracks[operation->stream], at);
    if (from < at) {
        add_part(walk, replay->ends_ns[from], REPLAY_PART_DELAY, NONE, NONE);
        return (struct place){.operation = true, .at = from};
    }
    uint32_t thread = replay->calls[operation->call].thread;
    add_part(walk, trace->call_ends_ns[operation->call], REPLAY_PART_DELAY, NONE, NONE);
    add_part(walk, trace->call_starts_ns[operation->call], REPLAY_PART_CALL, walk->thread_tracks[thread],
             operation->call);
    return (struct place){.begun = true, .at = operation->call};
}

static struct place walk_call(struct path_walk *walk, uint32_t at, bool begun)
{
    const struct replay *replay = walk->replay;
    const struct replay_trace *trace = replay->trace;
    uint32_t track = walk->thread_tracks[replay->calls[at].thread], from = trace->call_from[at];
    if (!begun && from != NONE) {
        add_part(walk, replay->ends_ns[from], REPLAY_PART_RETURN, track, at);
        return (struct place){.operation = true, .at = from};
    }
    add_part(walk, trace->call_starts_ns[at], REPLAY_PART_CALL, track, at);
    uint32_t before = call_before(replay, at);
    add_part(walk, before == NONE ? walk->begin_ns : trace->call_ends_ns[before], REPLAY_PART_GAP, track, at);
    return (struct place){.at = before};
}

/* The operation or call of the loop that ends last. */
static struct place last_place(struct path_walk *walk)
{
    const struct replay *replay = walk->replay;
    struct place place = {.at = NONE};
    walk->until_ns = INT64_MIN;
    for (size_t at = walk->first; at < walk->end; at++) {
        for (uint32_t i = replay->calls[at].operations; i < replay_operations_end(replay, at); i++)
            if (replay->ends_ns[i] > walk->until_ns) {
                walk->until_ns = replay->ends_ns[i];
                place = (struct place){.operation = true, .at = i};
            }
        if (replay->trace->call_ends_ns[at] > walk->until_ns) {
            walk->until_ns = replay->trace->call_ends_ns[at];
            place = (struct place){.at = (uint32_t)at};
        }
    }
    return place;
}

bool replay_find_tracks(const struct replay *replay, uint32_t **streams, uint32_t **threads)
{
    uint32_t *of_streams = *streams = malloc((replay->stream_count + 1) * sizeof **streams);
    uint32_t *of_threads = *threads = malloc((replay->thread_count + 1) * sizeof **threads);
    if (!of_streams || !of_threads)
        return false;
    for (size_t i = 0; i < replay->stream_count; i++)
        of_streams[i] = NONE;
    for (size_t i = 0; i < replay->thread_count; i++)
        of_threads[i] = NONE;
    for (uint32_t row = session_track_count(replay->session); row-- > 0;) {
        const struct track_row *track = session_track(replay->session, row);
        for (size_t i = 0; track->kind == TRACK_STREAM && i < replay->stream_count; i++)
            if (replay->streams[i].process == track->process && replay->streams[i].stream == track->stream &&
                replay->contexts[replay->streams[i].context].context == track->context)
                of_streams[i] = row;
        for (size_t i = 0; track->kind == TRACK_CALLS && i < replay->thread_count; i++)
            if (replay->threads[i].process == track->process && replay->threads[i].thread == track->thread)
                of_threads[i] = row;
    }
    return true;
}

static enum status walk_path(const struct replay *replay, struct path_walk *walk, struct error *error)
{
    if (!replay->trace)
        return error_set(error, STATUS_STATE, "The replay kept no trace.");
    bool found = replay_find_tracks(replay, &walk->stream_tracks, &walk->thread_tracks);
    walk->begin_ns = replay->calls[walk->first].start_ns;
    struct place place = last_place(walk);
    while (found && place.at != NONE && walk->until_ns > walk->begin_ns)
        place = place.operation ? walk_operation(walk, place.at) : walk_call(walk, place.at, place.begun);
    free(walk->stream_tracks);
    free(walk->thread_tracks);
    return found ? STATUS_OK : error_no_memory(error, "for the critical path");
}

enum status replay_path_walk(const struct replay *replay, replay_path_visit *visit, void *context,
                             struct error *error)
{
    struct path_walk walk = {.replay = replay,
                             .first = replay->first_call,
                             .end = replay->end_call,
                             .visit = visit,
                             .context = context};
    return walk_path(replay, &walk, error);
}

enum status replay_path_walk_all(struct replay *replay, replay_path_visit *visit, void *context,
                                 struct error *error)
{
    struct path_walk walk = {.replay = replay,
                             .first = replay->whole_first,
                             .end = replay->whole_end,
                             .visit = visit,
                             .context = context};
    replay->traces_whole = true;
    if (!replay->trace_is_whole)
        replay_go(replay, &replay_as_measured, replay->whole_end, replay->whole_end);
    replay->trace_is_whole = replay->trace != NULL;
    replay->traces_whole = false;
    return walk_path(replay, &walk, error);
}

/* ---- kept ---- */

struct keeping {
    struct replay_path *path;
    size_t room;
    bool no_memory;
};

static void keep_segment(void *context, const struct replay_segment *segment)
{
    struct keeping *keeping = context;
    struct replay_path *path = keeping->path;
    keeping->no_memory |= !array_grow(path->segments, keeping->room, path->count, 1);
    if (keeping->no_memory)
        return;
    path->segments[path->count++] = *segment;
    path->ns[segment->part] += segment->end_ns - segment->start_ns;
}

static void reverse_segments(struct replay_path *path)
{
    for (size_t i = 0; i < path->count / 2; i++) {
        struct replay_segment segment = path->segments[i];
        path->segments[i] = path->segments[path->count - 1 - i];
        path->segments[path->count - 1 - i] = segment;
    }
}

enum status replay_path_make(const struct replay *replay, struct replay_path *path, struct error *error)
{
    struct keeping keeping = {.path = path};
    *path = (struct replay_path){0};
    enum status status = replay_path_walk(replay, keep_segment, &keeping, error);
    if (status == STATUS_OK && keeping.no_memory)
        status = error_no_memory(error, "for the critical path");
    if (status != STATUS_OK)
        replay_path_fini(path);
    reverse_segments(path);
    return status;
}

void replay_run_measured(struct replay *replay)
{
    replay_go(replay, &replay_as_measured, replay->end_call, replay->end_call);
}

void replay_path_fini(struct replay_path *path)
{
    free(path->segments);
    *path = (struct replay_path){0};
}
