/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The join: a queue per track of calls. What a queue starts with either waits for its work, or has just been
 * taken out.
 *
 * The order: a heap of the lanes by the end of their next event; lanes whose next event may not go out yet
 * are parked beside it. A copy's double on its engine's track is found by what it says of the copy
 * (`doubles`), and so is the parked copy that an engine's lane has reached (`waiting`): neither looks at all
 * lanes.
 *
 * Why something can always go out: of all events left, take the one the session was given first. All that
 * came before it has gone out, so it is its lane's next, and the lower lanes have gone at least as far as
 * they had when the session laid it. Only a count read before another can hide an earlier event; the next
 * refresh shows it.
 */
#include "core/recording/writer/recorder_internal.h"

#include "core/base/array.h"
#include "core/base/clock.h"

#include <stdlib.h>
#include <string.h>

/* ---- the order of events ---- */

#define TRIES_MOST 64
#define PAUSE_NS 50000
#define BUCKETS 4096u /* buckets of an index of lanes; a power of two */
#define OVERDUE 2u    /* refreshes after which an event is written even if it should wait */
#define LEFT_OVER 4u  /* refreshes after which nobody asks for a double any more */

struct lane {
    uint32_t track, number;
    uint64_t next, published; /* index of the next event to be written; published events */
    uint64_t seen;            /* published events, as read during a refresh */
    uint64_t told;            /* events that were reported to the session as recorded */
    int64_t start_ns, end_ns; /* of the next event, when next < published */
    int64_t gone_until_ns;    /* end of the last event that was written; INT64_MIN at first */
    struct item item;         /* the next event's */
    uint8_t place;            /* enum place */
    uint32_t waited;     /* refreshes for which the next event has been parked; for a double, has existed */
    struct lane *chain;  /* the next lane in its bucket, or in its engine track's blocked list */
    struct lane **index; /* the one it is in; NULL: none */
    uint32_t engine;     /* parked: the engine's track that blocks it; NONE: its own track, or no double */
};
enum place { NOWHERE, IN_HEAP, PARKED };

struct track {
    struct lane **lanes;
    uint32_t lane_count;
    bool engine;          /* its events are doubles of copies on streams and are written with them */
    uint32_t parked;      /* lanes of it that are parked */
    struct lane *blocked; /* of an engine's track: parked copies whose double waits for lower lanes here */
};

struct recorder_order {
    const struct session *session;
    struct track *tracks;
    uint32_t track_count;
    struct lane **heap; /* room for every lane */
    size_t heap_count, heap_room, lane_count;
    uint32_t parked;
    struct lane *doubles[BUCKETS],
        *waiting[BUCKETS]; /* engines' lanes by their next event; parked copies without a double */
};

struct recorder_order *recorder_order_create(const struct session *session)
{
    struct recorder_order *order = calloc(1, sizeof *order);
    if (order)
        order->session = session;
    return order;
}

void recorder_order_destroy(struct recorder_order *order)
{
    if (!order)
        return;
    for (uint32_t t = 0; t < order->track_count; t++) {
        for (uint32_t l = 0; l < order->tracks[t].lane_count; l++)
            free(order->tracks[t].lanes[l]);
        free(order->tracks[t].lanes);
    }
    free(order->tracks);
    free(order->heap);
    free(order);
}

size_t recorder_order_bytes(const struct recorder_order *order)
{
    return sizeof *order + order->track_count * sizeof *order->tracks +
           order->lane_count * (sizeof(struct lane) + sizeof(struct lane *)) +
           order->heap_room * sizeof *order->heap;
}

/* ---- heap ---- */
static bool lane_is_before(const struct lane *a, const struct lane *b)
{
    if (a->end_ns != b->end_ns)
        return a->end_ns < b->end_ns;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns;
    return a->track != b->track ? a->track < b->track : a->number < b->number;
}

