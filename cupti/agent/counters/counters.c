/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of the contexts that have launched something, at most one with a meter for each GPU, and the
 * lock `launches`: a measured launch holds it for writing from its enter callback to its exit callback,
 * every other call that would disturb it holds it for reading. A thread remembers in `mine` what it
 * holds, since driver calls call each other.
 *
 * A meter measures launches in one context: the range profiler in a counter or memory run, SASS metrics in a
 * lines run that counts instructions. Sends what it found. Not thread-safe: its user serialises, with the
 * context current. It has either ranges or sass, as the run's mode says. `spent`: sass measures one launch in
 * the life of a process, and it has been measured.
 */
#include "cupti/agent/counters/counters.h"

#include "core/base/append.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/event.h"
#include "cupti/agent/agent.h"
#include "cupti/agent/counter_lock.h"
#include "cupti/agent/filter.h"
#include "cupti/agent/launch_shape.h"
#include "cupti/agent/lines/source.h"
#include "cupti/load/load.h"
#include "cupti/profiler/ranges.h"
#include "cupti/profiler/sass.h"

#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the measurement of a context ---- */

struct meter {
    struct ranges *ranges; /* one of the two */
    struct sass *sass;
    const struct event *measurement; /* correlation of the launch whose instructions are being sent */
    bool spent;
};

/* ---- the range profiler ---- */

static enum metric_share share_of_mode(void)
{
    if (agent.config.mode == RUN_MEMORY)
        return METRIC_SHARE_MEMORY;
    return agent.config.memory_apart ? METRIC_SHARE_COUNTERS : METRIC_SHARE_ALL;
}

static void tell_left_out(const struct plan *plan)
{
    char names[512] = "";
    size_t used = 0, count = plan_left_out_count(plan);
    bool whole = true;
    for (size_t i = 0; i < count && whole; i++)
        whole = append_text(names, sizeof names, &used, "%s%s", i ? ", " : "", plan_left_out(plan, i));
    if (count > 0)
        agent_notice(SEVERITY_INFO, STATUS_OK, "This GPU does not have %zu of the counters asked for: %s%s.",
                     count, names, whole ? "" : " ...");
}

static void send_values(const struct meter *meter, struct event *measurement, const double *values)
{
    static uint32_t measurements; /* under the user's lock */
    const struct plan *plan = ranges_plan(meter->ranges);
    measurement->measurement.end_ns = agent_now_ns();
    measurement->measurement.id = ++measurements;
    measurement->measurement.passes = (uint32_t)plan_passes(plan);
    measurement->measurement.values = (uint32_t)plan_count(plan);
    wire_emit(agent.wire, measurement);
    for (size_t i = 0; i < plan_count(plan); i++) {
        struct event value = {.kind = EVENT_VALUE, .device = measurement->device};
        value.value.measurement = measurement->measurement.id;
        value.value.counter = wire_string(agent.wire, plan_name(plan, i));
        value.value.number = values[i];
        wire_emit(agent.wire, &value);
    }
}

/* ---- SASS metrics ---- */

static uint32_t string_id(void *user, const char *text)
{
    (void)user;
    return wire_string(agent.wire, text);
}

static void counts_arrived(void *user, const CUpti_SassMetrics_Data *record, struct event *events,
                           size_t count)
{
    const struct meter *meter = user;
    uint32_t function = source_function(record->cubinCrc, record->functionName);
    for (size_t i = 0; function && i < count; i++) {
        events[i].device = meter->measurement->device;
        events[i].instruction_count.function = function;
        events[i].instruction_count.correlation = meter->measurement->measurement.correlation;
        events[i].instruction_count.shape = meter->measurement->measurement.shape;
        wire_emit(agent.wire, &events[i]);
    }
}

