/*
 * A queue per track of calls. What a queue starts with either waits for its work, or has just been taken out.
 */
#include "core/recording/writer/recorder_join.h"
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

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
static bool add_tracks(struct recorder_join *join, uint32_t count)
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
    if (track >= join->track_count && !add_tracks(join, track + 1))
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
