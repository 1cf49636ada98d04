/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline pane: time axis, a row per stream and per copy engine, a minimap of the whole run, and the
 * exact read-out of the event under the cursor. Kernels have their letter and colour, copies an arrow; edges
 * are drawn to an eighth of a cell.
 *
 * Every frame sets which time and tracks the read-back should hold: the timeline's window, or the
 * marked range while a view of a range is open. struct detail has the last state that it returned.
 */
#include "tui/timeline/view_timeline.h"

#include "tui/frame/screen.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lists the tracks of the rows on screen. */
static size_t tracks_shown(const struct screen *screen, uint32_t tracks[READBACK_TRACKS_MOST])
{
    const struct timeline *timeline = timeline_state(screen);
    size_t count = 0;
    for (int line = 0; line < timeline->rows_list.height && count < READBACK_TRACKS_MOST; line++) {
        int row = timeline_row_of_line(screen, line);
        if (row >= 0 && timeline->rows[row].kind == ROW_TRACK)
            tracks[count++] = timeline->rows[row].track;
    }
    return count;
}

/* Shows the failure once for each time range. */
static void tell_failure(struct screen *screen, struct window window)
{
    struct detail *detail = &timeline_state(screen)->detail;
    if (detail->state.kind != READBACK_FAILED ||
        (detail->told.start_ns == window.start_ns && detail->told.end_ns == window.end_ns))
        return;
    detail->told = window;
    screen_message(screen, SEVERITY_WARNING, "Detail could not be read back: %s", detail->state.error.text);
}

void detail_look(struct screen *screen)
{
    struct detail *detail = &timeline_state(screen)->detail;
    struct readback *readback = screen->host->readback;
    uint32_t tracks[READBACK_TRACKS_MOST];
    struct window window = timeline_state(screen)->window;
    const struct view *top = screen_top(screen);
    bool marked;
    detail->state = (struct readback_state){.kind = READBACK_WHOLE};
    if (!readback)
        return;
    if (top && (top->flags & VIEW_OF_RANGE) != 0)
        window = timeline_range(timeline_state(screen), &marked);
    struct readback_range range = {.clock = screen_clock(screen),
                                   .start_ns = window.start_ns,
                                   .end_ns = window.end_ns,
                                   .tracks = tracks,
                                   .track_count = tracks_shown(screen, tracks)};
    detail->changes = readback_changes(readback); /* read first: later data may be missed */
    readback_look(readback, &range);
    readback_state(readback, &detail->state);
    tell_failure(screen, window);
}

const char *detail_where(const struct screen *screen)
{
    if (!session_is_recorded(screen->session))
        return "lost, because the recording failed";
    if (!screen->host->readback)
        return "in the recording";
    switch (timeline_state(screen)->detail.state.kind) {
    case READBACK_READING: return "being read from the recording";
    case READBACK_PART: return "not found in the recording";
    case READBACK_MERGED: return "in the recording: lanescope export reads them";
    case READBACK_TOO_MUCH: return "in the recording: zoom in to see them";
    case READBACK_FAILED: return "not readable from the recording";
    case READBACK_TRACKS:
    case READBACK_WHOLE: break;
    }
    return "in the recording";
}

#define FOLDED_STEP_NS INT64_C(10000000)

bool detail_status(const struct screen *screen, char *text, size_t size_bytes)
{
    int64_t folded_ns = session_folded_until_ns(screen->session, screen_clock(screen));
    text[0] = '\0';
    if (folded_ns == INT64_MIN)
        return false;
    if (timeline_state(screen)->detail.state.kind == READBACK_READING)
        snprintf(text, size_bytes, "reading detail from the recording");
    else if (timeline_state(screen)->detail.state.kind == READBACK_FAILED)
        snprintf(text, size_bytes, "before %s only sums: detail is not readable",
                 number_since(folded_ns, screen->zero_ns, FOLDED_STEP_NS).text);
    else if (!screen->host->readback || timeline_state(screen)->detail.state.kind == READBACK_TOO_MUCH ||
             timeline_state(screen)->detail.state.kind == READBACK_MERGED)
        snprintf(text, size_bytes, "before %s only sums",
                 number_since(folded_ns, screen->zero_ns, FOLDED_STEP_NS).text);
    else if (timeline_state(screen)->window.start_ns < folded_ns)
        snprintf(text, size_bytes, "detail from the recording");
    return timeline_state(screen)->detail.state.kind == READBACK_FAILED;
}

