/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One `lines` for the process: the sampled contexts and, by the string id of a kernel's name, the one
 * shape in which it was launched. Contexts and totals belong to the lock; `shapes` is atomic, since
 * launches write it without the lock.
 */
#include "cupti/agent/lines/lines.h"

#include "core/base/clock.h"
#include "cupti/agent/agent.h"
#include "cupti/agent/filter.h"
#include "cupti/agent/lines/source.h"
#include "cupti/profiler/pc.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CONTEXTS 64
#define NAMES 65536u         /* kernels' names whose shapes are remembered, by string id */
#define COLLECT_NS 100000000 /* between two readings on the agent's thread */
#define BUSY_NS 2000000000   /* how long a context waits for sampling that another profiler uses */
#define BUSY_PAUSE_NS 20000000
#define LOCK_S 2 /* a reading by CUPTI has not returned: leave it */
#define SEVERAL UINT32_MAX

struct sampled_context {
    CUcontext context;
    bool told;       /* its id and device */
    uint32_t device; /* 0 until then */
    struct pc *pc;
};

static struct {
    pthread_mutex_t lock; /* protects all of CUPTI's sampling, and what follows */
    struct sampled_context contexts[CONTEXTS];
    int count;
    uint32_t period;
    uint32_t device;                         /* of the records that are being sent */
    uint32_t correlation, correlation_shape; /* of the last launch whose samples were sent */
    struct pc_totals ended;                  /* of contexts that are gone */
    int64_t collected_ns;
    int sampled_contexts; /* that are gone */
    bool told_context;
    _Atomic bool launched;          /* something */
    _Atomic uint32_t shapes[NAMES]; /* by the string id of a kernel's name: the id of its shape, 0 not
                                       launched, or SEVERAL */
} lines = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum status lines_start(struct error *error)
{
    (void)error;
    lines.period = agent.config.period      ? agent.config.period
                   : agent.config.serialize ? LINES_PERIOD_SERIAL
                                            : LINES_PERIOD_CONTINUOUS;
    return STATUS_OK;
}

/* False: it has been locked for so long that waiting would stop the program. */
static bool lines_lock(void)
{
    const struct timespec until = timespec_of(clock_real_ns() + (int64_t)LOCK_S * NS_PER_S);
    return pthread_mutex_timedlock(&lines.lock, &until) == 0;
}

/* ---- what CUPTI hands over ---- */

static uint32_t string_id(void *user, const char *text)
{
    (void)user;
    return wire_string(agent.wire, text);
}

/* The shape of a launch; its call, which has the time, is sent the first time. 0: not known. */
static uint32_t launch_shape_id(uint32_t correlation)
{
    struct event call, shape;
    if (correlation == lines.correlation)
        return lines.correlation_shape;
    lines.correlation = correlation;
    lines.correlation_shape = 0;
    if (!launches_find(agent.launches, correlation, &call, &shape))
        return 0;
    lines.correlation_shape = shapes_id(agent.shapes, &shape);
    launches_end(agent.launches, correlation);
    call.kind = EVENT_CALL;
    call.device = (uint16_t)lines.device;
    call.call.end_ns = agent_now_ns();
    call.call.shape = lines.correlation_shape;
    wire_emit(agent.wire, &call);
    return lines.correlation_shape;
}

/* The only shape in which a kernel was launched; 0: none, or several. */
static uint32_t only_shape_id(const char *name)
{
    uint32_t id = wire_string(agent.wire, name);
    uint32_t shape = id < NAMES ? atomic_load_explicit(&lines.shapes[id], memory_order_relaxed) : 0;
    return shape == SEVERAL ? 0 : shape;
}

static void samples_arrived(void *user, const CUpti_PCSamplingPCData *record, struct event *events,
                            size_t count)
{
    (void)user;
    if (!atomic_load_explicit(&agent.capturing, memory_order_relaxed) || !record->functionName ||
        !filter_names(agent.config.kernel_glob, record->functionName))
        return;
    uint32_t function = source_function(record->cubinCrc, record->functionName);
    uint32_t shape =
        record->correlationId ? launch_shape_id(record->correlationId) : only_shape_id(record->functionName);
    for (size_t i = 0; function && i < count; i++) {
        events[i].device = (uint16_t)lines.device;
        events[i].stalls.function = function;
        events[i].stalls.shape = shape;
        wire_emit(agent.wire, &events[i]);
    }
}

/* ---- contexts ---- */

static struct sampled_context *context_find(CUcontext context)
{
    for (int i = 0; i < lines.count; i++)
        if (lines.contexts[i].context == context)
            return &lines.contexts[i];
    return NULL;
}

/* Stops sampling; sends what was sampled. */
static void context_close(struct sampled_context *known)
{
    struct pc_totals totals;
    pc_close(known->pc, true, &totals);
    known->pc = NULL;
    lines.ended.samples += totals.samples;
    lines.ended.dropped += totals.dropped;
    lines.sampled_contexts++;
}

/* Reads what there is; gives up a context whose buffer overflowed or whose reading failed. */
static void context_collect(struct sampled_context *known)
{
    struct error error;
    lines.device = known->device;
    if (!known->pc || pc_collect(known->pc, &error) == STATUS_OK)
        return;
    agent_notice_error(&error);
    context_close(known);
}

static bool any_is_sampled(void)
{
    for (int i = 0; i < lines.count; i++)
        if (lines.contexts[i].pc)
            return true;
    return false;
}

