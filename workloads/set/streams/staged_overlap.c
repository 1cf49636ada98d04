/* SPDX-License-Identifier: Apache-2.0 */
/*
 * staged-overlap: copy everything and then compute, or copy and compute in chunks, each in a stream of its
 * own. Textbook: staged, the time comes near the larger of copy and compute plus one chunk's share of the
 * other, if the host's memory is pinned.
 *
 * One variant's copies and kernels are in the order that the kernel host_calls writes down, which runs before them
 * (workloads/frame/host_order.h).
 */
#include "workloads/frame/chunk.h"
#include "workloads/frame/host_order.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <stdio.h>
#include <string.h>

/* ---- an order from a kernel ---- */

static enum status order_fetch(struct workbench *bench, struct order_call calls[ORDER_CALLS_MAX],
                               struct error *error)
{
    const size_t bytes = ORDER_CALLS_MAX * sizeof *calls;
    const struct device_ops *ops = bench->device->ops;
    device_pointer written = 0;
    struct device_launch launch = {.image = "host_calls",
                                   .kernel = "host_calls",
                                   .grid = {1, 1, 1},
                                   .block = {1, 1, 1},
                                   .arguments = (void *[]){&written}};
    enum status status = workbench_device_buffer(bench, 2, bytes, &written, error);

    if (status == STATUS_OK)
        status = ops->set(bench->device, written, ORDER_END, bytes, 0, error);
    if (status == STATUS_OK)
        status = ops->launch(bench->device, &launch, error);
    if (status == STATUS_OK)
        status = ops->copy(bench->device, DEVICE_COPY_TO_HOST, device_host_address(calls), written, bytes, 0,
                           false, error);
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

static enum status call_run(const struct work *work, const struct order_call *call, struct error *error)
{
    const struct device_ops *ops = work->device->ops;
    const size_t first = call->first * work->chunk_words;
    const size_t words = (size_t)(call->last - call->first + 1) * work->chunk_words;
    const uint64_t stream = work->streams[call->stream];
    enum status status;

    switch ((enum order_op)call->op) {
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
        status = ops->event_record(work->device, work->event, work->streams[call->first], error);
        return status ? status : ops->event_wait(work->device, stream, work->event, error);
    case ORDER_SYNCHRONIZE: return ops->sync(work->device, error);
    default: return STATUS_OK;
    }
}

static enum status order_run(const struct work *work, const struct order_call *calls, struct error *error)
{
    enum status status = STATUS_OK;

    for (size_t i = 0; i < ORDER_CALLS_MAX && calls[i].op != ORDER_END && status == STATUS_OK; i++)
        status = call_run(work, &calls[i], error);
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

/* The host's memory of either kind: what is to be pinned is known after host_calls has run, and pinning between it
 * and the copies would be timed with them. */
static enum status work_prepare(struct work *work, struct workbench *bench, void *host[HOST_MEMORY_COUNT][2],
                                size_t words, struct error *error)
{
    enum status status;

    if ((status = workbench_device_buffer(bench, 0, words * sizeof(float), &work->in, error)) ||
        (status = workbench_device_buffer(bench, 1, words * sizeof(float), &work->out, error)))
        return status;
    for (enum host_memory kind = HOST_PAGEABLE; kind <= HOST_PINNED; kind++) {
        if ((status = workbench_host_buffer(bench, 0, kind, words * sizeof(float), &host[kind][0], error)) ||
            (status = workbench_host_buffer(bench, 1, kind, words * sizeof(float), &host[kind][1], error)))
            return status;
        chunk_input_fill(host[kind][0], words, bench->seed);
    }
    return work_open(work, error);
}

/* A host order is fetched, checked, executed bench->rounds times, and its results are verified. words: a multiple
 * of ORDER_CHUNKS * CHUNK_WORDS_PER_BLOCK. */
static enum status host_order_run(struct workbench *bench, size_t words, uint32_t rounds,
                                  struct workload_result *result, struct error *error)
{
    struct work work = {.device = bench->device, .chunk_words = words / ORDER_CHUNKS, .rounds = rounds};
    struct order_call calls[ORDER_CALLS_MAX];
    void *host[HOST_MEMORY_COUNT][2];
    bool pinned = false;
    enum status status = work_prepare(&work, bench, host, words, error);

