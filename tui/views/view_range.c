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
#include "tui/widgets/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_MS 1000 /* least time between two passes while work comes in */

/* ---- sorting ---- */
static double key_of(const struct range_item *item, enum range_sort sort)
{
    switch (sort) {
    case RANGE_EVENTS: return (double)item->events;
    case RANGE_MEAN: return item->sum_ns / (double)item->events;
    case RANGE_MIN: return (double)item->min_ns;
    case RANGE_MAX: return (double)item->max_ns;
    default: return (double)item->total_ns;
    }
}

/* The largest first; names in alphabetical order. */
static int compare_items(const void *a, const void *b, void *context)
{
    const struct range_item *left = a, *right = b;
    const struct range_view *view = context;
    int order = 0;
    if (view->sort == RANGE_NAME) {
        order = strcmp(left->text, right->text);
    } else {
        double x = key_of(left, view->sort), y = key_of(right, view->sort);
        order = (x < y) - (x > y);
    }
    if (order == 0)
        order = (left->name > right->name) - (left->name < right->name);
    return view->reverse ? -order : order;
}

void range_sort(struct range_view *view)
{
    if (view->shown.count > 0)
        qsort_r(view->shown.items, view->shown.count, sizeof *view->shown.items, compare_items, view);
}

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
    if (grown.slots == NULL)
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
    if (item == NULL)
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
    range_sort(view);
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
    view->asked = view->made = false;
}

#define LINES_UNKNOWN 6 /* as many names are expected, before they are counted */

static void range_view_update(struct screen *screen, struct rect area)
{
    struct range_view *view = range_state(screen);
    if (!timeline_state(screen)->fitted) /* the timeline has not been on the screen yet */
        screen->views[VIEW_TIMELINE]->update(screen, screen->layout.body);
    range_update(screen);
    int height = view_inside(area).height - 2;
    list_update(&view->list, (int)view->shown.count, height < 0 ? 0 : height);
}

/* ---- columns ---- */
enum { C_NAME, C_KIND, C_EVENTS, C_TOTAL, C_SHARE, C_MEAN, C_MIN, C_MAX, C_RATE, C_COUNT };

static const struct {
    const char *title;
    int width;       /* 0: the rest of the line */
    int least_width; /* least width of the view in which it is shown */
    enum range_sort sort;
} columns[C_COUNT] = {
    [C_NAME] = {"name", 0, 0, RANGE_NAME},
    [C_KIND] = {"what", 10, 110, RANGE_SORT_COUNT},
    [C_EVENTS] = {"events", 10, 50, RANGE_EVENTS},
    [C_TOTAL] = {"total", 10, 0, RANGE_TOTAL},
    [C_SHARE] = {"of time", 9, 60, RANGE_SORT_COUNT},
    [C_MEAN] = {"mean", 10, 70, RANGE_MEAN},
    [C_MIN] = {"min", 10, 95, RANGE_MIN},
    [C_MAX] = {"max", 10, 80, RANGE_MAX},
    [C_RATE] = {"rate", 11, 125, RANGE_SORT_COUNT},
};

static const char *kind_text(uint8_t kind)
{
    static const char *const texts[] = {
        [ITEM_LAUNCH] = "kernel",     [ITEM_COPY] = "copy",          [ITEM_SET] = "set",
        [ITEM_CALL] = "API call",     [ITEM_RANGE] = "range",        [ITEM_SYNC] = "wait",
        [ITEM_OVERHEAD] = "overhead", [ITEM_MEASUREMENT] = "replay",
    };
    return kind < sizeof texts / sizeof texts[0] ? texts[kind] : "";
}

/* The column's place in a view of this width; false: it is not shown. */
static bool place_of(int column, struct rect inside, int *x, int *width)
{
    int left = inside.width - 1;
    for (int c = 1; c < C_COUNT; c++)
        left -= inside.width >= columns[c].least_width ? columns[c].width : 0;
    *x = inside.x + 1;
    *width = left;
    for (int c = 1; c <= column; c++) {
        if (inside.width < columns[c].least_width)
            continue;
        *x += *width;
        *width = columns[c].width;
    }
    return inside.width >= columns[column].least_width && *width > 1;
}

static void text_of(const struct range_view *view, const struct range_item *item, int column, char *text,
                    size_t size_bytes)
{
    double range_ns = (double)(view->range.end_ns - view->range.start_ns);
    text[0] = '\0';
    switch (column) {
    case C_KIND: snprintf(text, size_bytes, "%s", kind_text(item->kind)); break;
    case C_EVENTS: snprintf(text, size_bytes, "%s", number_exact((int64_t)item->events).text); break;
    case C_TOTAL: snprintf(text, size_bytes, "%s", number_time(item->total_ns).text); break;
    case C_SHARE: snprintf(text, size_bytes, "%.1f %%", 100 * (double)item->total_ns / range_ns); break;
    case C_MEAN:
        snprintf(text, size_bytes, "%s", number_time((int64_t)(item->sum_ns / (double)item->events)).text);
        break;
    case C_MIN: snprintf(text, size_bytes, "%s", number_time(item->min_ns).text); break;
    case C_MAX: snprintf(text, size_bytes, "%s", number_time(item->max_ns).text); break;
    case C_RATE:
        if (item->bytes > 0 && item->sum_ns > 0)
            snprintf(text, size_bytes, "%s", number_rate((double)item->bytes * 1e9 / item->sum_ns).text);
        break;
    default: break;
    }
}

