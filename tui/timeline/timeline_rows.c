/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tracks the timeline shows, in which order, and the extent of their work. The cost follows tracks and
 * lanes, not events. The user's choices are kept by track.
 */
#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"

#include <stdlib.h>

/* The time range of the shown run's work: its own for a workload, everything for a program. */
static struct window bounds_of(const struct screen *screen)
{
    enum clock_kind clock = screen_clock(screen);
    int64_t end = screen->now_ns[clock] > 0 ? screen->now_ns[clock] : 1;
    const struct run_row *run = session_run(screen->session, screen->run);
    if (run) {
        int64_t run_end = atomic_load_explicit(&run->end_ns, memory_order_relaxed);
        if (run->workload != 0)
            return axis_make(run->start_ns, run_end == INT64_MIN ? end : run_end);
    }
    return axis_make(session_first_ns(screen->session, clock), end);
}

static bool is_of_cpu(const struct track_row *track)
{
    return track->kind == TRACK_CALLS || track->kind == TRACK_SYNCS || track->kind == TRACK_OVERHEAD;
}

static bool in_scope(const struct screen *screen, const struct track_row *track)
{
    const struct timeline *timeline = timeline_state(screen);
    if (is_of_cpu(track) && !timeline->cpu_rows)
        return false;
    if (screen->run == NONE)
        return true;
    const struct run_row *run = session_run(screen->session, screen->run);
    if (track->clock != run->clock)
        return false;
    if (run->workload != 0)
        return track->process == run->process;
    return session_process(screen->session, track->process)->mode == run->mode;
}

/* Does the lane have events in the bounds? Widens the extent by them. */
static bool lane_has_events(const struct session *session, uint32_t track, uint32_t lane,
                            struct window bounds, struct window *extent)
{
    uint64_t count = session_lane_count_events(session, track, lane);
    struct event_ref first = {track, lane, session_lane_find(session, track, lane, bounds.start_ns - 1)};
    if (first.index >= count)
        return false;
    int64_t start = session_event_start_ns(session, first);
    if (start >= bounds.end_ns)
        return false;
    struct event_ref last = {track, lane, session_lane_find(session, track, lane, bounds.end_ns)};
    if (last.index >= count || session_event_start_ns(session, last) >= bounds.end_ns)
        last.index = last.index == 0 ? 0 : last.index - 1;
    int64_t end = session_event_end_ns(session, last);
    if (extent->start_ns > extent->end_ns)
        *extent = (struct window){start, end};
    extent->start_ns = start < extent->start_ns ? start : extent->start_ns;
    extent->end_ns = end > extent->end_ns ? end : extent->end_ns;
    return true;
}

static bool has_open_launch(const struct timeline *timeline, uint32_t track)
{
    for (size_t i = 0; i < timeline->open_count; i++)
        if (timeline->open[i].track == track)
            return true;
    return false;
}

uint32_t timeline_cpu_tracks(const struct screen *screen, uint32_t *first)
{
    struct window bounds = bounds_of(screen), extent = {1, 0};
    uint32_t tracks = session_track_count(screen->session), count = 0;
    *first = NONE;
    for (uint32_t track = 0; track < tracks; track++) {
        const struct track_row *row = session_track(screen->session, track);
        if (!is_of_cpu(row) || !in_scope(screen, row))
            continue;
        uint32_t lane = 0, lanes = atomic_load_explicit(&row->lane_count, memory_order_acquire);
        while (lane < lanes && !lane_has_events(screen->session, track, lane, bounds, &extent))
            lane++;
        count += lane < lanes;
        if (lane < lanes && (*first == NONE || row->kind == TRACK_CALLS))
            *first = track;
    }
    return count;
}

static int compare_rows(const void *a, const void *b)
{
    const struct timeline_row *left = a, *right = b;
    if (left->pinned != right->pinned)
        return left->pinned ? -1 : 1;
    for (int i = 0; i < 3; i++)
        if (left->place[i] != right->place[i])
            return left->place[i] < right->place[i] ? -1 : 1;
    if (left->track != right->track)
        return left->track < right->track ? -1 : 1;
    if (left->chart != right->chart)
        return left->chart < right->chart ? -1 : 1;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return left->lane < right->lane ? -1 : left->lane > right->lane;
}

struct row_choice timeline_choice_of(const struct screen *screen, enum row_kind kind, uint32_t id)
{
    const struct row_choices *choices = &timeline_state(screen)->choices[kind];
    return id < choices->count ? choices->list[id] : (struct row_choice){0};
}

/* Nested ranges have few levels; a track with more lanes has ranges that overlap in other ways. */
#define NESTED_MOST 8u

bool timeline_is_unfolded(const struct screen *screen, uint32_t track)
{
    const struct track_row *row = session_track(screen->session, track);
    uint32_t lanes = atomic_load_explicit(&row->lane_count, memory_order_acquire);
    switch ((enum row_fold)timeline_choice_of(screen, ROW_TRACK, track).fold) {
    case FOLD_FOLDED: return false;
    case FOLD_UNFOLDED: return lanes > 1;
    case FOLD_USUAL: break;
    }
    return row->kind == TRACK_RANGES && lanes > 1 && lanes <= NESTED_MOST;
}

