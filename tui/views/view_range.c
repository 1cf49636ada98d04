/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of the visible time of the timeline, or of the time between its marks, a line for each name.
 * ENTER goes to the longest event of the selected name.
 *
 * Sums are by name, in a hash table with open addressing (`slots`: 1 + index, 0 free) while they are made.
 * The sums that are being made are separate from those that are shown; they replace these when the last lane
 * is done.
 */
#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/timeline/view_timeline.h"
#include "tui/views/range.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_MS 1000 /* least time between two passes while work comes in */

/* ---- sums ---- */
static size_t slot_of(const struct range_items *sums, uint64_t name)
{
    size_t at = (size_t)(name * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (sums->slot_count - 1);
    while (sums->slots[at] != 0 && sums->items[sums->slots[at] - 1].name != name)
        at = (at + 1) & (sums->slot_count - 1);
    return at;
}

static bool grow_slots(struct range_items *sums)
{
    struct range_items grown = *sums;
    grown.slot_count = sums->slot_count == 0 ? 256 : sums->slot_count * 2;
    grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < sums->count; i++)
        grown.slots[slot_of(&grown, sums->items[i].name)] = (uint32_t)i + 1;
    free(sums->slots);
    *sums = grown;
    return true;
}

/* The item of a name, created if it is new; NULL: out of memory. */
static struct range_item *item_of(struct screen *screen, uint64_t name, const struct item *event)
{
    struct range_items *sums = &range_state(screen)->making.sums;
    if (sums->count * 2 >= sums->slot_count && !grow_slots(sums))
        return NULL;
    size_t at = slot_of(sums, name);
    if (sums->slots[at] != 0)
        return &sums->items[sums->slots[at] - 1];
    if (!array_grow(sums->items, sums->capacity, sums->count, 1))
        return NULL;
    struct timeline_cell look = {0};
    struct range_item *item = &sums->items[sums->count++];
    sums->slots[at] = (uint32_t)sums->count;
    timeline_item_look(screen, event, &look);
    *item = (struct range_item){
        .name = name, .mark = look.mark, .color = look.color, .kind = event->kind, .min_ns = INT64_MAX};
    item->kernel = timeline_item_kernel(screen->session, event);
    timeline_item_name(screen, event, item->text, sizeof item->text);
    return item;
}

static void items_free(struct range_items *sums)
{
    free(sums->items);
    free(sums->slots);
    *sums = (struct range_items){0};
}

/* Returns false if memory runs out. */
static bool add_event(struct screen *screen, struct event_ref ref, int64_t start_ns, int64_t end_ns,
                      const struct item *event)
{
    const struct window *range = &range_state(screen)->range;
    int64_t duration_ns = end_ns - start_ns;
    if (!timeline_keeps(screen, event, duration_ns))
        return true;
    struct range_item *item = item_of(screen, timeline_name_of(screen->session, event), event);
    if (!item)
        return false;
    range_state(screen)->making.sums.folded += (event->flags & ITEM_FOLDED) != 0;
    int64_t from_ns = start_ns > range->start_ns ? start_ns : range->start_ns;
    int64_t to_ns = end_ns < range->end_ns ? end_ns : range->end_ns;
    item->events++;
    item->total_ns += to_ns > from_ns ? to_ns - from_ns : 0;
    item->sum_ns += (double)duration_ns;
    item->min_ns = duration_ns < item->min_ns ? duration_ns : item->min_ns;
    if (duration_ns > item->max_ns || item->events == 1) {
        item->max_ns = duration_ns;
        item->longest = ref;
    }
    item->bytes += event->kind == ITEM_COPY  ? event->copy.size_bytes
                   : event->kind == ITEM_SET ? event->set.size_bytes
                                             : 0;
    return true;
}

/* ---- slices ---- */
/* A copy is both on its stream and on its engine: it is counted once. */
static bool is_counted(const struct screen *screen, const struct timeline_member *member)
{
    return session_track(screen->session, member->track)->kind != TRACK_COPY_ENGINE;
}

static uint32_t lanes_of(const struct screen *screen, uint32_t track)
{
    return atomic_load_explicit(&session_track(screen->session, track)->lane_count, memory_order_acquire);
}

static void making_end(struct range_making *making)
{
    items_free(&making->sums);
    free(making->lanes);
    *making = (struct range_making){0};
}

