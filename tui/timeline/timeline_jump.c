/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the cursor can jump to, and how the work of an API call is found. A jump looks at every event that it
 * passes; the search for a call's work looks at a bounded number of events.
 */
#include "tui/timeline/timeline.h"

#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"

#include <stdio.h>
#include <string.h>

#define PASSED_BYTES 160

static uint32_t lanes_of_track(const struct screen *screen, uint32_t track)
{
    return atomic_load_explicit(&session_track(screen->session, track)->lane_count, memory_order_acquire);
}

/* ---- next and previous ---- */

/* What a jump searches for: events that are shown and, with `same`, have the name of a given event, or with
 * `find` match the typed text. */
struct wanted {
    bool same, find;
    uint64_t name;
    uint64_t *folded; /* counts events that were passed but whose names are not known individually */
};

uint64_t timeline_name_of(const struct session *session, const struct item *item)
{
    uint32_t name = 0;
    uint32_t kernel = NONE;
    switch ((enum item_kind)item->kind) {
    case ITEM_LAUNCH: kernel = item->launch.kernel; break;
    case ITEM_MEASUREMENT:
        if (item->measurement.measurement < session_measurement_count(session))
            kernel = session_measurement(session, item->measurement.measurement)->kernel;
        break;
    case ITEM_COPY:
    case ITEM_SYNC: name = item->a; break;
    case ITEM_CALL: name = item->call.name; break;
    case ITEM_RANGE: name = item->range.name; break;
    case ITEM_OVERHEAD: name = item->overhead.name; break;
    case ITEM_SET: break;
    }
    if (kernel < session_kernel_count(session))
        name = session_shape(session, session_kernel(session, kernel)->shape)->name;
    return (uint64_t)item->kind << 32 | name;
}

/* Returns how many events to skip: 0 if this one matches. Folded events are represented by the longest of
 * them, as one event that starts where they start. */
static uint64_t count_passed(struct screen *screen, struct event_ref ref, int64_t at, bool forward,
                             const struct wanted *wanted)
{
    const struct session *session = screen->session;
    bool any = !wanted->same && !wanted->find;
    if (any && timeline_state(screen)->filter.text[0] == '\0')
        return 0;
    struct item item = session_event_item(session, ref);
    int64_t start = session_event_start_ns(session, ref);
    int64_t duration = session_event_end_ns(session, ref) - start;
    bool folded = (item.flags & ITEM_FOLDED) && !any;
    uint64_t before = folded ? ref.index % SESSION_FOLD_EVENTS : 0;
    uint64_t next = !folded ? 1 : forward ? SESSION_FOLD_EVENTS - before : before + 1;
    if (timeline_keeps(screen, &item, duration) &&
        (!wanted->same || timeline_name_of(session, &item) == wanted->name) &&
        (!wanted->find || timeline_filter_keeps(screen, &timeline_state(screen)->find, &item, duration))) {
        ref.index -= before;
        if (before == 0 || !forward || session_event_start_ns(session, ref) > at)
            return 0;
    }
    if (folded)
        *wanted->folded += next;
    return next;
}

/* The lane's next event that starts after a time, or the last that starts before it; false: none. */
static bool find_in_lane(struct screen *screen, uint32_t track, uint32_t lane, int64_t at, bool forward,
                         const struct wanted *wanted, int64_t *start)
{
    const struct session *session = screen->session;
    uint64_t count = session_lane_count_events(session, track, lane), next;
    struct event_ref ref = {track, lane, session_lane_find(session, track, lane, at)};
    while (forward && ref.index < count && session_event_start_ns(session, ref) <= at)
        ref.index++;
    if (!forward && (ref.index >= count || session_event_start_ns(session, ref) >= at))
        ref.index--; /* before the first event it wraps to an invalid index */
    while (ref.index < count && (next = count_passed(screen, ref, at, forward, wanted)) > 0)
        ref.index = forward ? ref.index + next : ref.index - next;
    if (ref.index >= count)
        return false;
    if ((wanted->same || wanted->find) && (session_event_item(session, ref).flags & ITEM_FOLDED))
        ref.index -= ref.index % SESSION_FOLD_EVENTS;
    *start = session_event_start_ns(session, ref);
    return true;
}

/* Finds the nearest match in a track's lanes, or in one lane (NONE: all); updates *best if it is nearer, or
 * the first found. */
