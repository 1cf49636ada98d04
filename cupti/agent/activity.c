/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One `activity` for the process. `calls` is filled at the start and only read afterwards; `on` and
 * `stopped` belong to the lock; counters are atomic, because CUPTI's thread writes them and the agent's
 * thread reads and reports them.
 *
 * The buffers that CUPTI fills with records are a pool of equal ones, for any thread, with one short lock. At
 * most BUFFERS_MAX are ever made; each is idle here or with CUPTI. When all are with CUPTI it gets none,
 * drops the records, and `refused` counts it.
 *
 * The self-check has one flag: `checked` is set when a kernel has been compared, whatever the result.
 *
 * Graphs: a slot holds the event of a graph launch whose nodes still come. `turn` counts the agent's rounds:
 * a launch whose last node came two rounds ago is complete. A launch that finds its slot taken sends the one
 * in it.
 */
#include "cupti/agent/activity.h"

#include "core/base/function_name.h"
#include "cupti/agent/agent.h"
#include "cupti/agent/bursts.h"
#include "cupti/agent/translate.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- buffers and records ---- */

#define BUFFERS_BYTES 262144u /* works as well as 1 MB, and is full sooner: docs/cupti-notes.md */
#define BUFFERS_MAX 1024u

/* ---- buffers ---- */

static struct {
    pthread_mutex_t lock;
    uint8_t *idle[BUFFERS_MAX];
    unsigned idle_count, made;
    uint64_t refused;
} buffers = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A buffer and its size; NULL (and size 0) if all are in use: CUPTI then drops records and counts them. */
static uint8_t *buffers_take(size_t *size_bytes)
{
    uint8_t *buffer = NULL;
    pthread_mutex_lock(&buffers.lock);
    if (buffers.idle_count > 0)
        buffer = buffers.idle[--buffers.idle_count];
    else if (buffers.made < BUFFERS_MAX && (buffer = aligned_alloc(64, BUFFERS_BYTES)))
        buffers.made++;
    buffers.refused += !buffer;
    pthread_mutex_unlock(&buffers.lock);
    *size_bytes = buffer ? BUFFERS_BYTES : 0;
    return buffer;
}

static void buffers_give_back(uint8_t *buffer)
{
    pthread_mutex_lock(&buffers.lock);
    if (buffers.idle_count < BUFFERS_MAX)
        buffers.idle[buffers.idle_count++] = buffer;
    pthread_mutex_unlock(&buffers.lock);
}

/* How often there was no free buffer since the last call. */
static uint64_t buffers_refused(void)
{
    pthread_mutex_lock(&buffers.lock);
    uint64_t count = buffers.refused;
    buffers.refused = 0;
    pthread_mutex_unlock(&buffers.lock);
    return count;
}

/* ---- the self-check ---- */

static _Atomic bool checked;

/* Is every kernel checked that needs it? Any thread. */
static bool check_done(void)
{
    return atomic_load_explicit(&checked, memory_order_relaxed);
}

enum status check_compare(const cupti_kernel_record *record, uint32_t name, const struct event *call,
                          const struct event *shape, const char *cupti_path, struct error *error)
{
    const struct {
        const char *what;
        int64_t record, launch;
    } fields[] = {
        {"grid x", record->gridX, shape->shape.grid[0]},
        {"grid y", record->gridY, shape->shape.grid[1]},
        {"grid z", record->gridZ, shape->shape.grid[2]},
        {"block x", record->blockX, shape->shape.block[0]},
        {"block y", record->blockY, shape->shape.block[1]},
        {"block z", record->blockZ, shape->shape.block[2]},
        {"name", name, shape->shape.name},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].record != fields[i].launch)
            return error_set(
                error, STATUS_CHECK,
                "The records of %s do not have the layout that lanescope expects: the first kernel's %s "
                "reads %lld where %lld was launched. Tracing is off. Use the CUPTI of CUDA 13.0 Update 1.",
                cupti_path, fields[i].what, (long long)fields[i].record, (long long)fields[i].launch);
    if (record->end < record->start || (int64_t)record->start < call->call.start_ns - 1000000000)
        return error_set(
            error, STATUS_CHECK,
            "The records of %s do not have the layout that lanescope expects: the first kernel's times are "
            "not after its launch. Tracing is off. Use the CUPTI of CUDA 13.0 Update 1.",
            cupti_path);
    return STATUS_OK;
}

