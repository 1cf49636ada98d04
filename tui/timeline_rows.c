/*
 * Which tracks the timeline shows, in which order, and how far their work reaches. The cost follows tracks
 * and lanes, not events.
 */
#include "tui/screen.h"

#include <stdlib.h>

void *array_reserve(void *array, size_t *capacity, size_t count, size_t size_bytes)
{
    if (array != NULL && count <= *capacity)
        return array;
    size_t wanted = *capacity < 64 ? 64 : *capacity;
    while (wanted < count)
        wanted *= 2;
    void *grown = realloc(array, wanted * size_bytes);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

enum clock_kind timeline_clock(const struct screen *screen)
{
    uint32_t run = screen->timeline.run;
    return run != NONE ? session_run(screen->session, run)->clock : CLOCK_WALL;
}

/* The time in which the shown run's work lies: its own for a workload, all for a program. */
static struct window bounds_of(const struct screen *screen)
{
    const struct timeline *timeline = &screen->timeline;
    enum clock_kind clock = timeline_clock(screen);
    int64_t end = screen->now_ns[clock] > 0 ? screen->now_ns[clock] : 1;
    if (timeline->run != NONE) {
        const struct run_row *run = session_run(screen->session, timeline->run);
        int64_t run_end = atomic_load_explicit(&run->end_ns, memory_order_relaxed);
        if (run->workload != 0)
            return axis_make(run->start_ns, run_end == INT64_MIN ? end : run_end);
    }
    return axis_make(session_first_ns(screen->session, clock), end);
}

static bool in_scope(const struct screen *screen, const struct track_row *track)
{
    const struct timeline *timeline = &screen->timeline;
    bool cpu = track->kind == TRACK_CALLS || track->kind == TRACK_SYNCS || track->kind == TRACK_OVERHEAD;
    if (cpu && !timeline->cpu_rows)
        return false;
    if (timeline->run == NONE)
        return true;
    const struct run_row *run = session_run(screen->session, timeline->run);
    if (track->clock != run->clock)
        return false;
    if (run->workload != 0)
        return track->process == run->process;
    return session_process(screen->session, track->process)->mode == run->mode;
}

/* Whether the track has events in the bounds; widens the extent by them. */
static bool has_events(const struct session *session, uint32_t track, struct window bounds,
                       struct window *extent)
{
    uint32_t lanes = atomic_load_explicit(&session_track(session, track)->lane_count, memory_order_acquire);
    bool found = false;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint64_t count = session_lane_count_events(session, track, lane);
        struct event_ref first = {track, lane, session_lane_find(session, track, lane, bounds.start_ns - 1)};
        if (first.index >= count)
            continue;
        int64_t start = session_event_start_ns(session, first);
        if (start >= bounds.end_ns)
            continue;
        struct event_ref last = {track, lane, session_lane_find(session, track, lane, bounds.end_ns)};
        if (last.index >= count || session_event_start_ns(session, last) >= bounds.end_ns)
            last.index = last.index == 0 ? 0 : last.index - 1;
        int64_t end = session_event_end_ns(session, last);
        if (!found && extent->start_ns > extent->end_ns)
            *extent = (struct window){start, end};
        extent->start_ns = start < extent->start_ns ? start : extent->start_ns;
        extent->end_ns = end > extent->end_ns ? end : extent->end_ns;
        found = true;
    }
    return found;
}

static bool has_open_launch(const struct timeline *timeline, uint32_t track)
{
    for (size_t i = 0; i < timeline->open_count; i++)
        if (timeline->open[i].track == track)
            return true;
    return false;
}

static int compare_rows(const void *a, const void *b)
{
    const struct timeline_row *left = a, *right = b;
    if (left->order != right->order)
        return left->order < right->order ? -1 : 1;
    return left->track < right->track ? -1 : left->track > right->track;
}

size_t timeline_rows_make(struct screen *screen)
{
    static const uint8_t rank[TRACK_KIND_COUNT] = {
        [TRACK_RANGES] = 0, [TRACK_STREAM] = 1, [TRACK_COPY_ENGINE] = 2, [TRACK_MEASUREMENTS] = 3,
        [TRACK_CALLS] = 4,  [TRACK_SYNCS] = 5,  [TRACK_OVERHEAD] = 6,
    };
    struct timeline *timeline = &screen->timeline;
    struct window bounds = bounds_of(screen), extent = {1, 0};
    uint32_t tracks = session_track_count(screen->session);
    size_t count = 0;
    void *rows = array_reserve(timeline->rows, &timeline->row_capacity, tracks, sizeof *timeline->rows);
    if (rows == NULL)
        return 0;
    timeline->rows = rows;
    for (uint32_t track = 0; track < tracks; track++) {
        const struct track_row *row = session_track(screen->session, track);
        if (!in_scope(screen, row))
            continue;
        if (!has_events(screen->session, track, bounds, &extent) && !has_open_launch(timeline, track))
            continue;
        uint64_t place =
            (uint64_t)(row->process & 0xffff) << 40 | (uint64_t)(row->context & 0xff) << 32 | row->stream;
        timeline->rows[count++] =
            (struct timeline_row){.order = (uint64_t)rank[row->kind] << 60 | place, .track = track};
    }
    qsort(timeline->rows, count, sizeof *timeline->rows, compare_rows);
    timeline->extent = extent.start_ns <= extent.end_ns ? axis_make(extent.start_ns, extent.end_ns) : bounds;
    return count;
}

struct window timeline_extent(const struct screen *screen)
{
    struct window extent = screen->timeline.extent;
    int64_t margin = (extent.end_ns - extent.start_ns) / 50;
    return axis_make(extent.start_ns - margin, extent.end_ns + margin);
}

void timeline_fini(struct timeline *timeline)
{
    free(timeline->rows);
    free(timeline->cells);
    free(timeline->scratch);
    free(timeline->minimap);
    *timeline = (struct timeline){0};
}