#define FOLLOW_SPAN_LEAST_NS INT64_C(1000)
#define FOLLOW_SPAN_NS INT64_C(2000000000)
#define FOLLOW_STEPS 8
#define RACE_LEAVES 5 /* lines of the pane below the race: axis, rows, overview, read-out */

static int64_t span_of(struct window window)
{
    return window.end_ns - window.start_ns;
}

/* If there is no room, the oldest window is dropped. */
static void push_window(struct window *windows, int *count, struct window window)
{
    if (*count == ZOOM_HISTORY_MAX) {
        memmove(windows, windows + 1, (ZOOM_HISTORY_MAX - 1) * sizeof *windows);
        --*count;
    }
    windows[(*count)++] = window;
}

static void set_window(struct screen *screen, struct window window, bool remember)
{
    struct timeline *timeline = timeline_state(screen);
    if (remember && timeline->fitted) {
        push_window(timeline->history, &timeline->history_count, timeline->window);
        timeline->undone_count = 0;
    }
    /* No column is shorter than a nanosecond. */
    if (span_of(window) < timeline->columns)
        window = axis_make(window.start_ns, window.start_ns + timeline->columns);
    timeline->window = window;
}

static void fit_window(struct screen *screen, bool remember)
{
    struct timeline *timeline = timeline_state(screen);
    set_window(screen, timeline_extent(screen), remember);
    timeline->fitted = timeline->rows_list.count > 0;
}

static bool run_has_ended(const struct screen *screen)
{
    return screen->run != NONE && session_run(screen->session, screen->run)->end_ns != INT64_MIN;
}

/* A run that was idle for more than half of the time, without a break, would open as a timeline that is
 * mostly empty: the window leaves that time out, on the side that has the kernels; where both have some, or none
 * was launched, on that where more is left. The overview shows where it is. */
static bool leave_idle_out(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    const struct window all = timeline->extent;
    struct partition_gap longest = {0};
    if ((screen->state.live && !run_has_ended(screen)) || !timeline->fitted || !verdict->known ||
        verdict->devices != 1)
        return false;
    for (int part = PARTITION_IDLE_FIRST; part < PARTITION_COUNT; part++) {
        struct partition_gap gap = verdict->whole.gaps[part][0];
        if (gap.end_ns - gap.start_ns > longest.end_ns - longest.start_ns)
            longest = gap;
    }
    if (2 * (longest.end_ns - longest.start_ns) <= span_of(all))
        return false;
    const struct run_row *run = session_run(screen->session, screen->run);
    const bool before = run->first_launch_ns < longest.start_ns,
               after = run->last_launch_ns >= longest.end_ns;
    const bool later =
        before != after ? after : all.end_ns - longest.end_ns >= longest.start_ns - all.start_ns;
    struct window left =
        axis_make(later ? longest.end_ns : all.start_ns, later ? all.end_ns : longest.start_ns);
    set_window(screen, axis_zoom(left, left.start_ns + span_of(left) / 2, 26, 25), false);
    timeline->cursor_ns = left.start_ns;
    return true;
}

/* Does the window show everything, to within one cell? */
static bool shows_all(const struct screen *screen)
{
    const struct timeline *timeline = timeline_state(screen);
    struct window all = timeline_extent(screen);
    int64_t cell_ns = span_of(all) / (timeline->columns > 0 ? timeline->columns : 1);
    return llabs(timeline->window.start_ns - all.start_ns) <= cell_ns &&
           llabs(timeline->window.end_ns - all.end_ns) <= cell_ns;
}