/* Checks a kernel against its launch in agent.launches, if that is there; a mismatch stops the trace with a
 * notice. */
static void check_kernel(const cupti_kernel_record *record)
{
    struct event call, shape;
    if (!launches_find(agent.launches, record->correlationId, &call, &shape))
        return; /* a node of a graph, or launched before the agent was there */
    struct error error;
    atomic_store_explicit(&checked, true, memory_order_relaxed);
    if (check_compare(record, wire_string(agent.wire, record->name), &call, &shape, agent.cupti.path,
                      &error) != STATUS_OK) {
        agent_notice_error(&error);
        atomic_store(&agent.distrusted, true); /* the agent's thread ends the trace */
    } else if (agent.cupti.version > CUPTI_OLDEST) {
        agent_notice(SEVERITY_INFO, STATUS_OK,
                     "%s is CUPTI %u; lanescope is tested with %u. The first kernel's record was checked and "
                     "is right.",
                     agent.cupti.path, agent.cupti.version, CUPTI_OLDEST);
    }
}

/* ---- graphs ---- */

struct launch {
    struct event event; /* kind EVENT_NONE: free */
    uint32_t turn;      /* in which its last node came */
};

struct graphs {
    pthread_mutex_t lock;
    uint32_t turn, count;
    struct launch launches[GRAPHS_SLOTS]; /* by correlation id, which grows: neighbours do not collide */
};

struct graphs *graphs_create(void)
{
    struct graphs *graphs = calloc(1, sizeof *graphs);
    if (graphs && pthread_mutex_init(&graphs->lock, NULL) != 0) {
        free(graphs);
        return NULL;
    }
    return graphs;
}

void graphs_destroy(struct graphs *graphs)
{
    if (!graphs)
        return;
    pthread_mutex_destroy(&graphs->lock);
    free(graphs);
}

bool graphs_add(struct graphs *graphs, const struct event *node, struct event *done)
{
    pthread_mutex_lock(&graphs->lock);
    struct launch *launch = &graphs->launches[node->kernel.correlation % GRAPHS_SLOTS];
    struct event *event = &launch->event;
    bool other = event->kind != EVENT_NONE && (event->kernel.correlation != node->kernel.correlation ||
                                               event->kernel.graph != node->kernel.graph);
    if (other)
        *done = *event;
    if (other || event->kind == EVENT_NONE) {
        graphs->count += !other;
        *event = *node;
        event->flags |= KERNEL_FROM_GRAPH_TRACE;
        event->kernel.shape = 0;
        event->kernel.graph_node = 0;
    }
    if (node->kernel.start_ns < event->kernel.start_ns)
        event->kernel.start_ns = node->kernel.start_ns;
    if (node->kernel.end_ns > event->kernel.end_ns)
        event->kernel.end_ns = node->kernel.end_ns;
    launch->turn = graphs->turn;
    pthread_mutex_unlock(&graphs->lock);
    return other;
}

size_t graphs_take(struct graphs *graphs, bool all, struct event *done, size_t room, int64_t *oldest_ns)
{
    size_t taken = 0;
    *oldest_ns = INT64_MAX;
    pthread_mutex_lock(&graphs->lock);
    for (uint32_t slot = 0; slot < GRAPHS_SLOTS && graphs->count > 0; slot++) {
        struct launch *launch = &graphs->launches[slot];
        if (launch->event.kind == EVENT_NONE)
            continue;
        if ((all || graphs->turn - launch->turn >= 2) && taken < room) {
            done[taken++] = launch->event;
            launch->event.kind = EVENT_NONE;
            graphs->count--;
        } else if (launch->event.kernel.start_ns < *oldest_ns) {
            *oldest_ns = launch->event.kernel.start_ns;
        }
    }
    graphs->turn += taken < room;
    pthread_mutex_unlock(&graphs->lock);
    return taken;
}

