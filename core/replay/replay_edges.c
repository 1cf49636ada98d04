/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What waits for what, as far as times do not say it by themselves: the source of each wait for an event, the
 * node of a graph that another follows, what long calls waited for, and threads that go on when another's
 * call has ended. All by order of issue and by ends: `by_stream` has the operations of each stream in order
 * of issue, which is that of their starts and ends.
 */
#include "core/base/array.h"
#include "core/replay/replay_internal.h"

#include <stdlib.h>
#include <string.h>

#define SOON_NS 20000      /* what starts so soon after an event's source waited for it */
#define OVERLAP_NS 500     /* times of two streams may cross by so much */
#define HAND_GAP_NS 100000 /* a gap of a thread that another thread may have ended */
#define BLOCKED_NS 15000   /* shorter calls of a kind that need not wait did not */
#define BLOCKED_TIMES 1.8  /* and so did those below so many medians */
#define RETURN_NS 60000    /* a call returns by then after what it waited for */
#define QUEUE_RETURN_NS 8000
#define OWN_LATE_NS 10000 /* a copy that its call waits for may end so long after it: H200, pageable memory */

static enum status sort_by_stream(struct replay *replay, struct error *error)
{
    replay->by_stream = array_make(replay->operation_count + 1, sizeof *replay->by_stream);
    replay->stream_first = calloc(replay->stream_count + 2, sizeof *replay->stream_first);
    if (!replay->by_stream || !replay->stream_first)
        return error_no_memory(error, "to replay the run");
    uint32_t *first = replay->stream_first + 1;
    for (size_t i = 0; i < replay->operation_count; i++)
        first[replay->operations[i].stream + 1]++;
    for (size_t s = 1; s <= replay->stream_count; s++)
        first[s] += first[s - 1];
    for (size_t i = 0; i < replay->operation_count; i++)
        replay->by_stream[first[replay->operations[i].stream]++] = (uint32_t)i;
    return STATUS_OK; /* stream_first[s] now begins s, since first[s] has gone on to its end */
}

/* In by_stream, the first place in [low, high) whose operation was issued by a call that began at time_ns or
 * later; or, by_end, that ended after it. */
