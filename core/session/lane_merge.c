/*
 * The cursors lie in a binary heap: no cursor comes before its parent at (i - 1) / 2. A lane whose events are
 * used up leaves the heap.
 */
#include "core/session/lane_merge.h"

#include "core/base/array.h"

#include <stdlib.h>

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