/* The events of instructions refer to the launch's call, which has the time. */
static void send_call(const struct event *measurement)
{
    struct event call = {.kind = EVENT_CALL, .device = measurement->device};
    call.call.start_ns = measurement->measurement.start_ns;
    call.call.end_ns = agent_now_ns();
    call.call.correlation = measurement->measurement.correlation;
    call.call.name = wire_string(agent.wire, "cuLaunchKernel");
    call.call.domain = API_DRIVER;
    call.call.category = CALL_LAUNCH;
    call.call.shape = measurement->measurement.shape;
    call.call.context = measurement->measurement.context;
    call.call.stream = measurement->measurement.stream;
    wire_emit(agent.wire, &call);
}

/* ---- both ---- */

/* Measures what agent.config says. driver: NULL if not known; needed to count instructions. */
static enum status meter_open(struct meter **meter, CUcontext context, uint32_t device,
                              const struct driver *driver, struct error *error)
{
    enum status status;
    struct meter *made = calloc(1, sizeof *made);
    if (!made)
        return error_set(error, STATUS_MEMORY, "There is no memory for the counters.");
    if (agent.config.mode == RUN_LINES && driver) {
        const struct sass_options options = {.cupti = &agent.cupti,
                                             .context = context,
                                             .device = device,
                                             .synchronize = driver->cuCtxSynchronize,
                                             .string = string_id,
                                             .take = counts_arrived,
                                             .user = made};
        status = sass_open(&made->sass, &options, error);
    } else if (agent.config.mode == RUN_LINES) {
        status = error_set(error, STATUS_UNSUPPORTED,
                           "The CUDA driver is older than lanescope knows: instructions cannot be counted.");
    } else {
        status = ranges_open(&made->ranges, &agent.cupti, context, device, agent.config.counters,
                             share_of_mode(), error);
    }
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    if (made->ranges)
        tell_left_out(ranges_plan(made->ranges));
    *meter = made;
    return STATUS_OK;
}

/* detach: the context still works, so detach CUPTI from it. */
static void meter_close(struct meter *meter, bool detach)
{
    if (!meter)
        return;
    ranges_close(meter->ranges, detach);
    sass_close(meter->sass, detach);
    free(meter);
}

/* Call these around one launch, on the calling thread. */
static enum status meter_begin(struct meter *meter, struct error *error)
{
    return meter->ranges ? ranges_begin(meter->ranges, error) : sass_begin(meter->sass, error);
}

/* measurement: a MEASUREMENT without its end, id and numbers. */
static enum status meter_end(struct meter *meter, struct event *measurement, struct error *error)
{
    double values[PLAN_MAX_METRICS];
    enum status status;
    if (meter->ranges) {
        status = ranges_end(meter->ranges, values, error);
        if (status == STATUS_OK)
            send_values(meter, measurement, values);
        return status;
    }
    meter->spent = true;
    send_call(measurement);
    meter->measurement = measurement;
    return sass_end(meter->sass, error);
}

/* Can it measure no further launch in this process? */
static bool meter_is_spent(const struct meter *meter)
{
    return meter->spent;
}

/* ---- launches ---- */

#define CONTEXTS 64
#define STUCK_NS 10000000000 /* a replay this long is named */
#define LOCK_S 10
#define BUSY_NS 2000000000 /* how long a launch waits for counters that another profiler uses */
#define BUSY_PAUSE_NS 20000000
#define BUSY_RETRY_NS 1000000000

/* A context that has launched something: it is measured if it has a meter. */
struct counted_context {
    CUcontext context;
    uint32_t device;
    struct meter *meter; /* NULL: another context of this GPU is measured, or this one cannot be */
    int64_t retry_at_ns; /* not 0: another profiler uses the counters; do not try again before this time */
};

static struct {
    struct filter *filter;
    struct driver driver;
    bool have_driver;
    pthread_rwlock_t launches; /* a measured launch writes, all that must not disturb it reads */
    /* Protects the launch that holds the write lock, and the tables below. */
    struct counted_context contexts[CONTEXTS];
    int context_count;
    _Atomic bool told_capture, told_context, announced;
    _Atomic bool over; /* measuring failed, or all that this process can measure is measured */
    /* For the watchdog. */
    pthread_mutex_t watch_lock;
    char watch_name[512];
    int64_t watch_start_ns; /* 0: nothing is measured */
    bool watch_told;
    int64_t previous_tick_ns;
} counters = {.launches = PTHREAD_RWLOCK_INITIALIZER, .watch_lock = PTHREAD_MUTEX_INITIALIZER};

