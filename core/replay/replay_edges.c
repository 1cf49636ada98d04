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
#define QUEUE_FULL 400    /* operations that are issued and have not ended; a stream holds some 1,000 */
#define QUEUE_HOSTS 32    /* with host functions among them: H200, 110 */
#define OWN_LATE_PART 8   /* H200: copies of 580 us end 16 us after the call */
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

/* What a recorded event waits for: the last operation of its stream that was issued before the call that recorded
 * it; in the legacy stream that of any blocking stream of the context that ended last. NONE: there is none. */
static uint32_t recorded_operation(const struct replay *replay, const struct replay_stream_wait *wait)
{
    const struct replay_stream *of = &replay->streams[wait->record];
    uint32_t best = NONE;
    for (uint32_t s = 0; s < replay->stream_count; s++) {
        const struct replay_stream *stream = &replay->streams[s];
        bool with =
            s == wait->record || ((of->flags & STREAM_DEFAULT) != 0 && stream->context == of->context &&
                                  (stream->flags & STREAM_NON_BLOCKING) == 0);
        uint32_t issued = with ? place_of(replay, s, wait->record_ns, false) : replay->stream_first[s];
        if (issued == replay->stream_first[s])
            continue;
        uint32_t last = replay->by_stream[issued - 1];
        if (best == NONE || replay->operations[last].end_ns > replay->operations[best].end_ns)
            best = last;
    }
    return best;
}

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
        if (wait->stream == NONE)
            continue;
        uint32_t place = place_of(replay, wait->stream, wait->time_ns, false);
        if (place == replay->stream_first[wait->stream + 1])
            continue;
        uint32_t to = replay->by_stream[place];
        uint32_t from = wait->record_ns == INT64_MIN ? event_source(replay, wait, &replay->operations[to])
                        : wait->record == NONE       ? NONE
                                                     : recorded_operation(replay, wait);
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

/* A recording has no edges of graphs. Each node follows the node of its launch that ended last before it began; one that
 * follows none begins a branch, as the first does. Branches lie in streams of their own: where they join, the node
 * follows the one before it in its stream, too, and the next node after the last one of a branch that one. The last of
 * these may be more than there is, which gains less. */
#define JOINS_MOST 4096u /* nodes of a launch; of more no last ones of branches are looked for */
#define NODES_BACK 64    /* of many nodes: their ends come nearly in the order of their starts */
static uint32_t find_node(const struct replay *replay, uint32_t at, bool of_stream)
{
    const struct replay_operation *operation = &replay->operations[at];
    uint32_t found = NONE;
    for (uint32_t k = at, back = 0; k > 0 && back < NODES_BACK; back++) {
        const struct replay_operation *before = &replay->operations[--k];
        if (before->call != operation->call)
            break;
        if (before->end_ns <= operation->start_ns + OVERLAP_NS &&
            (!of_stream || before->stream == operation->stream) &&
            (found == NONE || before->end_ns > replay->operations[found].end_ns))
            found = k;
    }
    return found;
}

static bool add_join(struct replay *replay, uint32_t to, uint32_t from)
{
    if (from == NONE || from == replay->operations[to].source)
        return true;
    if (!array_grow(replay->events, replay->event_room, replay->event_count, 1))
        return false;
    replay->events[replay->event_count++] = (struct replay_edge){to, from};
    return true;
}

/* The first node of a launch that begins after one has ended, if that is the last of its stream; NONE. */
static uint32_t find_joined(const struct replay *replay, uint32_t at, uint32_t end)
{
    const struct replay_operation *last = &replay->operations[at];
    uint32_t found = NONE;
    for (uint32_t i = at + 1; i < end; i++) {
        if (replay->operations[i].stream == last->stream)
            return NONE;
        if (found == NONE && replay->operations[i].start_ns + OVERLAP_NS >= last->end_ns)
            found = i;
    }
    return found;
}

/* Of a launch whose nodes are in several streams. */
static bool find_joins(struct replay *replay, uint32_t first, uint32_t end)
{
    bool fine = true;
    for (uint32_t i = first; fine && i < end; i++) {
        const struct replay_operation *operation = &replay->operations[i];
        const uint32_t joined = end - first <= JOINS_MOST ? find_joined(replay, i, end) : NONE;
        if (operation->source != NONE)
            fine = add_join(replay, i, find_node(replay, i, true));
        if (joined != NONE)
            fine = fine && add_join(replay, joined, i);
    }
    return fine;
}