/* Adds the events of a lane that overlap the range; false: out of memory. */
static bool add_lane(struct screen *screen, uint32_t track, uint32_t lane)
{
    const struct session *session = screen->session;
    struct range_view *view = range_state(screen);
    struct range_making *making = &view->making;
    uint64_t count = session_lane_count_events(session, track, lane);
    uint64_t next = session_lane_find(session, track, lane, view->range.start_ns);
    uint64_t end = session_lane_find(session, track, lane, view->range.end_ns);
    struct event_ref last = {track, lane, end}; /* it may start in the range and end after it */
    end = end < count ? end + (session_event_start_ns(session, last) < view->range.end_ns) : count;
    if (next >= end)
        return true;
    if (!array_grow(making->lanes, making->lane_capacity, making->lane_count, 1))
        return false;
    making->lanes[making->lane_count++] = (struct range_lane){track, lane, next, end};
    making->events += end - next;
    return true;
}

static void begin_making(struct screen *screen)
{
    struct range_making *making = &range_state(screen)->making;
    const struct timeline_groups *groups = &timeline_state(screen)->groups;
    making_end(making);
    making->running = true;
    for (size_t i = 0; i < groups->count; i++)
        for (uint32_t lane = 0; !making->failed && is_counted(screen, &groups->members[i]) &&
                                lane < lanes_of(screen, groups->members[i].track);
             lane++)
            making->failed = !add_lane(screen, groups->members[i].track, lane);
}

/* The longest in total first. */
static int compare_items(const void *a, const void *b)
{
    const struct range_item *left = a, *right = b;
    int order = (left->total_ns < right->total_ns) - (left->total_ns > right->total_ns);
    return order != 0 ? order : (left->name > right->name) - (left->name < right->name);
}

/* clang-format off */
static const struct sheet_column columns[] = {
    {"share", "share", "share of the sum of times in the range: of kernels, copies and sets together, of other kinds each apart", SHEET_SHARE, SHEET_NEITHER, 8, 2, false},
    {"total_ns", "total", "their time in the range", SHEET_TIME, SHEET_NEITHER, 8, 0, false},
    {"events", "events", "events that overlap the range", SHEET_COUNT, SHEET_NEITHER, 8, 1, false},
    {"mean_ns", "mean", "mean duration, of whole events", SHEET_TIME, SHEET_NEITHER, 8, 3, false},
    {"min_ns", "min", "the shortest", SHEET_TIME, SHEET_NEITHER, 8, 5, false},
    {"max_ns", "max", "the longest", SHEET_TIME, SHEET_NEITHER, 8, 4, false},
    {"bytes_per_second", "rate", "of copies and sets: bytes by their time", SHEET_RATE, SHEET_NEITHER, 9, 7, false},
    {"kind", "what", "kind of event", SHEET_TEXT, SHEET_NEITHER, 8, 6, false},
    {"name", "name", "name of the events", SHEET_TEXT, SHEET_NEITHER, 24, 0, false}};
/* clang-format on */

/* What the shares of kernels, copies and sets are of; those of other kinds are of their kind. */
static uint8_t whole_of(uint8_t kind)
{
    return kind == ITEM_COPY || kind == ITEM_SET ? ITEM_LAUNCH : kind;
}

static double sum_of_whole(const struct range_items *items, uint8_t whole)
{
    double sum_ns = 0;
    for (size_t i = 0; i < items->count; i++)
        sum_ns += whole_of(items->items[i].kind) == whole ? (double)items->items[i].total_ns : 0;
    return sum_ns;
}

static enum status make_rows(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct screen *screen = from;
    const struct range_view *view = range_state(screen);
    double whole_ns[ITEM_MEASUREMENT + 1];
    (void)error;
    for (uint8_t kind = 0; kind <= ITEM_MEASUREMENT; kind++)
        whole_ns[kind] = sum_of_whole(&view->shown, kind);
    for (size_t i = 0; i < view->shown.count; i++) {
        const struct range_item *item = &view->shown.items[i];
        char name[400];
        if (item->kernel != NONE)
            short_names_print_kernel(screen->naming.names, screen->session, item->kernel, SHORT_NAME_WHOLE,
                                     name, sizeof name);
        double whole = whole_ns[whole_of(item->kind)];
        const struct sheet_cell cells[] = {{.number = whole > 0 ? (double)item->total_ns / whole : 0},
                                           {.number = (double)item->total_ns},
                                           {.number = (double)item->events},
                                           {.number = item->sum_ns / (double)item->events},
                                           {.number = (double)item->min_ns},
                                           {.number = (double)item->max_ns},
                                           {.number = item->bytes > 0 && item->sum_ns > 0
                                                          ? (double)item->bytes * 1e9 / item->sum_ns
                                                          : (double)NAN},
                                           {.text = item_kind_text(item->kind)},
                                           {.text = item->kernel != NONE ? name : item->text}};
        sheet_row(to, cells);
    }
    return STATUS_OK;
}

