/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of core/replay/replay*.c. replay.c opens and judges; replay_collect.c makes the arrays of a
 * session's events; replay_edges.c finds what waits for what; replay_pass.c replays.
 *
 * Calls lie in the order in which they began, over all threads, and operations in the order of their calls.
 * So all that an operation waits for was issued before it: a replay is one pass over both arrays, and the
 * order of streams, the legacy stream and waits for a whole context are running maxima.
 */
#ifndef CORE_REPLAY_REPLAY_INTERNAL_H
#define CORE_REPLAY_REPLAY_INTERNAL_H

#include "core/replay/replay.h"

#include <string.h>

/* The kinds of operations that delays are learnt of. */
enum replay_kind {
    REPLAY_KERNEL,
    REPLAY_GRAPH, /* the first node of a launch of a graph */
    REPLAY_IN_PAGEABLE,
    REPLAY_IN_PINNED,
    REPLAY_OUT_PAGEABLE,
    REPLAY_OUT_PINNED,
    REPLAY_COPY,
    REPLAY_SET,
    REPLAY_KINDS
};

/* The kinds of predecessors. */
enum replay_edge_kind {
    REPLAY_BY_CALL,
    REPLAY_BY_STREAM,
    REPLAY_BY_NODE, /* an earlier node of the same launch */
    REPLAY_BY_LEGACY,
    REPLAY_BY_EVENT,
    REPLAY_BY_ENGINE,
    REPLAY_BY_RESOURCE, /* work of another stream that ended just before, for no reason that is known */
    REPLAY_BY_HOST,     /* the stream, by a host function between them, whose time is not recorded */
    REPLAY_BY_ROOM,     /* a kernel of another stream that was still running, but left room by then */
    REPLAY_EDGES
};

/* What a call waits for. */
enum replay_wait {
    REPLAY_WAITS_NOT,
    REPLAY_WAITS_CONTEXT, /* source: the context */
    REPLAY_WAITS_STREAM,  /* source: the stream */
    REPLAY_WAITS_EVENT,   /* source: the operation; NONE: not found */
    REPLAY_WAITS_OWN,     /* for its own operations */
    REPLAY_WAITS_FREE,    /* an allocation or a free; source: the operation */
    REPLAY_WAITS_QUEUE,   /* a launch into a full queue; source: the operation */
    REPLAY_WAITS
};

#define REPLAY_CALL_LOADS 1u    /* loads code, captures or instantiates */
#define REPLAY_CALL_CAPTURED 2u /* within a capture: it issues nothing */
#define REPLAY_CALL_BLOCKED 4u  /* what it waited for ended within it */
#define REPLAY_CALL_LAST 8u     /* the last wait of the loop */
#define REPLAY_CALL_ASIDE 32u   /* makes or asks for something, and neither issues work nor waits */
#define REPLAY_CALL_TOOL 16u    /* most of it is the tracing's own time: no edit changes it */
#define REPLAY_CALL_KNOWN \
    64u /* waits for an event; until the waits are found, `source` is its row of `waits` */
#define REPLAY_CALL_READ 256u    /* a small copy to the host that is waited for: its call, and the wait */
#define REPLAY_CALL_UNREADY 128u /* a query that found work unfinished */

struct replay_call {
    int64_t start_ns, end_ns;
    uint32_t operations;                                     /* up to the next call's: its own */
    uint32_t source;                                         /* by `wait` */
    uint32_t name;                                           /* string */
    uint32_t thread : 16, category : 4, wait : 3, flags : 9; /* category: enum call_category */
};

#define REPLAY_OPERATION_ASYNC 1u
#define REPLAY_OPERATION_APART 2u /* it overlaps the one before it in its stream: no order between them */
#define REPLAY_OPERATION_NODE 4u  /* not the first operation of its call */
#define REPLAY_OPERATION_GRAPH 8u /* a node of a graph */

struct replay_operation {
    int64_t start_ns, end_ns;
    uint32_t call;
    uint32_t source; /* of BY_NODE, BY_RESOURCE and BY_ROOM: the operation; else NONE */
    union {
        uint32_t kernel; /* row; NONE: not known */
        float bytes;     /* of a copy or set */
    };
    uint16_t stream;
    uint8_t kind : 4, held : 1, inside : 1; /* enum replay_kind; held: a host function stands before it in its
                                               stream; inside: a copy whose both ends are in its device */
    uint8_t edge : 4, flags : 4;            /* edge: the predecessor that it waited for longest */
};
_Static_assert(sizeof(struct replay_call) == 32 && sizeof(struct replay_operation) == 32, "as replay.h says");