/* ---- activity ---- */

#define RUNNING_AFTER_NS 30000000 /* a launch older than this is shown as running */
#define SHOWN_A_TICK 64u
#define GRAPH_NODES_A_SECOND 100000 /* above it, a graph launch is one event */
#define GRAPH_WINDOW_NS 250000000

/* An API call's plain name and category, by callback id; filled at start, then only read. */
struct call_table {
    uint32_t count;
    uint8_t *category;
    char (*name)[API_NAME_BYTES];
};

static struct {
    struct call_table calls[2]; /* API_DRIVER, API_RUNTIME */
    pthread_mutex_t lock;       /* of switching kinds on and off */
    bool on, stopped;
    _Atomic uint64_t graph_nodes;
    _Atomic uint64_t no_time[EVENT_KIND_COUNT], unknown, cupti_dropped;
    uint64_t window_nodes;
    int64_t window_start_ns, previous_flush_ns;
    _Atomic(struct graphs *) graphs; /* NULL: every node is sent */
} activity = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const CUpti_ActivityKind captured_kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                    CUPTI_ACTIVITY_KIND_MEMCPY,
                                                    CUPTI_ACTIVITY_KIND_MEMCPY2,
                                                    CUPTI_ACTIVITY_KIND_MEMSET,
                                                    CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                                    CUPTI_ACTIVITY_KIND_CUDA_EVENT,
                                                    CUPTI_ACTIVITY_KIND_MARKER,
                                                    CUPTI_ACTIVITY_KIND_OVERHEAD,
                                                    CUPTI_ACTIVITY_KIND_RUNTIME,
                                                    CUPTI_ACTIVITY_KIND_DRIVER};

/* ---- names for translate ---- */

static uint32_t name_string(void *user, const char *text)
{
    (void)user;
    return wire_string(agent.wire, text);
}

static uint32_t name_shape(void *user, const struct event *shape)
{
    (void)user;
    return shapes_id(agent.shapes, shape);
}

static bool name_call(void *user, enum api_domain domain, uint32_t id, uint32_t *name, uint8_t *category)
{
    const struct call_table *table = &activity.calls[domain == API_RUNTIME];
    (void)user;
    if (id >= table->count || table->category[id] == CALL_OTHER)
        return false;
    *category = table->category[id];
    *name = wire_string(agent.wire, table->name[id]);
    return true;
}

static const struct translate_names names = {.string = name_string, .shape = name_shape, .call = name_call};

static enum status call_table_fill(struct call_table *table, CUpti_CallbackDomain domain, uint32_t count,
                                   struct error *error)
{
    table->category = calloc(count, sizeof *table->category);
    table->name = calloc(count, sizeof *table->name);
    if (!table->category || !table->name)
        return error_set(error, STATUS_MEMORY, "There is no memory for the names of the API calls.");
    for (uint32_t id = 1; id < count; id++) {
        const char *name = NULL;
        if (agent.cupti.cuptiGetCallbackName(domain, id, &name) != CUPTI_SUCCESS || !name)
            continue;
        api_plain_name(name, table->name[id], sizeof table->name[id]);
        table->category[id] = (uint8_t)api_category(table->name[id]);
    }
    table->count = count;
    return STATUS_OK;
}

/* ---- records ---- */

static void CUPTIAPI buffer_wanted(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *buffer = buffers_take(size);
    *max_records = 0;
}

/* The call path of the call that issued this work. */
static void stack_attach(struct event *event)
{
    if (!agent.stacks)
        return;
    switch (event->kind) {
    case EVENT_KERNEL: event->kernel.stack = stacks_find(agent.stacks, event->kernel.correlation); break;
    case EVENT_COPY: event->copy.stack = stacks_find(agent.stacks, event->copy.correlation); break;
    case EVENT_SET: event->set.stack = stacks_find(agent.stacks, event->set.correlation); break;
    default: break;
    }
}