static const struct sheet sheet = {
    .id = "range", .title = "Statistics", SHEET_COLUMNS(columns), .none = "", .rows = make_rows};

static struct sheet_mark mark_of(const void *of, size_t row)
{
    const struct range_item *item = &((const struct range_view *)of)->shown.items[row];
    return (struct sheet_mark){.codepoint = (unsigned char)item->mark, .color = item->color};
}

static const struct sheet_face face = {.mark = mark_of, .brief = true};

static void take_rows(struct screen *screen)
{
    struct range_view *view = range_state(screen);
    struct sheet_kept kept;
    if (sheet_kept_make(&kept, &sheet, screen, NULL) != STATUS_OK) {
        snprintf(view->why, sizeof view->why, "There is not enough memory for the names of this range.");
        return;
    }
    view->table.face = &face;
    view->table.of = view;
    sheet_table_take(&view->table, &kept);
}

static void finish_making(struct screen *screen)
{
    struct range_view *view = range_state(screen);
    bool failed = view->making.failed;
    items_free(&view->shown);
    if (!failed) {
        view->shown = view->making.sums;
        view->making.sums = (struct range_items){0};
    }
    making_end(&view->making);
    view->made = true;
    view->made_ms = screen->clock_ms;
    snprintf(view->why, sizeof view->why, "%s",
             failed ? "There is not enough memory for the names of this range."
             : view->shown.count == 0
                 ? screen_why_empty(screen, "The rows shown have no events in this range.")
                 : "");
    if (view->shown.count > 0)
        qsort(view->shown.items, view->shown.count, sizeof *view->shown.items, compare_items);
    take_rows(screen);
}

bool range_work(struct screen *screen)
{
    struct range_making *making = &range_state(screen)->making;
    if (!making->running)
        return false;
    uint64_t most = making->done + RANGE_SLICE;
    for (; !making->failed && making->lane < making->lane_count && making->done < most;) {
        struct range_lane *lane = &making->lanes[making->lane];
        for (; !making->failed && lane->next < lane->end && making->done < most;
             lane->next++, making->done++) {
            struct event_ref ref = {lane->track, lane->lane, lane->next};
            int64_t start_ns, end_ns;
            struct item item;
            making->failed = session_event(screen->session, ref, &start_ns, &end_ns, &item) &&
                             !add_event(screen, ref, start_ns, end_ns, &item);
        }
        making->lane += lane->next == lane->end;
    }
    if (making->failed || making->lane == making->lane_count)
        finish_making(screen);
    return true;
}

void range_update(struct screen *screen)
{
    struct range_view *view = range_state(screen);
    const struct timeline *timeline = timeline_state(screen);
    struct window range = timeline_range(timeline, &view->marked);
    uint64_t events = session_event_count(screen->session);
    bool same = view->asked && view->run == screen->run &&
                view->detail == timeline_state(screen)->detail.changes &&
                view->range.start_ns == range.start_ns && view->range.end_ns == range.end_ns &&
                view->tracks == timeline->groups.count && strcmp(view->filter, timeline->filter.text) == 0;
    if (same && (view->making.running || view->events == events || screen->frozen ||
                 screen->clock_ms - view->made_ms < AGAIN_MS))
        return;
    if (!same) {
        items_free(&view->shown);
        view->made = false;
        view->why[0] = '\0';
    }
    view->range = range;
    view->run = screen->run;
    view->events = events;
    view->detail = timeline_state(screen)->detail.changes;
    view->tracks = timeline->groups.count;
    view->asked = true;
    snprintf(view->filter, sizeof view->filter, "%s", timeline->filter.text);
    begin_making(screen);
    range_work(screen);
}

void range_forget(struct screen *screen)
{
    struct range_view *view = range_state(screen);
    items_free(&view->shown);
    making_end(&view->making);
    sheet_table_fini(&view->table);
    view->asked = view->made = false;
}

#define LINES_UNKNOWN 6 /* as many names are expected, before they are counted */