/* The least step that is as long: more than half of the window is filled. */
static int64_t follow_span(int64_t least_ns)
{
    static const int64_t steps[] = {100, 150, 200, 300, 500, 700};
    for (int64_t unit = FOLLOW_SPAN_LEAST_NS / 100; unit < FOLLOW_SPAN_NS / 100; unit *= 10)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
            if (steps[i] * unit >= least_ns && steps[i] * unit <= FOLLOW_SPAN_NS)
                return steps[i] * unit;
    return FOLLOW_SPAN_NS;
}

/* Moves the window with the newest events, in steps of a part of the span, so that most frames do not move
 * the rows. As long as everything fits into the longest span, all of it is shown. A launch in progress has
 * at least a quarter of the window. */
static void follow_end(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    int64_t now = screen->now_ns[screen_clock(screen)], first = timeline->extent.start_ns;
    if (now < timeline->extent.end_ns || screen_clock(screen) == CLOCK_MODEL)
        now = timeline->extent.end_ns; /* the model's time stands still between operations */
    if (!timeline->fitted) {
        timeline->follow_whole = true;
        timeline->fitted = timeline->rows_list.count > 0;
    }
    int64_t known = now - first;
    if (screen_clock(screen) == CLOCK_MODEL && screen->state.launching && known < FOLLOW_SPAN_NS)
        known += known / 3;
    int64_t span = timeline->follow_whole ? follow_span(known + 1) : span_of(timeline->window);
    timeline->follow_whole = timeline->follow_whole && known < FOLLOW_SPAN_NS;
    if (timeline->follow_whole) {
        timeline->window = axis_make(first, first + span);
    } else if (now >= timeline->window.end_ns || now < timeline->window.start_ns) {
        int64_t by = now + (span / FOLLOW_STEPS > 0 ? span / FOLLOW_STEPS : 1) - timeline->window.end_ns;
        int64_t columns = axis_scale(by, timeline->columns, span); /* the terminal shifts whole columns */
        struct window last = axis_make(timeline->window.end_ns - span, timeline->window.end_ns);
        timeline->window = axis_pan(last, axis_scale(span, columns + (by > 0), timeline->columns));
    }
    timeline->cursor_ns = now;
}

/* When the run that is followed has ended, or `f` ended following, all of the run is shown, and the window
 * follows its extent while that still grows. Moving the window ends this. */
static bool has_to_settle(const struct screen *screen)
{
    const struct timeline *timeline = timeline_state(screen);
    struct window all = timeline_extent(screen);
    bool grew = all.start_ns != timeline->settled_on.start_ns || all.end_ns != timeline->settled_on.end_ns;
    bool asked = timeline->follow || (timeline->follow_whole && screen->state.live);
    return asked && (!timeline->settled || (grew && !screen->frozen));
}

/* Selects the first row of work on a device, not the ranges above it. */
static void select_first_work(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    for (int i = 0; i < timeline->rows_list.count; i++) {
        const struct timeline_row *row = &timeline->rows[i];
        if (row->kind == ROW_TRACK && session_track(screen->session, row->track)->kind != TRACK_RANGES) {
            list_select(&timeline->rows_list, i);
            return;
        }
    }
}

void timeline_show_run(struct screen *screen, uint32_t run)
{
    struct timeline *timeline = timeline_state(screen);
    if (screen->run == run)
        return;
    screen->run = run;
    timeline->settled = false;
    timeline->follow_whole = true;
    if (!timeline->follow) {
        timeline->fitted = false;
        timeline->history_count = timeline->undone_count = 0;
    }
}

bool timeline_follows(const struct screen *screen)
{
    return timeline_state(screen)->follow && screen->state.live && !screen->frozen && !run_has_ended(screen);
}

static bool shows_whole_run(const struct screen *screen)
{
    struct window window = timeline_state(screen)->window, all = timeline_state(screen)->extent;
    return window.start_ns <= all.start_ns && window.end_ns >= all.end_ns;
}

