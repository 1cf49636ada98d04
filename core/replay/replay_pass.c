/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pass over a graph. Its state is small: of each thread when its last call ended, of each stream, context
 * and copy engine when what it has ends. As measured it learns delays and finds the edge that binds each
 * operation; else it replays. The binding edge is the predecessor whose end and typical delay are latest.
 * What is typical is the median where one predecessor alone can have held the operation, that is, where it
 * ended APART_NS after the others: where two end together the later start says nothing of either.
 */
#include "core/replay/replay_internal.h"

#include <stdlib.h>
#include <string.h>

#define APART_NS 6000
#define CLEAR_LEAST 10           /* such operations; of fewer no median is taken */
#define DELAY_MOST_NS 20000      /* a longer delay is not explained by the predecessor */
#define DELAY_GRAPH_NS 300000    /* but that of a graph's first node */
#define DELAY_STAGED_NS 1000000  /* and that of a copy of pageable memory, which the host stages first */
#define DELAY_HOST_NS 1000000000 /* and that of what a host function holds */
#define CROSS_NS 3000    /* an operation that begins so long before the one before it ends runs beside it */
#define RESOURCE_NS 6000 /* an unexplained start so soon after another stream's end followed it */
#define ENGINE_SOON_NS 200
#define PINNED_CALL_NS 6000   /* from the call of a copy of pinned memory to its start, and */
#define PINNED_RETURN_NS 4000 /* of an asynchronous one until it returns: H100 */
#define SHORT_CALL_NS 1000    /* a synchronisation with nothing to wait for */
#define SHORT_WAIT_NS 2000
#define SHORT_TAIL_NS 1500
#define SHORT_LAUNCH_NS 5000 /* a launch that finds room in the queue */

#define POLLED_RETURN_NS 5000 /* a synchronisation returns so soon after what it waits for: H200 */
/* Chosen: of 46 recordings with so many waits a host that spins is told 3 to 15 us after their end (H200), one that sleeps
 * 23 us; longer ones wait for something else. */
#define SLEEPS_LEAST 100
#define SLEEPS_NS 18000
#define SLEEPS_MOST_NS 100000
#define POOLED_NS 2000 /* an allocation from a pool that has memory: H200 */

#define SPREAD_LEAST_NS \
    10000 /* chosen: so short a kernel waits for its instructions, however many blocks it has */

#define BINS 2048
#define BIN_NS 32 /* delays of -32 to 32 us */

struct learning {
    uint32_t *bins[REPLAY_EDGES][REPLAY_KINDS];  /* BINS of them; NULL: nothing was counted there */
    uint64_t binned[REPLAY_EDGES][REPLAY_KINDS]; /* of each row of them the sum */
    bool no_memory;
    int64_t sums_ns[REPLAY_EDGES][REPLAY_KINDS];
    uint64_t counts[REPLAY_EDGES][REPLAY_KINDS];
    double rooms;
    uint64_t room_count;
    int64_t tails_ns[REPLAY_WAITS];
    uint64_t tails[REPLAY_WAITS];
};

struct thread_state {
    int64_t measured_ns, now_ns; /* end of its last call: as measured, and in this pass */
    bool works;                  /* it has issued work in the loop */
    bool begun, issued;          /* issued: it has launched, copied or set since it waited last */
    bool merged,
        waited; /* the copy that it issued last is part of the one before it; one of those was waited for */
};

#define ENGINE_KEPT 32
struct engine { /* times in which it is busy, in order; the oldest are forgotten */
    struct engine_busy {
        int64_t start_ns, end_ns;
        uint32_t stream, operation;
    } busy[ENGINE_KEPT];
    uint32_t count;
};

#define RUNNING_KEPT 128
struct running {
    int64_t end_ns;
    float share;
    uint32_t operation;
};

/* The latest end of some operations, and whose it is. */
struct last {
    int64_t ns;
    uint32_t operation;
};
static const struct last no_last = {INT64_MIN, NONE};

enum { ENGINE_IN, ENGINE_OUT, ENGINE_KERNELS, ENGINES };
struct context_state {
    struct last blocking, legacy, all; /* of blocking streams, of the legacy one, of all */
    struct engine engines[ENGINES];
    struct running running[RUNNING_KEPT];
    uint32_t running_count;
};

#define FUSED_MOST 8u
struct stream_state {
    struct last end;
    /* With `exchanged`: of all but collectives; and of the last two collectives. */
    struct last plain, collectives[2];
    int64_t chunks_ns[REPLAY_CHUNKS_MAX];
    /* With `beside`: last ends of its kernels, copies in and copies out; and of kernels and copies out those
     * at the end of the last two steps. A step begins with a copy in after a kernel, or a kernel after a copy
     * out. */
    struct last kernel, in, out, kernels_before[2], outs_before[2];
    uint8_t phase;
    uint32_t fusible;    /* of its last operation, a kernel (replay->fusible); 0: another one */
    uint32_t fused_sync; /* and the synchronisations before it */
    uint32_t fused[FUSED_MOST],
        fused_count;     /* rows of those that are one with it: one that comes again is the next step's */
    uint32_t fused_at;   /* the last of them */
    int64_t fused_ns;    /* the longest of those that are one with it */
    uint8_t small;       /* kind of its last operation, if that was a small copy; else REPLAY_KINDS */
    uint32_t small_sync; /* and the synchronisations before it */
};

const struct replay_change replay_as_measured = {
    .launch = 1, .gap = 1, .allocate = 1, .load = 1, .chunks = 1};

/* How a pass treats the calls. */
enum replay_mode {
    REPLAY_LEARN, /* as measured; learns what is typical */
    REPLAY_BIND,  /* as measured; finds the binding edge of each operation, and the means of delays */
    REPLAY_GO     /* replays */
};

struct replay_pass {
    struct replay *replay;
    enum replay_mode mode;
    const struct replay_change *change;
    struct learning *learning; /* LEARN, BIND */
    size_t event, hand;        /* the next edges */
    struct last
        launched;   /* what the call's first operation waited for: other roots of a graph wait for it, too */
    uint32_t syncs; /* GO: synchronisations so far: no copy is part of one before them */
    bool fused;     /* GO: the call's kernel is part of the one before it */
    bool merged;    /* GO: the call's copy is part of the one before it */
    bool capacity;  /* kernels share the device by their blocks */
    int64_t start_ns; /* GO: of the loop */
    double work_ns;   /* GO, with `capacity`: of all of the device */
    int64_t host_ns;  /* GO, with `no_hosts`: end of the last host function */
    struct thread_state *threads;
    struct context_state *contexts;
    struct stream_state *streams;
};

static int64_t latest_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct last last_of(struct last a, struct last b)
{
    return a.ns > b.ns ? a : b;
}

/* ---- engines ---- */

static void engine_add(struct engine *engine, struct engine_busy busy)
{
    if (engine->count == ENGINE_KEPT)
        memmove(engine->busy, engine->busy + 1, --engine->count * sizeof *engine->busy);
    uint32_t to = engine->count++;
    for (; to > 0 && engine->busy[to - 1].start_ns > busy.start_ns; to--)
        engine->busy[to] = engine->busy[to - 1];
    engine->busy[to] = busy;
}

/* The last end of another stream's copy by time_ns. */
static struct last engine_ended(const struct engine *engine, int64_t time_ns, uint32_t stream)
{
    struct last last = no_last;
    for (uint32_t i = 0; i < engine->count; i++)
        if (engine->busy[i].stream != stream && engine->busy[i].end_ns <= time_ns)
            last = last_of(last, (struct last){engine->busy[i].end_ns, engine->busy[i].operation});
    return last;
}

/* Moves the time to the first one at which it is free for so long. */
static void engine_free(const struct engine *engine, struct last *ready, int64_t duration_ns,
                        int64_t delay_ns)
{
    for (uint32_t i = 0; i < engine->count; i++) {
        const struct engine_busy *busy = &engine->busy[i];
        if (ready->ns + duration_ns <= busy->start_ns)
            break;
        if (busy->end_ns > ready->ns)
            *ready = (struct last){busy->end_ns + delay_ns, busy->operation};
    }
}