static void kernel_arrived(const cupti_kernel_record *record, const struct event *event)
{
    if (event->kernel.graph_node)
        atomic_fetch_add_explicit(&activity.graph_nodes, 1, memory_order_relaxed);
    if (!check_done())
        check_kernel(record);
    launches_end(agent.launches, event->kernel.correlation);
    if (!event->kernel.graph_node)
        bursts_kernel_done(event->kernel.correlation);
    struct graphs *graphs = atomic_load_explicit(&activity.graphs, memory_order_acquire);
    struct event done;
    if (!event->kernel.graph_node || !graphs)
        wire_emit(agent.wire, event);
    else if (graphs_add(graphs, event, &done))
        wire_emit(agent.wire, &done);
}

static void record_arrived(const CUpti_Activity *record)
{
    struct event events[2];
    enum translate_result result = translate(record, &names, events);
    if (result == TRANSLATE_EVENT)
        stack_attach(&events[0]);
    if (result == TRANSLATE_UNKNOWN) {
        atomic_fetch_add_explicit(&activity.unknown, 1, memory_order_relaxed);
    } else if (result == TRANSLATE_NO_TIME) {
        atomic_fetch_add_explicit(&activity.no_time[translate_kind(record->kind)], 1, memory_order_relaxed);
        if (events[0].kind == EVENT_KERNEL) {
            launches_end(agent.launches, events[0].kernel.correlation);
            bursts_kernel_done(events[0].kernel.correlation);
        }
    } else if (events[0].kind == EVENT_KERNEL && result == TRANSLATE_EVENT) {
        kernel_arrived((const void *)record, &events[0]);
    } else if (result != TRANSLATE_NOTHING) {
        wire_emit(agent.wire, &events[0]);
        if (result == TRANSLATE_TWO)
            wire_emit(agent.wire, &events[1]);
    }
    if (record->kind == CUPTI_ACTIVITY_KIND_OVERHEAD)
        free(((const cupti_overhead_record *)(const void *)record)->overheadData);
}

static void CUPTIAPI buffer_complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                                     size_t valid_bytes)
{
    (void)size;
    if (!buffer)
        return;
    if (atomic_load_explicit(&agent.running, memory_order_relaxed)) {
        CUpti_Activity *record = NULL;
        while (valid_bytes &&
               agent.cupti.cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS)
            record_arrived(record);
        size_t dropped = 0;
        if (agent.cupti.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS &&
            dropped)
            atomic_fetch_add_explicit(&activity.cupti_dropped, dropped, memory_order_relaxed);
    }
    buffers_give_back(buffer);
}

/* ---- life ---- */

static void kind_on(CUpti_ActivityKind kind, const char *what)
{
    CUptiResult result = agent.cupti.cuptiActivityEnable(kind);
    if (result != CUPTI_SUCCESS)
        agent_notice(SEVERITY_WARNING, STATUS_DEVICE,
                     "CUPTI does not record %s (%s): these events are missing.", what,
                     cupti_text(&agent.cupti, result));
}