static void timeline_view_update(struct screen *screen, struct rect area)
{
    struct timeline *timeline = timeline_state(screen);
    timeline->overview = false;
    timeline->wants_ribbon = ribbon_collect(screen);
    timeline->has_ribbon = timeline->wants_ribbon && view_inside(area).height >= RIBBON_LINES_LEAST;
    race_collect(screen, view_inside(area).height - timeline->has_ribbon - RACE_LEAVES);
    int above = timeline->wants_ribbon + timeline->race.wanted;
    struct timeline_parts parts = timeline_parts_of(timeline, area);
    timeline->overview = timeline->fitted && (timeline->path.shown || !shows_whole_run(screen) ||
                                              screen->timeline_rows - above < parts.row_count);
    parts = timeline_parts_of(timeline, area);
    if (timeline->has_ribbon)
        ribbon_place(screen, parts.inside.width - 2);
    run_verdicts_ask(screen, screen->run);
    timeline->label_width = parts.inside.width >= 150   ? 32
                            : parts.inside.width >= 100 ? 26
                            : parts.inside.width >= 60  ? 16
                                                        : parts.inside.width / 4;
    if (timeline->groups.many_processes && parts.inside.width >= 60)
        timeline->label_width += 4; /* for the indentation below headings */
    timeline->columns = parts.inside.width - timeline->label_width;
    if (timeline->columns < 1)
        timeline->columns = 1;
    timeline->open_count = screen->frozen
                               ? timeline->open_count
                               : session_open_launches(screen->session, timeline->open, TIMELINE_OPEN_MAX);
    timeline_rows_make(screen, parts.row_count);
    if (!timeline->fitted)
        select_first_work(screen);
    if (timeline_follows(screen)) {
        follow_end(screen);
        timeline->settled = false;
    } else if (!timeline->fitted || has_to_settle(screen)) {
        fit_window(screen, false);
        timeline->settled_on = timeline_extent(screen);
        timeline->cursor_ns = timeline->extent.start_ns;
        timeline->settled = true;
        if (leave_idle_out(screen)) { /* now the overview takes a line */
            timeline_view_update(screen, area);
            return;
        }
    }
    if (span_of(timeline->window) < timeline->columns)
        set_window(screen, timeline->window, false);
    detail_look(screen);
    timeline_cells_make(screen);
    if (!timeline->path.pending)
        timeline_path_ask(screen);
}

/* ---- moving ---- */

static void hold_still(struct screen *screen)
{
    timeline_state(screen)->follow = timeline_state(screen)->follow_whole = screen->follows_runs = false;
}

/* Pans by whole columns, so that the terminal can shift the cells that it shows. */
static void pan_window(struct screen *screen, int64_t by_ns)
{
    const struct timeline *timeline = timeline_state(screen);
    int64_t span = span_of(timeline->window), columns = axis_scale(by_ns, timeline->columns, span);
    hold_still(screen);
    if (columns == 0)
        columns = by_ns < 0 ? -1 : 1;
    set_window(screen, axis_pan(timeline->window, axis_scale(span, columns, timeline->columns)), false);
}

void timeline_cursor_to(struct screen *screen, int64_t time_ns)
{
    struct timeline *timeline = timeline_state(screen);
    int64_t quarter = span_of(timeline->window) / 4;
    hold_still(screen);
    timeline->cursor_ns = time_ns;
    if (time_ns < timeline->window.start_ns)
        pan_window(screen, time_ns - timeline->window.start_ns - quarter);
    else if (time_ns >= timeline->window.end_ns)
        pan_window(screen, time_ns - timeline->window.end_ns + quarter);
}

void timeline_zoom_to(struct screen *screen, int64_t start_ns, int64_t end_ns)
{
    int64_t margin_ns = (end_ns - start_ns) / 4;
    hold_still(screen);
    set_window(screen, axis_make(start_ns - margin_ns, end_ns + margin_ns), true);
    timeline_state(screen)->cursor_ns = start_ns;
}