static int engine_of(const struct replay_operation *operation)
{
    switch (operation->kind) {
    case REPLAY_IN_PAGEABLE:
    case REPLAY_IN_PINNED: return ENGINE_IN;
    case REPLAY_OUT_PAGEABLE:
    case REPLAY_OUT_PINNED: return ENGINE_OUT;
    default: return ENGINES;
    }
}

static bool is_pageable(const struct replay_operation *operation)
{
    return operation->kind == REPLAY_IN_PAGEABLE || operation->kind == REPLAY_OUT_PAGEABLE;
}

static bool is_kernel(const struct replay_operation *operation)
{
    return operation->kind <= REPLAY_GRAPH;
}

static bool is_collective(const struct replay *replay, const struct replay_operation *operation)
{
    return is_kernel(operation) && operation->kernel != NONE && replay->collectives[operation->kernel];
}

/* Moves the time to when the kernels that run leave room for the blocks of an operation. */
static void find_room(struct context_state *context, struct last *ready, int64_t duration_ns, float share,
                      uint32_t operation)
{
    for (;;) {
        float taken = 0;
        struct last soonest = {INT64_MAX, NONE};
        uint32_t kept = 0;
        for (uint32_t i = 0; i < context->running_count; i++) {
            const struct running running = context->running[i];
            if (running.end_ns <= ready->ns)
                continue;
            taken += running.share;
            if (running.end_ns < soonest.ns)
                soonest = (struct last){running.end_ns, running.operation};
            context->running[kept++] = running;
        }
        context->running_count = kept;
        if (kept == 0 || (taken + share <= 1.0001F && kept < RUNNING_KEPT))
            break;
        *ready = soonest;
    }
    context->running[context->running_count++] = (struct running){ready->ns + duration_ns, share, operation};
}

/* ---- predecessors ---- */

/* The latest end of each kind of predecessor; INT64_MIN: it has none. Of the call its start. */
static void find_ends(struct replay_pass *pass, size_t at, int64_t call_start_ns,
                      struct last ends[REPLAY_EDGES])
{
    const struct replay *replay = pass->replay;
    const struct replay_operation *operation = &replay->operations[at];
    const struct replay_stream *stream = &replay->streams[operation->stream];
    const struct context_state *context = &pass->contexts[stream->context];
    for (int i = 0; i < REPLAY_EDGES; i++)
        ends[i] = no_last;
    ends[REPLAY_BY_CALL].ns = call_start_ns;
    bool beside = operation->edge == REPLAY_BY_RESOURCE || operation->edge == REPLAY_BY_ROOM;
    if ((operation->flags & REPLAY_OPERATION_NODE) != 0) {
        if (operation->kind == REPLAY_GRAPH ||
            (operation->source == NONE && (operation->flags & REPLAY_OPERATION_GRAPH) != 0))
            ends[REPLAY_BY_STREAM] = pass->launched;
        else if (operation->source != NONE && !beside)
            ends[REPLAY_BY_NODE] = (struct last){replay->ends_ns[operation->source], operation->source};
    } else {
        if ((operation->flags & REPLAY_OPERATION_APART) == 0)
            ends[operation->held ? REPLAY_BY_HOST : REPLAY_BY_STREAM] = pass->streams[operation->stream].end;
        if ((stream->flags & STREAM_NON_BLOCKING) == 0)
            ends[REPLAY_BY_LEGACY] =
                (stream->flags & STREAM_DEFAULT) != 0 ? context->blocking : context->legacy;
    }
    while (pass->event < replay->event_count && replay->events[pass->event].to <= at) {
        uint32_t from = replay->events[pass->event].from;
        if (replay->events[pass->event].to == at)
            ends[REPLAY_BY_EVENT] =
                last_of(ends[REPLAY_BY_EVENT], (struct last){replay->ends_ns[from], from});
        pass->event++;
    }
    if ((operation->flags & REPLAY_OPERATION_NODE) == 0) {
        pass->launched = last_of(ends[REPLAY_BY_STREAM], ends[REPLAY_BY_HOST]);
        pass->launched = last_of(pass->launched, last_of(ends[REPLAY_BY_LEGACY], ends[REPLAY_BY_EVENT]));
    }
    if (beside) {
        const struct replay_operation *source = &replay->operations[operation->source];
        double left_ns = (1 - replay->room) * (double)(source->end_ns - source->start_ns);
        ends[operation->edge] = (struct last){replay->ends_ns[operation->source] -
                                                  (operation->edge == REPLAY_BY_ROOM ? (int64_t)left_ns : 0),
                                              operation->source};
    }
}

/* Takes the operation into the state. */
static void take_end(struct replay_pass *pass, size_t at, int64_t start_ns, int64_t end_ns)
{
    struct replay *replay = pass->replay;
    const struct replay_operation *operation = &replay->operations[at];
    const struct replay_stream *stream = &replay->streams[operation->stream];
    struct context_state *context = &pass->contexts[stream->context];
    struct last *of_stream = &pass->streams[operation->stream].end, last = {end_ns, (uint32_t)at};
    *of_stream = last_of(*of_stream, last);
    if (pass->change->exchanged && is_collective(replay, operation)) {
        pass->streams[operation->stream].collectives[1] = pass->streams[operation->stream].collectives[0];
        pass->streams[operation->stream].collectives[0] = last;
    } else {
        pass->streams[operation->stream].plain = last_of(pass->streams[operation->stream].plain, last);
    }
    if ((operation->flags & REPLAY_OPERATION_NODE) != 0) { /* what follows the launch waits for all of it */
        uint32_t first = replay->operations[replay->calls[operation->call].operations].stream;
        pass->streams[first].end = last_of(pass->streams[first].end, last);
    }
    if ((stream->flags & STREAM_DEFAULT) != 0)
        context->legacy = last_of(context->legacy, last);
    else if ((stream->flags & STREAM_NON_BLOCKING) == 0)
        context->blocking = last_of(context->blocking, last);
    context->all = last_of(context->all, last);
    int engine = engine_of(operation);
    if (engine != ENGINES && end_ns > start_ns)
        engine_add(&context->engines[engine],
                   (struct engine_busy){start_ns, end_ns, operation->stream, (uint32_t)at});
    replay->ends_ns[at] = end_ns;
}

static void trace_operation(struct replay *replay, size_t at, int64_t start_ns, uint32_t from)
{
    if (!replay->trace)
        return;
    replay->trace->starts_ns[at] = start_ns;
    replay->trace->from[at] = from;
}

/* What it waits for within its time held its end. */
static void trace_call(struct replay *replay, size_t at, int64_t start_ns, int64_t end_ns, struct last waited)
{
    struct replay_trace *trace = replay->trace;
    trace->call_starts_ns[at] = start_ns;
    trace->call_ends_ns[at] = end_ns;
    trace->call_from[at] = waited.ns > start_ns && waited.ns <= end_ns ? waited.operation : NONE;
}

/* ---- as measured ---- */

/* And that of its engine, as far as it was used by then. */
static void find_measured_ends(struct replay_pass *pass, size_t at, int64_t call_start_ns,
                               struct last ends[REPLAY_EDGES])
{
    const struct replay *replay = pass->replay;
    const struct replay_operation *operation = &replay->operations[at];
    int engine = engine_of(operation);
    find_ends(pass, at, call_start_ns, ends);
    if (engine != ENGINES)
        ends[REPLAY_BY_ENGINE] =
            engine_ended(&pass->contexts[replay->streams[operation->stream].context].engines[engine],
                         operation->start_ns + ENGINE_SOON_NS, operation->stream);
}

static int64_t delay_most_ns(const struct replay_operation *operation, int edge)
{
    if (edge == REPLAY_BY_HOST)
        return DELAY_HOST_NS;
    if (operation->kind == REPLAY_GRAPH)
        return DELAY_GRAPH_NS;
    return edge == REPLAY_BY_CALL && is_pageable(operation) ? DELAY_STAGED_NS : DELAY_MOST_NS;
}