enum status activity_start(struct error *error)
{
    const struct cupti *cupti = &agent.cupti;
    enum status status = STATUS_OK;
    int64_t oldest_ns;
    struct event call, shape;
    while (launches_take_old(agent.launches, INT64_MAX, &call, &shape, 1, &oldest_ns) > 0)
        continue; /* of an earlier capture, which ended before their kernels */
    activity.previous_flush_ns = 0;
    activity.stopped = false; /* the collector of an earlier capture had gone */
    if (activity.calls[API_DRIVER].count == 0)
        status = call_table_fill(&activity.calls[API_DRIVER], CUPTI_CB_DOMAIN_DRIVER_API,
                                 CUPTI_DRIVER_TRACE_CBID_SIZE, error);
    if (status == STATUS_OK && activity.calls[API_RUNTIME].count == 0)
        status = call_table_fill(&activity.calls[API_RUNTIME], CUPTI_CB_DOMAIN_RUNTIME_API,
                                 CUPTI_RUNTIME_TRACE_CBID_SIZE, error);
    if (status != STATUS_OK)
        return status;
    CUptiResult result = cupti->cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
    if (result == CUPTI_SUCCESS)
        result = cupti->cuptiActivityRegisterCallbacks(buffer_wanted, buffer_complete);
    if (result != CUPTI_SUCCESS)
        return cupti_error(cupti, result, "Setting up CUPTI's tracing", error);
    kind_on(CUPTI_ACTIVITY_KIND_CONTEXT, "contexts");
    kind_on(CUPTI_ACTIVITY_KIND_STREAM, "streams");
    if (agent.config.capture ==
        AGENT_CAPTURE_NVTX) /* so that the range that starts the capture is complete */
        kind_on(CUPTI_ACTIVITY_KIND_MARKER, "ranges");
    return STATUS_OK;
}

static const char *kind_text(CUpti_ActivityKind kind)
{
    return event_kind_text(translate_kind(kind));
}

static void switch_kinds(bool on)
{
    const struct cupti *cupti = &agent.cupti;
    for (size_t i = 0; i < sizeof captured_kinds / sizeof *captured_kinds; i++) {
        CUpti_ActivityKind kind = captured_kinds[i];
        bool api = kind == CUPTI_ACTIVITY_KIND_RUNTIME || kind == CUPTI_ACTIVITY_KIND_DRIVER;
        if ((api && !agent.config.api_calls) ||
            (kind == CUPTI_ACTIVITY_KIND_MARKER && agent.config.capture == AGENT_CAPTURE_NVTX))
            continue;
        if (on)
            kind_on(kind, kind_text(kind));
        else
            cupti->cuptiActivityDisable(kind);
    }
    /* The wanted calls can be selected only after the kind is enabled. Without a selection there are hundreds
     * of calls at the start alone. */
    for (uint32_t id = 1; on && agent.config.api_calls && id < activity.calls[API_DRIVER].count; id++)
        cupti->cuptiActivityEnableDriverApi(id, activity.calls[API_DRIVER].category[id] != CALL_OTHER);
    for (uint32_t id = 1; on && agent.config.api_calls && id < activity.calls[API_RUNTIME].count; id++)
        cupti->cuptiActivityEnableRuntimeApi(id, activity.calls[API_RUNTIME].category[id] != CALL_OTHER);
}

/* No function that CUPTI calls back takes this lock. */
void activity_apply(void)
{
    pthread_mutex_lock(&activity.lock);
    bool on = atomic_load(&agent.capturing);
    if (on != activity.on && !activity.stopped) {
        switch_kinds(on);
        activity.on = on;
    }
    pthread_mutex_unlock(&activity.lock);
}

void activity_flush(bool last)
{
    agent.cupti.cuptiActivityFlushAll(last ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}

void activity_pause(void)
{
    atomic_store(&agent.capturing, false);
    activity_apply();
    agent.cupti.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONTEXT);
    agent.cupti.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_STREAM);
    agent.cupti.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MARKER);
}

void activity_stop(void)
{
    activity_pause();
    pthread_mutex_lock(&activity.lock);
    activity.stopped = true;
    pthread_mutex_unlock(&activity.lock);
}

/* ---- after a flush ---- */

static void report_drop(int64_t now_ns, uint32_t kind, enum drop_reason reason, uint64_t count)
{
    if (count == 0)
        return;
    struct event event = {.kind = EVENT_DROPPED};
    event.dropped.time_ns = now_ns;
    event.dropped.count = count;
    event.dropped.kind = kind;
    event.dropped.reason = reason;
    wire_emit(agent.wire, &event);
}