static bool find_in_track(struct screen *screen, uint32_t track, uint32_t own, int64_t at, bool forward,
                          const struct wanted *wanted, bool found, int64_t *best)
{
    uint32_t lane = own == NONE ? 0 : own, lanes = own == NONE ? lanes_of_track(screen, track) : own + 1;
    if (wanted->find &&
        !timeline_filter_keeps_track(&timeline_state(screen)->find, session_track(screen->session, track)))
        return found;
    for (; lane < lanes; lane++) {
        int64_t start;
        if (!find_in_lane(screen, track, lane, at, forward, wanted, &start) ||
            (found && (forward ? start >= *best : start <= *best)))
            continue;
        *best = start;
        found = true;
    }
    return found;
}

/* Finds the nearest match in a row: in its lanes, or in all tracks below a heading. */
static bool find_in_row(struct screen *screen, const struct timeline_row *row, int64_t at, bool forward,
                        const struct wanted *wanted, int64_t *best)
{
    const struct timeline_groups *groups = &timeline_state(screen)->groups;
    bool found = false;
    if (row->kind == ROW_TRACK)
        return find_in_track(screen, row->track, row->lane, at, forward, wanted, false, best);
    for (size_t i = 0; i < groups->count; i++)
        if (timeline_row_has(row, &groups->members[i]))
            found = find_in_track(screen, groups->members[i].track, NONE, at, forward, wanted, found, best);
    return found;
}

/* Jumps to the nearest match in rows [first, end) and selects its row. A folded heading stands for its rows.
 */
static bool jump_to(struct screen *screen, int first, int end, int64_t at, bool forward,
                    const struct wanted *wanted)
{
    struct timeline *timeline = timeline_state(screen);
    int64_t best = forward ? INT64_MAX : INT64_MIN;
    int row = -1;
    for (int r = first; r < end; r++) {
        const struct timeline_row *at_row = &timeline->rows[r];
        int64_t start = 0;
        if (at_row->kind != ROW_TRACK && !at_row->folded && end - first > 1)
            continue;
        if (!find_in_row(screen, at_row, at, forward, wanted, &start) ||
            (forward ? start >= best : start <= best))
            continue;
        best = start;
        row = r;
    }
    if (row < 0)
        return false;
    list_select(&timeline->rows_list, row);
    timeline_cursor_to(screen, best);
    return true;
}

/* " 640 events were skipped: ..."; "" if all were looked at individually. */
static const char *passed_text(const struct screen *screen, uint64_t folded, char text[PASSED_BYTES])
{
    text[0] = '\0';
    if (folded > 0)
        snprintf(text, PASSED_BYTES, " %s events were skipped: the single events are %s.",
                 number_exact((int64_t)folded).text, detail_where(screen));
    return text;
}

void timeline_find(struct screen *screen, bool forward)
{
    struct timeline *timeline = timeline_state(screen);
    uint64_t folded = 0;
    char text[PASSED_BYTES];
    const struct wanted wanted = {.find = true, .folded = &folded};
    bool found = jump_to(screen, 0, timeline->rows_list.count, timeline->cursor_ns, forward, &wanted);
    if (!found)
        screen_message(screen, SEVERITY_INFO, "No event matches '%s' %s the cursor in the rows shown.%s",
                       timeline->find.text, forward ? "after" : "before", passed_text(screen, folded, text));
    else if (folded > 0)
        screen_message(screen, SEVERITY_INFO, "%s", passed_text(screen, folded, text) + 1);
}

static void jump_to_same(struct screen *screen, bool forward)
{
    struct timeline *timeline = timeline_state(screen);
    const struct timeline_readout *readout = &timeline->readout;
    if (!readout->found) {
        screen_message(screen, SEVERITY_INFO,
                       "There is no event under the cursor: its name would be searched.");
        return;
    }
    uint64_t folded = 0;
    char text[PASSED_BYTES];
    struct wanted wanted = {
        .same = true, .name = timeline_name_of(screen->session, &readout->item), .folded = &folded};
    bool found = jump_to(screen, 0, timeline->rows_list.count, readout->start_ns, forward, &wanted);
    if (!found)
        screen_message(screen, SEVERITY_INFO, "This is the %s event of its name in the rows shown.%s",
                       forward ? "last" : "first", passed_text(screen, folded, text));
    else if (folded > 0)
        screen_message(screen, SEVERITY_INFO, "%s", passed_text(screen, folded, text) + 1);
}

/* Finds the longest event of a lane in the visible time, if it is longer than *longest_ns. */
static void take_longest(struct screen *screen, uint32_t track, uint32_t lane, int64_t *longest_ns,
                         int64_t *start_ns)
{
    struct lod_column found;
    timeline_query(screen, track, lane, timeline_state(screen)->window, &found, 1);
    struct event_ref ref = {track, lane, found.longest};
    if (found.longest == UINT64_MAX)
        return;
    int64_t at = session_event_start_ns(screen->session, ref);
    int64_t duration = session_event_end_ns(screen->session, ref) - at;
    if (duration > *longest_ns) {
        *longest_ns = duration;
        *start_ns = at;
    }
}

