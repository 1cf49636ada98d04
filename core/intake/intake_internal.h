/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of struct intake, for core/intake.
 *
 * intake.c: life, dispatch, announcements. intake_publish.c: held events become events of tracks; measurements
 * and their values. intake_wait.c: events that are held, and calls that wait for their work. intake_ids.c: the
 * process's ids and times to the session's. intake_runs.c: runs and what is expected of them. intake_code.c:
 * functions, what their instructions cost, and call paths. intake_samples.c: counters over time.
 */
#ifndef CORE_INTAKE_INTAKE_INTERNAL_H
#define CORE_INTAKE_INTAKE_INTERNAL_H

#include "core/base/array.h"
#include "core/base/event.h"
#include "core/base/idmap.h"
#include "core/intake/intake.h"
#include "core/session/samples.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- events in the order of time ---- */

/*
 * A queue of events, a heap ordered by time; events of equal time keep the order of insertion. One thread.
 * Bounded: if it is full, held_push fails and the owner pops the first event to make room.
 */

#define HELD_MAX (1u << 20)

struct held_key {
    int64_t time_ns;
    uint32_t order, slot;
};

struct held {
    struct held_key *keys; /* heap: the smallest first */
    struct event *events;  /* by slot; in a free slot `sequence` is the next free slot */
    uint32_t count, capacity, free_slot, order;
};

/* Bytes of its memory, and how many it takes more when it is full. */
static inline size_t held_bytes(const struct held *held)
{
    return held->capacity * (sizeof *held->keys + sizeof *held->events);
}
static inline bool held_is_full(const struct held *held)
{
    return held->count == held->capacity;
}

void held_fini(struct held *held); /* a zeroed one is empty */

/* False: HELD_MAX events are held already, or no memory. */
bool held_push(struct held *held, int64_t time_ns, const struct event *event);

/* Returns the first event and its time; the event stays valid until held_pop. The queue must not be empty. */
static inline int64_t held_time_ns(const struct held *held)
{
    return held->keys[0].time_ns;
}
static inline const struct event *held_first(const struct held *held)
{
    return &held->events[held->keys[0].slot];
}
void held_pop(struct held *held);

/* ---- calls by correlation id ---- */

/*
 * API calls by correlation id: they are joined with their device work, and launches that are still open are
 * listed. One thread.
 *
 * A call is stored at its correlation modulo JOINS_SLOTS, and a later call replaces it, so memory is bounded
 * without a search. Far fewer launches can be pending: the driver queues about a thousand per stream. Times
 * are session ns.
 */

#define JOINS_SLOTS (1u << 17)
#define JOINS_OPEN_MAX 1024u

struct join {
    int64_t start_ns, end_ns;
    uint32_t correlation, thread, shape, context,
        stream; /* correlation: the process's own id; 0: the slot is empty */
    uint8_t category, domain;
    bool called; /* the call has ended: start_ns, end_ns and thread are valid */
    bool open;   /* begun, and its device work has not arrived */
    bool done;   /* its device work has arrived */
};

struct joins {
    struct join *slots; /* NULL until needed */
    bool calls_seen;    /* this process sends calls, so device work may have to wait for its call */
    bool open_changed;  /* since the owner looked last */
    uint32_t open_count;
    uint32_t open[JOINS_OPEN_MAX]; /* correlations, as they came */
};

static inline size_t joins_bytes(const struct joins *joins)
{
    return joins->slots ? JOINS_SLOTS * sizeof *joins->slots : 0;
}

void joins_fini(struct joins *joins); /* a zeroed one is empty */

/* A call (times in session ns) began, or has ended. */
void joins_begin(struct joins *joins, const struct event *call);
void joins_call(struct joins *joins, const struct event *call);
/* Device work of this correlation has arrived. */
void joins_done(struct joins *joins, uint32_t correlation);

/* The outermost known call of the correlation that has ended; NULL if none is known. */
const struct join *joins_find(const struct joins *joins, uint32_t correlation);
/* Is this call (which has ended) inside another one of its correlation? */
bool joins_is_inner(const struct joins *joins, const struct event *call);

/* The i-th open launch, or NULL if a later call replaced it. */
const struct join *joins_open(const struct joins *joins, uint32_t i);
void joins_forget(struct joins *joins, uint32_t i); /* it is no longer open, or not known */

/* ---- intake ---- */