static void heap_sink(struct recorder_order *order, size_t at)
{
    struct lane *lane = order->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= order->heap_count)
            break;
        if (child + 1 < order->heap_count && lane_is_before(order->heap[child + 1], order->heap[child]))
            child++;
        if (!lane_is_before(order->heap[child], lane))
            break;
        order->heap[at] = order->heap[child];
        at = child;
    }
    order->heap[at] = lane;
}

static void heap_push(struct recorder_order *order, struct lane *lane)
{
    size_t at = order->heap_count++;
    while (at > 0 && lane_is_before(lane, order->heap[(at - 1) / 2])) {
        order->heap[at] = order->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    order->heap[at] = lane;
    lane->place = IN_HEAP;
}

static void heap_pop(struct recorder_order *order)
{
    order->heap[0]->place = NOWHERE;
    order->heap[0] = order->heap[--order->heap_count];
    if (order->heap_count > 0)
        heap_sink(order, 0);
}

/* ---- lanes ---- */
static void lane_load(struct recorder_order *order, struct lane *lane)
{
    struct event_ref ref = {.track = lane->track, .lane = lane->number, .index = lane->next};
    session_event(order->session, ref, &lane->start_ns, &lane->end_ns, &lane->item);
}

static struct lane **bucket_of(struct lane **index, const struct lane *lane)
{
    uint64_t hash = (uint64_t)lane->start_ns * 0x9e3779b97f4a7c15u ^
                    (uint64_t)lane->end_ns * 0xc2b2ae3d27d4eb4fu ^
                    (lane->item.correlation + lane->item.copy.size_bytes) * 0x165667b19e3779f9u;
    return &index[(hash >> 40) & (BUCKETS - 1)];
}

static void index_add(struct lane **index, struct lane *lane)
{
    struct lane **bucket = bucket_of(index, lane);
    lane->chain = *bucket;
    *bucket = lane;
    lane->index = index;
}

static void list_remove(struct lane **list, struct lane *lane)
{
    while (*list != lane)
        list = &(*list)->chain;
    *list = lane->chain;
}

static void index_remove(struct lane *lane)
{
    if (lane->index)
        list_remove(bucket_of(lane->index, lane), lane);
    lane->index = NULL;
}

/* engine: the track on which the double waits for lower lanes; NONE: there is no double yet, or the lane
 * waits for its own track. */
static void lane_park(struct recorder_order *order, struct lane *lane, uint32_t engine, bool no_double)
{
    lane->place = PARKED;
    lane->engine = engine;
    order->tracks[lane->track].parked++;
    order->parked++;
    if (no_double) {
        index_add(order->waiting, lane);
    } else if (engine != NONE) {
        lane->chain = order->tracks[engine].blocked;
        order->tracks[engine].blocked = lane;
    }
}

static void lane_unpark(struct recorder_order *order, struct lane *lane)
{
    index_remove(lane);
    if (lane->engine != NONE)
        list_remove(&order->tracks[lane->engine].blocked, lane);
    lane->engine = NONE;
    lane->place = NOWHERE;
    order->tracks[lane->track].parked--;
    order->parked--;
}

static void track_unpark(struct recorder_order *order, struct track *track)
{
    for (uint32_t l = 0; track->parked > 0 && l < track->lane_count; l++) {
        if (track->lanes[l]->place != PARKED)
            continue;
        lane_unpark(order, track->lanes[l]);
        heap_push(order, track->lanes[l]);
    }
}

/* Its next event has gone out. */
static void lane_advance(struct recorder_order *order, struct lane *lane)
{
    if (lane->end_ns > lane->gone_until_ns)
        lane->gone_until_ns = lane->end_ns;
    lane->next++;
    lane->waited = 0;
    if (lane->next < lane->published)
        lane_load(order, lane);
}

/* Would every lower lane that could take the lane's next event refuse it? A range never goes to a lane below
 * its depth. */
static bool lane_may_go(const struct track *track, const struct lane *lane)
{
    for (uint32_t l = lane->item.kind == ITEM_RANGE ? lane->item.range.depth : 0; l < lane->number; l++)
        if (track->lanes[l]->gone_until_ns <= lane->start_ns)
            return false;
    return true;
}

static bool same_copy(const struct lane *stream, const struct lane *engine)
{
    return stream->start_ns == engine->start_ns && stream->end_ns == engine->end_ns &&
           stream->item.kind == engine->item.kind && stream->item.a == engine->item.a &&
           stream->item.b == engine->item.b && stream->item.correlation == engine->item.correlation &&
           stream->item.copy.size_bytes == engine->item.copy.size_bytes;
}

static uint32_t process_of(const struct recorder_order *order, const struct lane *lane)
{
    return session_track(order->session, lane->track)->process;
}

/* The lane of the index whose next event is the same copy of the same process; the lowest of several. */
static struct lane *index_find(const struct recorder_order *order, struct lane **index,
                               const struct lane *copy)
{
    struct lane *found = NULL;
    for (struct lane *lane = *bucket_of(index, copy); lane; lane = lane->chain)
        if (same_copy(copy, lane) && process_of(order, copy) == process_of(order, lane) &&
            (!found || lane->track < found->track ||
             (lane->track == found->track && lane->number < found->number)))
            found = lane;
    return found;
}

/* The next event of an engine's lane was written: tries the copies again that may have waited for it. */
static void engine_advance(struct recorder_order *order, struct lane *engine)
{
    index_remove(engine);
    lane_advance(order, engine);
    if (engine->next < engine->published) {
        index_add(order->doubles, engine);
        struct lane *copy = index_find(order, order->waiting, engine);
        if (copy) {
            lane_unpark(order, copy);
            heap_push(order, copy);
        }
    }
    struct track *track = &order->tracks[engine->track];
    for (struct lane *copy = track->blocked, *next; copy; copy = next) {
        next = copy->chain;
        lane_unpark(order, copy);
        heap_push(order, copy);
    }
}

/* A copy on a stream has a double on its engine's track. */
static bool is_doubled(const struct recorder_order *order, const struct lane *lane)
{
    return lane->item.kind == ITEM_COPY && session_track(order->session, lane->track)->kind == TRACK_STREAM;
}

/* ---- refresh ---- */
static bool track_add_lanes(struct recorder_order *order, uint32_t number, uint32_t lane_count)
{
    struct track *track = &order->tracks[number];
    if (lane_count > track->lane_count) {
        struct lane **lanes = realloc(track->lanes, lane_count * sizeof(struct lane *));
        if (!lanes)
            return false;
        track->lanes = lanes;
    }
    while (track->lane_count < lane_count) {
        if (!array_grow(order->heap, order->heap_room, order->lane_count, 1))
            return false;
        struct lane *lane = calloc(1, sizeof *lane);
        if (!lane)
            return false;
        lane->track = number;
        lane->number = track->lane_count;
        lane->gone_until_ns = INT64_MIN;
        lane->engine = NONE;
        track->lanes[track->lane_count++] = lane;
        order->lane_count++;
    }
    return true;
}

static bool add_tracks(struct recorder_order *order)
{
    uint32_t count = session_track_count(order->session);
    if (count > order->track_count) {
        struct track *tracks = realloc(order->tracks, count * sizeof *tracks);
        if (!tracks)
            return false;
        order->tracks = tracks;
        for (uint32_t t = order->track_count; t < count; t++)
            tracks[t] = (struct track){.engine = session_track(order->session, t)->kind == TRACK_COPY_ENGINE};
        order->track_count = count;
    }
    for (uint32_t t = 0; t < count; t++) {
        uint32_t lanes =
            atomic_load_explicit(&session_track(order->session, t)->lane_count, memory_order_acquire);
        if (!track_add_lanes(order, t, lanes))
            return false;
    }
    return true;
}

static bool read_counts(struct recorder_order *order)
{
    if (!add_tracks(order))
        return false;
    for (uint32_t t = 0; t < order->track_count; t++)
        for (uint32_t l = 0; l < order->tracks[t].lane_count; l++)
            order->tracks[t].lanes[l]->seen = session_lane_count_events(order->session, t, l);
    return true;
}

/* Reads the counts of all lanes at one moment: a transaction then adds all that the session had until then,
 * and if lanescope is killed no lane has a gap. The session counts an event before it receives the next one,
 * so the counts belong together if none changed while they were read. If the writer never pauses that long
 * (it works in bursts), the last counts are taken as they are. */
static bool read_counts_at_once(struct recorder_order *order)
{
    for (int tries = 0; tries < TRIES_MOST; tries++) {
        uint64_t before = session_event_count(order->session);
        if (!read_counts(order))
            return false;
        if (session_event_count(order->session) == before)
            break;
        if (tries >= TRIES_MOST / 2)
            clock_pause(PAUSE_NS);
    }
    return true;
}

/* Skips doubles of copies that were written without them: they would block their lanes. */
static void leave_out_doubles(struct recorder_order *order)
{
    for (uint32_t t = 0; t < order->track_count; t++)
        for (uint32_t l = 0; order->tracks[t].engine && l < order->tracks[t].lane_count; l++) {
            struct lane *lane = order->tracks[t].lanes[l];
            if (lane->index && lane->waited >= LEFT_OVER)
                engine_advance(order, lane);
        }
}

bool recorder_order_refresh(struct recorder_order *order)
{
    bool all_out = order->heap_count == 0;
    if (!read_counts_at_once(order))
        return false;
    for (uint32_t t = 0; t < order->track_count; t++) {
        struct track *track = &order->tracks[t];
        for (uint32_t l = 0; l < track->lane_count; l++) {
            struct lane *lane = track->lanes[l];
            bool empty = lane->next == lane->published;
            lane->published = lane->seen;
            if (empty && lane->next < lane->published) {
                lane_load(order, lane);
                if (track->engine)
                    index_add(order->doubles, lane);
            }
            lane->waited += lane->place == PARKED || (all_out && lane->index == order->doubles);
            if (empty && lane->next < lane->published && !track->engine)
                heap_push(order, lane);
        }
        track_unpark(order, track);
    }
    leave_out_doubles(order);
    return true;
}

void recorder_order_recorded(struct recorder_order *order)
{
    for (uint32_t t = 0; t < order->track_count; t++)
        for (uint32_t l = 0; l < order->tracks[t].lane_count; l++) {
            struct lane *lane = order->tracks[t].lanes[l];
            if (lane->next == lane->told)
                continue;
            lane->told = lane->next;
            session_set_recorded(order->session, t, l, lane->told);
        }
}

uint64_t recorder_order_waiting(const struct recorder_order *order)
{
    uint64_t waiting = 0;
    for (uint32_t t = 0; t < order->track_count; t++)
        for (uint32_t l = 0; !order->tracks[t].engine && l < order->tracks[t].lane_count; l++)
            waiting += order->tracks[t].lanes[l]->published - order->tracks[t].lanes[l]->next;
    return waiting;
}

/* ---- next ---- */
/* Writes the next event of the lane at the top of the heap, or of a parked lane. */
static void lane_emit(struct recorder_order *order, struct lane *lane, struct lane *engine,
                      struct ordered_event *event)
{
    *event = (struct ordered_event){.track = lane->track,
                                    .lane = lane->number,
                                    .start_ns = lane->start_ns,
                                    .end_ns = lane->end_ns,
                                    .item = lane->item};
    lane_advance(order, lane);
    if (lane->place == IN_HEAP && lane->next < lane->published)
        heap_sink(order, 0);
    else if (lane->place == IN_HEAP)
        heap_pop(order);
    else if (lane->next < lane->published)
        heap_push(order, lane);
    if (engine)
        engine_advance(order, engine);
    track_unpark(order, &order->tracks[lane->track]);
}

/* Takes a parked lane that has waited long enough: its lanes do not follow the rule, or its copy has no
 * double. */
static struct lane *overdue_lane(struct recorder_order *order, uint32_t refreshes)
{
    struct lane *first = NULL;
    for (uint32_t t = 0; order->parked > 0 && t < order->track_count; t++)
        for (uint32_t l = 0; order->tracks[t].parked > 0 && l < order->tracks[t].lane_count; l++) {
            struct lane *lane = order->tracks[t].lanes[l];
            if (lane->place == PARKED && lane->waited >= refreshes && (!first || lane_is_before(lane, first)))
                first = lane;
        }
    return first;
}

/* The next event, or false if there is none now. An event that waited for others during two refreshes is
 * given out nevertheless. last: the session has ended, so do not wait for events that are not there. */
static bool recorder_order_next(struct recorder_order *order, bool last, struct ordered_event *event)
{
    while (order->heap_count > 0) {
        struct lane *lane = order->heap[0];
        struct lane *engine = NULL;
        bool may = lane_may_go(&order->tracks[lane->track], lane), no_double = false;
        uint32_t blocks = NONE;
        if (may && is_doubled(order, lane)) {
            engine = index_find(order, order->doubles, lane);
            no_double = !engine;
            may = engine && lane_may_go(&order->tracks[engine->track], engine);
            blocks = engine && !may ? engine->track : NONE;
        }
        if (may) {
            lane_emit(order, lane, engine, event);
            return true;
        }
        heap_pop(order);
        lane_park(order, lane, blocks, no_double);
    }
    struct lane *lane = overdue_lane(order, last ? 0 : OVERDUE);
    if (!lane)
        return false;
    struct lane *engine = is_doubled(order, lane) ? index_find(order, order->doubles, lane) : NULL;
    lane_unpark(order, lane);
    lane_emit(order, lane, engine, event);
    return true;
}

/* ---- calls and their work ---- */

#define WAIT_NS 50000000
#define SLOTS 16384u /* calls that can wait at once; if there is one more, an earlier one stops waiting */

struct call {
    struct ordered_event event;
    bool waits;
};

/* Calls first...last-1, numbered from the start; call n lies at calls[n % room]. */
struct queue {
    uint32_t track, process;
    uint8_t clock;
    struct call *calls;
    uint64_t first, last, room; /* room: a power of two */
};

struct slot {
    uint32_t queue; /* NONE: empty */
    uint64_t number;
};

struct recorder_join {
    const struct session *session;
    struct recorder_order *order;
    struct queue *queues;
    uint32_t queue_count, queue_room;
    uint32_t *queue_of_track; /* NONE: none yet */
    uint32_t track_count;
    struct slot slots[SLOTS]; /* waiting calls by their correlation */
    /* by clock: */
    int64_t position_ns[CLOCK_COUNT]; /* latest end of all events taken */
    int64_t due_ns[CLOCK_COUNT];      /* position at which the first waiting call stops waiting */
    bool changed;                     /* the head of a queue may be ready to be written */
};

struct recorder_join *recorder_join_create(const struct session *session, struct recorder_order *order)
{
    struct recorder_join *join = calloc(1, sizeof *join);
    if (!join)
        return NULL;
    join->session = session;
    join->order = order;
    for (size_t clock = 0; clock < CLOCK_COUNT; clock++) {
        join->position_ns[clock] = INT64_MIN;
        join->due_ns[clock] = INT64_MAX;
    }
    for (size_t i = 0; i < SLOTS; i++)
        join->slots[i].queue = NONE;
    return join;
}

void recorder_join_destroy(struct recorder_join *join)
{
    if (!join)
        return;
    for (uint32_t q = 0; q < join->queue_count; q++)
        free(join->queues[q].calls);
    free(join->queues);
    free(join->queue_of_track);
    free(join);
}

size_t recorder_join_bytes(const struct recorder_join *join)
{
    size_t bytes = sizeof *join + join->queue_room * sizeof *join->queues +
                   join->track_count * sizeof *join->queue_of_track;
    for (uint32_t q = 0; q < join->queue_count; q++)
        bytes += join->queues[q].room * sizeof *join->queues[q].calls;
    return bytes;
}

static struct call *call_at(const struct queue *queue, uint64_t number)
{
    return &queue->calls[number & (queue->room - 1)];
}

/* ---- queues ---- */
static bool grow_tracks(struct recorder_join *join, uint32_t count)
{
    uint32_t *tracks = realloc(join->queue_of_track, count * sizeof *tracks);
    if (!tracks)
        return false;
    for (uint32_t t = join->track_count; t < count; t++)
        tracks[t] = NONE;
    join->queue_of_track = tracks;
    join->track_count = count;
    return true;
}

/* The queue of a track; NULL when memory ran out. */
static struct queue *queue_of(struct recorder_join *join, uint32_t track)
{
    if (track >= join->track_count && !grow_tracks(join, track + 1))
        return NULL;
    if (join->queue_of_track[track] != NONE)
        return &join->queues[join->queue_of_track[track]];
    if (!array_grow(join->queues, join->queue_room, join->queue_count, 1))
        return NULL;
    struct queue *queue = &join->queues[join->queue_count];
    const struct track_row *row = session_track(join->session, track);
    *queue = (struct queue){.track = track, .process = row->process, .clock = row->clock};
    join->queue_of_track[track] = join->queue_count++;
    return queue;
}

static bool queue_grow(struct queue *queue)
{
    uint64_t room = queue->room ? 2 * queue->room : 256;
    struct call *calls = malloc(room * sizeof *calls);
    if (!calls)
        return false;
    for (uint64_t n = queue->first; n < queue->last; n++)
        calls[n & (room - 1)] = *call_at(queue, n);
    free(queue->calls);
    queue->calls = calls;
    queue->room = room;
    return true;
}

/* ---- waiting calls ---- */
static struct slot *slot_of(struct recorder_join *join, uint32_t correlation)
{
    return &join->slots[correlation % SLOTS];
}

/* The call that waits in the slot; NULL if it no longer waits. */
static struct call *slot_call(const struct recorder_join *join, const struct slot *slot)
{
    if (slot->queue == NONE)
        return NULL;
    const struct queue *queue = &join->queues[slot->queue];
    if (slot->number < queue->first)
        return NULL;
    struct call *call = call_at(queue, slot->number);
    return call->waits ? call : NULL;
}

/* Only a call whose fields all fit into the columns of its work's row can wait for it. */
static bool may_wait(const struct ordered_event *event)
{
    const struct item *item = &event->item;
    return item->kind == ITEM_CALL && item->flags == 0 && item->correlation != 0 && item->call.result == 0 &&
           (item->b == CALL_LAUNCH || item->b == CALL_COPY || item->b == CALL_SET) &&
           event->end_ns - event->start_ns < UINT32_MAX;
}

static bool queue_push(struct recorder_join *join, const struct ordered_event *event)
{
    struct queue *queue = queue_of(join, event->track);
    if (!queue || (queue->last - queue->first == queue->room && !queue_grow(queue)))
        return false;
    struct call *call = call_at(queue, queue->last);
    *call = (struct call){.event = *event, .waits = may_wait(event)};
    if (call->waits) {
        struct slot *slot = slot_of(join, event->item.correlation);
        struct call *other = slot_call(join, slot);
        if (other)
            other->waits = false;
        *slot = (struct slot){.queue = join->queue_of_track[event->track], .number = queue->last};
    }
    queue->last++;
    join->changed = true;
    return true;
}

/* Takes the first call of a queue that is ready; false if all first calls wait. */
static bool pop_free(struct recorder_join *join, bool flush, struct ordered_event *event)
{
    bool due = flush || join->changed;
    for (size_t clock = 0; clock < CLOCK_COUNT; clock++)
        due |= join->position_ns[clock] >= join->due_ns[clock];
    if (!due)
        return false;
    for (size_t clock = 0; clock < CLOCK_COUNT; clock++)
        join->due_ns[clock] = INT64_MAX;
    for (uint32_t q = 0; q < join->queue_count; q++) {
        struct queue *queue = &join->queues[q];
        if (queue->first == queue->last)
            continue;
        struct call *call = call_at(queue, queue->first);
        int64_t due_ns = call->event.end_ns + WAIT_NS;
        if (flush || !call->waits || due_ns <= join->position_ns[queue->clock]) {
            *event = call->event;
            queue->first++;
            join->changed = true;
            return true;
        }
        if (due_ns < join->due_ns[queue->clock])
            join->due_ns[queue->clock] = due_ns;
    }
    join->changed = false;
    return false;
}

/* ---- joining ---- */
static uint8_t category_of(uint8_t kind)
{
    return kind == ITEM_LAUNCH ? CALL_LAUNCH : kind == ITEM_COPY ? CALL_COPY : CALL_SET;
}

/* Does the work's row give the time of this call? */
static bool call_belongs(const struct recorder_join *join, const struct ordered_event *work,
                         const struct slot *slot, const struct call *call)
{
    const struct ordered_event *event = &call->event;
    return event->item.correlation == work->item.correlation &&
           event->item.b == category_of(work->item.kind) &&
           join->queues[slot->queue].process == session_track(join->session, work->track)->process &&
           work->item.launch.call_start_ns == event->start_ns &&
           work->item.launch.call_duration_ns == (uint64_t)(event->end_ns - event->start_ns);
}

static void take_call(struct recorder_join *join, struct joined_event *joined)
{
    if (joined->event.item.kind > ITEM_SET || joined->event.item.correlation == 0)
        return;
    struct slot *slot = slot_of(join, joined->event.item.correlation);
    struct call *call = slot_call(join, slot);
    if (!call || !call_belongs(join, &joined->event, slot, call))
        return;
    struct queue *queue = &join->queues[slot->queue];
    join->changed = true;
    if (slot->number != queue->first) {
        call->waits = false;
        return;
    }
    joined->has_call = true;
    joined->call = call->event;
    queue->first++;
}

static bool has_queue(const struct recorder_join *join, uint32_t track)
{
    return track < join->track_count && join->queue_of_track[track] != NONE;
}

static void move_on(struct recorder_join *join, enum clock_kind clock, int64_t to_ns)
{
    if (to_ns > join->position_ns[clock])
        join->position_ns[clock] = to_ns;
}

enum join_result recorder_join_next(struct recorder_join *join, const int64_t now_ns[CLOCK_COUNT], bool flush,
                                    bool last, struct joined_event *joined)
{
    joined->has_call = false;
    for (;;) {
        if (pop_free(join, false, &joined->event))
            return JOIN_EVENT;
        if (!recorder_order_next(join->order, last, &joined->event)) {
            for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++)
                move_on(join, clock, now_ns[clock]);
            return pop_free(join, flush, &joined->event) ? JOIN_EVENT : JOIN_NOTHING;
        }
        move_on(join, session_track(join->session, joined->event.track)->clock, joined->event.end_ns);
        if (joined->event.item.kind != ITEM_CALL && !has_queue(join, joined->event.track)) {
            take_call(join, joined);
            return JOIN_EVENT;
        }
        if (!queue_push(join, &joined->event))
            return JOIN_NO_MEMORY;
    }
}

int64_t recorder_join_until_ns(const struct recorder_join *join, enum clock_kind clock, int64_t now_ns)
{
    for (uint32_t q = 0; q < join->queue_count; q++) {
        const struct queue *queue = &join->queues[q];
        if (queue->clock == clock && queue->first < queue->last &&
            call_at(queue, queue->first)->event.end_ns < now_ns)
            now_ns = call_at(queue, queue->first)->event.end_ns;
    }
    return now_ns;
}