static void cursor_by(struct screen *screen, int columns)
{
    struct timeline *timeline = timeline_state(screen);
    int column = axis_column(timeline->window, timeline->columns, timeline->cursor_ns);
    if (column < 0 || column >= timeline->columns)
        column = timeline->columns / 2;
    timeline_cursor_to(screen, axis_column_start(timeline->window, timeline->columns, column + columns));
}

static void zoom_window(struct screen *screen, int64_t about_ns, bool in)
{
    struct timeline *timeline = timeline_state(screen);
    hold_still(screen);
    if (about_ns < timeline->window.start_ns || about_ns >= timeline->window.end_ns)
        about_ns = timeline->window.start_ns + span_of(timeline->window) / 2;
    set_window(screen, axis_zoom(timeline->window, about_ns, in ? 1 : 2, in ? 2 : 1), true);
}

/* Sets a mark at the cursor; a mark that is there already is cleared. */
static void set_mark(struct timeline *timeline, int which)
{
    timeline->marked[which] = !timeline->marked[which] || timeline->mark_ns[which] != timeline->cursor_ns;
    timeline->mark_ns[which] = timeline->cursor_ns;
}

/* A chart is selected as a whole, by its first line. */
static void leave_chart_lines(struct timeline *timeline, int before)
{
    int selected = timeline->rows_list.selected, to = selected;
    if (selected >= timeline->rows_list.count || timeline->rows[selected].line == 0)
        return;
    if (selected > before)
        to += timeline->rows[selected].lines - timeline->rows[selected].line;
    else
        to -= timeline->rows[selected].line;
    list_select(&timeline->rows_list, to < timeline->rows_list.count ? to : before);
}

#define NUDGE_COLUMNS 8

static void nudge_window(struct screen *screen, int columns)
{
    const struct timeline *timeline = timeline_state(screen);
    pan_window(screen, axis_scale(span_of(timeline->window), columns, timeline->columns));
}

/* Called when the line is complete: a partial line may not be parsable. */
static void set_filter(struct screen *screen, struct timeline_filter *filter, const char *text)
{
    struct error error = {0};
    if (!timeline_filter_set(filter, text, &error))
        screen_message(screen, SEVERITY_WARNING, "%s", error.text);
}

static void show_only(struct screen *screen, const char *text)
{
    set_filter(screen, &timeline_state(screen)->filter, text);
}

static void find_event(struct screen *screen, const char *text)
{
    set_filter(screen, &timeline_state(screen)->find, text);
    if (text[0] != '\0' && timeline_state(screen)->find.text[0] != '\0')
        timeline_find(screen, true);
}

/* Clears the filter, or else the marks. False: there are none. */
static bool clear_narrowing(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    bool marked = timeline->marked[0] || timeline->marked[1];
    if (timeline->filter.text[0] != '\0')
        set_filter(screen, &timeline->filter, "");
    else if (marked)
        timeline->marked[0] = timeline->marked[1] = false;
    else
        return false;
    return true;
}

/* The CPU rows are below all others, so the first of them is selected to make it visible. */
static void switch_cpu_rows(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    timeline->cpu_rows = !timeline->cpu_rows;
    if (!timeline->cpu_rows) {
        select_first_work(screen);
        screen_message(screen, SEVERITY_INFO, "The rows of the CPU are hidden; c shows them again.");
        return;
    }
    uint32_t count = timeline_cpu_tracks(screen, &timeline->select_track);
    if (count == 0)
        screen_message(screen, SEVERITY_INFO,
                       "No call, wait or overhead of the CPU was recorded in this run.");
    else
        screen_message(screen, SEVERITY_INFO, "%u row%s of the CPU: calls, waits, overhead; c hides them.",
                       count, count == 1 ? "" : "s");
}

/* Has the timeline anything that a key about time or rows could change? If not, says so. */
static bool says_empty(struct screen *screen, enum action action)
{
    const struct session *session = screen->session;
    enum action_section section = action_info(action)->section;
    bool rows = section == SECTION_TIME || action == ACTION_NEXT || action == ACTION_PREVIOUS;
    if (!rows || action == ACTION_FOLLOW || action == ACTION_CPU_ROWS || action == ACTION_ZERO ||
        action == ACTION_BURST || session_track_count(session) > 0 || session_series_count(session) > 0)
        return false;
    screen_message(screen, SEVERITY_INFO, "%s",
                   screen_why_empty(screen, "The timeline has no event and no sample."));
    return true;
}

