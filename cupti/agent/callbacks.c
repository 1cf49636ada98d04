/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one function that CUPTI calls, on application threads. The meaning of each callback id is in tables
 * that are filled before any callback is enabled.
 */
#include "core/base/function_name.h"

#include "cupti/agent/activity.h"
#include "cupti/agent/agent.h"
#include "cupti/agent/bursts.h"
#include "cupti/agent/capture.h"
#include "cupti/agent/counters/counters.h"
#include "cupti/agent/launch_shape.h"
#include "cupti/agent/lines/lines.h"
#include "cupti/agent/lines/source.h"

#include <string.h>

/* What a driver or runtime call means to the agent; counters_call is separate. */
enum use {
    USE_LAUNCH = 1, /* shown while its kernel runs */
    USE_WAIT = 2,   /* work is complete when it returns: a good moment to flush */
    USE_PROFILER_START = 4,
    USE_PROFILER_STOP = 8,
    USE_CAPTURE_BEGIN = 16,
    USE_CAPTURE_END = 32,
    USE_STACK = 64 /* issues device work: its call path is recorded */
};

static struct {
    uint8_t driver[CUPTI_DRIVER_TRACE_CBID_SIZE], runtime[CUPTI_RUNTIME_TRACE_CBID_SIZE]; /* enum use */
    uint8_t counters[CUPTI_DRIVER_TRACE_CBID_SIZE]; /* enum counters_call */
} uses;

/* Within a runtime call, its correlation id: kernels' records have this one, not the driver call's. A capture that
 * ends within the call does not see its end: `runtime_of` is the capture in which it began. */
static __thread uint32_t runtime_correlation, runtime_of;
static _Atomic uint32_t captures;

static __thread uint32_t nccl_launch;

uint32_t agent_nccl_launch(void)
{
    return nccl_launch;
}

static uint32_t correlation_of(const CUpti_CallbackData *data)
{
    return runtime_correlation && runtime_of == captures ? runtime_correlation : data->correlationId;
}

static uint8_t use_of_category(const char *plain, enum call_category category, bool driver)
{
    if (strstr(plain, "ProfilerStart"))
        return USE_PROFILER_START;
    if (strstr(plain, "ProfilerStop"))
        return USE_PROFILER_STOP;
    if (strncmp(plain, "cuStreamBeginCapture", 20) == 0)
        return USE_CAPTURE_BEGIN;
    if (strncmp(plain, "cuStreamEndCapture", 18) == 0)
        return USE_CAPTURE_END;
    if (agent_counts())
        return 0;
    if (category == CALL_LAUNCH)
        return driver && strncmp(plain, "cuLaunch", 8) != 0 ? 0 : USE_LAUNCH;
    if (agent_samples())
        return 0;
    if (category == CALL_SYNC)
        return USE_WAIT;
    return category == CALL_COPY && !strstr(plain, "Async") && !strstr(plain, "Prefetch") ? USE_WAIT : 0;
}

static uint8_t use_of(const char *plain, bool driver)
{
    enum call_category category = api_category(plain);
    bool asks = category == CALL_LAUNCH || category == CALL_COPY || category == CALL_SET;
    return (uint8_t)(use_of_category(plain, category, driver) | (agent.stacks && asks ? USE_STACK : 0));
}

static CUptiResult subscribe_domain(CUpti_CallbackDomain domain, uint32_t count, uint8_t *table)
{
    CUptiResult result = CUPTI_SUCCESS;
    bool driver = domain == CUPTI_CB_DOMAIN_DRIVER_API;
    for (uint32_t id = 1; id < count && result == CUPTI_SUCCESS; id++) {
        const char *name = NULL;
        char plain[API_NAME_BYTES];
        if (agent.cupti.cuptiGetCallbackName(domain, id, &name) != CUPTI_SUCCESS || !name)
            continue;
        api_plain_name(name, plain, sizeof plain);
        table[id] = use_of(plain, driver);
        if (driver && agent_counts())
            uses.counters[id] = (uint8_t)counters_classify(plain);
        if (table[id] || (driver && uses.counters[id]))
            result = agent.cupti.cuptiEnableCallback(1, agent.subscriber, domain, id);
    }
    return result;
}

