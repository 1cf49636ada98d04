#include "tui/range.h"

#include "tui/screen.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS_MOST UINT64_C(4000000) /* a million takes some 0.1 s */
#define AGAIN_MS 1000                 /* while work comes in */

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

/* The largest first; names from A on. */
static int compare(const void *a, const void *b, void *context)
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
    if (view->count > 0)
        qsort_r(view->items, view->count, sizeof *view->items, compare, view);
}

/* ---- sums ---- */
/* While it is made, items lie in a table by their name. */
struct sums {
    struct screen *screen;
    struct window range;
    uint32_t *slots; /* 1 + an item's index, 0: free */
    size_t slot_count;
    bool failed;
};

static bool grow(struct sums *sums)
{
    const struct range_view *view = &sums->screen->range;
    size_t count = sums->slot_count == 0 ? 256 : sums->slot_count * 2;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return false;
    for (size_t i = 0; i < view->count; i++) {
        size_t at = (size_t)(view->items[i].name * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (count - 1);
        while (slots[at] != 0)
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(sums->slots);
    sums->slots = slots;
    sums->slot_count = count;
    return true;
}

/* The item of a name, made if it is new; NULL: no memory. */
static struct range_item *item_of(struct sums *sums, uint64_t name, const struct item *event)
{
    struct range_view *view = &sums->screen->range;
    if (view->count * 2 >= sums->slot_count && !grow(sums))
        return NULL;
    size_t at = (size_t)(name * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (sums->slot_count - 1);
    while (sums->slots[at] != 0) {
        struct range_item *item = &view->items[sums->slots[at] - 1];
        if (item->name == name)
            return item;
        at = (at + 1) & (sums->slot_count - 1);
    }
    void *items = array_reserve(view->items, &view->capacity, view->count + 1, sizeof *view->items);
    if (items == NULL)
        return NULL;
    view->items = items;
    struct timeline_cell look = {0};
    struct range_item *item = &view->items[view->count++];
    sums->slots[at] = (uint32_t)view->count;
    timeline_item_look(sums->screen, event, &look);
    *item = (struct range_item){
        .name = name, .mark = look.mark, .color = look.color, .kind = event->kind, .min_ns = INT64_MAX};
    timeline_item_name(sums->screen, event, item->text, sizeof item->text);
    return item;
}

static void add_event(struct sums *sums, struct event_ref ref, int64_t start_ns, int64_t end_ns)
{
    struct item event = session_event_item(sums->screen->session, ref);
    int64_t duration_ns = end_ns - start_ns;
    if (!timeline_keeps(sums->screen, &event, duration_ns))
        return;
    struct range_item *item = item_of(sums, timeline_name_of(sums->screen->session, &event), &event);
    if (item == NULL) {
        sums->failed = true;
        return;
    }
    int64_t from_ns = start_ns > sums->range.start_ns ? start_ns : sums->range.start_ns;
    int64_t to_ns = end_ns < sums->range.end_ns ? end_ns : sums->range.end_ns;
    item->events++;
    item->total_ns += to_ns > from_ns ? to_ns - from_ns : 0;
    item->sum_ns += (double)duration_ns;
    item->min_ns = duration_ns < item->min_ns ? duration_ns : item->min_ns;
    if (duration_ns > item->max_ns || item->events == 1) {
        item->max_ns = duration_ns;
        item->longest = ref;
    }
    item->bytes += event.kind == ITEM_COPY  ? event.copy.size_bytes
                   : event.kind == ITEM_SET ? event.set.size_bytes
                                            : 0;
}

static void add_lane(struct sums *sums, uint32_t track, uint32_t lane)
{
    const struct session *session = sums->screen->session;
    uint64_t count = session_lane_count_events(session, track, lane);
    struct event_ref ref = {track, lane, session_lane_find(session, track, lane, sums->range.start_ns)};
    for (; ref.index < count && !sums->failed; ref.index++) {
        int64_t start_ns = session_event_start_ns(session, ref);
        if (start_ns >= sums->range.end_ns)
            break;
        add_event(sums, ref, start_ns, session_event_end_ns(session, ref));
    }
}

/* A copy lies on its stream and on its engine: it is counted once. */
static bool is_counted(const struct screen *screen, const struct timeline_member *member)
{
    return session_track(screen->session, member->track)->kind != TRACK_COPY_ENGINE;
}

static uint32_t lanes_of(const struct screen *screen, uint32_t track)
{
    return atomic_load_explicit(&session_track(screen->session, track)->lane_count, memory_order_acquire);
}

static uint64_t events_in(const struct screen *screen, struct window range)
{
    const struct timeline_groups *groups = &screen->timeline.groups;
    uint64_t count = 0;
    for (size_t i = 0; i < groups->count; i++) {
        uint32_t track = groups->members[i].track;
        for (uint32_t lane = 0; is_counted(screen, &groups->members[i]) && lane < lanes_of(screen, track);
             lane++)
            count += session_lane_find(screen->session, track, lane, range.end_ns) -
                     session_lane_find(screen->session, track, lane, range.start_ns);
    }
    return count;
}

static void make(struct screen *screen)
{
    struct range_view *view = &screen->range;
    const struct timeline_groups *groups = &screen->timeline.groups;
    struct sums sums = {.screen = screen, .range = view->range};
    uint64_t events = events_in(screen, view->range);
    view->count = 0;
    view->why[0] = '\0';
    if (events > EVENTS_MOST) {
        snprintf(view->why, sizeof view->why,
                 "There are %s events in this range, too many to look at one by one: zoom in, or mark a "
                 "shorter one with [ and ].",
                 number_short(events).text);
        return;
    }
    for (size_t i = 0; i < groups->count; i++)
        for (uint32_t lane = 0;
             is_counted(screen, &groups->members[i]) && lane < lanes_of(screen, groups->members[i].track);
             lane++)
            add_lane(&sums, groups->members[i].track, lane);
    free(sums.slots);
    if (sums.failed)
        snprintf(view->why, sizeof view->why, "There is not enough memory for the names of this range.");
    else if (view->count == 0)
        snprintf(view->why, sizeof view->why, "No event of the rows shown lies in this range.");
    range_sort(view);
}

void range_update(struct screen *screen)
{
    struct range_view *view = &screen->range;
    const struct timeline *timeline = &screen->timeline;
    struct window range = timeline_range(timeline, &view->marked);
    uint64_t events = session_event_count(screen->session);
    bool same = view->made && view->run == timeline->run && view->range.start_ns == range.start_ns &&
                view->range.end_ns == range.end_ns && view->tracks == timeline->groups.count &&
                strcmp(view->filter, timeline->filter.text) == 0;
    if (same && (view->events == events || screen->frozen || screen->clock_ms - view->made_ms < AGAIN_MS))
        return;
    view->range = range;
    view->run = timeline->run;
    view->events = events;
    view->tracks = timeline->groups.count;
    view->made_ms = screen->clock_ms;
    view->made = true;
    snprintf(view->filter, sizeof view->filter, "%s", timeline->filter.text);
    make(screen);
}

void range_fini(struct range_view *view)
{
    free(view->items);
    *view = (struct range_view){0};
}
