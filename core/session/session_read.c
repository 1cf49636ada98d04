/* SPDX-License-Identifier: Apache-2.0 */
/* The readers' side of the session: any thread, no lock; everything below a published count stays as it is.
 */
#include "core/session/session_internal.h"

#include "core/base/array.h"
#include "core/session/lane.h"
#include "core/session/session_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- rows ---- */

#define SESSION_TABLE_DEFINE(noun)                                                                         \
    uint32_t session_##noun##_count(const struct session *session)                                         \
    {                                                                                                      \
        return table_count(&session->noun##_rows);                                                         \
    }                                                                                                      \
    const struct noun##_row *session_##noun(const struct session *session, uint32_t index)                 \
    {                                                                                                      \
        return index < table_count(&session->noun##_rows) ? table_at(&session->noun##_rows, index) : NULL; \
    }
SESSION_TABLE_LIST(SESSION_TABLE_DEFINE)
#undef SESSION_TABLE_DEFINE

uint32_t session_next_of_group(const struct session *session, uint32_t run)
{
    const struct run_row *row = session_run(session, run);
    uint32_t next = row ? atomic_load_explicit(&row->next_of_group, memory_order_acquire) : 0;
    return next - 1; /* NONE of 0 */
}

uint32_t session_lane_count(const struct session *session, uint32_t track)
{
    const struct track_row *row = session_track(session, track);
    return row ? atomic_load_explicit(&row->lane_count, memory_order_acquire) : 0;
}

int64_t session_start_ns(const struct session *session)
{
    return session->start_ns;
}

void session_set_start(struct session *session, int64_t start_ns)
{
    session->start_ns = start_ns;
}

const char *session_origin(const struct session *session)
{
    return session_string(session, session->origin);
}

const char *session_counting(const struct session *session)
{
    return session_string(session, session->counting);
}

const char *session_counting_options(const struct session *session)
{
    for (uint32_t i = 0; i < session_notice_count(session); i++)
        if (session_notice(session, i)->status == STATUS_PERMISSION)
            return "--device both";
    return "--runs trace,counters";
}

size_t session_memory_bytes(const struct session *session)
{
    return atomic_load_explicit(&session->memory_bytes, memory_order_relaxed) +
           atomic_load_explicit(&session->refilled_bytes, memory_order_relaxed);
}

uint32_t shape_shared_set_aside(const struct shape_row *shape)
{
    bool known = shape->static_shared_bytes > 0 && shape->dynamic_shared_bytes == 0;
    return known ? shape->shared_config_bytes : 0;
}

const char *session_string(const struct session *session, uint32_t string)
{
    if (string >= table_count(&session->strings))
        return "";
    return ((const struct string_row *)table_at(&session->strings, string))->text;
}

const struct lane *session_lane(const struct session *session, uint32_t track, uint32_t lane)
{
    if (track >= table_count(&session->track_rows))
        return NULL;
    const struct track *owner = table_at(&session->track_rows, track);
    return lane < table_count(&owner->lanes) ? table_at(&owner->lanes, lane) : NULL;
}

uint64_t session_lane_count_events(const struct session *session, uint32_t track, uint32_t lane)
{
    const struct lane *there = session_lane(session, track, lane);
    return !there ? 0 : lane_count(there);
}

int64_t session_event_start_ns(const struct session *session, struct event_ref ref)
{
    const struct lane *lane = session_lane(session, ref.track, ref.lane);
    return !lane || ref.index >= lane_count(lane) ? 0 : lane_start_ns(lane, ref.index);
}

int64_t session_event_end_ns(const struct session *session, struct event_ref ref)
{
    const struct lane *lane = session_lane(session, ref.track, ref.lane);
    return !lane || ref.index >= lane_count(lane)
               ? 0
               : lane_start_ns(lane, ref.index) + lane_duration_ns(lane, ref.index);
}

struct item session_event_item(const struct session *session, struct event_ref ref)
{
    const struct lane *lane = session_lane(session, ref.track, ref.lane);
    return !lane || ref.index >= lane_count(lane) ? (struct item){0} : lane_item(lane, ref.index);
}

bool session_event(const struct session *session, struct event_ref ref, int64_t *start_ns, int64_t *end_ns,
                   struct item *item)
{
    const struct lane *lane = session_lane(session, ref.track, ref.lane);
    if (!lane || ref.index >= lane_count(lane))
        return false;
    lane_event(lane, ref.index, start_ns, end_ns, item);
    return true;
}

uint64_t session_lane_find(const struct session *session, uint32_t track, uint32_t lane, int64_t time_ns)
{
    const struct lane *there = session_lane(session, track, lane);
    if (!there)
        return 0;
    uint64_t count = lane_count(there);
    if (time_ns == INT64_MAX)
        return count;
    /* Only the last event that starts at time_ns or before can end after it. */
    uint64_t later = lane_find_start(there, count, time_ns + 1);
    if (later > 0 && lane_start_ns(there, later - 1) + lane_duration_ns(there, later - 1) > time_ns)
        return later - 1;
    return later;
}

int64_t session_now_ns(const struct session *session, enum clock_kind clock)
{
    return atomic_load_explicit(&session->now_ns[clock], memory_order_relaxed);
}

int64_t session_first_ns(const struct session *session, enum clock_kind clock)
{
    int64_t first_ns = atomic_load_explicit(&session->first_ns[clock], memory_order_relaxed);
    return first_ns == INT64_MAX ? 0 : first_ns;
}

uint64_t session_event_count(const struct session *session)
{
    return atomic_load_explicit(&session->events, memory_order_relaxed);
}

uint64_t session_launch_count(const struct session *session)
{
    return atomic_load_explicit(&session->launches, memory_order_relaxed);
}

void session_lost(const struct session *session, struct session_lost *lost)
{
    *lost = (struct session_lost){
        .late = atomic_load_explicit(&session->late, memory_order_relaxed),
        .refused = atomic_load_explicit(&session->refused, memory_order_relaxed),
        .no_memory = atomic_load_explicit(&session->no_memory, memory_order_relaxed),
        .dropped = atomic_load_explicit(&session->dropped, memory_order_relaxed),
        .told = atomic_load_explicit(&session->told, memory_order_relaxed),
    };
}

const char *track_kind_text(enum track_kind kind)
{
#define TRACK_TEXT(name, text) [TRACK_##name] = text,
    static const char *const texts[TRACK_KIND_COUNT] = {TRACK_KIND_LIST(TRACK_TEXT)};
#undef TRACK_TEXT
    return (unsigned)kind < TRACK_KIND_COUNT ? texts[kind] : "unknown";
}

const char *item_kind_text(uint8_t kind)
{
#define ITEM_TEXT(name, text) [ITEM_##name] = text,
    static const char *const texts[] = {ITEM_KIND_LIST(ITEM_TEXT)};
#undef ITEM_TEXT
    return kind < sizeof texts / sizeof *texts ? texts[kind] : "other";
}

void session_track_name(const struct session *session, uint32_t track, char *text, size_t size_bytes)
{
    const struct track_row *row = session_track(session, track);
    if (!row) {
        snprintf(text, size_bytes, "no track");
        return;
    }
    switch (row->kind) {
    case TRACK_STREAM:
        if ((row->flags & STREAM_DEFAULT) != 0)
            snprintf(text, size_bytes, "default stream");
        else if ((row->flags & STREAM_PER_THREAD) != 0)
            snprintf(text, size_bytes, "per-thread stream %" PRIu32, row->stream);
        else
            snprintf(text, size_bytes, "stream %" PRIu32, row->stream);
        break;
    case TRACK_COPY_ENGINE: snprintf(text, size_bytes, "%s", copy_kind_copies(row->copy_kind)); break;
    case TRACK_CALLS: snprintf(text, size_bytes, "calls of thread %" PRIu32, row->thread); break;
    case TRACK_RANGES: snprintf(text, size_bytes, "ranges of thread %" PRIu32, row->thread); break;
    case TRACK_SYNCS: snprintf(text, size_bytes, "waits of thread %" PRIu32, row->thread); break;
    case TRACK_OVERHEAD: snprintf(text, size_bytes, "overhead in thread %" PRIu32, row->thread); break;
    case TRACK_MEASUREMENTS: snprintf(text, size_bytes, "replay of stream %" PRIu32, row->stream); break;
    default: snprintf(text, size_bytes, "track %" PRIu32, track); break;
    }
}

/* ---- a walk over the events ---- */

/*
 * Which events are a run's, and the walk over them. Evicted events come in blocks of
 * SESSION_FOLD_EVENTS, of which only the start is exact; the block may have held events of any kind, until
 * the next one starts. So a walk that meets one continues behind its block.
 */

struct run_scope run_scope_of(const struct session *session, uint32_t run)
{
    struct run_scope scope = {.session = session,
                              .row = run == NONE ? NULL : session_run(session, run),
                              .run = NONE,
                              .start_ns = INT64_MIN,
                              .end_ns = INT64_MAX};
    if (scope.row) {
        int64_t end_ns = atomic_load_explicit(&scope.row->end_ns, memory_order_acquire);
        scope.run = run;
        scope.start_ns = scope.row->start_ns;
        scope.end_ns = end_ns == INT64_MIN ? INT64_MAX : end_ns;
    }
    scope.from_ns = scope.start_ns;
    scope.until_ns = scope.end_ns;
    if (scope.row) {
        int64_t first_ns = atomic_load_explicit(&scope.row->first_launch_ns, memory_order_relaxed);
        int64_t last_ns = atomic_load_explicit(&scope.row->last_launch_ns, memory_order_relaxed);
        scope.from_ns = first_ns < scope.from_ns ? first_ns : scope.from_ns;
        scope.until_ns = last_ns >= scope.until_ns ? last_ns + 1 : scope.until_ns;
    }
    return scope;
}

uint8_t run_scope_clock(const struct run_scope *scope)
{
    if (scope->row)
        return scope->row->clock;
    uint32_t tracks = session_track_count(scope->session);
    for (uint32_t i = 0; i < tracks; i++)
        if (session_track(scope->session, i)->clock == CLOCK_WALL)
            return CLOCK_WALL;
    return CLOCK_MODEL;
}

bool run_scope_has_track(const struct run_scope *scope, const struct track_row *track)
{
    return !scope->row || (track->process == scope->row->process && track->clock == scope->row->clock);
}

bool run_scope_has_event(const struct run_scope *scope, const struct item *item, int64_t start_ns)
{
    if (!scope->row)
        return true;
    const struct kernel_row *kernel =
        item->kind == ITEM_LAUNCH ? session_kernel(scope->session, item->launch.kernel) : NULL;
    if (kernel)
        return kernel->run == scope->run;
    return start_ns >= scope->start_ns && start_ns < scope->end_ns;
}

static bool is_folded(const struct lane *lane, uint64_t index)
{
    return (lane_item(lane, index).flags & ITEM_FOLDED) != 0;
}

uint64_t run_scope_first(const struct run_scope *scope, uint32_t track, uint32_t lane)
{
    const struct lane *there = session_lane(scope->session, track, lane);
    if (!there || !scope->row)
        return 0;
    uint64_t index = session_lane_find(scope->session, track, lane, scope->from_ns),
             count = lane_count(there);
    /* The block before is folded, and its events may start up to the start of this one. */
    if (index > 0 && (index >= count || lane_start_ns(there, index) > scope->from_ns) &&
        is_folded(there, index - 1))
        index--;
    return index < count && is_folded(there, index) ? index - index % SESSION_FOLD_EVENTS : index;
}

struct walking {
    const struct walk *walk;
    struct run_scope scope;
    walk_visitor *visit;
    void *context;
    bool whole;
};

/* False: the visitor wants no more. */
static bool walk_lane(struct walking *walking, struct walk_event *event)
{
    const struct run_scope *scope = &walking->scope;
    const struct lane *lane = session_lane(scope->session, event->ref.track, event->ref.lane);
    uint64_t count = lane_count(lane), *index = &event->ref.index;
    for (*index = run_scope_first(scope, event->ref.track, event->ref.lane); *index < count; ++*index) {
        lane_event(lane, *index, &event->start_ns, &event->end_ns, &event->item);
        if (event->start_ns >= scope->until_ns)
            break;
        if (event->item.flags & ITEM_FOLDED) {
            walking->whole = false;
            uint64_t end = lane_folded_end(lane, *index);
            *index = end > *index ? end - 1 : *index; /* it may have been refilled meanwhile */
        } else if ((walking->walk->items == 0 || (walking->walk->items >> event->item.kind & 1u) != 0) &&
                   run_scope_has_event(scope, &event->item, event->start_ns) &&
                   !walking->visit(walking->context, event)) {
            return false;
        }
    }
    return true;
}

bool session_walk(const struct session *session, const struct walk *walk, walk_visitor *visit, void *context)
{
    struct walking walking = {.walk = walk,
                              .scope = run_scope_of(session, walk->run),
                              .visit = visit,
                              .context = context,
                              .whole = true};
    uint32_t tracks = session_track_count(session);
    for (uint32_t track = 0; track < tracks; track++) {
        struct walk_event event = {.track = session_track(session, track)};
        if ((walk->tracks >> event.track->kind & 1u) == 0 ||
            !run_scope_has_track(&walking.scope, event.track))
            continue;
        uint32_t lanes = atomic_load_explicit(&event.track->lane_count, memory_order_acquire);
        event.ref.track = track;
        for (event.ref.lane = 0; event.ref.lane < lanes; event.ref.lane++)
            if (!walk_lane(&walking, &event))
                return walking.whole;
    }
    return walking.whole;
}

uint64_t session_walk_events(const struct session *session, const struct walk *walk)
{
    const struct run_scope scope = run_scope_of(session, walk->run);
    uint64_t events = 0;
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        if ((walk->tracks >> row->kind & 1u) == 0 || !run_scope_has_track(&scope, row))
            continue;
        uint32_t lanes = atomic_load_explicit(&row->lane_count, memory_order_acquire);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint64_t first = run_scope_first(&scope, track, lane),
                     end = session_lane_find(session, track, lane, scope.until_ns);
            events += end > first ? end - first : 0;
        }
    }
    return events;
}