static CUptiResult subscribe_all(void)
{
    static const CUpti_CallbackId resources[] = {CUPTI_CBID_RESOURCE_CU_INIT_FINISHED,
                                                 CUPTI_CBID_RESOURCE_CONTEXT_CREATED,
                                                 CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
                                                 CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING,
                                                 CUPTI_CBID_RESOURCE_MODULE_LOADED,
                                                 CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING};
    size_t resource_count = sizeof resources / sizeof *resources - (agent.config.mode == RUN_LINES ? 0 : 1);
    CUptiResult result =
        subscribe_domain(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_SIZE, uses.driver);
    if (result == CUPTI_SUCCESS)
        result = subscribe_domain(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_SIZE, uses.runtime);
    for (size_t i = 0; i < resource_count && result == CUPTI_SUCCESS; i++)
        result = agent.cupti.cuptiEnableCallback(1, agent.subscriber, CUPTI_CB_DOMAIN_RESOURCE, resources[i]);
    if (result == CUPTI_SUCCESS && agent_traces())
        result = agent.cupti.cuptiEnableCallback(1, agent.subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                                                 CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED);
    if (result == CUPTI_SUCCESS)
        result = agent.cupti.cuptiEnableCallback(1, agent.subscriber, CUPTI_CB_DOMAIN_STATE,
                                                 CUPTI_CBID_STATE_FATAL_ERROR);
    for (CUpti_CallbackId id = 1; agent.config.capture == AGENT_CAPTURE_NVTX && id < CUPTI_CBID_NVTX_SIZE;
         id++)
        agent.cupti.cuptiEnableCallback(1, agent.subscriber, CUPTI_CB_DOMAIN_NVTX, id);
    return result;
}

static CUptiResult cupti_subscribe(char other[128])
{
    CUpti_SubscriberParams params = {.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
                                     .subscriberName = "lanescope",
                                     .oldSubscriberName = other,
                                     .oldSubscriberSize = 128};
    CUptiResult result = agent.cupti.cuptiSubscribe_v2(&agent.subscriber, callbacks_handle, NULL, &params);
    other[127] = '\0';
    if (result != CUPTI_SUCCESS)
        agent.subscriber = NULL;
    return result;
}

enum status callbacks_subscribe(struct error *error)
{
    char other[128] = "";
    captures++;
    CUptiResult result = cupti_subscribe(other);
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
        return error_set(error, STATUS_STATE,
                         "This process is already profiled%s%s, and CUPTI allows one profiler at a time: "
                         "nothing is recorded. Run it without the other profiler (Nsight, cuda-gdb, "
                         "compute-sanitizer, or a profiler in the program).",
                         other[0] ? " by " : "", other);
    if (result != CUPTI_SUCCESS)
        return cupti_error(&agent.cupti, result, "Subscribing to CUPTI's callbacks", error);
    result = subscribe_all();
    if (result != CUPTI_SUCCESS)
        return cupti_error(&agent.cupti, result, "Subscribing to CUPTI's callbacks", error);
    return STATUS_OK;
}

void callbacks_unsubscribe(void)
{
    if (agent.subscriber)
        agent.cupti.cuptiUnsubscribe(agent.subscriber);
    agent.subscriber = NULL;
}

bool callbacks_try(void)
{
    char other[128] = "";
    bool there = cupti_subscribe(other) == CUPTI_SUCCESS;
    callbacks_unsubscribe();
    return there;
}

/* ---- a launch of a trace or of samples ---- */

static struct driver driver;
static bool have_driver;

static void find_driver(void)
{
    have_driver = driver_find(&driver, false);
}

/* In a trace, a kernel's attributes come with its record; samples have no such record. */
static const struct driver *driver_for_attributes(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!agent_samples())
        return NULL;
    pthread_once(&once, find_driver);
    return have_driver ? &driver : NULL;
}

static void burst_before(const CUpti_CallbackData *data, const struct event *shape, uint32_t correlation)
{
    uint32_t device = 0;
    if (bursts_want_launch() && agent.cupti.cuptiGetDeviceId(data->context, &device) == CUPTI_SUCCESS)
        bursts_launch(device, data->symbolName, shape, correlation);
}

