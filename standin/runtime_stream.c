/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams and events. A handle is the model's number; cudaStreamLegacy is the default stream. All work is
 * done when it is issued, so a query always finds it complete; its times are on the model's clock. A stream
 * that is being captured is replaced by the first stream of its capture.
 */
#include "standin/standin.h"

#include "core/base/array.h"

/* Streams of a priority other than 0: the program reads it back; the model's streams have equal priority. */
static struct priority {
    uint64_t stream;
    int priority;
} * priorities;
static size_t priority_count, priority_capacity;

static void priority_forget(uint64_t stream)
{
    for (size_t i = priority_count; i-- > 0;)
        if (priorities[i].stream == stream)
            priorities[i] = priorities[--priority_count];
}

/* Of an H200; GPUs before 7.0 have fewer, and none was asked. */
static int priority_greatest(void)
{
    return standin_info()->compute_capability >= 70 ? -5 : 0;
}

static uint64_t most_stream, most_event; /* the highest that were given out */

cudaEvent_t standin_event_handle(uint64_t number)
{
    return (cudaEvent_t)(uintptr_t)(number | HANDLES_OF_EVENTS);
}

uint64_t standin_event(cudaEvent_t event)
{
    const uint64_t handle = (uint64_t)(uintptr_t)event, number = handle & ~HANDLES_OF_EVENTS;
    const bool is_event = handle < HANDLES_MAX && handle & HANDLES_OF_EVENTS;

    if (standin_device() && is_event && !simt_device_event(standin_device(), number))
        standin_crash("an event that was destroyed");
    return is_event ? number : 0;
}

/* The code for what standin_event() lets pass, as an H200 has them. */
static cudaError_t check_event(cudaEvent_t event)
{
    const uint64_t handle = (uint64_t)(uintptr_t)event;

    return standin_event(event)                                   ? cudaSuccess
           : !event                                               ? cudaErrorInvalidResourceHandle
           : handle < HANDLES_MAX && standin_stream_lives(handle) ? cudaErrorContextIsDestroyed
                                                                  : cudaErrorDeviceUninitialized;
}

/* ---- streams ---- */
STANDIN_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (!stream)
        return standin_null();
    cudaError_t lost = standin_enter();
    uint64_t number = 0;
    struct error error;

    if (lost == cudaSuccess && flags & ~(unsigned)cudaStreamNonBlocking)
        lost = cudaErrorInvalidValue;
    if (lost)
        return standin_leave(lost);
    enum status status =
        simt_device_stream_create(standin_device(), flags & cudaStreamNonBlocking, &number, &error);
    *stream = (cudaStream_t)(uintptr_t)number;
    most_stream = number > most_stream ? number : most_stream;
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

STANDIN_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    cudaError_t code = cudaStreamCreateWithFlags(stream, flags);

    if (code != cudaSuccess || priority >= 0)
        return code;
    code = standin_enter();
    if (priority < priority_greatest())
        priority = priority_greatest();
    if (!array_grow(priorities, priority_capacity, priority_count, 1))
        code = cudaErrorMemoryAllocation;
    else
        priorities[priority_count++] = (struct priority){(uint64_t)(uintptr_t)*stream, priority};
    return standin_leave(code);
}

STANDIN_API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess && stream)
        lost = standin_check_stream(stream);
    if (lost == cudaSuccess && (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread))
        lost = cudaErrorInvalidResourceHandle;
    if (lost)
        return standin_leave(lost);
    priority_forget((uint64_t)(uintptr_t)stream);
    graph_abandon((uint64_t)(uintptr_t)stream);
    graph_forget((uint64_t)(uintptr_t)stream); /* what it contributed to a capture stays in the capture */
    return standin_leave_status(simt_device_stream_destroy(standin_device(), standin_stream(stream), &error),
                                &error);
}