/* The predecessor that binds, by what is typical; *second_ns: the next latest end with its delay. */
static int find_binding(const struct replay *replay, const struct replay_call *call,
                        const struct replay_operation *operation, const struct last ends[REPLAY_EDGES],
                        int64_t *second_ns)
{
    int binding = REPLAY_BY_CALL;
    int64_t best_ns = INT64_MIN;
    *second_ns = INT64_MIN;
    for (int i = 0; i < REPLAY_EDGES; i++) {
        if (ends[i].ns == INT64_MIN)
            continue;
        int64_t base_ns = i == REPLAY_BY_CALL ? replay_call_base_ns(call) : 0;
        int64_t ready_ns = ends[i].ns + base_ns + replay->typical_ns[i][operation->kind];
        if (ready_ns > best_ns) {
            *second_ns = best_ns;
            best_ns = ready_ns;
            binding = i;
        } else {
            *second_ns = latest_of(*second_ns, ready_ns);
        }
    }
    *second_ns = *second_ns == INT64_MIN ? INT64_MIN / 2 : best_ns - *second_ns;
    return binding;
}

static void learn_typical(struct learning *learning, int edge, int kind, int64_t delay_ns)
{
    int64_t bin = delay_ns / BIN_NS + BINS / 2;
    uint32_t **row = &learning->bins[edge][kind];
    if (bin < 0 || bin >= BINS)
        return;
    if (!*row && !(*row = calloc(BINS, sizeof **row))) {
        learning->no_memory = true;
        return;
    }
    (*row)[bin]++;
    learning->binned[edge][kind]++;
}

/* An unexplained start: the operation of another stream of the process that ended just before it. */
static uint32_t find_resource(const struct replay *replay, const struct replay_operation *operation)
{
    uint32_t best = NONE;
    for (uint32_t s = 0; s < replay->stream_count; s++) {
        if (s == operation->stream ||
            replay->streams[s].process != replay->streams[operation->stream].process)
            continue;
        uint32_t at = replay_ended(replay, s, operation->start_ns, operation->call);
        if (at == NONE || operation->start_ns - replay->operations[at].end_ns >= RESOURCE_NS ||
            replay->operations[at].kind == REPLAY_SET)
            continue;
        if (!is_kernel(&replay->operations[at]) && is_kernel(operation))
            continue;
        if (best == NONE || replay->operations[at].end_ns > replay->operations[best].end_ns)
            best = at;
    }
    return best;
}

/* Another one: a kernel that waited for blocks of kernels of other streams to end. The one that began last. */
static uint32_t find_room_source(const struct replay *replay, const struct replay_operation *operation)
{
    uint32_t best = NONE;
    for (uint32_t s = 0; s < replay->stream_count && is_kernel(operation); s++) {
        uint32_t at =
            s == operation->stream || replay->streams[s].context != replay->streams[operation->stream].context
                ? NONE
                : replay_running(replay, s, operation->start_ns, operation->call);
        if (at != NONE && is_kernel(&replay->operations[at]) &&
            (best == NONE || replay->operations[at].start_ns > replay->operations[best].start_ns))
            best = at;
    }
    return best;
}

/* Why it began so late, if no predecessor says it: takes the source, and returns the kind of edge; or `edge`,
 * if nothing says it. */
static int explain_start(struct replay_pass *pass, struct replay_operation *operation, int edge)
{
    const struct replay *replay = pass->replay;
    uint32_t source = find_resource(replay, operation);
    int explained = REPLAY_BY_RESOURCE;
    if (source == NONE) {
        source = find_room_source(replay, operation);
        explained = REPLAY_BY_ROOM;
    }
    if (source == NONE)
        return edge;
    operation->source = source;
    return explained;
}

static void learn_room(struct learning *learning, const struct replay_operation *source,
                       const struct replay_operation *operation)
{
    learning->rooms +=
        (double)(operation->start_ns - source->start_ns) / (double)(source->end_ns - source->start_ns);
    learning->room_count++;
}

static void learn_operation(struct replay_pass *pass, size_t call_at, size_t at)
{
    struct replay *replay = pass->replay;
    struct replay_operation *operation = &replay->operations[at];
    const struct replay_call *call = &replay->calls[call_at];
    struct last ends[REPLAY_EDGES];
    int64_t second_ns;
    if (pass->streams[operation->stream].end.ns > operation->start_ns + CROSS_NS)
        operation->flags |= REPLAY_OPERATION_APART;
    find_measured_ends(pass, at, call->start_ns, ends);
    int edge = find_binding(replay, call, operation, ends, &second_ns);
    int64_t base_ns = edge == REPLAY_BY_CALL ? replay_call_base_ns(call) : 0;
    int64_t delay_ns = operation->start_ns - ends[edge].ns - base_ns;
    int64_t most_ns = delay_most_ns(operation, edge);
    bool counts = call_at >= replay->first_call && call_at < replay->half_call;
    if (pass->mode == REPLAY_LEARN) {
        if (counts && (second_ns < 0 || second_ns >= APART_NS))
            learn_typical(pass->learning, edge, operation->kind, delay_ns);
    } else {
        if (delay_ns > most_ns) {
            edge = explain_start(pass, operation, edge);
            if (edge == REPLAY_BY_RESOURCE) {
                delay_ns = operation->start_ns - replay->operations[operation->source].end_ns;
            } else if (edge != REPLAY_BY_ROOM) {
                replay->facts.unexplained_ns += call_at >= replay->first_call ? delay_ns - most_ns : 0;
                counts = false;
            }
        }
        delay_ns = delay_ns < -base_ns ? -base_ns : delay_ns;
        operation->edge = (uint8_t)edge & 15u;
        if (counts && edge == REPLAY_BY_ROOM) {
            learn_room(pass->learning, &replay->operations[operation->source], operation);
        } else if (counts) {
            pass->learning->sums_ns[edge][operation->kind] += delay_ns;
            pass->learning->counts[edge][operation->kind]++;
        }
    }
    take_end(pass, at, operation->start_ns, operation->end_ns);
}

/* When what a call waits for has ended; INT64_MIN: it waits for nothing, or it is not known. */
static struct last waited_of(const struct replay_pass *pass, size_t at)
{
    const struct replay *replay = pass->replay;
    const struct replay_call *call = &replay->calls[at];
    struct last last = no_last;
    switch (call->wait) {
    case REPLAY_WAITS_CONTEXT: return pass->contexts[call->source].all;
    case REPLAY_WAITS_STREAM: return pass->streams[call->source].end;
    case REPLAY_WAITS_EVENT:
    case REPLAY_WAITS_FREE:
    case REPLAY_WAITS_QUEUE:
        return call->source == NONE ? no_last : (struct last){replay->ends_ns[call->source], call->source};
    case REPLAY_WAITS_OWN:
        for (uint32_t i = call->operations; i < replay_operations_end(replay, at); i++)
            last = last_of(last, (struct last){replay->ends_ns[i], i});
        return last;
    default: return no_last;
    }
}

static int64_t measured_end_ns(const struct replay *replay, size_t at)
{
    const struct replay_call *call = &replay->calls[at];
    int64_t end_ns = INT64_MIN;
    for (uint32_t i = call->operations;
         call->wait == REPLAY_WAITS_OWN && i < replay_operations_end(replay, at); i++)
        end_ns = latest_of(end_ns, replay->operations[i].end_ns);
    return end_ns;
}

static void learn_call(const struct replay_pass *pass, size_t at)
{
    struct replay *replay = pass->replay;
    const struct replay_call *call = &replay->calls[at];
    int64_t end_ns = waited_of(pass, at).ns;
    if (end_ns <= call->start_ns || end_ns > call->end_ns)
        return;
    replay->calls[at].flags |= REPLAY_CALL_BLOCKED;
    if (at < replay->first_call || at >= replay->half_call)
        return;
    pass->learning->tails_ns[call->wait] += call->end_ns - end_ns;
    pass->learning->tails[call->wait]++;
}

/* ---- replayed ---- */