static bool is_hidden(const struct screen *screen, uint32_t track)
{
    const struct track_row *row = session_track(screen->session, track);
    return timeline_choice_of(screen, ROW_TRACK, track).hidden ||
           timeline_choice_of(screen, ROW_DEVICE, row->device).hidden ||
           timeline_choice_of(screen, ROW_PROCESS, row->process).hidden;
}

static bool add_member(struct timeline_groups *groups, uint32_t track, const struct track_row *row)
{
    if (!array_grow(groups->members, groups->capacity, groups->count, 1))
        return false;
    groups->members[groups->count++] =
        (struct timeline_member){.track = track, .device = row->device, .process = row->process};
    return true;
}

/* Adds the track's rows if it is visible; false: out of memory. */
static bool add_rows(struct screen *screen, uint32_t track, struct window bounds, struct window *extent,
                     size_t *count)
{
    struct timeline *timeline = timeline_state(screen);
    const struct track_row *row = session_track(screen->session, track);
    uint32_t lanes = atomic_load_explicit(&row->lane_count, memory_order_acquire);
    bool hidden = is_hidden(screen, track);
    struct timeline_row made = {.track = track, .lane = NONE, .chart = NONE};
    bool unfolded = timeline_is_unfolded(screen, track), busy = has_open_launch(timeline, track);
    bool shown = !hidden && timeline_filter_keeps_track(&timeline->filter, row);
    bool own = shown && !timeline_is_folded_away(screen, row->device, row->process);
    if (!array_grow(timeline->rows, timeline->row_capacity, *count + lanes, 1))
        return false;
    timeline_place(screen, track, &made);
    if (made.pinned)
        own = shown;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        if (!lane_has_events(screen->session, track, lane, bounds, extent))
            continue;
        busy = true;
        made.lane = lane;
        if (unfolded && own)
            timeline->rows[(*count)++] = made;
    }
    made.lane = NONE;
    if (busy && own && !unfolded)
        timeline->rows[(*count)++] = made;
    timeline->hidden += busy && hidden;
    return !busy || !shown || add_member(&timeline->groups, track, row);
}

/* Pinned rows take lines from the others, at most half of them; the selected row stays visible below them. */
static void keep_pinned(struct timeline *timeline)
{
    struct list *list = &timeline->rows_list;
    timeline->pinned = 0;
    while (timeline->pinned < list->count && timeline->rows[timeline->pinned].pinned &&
           timeline->pinned < list->height / 2)
        timeline->pinned++;
    if (list->selected >= timeline->pinned && list->selected < list->top + timeline->pinned)
        list->top = list->selected - timeline->pinned;
}

int timeline_row_of_line(const struct screen *screen, int line)
{
    const struct timeline *timeline = timeline_state(screen);
    int row = line < timeline->pinned ? line : timeline->rows_list.top + line;
    return line < 0 || line >= timeline->rows_list.height || row >= timeline->rows_list.count ? -1 : row;
}

static bool is_wanted(const struct timeline *timeline, const struct timeline_row *row)
{
    if (row->kind == ROW_TRACK)
        return timeline->select_track != NONE && row->track == timeline->select_track;
    return timeline->select_group != NONE && row->kind == timeline->select_kind &&
           (row->kind == ROW_CHART ? row->chart : row->group) == timeline->select_group;
}

static void select_wanted(struct timeline *timeline)
{
    for (int i = 0; i < timeline->rows_list.count; i++) {
        if (is_wanted(timeline, &timeline->rows[i])) {
            struct list *list = &timeline->rows_list;
            if (i >= list->top + list->height) /* so that rows below it are visible, too */
                list_select(list, i + list->height / 2);
            list_select(list, i);
            break;
        }
    }
    timeline->select_track = timeline->select_group = NONE;
}

/* Rows are added and removed; the selected row stays selected if it still exists. */
static void select_same(struct timeline *timeline, const struct timeline_row *before)
{
    for (int i = 0; i < timeline->rows_list.count; i++) {
        const struct timeline_row *row = &timeline->rows[i];
        const struct timeline_row *at = &timeline->rows[timeline->rows_list.selected];
        if (row->kind == before->kind && row->track == before->track && row->lane == before->lane &&
            row->group == before->group && row->chart == before->chart && row->line == 0) {
            if (row->chart == NONE || at->chart != row->chart)
                list_select(&timeline->rows_list, i);
            return;
        }
    }
}

/* A row that is to be selected must not be inside a folded heading. */
static void unfold_wanted(struct screen *screen)
{
    uint32_t track = timeline_state(screen)->select_track;
    if (track == NONE)
        return;
    const struct track_row *row = session_track(screen->session, track);
    struct row_choices *devices = &timeline_state(screen)->choices[ROW_DEVICE],
                       *processes = &timeline_state(screen)->choices[ROW_PROCESS];
    if (row->device < devices->count)
        devices->list[row->device].fold = FOLD_USUAL;
    if (row->process < processes->count)
        processes->list[row->process].fold = FOLD_USUAL;
}