STANDIN_API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess)
        lost = graph_forbids_wait(standin_number(stream));
    if (lost)
        return standin_leave(lost);
    enum status status = simt_device_stream_sync(standin_device(), standin_stream(stream), &error);
    standin_pool_release();
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess)
        lost = graph_forbids_wait(standin_number(stream));
    if (lost == cudaSuccess)
        lost = standin_check_stream(stream);
    if (lost == cudaSuccess)
        simt_device_stream_over(standin_device(), standin_stream(stream));
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t lost = standin_enter();
    enum status status = STATUS_OK;
    struct error error;

    if (lost == cudaSuccess && flags & ~(unsigned)cudaEventWaitExternal)
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess)
        lost = check_event(event);
    if (lost == cudaSuccess && flags & cudaEventWaitExternal) {
        if (graph_takes_event((uint64_t)(uintptr_t)stream, standin_event(event), false, &status, &error))
            return standin_leave_status(status, &error);
        lost = cudaErrorIllegalState; /* in no capture */
    }
    cudaError_t code = cudaSuccess;
    if (lost == cudaSuccess && standin_number(stream) == DEVICE_STREAM_DEFAULT)
        lost = graph_forbids_work(DEVICE_STREAM_DEFAULT);
    if (lost || graph_takes_wait((uint64_t)(uintptr_t)stream, standin_event(event), &code))
        return standin_leave(lost ? lost : code);
    return standin_leave_status(
        simt_device_event_wait(standin_device(), standin_stream(stream), standin_event(event), &error),
        &error);
}

STANDIN_API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    cudaError_t lost = standin_enter();

    if (least)
        *least = 0;
    if (greatest)
        *greatest = lost ? 0 : priority_greatest();
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    cudaError_t code = standin_enter();
    bool non_blocking = false;
    uint32_t gpu;

    if (code == cudaSuccess &&
        (!flags || !simt_device_stream(standin_device(), standin_stream(stream), &gpu, &non_blocking)))
        code = flags ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    if (code == cudaSuccess)
        *flags = non_blocking ? cudaStreamNonBlocking : cudaStreamDefault;
    return standin_leave(code);
}

STANDIN_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    if (!priority)
        return standin_null();
    cudaError_t lost = standin_enter();

    *priority = 0;
    for (size_t i = 0; i < priority_count; i++)
        if (priorities[i].stream == (uint64_t)(uintptr_t)stream)
            *priority = priorities[i].priority;
    return standin_leave(lost);
}

struct callback {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void *argument;
};

static void callback_run(void *context)
{
    const struct callback *callback = context;

    callback->function(callback->stream, cudaSuccess, callback->argument);
}

/* The callback is called at once: all work issued before it is complete. */
STANDIN_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                              void *argument, unsigned flags)
{
    cudaError_t lost = standin_enter();
    struct callback callback = {function, stream, argument};
    struct error error;

    if (lost == cudaSuccess && (!function || flags))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess)
        lost = graph_forbids_callback(standin_number(stream));
    if (lost)
        return standin_leave(lost);
    const uint64_t number = standin_stream(stream);
    enum status status = simt_device_host_function(standin_device(), number, callback_run, &callback, &error);
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes,
                                                 unsigned flags)
{
    const unsigned known = cudaMemAttachGlobal | cudaMemAttachHost | cudaMemAttachSingle;
    cudaError_t lost = standin_enter();
    struct simt_allocation allocation;

    (void)stream, (void)bytes; /* both access managed memory in place */
    if (lost == cudaSuccess &&
        (flags == 0 || flags & ~known || flags & (flags - 1) ||
         !simt_device_allocation(standin_device(), (uint64_t)(uintptr_t)pointer, &allocation) ||
         !allocation.managed))
        lost = cudaErrorInvalidValue;
    return standin_leave(lost);
}

void standin_destroy_streams(void)
{
    uint32_t gpu;
    bool non_blocking;

    for (uint64_t number = (uint64_t)(uintptr_t)cudaStreamPerThread + 1; number <= most_stream; number++)
        if (simt_device_stream(standin_device(), number, &gpu, &non_blocking) && (int)gpu == standin_gpu()) {
            priority_forget(number);
            graph_abandon(number);
            simt_device_stream_destroy(standin_device(), number, NULL);
        }
    for (uint64_t number = 1; number <= most_event && standin_gpus() == 1; number++)
        if (simt_device_event(standin_device(), number))
            simt_device_event_destroy(standin_device(), number, NULL);
}