static void jump_to_longest(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    const struct timeline_row *row = &timeline->rows[timeline->rows_list.selected];
    int64_t longest = -1, start = 0;
    for (size_t i = 0; i < timeline->groups.count; i++) {
        if (!timeline_row_has(row, &timeline->groups.members[i]))
            continue;
        uint32_t track = timeline->groups.members[i].track;
        uint32_t lane = row->lane == NONE ? 0 : row->lane;
        uint32_t lanes = row->lane == NONE ? lanes_of_track(screen, track) : row->lane + 1;
        for (; lane < lanes; lane++)
            take_longest(screen, track, lane, &longest, &start);
    }
    if (longest < 0)
        screen_message(screen, SEVERITY_INFO, "This row has no events in the time shown.");
    else
        timeline_cursor_to(screen, start);
}

/* ---- from a call to its work ---- */

#define LINK_LOOK 2048u /* most events of a lane that are searched for a call's work */

static uint32_t track_of_calls(const struct session *session, uint32_t process, uint32_t thread)
{
    for (uint32_t i = 0; i < session_track_count(session); i++) {
        const struct track_row *row = session_track(session, i);
        if (row->kind == TRACK_CALLS && row->process == process && row->thread == thread)
            return i;
    }
    return NONE;
}

/* Reads the call of a launch, copy or set; false: the event has none. */
static bool call_of(const struct item *item, int64_t *start_ns, int64_t *end_ns, uint32_t *thread)
{
    uint32_t duration_ns;
    switch (item->kind) {
    case ITEM_LAUNCH:
        *start_ns = item->launch.call_start_ns;
        duration_ns = item->launch.call_duration_ns;
        *thread = item->launch.call_thread;
        break;
    case ITEM_COPY:
        *start_ns = item->copy.call_start_ns;
        duration_ns = item->copy.call_duration_ns;
        *thread = item->copy.call_thread;
        break;
    case ITEM_SET:
        *start_ns = item->set.call_start_ns;
        duration_ns = item->set.call_duration_ns;
        *thread = item->set.call_thread;
        break;
    default: return false;
    }
    if (*start_ns < -SESSION_TIME_MAX_NS || *start_ns > SESSION_TIME_MAX_NS)
        return false;
    *end_ns = *start_ns + duration_ns;
    return true;
}

/* Finds the lane's event that the call issued. Work starts after its call. */
static bool find_work(const struct session *session, struct event_ref *ref, uint32_t correlation,
                      int64_t call_start_ns)
{
    uint64_t count = session_lane_count_events(session, ref->track, ref->lane);
    ref->index = session_lane_find(session, ref->track, ref->lane, call_start_ns);
    for (uint32_t i = 0; i < LINK_LOOK && ref->index < count; i++, ref->index++) {
        struct item item = session_event_item(session, *ref);
        int64_t start_ns, end_ns;
        uint32_t thread;
        if (item.correlation == correlation && call_of(&item, &start_ns, &end_ns, &thread) &&
            start_ns == call_start_ns)
            return true;
    }
    return false;
}

static void link_call(const struct session *session, const struct timeline_readout *readout,
                      struct timeline_link *link)
{
    uint32_t process = session_track(session, readout->track)->process;
    bool asks = readout->item.b == CALL_LAUNCH || readout->item.b == CALL_COPY || readout->item.b == CALL_SET;
    for (uint32_t track = 0; asks && track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        uint32_t lanes = session_lane_count(session, track);
        if (row->kind != TRACK_STREAM || row->process != process)
            continue;
        for (uint32_t lane = 0; lane < lanes && !link->found; lane++) {
            link->work = (struct event_ref){track, lane, 0};
            link->found = find_work(session, &link->work, readout->item.correlation, readout->start_ns);
        }
        if (link->found)
            break;
    }
    link->call_track = readout->track;
    link->call_start_ns = readout->start_ns;
    link->call_end_ns = readout->end_ns;
}

struct timeline_link timeline_link_of(const struct screen *screen)
{
    const struct session *session = screen->session;
    const struct timeline_readout *readout = &timeline_state(screen)->readout;
    struct timeline_link link = {.call_track = NONE};
    uint32_t thread;
    if (!readout->found)
        return link;
    if (readout->item.kind == ITEM_CALL) {
        link_call(session, readout, &link);
    } else if (call_of(&readout->item, &link.call_start_ns, &link.call_end_ns, &thread)) {
        link.found = true;
        link.work = readout->event;
        link.call_track = track_of_calls(session, session_track(session, readout->track)->process, thread);
    }
    if (link.found) {
        link.start_ns = session_event_start_ns(session, link.work);
        link.end_ns = session_event_end_ns(session, link.work);
    }
    return link;
}