/* The message for a key about time after which the timeline is as it was. */
static const char *why_as_before(enum action action)
{
    switch (action) {
    case ACTION_ZOOM_IN: return "No shorter time can be shown.";
    case ACTION_ZOOM_OUT: return "No longer time can be shown.";
    case ACTION_PAN_LEFT:
    case ACTION_PAN_RIGHT:
    case ACTION_NUDGE_LEFT:
    case ACTION_NUDGE_RIGHT: return "No time is left in this direction.";
    case ACTION_NEXT: return "Nothing in this row is after the cursor.";
    case ACTION_PREVIOUS: return "Nothing in this row is before the cursor.";
    case ACTION_LONGEST: return "The cursor is there already.";
    default: return NULL;
    }
}

static bool act_on_time(struct screen *screen, enum action action)
{
    struct timeline *timeline = timeline_state(screen);
    int64_t half = span_of(timeline->window) / 2;
    switch (action) {
    case ACTION_LEFT: cursor_by(screen, -1); return true;
    case ACTION_RIGHT: cursor_by(screen, 1); return true;
    case ACTION_HOME: timeline_cursor_to(screen, timeline->extent.start_ns); return true;
    case ACTION_END: timeline_cursor_to(screen, timeline->extent.end_ns - 1); return true;
    case ACTION_NUDGE_LEFT: nudge_window(screen, -NUDGE_COLUMNS); return true;
    case ACTION_NUDGE_RIGHT: nudge_window(screen, NUDGE_COLUMNS); return true;
    case ACTION_FROM: set_mark(timeline, 0); return true;
    case ACTION_TO: set_mark(timeline, 1); return true;
    case ACTION_BOOKMARK:
        prompt_open(&screen->prompt, PROMPT_LINE, "Bookmark:", "", timeline_bookmark);
        return true;
    case ACTION_ONLY:
        prompt_open(&screen->prompt, PROMPT_NARROW,
                    "Show only (name, >10us, stream=13, counter=dram):", timeline->filter.text, show_only);
        return true;
    case ACTION_FILTER:
        prompt_open(&screen->prompt, PROMPT_NARROW, "Find (name, >10us, stream=13):", timeline->find.text,
                    find_event);
        return true;
    case ACTION_CLOSE: return clear_narrowing(screen);
    case ACTION_PAN_LEFT: pan_window(screen, -half); return true;
    case ACTION_PAN_RIGHT: pan_window(screen, half); return true;
    case ACTION_ZOOM_IN: zoom_window(screen, timeline->cursor_ns, true); return true;
    case ACTION_ZOOM_OUT: zoom_window(screen, timeline->cursor_ns, false); return true;
    case ACTION_FIT:
        if (!timeline_follows(screen) && shows_all(screen)) {
            screen_message(screen, SEVERITY_INFO, "All of the run is shown already.");
            return true;
        }
        hold_still(screen);
        fit_window(screen, true);
        return true;
    case ACTION_UNDO_ZOOM:
        if (timeline->history_count == 0) {
            screen_message(screen, SEVERITY_INFO, "There is no time range before this one.");
            return true;
        }
        hold_still(screen);
        push_window(timeline->undone, &timeline->undone_count, timeline->window);
        timeline->window = timeline->history[--timeline->history_count];
        return true;
    case ACTION_REDO_ZOOM:
        if (timeline->undone_count == 0) {
            screen_message(screen, SEVERITY_INFO, "There is no next time range: U only undoes u.");
            return true;
        }
        hold_still(screen);
        push_window(timeline->history, &timeline->history_count, timeline->window);
        timeline->window = timeline->undone[--timeline->undone_count];
        return true;
    case ACTION_FOLLOW:
        timeline->follow = screen->follows_runs = !(timeline->follow && screen->follows_runs);
        if (timeline->follow && span_of(timeline->extent) < FOLLOW_SPAN_NS)
            timeline->follow_whole = true;
        if (!screen->state.live)
            screen_message(screen, SEVERITY_INFO, "Nothing to follow: this session has ended.");
        else if (!timeline->follow)
            screen_message(screen, SEVERITY_INFO,
                           "The timeline no longer follows; f follows the newest run again.");
        return true;
    case ACTION_RUN_PREVIOUS: ribbon_step(screen, -1); return true;
    case ACTION_RUN_NEXT: ribbon_step(screen, 1); return true;
    case ACTION_BURST:
        if (!screen->host->burst)
            screen_message(screen, SEVERITY_INFO,
                           "Bursts are not enabled: start lanescope with --burst 10us.");
        else if (!screen->host->burst(screen->host->context))
            screen_message(screen, SEVERITY_WARNING,
                           "No burst was started: the last one is still running, or the GPU cannot be "
                           "sampled (m says why).");
        return true;
    case ACTION_ZERO:
        timeline->session_time = !timeline->session_time;
        screen_message(screen, SEVERITY_INFO, "Times count from the start of %s.",
                       timeline->session_time ? "the session" : "the run's work");
        return true;
    case ACTION_CPU_ROWS: switch_cpu_rows(screen); return true;
    case ACTION_PATH: timeline_path_switch(screen); return true;
    case ACTION_OPEN:
        if (timeline->rows_list.count > 0 &&
            timeline_is_heading(&timeline->rows[timeline->rows_list.selected]))
            return timeline_choose(screen, ACTION_FOLD);
        if (timeline->readout.found && timeline->readout.item.kind == ITEM_LAUNCH)
            screen_select_kernel(screen, timeline->readout.item.launch.kernel);
        return true;
    default: break;
    }
    int before = timeline->rows_list.selected;
    if (timeline_jump(screen, action) || timeline_choose(screen, action))
        return true;
    bool moved = list_act(&timeline->rows_list, action);
    leave_chart_lines(timeline, before);
    return moved;
}