/* A set that is left out; small ones cost a call, not bytes: they are merged. */
static bool is_unset(const struct replay_change *change, const struct replay_operation *operation)
{
    return operation->kind == REPLAY_SET && change->no_sets && operation->bytes >= REPLAY_SMALL_BYTES;
}

static bool is_uncast(const struct replay_pass *pass, const struct replay_operation *operation)
{
    return pass->change->no_casts && is_kernel(operation) && operation->kernel != NONE &&
           pass->replay->casts[operation->kernel];
}

/* Does an edit that is made at places hold for this one? `of` is where the places of calls, or of gaps, are. */
static bool is_at(const struct replay_change *change, const uint16_t *of, size_t call, unsigned at)
{
    return !change->places || !of || (change->places[of[call]] & at) != 0;
}

static double gap_left(const struct replay_pass *pass, size_t call)
{
    const struct replay_places *places = pass->replay->places;
    return is_at(pass->change, places ? places->of_gap : NULL, call, REPLAY_AT_GAP) ? pass->change->gap : 1;
}

static bool waits_not(const struct replay_pass *pass, size_t call)
{
    const struct replay_places *places = pass->replay->places;
    return pass->change->no_waits &&
           is_at(pass->change, places ? places->of_call : NULL, call, REPLAY_AT_WAIT);
}

/* A result that is not read: its call, its copy, and the wait. */
static bool is_unread(const struct replay_pass *pass, size_t at)
{
    const struct replay_call *call = &pass->replay->calls[at];
    if ((call->flags & REPLAY_CALL_READ) == 0)
        return false;
    const size_t wait = call->wait == REPLAY_WAITS_NOT ? call->source : at;
    return waits_not(pass, wait) && (pass->replay->calls[wait].flags & REPLAY_CALL_LAST) == 0;
}

/* A copy of pageable memory whose memory is pinned. */
static bool is_pinned(const struct replay_pass *pass, const struct replay_operation *operation)
{
    const struct replay_places *places = pass->replay->places;
    return pass->change->pinned && is_pageable(operation) &&
           is_at(pass->change, places ? places->of_call : NULL, operation->call, REPLAY_AT_COPY);
}

/* One of a pair of copies to the host and back, which are left out. */
static bool is_kept(const struct replay_pass *pass, size_t at)
{
    return pass->change->kept && pass->replay->trips && replay_bit(pass->replay->trips, at);
}

/* Of those that an edit leaves out, with its call. */
static bool is_left_out(const struct replay_pass *pass, size_t at)
{
    const struct replay *replay = pass->replay;
    const struct replay_operation *operation = &replay->operations[at];
    return is_kept(pass, at) || is_unread(pass, operation->call) ||
           (pass->change->no_swaps && replay_bit(replay->swaps, at)) ||
           (pass->change->no_uploads && replay->again && replay_bit(replay->again, at)) ||
           (pass->change->no_constants && replay_bit(replay->constants, operation->call));
}

static bool is_bound(const struct replay_change *change, uint32_t kernel)
{
    return change->bound && (!change->kernels || change->kernels[kernel]);
}

/* Is the kernel of another step than the one before it in its stream? Where steps are not alike, one that comes again is. */
static bool is_next_step(const struct replay_pass *pass, const struct stream_state *stream, uint32_t at)
{
    const struct replay *replay = pass->replay;
    const uint32_t from = replay->calls[replay->first_call].operations;
    bool again = stream->fused_count == FUSED_MOST;
    if (replay->period > 0 && (replay->fusible[replay->operations[at].kernel] & REPLAY_FUSIBLE_NAMED) != 0)
        return (at - from) / replay->period != (stream->fused_at - from) / replay->period;
    for (uint32_t i = 0; i < stream->fused_count; i++)
        again |= stream->fused[i] == replay->operations[at].kernel;
    return again;
}

/* Takes the kernel into those before it in its stream that are one. Returns what is left of its time: what it is longer
 * than the longest of them. */
static int64_t fuse_kernel(struct replay_pass *pass, uint32_t at, int64_t duration_ns)
{
    const struct replay_operation *operation = &pass->replay->operations[at];
    struct stream_state *stream = &pass->streams[operation->stream];
    uint32_t fusible =
        is_kernel(operation) && operation->kernel != NONE ? pass->replay->fusible[operation->kernel] : 0;
    pass->fused = fusible != 0 && ((fusible ^ stream->fusible) & ~REPLAY_FUSIBLE_NAMED) == 0 &&
                  stream->fused_sync == pass->syncs && !is_next_step(pass, stream, at);
    if (!pass->fused) {
        stream->fused_count = 0;
        stream->fused_ns = 0;
    }
    int64_t longest_ns = stream->fused_ns;
    stream->fusible = fusible;
    stream->fused_sync = pass->syncs;
    stream->fused_at = at;
    stream->fused_ns = latest_of(longest_ns, duration_ns);
    if (stream->fused_count < FUSED_MOST)
        stream->fused[stream->fused_count++] = operation->kernel;
    return stream->fused_ns - longest_ns;
}

static int64_t duration_of(const struct replay_pass *pass, size_t at)
{
    const struct replay *replay = pass->replay;
    const struct replay_operation *operation = &replay->operations[at];
    const struct replay_change *change = pass->change;
    double duration_ns = (double)(operation->end_ns - operation->start_ns);
    if (is_kernel(operation) && operation->kernel != NONE) {
        const bool bound = is_bound(change, operation->kernel) && replay->bounds;
        double left = bound ? (double)replay->bounds[operation->kernel] : 1;
        if (change->tensor && replay->products && (double)replay->products[operation->kernel] < left)
            left = (double)replay->products[operation->kernel];
        /* What counters say of a kernel has its last wave and its few blocks, too: the larger of both gains. */
        if (change->spread && duration_ns > SPREAD_LEAST_NS &&
            (double)replay->spread[operation->kernel] < left) {
            left = (double)replay->spread[operation->kernel];
            left = left * duration_ns < SPREAD_LEAST_NS ? SPREAD_LEAST_NS / duration_ns : left;
        }
        duration_ns *= left;
        if (change->even && replay_is_uneven(replay, operation))
            duration_ns *= (double)replay->even[operation->stream];
    }
    if (is_unset(change, operation) || is_uncast(pass, operation) || is_left_out(pass, at))
        return 0;
    if ((pass->merged || is_pinned(pass, operation) ||
         (change->whole && replay_is_of_rows(replay, operation))) &&
        operation->bytes > 0) {
        double linked_ns = (double)operation->bytes / replay->facts.link_bytes_per_ns;
        duration_ns = linked_ns < duration_ns ? linked_ns : duration_ns;
    }
    return (int64_t)duration_ns;
}

/* What is left of a call that issues work, by itself. A graph takes the place of the calls between two waits, and its
 * own launch costs one: the first of them stays. */
static double launch_left(const struct replay_pass *pass, const struct replay_call *call)
{
    return pass->threads[call->thread].issued ? pass->change->launch : 1;
}

/* When its call has issued it. */
static int64_t issued_ns(const struct replay_pass *pass, const struct replay_call *call,
                         const struct replay_operation *operation, int64_t call_start_ns, int64_t delay_ns)
{
    if (is_pinned(pass, operation))
        return call_start_ns + PINNED_CALL_NS;
    int64_t after_ns = replay_call_base_ns(call) + delay_ns;
    int64_t duration_ns = call->end_ns - call->start_ns;
    double left = call->flags & REPLAY_CALL_TOOL    ? 1
                  : call->flags & REPLAY_CALL_LOADS ? pass->change->load
                                                    : launch_left(pass, call);
    if (call->wait != REPLAY_WAITS_NOT || left == 1)
        return call_start_ns + after_ns;
    int64_t inside_ns = after_ns < duration_ns ? after_ns : duration_ns;
    return call_start_ns + (int64_t)((double)inside_ns * left) + after_ns - inside_ns;
}

/* Is the call's copy or set one with those before it in its stream? What they bring was known, or is read, at one time:
 * waits between
 * them do not part copies to the device, if the host does nothing else there. */