/* ---- lanes in the order of time ---- */

/*
 * The cursors lie in a binary heap: no cursor comes before its parent at (i - 1) / 2. A lane whose events are
 * used up leaves the heap.
 */

bool lane_cursor_load(struct lane_cursor *cursor, const struct session *session, int64_t until_ns)
{
    if (cursor->ref.index >= cursor->count)
        return false;
    session_event(session, cursor->ref, &cursor->start_ns, &cursor->end_ns, &cursor->item);
    return cursor->start_ns < until_ns;
}

static bool cursor_before(const struct lane_cursor *a, const struct lane_cursor *b)
{
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns;
    if (a->end_ns != b->end_ns)
        return a->end_ns < b->end_ns;
    return a->ref.track != b->ref.track ? a->ref.track < b->ref.track : a->ref.lane < b->ref.lane;
}

/* Moves the cursor at `at` down to its place in the heap. */
static void cursor_sink(struct lane_merge *heap, size_t at)
{
    struct lane_cursor cursor = heap->items[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && cursor_before(&heap->items[child + 1], &heap->items[child]))
            child++;
        if (!cursor_before(&heap->items[child], &cursor))
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = cursor;
}

bool lane_merge_add(struct lane_merge *merge, uint32_t track, uint32_t lane, uint64_t first)
{
    struct lane_cursor cursor = {.ref = {track, lane, first},
                                 .count = session_lane_count_events(merge->session, track, lane)};
    if (!lane_cursor_load(&cursor, merge->session, merge->until_ns))
        return true;
    if (!array_grow(merge->items, merge->capacity, merge->count, 1))
        return false;
    merge->items[merge->count++] = cursor;
    return true;
}