    if (status == STATUS_OK)
        status = order_fetch(bench, calls, error);
    if (status == STATUS_OK)
        status = host_order_check(calls, &pinned, error); /* run, the result might be right by luck */
    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++) {
        work.host_in = host[pinned ? HOST_PINNED : HOST_PAGEABLE][0];
        work.host_out = host[pinned ? HOST_PINNED : HOST_PAGEABLE][1];
        memset(work.host_out, WORKBENCH_POISON, words * sizeof(float));
        status = order_run(&work, calls, error);
    }
    work_close(&work);
    if (status == STATUS_OK) {
        workbench_digest(bench, work.host_out, words);
        chunk_verify(work.host_out, words, work.rounds, bench->seed, result);
    }
    return status;
}

/* ---- the workload ---- */

#define STREAMS_MAX 16
#define STREAMS_STANDARD 4

enum { PARAM_STREAMS, PARAM_N, PARAM_ROUNDS };
enum { TAG_PAGEABLE = 1, TAG_STAGED = 2, TAG_ORDER = 4 };

static const struct workload_param params[] = {
    [PARAM_STREAMS] = {.name = "streams",
                       .meaning = "chunks, each in a stream of its own; 0: 1 when whole, 4 when staged",
                       SIZE_UP_TO(STREAMS_MAX, "streams")},
    [PARAM_N] = CHUNK_PARAM_N,
    [PARAM_ROUNDS] = CHUNK_PARAM_ROUNDS,
};

/* The launches of chunk are those that host_calls writes down. */
static const struct kernel_sites order_kernels[] = {{.kernel = "chunk", .data_dependent = true},
                                                    {.kernel = "host_calls", .data_dependent = true}};

static const struct workload_variant variants[] = {
    {.name = "whole-pinned",
     .meaning = "copy all, then compute; pinned host memory",
     .tag = 0,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
    {.name = "whole-pageable",
     .meaning = "copy all, then compute; pageable host memory",
     .tag = TAG_PAGEABLE,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
    {.name = "staged-pinned",
     .meaning = "chunks in streams; pinned host memory",
     .tag = TAG_STAGED,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
    {.name = "staged-pageable",
     .meaning = "chunks in streams; pageable host memory: its copies do not overlap",
     .tag = TAG_STAGED | TAG_PAGEABLE,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
    {.name = "order",
     .meaning = "eight chunks, copied there and back as the kernel host_calls says: in eight streams",
     .tag = TAG_ORDER,
     .kernels = order_kernels,
     .kernel_count = TABLE_COUNT(order_kernels)},
};

static enum status staged_overlap_resolve(struct workload_case *c, struct error *error)
{
    int64_t *streams = &c->params.value[PARAM_STREAMS], *n = &c->params.value[PARAM_N];
    bool staged = c->variant->tag & TAG_STAGED, ordered = c->variant->tag & TAG_ORDER;

    if (*streams == WORKLOAD_SIZE_AUTO)
        *streams = ordered ? ORDER_CHUNKS : staged ? STREAMS_STANDARD : 1;
    if (ordered && *streams != ORDER_CHUNKS)
        return error_set(
            error, STATUS_USAGE,
            "staged-overlap:order has %d chunks, and streams=%lld was given. Leave it out: the order "
            "names its streams.",
            ORDER_CHUNKS, (long long)*streams);
    if (!staged && !ordered && *streams != 1)
        return error_set(error, STATUS_USAGE,
                         "staged-overlap:%s copies all in one stream, and streams=%lld was given. Leave it "
                         "out, or run a staged variant.",
                         c->variant->name, (long long)*streams);
    chunk_sizes_resolve(c, n, &c->params.value[PARAM_ROUNDS], *streams * CHUNK_WORDS_PER_BLOCK);
    c->grid[0] = (uint32_t)(*n / *streams / CHUNK_WORDS_PER_BLOCK);
    c->grid[1] = c->grid[2] = 1;
    c->block[0] = CHUNK_BLOCK;
    c->block[1] = c->block[2] = 1;
    c->effective_bytes = 2.0 * sizeof(float) * (double)(*n / *streams);
    c->effective_kernel = chunk_kernel.kernel;
    return STATUS_OK;
}

/* Chunk k in stream k: its copy, then its kernel. "Whole" is the same with one chunk. */
static enum status round_run(const struct workload_case *c, struct device *device, device_pointer in,
                             device_pointer out, const float *host_in, const uint64_t *streams,
                             struct error *error)
{
    size_t chunks = (size_t)c->params.value[PARAM_STREAMS], words = (size_t)c->params.value[PARAM_N] / chunks;
    uint32_t rounds = (uint32_t)c->params.value[PARAM_ROUNDS];
    enum status status = STATUS_OK;

    for (size_t k = 0; k < chunks && status == STATUS_OK; k++) {
        status = device->ops->copy(device, DEVICE_COPY_TO_DEVICE, in + k * words * sizeof(float),
                                   device_host_address(host_in + k * words), words * sizeof(float),
                                   streams[k], true, error);
        if (status == STATUS_OK)
            status = chunk_launch(device, out, in, k * words, words, rounds, c->grid[0], streams[k], error);
    }
    return status;
}

static enum status staged_overlap_run(const struct workload_case *c, struct workbench *bench,
                                      struct workload_result *result, struct error *error)
{
    size_t words = (size_t)c->params.value[PARAM_N];
    const struct device_ops *ops = bench->device->ops;
    enum host_memory kind = c->variant->tag & TAG_PAGEABLE ? HOST_PAGEABLE : HOST_PINNED;
    device_pointer in, out;
    const uint64_t *streams;
    const float *output;
    void *host_in, *fetched;
    enum status status;

    if (c->variant->tag & TAG_ORDER)
        return host_order_run(bench, words, (uint32_t)c->params.value[PARAM_ROUNDS], result, error);

    /* Also receives the results: pinning takes longer than the schedule, and would be timed with it. */
    if ((status = workbench_device_buffer(bench, 0, words * sizeof(float), &in, error)) ||
        (status = workbench_host_buffer(bench, 0, kind, words * sizeof(float), &host_in, error)) ||
        (status = workbench_host_buffer(bench, 1, HOST_PINNED, words * sizeof(float), &fetched, error)) ||
        (status = workbench_streams(bench, (uint32_t)c->params.value[PARAM_STREAMS], &streams, error)))
        return status;
    chunk_input_fill(host_in, words, bench->seed);
    for (uint32_t round = 0; round < bench->rounds; round++) {
        if ((status = workbench_output(bench, 1, words, &out, error)) ||
            (status = ops->set(bench->device, in, WORKBENCH_POISON, words * sizeof(float), 0, error)) ||
            (status = ops->sync(bench->device, error)))
            return status;
        status = round_run(c, bench->device, in, out, host_in, streams, error);
        /* Needed after an error, too: work enqueued before it uses the buffers. */
        enum status ended = ops->sync(bench->device, status ? NULL : error);
        if (status || ended)
            return status ? status : ended;
    }
    status = workbench_fetch(bench, 1, words, &output, error);
    if (status == STATUS_OK)
        chunk_verify(output, words, (uint32_t)c->params.value[PARAM_ROUNDS], bench->seed, result);
    return status;
}

const struct workload workload_staged_overlap = {
    .name = "staged-overlap",
    .chapter = CHAPTER_STREAMS,
    .title = "Copying while computing: chunks in several streams",
    .words =
        "streams async asynchronous cudaMemcpyAsync concurrency pinned pageable pipeline double buffering",
    .meaning = "The kernel of one chunk runs while the next chunk is copied: the whole takes hardly more "
               "than the longer of the two",
    WORKLOAD_TABLES(params, variants),
    WORKLOAD_SEEDED,
    .devices_needed = 1,
    .resolve = staged_overlap_resolve,
    .run = staged_overlap_run,
    .sweeps =
        {
            "staged-overlap:whole-pinned",
            "staged-overlap:whole-pageable",
            "staged-overlap:staged-pinned,streams=1|2|3|4|6|8|12|16",
            "staged-overlap:staged-pageable,streams=1|2|4|8|16",
            "staged-overlap:order",
        },
};