static bool is_merged(const struct replay_pass *pass, const struct replay_operation *operation)
{
    const struct stream_state *stream = &pass->streams[operation->stream];
    const struct replay_call *call = &pass->replay->calls[operation->call];
    bool in = operation->kind == REPLAY_IN_PAGEABLE || operation->kind == REPLAY_IN_PINNED;
    if (!pass->change->merged || !replay_is_small(operation) || stream->small != operation->kind)
        return false;
    return stream->small_sync == pass->syncs ||
           (in && call->start_ns - pass->threads[call->thread].measured_ns <= pass->replay->short_gap_ns);
}

static bool is_wait(const struct replay_call *call)
{
    return call->wait >= REPLAY_WAITS_CONTEXT && call->wait <= REPLAY_WAITS_EVENT;
}

enum { PHASE_NONE, PHASE_IN, PHASE_KERNEL, PHASE_OUT };

/* When the stream lets it start, if copies run beside the kernels of the neighbouring steps. */
static struct last beside_of(struct stream_state *stream, const struct replay_operation *operation)
{
    int engine = engine_of(operation);
    uint8_t phase = engine == ENGINE_IN ? PHASE_IN : engine == ENGINE_OUT ? PHASE_OUT : PHASE_KERNEL;
    if (stream->phase > phase) { /* a step begins */
        stream->kernels_before[1] = stream->kernels_before[0];
        stream->kernels_before[0] = stream->kernel;
        stream->outs_before[1] = stream->outs_before[0];
        stream->outs_before[0] = stream->out;
    }
    stream->phase = phase;
    switch (phase) {
    case PHASE_IN: return last_of(stream->in, stream->kernels_before[1]);
    case PHASE_OUT: return last_of(stream->out, stream->kernel);
    default: return last_of(last_of(stream->kernel, stream->in), stream->outs_before[1]);
    }
}

static bool runs_beside(const struct replay_pass *pass, const struct replay_operation *operation)
{
    return pass->change->beside && (operation->flags & REPLAY_OPERATION_NODE) == 0 &&
           operation->kind != REPLAY_SET && operation->kind != REPLAY_COPY;
}

static void beside_take(struct stream_state *stream, struct last last)
{
    struct last *of = stream->phase == PHASE_IN    ? &stream->in
                      : stream->phase == PHASE_OUT ? &stream->out
                                                   : &stream->kernel;
    *of = last_of(*of, last);
}

/* When an operation runs in this pass, and which one held it; NONE: its call did. */
struct replayed {
    int64_t start_ns, end_ns;
    uint32_t from;
};

/* The operation in chunks, each after the same chunk of the operation before it. */
static struct replayed replay_chunks(struct replay_pass *pass, uint32_t at, struct last ready,
                                     int64_t stream_delay_ns, int64_t duration_ns)
{
    const struct replay_operation *operation = &pass->replay->operations[at];
    struct context_state *context = &pass->contexts[pass->replay->streams[operation->stream].context];
    struct stream_state *stream = &pass->streams[operation->stream];
    int engine = engine_of(operation);
    engine = engine == ENGINES ? ENGINE_KERNELS : engine;
    int64_t part_ns = duration_ns / pass->change->chunks;
    struct replayed replayed = {INT64_MAX, ready.ns, ready.operation};
    for (uint32_t i = 0; i < pass->change->chunks; i++) {
        struct last start = ready;
        int64_t before_ns = stream->chunks_ns[i] == INT64_MIN ? stream->end.ns : stream->chunks_ns[i];
        if (before_ns != INT64_MIN)
            start = last_of(start, (struct last){before_ns + stream_delay_ns, stream->end.operation});
        engine_free(&context->engines[engine], &start, part_ns,
                    pass->replay->typical_ns[REPLAY_BY_ENGINE][operation->kind]);
        if (start.operation == at) /* behind a chunk of its own */
            start.operation = replayed.from;
        engine_add(&context->engines[engine],
                   (struct engine_busy){start.ns, start.ns + part_ns, operation->stream, at});
        stream->chunks_ns[i] = start.ns + part_ns;
        replayed.start_ns = start.ns < replayed.start_ns ? start.ns : replayed.start_ns;
        if (start.ns + part_ns > replayed.end_ns) {
            replayed.end_ns = start.ns + part_ns;
            replayed.from =
                start.operation == at ? ready.operation : start.operation; /* not its own chunks */
        }
    }
    return replayed;
}

/* Of the device; a kernel that was spread takes all of it. */
static float share_of(const struct replay_pass *pass, const struct replay_operation *operation)
{
    const struct replay *replay = pass->replay;
    if (operation->kernel == NONE || (pass->change->spread && replay->spread[operation->kernel] < 1))
        return 1;
    return replay->shares[operation->kernel];
}

/* The host function before the operation runs beside the stream, after those before it. Returns what the operation
 * waits for in its stream then. */
static struct last leave_host(struct replay_pass *pass, const struct replay_operation *operation,
                              struct last *by_host, const int64_t delays_ns[REPLAY_EDGES])
{
    int64_t own_ns = delays_ns[REPLAY_BY_HOST] - delays_ns[REPLAY_BY_STREAM];
    struct last stream = *by_host;
    (void)operation;
    pass->host_ns = latest_of(pass->host_ns, stream.ns) + latest_of(own_ns, 0);
    *by_host = no_last;
    return stream;
}

/* When its call and its predecessors let it start. */
static struct last ready_of(struct replay_pass *pass, size_t call_at, size_t at, int64_t call_start_ns,
                            const int64_t delays_ns[REPLAY_EDGES])
{
    const struct replay *replay = pass->replay;
    const struct replay_change *change = pass->change;
    const struct replay_operation *operation = &replay->operations[at];
    bool node = (operation->flags & REPLAY_OPERATION_NODE) != 0;
    struct last ends[REPLAY_EDGES], ready = {issued_ns(pass, &replay->calls[call_at], operation,
                                                       call_start_ns, delays_ns[REPLAY_BY_CALL]),
                                             NONE};
    if (pass->merged || pass->fused || is_left_out(pass, at))
        ready.ns = call_start_ns;
    find_ends(pass, at, call_start_ns, ends);
    if (change->no_events && !node) /* of a node: where branches join */
        ends[REPLAY_BY_EVENT] = no_last;
    if (change->no_legacy)
        ends[REPLAY_BY_LEGACY] = no_last;
    if (change->no_hosts && ends[REPLAY_BY_HOST].ns != INT64_MIN)
        ends[REPLAY_BY_STREAM] = leave_host(pass, operation, &ends[REPLAY_BY_HOST], delays_ns);
    if (change->exchanged && !is_collective(replay, operation)) {
        const struct stream_state *stream = &pass->streams[operation->stream];
        if (ends[REPLAY_BY_STREAM].ns != INT64_MIN)
            ends[REPLAY_BY_STREAM] = last_of(stream->plain, stream->collectives[1]);
        if (ends[REPLAY_BY_EVENT].ns != INT64_MIN &&
            is_collective(replay, &replay->operations[ends[REPLAY_BY_EVENT].operation]))
            ends[REPLAY_BY_EVENT] =
                pass->streams[replay->operations[ends[REPLAY_BY_EVENT].operation].stream].collectives[1];
    }
    if (runs_beside(pass, operation))
        ends[REPLAY_BY_STREAM] = beside_of(&pass->streams[operation->stream], operation);
    if (change->chunks > 1 && !node && operation->kind != REPLAY_SET)
        ends[REPLAY_BY_STREAM] = ends[REPLAY_BY_LEGACY] = no_last;
    for (int i = REPLAY_BY_STREAM; i < REPLAY_EDGES; i++)
        if (ends[i].ns != INT64_MIN)
            ready = last_of(ready, (struct last){ends[i].ns + delays_ns[i], ends[i].operation});
    return ready;
}