/* The most that is kept for one process. */
#define INTAKE_STRINGS_MAX (1u << 20)
#define INTAKE_STRING_BYTES_MAX ((uint64_t)512 << 20)
#define INTAKE_SHAPES_MAX (1u << 20)
#define INTAKE_STREAMS_MAX (1u << 14)
#define INTAKE_THREADS_MAX (1u << 14)
#define INTAKE_OPEN_RANGES_MAX (1u << 16)
#define INTAKE_OPEN_AFTER_LOSS 32u /* of a thread, once events of the process were lost */
#define INTAKE_RUNS_MAX (1u << 16)
#define INTAKE_ROWS_MAX (1u << 20) /* each of these: expected values, notices, drops */
#define INTAKE_PENDING_MAX 64u     /* measurements whose values are still arriving */
#define INTAKE_VALUES_MAX 4096u    /* of one measurement */
#define INTAKE_DEVICES_MAX 64u
#define INTAKE_FUNCTIONS_MAX (1u << 16)
#define INTAKE_CODE_MAX (1u << 21) /* rows in all tables of code: instructions, stalls, counts */
#define INTAKE_STACKS_MAX (1u << 18)
#define INTAKE_SITES_MAX (1u << 18) /* pairs of a kernel and a call path */
#define INTAKE_EVENT_USES_MAX (1u << 21)
#define INTAKE_GRAPHS_MAX (1u << 20)      /* that are launched */
#define INTAKE_GRAPH_NODES_MAX (1u << 20) /* rows of nodes and edges */
#define INTAKE_EDGES_WAITING 65536u /* edges of graphs that were not launched yet; older ones are forgotten */
#define INTAKE_SERIES_MAX 4096u
#define INTAKE_SAMPLINGS_MAX 4096u

struct intake_stream {
    uint32_t context, stream;
    uint32_t track, replay_track; /* NONE until something happens on it */
    uint8_t flags;
    int32_t priority;
    int64_t done_call_ns; /* start of the newest call whose work on this stream has arrived */
};

struct intake_thread {
    uint32_t thread;
    uint32_t tracks[TRACK_KIND_COUNT]; /* NONE until needed */
    uint32_t open_ranges;
    uint32_t oldest, newest; /* of the open ranges; NONE: none is open */
};

struct open_range {
    struct event begin; /* time in session ns */
    uint32_t depth;
    uint32_t older, newer; /* of the thread, NONE: there is none; newer: of a free one, the next free one */
};

struct kernel_cache {
    uint32_t run, shape, device, kernel; /* shape: the session's; kernel NONE: the slot is empty */
};
#define KERNEL_CACHE 256u

struct run_span {
    int64_t start_ns; /* never before the previous span's */
    uint32_t run;
};

struct pending_measurement {
    struct event event; /* times in session ns */
    struct value_row *values;
    uint32_t count;
};

struct intake_series {
    uint32_t name, device, interval_ns; /* the session's string and device */
    uint32_t sampling, place;           /* place in `samplings`; NONE until it has a sample */
    uint8_t flags;
};

struct intake_sampling {
    uint32_t sampling, series; /* the session's id; the number of its series */
    /* The sample whose numbers are still arriving. */
    uint32_t duration_ns;
    int64_t start_ns;
    uint64_t come; /* bits of the places that have */
    float numbers[SAMPLING_SERIES_MAX];
};

struct intake {
    struct session *session;
    uint32_t process, fallback_run;
    uint8_t clock;
    struct intake_stats stats;
    bool lost;            /* were events of the process lost before they came here? */
    uint64_t attributed;  /* part of stats.malformed that is already reported by kind, or is no loss */
    int64_t last_ns;      /* the newest time seen, session ns */
    int64_t plausible_ns; /* no true time is later than this; raised by reading the clock */
    bool finished;

    uint32_t *strings; /* by id; 0 unknown */
    uint32_t string_capacity;
    uint64_t string_bytes;
    struct idmap demangled; /* session string of a mangled name -> of the demangled one */
    struct idmap shapes;    /* id -> session shape */
    struct idmap stream_ids, thread_ids, range_ids, run_ids, series_ids;
    uint32_t devices[INTAKE_DEVICES_MAX];
    uint32_t devices_scanned;
    struct intake_stream *streams;
    uint32_t stream_count, stream_capacity, last_stream;
    struct intake_thread *threads;
    uint32_t thread_count, thread_capacity, last_thread;
    struct open_range *ranges;
    uint32_t range_count, range_capacity, range_free;
    struct kernel_cache kernels[KERNEL_CACHE];

    struct run_span *runs; /* of this process, from the session's table */
    uint32_t run_count, run_capacity, runs_scanned, last_run;
    uint32_t open_run; /* begun by this ring; NONE */
    uint32_t runs_begun, expected_added, notices_added, drops_added, event_uses_added;

    char **paths; /* strings that are paths and were used only as names of source files so far */
    uint32_t path_count, path_capacity;
    struct idmap path_ids, file_ids; /* string id -> path; string id -> session string of a source file */
    struct idmap functions;          /* id -> session function */
    uint32_t code_added;             /* rows */
    struct idmap stacks;             /* id -> session stack */
    /* id of a graph that was launched -> correlation of its first launch; 0: it has no edges */
    struct idmap graphs;
    struct waiting_edge {
        uint32_t graph, node, dependency;
    } * edges; /* of graphs that were not launched yet, in the order in which they came */
    size_t edge_count, edge_room;
    uint32_t graph_nodes_added;
    uint32_t sites_added;
    const char *source_folder;
    intake_read_source *read_source;
    void *source_context;

    struct pending_measurement pending[INTAKE_PENDING_MAX];
    uint32_t pending_count;