/* ---- drawing ---- */
static void draw_head(const struct range_view *view, struct canvas *canvas, struct rect inside)
{
    int x, width;
    for (int c = 0; c < C_COUNT; c++) {
        bool sorted = columns[c].sort == view->sort;
        struct style style = STYLE(sorted ? COLOR_FOCUS : COLOR_DIM, COLOR_NONE, sorted ? ATTRIBUTE_BOLD : 0);
        if (!place_of(c, inside, &x, &width))
            continue;
        if (c == C_NAME)
            width = canvas_text(canvas, x + 2, inside.y + 1, width - 2, style, columns[c].title) + 3;
        else
            field_words(canvas, x, inside.y + 1, width - 1, style, columns[c].title);
        if (sorted)
            canvas_glyph(canvas, x + width - 1, inside.y + 1,
                         view->reverse ? GLYPH_SORTED_UP : GLYPH_SORTED_DOWN, style);
    }
}

#define NAME_CELLS 44 /* before the bar */
#define BAR_LEAST 12

/* The share of the time, where the column of names has room; overlapping events add up to more than all of
 * it. */
static void draw_bar(const struct range_view *view, struct canvas *canvas, struct rect line,
                     const struct range_item *item, uint8_t ground)
{
    double share = (double)item->total_ns / (double)(view->range.end_ns - view->range.start_ns);
    int eighths = (int)((share < 1 ? share : 1) * line.width * 8 + 0.5);
    for (int i = 0; i < line.width && eighths > 0; i++, eighths -= 8)
        canvas_put(canvas, line.x + i, line.y, glyph_left_eighths(eighths < 8 ? eighths : 8, canvas->ascii),
                   STYLE(item->color, ground, 0));
}

static void draw_line(const struct screen *screen, struct canvas *canvas, struct rect inside, int y,
                      int index)
{
    const struct range_view *view = range_state(screen);
    const struct range_item *item = &view->shown.items[index];
    bool selected = index == view->list.selected && screen_has_open(screen, VIEW_RANGE);
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style plain = STYLE(COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0);
    int x, width;
    char text[400];
    canvas_fill(canvas, (struct rect){inside.x, y, inside.width, 1}, ' ', plain);
    if (selected)
        canvas_glyph(canvas, inside.x, y, GLYPH_SELECTED, plain);
    for (int c = 0; c < C_COUNT; c++) {
        if (!place_of(c, inside, &x, &width))
            continue;
        if (c == C_NAME) {
            canvas_put(canvas, x, y, (unsigned char)item->mark, STYLE(item->color, ground, ATTRIBUTE_BOLD));
            if (item->kernel != NONE)
                short_names_print_kernel(screen->naming.names, screen->session, item->kernel, width - 3, text,
                                         sizeof text);
            else
                text_shorten(item->text, width - 3, text, sizeof text);
            canvas_text(canvas, x + 2, y, width - 3, plain, text);
            if (width >= NAME_CELLS + BAR_LEAST)
                draw_bar(view, canvas, (struct rect){x + NAME_CELLS, y, width - NAME_CELLS - 2, 1}, item,
                         ground);
            continue;
        }
        text_of(view, item, c, text, sizeof text);
        field_number(canvas, x, y, width - 1,
                     c == C_TOTAL ? STYLE(COLOR_TITLE, ground, ATTRIBUTE_BOLD) : plain, text);
    }
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
                      "%s to %s; times of overlapping events add up%s",
                      number_since_within(view->range.start_ns, screen->zero_ns,
                                          view->range.end_ns - view->range.start_ns)
                          .text,
                      number_since_within(view->range.end_ns, screen->zero_ns,
                                          view->range.end_ns - view->range.start_ns)
                          .text,
                      focus && inside.width >= 100 ? ". ENTER goes to the longest one" : "");
    draw_head(view, canvas, inside);
    for (int line = 0; line < view->list.height && view->list.top + line < view->list.count; line++)
        draw_line(screen, canvas, inside, inside.y + 2 + line, view->list.top + line);
    view_frame_list(canvas, area, &view->list);
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
    switch (action) {
    case ACTION_SORT:
        view->sort = (enum range_sort)((view->sort + 1) % RANGE_SORT_COUNT);
        range_sort(view);
        return true;
    case ACTION_REVERSE:
        view->reverse = !view->reverse;
        range_sort(view);
        return true;
    case ACTION_OPEN:
        if (view->why[0] == '\0' && view->list.selected < (int)view->shown.count)
            show_longest(screen, &view->shown.items[view->list.selected]);
        return true;
    default: return list_act(&view->list, action);
    }
}

/* Sorts by the column whose heading was clicked; a second click reverses the order. */
static void sort_by_head(struct range_view *view, struct rect inside, int at)
{
    int x, width;
    for (int c = 0; c < C_COUNT; c++) {
        if (!place_of(c, inside, &x, &width) || at < x || at >= x + width ||
            columns[c].sort == RANGE_SORT_COUNT)
            continue;
        view->reverse = columns[c].sort == view->sort && !view->reverse;
        view->sort = columns[c].sort;
        range_sort(view);
    }
}

static void range_view_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct range_view *view = range_state(screen);
    struct rect inside = view_inside(area);
    if (event->kind == MOUSE_DOWN && event->y == inside.y + 1)
        sort_by_head(view, inside, event->x);
    else
        screen_list_mouse(screen, &view->list, event, event->y - inside.y - 2);
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
    {.action = ACTION_SORT},
    {.action = ACTION_REVERSE},
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
    .mouse = range_view_mouse,
    .beside = {.order = 3, .lines = lines_beside},
    .keys = keys,
};