static int64_t replay_operation(struct replay_pass *pass, size_t call_at, size_t at, int64_t call_start_ns)
{
    struct replay *replay = pass->replay;
    const struct replay_change *change = pass->change;
    const struct replay_operation *operation = &replay->operations[at];
    struct stream_state *stream = &pass->streams[operation->stream];
    struct context_state *context = &pass->contexts[replay->streams[operation->stream].context];
    int64_t delays_ns[REPLAY_EDGES];
    pass->merged = is_merged(pass, operation);
    stream->small_sync = pass->syncs;
    stream->small = replay_is_small(operation) ? operation->kind : REPLAY_KINDS;
    int64_t duration_ns = duration_of(pass, at);
    if (change->fused)
        duration_ns = fuse_kernel(pass, (uint32_t)at, duration_ns);
    for (int i = 0; i < REPLAY_EDGES; i++)
        delays_ns[i] = i == operation->edge || i == REPLAY_BY_HOST ? replay->mean_ns[i][operation->kind]
                                                                   : replay->typical_ns[i][operation->kind];
    if (pass->merged || pass->fused || is_unset(change, operation) || is_uncast(pass, operation) ||
        is_left_out(pass, at))
        delays_ns[REPLAY_BY_STREAM] = delays_ns[REPLAY_BY_ENGINE] = delays_ns[REPLAY_BY_NODE] = 0;
    bool chunked = change->chunks > 1 && (operation->flags & REPLAY_OPERATION_NODE) == 0 &&
                   operation->kind != REPLAY_SET;
    struct last ready = ready_of(pass, call_at, at, call_start_ns, delays_ns);
    if (chunked) {
        struct replayed replayed =
            replay_chunks(pass, (uint32_t)at, ready, delays_ns[REPLAY_BY_STREAM], duration_ns);
        take_end(pass, at, replayed.end_ns, replayed.end_ns); /* its chunks have taken the engine */
        trace_operation(replay, at, replayed.start_ns, replayed.from);
        return replayed.end_ns;
    }
    int engine = engine_of(operation);
    if (engine != ENGINES && duration_ns > 0)
        engine_free(&context->engines[engine], &ready, duration_ns, delays_ns[REPLAY_BY_ENGINE]);
    if (pass->capacity && is_kernel(operation))
        pass->work_ns += (double)duration_ns * (double)share_of(pass, operation);
    if (pass->capacity && is_kernel(operation) && duration_ns > 0)
        find_room(context, &ready, duration_ns, share_of(pass, operation), (uint32_t)at);
    take_end(pass, at, ready.ns, ready.ns + duration_ns);
    trace_operation(replay, at, ready.ns, ready.operation);
    if (runs_beside(pass, operation))
        beside_take(stream, (struct last){ready.ns + duration_ns, (uint32_t)at});
    return ready.ns + duration_ns;
}

/* What is left of a short gap, which issuing takes, before a call. */
static double short_gap_left(const struct replay_pass *pass, size_t at)
{
    const struct replay *replay = pass->replay;
    const struct replay_call *call = &replay->calls[at];
    const struct thread_state *thread = &pass->threads[call->thread];
    bool issues = call->operations < replay_operations_end(replay, at);
    if (is_unread(pass, at) || (pass->change->merged && thread->merged && thread->waited && is_wait(call)) ||
        (issues && is_merged(pass, &replay->operations[call->operations])))
        return 0;
    bool graph = call->wait == REPLAY_WAITS_NOT || call->wait == REPLAY_WAITS_QUEUE;
    return graph && thread->issued && (call->flags & (REPLAY_CALL_LOADS | REPLAY_CALL_ASIDE)) == 0 &&
                   call->category != CALL_ALLOC && call->category != CALL_FREE
               ? pass->change->launch
               : 1;
}

static int64_t call_start_ns(struct replay_pass *pass, size_t at)
{
    const struct replay *replay = pass->replay;
    const struct replay_change *change = pass->change;
    const struct replay_call *call = &replay->calls[at];
    const struct thread_state *thread = &pass->threads[call->thread];
    while (pass->hand < replay->hand_count && replay->hands[pass->hand].to < at)
        pass->hand++;
    if (pass->hand < replay->hand_count && replay->hands[pass->hand].to == at) {
        uint32_t from = replay->hands[pass->hand].from;
        double rest_ns = (double)(call->start_ns - replay->calls[from].end_ns);
        if (change->no_hands && !thread->begun && from >= replay->first_call && is_wait(&replay->calls[from]))
            return pass->start_ns; /* it was there, and waited */
        if (change->no_hands && thread->begun)
            return latest_of(thread->now_ns, pass->start_ns) + (int64_t)rest_ns;
        int64_t start_ns = replay->call_ends_ns[from] + (int64_t)(rest_ns * gap_left(pass, at));
        return thread->begun ? latest_of(start_ns, thread->now_ns) : start_ns;
    }
    if (!thread->begun)
        return call->start_ns;
    /* Time before the loop stays. */
    int64_t measured_ns = latest_of(thread->measured_ns, pass->start_ns);
    int64_t now_ns = latest_of(thread->now_ns, pass->start_ns), gap_ns = call->start_ns - measured_ns;
    if (change->load < 1 && (call->flags & REPLAY_CALL_CAPTURED) != 0)
        return now_ns;
    if (change->load < 1 && (call->flags & REPLAY_CALL_LOADS) != 0 && gap_ns > SHORT_WAIT_NS)
        gap_ns = SHORT_WAIT_NS;
    double left = gap_left(pass, at),
           short_left = gap_ns <= replay->short_gap_ns ? short_gap_left(pass, at) : 1;
    return now_ns + (int64_t)((double)gap_ns * (short_left < left ? short_left : left));
}

/* When the call returns, its operations being replayed. */
static int64_t call_end_ns(const struct replay_pass *pass, size_t at, int64_t start_ns)
{
    const struct replay *replay = pass->replay;
    const struct replay_change *change = pass->change;
    const struct replay_call *call = &replay->calls[at];
    int64_t duration_ns = call->end_ns - call->start_ns, waited = waited_of(pass, at).ns;
    bool waits = is_wait(call) || (call->flags & REPLAY_CALL_READ) != 0;
    if (change->load < 1 && (call->flags & (REPLAY_CALL_LOADS | REPLAY_CALL_CAPTURED)) != 0)
        return start_ns + (int64_t)((double)duration_ns * change->load);
    if (call->category == CALL_SET && call->operations < replay_operations_end(replay, at) &&
        is_unset(change, &replay->operations[call->operations]))
        return start_ns;
    if (call->operations < replay_operations_end(replay, at) && is_left_out(pass, call->operations))
        return start_ns;
    if (is_unread(pass, at) || (change->merged && pass->threads[call->thread].merged &&
                                pass->threads[call->thread].waited && is_wait(call)))
        return start_ns;
    if (pass->merged &&
        (call->category == CALL_COPY || call->category == CALL_SET || call->wait == REPLAY_WAITS_OWN))
        return start_ns;
    if (call->category == CALL_LAUNCH && call->operations + 1 == replay_operations_end(replay, at) &&
        (pass->fused || is_uncast(pass, &replay->operations[call->operations])))
        return start_ns;
    if (waits && waits_not(pass, at) && (call->flags & REPLAY_CALL_LAST) == 0)
        return start_ns + (duration_ns < SHORT_CALL_NS ? duration_ns : SHORT_CALL_NS);
    if (change->no_calls && (call->flags & REPLAY_CALL_ASIDE) != 0 && !replay_is_set_up(replay, at))
        return start_ns;
    if (change->no_trims && replay_bit(replay->trimmed, at))
        return start_ns + POOLED_NS;
    if (change->allocate < 1 && (call->category == CALL_ALLOC || call->category == CALL_FREE) &&
        !replay_is_set_up(replay, at))
        return start_ns + (int64_t)((double)duration_ns * change->allocate);
    if (call->operations < replay_operations_end(replay, at) &&
        is_pinned(pass, &replay->operations[call->operations]) &&
        (replay->operations[call->operations].flags & REPLAY_OPERATION_ASYNC) != 0)
        return start_ns + (duration_ns < PINNED_RETURN_NS ? duration_ns : PINNED_RETURN_NS);
    int64_t least_ns;
    switch (call->wait) {
    case REPLAY_WAITS_CONTEXT:
    case REPLAY_WAITS_STREAM:
    case REPLAY_WAITS_EVENT: {
        bool blocked = (call->flags & REPLAY_CALL_BLOCKED) != 0;
        int64_t tail_ns = replay->tail_ns[call->wait];
        least_ns = blocked && duration_ns > SHORT_WAIT_NS ? SHORT_WAIT_NS : duration_ns;
        tail_ns = blocked || tail_ns < SHORT_TAIL_NS ? tail_ns : SHORT_TAIL_NS;
        if ((change->no_trims || change->no_sleeps || (change->no_polls && replay_bit(replay->polled, at))) &&
            tail_ns > POLLED_RETURN_NS)
            tail_ns = POLLED_RETURN_NS;
        return waited == INT64_MIN ? start_ns + least_ns : latest_of(start_ns + least_ns, waited + tail_ns);
    }
    case REPLAY_WAITS_OWN: {
        int64_t own_ns = call->end_ns - measured_end_ns(replay, at);
        return is_pinned(pass, &replay->operations[call->operations]) && own_ns > PINNED_RETURN_NS
                   ? waited + PINNED_RETURN_NS
                   : waited + own_ns;
    }
    case REPLAY_WAITS_FREE: {
        int64_t ended_ns = replay->operations[call->source].end_ns;
        return latest_of(start_ns, waited) + call->end_ns - latest_of(call->start_ns, ended_ns);
    }
    case REPLAY_WAITS_QUEUE:
        least_ns = (int64_t)(SHORT_LAUNCH_NS * launch_left(pass, call));
        return latest_of(start_ns + least_ns, waited + replay->tail_ns[REPLAY_WAITS_QUEUE]);
    default:
        if (call->flags & (REPLAY_CALL_LOADS | REPLAY_CALL_TOOL))
            return start_ns + duration_ns;
        if (call->category == CALL_LAUNCH || call->category == CALL_COPY || call->category == CALL_SET ||
            (call->category == CALL_STREAM && (call->flags & REPLAY_CALL_ASIDE) == 0 &&
             duration_ns <= replay->short_gap_ns))
            duration_ns = (int64_t)((double)duration_ns * launch_left(pass, call));
        if (call->category == CALL_LAUNCH ||
            call->category == CALL_COPY) /* the further ones find all ready */
            duration_ns += (int64_t)(change->chunks - 1) *
                           (duration_ns < SHORT_LAUNCH_NS ? duration_ns : SHORT_LAUNCH_NS);
        return start_ns + duration_ns;
    }
}