/* ---- events ---- */
static uint64_t *untimed; /* events without timing */
static size_t untimed_count, untimed_capacity;

static bool event_is_timed(cudaEvent_t event)
{
    for (size_t i = 0; i < untimed_count; i++)
        if (untimed[i] == standin_event(event))
            return false;
    return true;
}

STANDIN_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

    if (!event)
        return standin_null();
    cudaError_t lost = standin_enter();
    uint64_t number = 0;
    struct error error;

    if (lost == cudaSuccess &&
        (flags & ~known || (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming))))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess && flags & cudaEventDisableTiming &&
        !array_grow(untimed, untimed_capacity, untimed_count, 1))
        lost = cudaErrorMemoryAllocation;
    if (lost)
        return standin_leave(lost);
    enum status status = simt_device_event_create(standin_device(), &number, &error);
    if (status == STATUS_OK && flags & cudaEventDisableTiming)
        untimed[untimed_count++] = number;
    *event = standin_event_handle(number);
    most_event = number > most_event ? number : most_event;
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

STANDIN_API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess)
        lost = check_event(event);
    if (lost)
        return standin_leave(lost);
    for (size_t i = untimed_count; i-- > 0;)
        if (untimed[i] == standin_event(event))
            untimed[i] = untimed[--untimed_count];
    return standin_leave_status(simt_device_event_destroy(standin_device(), standin_event(event), &error),
                                &error);
}

STANDIN_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess)
        lost = check_event(event);
    if (lost == cudaSuccess && standin_number(stream) == DEVICE_STREAM_DEFAULT)
        lost = graph_forbids_work(DEVICE_STREAM_DEFAULT);
    if (lost || graph_takes_record((uint64_t)(uintptr_t)stream, standin_event(event)))
        return standin_leave(lost);
    return standin_leave_status(
        simt_device_event_record(standin_device(), standin_event(event), standin_stream(stream), &error),
        &error);
}

/* cudaEventRecordExternal: a graph that is captured records the event at each launch. */
STANDIN_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    cudaError_t lost = standin_enter();
    enum status status = STATUS_OK;
    struct error error;

    if (lost == cudaSuccess && flags & ~(unsigned)cudaEventRecordExternal)
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess && flags & cudaEventRecordExternal) {
        if (graph_takes_event((uint64_t)(uintptr_t)stream, standin_event(event), true, &status, &error))
            return standin_leave_status(status, &error);
        lost = cudaErrorIllegalState; /* in no capture */
    }
    standin_leave(lost);
    if (lost)
        return lost;
    return cudaEventRecord(event, stream);
}

STANDIN_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!ms)
        return standin_null();
    cudaError_t lost = standin_enter();
    double ns = 0;
    struct error error;

    if (lost == cudaSuccess &&
        (graph_captures_event(standin_event(start)) || graph_captures_event(standin_event(end))))
        lost = cudaErrorCapturedEvent;
    if (lost == cudaSuccess && !(event_is_timed(start) && event_is_timed(end)))
        lost = cudaErrorInvalidResourceHandle;
    if (lost)
        return standin_leave(lost);
    enum status status =
        simt_device_event_elapsed(standin_device(), standin_event(start), standin_event(end), &ns, &error);
    if (status == STATUS_OK)
        *ms = (float)(ns / 1e6);
    return standin_leave_status(status, &error);
}

/* As in CUDA, an event that was never recorded is complete. */
STANDIN_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t lost = standin_enter();
    double ns;

    if (lost == cudaSuccess)
        lost = graph_forbids_event(standin_event(event));
    if (lost == cudaSuccess)
        lost = check_event(event);
    if (lost == cudaSuccess) {
        simt_device_event_elapsed(standin_device(), standin_event(event), standin_event(event), &ns, NULL);
        standin_pool_release();
    }
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess)
        lost = graph_forbids_event(standin_event(event));
    if (lost == cudaSuccess)
        lost = check_event(event);
    if (lost == cudaSuccess)
        simt_device_event_over(standin_device(), standin_event(event));
    return standin_leave(lost);
}
