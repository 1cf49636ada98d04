/*
 * Which events are a run's, and the walk over them. Evicted events come in blocks of
 * SESSION_FOLD_EVENTS, of which only the start is exact; the block may have held events of any kind, until
 * the next one starts. So a walk that comes upon one goes on behind its block.
 */
#include "core/session/session_walk.h"

#include "core/session/lane.h"
#include "core/session/session_internal.h"

struct run_scope run_scope_of(const struct session *session, uint32_t run)
{
    struct run_scope scope = {.session = session,
                              .row = run == NONE ? NULL : session_run(session, run),
                              .run = NONE,
                              .start_ns = INT64_MIN,
                              .end_ns = INT64_MAX};
    if (scope.row != NULL) {
        int64_t end_ns = atomic_load_explicit(&scope.row->end_ns, memory_order_acquire);
        scope.run = run;
        scope.start_ns = scope.row->start_ns;
        scope.end_ns = end_ns == INT64_MIN ? INT64_MAX : end_ns;
    }
    scope.from_ns = scope.start_ns;
    scope.until_ns = scope.end_ns;
    if (scope.row != NULL) {
        int64_t first_ns = atomic_load_explicit(&scope.row->first_launch_ns, memory_order_relaxed);
        int64_t last_ns = atomic_load_explicit(&scope.row->last_launch_ns, memory_order_relaxed);
        scope.from_ns = first_ns < scope.from_ns ? first_ns : scope.from_ns;
        scope.until_ns = last_ns >= scope.until_ns ? last_ns + 1 : scope.until_ns;
    }
    return scope;
}

uint8_t run_scope_clock(const struct run_scope *scope)
{
    if (scope->row != NULL)
        return scope->row->clock;
    uint32_t tracks = session_track_count(scope->session);
    for (uint32_t i = 0; i < tracks; i++)
        if (session_track(scope->session, i)->clock == CLOCK_WALL)
            return CLOCK_WALL;
    return CLOCK_MODEL;
}

bool run_scope_has_track(const struct run_scope *scope, const struct track_row *track)
{
    return scope->row == NULL || (track->process == scope->row->process && track->clock == scope->row->clock);
}

bool run_scope_has_event(const struct run_scope *scope, const struct item *item, int64_t start_ns)
{
    if (scope->row == NULL)
        return true;
    const struct kernel_row *kernel =
        item->kind == ITEM_LAUNCH ? session_kernel(scope->session, item->launch.kernel) : NULL;
    if (kernel != NULL)
        return kernel->run == scope->run;
    return start_ns >= scope->start_ns && start_ns < scope->end_ns;
}

static bool is_folded(const struct lane *lane, uint64_t index)
{
    return (lane_item(lane, index).flags & ITEM_FOLDED) != 0;
}

uint64_t run_scope_first(const struct run_scope *scope, uint32_t track, uint32_t lane)
{
    const struct lane *there = session_lane(scope->session, track, lane);
    if (there == NULL || scope->row == NULL)
        return 0;
    uint64_t index = session_lane_find(scope->session, track, lane, scope->from_ns),
             count = lane_count(there);
    /* The block before is folded, and its events may start up to the start of this one. */
    if (index > 0 && (index >= count || lane_start_ns(there, index) > scope->from_ns) &&
        is_folded(there, index - 1))
        index--;
    return index < count && is_folded(there, index) ? index - index % SESSION_FOLD_EVENTS : index;
}

struct walking {
    const struct walk *walk;
    struct run_scope scope;
    walk_visitor *visit;
    void *context;
    bool whole;
};

/* False: the visitor wants no more. */
static bool walk_lane(struct walking *walking, struct walk_event *event)
{
    const struct run_scope *scope = &walking->scope;
    const struct lane *lane = session_lane(scope->session, event->ref.track, event->ref.lane);
    uint64_t count = lane_count(lane), *index = &event->ref.index;
    for (*index = run_scope_first(scope, event->ref.track, event->ref.lane); *index < count; ++*index) {
        lane_event(lane, *index, &event->start_ns, &event->end_ns, &event->item);
        if (event->start_ns >= scope->until_ns)
            break;
        if (event->item.flags & ITEM_FOLDED) {
            walking->whole = false;
            uint64_t end = lane_folded_end(lane, *index);
            *index = end > *index ? end - 1 : *index; /* it may have been refilled meanwhile */
        } else if ((walking->walk->items == 0 || (walking->walk->items >> event->item.kind & 1u) != 0) &&
                   run_scope_has_event(scope, &event->item, event->start_ns) &&
                   !walking->visit(walking->context, event)) {
            return false;
        }
    }
    return true;
}

bool session_walk(const struct session *session, const struct walk *walk, walk_visitor *visit, void *context)
{
    struct walking walking = {.walk = walk,
                              .scope = run_scope_of(session, walk->run),
                              .visit = visit,
                              .context = context,
                              .whole = true};
    uint32_t tracks = session_track_count(session);
    for (uint32_t track = 0; track < tracks; track++) {
        struct walk_event event = {.track = session_track(session, track)};
        if ((walk->tracks >> event.track->kind & 1u) == 0 ||
            !run_scope_has_track(&walking.scope, event.track))
            continue;
        uint32_t lanes = atomic_load_explicit(&event.track->lane_count, memory_order_acquire);
        event.ref.track = track;
        for (event.ref.lane = 0; event.ref.lane < lanes; event.ref.lane++)
            if (!walk_lane(&walking, &event))
                return walking.whole;
    }
    return walking.whole;
}

uint64_t session_walk_events(const struct session *session, const struct walk *walk)
{
    const struct run_scope scope = run_scope_of(session, walk->run);
    uint64_t events = 0;
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        if ((walk->tracks >> row->kind & 1u) == 0 || !run_scope_has_track(&scope, row))
            continue;
        uint32_t lanes = atomic_load_explicit(&row->lane_count, memory_order_acquire);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint64_t first = run_scope_first(&scope, track, lane),
                     end = session_lane_find(session, track, lane, scope.until_ns);
            events += end > first ? end - first : 0;
        }
    }
    return events;
}