/* ---- the pass ---- */

struct replay_state {
    struct thread_state *threads;
    struct context_state *contexts;
    struct stream_state *streams;
    /* The same behind what stands before the loop, which is as measured in each replay: it is passed once. */
    struct kept_state {
        bool known, traced; /* traced: the trace of it is there, too */
        size_t event, hand;
        struct thread_state *threads;
        struct context_state *contexts;
        struct stream_state *streams;
    } kept;
};

enum status replay_state_make(struct replay *replay, struct error *error)
{
    struct replay_state *state = replay->state = calloc(1, sizeof *state);
    if (state) {
        state->threads = malloc((replay->thread_count + 1) * sizeof *state->threads);
        state->contexts = malloc((replay->context_count + 1) * sizeof *state->contexts);
        state->streams = malloc((replay->stream_count + 1) * sizeof *state->streams);
        state->kept.threads = malloc((replay->thread_count + 1) * sizeof *state->threads);
        state->kept.contexts = malloc((replay->context_count + 1) * sizeof *state->contexts);
        state->kept.streams = malloc((replay->stream_count + 1) * sizeof *state->streams);
    }
    return state && state->threads && state->contexts && state->streams && state->kept.threads &&
                   state->kept.contexts && state->kept.streams
               ? STATUS_OK
               : error_no_memory(error, "to replay the run");
}

void replay_state_free(struct replay *replay)
{
    if (replay->state) {
        free(replay->state->threads);
        free(replay->state->contexts);
        free(replay->state->streams);
        free(replay->state->kept.threads);
        free(replay->state->kept.contexts);
        free(replay->state->kept.streams);
    }
    free(replay->state);
}

static void pass_begin(struct replay_pass *pass)
{
    struct replay *replay = pass->replay;
    pass->threads = replay->state->threads;
    pass->contexts = replay->state->contexts;
    pass->streams = replay->state->streams;
    memset(pass->threads, 0, replay->thread_count * sizeof *pass->threads);
    for (size_t i = 0; i < replay->context_count; i++) {
        struct context_state *context = &pass->contexts[i];
        context->blocking = context->legacy = context->all = no_last;
        context->running_count = 0;
        for (int k = 0; k < ENGINES; k++)
            context->engines[k].count = 0;
    }
    for (size_t i = 0; i < replay->stream_count; i++) {
        struct stream_state *stream = &pass->streams[i];
        *stream = (struct stream_state){.end = no_last,
                                        .small = REPLAY_KINDS,
                                        .plain = no_last,
                                        .collectives = {no_last, no_last},
                                        .kernel = no_last,
                                        .in = no_last,
                                        .out = no_last,
                                        .kernels_before = {no_last, no_last},
                                        .outs_before = {no_last, no_last}};
        for (size_t k = 0; k < REPLAY_CHUNKS_MAX; k++)
            stream->chunks_ns[k] = INT64_MIN;
    }
}

/* As it was measured; traced by the edge that binds it. */
static void keep_operation(struct replay_pass *pass, size_t call_at, size_t at)
{
    struct replay *replay = pass->replay;
    const struct replay_operation *operation = &replay->operations[at];
    if (replay->trace && (replay->traces_whole || operation->call >= replay->first_call)) {
        struct last ends[REPLAY_EDGES];
        find_measured_ends(pass, at, replay->calls[call_at].start_ns, ends);
        trace_operation(replay, at, operation->start_ns, ends[operation->edge].operation);
    }
    take_end(pass, at, operation->start_ns, operation->end_ns);
}

/* Of a change that treats what stands before the loop otherwise nothing is kept: its streams know what exchanges data. */
static bool can_keep(const struct replay_pass *pass, size_t first)
{
    const size_t loop = pass->replay->first_call;
    return pass->mode == REPLAY_GO && first >= loop && loop > 0 && !pass->change->exchanged;
}

static void keep_state(const struct replay_pass *pass)
{
    const struct replay *replay = pass->replay;
    struct kept_state *kept = &replay->state->kept;
    memcpy(kept->threads, pass->threads, replay->thread_count * sizeof *kept->threads);
    memcpy(kept->contexts, pass->contexts, replay->context_count * sizeof *kept->contexts);
    memcpy(kept->streams, pass->streams, replay->stream_count * sizeof *kept->streams);
    kept->event = pass->event;
    kept->hand = pass->hand;
    kept->traced = replay->traces_whole;
    kept->known = true;
}

/* Returns the first call that is left to pass. */
static size_t take_kept(struct replay_pass *pass, size_t first)
{
    const struct replay *replay = pass->replay;
    const struct kept_state *kept = &replay->state->kept;
    if (!can_keep(pass, first) || !kept->known || (replay->traces_whole && !kept->traced))
        return 0;
    memcpy(pass->threads, kept->threads, replay->thread_count * sizeof *kept->threads);
    memcpy(pass->contexts, kept->contexts, replay->context_count * sizeof *kept->contexts);
    memcpy(pass->streams, kept->streams, replay->stream_count * sizeof *kept->streams);
    pass->event = kept->event;
    pass->hand = kept->hand;
    return replay->first_call;
}

/* When the threads that took turns would have ended, had they shared their work evenly: who kept the lock did more. */
static int64_t shared_end_ns(const struct replay_pass *pass, size_t first, int64_t last_ns)
{
    const struct replay *replay = pass->replay;
    double sum_ns = 0;
    uint32_t count = 0;
    for (size_t t = 0; t < replay->thread_count; t++)
        if (pass->threads[t].works && pass->threads[t].measured_ns > replay->calls[first].start_ns) {
            sum_ns += (double)(pass->threads[t].now_ns - pass->start_ns);
            count++;
        }
    int64_t shared_ns = count > 0 ? pass->start_ns + (int64_t)(sum_ns / count) : last_ns;
    return shared_ns < last_ns ? shared_ns : last_ns;
}