/* A small copy or set, of which the call and the overhead cost more than the bytes. */
static inline bool replay_is_small(const struct replay_operation *operation)
{
    return operation->kind >= REPLAY_IN_PAGEABLE && operation->kind <= REPLAY_SET &&
           operation->bytes < REPLAY_SMALL_BYTES;
}

/* Of replay->trips. */
static inline bool replay_bit(const uint8_t *bits, size_t at)
{
    return (bits[at / 8] >> (at % 8) & 1u) != 0;
}

#define REPLAY_FUSIBLE_NAMED 0x80000000u /* of replay->fusible: on single elements by its name */

struct replay_state;

/* When everything was in the last pass, and what held it: the operation whose end it waited for longest; NONE: of
 * an operation its call, of a call what it did itself. Kept where somebody asks for it. */
struct replay_trace {
    int64_t *starts_ns, *call_starts_ns, *call_ends_ns;
    uint32_t *from, *call_from;
};

/* Places (replay_places.h): of calls and of the gaps before them. */
struct replay_place {
    uint32_t call, kernel, range; /* strings; 0: none */
    uint32_t what;
};

struct replay_places {
    struct replay_place *items;
    size_t count;
    uint16_t *of_call, *of_gap; /* by call, of the loop */
};

struct replay_edge {
    uint32_t to, from;
};

struct replay_thread {
    uint32_t process, thread;
};

struct replay_context {
    uint32_t process, context;
};

struct replay_stream {
    uint32_t process, stream;
    uint16_t context;
    uint8_t flags; /* STREAM_ */
};

/* A stream, or a call (stream NONE), that waits for an event, and when it was told so. */
struct replay_stream_wait {
    int64_t time_ns;
    int64_t record_ns; /* start of the call that recorded the event; INT64_MIN: not known */
    uint32_t stream;
    uint32_t record; /* the stream that it was recorded in; NONE: not known, or without operations */
};

struct replay {
    const struct session *session;
    struct replay_call *calls; /* one more than call_count, whose `operations` is operation_count */
    struct replay_operation *operations;
    size_t call_count, operation_count;
    struct replay_thread *threads;
    struct replay_context *contexts;
    struct replay_stream *streams;
    size_t thread_count, thread_room, context_count, context_room, stream_count, stream_room;
    uint32_t *by_stream; /* operations of stream s: [stream_first[s], stream_first[s + 1]) */
    uint32_t *stream_first;
    struct replay_edge *events, *hands; /* to operations; between calls. In order of `to` */
    size_t event_count, event_room, hand_count, hand_room;
    struct replay_stream_wait *waits;
    size_t wait_count, wait_room;

    uint32_t kernels;     /* rows that the arrays below have */
    uint8_t *casts;       /* by row: does it convert types, by its name? */
    uint8_t *collectives; /* by row: does it exchange data with other devices, by its name? */
    uint8_t
        *trips; /* a bit for each operation: one of a pair of copies of as many bytes, to the host and back */
    uint8_t *again,
        *constants; /* a bit for each operation, a copy to the device that comes again; for each call that sets constants */
    uint8_t *polled,
        *trimmed; /* a bit for each call: a wait by queries with pauses; an allocation that maps memory anew */
    uint8_t *swaps; /* a bit for each operation: a copy inside the device between kernels, that comes again */
    uint32_t uneven; /* string: the kernel that several streams share; 0: none is busy with it for longer */
    float *even; /* by stream: what is left of that kernel's time if all are busy with it for equally long */
    float *shares;   /* of its device's block slots that a launch takes; 1 where not known */
    float *spread;   /* of its time that is left if it used all multiprocessors */
    uint32_t period; /* operations after which the loop's kernels come again; 0: they do not */
    uint32_t *
        fusible; /* by row: rows with equal numbers above 0, but for REPLAY_FUSIBLE_NAMED, have equal grids and may be one kernel */
    float *bounds, *products; /* NULL: none are known */

    /* Delays: the mean where an edge binds, and what is typical of it where it alone holds an operation. */
    int64_t mean_ns[REPLAY_EDGES][REPLAY_KINDS], typical_ns[REPLAY_EDGES][REPLAY_KINDS];
    double room;                   /* the part of a kernel's time after which it leaves room for another */
    int64_t tail_ns[REPLAY_WAITS]; /* from the end of what a call waited for to its return */

    size_t first_call, half_call, end_call; /* the loop, or a piece of it */
    size_t whole_first, whole_end;          /* all of it */
    size_t kernels_first,
        kernels_end; /* of a run without steps: from the first call that issues a kernel to the last; else the loop */
    bool *sharing;        /* by thread: it launches kernels of the loop that another thread launches, too */
    bool without_steps;   /* the loop is the whole run, in which nothing is known to come again */
    bool sleeps;          /* waits return late: see REPLAY_HAS_SLEEPS */
    bool kept_lock;       /* threads take turns by a lock that one of them keeps for long */
    bool hosts;           /* there are host functions */
    int64_t short_gap_ns; /* REPLAY_SHORT_GAP_NS, or that of Python */
    struct replay_facts facts;