/* The state of this thread's current calls. */
static __thread struct {
    int depth; /* driver calls call each other: only the outermost one counts */
    bool reading, writing;
    struct counted_context *measured; /* the launch is between begin and end */
    struct counted_graph *graph;      /* whose launch is split */
    struct filter_launch launch;
    struct event measurement;
} mine;

enum counters_call counters_classify(const char *name)
{
    static const struct {
        const char *start;
        enum counters_call call;
    } starts[] = {
        {"cuLaunchKernel", COUNTERS_LAUNCH},
        {"cuLaunchCooperativeKernel", COUNTERS_LAUNCH},
        {"cuGraphLaunch", COUNTERS_GRAPH},
        {"cuGraphInstantiate", COUNTERS_GRAPH_MADE},
        {"cuGraphExecDestroy", COUNTERS_GRAPH_GONE},
        {"cuGraphExecUpdate", COUNTERS_GRAPH_UPDATED},
        {"cuGraphDestroyNode", COUNTERS_GRAPH_CHANGED},
        {"cuGraphDestroy", COUNTERS_GRAPH_DESTROYED},
        {"cuGraphNodeSetEnabled", COUNTERS_GRAPH_CHANGED},
        {"cuMemcpy", COUNTERS_MEMORY},
        {"cuMemset", COUNTERS_MEMORY},
        {"cuStreamBeginCapture", COUNTERS_CAPTURE},
        {"cuStreamEndCapture", COUNTERS_CAPTURE},
        {"cuCtxSynchronize", COUNTERS_SYNC},
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i].start, strlen(starts[i].start)) == 0)
            return starts[i].call;
    if (strncmp(name, "cuGraphExec", 11) == 0 && strstr(name, "SetParams"))
        return COUNTERS_GRAPH_CHANGED;
    return COUNTERS_NOTHING;
}

enum status counters_start(struct error *error)
{
    /* New readers arrive all the time, so a measured launch must get its turn. */
    pthread_rwlockattr_t attributes;
    if (pthread_rwlockattr_init(&attributes) != 0 ||
        pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) != 0 ||
        pthread_rwlock_init(&counters.launches, &attributes) != 0)
        return error_set(error, STATUS_MEMORY, "There is no memory for the counter run.");
    pthread_rwlockattr_destroy(&attributes);
    counters.filter = filter_create(agent.config.kernel_glob, agent.config.launches);
    if (!counters.filter)
        return error_set(error, STATUS_MEMORY, "There is no memory for the counter run.");
    return STATUS_OK;
}

/* ---- the watchdog ---- */

static void watch_kernel(const char *name)
{
    pthread_mutex_lock(&counters.watch_lock);
    counters.watch_start_ns = name ? agent_now_ns() : 0;
    counters.watch_told = false;
    if (name) {
        size_t length = strnlen(name, sizeof counters.watch_name - 1);
        memcpy(counters.watch_name, name, length);
        counters.watch_name[length] = '\0';
    }
    pthread_mutex_unlock(&counters.watch_lock);
}

void counters_tick(int64_t now_ns)
{
    char name[sizeof counters.watch_name] = "";
    pthread_mutex_lock(&counters.watch_lock);
    int64_t start_ns = counters.watch_start_ns;
    if (start_ns && now_ns - start_ns > STUCK_NS && !counters.watch_told) {
        counters.watch_told = true;
        memcpy(name, counters.watch_name, sizeof name);
    }
    pthread_mutex_unlock(&counters.watch_lock);
    if (name[0])
        agent_notice(SEVERITY_WARNING, STATUS_DEVICE,
                     "The replay of kernel %s has not ended in 10 s. If it waits for another kernel or for "
                     "the host, it never ends: end the program and leave this kernel out with --kernel.",
                     name);
    /* Measurements are sent when they end, so only the one in progress can begin earlier than now. */
    int64_t complete_ns =
        start_ns && start_ns < counters.previous_tick_ns ? start_ns : counters.previous_tick_ns;
    counters.previous_tick_ns = now_ns;
    struct event watermark = {.kind = EVENT_WATERMARK};
    watermark.watermark.time_ns = complete_ns;
    if (complete_ns)
        wire_emit(agent.wire, &watermark);
}