static bool has_many_processes(const struct screen *screen)
{
    uint32_t tracks = session_track_count(screen->session), process = NONE;
    for (uint32_t track = 0; track < tracks; track++) {
        const struct track_row *row = session_track(screen->session, track);
        if (!in_scope(screen, row))
            continue;
        if (process != NONE && row->process != process)
            return true;
        process = row->process;
    }
    return false;
}

static bool is_some(struct window window)
{
    return window.start_ns <= window.end_ns;
}

static struct window window_of_both(struct window a, struct window b)
{
    if (!is_some(a) || !is_some(b))
        return is_some(a) ? a : b;
    return (struct window){a.start_ns < b.start_ns ? a.start_ns : b.start_ns,
                           a.end_ns > b.end_ns ? a.end_ns : b.end_ns};
}

/* The rows of most runs: the device, a stream, copies in both directions, the overview. Lists below them keep
 * their place when the run's events have been read. */
#define ROWS_COMING 5

void timeline_rows_make(struct screen *screen, int height)
{
    struct timeline *timeline = timeline_state(screen);
    struct window bounds = bounds_of(screen), extent = {1, 0}, cpu = {1, 0};
    uint32_t tracks = session_track_count(screen->session);
    size_t count = 0;
    int wanted = 0;
    struct timeline_row selected = {.track = NONE, .chart = NONE, .group = NONE};
    if (timeline->rows_list.count > 0)
        selected = timeline->rows[timeline->rows_list.selected];
    timeline->hidden = 0;
    timeline->groups.count = 0;
    timeline->groups.many_processes = has_many_processes(screen);
    unfold_wanted(screen);
    for (uint32_t track = 0; track < tracks; track++) {
        const struct track_row *row = session_track(screen->session, track);
        if (in_scope(screen, row) &&
            !add_rows(screen, track, bounds, is_of_cpu(row) ? &cpu : &extent, &count))
            break;
    }
    count = timeline_headings_add(screen, count);
    timeline_charts_rows(screen, bounds, height, &extent, &count, &wanted);
    timeline->origin_ns = is_some(extent) ? extent.start_ns : is_some(cpu) ? cpu.start_ns : bounds.start_ns;
    screen->zero_ns = timeline->session_time ? 0 : timeline->origin_ns;
    extent = window_of_both(extent, cpu);
    if (count > 0)
        qsort(timeline->rows, count, sizeof *timeline->rows, compare_rows);
    timeline->extent = is_some(extent) ? axis_make(extent.start_ns, extent.end_ns) : bounds;
    int grown = height - timeline->rows_list.height;
    if (grown > 0) /* a taller pane also shows rows that were above */
        timeline->rows_list.top -= grown < timeline->rows_list.top ? grown : timeline->rows_list.top;
    list_update(&timeline->rows_list, (int)count, height);
    if (wanted == 0 && screen->state.loading)
        wanted = ROWS_COMING;
    screen->timeline_rows = wanted + timeline->wants_ribbon + timeline->race.wanted;
    select_same(timeline, &selected);
    select_wanted(timeline);
    keep_pinned(timeline);
}

struct window timeline_range(const struct timeline *timeline, bool *marked)
{
    *marked = timeline->marked[0] && timeline->marked[1] && timeline->mark_ns[0] != timeline->mark_ns[1];
    if (!*marked)
        return timeline->window;
    int64_t a = timeline->mark_ns[0], b = timeline->mark_ns[1];
    return (struct window){a < b ? a : b, a < b ? b : a};
}

struct window timeline_extent(const struct screen *screen)
{
    struct window extent = timeline_state(screen)->extent;
    if (timeline_follows(screen) && timeline_state(screen)->follow_whole)
        return timeline_state(screen)->window; /* the overview has the scale of the rows above it */
    int64_t margin = (extent.end_ns - extent.start_ns) / 50;
    return axis_make(extent.start_ns - margin, extent.end_ns + margin);
}

void timeline_forget(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    bool cpu_rows = timeline->cpu_rows, session_time = timeline->session_time;
    free(timeline->rows);
    for (int kind = 0; kind < ROW_KIND_COUNT; kind++)
        free(timeline->choices[kind].list);
    timeline_groups_fini(&timeline->groups);
    timeline_filter_fini(&timeline->filter);
    timeline_filter_fini(&timeline->find);
    timeline_charts_fini(&timeline->charts);
    ribbon_fini(&timeline->ribbon);
    free(timeline->cells);
    free(timeline->scratch);
    free(timeline->minimap);
    *timeline = (struct timeline){.cpu_rows = cpu_rows,
                                  .session_time = session_time,
                                  .follow = screen->state.live,
                                  .select_track = NONE,
                                  .select_group = NONE,
                                  .window = axis_make(0, 1), /* until the timeline is shown */
                                  .columns = 1};
    timeline->charts.made = timeline->charts.cut_sampling = NONE;
    timeline->filter.stream = timeline->find.stream = NONE;
}
