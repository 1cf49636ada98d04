/*
 * Which tracks the timeline shows, in which order, and how far their work reaches. The cost follows tracks
 * and lanes, not events. What the user chooses is kept by track.
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

/* Whether the lane has events in the bounds; widens the extent by them. */
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

static int compare_rows(const void *a, const void *b)
{
    const struct timeline_row *left = a, *right = b;
    if (left->pinned != right->pinned)
        return left->pinned ? -1 : 1;
    if (left->order != right->order)
        return left->order < right->order ? -1 : 1;
    if (left->track != right->track)
        return left->track < right->track ? -1 : 1;
    if (left->chart != right->chart)
        return left->chart < right->chart ? -1 : 1;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return left->lane < right->lane ? -1 : left->lane > right->lane;
}

static uint64_t usual_order(const struct track_row *row)
{
    static const uint8_t rank[TRACK_KIND_COUNT] = {
        [TRACK_RANGES] = 1, [TRACK_STREAM] = 2, [TRACK_COPY_ENGINE] = 3, [TRACK_MEASUREMENTS] = 4,
        [TRACK_CALLS] = 5,  [TRACK_SYNCS] = 6,  [TRACK_OVERHEAD] = 7,
    };
    return (uint64_t)rank[row->kind] << 60 | (uint64_t)(row->process & 0xffff) << 40 |
           (uint64_t)(row->context & 0xff) << 32 | row->stream;
}

static struct track_choice choice_of(const struct timeline *timeline, uint32_t track)
{
    return track < timeline->choice_count ? timeline->choices[track] : (struct track_choice){0};
}

/* Ranges that lie in each other are few; more lanes come of ranges that overlap in other ways. */
#define NESTED_MOST 8u

bool timeline_is_unfolded(const struct screen *screen, uint32_t track)
{
    const struct track_row *row = session_track(screen->session, track);
    uint32_t lanes = atomic_load_explicit(&row->lane_count, memory_order_acquire);
    switch ((enum track_fold)choice_of(&screen->timeline, track).fold) {
    case FOLD_FOLDED: return false;
    case FOLD_UNFOLDED: return lanes > 1;
    case FOLD_USUAL: break;
    }
    return row->kind == TRACK_RANGES && lanes > 1 && lanes <= NESTED_MOST;
}

/* The track's rows, if it is to be seen; false: no memory. */
static bool add_rows(struct screen *screen, uint32_t track, struct window bounds, struct window *extent,
                     size_t *count)
{
    struct timeline *timeline = &screen->timeline;
    const struct track_row *row = session_track(screen->session, track);
    uint32_t lanes = atomic_load_explicit(&row->lane_count, memory_order_acquire);
    struct track_choice choice = choice_of(timeline, track);
    struct timeline_row made = {.order = choice.order != 0 ? choice.order : usual_order(row),
                                .track = track,
                                .lane = NONE,
                                .chart = NONE,
                                .pinned = choice.pinned};
    bool unfolded = timeline_is_unfolded(screen, track), busy = has_open_launch(timeline, track);
    bool shown = !choice.hidden && timeline_filter_keeps_track(&timeline->filter, row);
    void *rows =
        array_reserve(timeline->rows, &timeline->row_capacity, *count + lanes + 1, sizeof *timeline->rows);
    if (rows == NULL)
        return false;
    timeline->rows = rows;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        if (!lane_has_events(screen->session, track, lane, bounds, extent))
            continue;
        busy = true;
        made.lane = lane;
        if (unfolded && shown)
            timeline->rows[(*count)++] = made;
    }
    made.lane = NONE;
    if (busy && shown && !unfolded)
        timeline->rows[(*count)++] = made;
    timeline->hidden += busy && choice.hidden;
    return true;
}

/* Pinned rows take lines from the others, at most half of them; what is selected is seen below them. */
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
    const struct timeline *timeline = &screen->timeline;
    int row = line < timeline->pinned ? line : timeline->rows_list.top + line;
    return line < 0 || line >= timeline->rows_list.height || row >= timeline->rows_list.count ? -1 : row;
}

static void select_wanted(struct timeline *timeline)
{
    for (int i = 0; i < timeline->rows_list.count; i++) {
        const struct timeline_row *row = &timeline->rows[i];
        if ((row->track != NONE && row->track == timeline->select_track) ||
            (row->chart != NONE && row->chart == timeline->select_chart)) {
            list_select(&timeline->rows_list, i);
            break;
        }
    }
    timeline->select_track = timeline->select_chart = NONE;
}