void counters_end(void)
{
    char plain[256];
    if (agent.config.mode != RUN_LINES || atomic_load(&counters.over))
        return;
    filter_plain_name(agent.config.kernel_glob, plain, sizeof plain);
    agent_notice(
        SEVERITY_INFO, STATUS_OK,
        "The instructions of kernel %s were not counted: this process did not launch it, or only in CUDA "
        "graphs.",
        plain);
}

/* ---- contexts ---- */

static struct counted_context *context_find(CUcontext context)
{
    for (int i = 0; i < counters.context_count; i++)
        if (counters.contexts[i].context == context)
            return &counters.contexts[i];
    return NULL;
}

static bool device_is_measured(uint32_t device)
{
    for (int i = 0; i < counters.context_count; i++)
        if (counters.contexts[i].meter && counters.contexts[i].device == device)
            return true;
    return false;
}

static void busy_pause(void)
{
    clock_pause(BUSY_PAUSE_NS);
}

/* Another profiler, or a process that has just ended, may use the counters for a moment: try until this time.
 */
static int64_t patience_ns(const struct counted_context *known)
{
    return known->retry_at_ns ? 0 : agent_now_ns() + BUSY_NS;
}

/* The counters are not available: is this permanent? */
static void context_failed(struct counted_context *known, const struct error *error)
{
    if (!known->retry_at_ns)
        agent_notice_error(error);
    if (error->status == STATUS_STATE)
        known->retry_at_ns = agent_now_ns() + BUSY_RETRY_NS;
    else
        atomic_store(&counters.over, true);
}

static void context_open(struct counted_context *known, uint32_t context_id)
{
    struct error error;
    int64_t until_ns = patience_ns(known);
    enum status status;
    while ((status = meter_open(&known->meter, known->context, known->device,
                                counters.have_driver ? &counters.driver : NULL, &error)) == STATUS_STATE &&
           agent_now_ns() < until_ns)
        busy_pause();
    if (status != STATUS_OK) {
        context_failed(known, &error);
        return;
    }
    struct event event = {.kind = EVENT_CONTEXT, .device = (uint16_t)known->device};
    event.context.context = context_id;
    wire_emit(agent.wire, &event);
}

/* The context's entry, created if it is new. Call it under the write lock, with the context current. NULL: no
 * room. */
static struct counted_context *context_get(CUcontext context, uint32_t context_id)
{
    struct counted_context *known = context_find(context);
    if (known) {
        if (known->retry_at_ns && !known->meter && agent_now_ns() >= known->retry_at_ns)
            context_open(known, context_id);
        return known;
    }
    if (counters.context_count == CONTEXTS)
        return NULL;
    if (counters.context_count == 0 && !atomic_exchange(&counters.announced, true))
        devices_announce();
    known = &counters.contexts[counters.context_count];
    *known = (struct counted_context){.context = context};
    agent.cupti.cuptiGetDeviceId(context, &known->device);
    if (!device_is_measured(known->device))
        context_open(known, context_id);
    else if (!atomic_exchange(&counters.told_context, true))
        agent_notice(SEVERITY_WARNING, STATUS_UNSUPPORTED,
                     "This program launches kernels in several contexts of one GPU. CUPTI counts in one "
                     "context: the kernels of the others are not measured.");
    counters.context_count++;
    return known;
}

/* Detach the profiler from a context that is destroyed (cudaDeviceReset): otherwise CUPTI never accepts
 * another one. */
void counters_forget(CUcontext context)
{
    bool locked = !mine.reading && !mine.writing;
    if (locked)
        pthread_rwlock_wrlock(&counters.launches);
    struct counted_context *known = context_find(context);
    if (known) {
        meter_close(known->meter, true);
        *known = counters.contexts[--counters.context_count];
    }
    if (locked)
        pthread_rwlock_unlock(&counters.launches);
}

