/*
 * Sums by name, in a hash table with open addressing (`slots`: 1 + index, 0 free) while they are made. The
 * sums that are being made are separate from those that are shown; they replace these when the last lane is
 * done.
 */
#include "tui/views/range.h"

#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"

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
