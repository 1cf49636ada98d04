/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session: all data of what is profiled, live or from a recording.
 *
 * Append-only. ONE writer thread (intake while live, the loader when replaying) calls session_add_*; any
 * number of reader threads call the rest: they see published counts (a release store after the row is
 * complete), take no lock, and pointers that they get stay valid until session_destroy. Rows are never
 * changed after publication, except for the fields marked _Atomic.
 *
 * Times are ns since the session's start (session_start_ns: CLOCK_REALTIME of it), on the wall clock or on
 * the model's (track.clock); never mix the two on one axis. Ids are indices into the session's own tables,
 * 0-based; strings are 1-based, 0 = none.
 *
 * A track is one sequence of events (of a stream, a copy engine, a thread's calls). It has one or more lanes;
 * within a lane events are ordered and never overlap: an event that overlaps the last event of its lane goes
 * to the next lane, which is added if there is none.
 */
#ifndef CORE_SESSION_SESSION_H
#define CORE_SESSION_SESSION_H

#include "core/base/error.h"
#include "core/base/event.h"
#include "core/hardware/device_info.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NONE UINT32_MAX

struct session;

/* ---- rows ---- */
struct process_row {
    int32_t pid, parent_pid, rank; /* rank -1: none */
    uint32_t host, program;        /* strings */
    _Atomic uint32_t command;      /* string: the command line; arrives after the hello, 0 until then */
    uint8_t role, mode, clock;     /* enum wire_role, run_mode, clock_kind */
    int64_t start_ns;
    _Atomic int64_t end_ns;      /* INT64_MIN while it runs */
    _Atomic int32_t exit_status; /* -1 not known; 128 + n if signalled */
};

struct device_row {
    struct device_info info;
    uint32_t process; /* whose ordinal it is */
    uint32_t ordinal;
};

/* A variant of a workload, or a process of a program, in one mode. Runs of the same `group` are the same work
 * in different modes. */
struct run_row {
    uint32_t process, device, group;
    uint32_t workload, variant, params; /* strings; workload 0: a user's program */
    uint32_t program;                   /* string, when workload is 0 */
    uint8_t mode, clock;
    int64_t start_ns;
    _Atomic int64_t end_ns;    /* INT64_MIN while it runs */
    _Atomic int8_t verified;   /* 1, 0, -1 not known or not ours */
    _Atomic uint32_t detail;   /* string: why not verified */
    double effective_bytes;    /* per launch of effective_kernel; 0: not known */
    uint32_t effective_kernel; /* string: plain name */
    _Atomic uint32_t expected; /* 1 + the last of its expected rows, 0 none; set by the session */
    /* Set by the session: the first run of the group; 1 + the next one, 0 none; for the writer alone, in the
     * first one: the last one. */
    uint32_t first_of_group;
    _Atomic uint32_t next_of_group;
    uint32_t last_of_group;
    /* Start of the first and of the last launch of its kernels; INT64_MAX, INT64_MIN: none. Set by the
     * session. */
    _Atomic int64_t first_launch_ns, last_launch_ns;
};

/* Does the run provide what runs of that mode provide? A trace run times kernels, counter and memory runs
 * count. A run on the device model does all: counting does not disturb it. */
static inline bool run_is_of(const struct run_row *run, enum run_mode mode)
{
    return run->mode == mode || run->clock == CLOCK_MODEL;
}
static inline bool run_is_traced(const struct run_row *run)
{
    return run_is_of(run, RUN_TRACE);
}

struct shape_row {
    uint32_t name;    /* string: demangled, or as it came */
    uint32_t mangled; /* string */
    uint32_t grid[3];
    uint16_t block[3], cluster[3];
    uint16_t registers_per_thread;
    uint16_t flags; /* SHAPE_ */
    uint32_t static_shared_bytes, dynamic_shared_bytes, local_bytes_per_thread, shared_config_bytes;
};

/* Shared memory that the driver set aside per multiprocessor for such launches; 0: not known. CUPTI's figure
 * leaves dynamic shared memory out (docs/cupti-notes.md), so it is not known for launches that use it, nor
 * for a kernel without shared memory, since the driver sets more aside once it uses some. */
uint32_t shape_shared_set_aside(const struct shape_row *shape);

#define SESSION_SUM_MAX_NS ((uint64_t)INT64_MAX) /* others' recordings have any times */
/* Sums of durations stay at SESSION_SUM_MAX_NS once it is reached. */
static inline uint64_t session_add_sum(uint64_t sum_ns, uint64_t more_ns)
{
    return sum_ns < SESSION_SUM_MAX_NS && more_ns < SESSION_SUM_MAX_NS - sum_ns ? sum_ns + more_ns
                                                                                : SESSION_SUM_MAX_NS;
}

/* A kernel as the user thinks of it: one shape within one run. Its sums grow while launches come in (relaxed
 * atomics). */
struct kernel_row {
    uint32_t run, shape, device;
    /* All 0 before the first launch; total_ns stays at SESSION_SUM_MAX_NS once it is reached. */
    _Atomic uint64_t launches, total_ns, min_ns, max_ns;
    _Atomic uint64_t measured_launches;
};

/* One launch measured by counters. Its values: value rows [first_value, first_value + values). */
struct measurement_row {
    uint32_t kernel, correlation, context, stream, passes;
    uint32_t first_value, values;
    int64_t start_ns, end_ns; /* of the replay */
};
struct value_row {
    uint32_t counter; /* string: CUPTI's metric name */
    double number;
};

struct expected_row {
    uint32_t run, kernel_name, metric; /* strings: plain kernel name, metric id */
    uint32_t why;                      /* string, when number is NaN */
    uint32_t before;                   /* 1 + the previous row of the same run, 0 none; set by the session */
    double number;
};

struct notice_row {
    int64_t time_ns;
    uint32_t text, process; /* process NONE: lanescope itself */
    uint8_t severity,
        status; /* enum severity; enum status: PERMISSION, NO_DEVICE, ... determine the exit status */
};

/* What NCCL, or the trace of another tool, says of a collective, beside its kernel's launch. NCCL fuses some: their rows
 * have one launch, and follow each other. */
struct collective_row {
    uint32_t process, correlation; /* of the launch */
    uint32_t group;                /* string: its communicator, equal in all ranks of it */
    uint32_t function;             /* string: "AllReduce"; 0: not known */
    uint32_t ranks;                /* of the communicator; 0: not known */
    int64_t sequence;              /* among those of the function in the communicator; -1: not known */
    int64_t bytes;                 /* of a rank's message; -1: not known */
};

struct drop_row {
    int64_t time_ns;
    uint64_t count;
    uint32_t process, kind, reason;
};

/* A CUDA event was recorded in a stream, or waited for; a query of the host counts as a wait. The call has the same correlation, and so has the SYNC
 * of a wait: its time and thread are there. Waits name the record that they wait for by its number. */
enum event_use { EVENT_USE_RECORD, EVENT_USE_STREAM_WAITS, EVENT_USE_HOST_WAITS, EVENT_USE_COUNT };
struct event_use_row {
    uint32_t process, correlation;
    uint32_t context, stream; /* the process's own ids; of HOST_WAITS 0 */
    uint32_t event;           /* the process's own id of the CUDA event */
    uint8_t use;              /* enum event_use */
    uint64_t record;          /* number of the record, in the process; 0: not known */
};

/* Of a graph that was launched: an edge, or, with dependency NONE, a node as it ran in the graph's first launch. Nodes
 * without such a row of their own, as a fork has, did no work. */
struct graph_node_row {
    uint32_t process, graph; /* the process's own id of the graph, as in its launches */
    uint32_t node, dependency;
    uint32_t stream;  /* of a node: the process's own id of the stream that it ran in, */
    int64_t start_ns; /* and when; of an edge both are 0 */
};

/* A moment that the user marked. */
struct bookmark_row {
    int64_t time_ns;
    uint8_t clock;
    char text[71]; /* UTF-8, terminated */
};

/* A counter of a device that is sampled over time: one column of its sampling (core/session/samples.h). */
struct series_row {
    uint32_t process, device; /* device NONE: not known */
    uint32_t name;            /* string: CUPTI's metric name; of the model "model." and our name */
    uint32_t interval_ns;     /* asked for */
    uint32_t sampling;
    uint16_t place;       /* in the sampling */
    uint8_t clock, flags; /* enum clock_kind, SERIES_ */
};

/* ---- tracks, lanes, items ---- */
#define TRACK_KIND_LIST(X)        \
    X(STREAM, "stream")           \
    X(COPY_ENGINE, "copy engine") \
    X(CALLS, "calls")             \
    X(RANGES, "ranges")           \
    X(SYNCS, "waits")             \
    X(OVERHEAD, "overhead")       \
    X(MEASUREMENTS, "replay")
#define TRACK_ENUM(name, text) TRACK_##name,
enum track_kind { TRACK_KIND_LIST(TRACK_ENUM) TRACK_KIND_COUNT };
#undef TRACK_ENUM

struct track_row {
    uint8_t kind, clock;
    uint8_t flags;                    /* STREAM_ flags of a stream */
    uint8_t copy_kind;                /* COPY_ENGINE: the enum copy_kind of its copies */
    uint32_t process, device;         /* device NONE for CPU tracks */
    uint32_t context, stream, thread; /* the process's own ids; NONE if the kind of track has none */
    int32_t priority;
    _Atomic uint32_t lane_count;
};

#define ITEM_KIND_LIST(X)   \
    X(LAUNCH, "launch")     \
    X(COPY, "copy")         \
    X(SET, "set")           \
    X(CALL, "call")         \
    X(RANGE, "range")       \
    X(SYNC, "wait")         \
    X(OVERHEAD, "overhead") \
    X(MEASUREMENT, "replay")
#define ITEM_KIND_ENUM(name, text) ITEM_##name,
enum item_kind { ITEM_KIND_LIST(ITEM_KIND_ENUM) };
#undef ITEM_KIND_ENUM

#define ITEM_WHOLE_GRAPH 1u /* LAUNCH: stands for the launch of a whole graph */
#define ITEM_ASYNC 4u       /* COPY: by an asynchronous call */
#define ITEM_UNFINISHED 2u  /* the process ended first; end_ns is the last known time */
#define ITEM_FOLDED 8u      /* stands for several evicted events: see session_set_memory_limit */
/* Events of a lane are evicted in groups of this size, which begin at multiples of it; each event of an
 * evicted group is read as the group's longest event. */
#define SESSION_FOLD_EVENTS 16u

/* The data of an event in a lane, 32 bytes; its start and end are in the lane. call_*: the API call that it
 * came from (call_start_ns INT64_MIN: not known; durations are at most UINT32_MAX). */
struct item {
    uint8_t kind, flags; /* enum item_kind, ITEM_ */
    uint8_t a,
        b; /* COPY: copy_kind, source memory | SET: memory | CALL: domain, category | SYNC: sync_kind */
    uint32_t correlation;
    union {
        struct {
            int64_t call_start_ns;
            uint32_t call_duration_ns, call_thread;
            uint32_t kernel; /* kernel row; NONE: not known */
            uint32_t graph;  /* graph id, 0 none */
        } launch;
        struct {
            int64_t call_start_ns;
            uint32_t call_duration_ns, call_thread;
            uint64_t size_bytes;
        } copy; /* destination memory: see item_copy_destination */
        struct {
            int64_t call_start_ns;
            uint32_t call_duration_ns, call_thread;
            uint64_t size_bytes;
        } set;
        struct {
            uint32_t name; /* string */
            int32_t result;
            uint32_t context, stream;
        } call;
        struct {
            uint32_t name, domain, color, depth;
            double payload;
        } range;
        struct {
            uint32_t context, stream, thread;
        } sync;
        struct {
            uint32_t name;
        } overhead;
        struct {
            uint32_t measurement; /* measurement row */
        } measurement;
    };
};
_Static_assert(sizeof(struct item) == 32, "an item is 32 bytes");

/* COPY: b holds source memory in the low and destination memory in the high 4 bits. */
static inline uint8_t item_copy_source(const struct item *item)
{
    return item->b & 15u;
}
static inline uint8_t item_copy_destination(const struct item *item)
{
    return item->b >> 4;
}
/* COPY: half of a copy from GPU to GPU through the host, which CUPTI reports as a copy to or from the host
 * between two device memories. Its bytes are those of the whole copy, its times those of one half: no
 * bandwidth can be computed. */
static inline bool item_copy_is_staged(const struct item *item)
{
    return (item->a == COPY_HTOD || item->a == COPY_DTOH) && item_copy_source(item) == MEMORY_DEVICE &&
           item_copy_destination(item) == MEMORY_DEVICE;
}

/* The place of an event; index is within the lane. */
struct event_ref {
    uint32_t track, lane;
    uint64_t index;
};

/* A launch whose kernel has not ended yet. */
struct open_launch {
    uint32_t process, track; /* track NONE: stream not known */
    uint32_t correlation, thread;
    uint32_t shape; /* NONE if not known */
    int64_t call_start_ns;
};

/* ---- life ---- */
/* start_ns: the CLOCK_REALTIME of session time 0. */
enum status session_create(struct session **session, int64_t start_ns, struct error *error);
void session_destroy(struct session *session);
int64_t session_start_ns(const struct session *session);
/* For a trace whose first time is known once it was read: writer, before any event. */
void session_set_start(struct session *session, int64_t start_ns);
/* Of a session that was not recorded by lanescope: what it was read from, as a sentence without a full stop;
 * "": lanescope's own. counting: the command that counts on these GPUs, as far as the program's own, "": lanescope's.
 * Set by the writer, before any event. */
void session_set_origin(struct session *session, const char *text, const char *counting);
const char *session_origin(const struct session *session);
const char *session_counting(const struct session *session);
/* Options of lanescope's that count a program's kernels: on the GPU, or, where this session was refused its counters, on
 * the device model. */
const char *session_counting_options(const struct session *session);

/* Memory held by the session, lanes, tables and strings, and for it (session_count_memory). */
size_t session_memory_bytes(const struct session *session);

/* Adds to these, or subtracts from them, what other parts of lanescope hold for the session: events that wait
 * to be published or recorded, the recording's cache. Any thread. */
void session_count_memory(const struct session *session, int64_t bytes);
/* May they hold this much more? All together may take half of the limit. Any thread. */
bool session_has_room_beside(const struct session *session, size_t bytes);

/* Above this many bytes the oldest events are evicted. Their sums stay, which keep columns exact at the
 * boundaries of blocks (core/session/lane.h). Only the recording then has the single events; readers get them
 * as ITEM_FOLDED, spread evenly over their time. The oldest samples are merged to coarser units, repeatedly
 * (core/session/samples.h). recorded: evict only what session_set_recorded and session_set_samples_recorded
 * have reported as recorded. Called by the writer, before any event; 0, the default: no limit. A thread that
 * reads events or samples of a session with a limit must hold the session meanwhile, for at most a frame:
 * evicted memory is freed once every hold that existed at the eviction has been released. */
void session_set_memory_limit(struct session *session, size_t bytes, bool recorded);
/* The limit is for all memory of the process, as the system counts it. Called by the writer, before any
 * event. */
void session_measure_memory(struct session *session);
/* Beyond so many bytes events lie in this file, which the caller keeps open until the session is destroyed.
 * Called by the writer, before any event. */
void session_use_file(struct session *session, int file, size_t in_memory_bytes);
/* Is there room for more texts of programs? Texts are never evicted: all together may take half of the limit,
 * but at least 64 MB and at most 512 MB. Writer. */
bool session_has_room_for_text(const struct session *session);
/* Adds to, or subtracts from, that room the bytes of text outside the session. Writer. */
void session_count_text(struct session *session, int64_t bytes);
unsigned
session_hold(const struct session *session); /* any thread; waits if SESSION_HOLDS_MOST threads hold it */
void session_let_go(const struct session *session, unsigned hold);
#define SESSION_HOLDS_MOST 16u
/* Any one thread (the recorder's): the first `events` of the lane are in the recording. */
void session_set_recorded(const struct session *session, uint32_t track, uint32_t lane, uint64_t events);
/* The same for a sampling: its first `samples`. */
void session_set_samples_recorded(const struct session *session, uint32_t sampling, uint64_t samples);
/* Nothing more will be recorded: events evicted from now on are in no recording. Any thread. */
void session_end_recording(const struct session *session);
bool session_is_recorded(const struct session *session); /* false: it was said */
/* Writer: true if memory has so much unrecorded data that intake should stop until the recorder has caught
 * up. Evicts what is recorded. */
bool session_recording_lags(struct session *session);
/* The latest end of an evicted event; INT64_MIN: none was evicted. */
int64_t session_folded_until_ns(const struct session *session, enum clock_kind clock);
int64_t session_samples_folded_until_ns(const struct session *session,
                                        enum clock_kind clock); /* of samples */

/* ---- strings: interned, process independent ---- */
uint32_t session_add_string(struct session *session, const char *text,
                            size_t size_bytes); /* writer; 0 if memory ran out, or for an empty text */
const char *session_string(const struct session *session, uint32_t string); /* never NULL; "" for 0 */
uint32_t session_find_string(const struct session *session,
                             const char *text); /* writer thread only; 0 = not there */

/* ---- writer: each returns the new row's index, or NONE when memory ran out (counted: session_lost) ---- */
uint32_t session_add_process(struct session *session, const struct process_row *row);
uint32_t session_add_device(struct session *session, const struct device_row *row);
uint32_t session_add_run(struct session *session, const struct run_row *row);
uint32_t session_add_shape(struct session *session,
                           const struct shape_row *row); /* equal rows give the same index */
uint32_t session_add_kernel(struct session *session, uint32_t run, uint32_t shape,
                            uint32_t device); /* find or add */
uint32_t session_add_track(struct session *session,
                           const struct track_row *row); /* finds the track (kind, process, device, context,
                                                            stream, thread, copy_kind) or adds it */
uint32_t session_add_measurement(struct session *session, const struct measurement_row *row,
                                 const struct value_row *values);
uint32_t session_add_expected(struct session *session, const struct expected_row *row);
uint32_t session_add_notice(struct session *session, const struct notice_row *row);
uint32_t session_add_drop(struct session *session, const struct drop_row *row);
uint32_t session_add_collective(struct session *session, const struct collective_row *row);
/* NONE also for a process that is not there. */
uint32_t session_add_event_use(struct session *session, const struct event_use_row *row);
uint32_t session_add_graph_node(struct session *session, const struct graph_node_row *row); /* likewise */
/* This table does not belong to the writer: any one thread, such as the screen's, may add to it. */
uint32_t session_add_bookmark(struct session *session, const struct bookmark_row *row);
/* For the loader: a kernel's sums from the recording, known before its launches are loaded. From the first
 * call on session_add_event does not change the sums of kernels. */
void session_set_kernel_sums(struct session *session, uint32_t kernel, uint64_t launches, uint64_t total_ns,
                             uint64_t min_ns, uint64_t max_ns);
void session_end_process(struct session *session, uint32_t process, int64_t end_ns, int32_t exit_status);
void session_end_run(struct session *session, uint32_t run, int64_t end_ns, int8_t verified, uint32_t detail);

void session_set_process_command(struct session *session, uint32_t process, uint32_t command);

/*
 * From now on, and of what is there, the session keeps no names of the machine: processes have no command line; a host is
 * "host-" and eight digits, a device has another UUID, both the same ones until this machine starts again; of a path from the root
 * only its last part is kept, in every text; texts of sources are left out. Texts that were there are changed in place, so no
 * reader may run, and they are no longer found by session_find_string. Writer.
 */
void session_make_anonymous(struct session *session);
bool session_is_anonymous(const struct session *session);
/* The string of a host's name, or of what stands for it. */
uint32_t session_add_host(struct session *session, const char *host);

/* The limit of an event's times: beyond it sums could overflow. */
#define SESSION_TIME_MAX_NS ((int64_t)1 << 61)
/* A sum of times stays at INT64_MAX once it is reached: recordings of others can have any values. */
static inline int64_t session_add_ns(int64_t sum_ns, int64_t more_ns)
{
    return more_ns < INT64_MAX - sum_ns ? sum_ns + more_ns : INT64_MAX;
}
#define SESSION_TRACK_LANES_MAX 4096u

/* Appends an event to the first lane of a track that takes it; a RANGE not above the lane of its depth, so
 * that an outer range lies above its inner ones. A LAUNCH is also added to its kernel row; a COPY on a STREAM
 * track is also put on the track of its copy engine (kind COPY_ENGINE, same process and device, the copy's
 * kind; context, stream and thread NONE). The events of a track should arrive in order of end; a late one is
 * counted and goes where there is room, usually to a further lane. False, and counted: end_ns < start_ns, a
 * time beyond SESSION_TIME_MAX_NS, more lanes than SESSION_TRACK_LANES_MAX, no memory. */
bool session_add_event(struct session *session, uint32_t track, int64_t start_ns, int64_t end_ns,
                       const struct item *item);

/* Replaces the list of a process's open launches. At most SESSION_OPEN_LAUNCHES_MAX are kept over all
 * processes. */
#define SESSION_OPEN_LAUNCHES_MAX 1024u
void session_set_open_launches(struct session *session, uint32_t process, const struct open_launch *launches,
                               size_t count);
/* Sets the time up to which a clock is known, in ns: the newest watermark or end seen. Live views follow it.
 */
void session_set_now(struct session *session, enum clock_kind clock, int64_t now_ns);

/* ---- readers ---- */
/* clang-format off */
#define SESSION_TABLE_LIST(X) \
    X(process)                \
    X(device)                 \
    X(run) X(shape) X(kernel) X(track) X(measurement) X(value) X(expected) X(notice) X(drop) X(bookmark) \
    X(function) X(instruction) X(stall) X(tally) X(access) X(source) /* core/session/code.h has these rows */ \
    X(stack) X(launch_site) /* and core/session/stacks.h these */ \
    X(series) X(collective) X(event_use) X(graph_node)
/* clang-format on */
#define SESSION_TABLE_READ(noun)                                           \
    uint32_t session_##noun##_count(const struct session *session);        \
    const struct noun##_row *session_##noun(const struct session *session, \
                                            uint32_t index); /* NULL past the count */