/* ---- launches ---- */

static void tell_skipped(enum filter_verdict verdict, const char *name)
{
    char plain[256];
    filter_plain_name(name, plain, sizeof plain);
    if (verdict == FILTER_COOPERATIVE)
        agent_notice(SEVERITY_INFO, STATUS_OK,
                     "Kernel %s is not measured: it is a cooperative launch, and its blocks wait for each "
                     "other. --kernel '%s' measures it nevertheless.",
                     plain, plain);
    else if (verdict == FILTER_NCCL)
        agent_notice(SEVERITY_INFO, STATUS_OK,
                     "Kernel %s is not measured: it waits for other GPUs, and its replay would wait for "
                     "ever. --kernel '%s' measures it nevertheless.",
                     plain, plain);
}

/* Under the write lock: starts to measure this launch, or leaves it alone. */
static void launch_begin(const struct launch_params *params, const CUpti_CallbackData *data)
{
    if (!counters.have_driver)
        counters.have_driver = driver_find(&counters.driver, false);
    struct counted_context *known = context_get(data->context, data->contextUid);
    struct error error;
    if (!known || !known->meter || agent_now_ns() < known->retry_at_ns) {
        filter_return(counters.filter, &mine.launch);
        return;
    }
    mine.measurement = (struct event){.kind = EVENT_MEASUREMENT, .device = (uint16_t)known->device};
    mine.measurement.measurement.start_ns = agent_now_ns();
    struct event shape = launch_shape(params, wire_string(agent.wire, mine.launch.name),
                                      counters.have_driver ? &counters.driver : NULL);
    mine.measurement.measurement.shape = shapes_id(agent.shapes, &shape);
    mine.measurement.measurement.context = data->contextUid;
    mine.measurement.measurement.stream =
        agent_stream_id(data->context, params->stream, params->per_thread_stream);
    mine.measurement.measurement.correlation = data->correlationId;
    int64_t until_ns = patience_ns(known);
    enum status status;
    while ((status = meter_begin(known->meter, &error)) == STATUS_STATE && agent_now_ns() < until_ns)
        busy_pause();
    if (status == STATUS_OK) {
        known->retry_at_ns = 0;
        mine.measured = known;
        return;
    }
    context_failed(known, &error);
    filter_return(counters.filter, &mine.launch);
    if (status != STATUS_STATE) {
        meter_close(known->meter, false);
        known->meter = NULL;
    }
}

static void launch_end(const CUpti_CallbackData *data)
{
    struct counted_context *known = mine.measured;
    const CUresult *result = data->functionReturnValue;
    struct error error;
    mine.measured = NULL;
    enum status status = meter_end(known->meter, &mine.measurement, &error);
    if (status != STATUS_OK) {
        filter_return(counters.filter, &mine.launch);
        if (result && *result != CUDA_SUCCESS)
            return; /* the launch failed: the program handles that */
        agent_notice(SEVERITY_ERROR, error.status,
                     "Kernel %s could not be measured, and later kernels are not measured: %s",
                     mine.launch.name, error.text);
        meter_close(known->meter, false);
        known->meter = NULL;
        atomic_store(&counters.over, true);
        return;
    }
    if (meter_is_spent(known->meter))
        atomic_store(&counters.over, true);
}

/* Starting the profiler while a stream is captured would break the program's graph. */
static bool in_capture(void)
{
    if (atomic_load(&agent.stream_captures) == 0)
        return false;
    if (agent.config.mode != RUN_LINES && !atomic_exchange(&counters.told_capture, true))
        agent_notice(SEVERITY_INFO, STATUS_UNSUPPORTED,
                     "Kernels launched during stream capture are not measured.");
    return true;
}