static bool timeline_view_act(struct screen *screen, enum action action)
{
    const struct timeline *timeline = timeline_state(screen);
    const struct window window = timeline->window;
    int64_t cursor_ns = timeline->cursor_ns;
    int selected = timeline->rows_list.selected;
    if (says_empty(screen, action))
        return true;
    bool acted = act_on_time(screen, action);
    bool same = timeline->window.start_ns == window.start_ns && timeline->window.end_ns == window.end_ns &&
                timeline->cursor_ns == cursor_ns && timeline->rows_list.selected == selected;
    if (acted && same && screen->message[0] == '\0' && why_as_before(action))
        screen_message(screen, SEVERITY_INFO, "%s", why_as_before(action));
    return acted;
}

/* Marks the time of the columns from one to the other, inclusive. */
static void mark_columns(struct timeline *timeline, int from, int to)
{
    int last = timeline->columns - 1;
    to = to < 0 ? 0 : to > last ? last : to;
    timeline->marked[0] = timeline->marked[1] = true;
    timeline->mark_ns[0] = axis_column_start(timeline->window, timeline->columns, from < to ? from : to);
    timeline->mark_ns[1] =
        axis_column_start(timeline->window, timeline->columns, (from < to ? to : from) + 1);
}

static void say_range(struct screen *screen)
{
    const struct timeline *timeline = timeline_state(screen);
    screen_message(screen, SEVERITY_INFO,
                   "%s are marked: T shows statistics, o the overlap, ESC clears the marks.",
                   number_time(timeline->mark_ns[1] - timeline->mark_ns[0]).text);
}