static void report_drops(int64_t now_ns)
{
    for (uint32_t kind = 0; kind < EVENT_KIND_COUNT; kind++)
        report_drop(now_ns, kind, DROP_NO_TIMESTAMP, atomic_exchange(&activity.no_time[kind], 0));
    report_drop(now_ns, EVENT_NONE, DROP_UNKNOWN_RECORD, atomic_exchange(&activity.unknown, 0));
    report_drop(now_ns, EVENT_NONE, DROP_CUPTI, atomic_exchange(&activity.cupti_dropped, 0));
    report_drop(now_ns, EVENT_NONE, DROP_MEMORY, buffers_refused());
}

static void report_stacks(void)
{
    static bool said;
    if (!agent.stacks || said || !stacks_full(agent.stacks))
        return;
    said = true;
    agent_notice(
        SEVERITY_WARNING, STATUS_OK,
        "This program launches from more than %u call paths: launches from further ones are recorded "
        "without their path.",
        STACKS_PATHS_MOST);
}

static void graph_fallback(int64_t now_ns)
{
    uint64_t nodes = atomic_load_explicit(&activity.graph_nodes, memory_order_relaxed);
    int64_t window_ns = now_ns - activity.window_start_ns;
    if (atomic_load(&activity.graphs) || window_ns < GRAPH_WINDOW_NS)
        return;
    double rate = 1e9 * (double)(nodes - activity.window_nodes) / (double)window_ns;
    struct graphs *graphs = activity.window_start_ns && rate > GRAPH_NODES_A_SECOND ? graphs_create() : NULL;
    if (graphs) {
        atomic_store_explicit(&activity.graphs, graphs, memory_order_release);
        agent_notice(SEVERITY_INFO, STATUS_OK,
                     "This program runs %.0f graph nodes a second: from here on lanescope records one event "
                     "per graph launch, from the start of its first kernel to the end of its last.",
                     rate);
    }
    activity.window_nodes = nodes;
    activity.window_start_ns = now_ns;
}

/* Sends graph launches all of whose nodes have arrived. Sets the start of the oldest one that may still get
 * some. */
static int64_t send_graph_launches(bool last)
{
    struct graphs *graphs = atomic_load(&activity.graphs);
    struct event done[SHOWN_A_TICK];
    int64_t oldest_ns = INT64_MAX;
    size_t count = graphs ? SHOWN_A_TICK : 0;
    while (count == SHOWN_A_TICK) {
        count = graphs_take(graphs, last, done, SHOWN_A_TICK, &oldest_ns);
        for (size_t i = 0; i < count; i++)
            wire_emit(agent.wire, &done[i]);
    }
    return oldest_ns;
}

/* Kernels that have run for long are shown from the call that launched them. */
static int64_t show_running(int64_t now_ns)
{
    struct event calls[SHOWN_A_TICK], shapes[SHOWN_A_TICK];
    int64_t oldest_ns;
    size_t count =
        launches_take_old(agent.launches, now_ns - RUNNING_AFTER_NS, calls, shapes, SHOWN_A_TICK, &oldest_ns);
    for (size_t i = 0; i < count; i++) {
        calls[i].call.shape = shapes_id(agent.shapes, &shapes[i]);
        wire_emit(agent.wire, &calls[i]);
    }
    return oldest_ns;
}

void activity_tick(int64_t flush_start_ns, bool last)
{
    int64_t oldest_ns = show_running(flush_start_ns);
    int64_t oldest_graph_ns = send_graph_launches(last);
    if (oldest_graph_ns < oldest_ns)
        oldest_ns = oldest_graph_ns;
    report_drops(flush_start_ns);
    report_stacks();
    graph_fallback(flush_start_ns);
    /* CUPTI hands over a flush's buffers on its own thread: only what ended before the *previous* flush has
     * arrived for certain. */
    int64_t complete_ns = activity.previous_flush_ns < oldest_ns ? activity.previous_flush_ns : oldest_ns;
    activity.previous_flush_ns = flush_start_ns;
    if (complete_ns == 0)
        return;
    struct event watermark = {.kind = EVENT_WATERMARK};
    watermark.watermark.time_ns = complete_ns;
    wire_emit(agent.wire, &watermark);
}