SESSION_TABLE_LIST(SESSION_TABLE_READ)
#undef SESSION_TABLE_READ
uint32_t session_next_of_group(const struct session *session, uint32_t run); /* NONE after the last */

uint32_t session_lane_count(const struct session *session, uint32_t track); /* lanes; 0 past the tracks */
uint64_t session_lane_count_events(const struct session *session, uint32_t track,
                                   uint32_t lane); /* published events of a lane */
int64_t session_event_start_ns(const struct session *session, struct event_ref ref);
int64_t session_event_end_ns(const struct session *session, struct event_ref ref);
struct item session_event_item(const struct session *session, struct event_ref ref);
/* All three in one call; false: there is no such event. */
bool session_event(const struct session *session, struct event_ref ref, int64_t *start_ns, int64_t *end_ns,
                   struct item *item);

/* The first event of the lane that ends after time_ns; the lane's count if there is none. O(log n). */
uint64_t session_lane_find(const struct session *session, uint32_t track, uint32_t lane, int64_t time_ns);

size_t session_open_launches(const struct session *session, struct open_launch *launches,
                             size_t most); /* the count copied; longest first */
int64_t session_now_ns(const struct session *session, enum clock_kind clock); /* 0 at the start */
int64_t session_first_ns(const struct session *session,
                         enum clock_kind clock); /* earliest start of an event; 0 if there is none */
uint64_t session_event_count(const struct session *session); /* all lanes except the copy-engine ones */
uint64_t session_launch_count(const struct session *session);

struct session_lost {
    uint64_t late, refused, no_memory, dropped; /* events; rows and events; sum of drop rows */
    uint64_t told; /* the part of refused and no_memory that drop rows count as well (DROP_NO_ROOM) */
};
void session_lost(const struct session *session, struct session_lost *lost);

const char *track_kind_text(enum track_kind kind);
const char *item_kind_text(uint8_t kind); /* "launch"; "other": none of these */
/* A track's name for people, "stream 13", "copies to the device", "calls of thread 4711"; ASCII, terminated.
 */
void session_track_name(const struct session *session, uint32_t track, char *text, size_t size_bytes);

#endif