static void timeline_view_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct timeline *timeline = timeline_state(screen);
    struct timeline_parts parts = timeline_parts_of(timeline, area);
    int column = event->x - parts.inside.x - timeline->label_width;
    int row = event->y - parts.rows;
    int64_t at = axis_column_start(timeline->window, timeline->columns, column);
    switch (event->kind) {
    case MOUSE_WHEEL_UP: zoom_window(screen, at, true); return;
    case MOUSE_WHEEL_DOWN: zoom_window(screen, at, false); return;
    case MOUSE_UP:
        if (screen->dragging && !timeline->drag_pans && event->x != timeline->drag_x)
            say_range(screen);
        screen->dragging = false;
        return;
    case MOUSE_DOWN:
        if (timeline_row_of_line(screen, row) >= 0) {
            const struct timeline_row *at_row = &timeline->rows[timeline_row_of_line(screen, row)];
            list_select(&timeline->rows_list, timeline_row_of_line(screen, row));
            if (timeline_is_heading(at_row) && event->x == parts.inside.x + 1 + at_row->depth) /* fold sign */
                timeline_choose(screen, ACTION_FOLD);
        }
        leave_chart_lines(timeline, INT_MAX);
        if (parts.race >= 0 && event->y >= parts.race && event->y < parts.race + timeline->race.count) {
            race_click(screen, event->y - parts.race);
            return;
        }
        if (parts.ribbon >= 0 && event->y == parts.ribbon) {
            ribbon_click(screen, event->x - parts.inside.x - 1);
            return;
        }
        if (column < 0 || column >= timeline->columns)
            return;
        if (event->y == parts.minimap && parts.minimap >= 0) {
            struct window extent = timeline_extent(screen);
            int64_t middle = axis_column_start(extent, timeline->columns, column);
            pan_window(screen, middle - span_of(timeline->window) / 2 - timeline->window.start_ns);
            return;
        }
        hold_still(screen);
        timeline->cursor_ns = at;
        screen->dragging = true;
        timeline->drag_pans = event->second;
        timeline->drag_x = event->x;
        timeline->drag_window = timeline->window;
        return;
    case MOUSE_DRAG:
        if (screen->dragging && !timeline->drag_pans && event->x != timeline->drag_x)
            mark_columns(timeline, timeline->drag_x - parts.inside.x - timeline->label_width, column);
        else if (screen->dragging && timeline->drag_pans) {
            int64_t moved =
                axis_scale(span_of(timeline->drag_window), timeline->drag_x - event->x, timeline->columns);
            set_window(screen, axis_pan(timeline->drag_window, moved), false);
        }
        return;
    }
}

static void follow_run(struct screen *screen)
{
    timeline_state(screen)->follow = true;
    timeline_state(screen)->fitted = false;
}

static const struct view_key keys[] = {
    {.action = ACTION_NEXT_PANE},
    {.action = ACTION_FOLLOW},
    {.action = ACTION_ZOOM_IN, .hint = "zoom", .name = "+ -", .help = "zoom in or out at the cursor"},
    {.action = ACTION_FIT},
    {.action = ACTION_FILTER, .hint = "find"},
    {.action = ACTION_OVERLAP},
    {.action = ACTION_STATISTICS},
    {.action = ACTION_UNDO_ZOOM},
    {.action = ACTION_OPEN,
     .hint = "choose",
     .help = "choose the kernel of the event; on a heading: fold it"},
    {.action = ACTION_NEXT, .hint = "next", .name = "n N"},
    {.action = ACTION_FROM,
     .hint = "range",
     .name = "[ ]",
     .help = "set the marks of a range; its length is shown in ns"},
    {.action = ACTION_FREEZE},
    {.action = ACTION_FOLD},
    {.action = ACTION_LONGEST},
    {.action = ACTION_ONLY},
    {.action = ACTION_BOOKMARK},
    {.action = ACTION_CPU_ROWS},
    {.action = ACTION_BURST},
    {.action = ACTION_NONE},
};

const struct view view_timeline = {
    .title = "Timeline",
    .state_bytes = sizeof(struct timeline),
    .forget = timeline_forget,
    .update = timeline_view_update,
    .work = timeline_path_ask,
    .draw = timeline_draw,
    .act = timeline_view_act,
    .mouse = timeline_view_mouse,
    .run_started = follow_run,
    .status = detail_status,
    .keys = keys,
};