static void launch_enter(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
    struct launch_params params;
    if (!atomic_load_explicit(&agent.capturing, memory_order_relaxed) ||
        atomic_load_explicit(&agent.stream_captures, memory_order_relaxed) > 0 || !data->symbolName ||
        !launch_params_read(id, data->functionParams, &params))
        return;
    struct event shape =
        launch_shape(&params, wire_string(agent.wire, data->symbolName), driver_for_attributes());
    struct event call = {.kind = EVENT_CALL_BEGIN};
    call.call.start_ns = agent_now_ns();
    call.call.correlation = correlation_of(data);
    call.call.name = wire_string(agent.wire, data->functionName);
    call.call.domain = API_DRIVER;
    call.call.category = CALL_LAUNCH;
    call.call.context = data->contextUid;
    call.call.stream = agent_stream_id(data->context, params.stream, params.per_thread_stream);
    if (agent_samples()) {
        lines_launch_enter(data->context, &call, &shape);
        return;
    }
    if (strncmp(data->symbolName, "nccl", 4) == 0)
        nccl_launch = call.call.correlation;
    burst_before(data, &shape, call.call.correlation);
    call.call.start_ns = agent_now_ns(); /* without the wait for a burst */
    launches_enter(agent.launches, &call, &shape);
}

static void launch_exit(const CUpti_CallbackData *data)
{
    const CUresult *result = data->functionReturnValue;
    if (agent_samples())
        lines_launch_exit();
    if (!result || *result == CUDA_SUCCESS)
        return;
    uint32_t correlation = correlation_of(data);
    launches_end(agent.launches, correlation);
    bursts_kernel_done(correlation);
}

/* ---- dispatch ---- */

/* A capture is counted from before it can begin until after it is over, also if beginning or ending it fails.
 */
static void capture_change(uint8_t use, const CUpti_CallbackData *data)
{
    const CUresult *result = data->functionReturnValue;
    bool enter = data->callbackSite == CUPTI_API_ENTER;
    if (use == USE_CAPTURE_BEGIN && enter)
        atomic_fetch_add(&agent.stream_captures, 1);
    else if (use == USE_CAPTURE_BEGIN && result && *result != CUDA_SUCCESS)
        atomic_fetch_sub(&agent.stream_captures, 1);
    else if (use == USE_CAPTURE_END && !enter && atomic_load(&agent.stream_captures) > 0)
        atomic_fetch_sub(&agent.stream_captures, 1);
}

static void common_handle(uint8_t use, const CUpti_CallbackData *data)
{
    bool enter = data->callbackSite == CUPTI_API_ENTER;
    if (use & (USE_CAPTURE_BEGIN | USE_CAPTURE_END))
        capture_change(use, data);
    else if (use == USE_PROFILER_START && !enter)
        capture_profiler_api(true);
    else if (use == USE_PROFILER_STOP && enter)
        capture_profiler_api(false);
    else if (use & USE_WAIT && !enter)
        agent_kick();
}

/* A driver call within a runtime call has the runtime call's path. What is captured into a graph does not run
 * now. */
static void stack_enter(uint32_t correlation)
{
    if (atomic_load_explicit(&agent.capturing, memory_order_relaxed) &&
        atomic_load_explicit(&agent.stream_captures, memory_order_relaxed) == 0)
        stacks_enter(agent.stacks, correlation);
}

static void driver_call(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
    bool enter = data->callbackSite == CUPTI_API_ENTER;
    if (id >= CUPTI_DRIVER_TRACE_CBID_SIZE)
        return;
    if (uses.driver[id] & USE_STACK && enter && correlation_of(data) == data->correlationId)
        stack_enter(data->correlationId);
    if (uses.driver[id] & USE_LAUNCH && enter)
        launch_enter(id, data);
    else if (uses.driver[id] & USE_LAUNCH)
        launch_exit(data);
    common_handle(uses.driver[id], data);
    if (uses.counters[id] && enter)
        counters_enter((enum counters_call)uses.counters[id], id, data);
    else if (uses.counters[id])
        counters_exit((enum counters_call)uses.counters[id], data);
}