static void jump_to_other_end(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    const struct timeline_link *link = &timeline->link;
    bool at_call = timeline->readout.found && timeline->readout.item.kind == ITEM_CALL;
    if (!link->found || (!at_call && link->call_track == NONE)) {
        screen_message(screen, SEVERITY_INFO,
                       at_call ? "The work of this call is not known."
                               : "The API call of this event is not known.");
        return;
    }
    if (!at_call)
        timeline->cpu_rows = true;
    timeline->select_track = at_call ? link->work.track : link->call_track;
    timeline_cursor_to(screen, at_call ? link->start_ns : link->call_start_ns);
}

/* ---- bookmarks ---- */

void timeline_bookmark(struct screen *screen, const char *text)
{
    struct bookmark_row row = {.time_ns = timeline_state(screen)->cursor_ns,
                               .clock = (uint8_t)screen_clock(screen)};
    struct error error = {0};
    size_t length = strlen(text);
    while (length >= sizeof row.text || (length > 0 && (text[length] & 0xc0) == 0x80))
        length--; /* do not cut inside a UTF-8 character */
    memcpy(row.text, text, length);
    if (session_add_bookmark(screen->session, &row) == NONE)
        screen_message(screen, SEVERITY_ERROR, "No memory for a bookmark: close other programs.");
    else if (screen->host->bookmark &&
             screen->host->bookmark(screen->host->context, &row, &error) != STATUS_OK)
        screen_message(screen, SEVERITY_WARNING, "%s", error.text);
    else
        screen_message(screen, SEVERITY_INFO, "Bookmark saved in the recording: %s at %s.", row.text,
                       number_since(row.time_ns, screen->zero_ns, 1).text);
}

const struct bookmark_row *timeline_bookmark_here(const struct screen *screen)
{
    const struct timeline *timeline = timeline_state(screen);
    int column = axis_column(timeline->window, timeline->columns, timeline->cursor_ns);
    for (uint32_t i = session_bookmark_count(screen->session); i-- > 0;) {
        const struct bookmark_row *row = session_bookmark(screen->session, i);
        if (row->clock == screen_clock(screen) &&
            axis_column(timeline->window, timeline->columns, row->time_ns) == column)
            return row;
    }
    return NULL;
}

static void jump_to_bookmark(struct screen *screen, bool forward)
{
    const struct bookmark_row *best = NULL;
    int64_t at = timeline_state(screen)->cursor_ns;
    for (uint32_t i = 0; i < session_bookmark_count(screen->session); i++) {
        const struct bookmark_row *row = session_bookmark(screen->session, i);
        if (row->clock != screen_clock(screen) || (forward ? row->time_ns <= at : row->time_ns >= at))
            continue;
        if (!best || (forward ? row->time_ns < best->time_ns : row->time_ns > best->time_ns))
            best = row;
    }
    if (!best)
        screen_message(screen, SEVERITY_INFO, "There is no bookmark %s; B makes one.",
                       forward ? "after the cursor" : "before it");
    else
        timeline_cursor_to(screen, best->time_ns);
}

bool timeline_jump(struct screen *screen, enum action action)
{
    struct timeline *timeline = timeline_state(screen);
    const struct wanted any = {0};
    int row = timeline->rows_list.selected;
    switch (action) {
    case ACTION_NEXT:
    case ACTION_PREVIOUS:
    case ACTION_LONGEST:
    case ACTION_SAME_NEXT:
    case ACTION_SAME_PREVIOUS:
    case ACTION_OTHER_END: break;
    case ACTION_BOOKMARK_NEXT:
    case ACTION_BOOKMARK_PREVIOUS: jump_to_bookmark(screen, action == ACTION_BOOKMARK_NEXT); return true;
    default: return false;
    }
    if (timeline->rows_list.count == 0) {
        screen_message(screen, SEVERITY_INFO, "The timeline shows no row.");
        return true;
    }
    if (timeline->rows[row].chart != NONE)
        return timeline_charts_jump(screen, timeline->rows[row].chart, action);
    switch (action) {
    case ACTION_NEXT:
    case ACTION_PREVIOUS:
        if (timeline->find.text[0] != '\0')
            timeline_find(screen, action == ACTION_NEXT);
        else
            jump_to(screen, row, row + 1, timeline->cursor_ns, action == ACTION_NEXT, &any);
        break;
    case ACTION_LONGEST: jump_to_longest(screen); break;
    case ACTION_SAME_NEXT: jump_to_same(screen, true); break;
    case ACTION_SAME_PREVIOUS: jump_to_same(screen, false); break;
    default: jump_to_other_end(screen); break;
    }
    return true;
}
