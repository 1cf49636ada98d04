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

uint64_t standin_number(cudaStream_t stream)
{
    return stream == cudaStreamLegacy ? DEVICE_STREAM_DEFAULT : (uint64_t)(uintptr_t)stream;
}

uint64_t standin_stream(cudaStream_t stream)
{
    uint64_t number = standin_number(stream);
    uint64_t origin = graph_origin(number);

    return origin ? origin : number;
}

static uint64_t number_of(cudaEvent_t event)
{
    return (uint64_t)(uintptr_t)event;
}

/* ---- streams ---- */
STANDIN_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (!stream)
        return standin_null();
    cudaError_t lost = standin_enter();
    uint64_t number = 0;
    struct error error;

    if (lost)
        return standin_leave(lost);
    enum status status = standin_device()->ops->stream_create(standin_device(), flags & cudaStreamNonBlocking,
                                                              &number, &error);
    *stream = (cudaStream_t)(uintptr_t)number;
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

    if (lost)
        return standin_leave(lost);
    priority_forget((uint64_t)(uintptr_t)stream);
    graph_forget((uint64_t)(uintptr_t)stream); /* what it contributed to a capture stays in the capture */
    return standin_leave_status(
        standin_device()->ops->stream_destroy(standin_device(), standin_stream(stream), &error), &error);
}

STANDIN_API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess)
        lost = graph_forbids_wait(standin_number(stream));
    if (lost)
        return standin_leave(lost);
    enum status status = standin_device()->ops->stream_sync(standin_device(), standin_stream(stream), &error);
    standin_pool_release();
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess)
        lost = graph_forbids_wait(standin_number(stream));
    if (lost == cudaSuccess)
        simt_device_stream_over(standin_device(), standin_stream(stream));
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t lost = standin_enter();
    enum status status = STATUS_OK;
    struct error error;

    if (lost == cudaSuccess && flags & cudaEventWaitExternal &&
        graph_takes_event((uint64_t)(uintptr_t)stream, number_of(event), false, &status, &error))
        return standin_leave_status(status, &error);
    cudaError_t code = cudaSuccess;
    if (lost == cudaSuccess && standin_number(stream) == DEVICE_STREAM_DEFAULT)
        lost = graph_forbids_work(DEVICE_STREAM_DEFAULT);
    if (lost || graph_takes_wait((uint64_t)(uintptr_t)stream, number_of(event), &code))
        return standin_leave(lost ? lost : code);
    return standin_leave_status(
        standin_device()->ops->event_wait(standin_device(), standin_stream(stream), number_of(event), &error),
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

    (void)flags;
    if (lost)
        return standin_leave(lost);
    return standin_leave_status(standin_device()->ops->host_function(standin_device(), standin_stream(stream),
                                                                     callback_run, &callback, &error),
                                &error);
}

STANDIN_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes,
                                                 unsigned flags)
{
    (void)stream, (void)pointer, (void)bytes, (void)flags; /* both access managed memory in place */
    return standin_leave(standin_enter());
}

/* ---- events ---- */
STANDIN_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    if (!event)
        return standin_null();
    cudaError_t lost = standin_enter();
    uint64_t number = 0;
    struct error error;

    (void)flags;
    if (lost)
        return standin_leave(lost);
    enum status status = standin_device()->ops->event_create(standin_device(), &number, &error);
    *event = (cudaEvent_t)(uintptr_t)number;
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

    if (lost)
        return standin_leave(lost);
    return standin_leave_status(
        standin_device()->ops->event_destroy(standin_device(), number_of(event), &error), &error);
}

STANDIN_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess && standin_number(stream) == DEVICE_STREAM_DEFAULT)
        lost = graph_forbids_work(DEVICE_STREAM_DEFAULT);
    if (lost || graph_takes_record((uint64_t)(uintptr_t)stream, number_of(event)))
        return standin_leave(lost);
    return standin_leave_status(standin_device()->ops->event_record(standin_device(), number_of(event),
                                                                    standin_stream(stream), &error),
                                &error);
}

/* cudaEventRecordExternal: a graph that is captured records the event at each launch. */
STANDIN_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    cudaError_t lost = standin_enter();
    enum status status = STATUS_OK;
    struct error error;

    if (lost == cudaSuccess && flags & cudaEventRecordExternal &&
        graph_takes_event((uint64_t)(uintptr_t)stream, number_of(event), true, &status, &error))
        return standin_leave_status(status, &error);
    standin_leave(cudaSuccess);
    return cudaEventRecord(event, stream);
}

STANDIN_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!ms)
        return standin_null();
    cudaError_t lost = standin_enter();
    double ns = 0;
    struct error error;

    if (lost)
        return standin_leave(lost);
    enum status status =
        standin_device()->ops->event_elapsed(standin_device(), number_of(start), number_of(end), &ns, &error);
    *ms = (float)(ns / 1e6);
    return standin_leave_status(status, &error);
}

/* As in CUDA, an event that was never recorded is complete. */
STANDIN_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t lost = standin_enter();
    double ns;

    if (lost == cudaSuccess)
        lost = graph_forbids_event(number_of(event));
    if (lost == cudaSuccess) {
        standin_device()->ops->event_elapsed(standin_device(), number_of(event), number_of(event), &ns, NULL);
        standin_pool_release();
    }
    return standin_leave(lost);
}

STANDIN_API cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess)
        lost = graph_forbids_event(number_of(event));
    if (lost == cudaSuccess)
        simt_device_event_over(standin_device(), number_of(event));
    return standin_leave(lost);
}
