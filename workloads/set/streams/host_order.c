/*
 * The order comes from a file (workloads/frame/host_order.h); without one, each chunk has a stream of its own
 * and the host's memory is pinned. Nothing but the order's own operations runs between its first and its
 * last.
 */
#include "workloads/set/streams/host_order.h"

#include "workloads/frame/host_order.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void order_in_streams(struct host_order *order)
{
    *order = (struct host_order){.pinned = true};
    for (uint8_t chunk = 0; chunk < ORDER_CHUNKS; chunk++)
        for (uint8_t op = ORDER_UPLOAD; op <= ORDER_DOWNLOAD; op++)
            order->steps[order->count++] =
                (struct order_step){.op = op, .stream = (uint8_t)(chunk + 1), .first = chunk, .last = chunk};
}

static enum status order_load(const char *path, struct host_order *order, struct error *error)
{
    char *text;
    enum status status;

    if (!path) {
        order_in_streams(order);
        return STATUS_OK;
    }
    status = host_order_read(path, &text, error);
    if (status == STATUS_OK)
        status = host_order_parse(text, order, error);
    free(text);
    return status;
}

/* What the steps work on. */
struct work {
    struct device *device;
    size_t chunk_words;
    uint32_t rounds;
    device_pointer in, out;
    float *host_in, *host_out;
    uint64_t streams[ORDER_STREAMS];
    uint64_t event; /* recorded anew for each wait */
};

static enum status step_run(const struct work *work, const struct order_step *step, struct error *error)
{
    const struct device_ops *ops = work->device->ops;
    const size_t first = step->first * work->chunk_words;
    const size_t words = (size_t)(step->last - step->first + 1) * work->chunk_words;
    const uint64_t stream = work->streams[step->stream];
    enum status status;

    switch ((enum order_op)step->op) {
    case ORDER_UPLOAD:
        return ops->copy(work->device, DEVICE_COPY_TO_DEVICE, work->in + first * sizeof(float),
                         device_host_address(work->host_in + first), words * sizeof(float), stream, true,
                         error);
    case ORDER_COMPUTE:
        return chunk_launch(work->device, work->out, work->in, first, words, work->rounds,
                            (uint32_t)(words / CHUNK_WORDS_PER_BLOCK), stream, error);
    case ORDER_DOWNLOAD:
        return ops->copy(work->device, DEVICE_COPY_TO_HOST, device_host_address(work->host_out + first),
                         work->out + first * sizeof(float), words * sizeof(float), stream, true, error);
    case ORDER_WAIT:
        status = ops->event_record(work->device, work->event, work->streams[step->first], error);
        return status ? status : ops->event_wait(work->device, stream, work->event, error);
    default: return ops->sync(work->device, error);
    }
}

static enum status order_run(const struct work *work, const struct host_order *order, struct error *error)
{
    enum status status = STATUS_OK;

    for (size_t i = 0; i < order->count && status == STATUS_OK; i++)
        status = step_run(work, &order->steps[i], error);
    /* Needed after an error, too: work enqueued before it uses the buffers. */
    enum status ended = work->device->ops->sync(work->device, status ? NULL : error);

    return status ? status : ended;
}

/* Streams 1 to 8 wait for the default stream, and it for them, as cudaStreamCreate makes them. */
static enum status work_open(struct work *work, struct error *error)
{
    const struct device_ops *ops = work->device->ops;
    enum status status = ops->event_create(work->device, &work->event, error);

    work->streams[0] = DEVICE_STREAM_DEFAULT;
    for (int i = 1; i < ORDER_STREAMS && status == STATUS_OK; i++)
        status = ops->stream_create(work->device, false, &work->streams[i], error);
    return status;
}

static void work_close(struct work *work)
{
    const struct device_ops *ops = work->device->ops;

    for (int i = 1; i < ORDER_STREAMS; i++)
        if (work->streams[i])
            ops->stream_destroy(work->device, work->streams[i], NULL);
    if (work->event)
        ops->event_destroy(work->device, work->event, NULL);
}

static enum status work_prepare(struct work *work, struct workbench *bench, enum host_memory kind,
                                size_t words, struct error *error)
{
    void *host_in, *host_out;
    enum status status;

    if ((status = workbench_device_buffer(bench, 0, words * sizeof(float), &work->in, error)) ||
        (status = workbench_device_buffer(bench, 1, words * sizeof(float), &work->out, error)) ||
        (status = workbench_host_buffer(bench, 0, kind, words * sizeof(float), &host_in, error)) ||
        (status = workbench_host_buffer(bench, 1, kind, words * sizeof(float), &host_out, error)))
        return status;
    work->host_in = host_in;
    work->host_out = host_out;
    chunk_input_fill(host_in, words, bench->seed);
    return work_open(work, error);
}

enum status host_order_run(struct workbench *bench, size_t words, uint32_t rounds,
                           struct workload_result *result, struct error *error)
{
    struct work work = {.device = bench->device, .chunk_words = words / ORDER_CHUNKS, .rounds = rounds};
    struct host_order order;
    enum status status = order_load(bench->order, &order, error);

    if (status == STATUS_OK)
        status = host_order_check(&order, error); /* run, the result might be right by luck */
    if (status != STATUS_OK)
        return status;
    status = work_prepare(&work, bench, order.pinned ? HOST_PINNED : HOST_PAGEABLE, words, error);
    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++) {
        memset(work.host_out, WORKBENCH_POISON, words * sizeof(float));
        status = order_run(&work, &order, error);
    }
    work_close(&work);
    if (status == STATUS_OK) {
        workbench_digest(bench, work.host_out, words);
        chunk_verify(work.host_out, words, work.rounds, bench->seed, result);
    }
    return status;
}