    struct intake_series *series;
    uint32_t series_count, series_capacity;
    struct intake_sampling *samplings;
    uint32_t sampling_count, sampling_capacity;

    struct intake_progress progress;

    struct joins joins;
    struct held held;
    size_t counted_bytes; /* of both, and of the open ranges, in the session's memory */
};

/* ---- intake_ids.c ---- */
/* Counts what was found malformed since the last call as malformed events of that kind. */
void intake_add_refused(struct intake *intake, uint8_t kind);
static inline void intake_count_refused(struct intake *intake, uint8_t kind)
{
    if (intake->stats.malformed != intake->attributed)
        intake_add_refused(intake, kind);
}

/* Converts raw ns to session ns. False: no real event can have this time. */
bool intake_time(struct intake *intake, int64_t raw_ns, int64_t *session_ns);
bool intake_times(struct intake *intake, int64_t *start_ns,
                  int64_t *end_ns); /* both times in place; also false if the end is before the start */
uint32_t intake_string(struct intake *intake, uint32_t id); /* 0 for unknown ones */
uint32_t intake_readable(struct intake *intake,
                         uint32_t mangled); /* the session string of a demangled name */
void intake_add_string(struct intake *intake, uint32_t id, const char *text, size_t size_bytes);
void intake_add_shape(struct intake *intake, const struct event *event);
uint32_t intake_shape(const struct intake *intake, uint32_t id); /* NONE for unknown ones */
void intake_add_device(struct intake *intake, uint32_t ordinal, const uint8_t *bytes, size_t size_bytes);
uint32_t intake_device(struct intake *intake, uint16_t ordinal); /* NONE for unknown ones */
struct intake_stream *intake_stream(struct intake *intake, uint32_t context, uint32_t stream,
                                    bool add); /* NULL: none, or too many */
uint32_t intake_stream_track(struct intake *intake, const struct event *event, uint32_t context,
                             uint32_t stream);
uint32_t intake_replay_track(struct intake *intake, const struct event *event, uint32_t context,
                             uint32_t stream);
struct intake_thread *intake_thread(struct intake *intake, uint32_t thread);
uint32_t intake_thread_track(struct intake *intake, uint32_t thread, enum track_kind kind);
/* kind: of the event that it came with. */
void intake_event_use(struct intake *intake, const struct event_use_row *row, uint8_t kind);
/* Keeps an absolute path that is not a string of the session yet. False: no memory. */
bool intake_keep_path(struct intake *intake, uint32_t id, const char *text, size_t size_bytes);
const char *intake_path(const struct intake *intake, uint32_t id); /* NULL: the string is no path */
void intake_free_paths(struct intake *intake);

/* ---- intake_publish.c ---- */
/* Publishes the held events that ended before limit_ns; wait: device work may still wait for its call. */
void intake_publish(struct intake *intake, int64_t limit_ns, bool wait);
void intake_hold(struct intake *intake, int64_t time_ns, const struct event *event);
void intake_show_open(struct intake *intake);
/* Counts what is held, and the calls, in the session's memory. */
void intake_count_memory(struct intake *intake);
void intake_close_ranges(struct intake *intake);

/* ---- intake_runs.c ---- */
void intake_run_begin(struct intake *intake, const struct event *event);
void intake_run_end(struct intake *intake, const struct event *event);
void intake_expected(struct intake *intake, const struct event *event);
uint32_t intake_run_at(struct intake *intake,
                       int64_t time_ns); /* the run at that time, else the default one */

/* The kernel row for a launch of a session shape that started at start_ns. */
uint32_t intake_kernel(struct intake *intake, int64_t start_ns, uint32_t shape, uint32_t device);

/* ---- intake_code.c ---- */
void intake_function(struct intake *intake, const struct event *event);
void intake_instruction(struct intake *intake, const struct event *event);
void intake_stalls(struct intake *intake, const struct event *event);
void intake_instruction_count(struct intake *intake, const struct event *event);
void intake_access(struct intake *intake, const struct event *event);
/* ---- call paths (intake_code.c) ---- */
void intake_stack(struct intake *intake, const struct event *event);
/* Counts a launch, copy or memset for the call path with this id; 0: no path. */
void intake_launch_site(struct intake *intake, uint32_t stack, const struct item *item, int64_t start_ns,
                        int64_t end_ns);

/* ---- measurements (intake_publish.c) ---- */
void intake_measurement(struct intake *intake, const struct event *event);
void intake_value(struct intake *intake, const struct event *event);
void intake_settle_measurements(struct intake *intake); /* those whose values never all came */

/* ---- intake_samples.c ---- */
void intake_series(struct intake *intake, const struct event *event);
/* Converts the sample's times to session ns, and sets *end_ns. False: the sample is not possible. */
bool intake_sample(struct intake *intake, struct event *event, int64_t *end_ns);
void intake_publish_sample(struct intake *intake, const struct event *event);
/* Adds the samples that no further SAMPLE will complete. */
void intake_flush_samples(struct intake *intake);

#endif