static void range_view_update(struct screen *screen, struct rect area)
{
    struct range_view *view = range_state(screen);
    if (!timeline_state(screen)->fitted) /* the timeline has not been on the screen yet */
        screen->views[VIEW_TIMELINE]->update(screen, screen->layout.body);
    range_update(screen);
    struct rect inside = view_inside(area);
    sheet_table_update(&view->table, (struct rect){inside.x, inside.y + 1, inside.width, inside.height - 1});
}

static double percent_done(const struct range_view *view)
{
    return 100 * (double)view->making.done / (double)(view->making.events + 1);
}

static void range_view_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct range_view *view = range_state(screen);
    char title[400];
    snprintf(title, sizeof title, "Statistics  %s of %s%s%s",
             number_time(view->range.end_ns - view->range.start_ns).text,
             view->marked ? "the time between the marks" : "the time shown",
             view->filter[0] != '\0' ? "  only: " : "", view->filter);
    struct rect inside = view_frame(canvas, area, title, focus);
    if (!view->made) {
        canvas_printf(canvas, inside.x + 1, inside.y, inside.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                      "Examining %s events: %.0f %%", number_short(view->making.events).text,
                      percent_done(view));
        return;
    }
    if (view->why[0] != '\0') {
        canvas_wrap(canvas, (struct rect){inside.x + 1, inside.y, inside.width - 2, inside.height},
                    STYLE(COLOR_DIM, COLOR_NONE, 0), view->why);
        return;
    }
    if (view->shown.folded > 0)
        canvas_printf(canvas, inside.x + 1, inside.y, inside.width - 1, STYLE(COLOR_WARN, COLOR_NONE, 0),
                      "%s events are sums of 16, named after the longest; the single events are %s",
                      number_exact((int64_t)view->shown.folded).text, detail_where(screen));
    else
        canvas_printf(canvas, inside.x + 1, inside.y, inside.width - 1, STYLE(COLOR_DIM, COLOR_NONE, 0),
                      "%s to %s; shares are of all GPU work, or of their kind%s",
                      number_since_within(view->range.start_ns, screen->zero_ns,
                                          view->range.end_ns - view->range.start_ns)
                          .text,
                      number_since_within(view->range.end_ns, screen->zero_ns,
                                          view->range.end_ns - view->range.start_ns)
                          .text,
                      focus && inside.width >= 100 ? ". ENTER goes to the longest one" : "");
    sheet_table_draw(&view->table, canvas, screen->naming.names, screen_has_open(screen, VIEW_RANGE));
    view_frame_list(canvas, area, &view->table.list);
}

/* ---- acting ---- */
static void show_longest(struct screen *screen, const struct range_item *item)
{
    timeline_state(screen)->select_track = item->longest.track;
    screen->focus = PANE_TIMELINE;
    timeline_cursor_to(screen, session_event_start_ns(screen->session, item->longest));
    screen_close(screen);
}

static bool range_view_act(struct screen *screen, enum action action)
{
    struct range_view *view = range_state(screen);
    size_t row = sheet_table_row(&view->table);
    if (!view->made || view->why[0] != '\0' || action != ACTION_OPEN)
        return false;
    if (row < view->shown.count)
        show_longest(screen, &view->shown.items[row]);
    return true;
}

static struct sheet_table *table_of(const struct screen *screen)
{
    return &range_state(screen)->table;
}

static int lines_beside(struct screen *screen, int width)
{
    const struct range_view *view = range_state(screen);
    (void)width;
    if (timeline_state(screen)->rows_list.count == 0)
        return 0;
    return 2 + (view->made ? (int)view->shown.count : LINES_UNKNOWN);
}

static const struct view_key keys[] = {
    {.action = ACTION_OPEN,
     .hint = "show longest",
     .help = "go to the longest event of that name in the timeline"},
    {.action = ACTION_LEFT,
     .hint = "column",
     .name = "h l",
     .help = "choose a column; it is shown at any width"},
    {.action = ACTION_SORT, .help = "sort by the chosen column, or again by the total"},
    {.action = ACTION_REVERSE},
    {.action = ACTION_FILTER, .help = "only names with this text"},
    {.action = ACTION_OVERLAP},
    {.action = ACTION_NONE},
};

const struct view view_range = {
    .title = "Statistics",
    .flags = VIEW_OF_RANGE,
    .opened_by = ACTION_STATISTICS,
    .state_bytes = sizeof(struct range_view),
    .forget = range_forget,
    .update = range_view_update,
    .draw = range_view_draw,
    .work = range_work,
    .act = range_view_act,
    .table = table_of,
    .beside = {.order = 3, .lines = lines_beside},
    .keys = keys,
};