/* Under the lock. Another profiler, or a process that has just ended, may use the sampling for a moment.
 * CUPTI samples one context of a GPU, and a context cannot be asked for its GPU while it is being created: so
 * one context per process is sampled. */
static void context_open(struct sampled_context *known)
{
    const struct pc_options options = {.cupti = &agent.cupti,
                                       .context = known->context,
                                       .period = lines.period,
                                       .serialize = agent.config.serialize,
                                       .string = string_id,
                                       .take = samples_arrived};
    int64_t until_ns = agent_now_ns() + BUSY_NS;
    struct error error;
    enum status status;
    if (any_is_sampled()) {
        if (!lines.told_context)
            agent_notice(SEVERITY_WARNING, STATUS_UNSUPPORTED,
                         "This program has several contexts. Only the first is sampled: the kernels of the "
                         "others have no samples.");
        lines.told_context = true;
        return;
    }
    while ((status = pc_open(&known->pc, &options, &error)) == STATUS_STATE && agent_now_ns() < until_ns)
        clock_pause(BUSY_PAUSE_NS);
    if (status != STATUS_OK)
        agent_notice_error(&error);
}

/* The context is incomplete: ask CUPTI for nothing but to sample it. */
void lines_context_created(CUcontext context)
{
    if (!lines_lock())
        return;
    if (lines.count < CONTEXTS && !context_find(context)) {
        struct sampled_context *known = &lines.contexts[lines.count++];
        *known = (struct sampled_context){.context = context};
        context_open(known);
    }
    pthread_mutex_unlock(&lines.lock);
}

void lines_context_going(CUcontext context)
{
    if (!lines_lock())
        return;
    struct sampled_context *known = context_find(context);
    if (known) {
        context_collect(known);
        if (known->pc)
            context_close(known);
        *known = lines.contexts[--lines.count];
    }
    pthread_mutex_unlock(&lines.lock);
}

/* Under the lock. */
static void lines_collect(void)
{
    for (int i = 0; i < lines.count; i++)
        context_collect(&lines.contexts[i]);
}

void lines_module_going(void)
{
    if (!lines_lock())
        return;
    lines_collect();
    pthread_mutex_unlock(&lines.lock);
}

/* ---- launches ---- */

/* Its first launch: now CUPTI knows the context. */
static void context_tell(CUcontext context, uint32_t context_id)
{
    struct event event = {.kind = EVENT_CONTEXT};
    if (!lines_lock())
        return;
    struct sampled_context *known = context_find(context);
    if (known && !known->told) {
        known->told = true;
        agent.cupti.cuptiGetDeviceId(context, &known->device);
        event.device = (uint16_t)known->device;
        event.context.context = context_id;
        wire_emit(agent.wire, &event);
    }
    pthread_mutex_unlock(&lines.lock);
}

void lines_launch_enter(CUcontext context, const struct event *call, const struct event *shape)
{
    static __thread CUcontext last; /* told already */
    static __thread uint32_t last_epoch;
    uint32_t epoch = atomic_load_explicit(&agent.stream_epoch, memory_order_relaxed);
    atomic_store_explicit(&lines.launched, true, memory_order_relaxed);
    if (context != last || epoch != last_epoch) {
        context_tell(context, call->call.context);
        last = context;
        last_epoch = epoch;
    }
    if (agent.config.serialize) {
        launches_enter(agent.launches, call, shape);
        return;
    }
    uint32_t name = shape->shape.name, id = shapes_id(agent.shapes, shape), none = 0;
    if (id && name < NAMES && !atomic_compare_exchange_strong(&lines.shapes[name], &none, id) && none != id)
        atomic_store_explicit(&lines.shapes[name], SEVERAL, memory_order_relaxed);
}

void lines_launch_exit(void)
{
    if (agent.config.serialize)
        lines_module_going();
}

/* ---- time ---- */

void lines_tick(int64_t now_ns)
{
    bool due = !agent.config.serialize && now_ns - lines.collected_ns >= COLLECT_NS;
    if (due && lines_lock()) {
        lines.collected_ns = now_ns;
        lines_collect();
        pthread_mutex_unlock(&lines.lock);
    }
    source_send(agent_now_ns() + SOURCE_TICK_NS);
    if (!agent.config.serialize) { /* later events have no time: everything so far is sent */
        struct event watermark = {.kind = EVENT_WATERMARK};
        watermark.watermark.time_ns = now_ns;
        wire_emit(agent.wire, &watermark);
    }
}

void lines_end(void)
{
    if (lines_lock()) {
        lines_collect();
        for (int i = 0; i < lines.count; i++)
            if (lines.contexts[i].pc)
                context_close(&lines.contexts[i]);
        lines.count = 0;
        bool finest = agent.config.serialize || agent.config.period; /* else the program is run again */
        if (lines.ended.samples == 0 && finest && lines.sampled_contexts > 0 && atomic_load(&lines.launched))
            agent_notice(
                SEVERITY_INFO, STATUS_OK,
                "No sample fell into a kernel: the kernels were too short for one sample every %u cycles.",
                1u << lines.period);
        if (lines.ended.dropped > 0)
            agent_notice(
                SEVERITY_WARNING, STATUS_OK,
                "The GPU dropped %llu of %llu samples: shares of time are right, numbers are too low.",
                (unsigned long long)lines.ended.dropped, (unsigned long long)lines.ended.samples);
        pthread_mutex_unlock(&lines.lock);
    }
}