void timeline_rows_make(struct screen *screen, int height)
{
    struct timeline *timeline = &screen->timeline;
    struct window bounds = bounds_of(screen), extent = {1, 0};
    uint32_t tracks = session_track_count(screen->session);
    size_t count = 0;
    timeline->hidden = 0;
    for (uint32_t track = 0; track < tracks; track++)
        if (in_scope(screen, session_track(screen->session, track)) &&
            !add_rows(screen, track, bounds, &extent, &count))
            break;
    timeline_charts_rows(screen, bounds, height, &extent, &count);
    if (count > 0)
        qsort(timeline->rows, count, sizeof *timeline->rows, compare_rows);
    timeline->extent = extent.start_ns <= extent.end_ns ? axis_make(extent.start_ns, extent.end_ns) : bounds;
    list_update(&timeline->rows_list, (int)count, height);
    select_wanted(timeline);
    keep_pinned(timeline);
}

/* ---- what the user chooses ---- */

static struct track_choice *choice_to_change(struct screen *screen, const struct timeline_row *row)
{
    struct timeline *timeline = &screen->timeline;
    uint32_t track = row->track;
    size_t count = (size_t)track + 1;
    if (row->chart != NONE)
        return &timeline->charts.items[row->chart].choice;
    if (count > timeline->choice_count) {
        void *grown =
            array_reserve(timeline->choices, &timeline->choice_capacity, count, sizeof *timeline->choices);
        if (grown == NULL)
            return NULL;
        timeline->choices = grown;
        for (; timeline->choice_count < count; timeline->choice_count++)
            timeline->choices[timeline->choice_count] = (struct track_choice){0};
    }
    return &timeline->choices[track];
}

static bool same_owner(const struct timeline_row *a, const struct timeline_row *b)
{
    return a->track == b->track && a->chart == b->chart;
}

static void select_again(struct timeline *timeline, const struct timeline_row *row)
{
    timeline->select_track = row->track;
    timeline->select_chart = row->chart;
}

/* Change places with the track or chart before or after. */
static void move_row(struct screen *screen, int by)
{
    struct timeline *timeline = &screen->timeline;
    int from = timeline->rows_list.selected, to = from;
    const struct timeline_row *rows = timeline->rows;
    while (to >= 0 && to < timeline->rows_list.count && same_owner(&rows[to], &rows[from]))
        to += by;
    if (to < 0 || to >= timeline->rows_list.count || rows[to].pinned != rows[from].pinned)
        return;
    uint64_t order = rows[from].order, other_order = rows[to].order;
    if (choice_to_change(screen, &rows[from]) == NULL || choice_to_change(screen, &rows[to]) == NULL)
        return;
    choice_to_change(screen, &rows[from])->order =
        other_order; /* asked for again: the other may have moved it */
    choice_to_change(screen, &rows[to])->order = order;
    select_again(timeline, &rows[from]);
}

static void show_hidden(struct screen *screen)
{
    struct timeline *timeline = &screen->timeline;
    if (timeline->hidden == 0)
        screen_message(screen, SEVERITY_INFO, "No row is hidden. c shows the CPU's rows.");
    for (size_t i = 0; i < timeline->choice_count; i++)
        timeline->choices[i].hidden = false;
    for (uint32_t i = 0; i < timeline->charts.count; i++)
        timeline->charts.items[i].choice.hidden = false;
}

bool timeline_choose(struct screen *screen, enum action action)
{
    struct timeline *timeline = &screen->timeline;
    if (action == ACTION_SHOW_HIDDEN) {
        show_hidden(screen);
        return true;
    }
    if (action != ACTION_FOLD && action != ACTION_HIDE && action != ACTION_ROW_UP &&
        action != ACTION_ROW_DOWN && action != ACTION_PIN)
        return false;
    if (timeline->rows_list.count == 0)
        return true;
    const struct timeline_row *row = &timeline->rows[timeline->rows_list.selected];
    uint32_t track = row->track;
    struct track_choice *choice = choice_to_change(screen, row);
    if (choice == NULL)
        return true;
    switch (action) {
    case ACTION_FOLD:
        select_again(timeline, row);
        if (row->chart != NONE) { /* so many lines */
            choice->fold = (uint8_t)(row->lines % CHART_LINES_MAX + 1);
            break;
        }
        if (atomic_load_explicit(&session_track(screen->session, track)->lane_count, memory_order_relaxed) <
            2)
            screen_message(screen, SEVERITY_INFO, "Nothing of this row runs side by side: it has one lane.");
        choice->fold = timeline_is_unfolded(screen, track) ? FOLD_FOLDED : FOLD_UNFOLDED;
        break;
    case ACTION_HIDE:
        choice->hidden = true;
        screen_message(screen, SEVERITY_INFO, "The row is hidden; I shows all hidden rows again.");
        break;
    case ACTION_PIN:
        choice->pinned = !choice->pinned;
        select_again(timeline, row);
        break;
    default: move_row(screen, action == ACTION_ROW_UP ? -1 : 1); break;
    }
    return true;
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
    free(timeline->choices);
    timeline_filter_fini(&timeline->filter);
    timeline_charts_fini(&timeline->charts);
    free(timeline->cells);
    free(timeline->scratch);
    free(timeline->minimap);
    *timeline = (struct timeline){0};
}