bool lane_merge_add_streams(struct lane_merge *merge, const struct run_scope *scope, int64_t from_ns)
{
    uint32_t tracks = session_track_count(merge->session);
    uint8_t clock = run_scope_clock(scope);
    for (uint32_t track = 0; track < tracks; track++) {
        const struct track_row *row = session_track(merge->session, track);
        if (row->kind != TRACK_STREAM || row->clock != clock || !run_scope_has_track(scope, row))
            continue;
        uint32_t lanes = session_lane_count(merge->session, track);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint64_t first = run_scope_first(scope, track, lane);
            if (from_ns > scope->from_ns) {
                uint64_t in_range = session_lane_find(merge->session, track, lane, from_ns);
                first = in_range > first ? in_range : first;
            }
            if (!lane_merge_add(merge, track, lane, first))
                return false;
        }
    }
    return true;
}

void lane_merge_begin(struct lane_merge *merge)
{
    for (size_t at = merge->count / 2; at-- > 0;)
        cursor_sink(merge, at);
}

void lane_merge_next(struct lane_merge *merge)
{
    struct lane_cursor *first = &merge->items[0];
    first->ref.index++;
    if (!lane_cursor_load(first, merge->session, merge->until_ns))
        *first = merge->items[--merge->count];
    if (merge->count > 0)
        cursor_sink(merge, 0);
}

void lane_merge_fini(struct lane_merge *merge)
{
    free(merge->items);
    *merge = (struct lane_merge){0};
}