    struct replay_state *state;
    struct replay_places *places; /* NULL: not found yet */
    struct replay_trace *trace;   /* NULL: it is not kept */
    bool traces_whole,
        trace_is_whole; /* a replay is to trace what stands before the piece, too; the trace is one of all of the loop as it was measured */
    int64_t *ends_ns;   /* of operations, in the last replay */
    int64_t *call_ends_ns; /* NULL: no call hands over */
};

#define REPLAY_ROWS_TIMES 4 /* chosen: slower than the link by this */

/* A copy from or to pinned memory in rows, which are so short that the engine and not the link takes its time. */
static inline bool replay_is_of_rows(const struct replay *replay, const struct replay_operation *operation)
{
    const double ns = (double)(operation->end_ns - operation->start_ns);
    if ((operation->kind != REPLAY_IN_PINNED && operation->kind != REPLAY_OUT_PINNED) ||
        operation->bytes < REPLAY_SMALL_BYTES ||
        ns * replay->facts.link_bytes_per_ns < REPLAY_ROWS_TIMES * (double)operation->bytes)
        return false;
    const char *name = session_string(replay->session, replay->calls[operation->call].name);
    return strstr(name, "Memcpy2D") || strstr(name, "Memcpy3D");
}

/* Before the first kernel of a run without steps, or behind the last one: what is allocated or made there is outside of
 * its loop as it is. */
static inline bool replay_is_set_up(const struct replay *replay, size_t call)
{
    return call < replay->kernels_first || call >= replay->kernels_end;
}

/* Fills the arrays. */
enum status replay_collect(struct replay *replay, uint32_t run, struct error *error);
/* Finds the edges: by_stream, events, hands, the waits of calls. */
enum status replay_find_edges(struct replay *replay, struct error *error);
/* The stream's last operation that ended by `end_ns` and was issued by calls before `call`; NONE. */
uint32_t replay_ended(const struct replay *replay, uint32_t stream, int64_t end_ns, size_t call);
/* The stream's operation that runs at a time and was issued by calls before `call`; NONE. */
uint32_t replay_running(const struct replay *replay, uint32_t stream, int64_t time_ns, size_t call);

/* The state of a pass, made once: so that no replay can fail. */
enum status replay_state_make(struct replay *replay, struct error *error);
void replay_state_free(struct replay *replay);
void replay_trace_free(struct replay *replay);
void replay_places_free(struct replay *replay);
/* Rows of the session's tracks by stream and thread of the graph, NONE: it has none. The caller frees both, also
 * where there is no memory (false). */
bool replay_find_tracks(const struct replay *replay, uint32_t **streams, uint32_t **threads);
/* Learns the delays from the first half of the loop, and finds the edge that binds each operation. Operations
 * issued before the loop are as measured. */
enum status replay_learn(struct replay *replay, struct error *error);
/* Replays the calls from `first` up to `end`, those before them being as measured. Returns the last end of
 * them and their operations. */
int64_t replay_go(struct replay *replay, const struct replay_change *change, size_t first, size_t end);

/* Is it a launch of the kernel that streams share unevenly? */
static inline bool replay_is_uneven(const struct replay *replay, const struct replay_operation *operation)
{
    return operation->kind <= REPLAY_GRAPH && operation->kernel != NONE && replay->uneven != 0 &&
           session_shape(replay->session, session_kernel(replay->session, operation->kernel)->shape)->name ==
               replay->uneven;
}

static inline uint32_t replay_operations_end(const struct replay *replay, size_t call)
{
    return replay->calls[call + 1].operations;
}

/* What an operation's delay after its call is counted from: the call's end; of a call that waits the time by
 * which it has issued its operations. */
/* Chosen: the time between calls that issuing takes, of a program and of Python; more is work of the host. */
#define REPLAY_SHORT_GAP_NS 20000
#define REPLAY_PYTHON_GAP_NS 100000
#define REPLAY_ISSUED_NS 8000 /* H100, H200: 7 to 12 us from the call to the start, less the usual delay */
static inline int64_t replay_call_base_ns(const struct replay_call *call)
{
    int64_t duration_ns = call->end_ns - call->start_ns;
    return call->wait == REPLAY_WAITS_NOT || duration_ns < REPLAY_ISSUED_NS ? duration_ns : REPLAY_ISSUED_NS;
}

#endif