static enum status find_nodes(struct replay *replay, struct error *error)
{
    bool fine = true;
    for (size_t call = 0; fine && call < replay->call_count; call++) {
        const uint32_t first = replay->calls[call].operations, end = replay_operations_end(replay, call);
        bool several = false;
        for (uint32_t i = first + 1; i < end; i++) {
            struct replay_operation *operation = &replay->operations[i];
            operation->source = find_node(replay, i, false);
            several |= operation->stream != replay->operations[first].stream;
            if (operation->source == NONE && (operation->flags & REPLAY_OPERATION_GRAPH) != 0 &&
                operation->kind == REPLAY_KERNEL)
                operation->kind = REPLAY_GRAPH;
        }
        if (several && (replay->operations[first].flags & REPLAY_OPERATION_GRAPH) != 0)
            fine = find_joins(replay, first, end);
    }
    if (fine && replay->event_count > 0)
        qsort(replay->events, replay->event_count, sizeof *replay->events, by_to);
    return fine ? STATUS_OK : error_no_memory(error, "to replay the run");
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

/* A copy that blocks its call: it ran within it, and is no asynchronous one between pinned memory and device. The last piece
 * that the host stages of pageable memory may still run when the call returns. */
static bool waits_for_own(const struct replay *replay, size_t at)
{
    const struct replay_call *call = &replay->calls[at];
    for (uint32_t i = call->operations; i < replay_operations_end(replay, at); i++) {
        const struct replay_operation *own = &replay->operations[i];
        bool pageable = own->kind == REPLAY_IN_PAGEABLE || own->kind == REPLAY_OUT_PAGEABLE;
        bool blocks = (own->flags & REPLAY_OPERATION_ASYNC) == 0;
        int64_t late_ns = pageable && blocks ? (own->end_ns - own->start_ns) / OWN_LATE_PART : 0;
        late_ns = late_ns > OWN_LATE_NS ? late_ns : OWN_LATE_NS;
        if ((pageable || blocks) && own->start_ns < call->end_ns && own->end_ns <= call->end_ns + late_ns)
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
    if (call->wait == REPLAY_WAITS_EVENT && (call->flags & REPLAY_CALL_KNOWN) != 0) {
        uint32_t known = recorded_operation(replay, &replay->waits[call->source]);
        bool could = known != NONE && replay->operations[known].call < at &&
                     replay->operations[known].end_ns <= call->end_ns;
        call->source = could ? known : NONE;
    } else if (call->wait == REPLAY_WAITS_EVENT) {
        const bool asks = call->category == CALL_STREAM; /* until it is over, now and then */
        call->source = ended_before(replay, at, asks ? INT64_MAX : RETURN_NS);
        if (asks && call->source == NONE)
            call->wait = REPLAY_WAITS_NOT;
    }
    if (call->wait != REPLAY_WAITS_NOT)
        return;
    if ((call->category == CALL_COPY || call->category == CALL_OTHER) && waits_for_own(replay, at)) {
        call->wait = REPLAY_WAITS_OWN;
        return;
    }
    bool memory = call->category == CALL_ALLOC || call->category == CALL_FREE;
    bool issues = call->category == CALL_LAUNCH || call->category == CALL_COPY || call->category == CALL_SET;
    bool is_long = call->category == CALL_FREE || (double)duration_ns > BLOCKED_TIMES * (double)median_ns;
    if (duration_ns <= BLOCKED_NS || (!memory && !issues) || (call->flags & REPLAY_CALL_LOADS) != 0)
        return;
    uint32_t source = ended_before(replay, at, RETURN_NS);
    if (source == NONE && issues && duration_ns > RETURN_NS) { /* a host function may have left the queue */
        source = ended_before(replay, at, INT64_MAX);
        if (source != NONE && call->operations - source < (replay->hosts ? QUEUE_HOSTS : QUEUE_FULL))
            source = NONE;
    }
    /* Where the queue is full for most of the run, the median is that of calls that wait for it. */
    bool is_full =
        issues && source != NONE && call->operations - source >= (replay->hosts ? QUEUE_HOSTS : QUEUE_FULL);
    if (issues && !is_full)
        source = ended_before(replay, at, QUEUE_RETURN_NS);
    if ((is_long || is_full) && source != NONE) {
        call->wait = memory ? REPLAY_WAITS_FREE : REPLAY_WAITS_QUEUE;
        call->source = source;
    }
}

/* Host functions stand in the stream of what their thread issued last: their records do not name it. */
static enum status find_hosts(struct replay *replay, struct error *error)
{
    uint32_t *streams = malloc((replay->thread_count + 1) * sizeof *streams);
    bool *held = calloc(replay->stream_count + 1, sizeof *held);
    for (size_t t = 0; streams && t < replay->thread_count; t++)
        streams[t] = NONE;
    for (size_t i = 0; streams && held && i < replay->call_count; i++) {
        const struct replay_call *call = &replay->calls[i];
        uint32_t end = replay_operations_end(replay, i);
        for (uint32_t k = call->operations; k < end; k++) {
            struct replay_operation *operation = &replay->operations[k];
            streams[call->thread] = operation->stream;
            operation->held = held[operation->stream];
            held[operation->stream] = false;
        }
        if (call->operations == end && streams[call->thread] != NONE) {
            const char *name = session_string(replay->session, call->name);
            const bool hosts = strstr(name, "LaunchHostFunc") || strstr(name, "StreamAddCallback");
            held[streams[call->thread]] |= hosts;
            replay->hosts |= hosts;
        }
    }
    enum status status = streams && held ? STATUS_OK : error_no_memory(error, "to replay the run");
    free(streams);
    free(held);
    return status;
}

/* Makes or asks for something, and neither issues work nor waits for any: a stream, an event, the free memory. Events
 * that are recorded or waited for order the work. */
static bool is_aside(const struct replay *replay, size_t at)
{
    static const char *const parts[] = {"Create",       "Destroy",    "GetInfo",
                                        "GetAttribute", "Properties", "Register"};
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

/* A copy to the host of a few bytes, of which the host waits for the end, is a result that it reads. Of an asynchronous
 * one, which the next call of its thread waits for (PyTorch's .item()), `source` is that call. */
static enum status find_reads(struct replay *replay, struct error *error)
{
    uint32_t *copies = malloc((replay->thread_count + 1) * sizeof *copies);
    for (size_t t = 0; copies && t < replay->thread_count; t++)
        copies[t] = NONE;
    for (size_t i = 0; copies && i < replay->call_count; i++) {
        struct replay_call *call = &replay->calls[i];
        const struct replay_operation *own = &replay->operations[call->operations];
        const uint32_t copied = copies[call->thread],
                       count = replay_operations_end(replay, i) - call->operations;
        bool read = count == 1 && replay_is_small(own) &&
                    (own->kind == REPLAY_OUT_PAGEABLE || own->kind == REPLAY_OUT_PINNED);
        copies[call->thread] = read && call->wait == REPLAY_WAITS_NOT ? (uint32_t)i : NONE;
        if (read && call->wait == REPLAY_WAITS_OWN)
            call->flags |= REPLAY_CALL_READ;
        if (copied == NONE || count > 0)
            continue;
        if (call->wait >= REPLAY_WAITS_CONTEXT && call->wait <= REPLAY_WAITS_EVENT &&
            call->start_ns - replay->calls[copied].end_ns <= replay->short_gap_ns) {
            call->flags |= REPLAY_CALL_READ;
            replay->calls[copied].flags |= REPLAY_CALL_READ;
            replay->calls[copied].source = (uint32_t)i;
        } else if (call->wait == REPLAY_WAITS_NOT && call->category != CALL_LAUNCH) {
            copies[call->thread] = copied; /* an event is recorded, or something is asked, between them */
        }
    }
    enum status status = copies ? STATUS_OK : error_no_memory(error, "to replay the run");
    free(copies);
    return status;
}

enum status replay_find_edges(struct replay *replay, struct error *error)
{
    enum status status = sort_by_stream(replay, error);
    if (status == STATUS_OK)
        status = find_events(replay, error);
    if (status == STATUS_OK)
        status = find_hosts(replay, error);
    if (status == STATUS_OK)
        status = find_waits(replay, error);
    if (status == STATUS_OK)
        status = find_hands(replay, error);
    if (status == STATUS_OK)
        status = find_reads(replay, error);
    if (status == STATUS_OK)
        status = find_nodes(replay, error);
    return status;
}