static int64_t run_pass(struct replay *replay, enum replay_mode mode, const struct replay_change *change,
                        struct learning *learning, size_t first, size_t end)
{
    /* Kernels that never ran side by side have the times of kernels alone: no edit lets them share more than there is. */
    const bool apart = (replay->facts.has & REPLAY_HAS_KERNELS_BESIDE) == 0;
    struct replay_pass pass = {.replay = replay,
                               .mode = mode,
                               .change = change,
                               .learning = learning,
                               .capacity = change->no_events || change->no_legacy || change->spread ||
                                           change->exchanged || change->no_hands || apart,
                               .host_ns = INT64_MIN,
                               .start_ns = first < replay->call_count ? replay->calls[first].start_ns : 0};
    int64_t last_ns = INT64_MIN;
    replay->trace_is_whole = false;
    pass_begin(&pass);
    const size_t begin = take_kept(&pass, first);
    for (size_t at = begin; at < end; at++) {
        const struct replay_call *call = &replay->calls[at];
        if (at == replay->first_call && begin == 0 && can_keep(&pass, first))
            keep_state(&pass);
        struct thread_state *thread = &pass.threads[call->thread];
        uint32_t operations_end = replay_operations_end(replay, at);
        bool measured = mode != REPLAY_GO || at < first;
        int64_t start_ns = measured ? call->start_ns : call_start_ns(&pass, at), end_ns = call->end_ns;
        pass.merged = pass.fused = false;
        for (uint32_t i = call->operations; i < operations_end; i++)
            if (mode != REPLAY_GO)
                learn_operation(&pass, at, i);
            else if (measured)
                keep_operation(&pass, at, i);
            else
                last_ns = latest_of(last_ns, replay_operation(&pass, at, i, start_ns));
        if (mode == REPLAY_BIND)
            learn_call(&pass, at);
        if (!measured) {
            end_ns = call_end_ns(&pass, at, start_ns);
            pass.syncs += call->category == CALL_SYNC;
            bool waits = call->wait != REPLAY_WAITS_NOT && call->wait != REPLAY_WAITS_QUEUE;
            thread->issued = !waits && (thread->issued || operations_end > call->operations);
            if (operations_end > call->operations) {
                thread->merged = pass.merged;
                thread->waited = thread->waited && pass.merged;
            }
            thread->waited |= waits;
            thread->works |= operations_end > call->operations;
            last_ns = latest_of(last_ns, end_ns);
        }
        if (replay->call_ends_ns)
            replay->call_ends_ns[at] = end_ns;
        if (replay->trace)
            trace_call(replay, at, start_ns, end_ns, waited_of(&pass, at));
        thread->begun = true;
        thread->measured_ns = call->end_ns;
        thread->now_ns = end_ns;
    }
    last_ns = latest_of(last_ns, pass.host_ns);
    if (change->no_hands && mode == REPLAY_GO) {
        last_ns = replay->kept_lock ? shared_end_ns(&pass, first, last_ns) : last_ns;
        last_ns = latest_of(last_ns, pass.start_ns + (int64_t)pass.work_ns);
    }
    return last_ns;
}

int64_t replay_go(struct replay *replay, const struct replay_change *change, size_t first, size_t end)
{
    return run_pass(replay, REPLAY_GO, change, NULL, first, end);
}

/* ---- delays ---- */

/* Delays until enough is learnt: H100 and H200. */
static const int64_t usual_ns[REPLAY_EDGES] = {
    [REPLAY_BY_CALL] = 2000,     [REPLAY_BY_STREAM] = 1000, [REPLAY_BY_NODE] = 900,
    [REPLAY_BY_LEGACY] = 1500,   [REPLAY_BY_EVENT] = 1500,  [REPLAY_BY_ENGINE] = 1000,
    [REPLAY_BY_RESOURCE] = 1000, [REPLAY_BY_HOST] = 5000,   [REPLAY_BY_ROOM] = 0};

/* The median of some bins; false: they hold too few. */
static bool median_of(const uint32_t *bins, uint64_t count, int64_t *median_ns)
{
    uint64_t seen = 0;
    for (int i = 0; i < BINS && count >= CLEAR_LEAST; i++) {
        seen += bins[i];
        if (2 * seen >= count) {
            *median_ns = (int64_t)(i - BINS / 2) * BIN_NS + BIN_NS / 2;
            return true;
        }
    }
    return false;
}

static void take_typical(struct replay *replay, const struct learning *learning)
{
    for (int edge = 0; edge < REPLAY_EDGES; edge++) {
        uint32_t all[BINS] = {0};
        const uint64_t *counts = learning->binned[edge];
        uint64_t count = 0;
        int64_t all_ns = usual_ns[edge];
        for (int kind = 0; kind < REPLAY_KINDS; kind++) {
            for (int i = 0; i < BINS && counts[kind] > 0; i++)
                all[i] += learning->bins[edge][kind][i];
            count += counts[kind];
        }
        median_of(all, count, &all_ns);
        for (int kind = 0; kind < REPLAY_KINDS; kind++) {
            replay->typical_ns[edge][kind] = all_ns;
            median_of(learning->bins[edge][kind], counts[kind], &replay->typical_ns[edge][kind]);
        }
    }
}

static void take_means(struct replay *replay, const struct learning *learning)
{
    for (int edge = 0; edge < REPLAY_EDGES; edge++) {
        int64_t sum_ns = 0;
        uint64_t count = 0;
        for (int kind = 0; kind < REPLAY_KINDS; kind++) {
            sum_ns += learning->sums_ns[edge][kind];
            count += learning->counts[edge][kind];
        }
        for (int kind = 0; kind < REPLAY_KINDS; kind++) {
            uint64_t own = learning->counts[edge][kind];
            replay->mean_ns[edge][kind] = own > 0     ? learning->sums_ns[edge][kind] / (int64_t)own
                                          : count > 0 ? sum_ns / (int64_t)count
                                                      : replay->typical_ns[edge][kind];
        }
    }
    replay->room = learning->room_count > 0 ? learning->rooms / (double)learning->room_count : 1;
    for (int wait = 0; wait < REPLAY_WAITS; wait++)
        replay->tail_ns[wait] = learning->tails[wait] > 0
                                    ? learning->tails_ns[wait] / (int64_t)learning->tails[wait]
                                    : SHORT_WAIT_NS;
    for (int wait = REPLAY_WAITS_CONTEXT; wait <= REPLAY_WAITS_EVENT; wait++)
        replay->sleeps |= learning->tails[wait] >= SLEEPS_LEAST && replay->tail_ns[wait] > SLEEPS_NS &&
                          replay->tail_ns[wait] < SLEEPS_MOST_NS;
}

static void forget_bins(struct learning *learning)
{
    for (int edge = 0; edge < REPLAY_EDGES; edge++)
        for (int kind = 0; kind < REPLAY_KINDS; kind++) {
            free(learning->bins[edge][kind]);
            learning->bins[edge][kind] = NULL;
            learning->binned[edge][kind] = 0;
        }
}

#define LEARNINGS 2 /* what is typical decides which predecessor binds, and that what is typical */

enum status replay_learn(struct replay *replay, struct error *error)
{
    struct learning learning = {.no_memory = false};
    for (int edge = 0; edge < REPLAY_EDGES; edge++)
        for (int kind = 0; kind < REPLAY_KINDS; kind++)
            replay->typical_ns[edge][kind] = usual_ns[edge];
    for (int i = 0; i < LEARNINGS; i++) {
        run_pass(replay, REPLAY_LEARN, &replay_as_measured, &learning, replay->half_call, replay->half_call);
        take_typical(replay, &learning);
        forget_bins(&learning);
    }
    run_pass(replay, REPLAY_BIND, &replay_as_measured, &learning, replay->whole_end, replay->whole_end);
    take_means(replay, &learning);
    return learning.no_memory ? error_no_memory(error, "to replay the run") : STATUS_OK;
}