static uint32_t place_of(const struct replay *replay, uint32_t stream, int64_t time_ns, bool by_end)
{
    uint32_t low = replay->stream_first[stream], high = replay->stream_first[stream + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct replay_operation *operation = &replay->operations[replay->by_stream[middle]];
        bool before =
            by_end ? operation->end_ns <= time_ns : replay->calls[operation->call].start_ns < time_ns;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t replay_ended(const struct replay *replay, uint32_t stream, int64_t end_ns, size_t call)
{
    uint32_t place = place_of(replay, stream, end_ns, true);
    while (place > replay->stream_first[stream]) {
        uint32_t at = replay->by_stream[--place];
        if (replay->operations[at].call < call)
            return at;
    }
    return NONE;
}

uint32_t replay_running(const struct replay *replay, uint32_t stream, int64_t time_ns, size_t call)
{
    uint32_t place = place_of(replay, stream, time_ns, true);
    if (place == replay->stream_first[stream + 1])
        return NONE;
    uint32_t at = replay->by_stream[place];
    const struct replay_operation *operation = &replay->operations[at];
    return operation->start_ns < time_ns && operation->call < call ? at : NONE;
}

/* ---- events ---- */

/* The operation of another stream that a wait was for: issued before it, and ended just before the first
 * operation after it began. If there is none, and one stream alone was still at work, that one's last. */
static uint32_t event_source(const struct replay *replay, const struct replay_stream_wait *wait,
                             const struct replay_operation *operation)
{
    uint32_t best = NONE, running = NONE, others = 0;
    for (uint32_t s = 0; s < replay->stream_count; s++) {
        uint32_t first = replay->stream_first[s];
        if (s == wait->stream || replay->streams[s].process != replay->streams[wait->stream].process)
            continue;
        uint32_t issued = place_of(replay, s, wait->time_ns, false);
        if (issued == first)
            continue;
        uint32_t last = replay->by_stream[issued - 1];
        if (replay->operations[last].end_ns > wait->time_ns) {
            running = last;
            others++;
        }
        uint32_t ended = place_of(replay, s, operation->start_ns + OVERLAP_NS, true);
        ended = ended < issued ? ended : issued;
        if (ended == first)
            continue;
        uint32_t at = replay->by_stream[ended - 1];
        if (operation->start_ns - replay->operations[at].end_ns < SOON_NS &&
            (best == NONE || replay->operations[at].end_ns > replay->operations[best].end_ns))
            best = at;
    }
    if (best == NONE && others == 1 && replay->operations[running].end_ns <= operation->start_ns + OVERLAP_NS)
        best = running;
    return best;
}

static int by_to(const void *a, const void *b)
{
    const struct replay_edge *left = a, *right = b;
    return (left->to > right->to) - (left->to < right->to);
}

static enum status find_events(struct replay *replay, struct error *error)
{
    for (size_t i = 0; i < replay->wait_count; i++) {
        const struct replay_stream_wait *wait = &replay->waits[i];
        uint32_t place = place_of(replay, wait->stream, wait->time_ns, false);
        if (place == replay->stream_first[wait->stream + 1])
            continue;
        uint32_t to = replay->by_stream[place];
        uint32_t from = event_source(replay, wait, &replay->operations[to]);
        if (from == NONE || from >= to)
            continue;
        if (!array_grow(replay->events, replay->event_room, replay->event_count, 1))
            return error_no_memory(error, "to replay the run");
        replay->events[replay->event_count++] = (struct replay_edge){to, from};
        replay->facts.waits_found++;
    }
    if (replay->event_count > 0)
        qsort(replay->events, replay->event_count, sizeof *replay->events, by_to);
    return STATUS_OK;
}

/* ---- nodes of a launch ---- */

/* Each follows the node of its launch that ended last before it began. A launch of many nodes: the search
 * goes back over its nodes in order of start, whose ends come nearly in order. */
#define NODES_BACK 64
static void find_nodes(struct replay *replay)
{
    for (size_t i = 0; i < replay->operation_count; i++) {
        struct replay_operation *operation = &replay->operations[i];
        if ((operation->flags & REPLAY_OPERATION_NODE) == 0)
            continue;
        for (size_t k = i, back = 0; k > 0 && back < NODES_BACK; back++) {
            const struct replay_operation *before = &replay->operations[--k];
            if (before->call != operation->call)
                break;
            if (before->end_ns <= operation->start_ns + OVERLAP_NS &&
                (operation->source == NONE || before->end_ns > replay->operations[operation->source].end_ns))
                operation->source = (uint32_t)k;
        }
    }
}

/* ---- calls ---- */

#define NAMES_MAX 256 /* further names have no median of their own */

struct durations { /* of the calls of one name, by powers of the fourth root of 2 */
    uint64_t counts[4 * 64];
    uint64_t count;
};

/* Half of a power of 2 is split in four: within 19 % of the duration. */
static unsigned duration_class(int64_t duration_ns)
{
    uint64_t ns = duration_ns > 4 ? (uint64_t)duration_ns : 4;
    unsigned power = 63u - (unsigned)__builtin_clzll(ns);
    return 4 * power + (unsigned)(ns >> (power - 2) & 3u);
}

/* The median duration of calls of each name, as the upper end of its class. */
static int64_t *call_medians(const struct replay *replay, uint32_t *names, size_t *name_count)
{
    struct durations *durations = NULL;
    size_t room = 0;
    *name_count = 0;
    for (size_t i = 0; i < replay->call_count; i++) {
        const struct replay_call *call = &replay->calls[i];
        size_t at = 0;
        while (at < *name_count && names[at] != call->name)
            at++;
        if (at == *name_count) {
            if (at == NAMES_MAX || !array_grow_zeroed(durations, room, at, 1))
                continue;
            names[(*name_count)++] = call->name;
        }
        durations[at].counts[duration_class(call->end_ns - call->start_ns)]++;
        durations[at].count++;
    }
    int64_t *medians = calloc(*name_count + 1, sizeof *medians);
    for (size_t at = 0; medians && at < *name_count; at++) {
        uint64_t seen = 0;
        for (unsigned class = 8; class < 4 * 64; class ++) {
            seen += durations[at].counts[class];
            if (2 * seen >= durations[at].count) {
                medians[at] = (INT64_C(5) + (class & 3u)) << (class / 4 - 2);
                break;
            }
        }
    }
    free(durations);
    return medians;
}

/* The operation of the process, issued before the call, that ended last before the call's end, while the
 * call waited and by slack_ns before its end; NONE. */
static uint32_t ended_before(const struct replay *replay, size_t at, int64_t slack_ns)
{
    const struct replay_call *call = &replay->calls[at];
    uint32_t process = replay->threads[call->thread].process, best = NONE;
    for (uint32_t s = 0; s < replay->stream_count; s++) {
        uint32_t ended =
            replay->streams[s].process == process ? replay_ended(replay, s, call->end_ns, at) : NONE;
        if (ended != NONE &&
            (best == NONE || replay->operations[ended].end_ns > replay->operations[best].end_ns))
            best = ended;
    }
    if (best == NONE)
        return NONE;
    int64_t end_ns = replay->operations[best].end_ns;
    return end_ns > call->start_ns && call->end_ns - end_ns <= slack_ns ? best : NONE;
}

/* A synchronisation without a record of what it waits for says it by its name. */
static void wait_by_name(struct replay *replay, struct replay_call *call)
{
    const char *name = session_string(replay->session, call->name);
    uint32_t process = replay->threads[call->thread].process, stream = call->source;
    call->source = NONE;
    if (strstr(name, "EventSynchronize")) {
        call->wait = REPLAY_WAITS_EVENT;
    } else if (strstr(name, "StreamSynchronize")) {
        for (size_t s = 0; s < replay->stream_count && call->wait == REPLAY_WAITS_NOT; s++)
            if (replay->streams[s].process == process && replay->streams[s].stream == stream) {
                call->wait = REPLAY_WAITS_STREAM;
                call->source = (uint32_t)s;
            }
    } else if (strstr(name, "Synchronize")) {
        for (size_t c = 0; c < replay->context_count && call->wait == REPLAY_WAITS_NOT; c++)
            if (replay->contexts[c].process == process) {
                call->wait = REPLAY_WAITS_CONTEXT;
                call->source = (uint32_t)c;
            }
    }
}

/* A copy that blocks its call: it ran within it, and is no asynchronous one between pinned memory and device. */
static bool waits_for_own(const struct replay *replay, size_t at)
{
    const struct replay_call *call = &replay->calls[at];
    for (uint32_t i = call->operations; i < replay_operations_end(replay, at); i++) {
        const struct replay_operation *own = &replay->operations[i];
        bool pageable = own->kind == REPLAY_IN_PAGEABLE || own->kind == REPLAY_OUT_PAGEABLE;
        if ((pageable || (own->flags & REPLAY_OPERATION_ASYNC) == 0) && own->start_ns < call->end_ns &&
            own->end_ns <= call->end_ns + OWN_LATE_NS)
            return true;
    }
    return false;
}

static void find_wait(struct replay *replay, size_t at, int64_t median_ns)
{
    struct replay_call *call = &replay->calls[at];
    int64_t duration_ns = call->end_ns - call->start_ns;
    if (call->category == CALL_SYNC && call->wait == REPLAY_WAITS_NOT)
        wait_by_name(replay, call);
    else if (call->wait == REPLAY_WAITS_NOT)
        call->source = NONE;
    if (call->wait == REPLAY_WAITS_EVENT)
        call->source = ended_before(replay, at, RETURN_NS);
    if (call->wait != REPLAY_WAITS_NOT)
        return;
    if ((call->category == CALL_COPY || call->category == CALL_OTHER) && waits_for_own(replay, at)) {
        call->wait = REPLAY_WAITS_OWN;
        return;
    }
    bool memory = call->category == CALL_ALLOC || call->category == CALL_FREE;
    bool issues = call->category == CALL_LAUNCH || call->category == CALL_COPY || call->category == CALL_SET;
    bool is_long = duration_ns > BLOCKED_NS &&
                   (call->category == CALL_FREE || (double)duration_ns > BLOCKED_TIMES * (double)median_ns);
    if (!is_long || (!memory && !issues) || (call->flags & REPLAY_CALL_LOADS) != 0)
        return;
    uint32_t source = ended_before(replay, at, memory ? RETURN_NS : QUEUE_RETURN_NS);
    if (source != NONE) {
        call->wait = memory ? REPLAY_WAITS_FREE : REPLAY_WAITS_QUEUE;
        call->source = source;
    }
}

/* Makes or asks for something, and neither issues work nor waits for any: a stream, an event, the free memory. Events
 * that are recorded or waited for order the work. */
static bool is_aside(const struct replay *replay, size_t at)
{
    static const char *const parts[] = {"Create",       "Destroy",       "GetInfo",
                                        "GetAttribute", "GetProperties", "Register"};
    const struct replay_call *call = &replay->calls[at];
    if ((call->category != CALL_OTHER && call->category != CALL_STREAM) || call->wait != REPLAY_WAITS_NOT ||
        (call->flags & REPLAY_CALL_LOADS) != 0 || call->operations != replay_operations_end(replay, at))
        return false;
    const char *name = session_string(replay->session, call->name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

static enum status find_waits(struct replay *replay, struct error *error)
{
    uint32_t names[NAMES_MAX];
    size_t name_count;
    int64_t *medians = call_medians(replay, names, &name_count);
    if (!medians)
        return error_no_memory(error, "to replay the run");
    size_t at = 0;
    for (size_t i = 0; i < replay->call_count; i++) {
        for (size_t tried = 0; tried < name_count && names[at] != replay->calls[i].name; tried++)
            at = at + 1 < name_count ? at + 1 : 0;
        find_wait(replay, i, medians[at]);
        replay->calls[i].flags |= is_aside(replay, i) ? REPLAY_CALL_ASIDE : 0;
    }
    free(medians);
    return STATUS_OK;
}

/* ---- threads ---- */

struct thread_last {
    uint32_t call; /* NONE: none */
    bool captures;
};

/* The last call of another thread of the process that ended in the gap before the call, and after which its
 * thread made no other; NONE. */
static uint32_t hand_of(const struct replay *replay, const struct thread_last *last, size_t at)
{
    const struct replay_call *call = &replay->calls[at];
    uint32_t own = last[call->thread].call, best = NONE;
    int64_t since_ns = own == NONE ? INT64_MIN : replay->calls[own].end_ns;
    if (own != NONE && call->start_ns - since_ns < HAND_GAP_NS)
        return NONE;
    for (size_t t = 0; t < replay->thread_count; t++) {
        uint32_t other = last[t].call;
        if (t == call->thread || other == NONE ||
            replay->threads[t].process != replay->threads[call->thread].process)
            continue;
        int64_t end_ns = replay->calls[other].end_ns;
        if (end_ns <= call->start_ns && end_ns > since_ns &&
            (best == NONE || end_ns > replay->calls[best].end_ns))
            best = other;
    }
    return best;
}

static void follow_capture(const struct replay *replay, struct thread_last *last, struct replay_call *call)
{
    if ((call->flags & REPLAY_CALL_LOADS) != 0) {
        const char *name = session_string(replay->session, call->name);
        last->captures = strstr(name, "BeginCapture") || (last->captures && !strstr(name, "EndCapture"));
    } else if (last->captures) {
        call->flags |= REPLAY_CALL_CAPTURED;
    }
}

static enum status find_hands(struct replay *replay, struct error *error)
{
    struct thread_last *last = malloc((replay->thread_count + 1) * sizeof *last);
    enum status status = last ? STATUS_OK : error_no_memory(error, "to replay the run");
    for (size_t t = 0; last && t < replay->thread_count; t++)
        last[t] = (struct thread_last){.call = NONE};
    for (size_t i = 0; i < replay->call_count && status == STATUS_OK; i++) {
        struct replay_call *call = &replay->calls[i];
        uint32_t from = replay->thread_count > 1 ? hand_of(replay, last, i) : NONE;
        follow_capture(replay, &last[call->thread], call);
        last[call->thread].call = (uint32_t)i;
        if (from == NONE)
            continue;
        if (!array_grow(replay->hands, replay->hand_room, replay->hand_count, 1))
            status = error_no_memory(error, "to replay the run");
        else
            replay->hands[replay->hand_count++] = (struct replay_edge){(uint32_t)i, from};
    }
    free(last);
    if (status == STATUS_OK && replay->hand_count > 0) {
        replay->call_ends_ns = array_make(replay->call_count + 1, sizeof *replay->call_ends_ns);
        if (!replay->call_ends_ns)
            status = error_no_memory(error, "to replay the run");
    }
    return status;
}

enum status replay_find_edges(struct replay *replay, struct error *error)
{
    enum status status = sort_by_stream(replay, error);
    if (status == STATUS_OK)
        status = find_events(replay, error);
    if (status == STATUS_OK)
        status = find_waits(replay, error);
    if (status == STATUS_OK)
        status = find_hands(replay, error);
    if (status == STATUS_OK)
        find_nodes(replay);
    return status;
}