/* Should this launch be measured? Sets mine.launch. */
static bool launch_wanted(CUpti_CallbackId id, const CUpti_CallbackData *data, struct launch_params *params)
{
    if (!atomic_load_explicit(&agent.capturing, memory_order_relaxed) ||
        atomic_load_explicit(&counters.over, memory_order_relaxed) || !data->symbolName || !data->context ||
        !launch_params_read(id, data->functionParams, params))
        return false;
    if (in_capture())
        return false;
    mine.launch = (struct filter_launch){.name = data->symbolName,
                                         .dynamic_shared_bytes = params->dynamic_shared_bytes,
                                         .cooperative = params->cooperative};
    memcpy(mine.launch.grid, params->grid, sizeof mine.launch.grid);
    memcpy(mine.launch.block, params->block, sizeof mine.launch.block);
    bool first;
    enum filter_verdict verdict = filter_launch(counters.filter, &mine.launch, &first);
    if (first)
        tell_skipped(verdict, mine.launch.name);
    return verdict == FILTER_MEASURE;
}

/* Waits for other processes that measure on the same GPU. Before any lock is taken: it may take seconds. */
static bool our_turn(const CUpti_CallbackData *data)
{
    uint32_t device = 0;
    agent.cupti.cuptiGetDeviceId(data->context, &device);
    if (counter_lock_wait(device))
        return true;
    filter_return(counters.filter, &mine.launch);
    return false;
}

static bool graph_wanted(const CUpti_CallbackData *data)
{
    return atomic_load_explicit(&agent.capturing, memory_order_relaxed) && data->context &&
           !atomic_load_explicit(&counters.over, memory_order_relaxed) && !in_capture();
}

void counters_enter(enum counters_call call, CUpti_CallbackId id, const CUpti_CallbackData *data)
{
    struct launch_params params;
    if (mine.depth++ > 0)
        return;
    if (call >= COUNTERS_GRAPH_MADE && call <= COUNTERS_GRAPH_GONE) {
        counters_graph_call(call, data);
        return;
    }
    if (call == COUNTERS_GRAPH && graph_wanted(data))
        mine.graph = counters_graph_split(data);
    if (call == COUNTERS_SYNC) { /* this may wait for long, so it runs without the lock */
        /* CUPTI itself synchronises while it measures a launch: ignore these calls. */
        if (agent.config.launches_per_sync && !mine.writing)
            filter_renew(counters.filter);
        return;
    }
    bool wanted = call == COUNTERS_LAUNCH && launch_wanted(id, data, &params) && our_turn(data);
    if (!wanted) {
        mine.reading = pthread_rwlock_rdlock(&counters.launches) == 0;
        return;
    }
    /* A copy that waits for this very kernel would never end, nor would the kernel, which waits for the copy.
     */
    const struct timespec until = timespec_of(clock_real_ns() + (int64_t)LOCK_S * NS_PER_S);
    mine.writing = pthread_rwlock_timedwrlock(&counters.launches, &until) == 0;
    if (!mine.writing) {
        filter_return(counters.filter, &mine.launch);
        agent_notice(
            SEVERITY_WARNING, STATUS_DEVICE,
            "A launch of kernel %s is not measured: other calls of the program did not end for %d s.",
            data->symbolName, LOCK_S);
        return;
    }
    if (in_capture()) { /* it began while this launch waited for the lock */
        filter_return(counters.filter, &mine.launch);
        return;
    }
    watch_kernel(data->symbolName);
    launch_begin(&params, data);
}

void counters_exit(enum counters_call call, const CUpti_CallbackData *data)
{
    if (mine.depth == 0 || --mine.depth > 0)
        return;
    if (call >= COUNTERS_GRAPH_MADE && call <= COUNTERS_GRAPH_GONE)
        counters_graph_call(call, data);
    if (mine.measured)
        launch_end(data);
    if (mine.writing)
        watch_kernel(NULL);
    if (mine.reading || mine.writing)
        pthread_rwlock_unlock(&counters.launches);
    mine.reading = mine.writing = false;
    struct counted_graph *graph = mine.graph;
    mine.graph = NULL; /* before: joining calls the driver, whose calls come here */
    if (graph)
        counters_graph_join(graph);
}