static void runtime_call(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
    if (id >= CUPTI_RUNTIME_TRACE_CBID_SIZE)
        return;
    if (uses.runtime[id] & (USE_LAUNCH | USE_STACK))
        runtime_correlation = data->callbackSite == CUPTI_API_ENTER ? data->correlationId : 0;
    runtime_of = captures;
    if (uses.runtime[id] & USE_STACK && runtime_correlation)
        stack_enter(runtime_correlation);
    common_handle(uses.runtime[id], data);
}

static void lines_resource(CUpti_CallbackId id, const CUpti_ResourceData *data)
{
    const CUpti_ModuleResourceData *module = data->resourceDescriptor;
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED && module)
        source_module_loaded(module->pCubin, module->cubinSize);
    else if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING && agent_samples())
        lines_module_going();
    else if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED && agent_samples())
        lines_context_created(data->context);
    else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING && agent_samples())
        lines_context_going(data->context);
}

static uint32_t module_string(void *wire, const char *text)
{
    return wire_string(wire, text);
}

static void module_loaded(const CUpti_ModuleResourceData *module)
{
    if (module->pCubin && module->cubinSize > 0)
        shapes_module(agent.shapes, module->pCubin, module->cubinSize, module_string);
}

/* When a graph is made or instantiated, not when it is launched. Edges are taken back only for ones that say the same by
 * way of another node. */
static void graph_edge(const CUpti_GraphData *made)
{
    uint64_t node = 0, dependency = 0;
    if (!made || agent.cupti.cuptiGetGraphNodeId(made->node, &node) != CUPTI_SUCCESS ||
        agent.cupti.cuptiGetGraphNodeId(made->dependency, &dependency) != CUPTI_SUCCESS ||
        node >> 32 != dependency >> 32)
        return;
    const struct event event = {.kind = EVENT_GRAPH_EDGE,
                                .graph_edge = {.graph = (uint32_t)(node >> 32),
                                               .node = (uint32_t)node,
                                               .dependency = (uint32_t)dependency}};
    wire_emit(agent.wire, &event);
}

static void resource_handle(CUpti_CallbackId id, const CUpti_ResourceData *data)
{
    if (agent.config.mode == RUN_LINES && data) /* the end of cuInit comes with none */
        lines_resource(id, data);
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED) {
        graph_edge(data->resourceDescriptor);
        return;
    }
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED && data->resourceDescriptor)
        module_loaded(data->resourceDescriptor);
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED || id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING)
        return;
    if (id == CUPTI_CBID_RESOURCE_CU_INIT_FINISHED || id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
        atomic_store(&agent.driver_ready, true);
        agent_kick();
    } else {
        atomic_fetch_add(&agent.stream_epoch, 1);
        if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING && agent_counts())
            counters_forget(data->context);
    }
}

static void state_handle(const CUpti_StateData *data)
{
    agent_notice(SEVERITY_ERROR, STATUS_DEVICE, "CUPTI stopped: %s. Later events are not recorded.",
                 data->notification.message ? data->notification.message
                                            : cupti_text(&agent.cupti, data->notification.result));
}

void CUPTIAPI callbacks_handle(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    (void)user;
    /* A measured launch must be ended even if nobody listens any more, because it holds the lock. */
    if (!atomic_load_explicit(&agent.running, memory_order_relaxed)) {
        const CUpti_CallbackData *call = data;
        if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id < CUPTI_DRIVER_TRACE_CBID_SIZE && uses.counters[id] &&
            call->callbackSite == CUPTI_API_EXIT)
            counters_exit((enum counters_call)uses.counters[id], call);
        return;
    }
    switch (domain) {
    case CUPTI_CB_DOMAIN_DRIVER_API: driver_call(id, data); break;
    case CUPTI_CB_DOMAIN_RUNTIME_API: runtime_call(id, data); break;
    case CUPTI_CB_DOMAIN_RESOURCE: resource_handle(id, data); break;
    case CUPTI_CB_DOMAIN_NVTX: capture_nvtx(id, data); break;
    case CUPTI_CB_DOMAIN_STATE: state_handle(data); break;
    default: break;
    }
}
